//! A reward that drops and rises again and again, by levels of consecutive blocks.

use crate::context::Context;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;

/// Blocks of a long run; shorter ones have blocks of [`BLOCK`] points.
const BLOCKS: usize = 60;
const BLOCK: usize = 5;
/// Quantile of the early spreads that later ones are compared with.
const EARLY: f64 = 0.75;
/// Highest autocorrelation from step to step that noise is taken to have: beyond it noise swings as well.
const MAX_CORRELATED: f64 = 0.9;
/// Bisections that find the autocorrelation to three digits.
const BISECTIONS: usize = 12;
/// Smallest swing of a share that anyone would call one.
const VISIBLE: f64 = 0.1;

/// True for a reward that falls and rises again and again: then no single fall is a break.
pub(crate) fn swings(context: &Context<'_>, reward: &MetricSeries<'_>) -> bool {
    reward.len() as f64 >= context.rulebook.conservative_points().value
        && are_many(context, &drops(context, &RewardBlocks::new(&reward.values)))
}

/// The drops of the reward that were made good again.
pub(crate) fn drops(context: &Context<'_>, blocks: &RewardBlocks) -> Vec<Swing> {
    blocks.falls(context.rulebook.unstable_swing().value, context.rulebook.unstable_lost().value)
}

/// True for more drops than a settling policy has.
pub(crate) fn are_many(context: &Context<'_>, falls: &[Swing]) -> bool {
    falls.len() as f64 >= context.rulebook.unstable_swings().value
}

/// True for a reward that has the same value in more than half of the steps: each of the few others widens its spread.
pub(crate) fn is_sparse(values: &[f64]) -> bool {
    let Some(median) = stats::median(values) else { return false };
    values.iter().filter(|value| **value == median).count() * 2 > values.len()
}

/// Levels and spreads of consecutive blocks.
pub(crate) struct RewardBlocks {
    size: usize,
    means: Vec<f64>,
    /// Standard deviation from step to step within each block.
    spreads: Vec<f64>,
    /// The same against what the level of a share explains.
    noises: Vec<f64>,
    /// Standard deviation of the noise, also of noise whose steps depend on each other.
    noise: f64,
    /// True for a reward between 0 and 1.
    share: bool,
}

/// A fall from a high level to a low one, made good again.
pub(crate) struct Swing {
    /// Block of the high level.
    pub block: usize,
    /// Difference of the two levels.
    pub size: f64,
}

impl RewardBlocks {
    /// Blocks of a fixed number of points.
    pub fn new(values: &[f64]) -> Self {
        let size = (values.len() / BLOCKS).max(BLOCK);
        let share = values.iter().all(|value| (0.0..=1.0).contains(value));
        let noise = noise_of_steps(values).unwrap_or(0.0);
        let mut blocks = Self { size, means: Vec::new(), spreads: Vec::new(), noises: Vec::new(), noise, share };
        for block in values.chunks_exact(size) {
            let mean = stats::mean(block).unwrap_or(0.0);
            let expected = if share { (mean * (1.0 - mean)).max(0.01).sqrt() } else { 1.0 };
            blocks.means.push(mean);
            let noise = level::noise(block);
            blocks.spreads.push(noise);
            blocks.noises.push(noise / expected);
        }
        blocks
    }

    /// Index of the first point of a block.
    pub fn start(&self, block: usize) -> usize {
        block * self.size
    }

    /// Falls of `deviations` standard deviations of the noise and of `part` of the gain that were made good again.
    ///
    /// The gain is that of the typical level from the first third to the last, without the swings themselves: half of
    /// all that the reward ranged over at the least.
    pub fn falls(&self, deviations: f64, part: f64) -> Vec<Swing> {
        let spread = stats::median(&self.spreads).unwrap_or(0.0).max(self.noise);
        let (low, high) = (stats::quantile(&self.means, 0.05), stats::quantile(&self.means, 0.95));
        let range = high.zip(low).map_or(0.0, |(high, low)| high - low);
        let third = self.means.len() / 3;
        let typical = |part: Option<&[f64]>| part.and_then(stats::median);
        let ends = typical(self.means.get(..third)).zip(typical(self.means.get(self.means.len() - third..)));
        let gain = ends.map_or(range, |(first, last)| (last - first).abs()).max(0.5 * range).min(range);
        let visible = if self.share { VISIBLE } else { 0.0 };
        let least = (deviations * spread).max(part * gain).max(visible);
        let mut falls = Vec::new();
        if least <= 0.0 {
            return falls;
        }
        let Some(first) = self.means.first() else { return falls };
        let (mut high, mut low) = ((0, *first), *first);
        let mut falling = false;
        for (block, mean) in self.means.iter().copied().enumerate() {
            if falling {
                low = low.min(mean);
                if mean >= low + least {
                    falls.push(Swing { block: high.0, size: high.1 - low });
                    falling = false;
                    high = (block, mean);
                }
            } else if mean >= high.1 {
                high = (block, mean);
            } else if mean <= high.1 - least {
                falling = true;
                low = mean;
            }
        }
        falls
    }

    /// How many times as wide the last third spreads as the first, and the block where that begins, unless the level
    /// rose.
    pub fn growth(&self) -> Option<(usize, f64)> {
        let third = self.noises.len() / 3;
        let median = |values: &[f64], from: usize, to: usize| values.get(from..to).and_then(stats::median);
        let count = self.noises.len();
        // The widest of the early blocks: a run that settles at once and then wakes up is as wide as it began.
        let early = stats::quantile(self.noises.get(..third)?, EARLY)?;
        let late = median(&self.noises, count - third, count)?;
        let gain = median(&self.means, count - third, count)? - median(&self.means, 0, third)?;
        // Scores that were all alike at first had no spread to compare with.
        if third < 3 || early <= 0.0 || gain > stats::median(&self.spreads)? {
            return None;
        }
        let change = stats::single_change(&self.noises, 2)?;
        Some((change.index, late / early))
    }
}

/// Standard deviation of the noise around a slow level, whose steps may depend on each other.
///
/// The second difference over k steps, `y[t + k] - 2 y[t] + y[t - k]`, of AR(1) noise has the variance
/// `2 sigma^2 (1 - phi^k) (3 - phi^k)`, and a level that swings slowly adds hardly anything to it. Its ratio for two steps and
/// for one gives phi.
fn noise_of_steps(values: &[f64]) -> Option<f64> {
    let (one, two) =
        (stats::mad_sigma(&second_differences(values, 1))?, stats::mad_sigma(&second_differences(values, 2))?);
    if one <= 0.0 {
        return None;
    }
    let factor = |phi: f64| 2.0 * (1.0 - phi) * (3.0 - phi);
    let ratio = |phi: f64| factor(phi * phi) / factor(phi);
    let measured = (two / one) * (two / one);
    let (mut low, mut high) = (0.0, MAX_CORRELATED);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if ratio(middle) < measured { low = middle } else { high = middle }
    }
    Some(one / factor(low).sqrt())
}

fn second_differences(values: &[f64], distance: usize) -> Vec<f64> {
    let (middle, last) = (values.iter().skip(distance), values.iter().skip(2 * distance));
    values.iter().zip(middle).zip(last).map(|((first, middle), last)| last - 2.0 * middle + first).collect()
}

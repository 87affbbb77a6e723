//! Reward against compute: straight lines through logarithms, and where a line bends.
//!
//! A power law is a straight line of the logarithm of the reward over that of the compute. Rewards that are not
//! positive have no logarithm: then the reward itself is laid over the logarithm, and no power law is claimed.

use crate::context::Context;
use crate::measure::Z_95;
use crate::measure::series::MetricSeries;
use rundown_stats::{self as stats, LeastSquares};
use rundown_vocabulary::Concept;

/// Fewest points of a fit.
const POINTS: usize = 30;
/// Fewest points of a line.
const MIN_POINTS: usize = 5;
/// Most points that are fitted; longer series are averaged in blocks, evenly over the logarithm of the compute.
const MAX_POINTS: usize = 1024;
/// Places where a bend is sought.
const PLACES: usize = 40;

/// Rewards at compute.
pub(crate) struct Pairs<'c, 'a> {
    /// The compute.
    pub compute: &'c MetricSeries<'a>,
    /// The reward.
    pub reward: &'c MetricSeries<'a>,
    /// Natural logarithms of the compute, ascending.
    pub x: Vec<f64>,
    /// Natural logarithms of the reward, or the reward itself.
    pub y: Vec<f64>,
    /// Steps of the pairs.
    pub steps: Vec<f64>,
    /// True when `y` is a logarithm.
    pub log: bool,
}

impl<'c, 'a> Pairs<'c, 'a> {
    /// The reward of each step at the compute until then; `None` without 30 pairs over growing compute.
    pub fn of(context: &'c Context<'a>) -> Option<Self> {
        let compute = context.signal(Concept::Compute)?;
        let reward = context.signal(Concept::Reward)?;
        let rewarded = reward.values.iter().all(|value| *value > 0.0);
        let mut until = compute.steps.iter().zip(compute.values.iter()).peekable();
        let mut latest = f64::NAN;
        let (mut x, mut y, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for (step, value) in reward.steps.iter().zip(reward.values.iter()) {
            while let Some((_, spent)) = until.next_if(|(at, _)| *at <= step) {
                latest = if latest >= *spent { latest } else { *spent };
            }
            if latest > 0.0 {
                x.push(libm::log(latest));
                y.push(if rewarded { libm::log(*value) } else { *value });
                steps.push(*step);
            }
        }
        let mut pairs = Self { compute, reward, x, y, steps, log: rewarded };
        pairs.thin();
        (pairs.x.len() >= POINTS && pairs.decades() > 0.0).then_some(pairs)
    }

    /// Powers of ten that the compute spans.
    pub fn decades(&self) -> f64 {
        let span = self.x.last().zip(self.x.first()).map_or(0.0, |(last, first)| last - first);
        span / std::f64::consts::LN_10
    }

    fn thin(&mut self) {
        if self.x.len() <= MAX_POINTS {
            return;
        }
        let size = self.x.len().div_ceil(MAX_POINTS);
        let means = |values: &[f64]| values.chunks(size).filter_map(stats::mean).collect::<Vec<f64>>();
        (self.x, self.y, self.steps) = (means(&self.x), means(&self.y), means(&self.steps));
    }
}

/// A least-squares line with the error of its slope, widened for autocorrelated residuals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RobustLine {
    /// Slope.
    pub slope: f64,
    /// Value at 0.
    pub intercept: f64,
    /// Standard error of the slope.
    pub error: f64,
    /// Standard deviation of the residuals.
    pub sigma: f64,
    /// Share of the variance that the line explains.
    pub r2: f64,
    /// Sum of squared residuals.
    pub sse: f64,
    /// Independent points, as far as the residuals tell.
    pub size: f64,
}

/// The line through the points; `None` with fewer than five or without any width.
pub(crate) fn line(x: &[f64], y: &[f64]) -> Option<RobustLine> {
    let LeastSquares { slope, intercept, sse, xx, yy, .. } = squares(x, y)?;
    let residuals: Vec<f64> = x.iter().zip(y).map(|(x, y)| y - intercept - slope * x).collect();
    let size = stats::effective_size(&residuals).max(3.0);
    let sigma = (sse / (x.len() - 2) as f64).sqrt();
    let widened = (x.len() as f64 / size).sqrt();
    let r2 = if yy > 0.0 { 1.0 - sse / yy } else { 0.0 };
    Some(RobustLine { slope, intercept, error: widened * sigma / xx.sqrt(), sigma, r2, sse, size })
}

/// The least-squares line alone, without its errors; `None` as for [`line`].
fn squares(x: &[f64], y: &[f64]) -> Option<LeastSquares> {
    if x.len() < MIN_POINTS { None } else { stats::least_squares(x, y) }
}

/// A line that bends once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bend {
    /// First place after the bend.
    pub place: usize,
    /// The line before it.
    pub before: RobustLine,
    /// The line after it.
    pub after: RobustLine,
    /// Gain in fit over the plain line, as an F statistic.
    pub gain: f64,
}

/// The best single bend, each side at least five points; whether it is real is for the caller to say.
pub(crate) fn bend(x: &[f64], y: &[f64]) -> Option<Bend> {
    let whole = line(x, y)?;
    let (first, last) = (*x.first()?, *x.last()?);
    let mut best: Option<(usize, f64)> = None;
    for place in 1..PLACES {
        let at = first + (last - first) * place as f64 / PLACES as f64;
        let clipped: Vec<f64> = x.iter().map(|x| x.min(at)).collect();
        let index = x.partition_point(|x| *x < at);
        let Some(flat) = squares(&clipped, y) else { continue };
        if index >= 5 && x.len() - index >= 5 && best.is_none_or(|(_, sse)| flat.sse < sse) {
            best = Some((index, flat.sse));
        }
    }
    let (place, sse) = best?;
    let before = line(x.get(..place)?, y.get(..place)?)?;
    let after = line(x.get(place..)?, y.get(place..)?)?;
    let gain =
        crate::measure::level::ratio((whole.sse - sse).max(0.0), sse / (after.size + before.size - 3.0).max(1.0));
    Some(Bend { place, before, after, gain })
}

/// Standard errors of the slope before the bend.
const SURE: f64 = 4.0;
/// Least share of the points after the bend, and least factor of the compute from the bend to the end.
const SHARE_AFTER_BEND: f64 = 0.2;
const COMPUTE_AFTER_BEND: f64 = 2.0;

/// The bend of a reward that rose with compute and then did not.
pub(crate) fn saturation_bend(context: &Context<'_>, pairs: &Pairs<'_, '_>) -> Option<Bend> {
    let book = context.rulebook;
    let bent = bend(&pairs.x, &pairs.y)?;
    let share_after = (pairs.x.len() - bent.place) as f64 / pairs.x.len() as f64;
    let span = pairs.x.last()? - pairs.x.get(bent.place)?;
    let rose = bent.before.slope >= SURE * bent.before.error;
    let flat = bent.after.slope + Z_95 * bent.after.error < book.scaling_flat().value * bent.before.slope;
    let real = bent.gain >= book.scaling_bend().value;
    (rose && flat && real && share_after >= SHARE_AFTER_BEND && span >= libm::log(COMPUTE_AFTER_BEND)).then_some(bent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

    #[test]
    fn a_line_and_its_error() {
        let x: Vec<f64> = (0..100).map(|place| f64::from(place) / 10.0).collect();
        let y: Vec<f64> = x.iter().zip(white(3, 100)).map(|(x, noise)| 2.0 + 0.3 * x + 0.1 * noise).collect();
        let line = line(&x, &y).unwrap();
        assert!((line.slope - 0.3).abs() < 3.0 * line.error && line.error < 0.006, "{line:?}");
        assert!(line.r2 > 0.95);
        assert_eq!(super::line(&[1.0; 9], &[1.0; 9]), None);
    }

    #[test]
    fn a_bend_is_found_where_it_is() {
        let x: Vec<f64> = (0..200).map(|place| f64::from(place) / 20.0).collect();
        let y: Vec<f64> = x.iter().zip(white(4, 200)).map(|(x, noise)| x.min(4.0) + 0.1 * noise).collect();
        let bent = bend(&x, &y).unwrap();
        assert!((70..=90).contains(&bent.place) && bent.gain > 100.0, "{bent:?}");
        let straight: Vec<f64> = x.iter().zip(white(5, 200)).map(|(x, noise)| x + 0.1 * noise).collect();
        assert!(bend(&x, &straight).unwrap().gain < 20.0);
    }
}

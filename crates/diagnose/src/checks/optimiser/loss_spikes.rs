//! The policy loss keeps spiking and comes back, or becomes far noisier than it was.
//!
//! # What it checks
//! Single values of the policy loss that stand out from their neighbours by eight times its noise: a note for five or
//! more within 20 points (or 5 % of the run). Or noise from step to step that grows tenfold from the quietest fifth of
//! the run to the last one, to 0.1 and more. A warning where the task suffers, and for a single spike of ten thousand
//! times the noise that is 10 or more. A loss that leaves its level for good is
//! `loss_divergence`.
//!
//! # Why it matters
//! The loss of GRPO is no measure of progress, but each of its spikes is a batch whose ratios or advantages were far from
//! those around it. Many of them come before a divergence.
//!
//! # Evidence needed
//! Policy loss.
//!
//! # Threshold and where it comes from
//! The loss of GRPO is near zero and signed, so a spike is measured against the noise and never against the level: the
//! median absolute deviation of the differences of neighbours, in the run or around the spike, whichever is larger. Eight
//! and not six, because healthy losses have heavier tails than the normal distribution. The cluster is that of
//! `gradient_spikes`. A distance below 0.01 is none: with advantages of about 1, losses are of the order of 0.01 to 1. 0.1 is a tenth of a normalised advantage, which no batch of usual size averages to by chance.
//!
//! # Known false alarms
//! Batches of a few responses have few large advantages. A loss that is summed over tokens follows the lengths. Where a
//! fifth of the steps has no gradient (zero-variance groups) their zeros make any other loss look like a spike: those
//! runs are left to `zero_variance_groups`. A single spike that is the KL of its step times the KL coefficient is left to `kl_spikes`. Where no such groups are logged, a loss of exactly zero is such a step.
//!
//! # What to do
//! Clip gradients lower, lower the learning rate, take larger batches.
//!
//! # References
//! The analyze-experiment guide, "Training Instability Detection"; the wandb-grpo guide, "sudden loss/grad-norm spikes";
//! Hampel 1974.

use crate::advice::{Advice, FindingTexts, LARGER_BATCH, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM};
use crate::context::Context;
use crate::measure::level::ratio;
use crate::measure::series::{MetricSeries, value_at};
use crate::settings::Hyperparameter;
use crate::topics::spike_cluster::SpikeCluster;
use crate::{Check, Code, Evidence, LearningState, Outcome, QuietReason, Relation, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::LossSpikes, Concept::PolicyLoss, run);

/// Noise of a policy loss that single batches do not give: a tenth of a normalised advantage.
const LARGE_NOISE: f64 = 0.1;
/// Distance from its neighbours below which a loss is no spike, however small the noise: a hundredth of a normalised advantage. Ours.
const LEAST_DISTANCE: f64 = 0.01;
/// Relative distance of a loss from its KL term that rounding and the rest of the loss make.
const OF_KL_TERM: f64 = 0.1;
/// Fewest points of a fifth whose noise is measured.
const FIFTH: usize = 20;
/// Share of steps without a gradient from which the usual loss is zero, and any other a spike.
const MANY_DEAD: f64 = 0.2;
/// A spike that counts by itself: so many times the noise, and a loss that no usual advantages and ratios add up to.
const EXTREME: f64 = 1e4;
const EXTREME_LOSS: f64 = 10.0;
/// The last points of a run may be the beginning of a new level.
const OPEN_END: usize = 3;

const WATCH: &str = "fewer than 5 spikes of the loss in 20 steps";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates move the ratios far from one."),
        (Hyperparameter::EpochsPerBatch, "Later updates of a batch have ratios far from one."),
        (Hyperparameter::MinibatchSize, "Later updates of a batch have ratios far from one."),
        (Hyperparameter::Batch, "In a small batch one response can dominate the loss."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&LARGER_BATCH, WATCH),
        Advice::Change(&LOWER_MAX_GRAD_NORM, WATCH),
    ],
    alternative: "A few samples have extreme advantages; the spikes then follow the data, not the optimiser.",
    refute: "The same batches give spikes with the parameters of an earlier checkpoint too.",
    references: &["analyze-experiment guide (training instability)", "wandb-grpo guide (loss spikes)", "Hampel 1974"],
};

fn run(context: &Context<'_>, loss: &MetricSeries<'_>) -> Outcome {
    let spikes = LossSpikes::new(context, loss);
    let noise = NoiseGrowth::of(loss);
    let clustered = spikes.cluster.is_dense(context);
    let unstable = noise.is_some_and(|noise| noise.is_large(context));
    let evidence = evidence(context, &spikes, noise);
    let zeros = loss.values.iter().filter(|value| **value == 0.0).count();
    let mostly_dead = context.zero_variance_steps().max(ratio(zeros as f64, loss.len() as f64)) >= MANY_DEAD;
    let extreme = spikes.extreme(loss);
    if !context.has_enough_points(loss) || mostly_dead || !(clustered || unstable || extreme.is_some()) {
        return Outcome::Quiet(evidence);
    }
    // The KL has a finding then, and what it asks for is all that there is to do.
    if extreme.is_some_and(|place| is_kl_term(context, loss, place)) && !clustered && !unstable {
        return Outcome::QuietBecause(QuietReason::CoveredBy(Code::KlSpikes), evidence);
    }
    let onset = if let Some(place) = extreme {
        loss.step(place)
    } else if clustered {
        loss.step(spikes.cluster.first)
    } else {
        noise.map_or(f64::NAN, |noise| noise.onset)
    };
    let title = if let Some(peak) = extreme.and_then(|place| loss.values.get(place)) {
        rich!("{} spiked to {} at step {} and came back", metric(loss.key()), number(*peak), step(onset))
    } else if clustered {
        rich!(
            "{} spikes of {} cluster around step {} and come back",
            spikes.cluster.count,
            metric(loss.key()),
            step(onset)
        )
    } else {
        let (quiet, last) = noise.map_or((f64::NAN, f64::NAN), |noise| (noise.quiet, noise.last));
        rich!("{} became unstable: its noise went from {} to {}", metric(loss.key()), number(quiet), number(last))
    };
    let may_harm = extreme.is_some() && (!context.improved() || context.likely_lost_since(onset));
    let severity = if context.suffers() || may_harm { Severity::Warning } else { Severity::Note };
    let detail = if extreme.is_some() {
        "A loss ten thousand times its usual spread comes from a few tokens with an extreme ratio; they dominate that update."
    } else if severity == Severity::Note && context.learning.state == LearningState::Improved {
        "Performance improves all the same."
    } else if severity == Severity::Note {
        "Nothing shows so far that performance suffers from it."
    } else {
        "Batches with ratios or advantages far from the usual move the policy, and performance on the task does not improve."
    };
    let mut finding = context.finding(Code::LossSpikes, severity, title, Some(onset), &TEXTS);
    if extreme.is_some() {
        // The KL term is part of the loss.
        finding.explained_by = vec![Code::KlSpikes];
    }
    let norm = context.signal(Concept::GradientNorm);
    Outcome::Found(vec![finding.supported_by(detail, &[Some(loss), norm], evidence, 0.65)])
}

/// True where the loss of a step is the KL of that step times its coefficient.
fn is_kl_term(context: &Context<'_>, loss: &MetricSeries<'_>, place: usize) -> bool {
    let kl = context.signal(Concept::KlToReference);
    let at = kl.and_then(|kl| value_at(&kl.steps, &kl.values, loss.step(place)));
    let term = at.zip(context.kl_coefficient()).map(|(kl, coefficient)| kl * coefficient);
    let value = loss.values.get(place).copied().unwrap_or(f64::NAN);
    term.is_some_and(|term| (value - term).abs() <= OF_KL_TERM * value.abs())
}

fn evidence(context: &Context<'_>, spikes: &LossSpikes, noise: Option<NoiseGrowth>) -> Vec<Evidence> {
    let book = context.rulebook;
    let mut evidence = vec![
        Evidence::new("spikes of the loss", spikes.at.len() as f64, ""),
        Evidence::new("most spikes in a window", spikes.cluster.count as f64, "").above(book.spike_cluster()),
        Evidence::new("largest spike", spikes.largest, "").above(book.loss_spike()),
        Evidence::new("noise of the loss from step to step", spikes.noise, ""),
    ];
    if let Some(noise) = noise {
        evidence
            .push(Evidence::new("growth of the noise", ratio(noise.last, noise.quiet), "").above(book.loss_growth()));
        let large = Evidence::new("noise of the last fifth", noise.last, "");
        evidence.push(large.limited(Relation::Above, LARGE_NOISE, "a tenth of a normalised advantage"));
    }
    evidence
}

/// Single values that stand out from their neighbours.
struct LossSpikes {
    /// Indices, ascending.
    at: Vec<usize>,
    /// Where they are densest.
    cluster: SpikeCluster,
    /// The largest distance from the neighbours, in noise.
    largest: f64,
    /// Standard deviation from step to step, robust.
    noise: f64,
    /// Distance of each value from its neighbours, in noise.
    sizes: Vec<f64>,
}

impl LossSpikes {
    fn new(context: &Context<'_>, loss: &MetricSeries<'_>) -> Self {
        let noise = stats::difference_sigma(&loss.values).unwrap_or(0.0).max(loss.quantum());
        let levels = stats::running_medians(&loss.values, stats::SPIKE_NEIGHBOURS);
        let distances: Vec<f64> = loss.values.iter().zip(&levels).map(|(value, level)| (value - level).abs()).collect();
        let local = stats::running_medians(&distances, stats::SPIKE_NEIGHBOURS);
        let line = context.rulebook.loss_spike().value;
        let sizes = distances.iter().zip(&local).map(|(distance, around)| {
            let size = ratio(*distance, noise.max(stats::sigma_of_mad(*around)));
            // However quiet the loss is otherwise.
            if *distance < LEAST_DISTANCE { size.min(line) } else { size }
        });
        let sizes: Vec<f64> = sizes.collect();
        let end = loss.len().saturating_sub(OPEN_END);
        let at: Vec<usize> = (0..end).filter(|index| sizes.get(*index).is_some_and(|size| *size > line)).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        Self { cluster: SpikeCluster::of(context, &at, loss.len()), at, largest, noise, sizes }
    }

    /// The largest of the spikes that count by themselves.
    fn extreme(&self, loss: &MetricSeries<'_>) -> Option<usize> {
        let size = |place: usize| loss.values.get(place).map_or(0.0, |value| value.abs());
        let is_extreme = |place: &usize| {
            self.sizes.get(*place).is_some_and(|times| *times >= EXTREME) && size(*place) >= EXTREME_LOSS
        };
        let places = self.at.iter().copied().filter(is_extreme);
        places.reduce(|largest, place| if size(place) > size(largest) { place } else { largest })
    }
}

/// Noise from step to step of the quietest fifth and of the last one.
#[derive(Clone, Copy)]
struct NoiseGrowth {
    quiet: f64,
    last: f64,
    /// First step of the first fifth, after the quietest, that is as noisy as half of the last.
    onset: f64,
}

impl NoiseGrowth {
    /// `None` with fewer than 100 points, or where a fifth has no noise at all.
    fn of(loss: &MetricSeries<'_>) -> Option<Self> {
        let size = loss.len() / 5;
        if size < FIFTH {
            return None;
        }
        let noise: Vec<f64> = loss.values.chunks_exact(size).take(5).filter_map(stats::difference_sigma).collect();
        let last = *noise.last()?;
        let quiet = noise.iter().copied().reduce(f64::min).filter(|quiet| *quiet > loss.quantum())?;
        let from = noise.iter().position(|value| *value == quiet)?;
        let place = (from..noise.len()).find(|place| noise.get(*place).is_some_and(|value| *value >= 0.5 * last))?;
        Some(Self { quiet, last, onset: loss.step(place * size) })
    }

    fn is_large(self, context: &Context<'_>) -> bool {
        self.last >= LARGE_NOISE && self.last >= context.rulebook.loss_growth().value * self.quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    /// A loss around zero with noise of 0.01, which spikes by `size` at every fourth of the steps 200 to 219.
    fn spiky(size: f64) -> Synthetic {
        Synthetic::healthy(300).noisy("train/loss", 0.01, move |t| {
            let step = (t * 300.0).round() as u32;
            let spikes = (200..220).contains(&step) && step.is_multiple_of(4);
            let sign = if step.is_multiple_of(8) { -1.0 } else { 1.0 };
            if spikes { sign * size } else { -1e-9 }
        })
    }

    #[test]
    fn a_cluster_of_spikes_in_both_directions_is_a_note_where_it_begins() {
        let finding = spiky(0.3).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(201.0)));
        let harmed = spiky(0.3).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5);
        assert_eq!(harmed.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn noise_that_grows_tenfold_is_reported_and_a_level_that_moves_is_not() {
        let noisy = |growth: f64| {
            let draws = rundown_stats::testing::white(9, 300);
            Synthetic::healthy(300).every("train/loss", 1, move |t| {
                let noise = draws.get((t * 300.0).round() as usize).copied().unwrap_or(0.0);
                0.01 * noise * if t < 0.6 { 1.0 } else { growth }
            })
        };
        let finding = noisy(30.0).finding(&CHECK);
        assert!(finding.title.to_string().contains("unstable"), "{}", finding.title);
        assert!((161.0..=201.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(noisy(3.0).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("train/loss", 0.01, |t| 2.0 * t - 1.0).quiet(&CHECK), "a trend");
    }

    #[test]
    fn noise_single_spikes_and_small_ones_are_quiet() {
        assert!(spiky(0.03).quiet(&CHECK));
        assert!(
            spiky(0.3).noisy("train/frac_reward_zero_std", 0.01, |t| if t < 0.6 { 0.1 } else { 0.97 }).quiet(&CHECK)
        );
        assert!(spiky(0.0).quiet(&CHECK));
        let tiny = Synthetic::healthy(300).noisy("train/loss", 1e-9, |t| {
            let step = (t * 300.0).round() as u32;
            if (200..220).contains(&step) && step.is_multiple_of(4) { 2e-3 } else { -1e-12 }
        });
        assert!(tiny.quiet(&CHECK), "far below the scale of a loss");
        let single = Synthetic::healthy(300)
            .noisy("train/loss", 0.01, |t| if (t * 300.0).round() as u32 == 150 { 5.0 } else { -1e-9 });
        assert!(single.quiet(&CHECK));
        let overflown = || {
            Synthetic::healthy(300)
                .noisy("train/loss", 0.01, |t| if (t * 300.0).round() as u32 == 150 { 4e5 } else { -1e-9 })
        };
        assert_eq!(overflown().finding(&CHECK).severity, Severity::Note, "the task was learned all the same");
        let of_kl = |kl: f64| {
            let spike = move |t: f64| if (t * 300.0).round() as u32 == 150 { kl } else { 0.1 };
            overflown().every("train/kl", 1, spike).config("beta", 0.04)
        };
        assert!(of_kl(1e7).quiet(&CHECK), "the KL has a finding");
        assert!(!of_kl(1e6).quiet(&CHECK), "a tenth of the loss");
        let flat = overflown().every("eval/accuracy", 10, |t| 0.48 + if t == 0.2 { 0.01 } else { 0.0 });
        let finding = flat.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(151.0)));
        // One prompt a step: its group has zero variance in half of the steps of the middle, and in fewer at the end.
        let draws = rundown_stats::testing::white(5, 300);
        let dead = Synthetic::healthy(300).every("train/loss", 1, move |t| {
            let at = (t * 300.0).round() as usize;
            let many = if (0.2..0.8).contains(&t) { 3 } else { 1 };
            if at % 4 < many { 0.0 } else { 2.0 * draws.get(at).copied().unwrap_or(0.0) }
        });
        assert!(dead.quiet(&CHECK), "steps without a gradient");
        let printed = Synthetic::healthy(300).every("train/loss", 1, |t| if t < 0.9 { 0.0 } else { 0.0001 });
        assert!(printed.quiet(&CHECK), "rounded to zero");
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }
}

//! The KL to the reference spikes and comes back.
//!
//! # What it checks
//! Single values of the KL, or short episodes, that stand out by six robust standard deviations of their
//! surroundings and three times their median, and lie above 0.2 nats/token. A note; a warning when three or more
//! pass 0.5 while performance declines, or when they come in a cluster while it does not improve; or when one is ten
//! thousand times the median, unless performance improved and nothing was lost since.
//!
//! # Why it matters
//! One spike that recovers is a token of the k3 estimate, which is exponential in the log-ratio. Many are updates
//! that throw the policy about, and they come before a blow-up.
//!
//! # Evidence needed
//! KL to the reference, per token.
//!
//! # Threshold and where it comes from
//! 0.2: the experiment-analysis guide ("stable below 0.1, spikes above 0.2"). It is shown beside the relative rule,
//! which decides: Hampel's test on the logarithm, or on the values of an estimate that scatters around zero. 0.5:
//! Axolotl's guide. A healthy public run has a single value of 0.93 at a median of 0.02, so that one spike is no warning.
//!
//! # Known false alarms
//! A very unlikely token in one response of the batch. Rounded logs, whose smallest values hide the noise.
//!
//! # What to do
//! Nothing for one that recovers. For many: clip gradients lower, lower the learning rate.
//!
//! # References
//! The experiment-analysis guide; Hampel 1974; Schulman, "Approximating KL divergence" (k3).

use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use std::ops::Range;

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::kl::{self, KlMovement};
use crate::settings::Hyperparameter;
use crate::topics::spike_cluster::SpikeCluster;
use crate::{Check, Code, Evidence, LearningState, Outcome, QuietReason, Severity};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::KlSpikes, run);

/// Spikes at most so many points apart are one episode.
const GAP: usize = 3;
/// How many times the median a spike is that counts by itself, if it is as large as a KL that has run away.
const EXTREME: f64 = 1e4;
/// How many times the median of what follows, and the first value, a peak within the first points is. Ours: a KL that starts high and
/// comes down is no spike.
const EARLY: f64 = 10.0;
const FROM_START: f64 = 3.0;
/// More than one in so many values below zero: the estimate scatters around it.
const SIGNED: usize = 10;
/// The last points of a run may be the beginning of a new level.
const OPEN_END: usize = 3;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates move the policy far from the reference."),
        (Hyperparameter::MaxGradNorm, "The norm to which single gradients are cut."),
        (Hyperparameter::KlCoefficient, "A small KL coefficient lets single updates move far."),
        (Hyperparameter::Batch, "In a small batch one response can dominate."),
    ],
    actions: &[
        Advice::Change(&LOWER_MAX_GRAD_NORM, "no KL above 0.5 in 100 steps"),
        Advice::Change(&LOWER_LEARNING_RATE, "no KL above 0.5 in 100 steps"),
        Advice::Change(&RAISE_KL_COEFFICIENT, "no KL above 0.5 in 100 steps"),
    ],
    alternative: "Single tokens dominate the estimate; the policy itself did not move.",
    refute: "The median over tokens of the log-ratio to the reference does not rise at these steps.",
    references: &["experiment-analysis guide (KL stable < 0.1, spikes > 0.2)", "Hampel 1974"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(moved) = context.moved() else { return Outcome::Skipped(kl::need(context)) };
    let spikes = spikes(moved, context.rulebook.kl_watch().value);
    let evidence = evidence(context, moved, &spikes);
    let enough = moved.kl.len() as f64 >= context.rulebook.points_needed().value;
    let Some((first, highest)) = extremes(&moved.values, &spikes).filter(|_| enough) else {
        if moved.limit.is_some() {
            return Outcome::Skipped(kl::need(context));
        }
        let reason = if enough { QuietReason::NoSpike } else { QuietReason::TooFewPoints };
        return Outcome::QuietBecause(reason, evidence);
    };
    let onset = moved.kl.step(first);
    let peak = number(moved.kl.values.get(highest).copied().unwrap_or(f64::NAN));
    let at = step(moved.kl.step(highest));
    let title = match spikes.len() {
        1 => rich!("KL to the reference spiked to {} nats per token at step {} and came back", peak, at),
        count => rich!("KL to the reference spiked {} times, to {} nats per token at step {}", count, peak, at),
    };
    let is_extreme = is_extreme(context, moved, &spikes);
    let severity = severity(context, moved, &spikes, is_extreme);
    let detail = if is_extreme {
        "A KL this far off comes from a few tokens with an extreme log-ratio, which the estimate exponentiates. Where the KL is part of the loss, they dominate that update."
    } else if severity == Severity::Note {
        "Between the spikes the KL is back at its level. Inspect the samples of such a step; no change of settings is needed."
    } else {
        "Single updates move the policy far from the reference, and performance on the task does not improve."
    };
    let mut finding = context.finding(Code::KlSpikes, severity, title, Some(onset), &TEXTS);
    finding.end = spikes.last().map(|last| moved.kl.step(last.end - 1));
    if severity == Severity::Note {
        // Nothing suffers from them.
        finding.actions.clear();
    }
    let norm = context.signal(Concept::GradientNorm);
    let shown: Vec<_> = std::iter::once(&moved.kl).chain(norm).collect();
    let mut finding = finding.supported_by(detail, &shown, evidence, 0.7);
    moved.note_limit(&mut finding);
    Outcome::Found(vec![finding])
}

/// True for an estimate that scatters around zero.
fn is_signed(moved: &KlMovement<'_>) -> bool {
    let negative = moved.kl.values.iter().filter(|value| **value < 0.0).count();
    SIGNED * negative > moved.values.len()
}

/// Episodes of values far above their surroundings and above `line`, which ended before the run did.
fn spikes(moved: &KlMovement<'_>, line: f64) -> Vec<Range<usize>> {
    // Of values around zero neither a multiple of the median nor the logarithm tells a spike from noise.
    let is_signed = is_signed(moved);
    let line = if is_signed { line.max(stats::SPIKE_SIGMAS * moved.kl.noise().point) } else { line };
    if moved.values.iter().all(|value| *value <= line) {
        return Vec::new();
    }
    let value = |index: usize| moved.values.get(index).copied().unwrap_or(f64::NAN);
    let is_above_neighbours = |index: usize| {
        let from = index.saturating_sub(stats::SPIKE_NEIGHBOURS);
        let window = moved.values.iter().skip(from).take(2 * stats::SPIKE_NEIGHBOURS + 1);
        let window: Vec<f64> = window.copied().collect();
        let spread = || stats::mad_sigma(&window).unwrap_or(0.0);
        let line = |middle: f64| match is_signed {
            true => (middle + stats::SPIKE_SIGMAS * spread()).max(stats::SPIKE_RATIO * middle),
            false => middle,
        };
        stats::median(&window).is_some_and(|middle| value(index) > line(middle))
    };
    // A peak within the first points widens the spread of its neighbours, which come down from it, so far that it does not stand out.
    let later = moved.values.get(stats::SPIKE_NEIGHBOURS..).and_then(stats::median).unwrap_or(f64::NAN);
    let is_early = |index: usize| {
        (1..stats::SPIKE_NEIGHBOURS).contains(&index)
            && value(index) >= EARLY * later
            && value(index) >= FROM_START * value(0)
    };
    let found = stats::hampel_log(&moved.kl.values);
    let stands_out = |index: usize| (is_signed || found.binary_search(&index).is_ok()) && is_above_neighbours(index);
    let up: Vec<usize> = (0..moved.values.len())
        .filter(|index| value(*index) > line && (stands_out(*index) || is_early(*index)))
        .collect();
    // The logarithm is taken of the KL as it was logged: without its offset it is near zero between the spikes.
    let mut episodes = stats::episodes(&up, GAP);
    episodes.retain(|episode| episode.end + OPEN_END <= moved.values.len());
    episodes
}

/// The first point of all, and the highest.
fn extremes(values: &[f64], spikes: &[Range<usize>]) -> Option<(usize, usize)> {
    let highest = spikes
        .iter()
        .cloned()
        .flatten()
        .reduce(|best, index| if values.get(index) > values.get(best) { index } else { best });
    Some((spikes.first()?.start, highest?))
}

fn severity(context: &Context<'_>, moved: &KlMovement<'_>, spikes: &[Range<usize>], is_extreme: bool) -> Severity {
    let book = context.rulebook;
    let line = book.kl_warning().value;
    let high = |episode: &&Range<usize>| {
        moved.values.get((*episode).clone()).is_some_and(|part| part.iter().any(|value| *value > line))
    };
    let starts: Vec<usize> = spikes.iter().filter(high).map(|episode| episode.start).collect();
    if is_extreme {
        // What was learned and not lost since was no more than interrupted.
        let step = spikes.first().map_or(f64::NAN, |first| moved.kl.step(first.start));
        let is_harmless = context.improved() && !context.likely_lost_since(step);
        return if is_harmless { Severity::Note } else { Severity::Warning };
    }
    let declined = context.learning.state == LearningState::Declined;
    let many = starts.len() as f64 >= book.kl_spike_count().value;
    let clustered = || SpikeCluster::of(context, &starts, moved.values.len()).is_dense(context);
    if !context.is_early() && (declined && many || context.suffers() && clustered()) {
        Severity::Warning
    } else {
        Severity::Note
    }
}

/// True for a spike of ten thousand times the median: a few tokens with an extreme log-ratio make it, and dominate their update. An
/// estimate around zero has no usual value to compare with, and exponentiates nothing.
fn is_extreme(context: &Context<'_>, moved: &KlMovement<'_>, spikes: &[Range<usize>]) -> bool {
    if is_signed(moved) {
        return false;
    }
    let usual = stats::median(&moved.kl.values).unwrap_or(f64::NAN);
    let line = (EXTREME * usual).max(context.rulebook.kl_critical().value);
    extremes(&moved.values, spikes).and_then(|(_, highest)| moved.values.get(highest)).is_some_and(|peak| *peak >= line)
}

fn evidence(context: &Context<'_>, moved: &KlMovement<'_>, spikes: &[Range<usize>]) -> Vec<Evidence> {
    let book = context.rulebook;
    let unit = "nats/token";
    let of_spikes = extremes(&moved.values, spikes).and_then(|(_, at)| moved.kl.values.get(at).copied());
    let (name, highest) = of_spikes.map_or(("highest KL", moved.kl.max()), |highest| ("highest spike", highest));
    let spikes = [
        Evidence::new("spikes that came back", spikes.len() as f64, ""),
        Evidence::new(name, highest, unit).above(book.kl_watch()),
        Evidence::new("median KL", stats::median(&moved.kl.values).unwrap_or(f64::NAN), unit),
    ];
    spikes.into_iter().chain(moved.limit_evidence()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};

    fn spiky(steps: usize, at: &'static [u32], to: f64) -> Synthetic {
        let total = steps as f64;
        Synthetic::healthy(steps).noisy("train/kl", 0.01, move |t| {
            0.08 * saturating(t) + if at.contains(&((t * total).round() as u32)) { to } else { 0.0 }
        })
    }

    #[test]
    fn spikes_that_recover_are_a_note_at_their_first_step() {
        let finding = spiky(300, &[90, 91, 92, 150], 0.4).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(91.0)));
        assert!(finding.actions.is_empty(), "no change is needed");
        assert!(finding.title.to_string().contains("2 times"), "{}", finding.title);
    }

    #[test]
    fn a_spike_at_the_first_step_hides_no_other() {
        let finding = spiky(300, &[0, 40, 90, 140, 190, 240], 2.0).finding(&CHECK);
        assert!(finding.title.to_string().contains("5 times"), "{}", finding.title);
    }

    #[test]
    fn a_peak_within_the_first_points_is_told_as_the_highest() {
        let first = [0.08, 0.3, 2.1, 1.0, 0.6, 0.25, 0.15, 0.1, 0.08, 0.07];
        let run = Synthetic::healthy(300).every("train/kl", 1, move |t| {
            let place = (t * 300.0).round() as usize;
            let late = if place == 150 { 0.9 } else { 0.05 + 0.002 * libm::sin(900.0 * t) };
            first.get(place).copied().unwrap_or(late)
        });
        let finding = run.finding(&CHECK);
        assert!(finding.title.to_string().contains("2 times, to 2.1 nats"), "{}", finding.title);
        assert!(finding.evidence.iter().any(|number| number.value == 2.1), "{:?}", finding.evidence);
    }

    #[test]
    fn many_large_ones_while_the_task_declines_are_a_warning() {
        let run = spiky(300, &[90, 120, 150, 200, 240], 2.0).every("eval/accuracy", 10, |t| 0.6 - 0.4 * t);
        let finding = run.finding(&CHECK);
        assert!(finding.severity == Severity::Warning && !finding.actions.is_empty());
    }

    #[test]
    fn low_ones_a_new_level_and_a_slow_rise_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(spiky(300, &[90], 0.1).quiet(&CHECK));
        let level = Synthetic::healthy(300).noisy("train/kl", 0.02, |t| 0.05 + 0.4 * jump(t, 0.5));
        assert_eq!(level.quiet_reason(&CHECK), Some(QuietReason::NoSpike));
        assert!(spiky(300, &[298, 299], 2.0).quiet(&CHECK), "it may be a new level");
    }

    #[test]
    fn an_estimate_that_scatters_around_zero_has_no_spikes_but_those_beyond_its_noise() {
        let run = |spike: f64| {
            // Below zero, so that the noise may have either sign.
            let level = move |t: f64| if t == 0.5 { spike } else { -1e-9 };
            let flat = |t: f64| 0.48 + if t == 0.2 { 0.01 } else { 0.0 };
            Synthetic::healthy(300).noisy("train/kl", 0.25, level).every("eval/accuracy", 10, flat)
        };
        assert_eq!(run(-1e-9).quiet_reason(&CHECK), Some(QuietReason::NoSpike));
        let finding = run(9.0).finding(&CHECK);
        assert!(finding.title.to_string().contains("came back"), "{}", finding.title);
        assert_eq!(
            finding.severity,
            Severity::Note,
            "the usual value is nothing, of which any other is ten thousand times"
        );
    }

    #[test]
    fn without_kl_it_is_skipped() {
        assert!(matches!(Synthetic::healthy(300).without("train/kl").check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_spike_of_ten_thousand_times_the_median_is_a_warning_unless_the_task_is_learned_all_the_same() {
        let spiked = |size: f64, accuracy: fn(f64) -> f64| {
            Synthetic::healthy(300)
                .noisy("train/kl", 0.002, move |t| if t == 0.5 { size } else { 0.02 })
                .every("eval/accuracy", 10, accuracy)
                .finding(&CHECK)
        };
        let flat = |t: f64| 0.48 + if t == 0.2 { 0.01 } else { 0.0 };
        assert_eq!(spiked(5e5, flat).severity, Severity::Warning);
        assert_eq!(spiked(3.0, flat).severity, Severity::Note);
        assert_eq!(spiked(5e5, |t| 0.4 + 0.4 * t).severity, Severity::Note);
        let lost = |t: f64| if t < 0.52 { 0.4 + 0.8 * t } else { 0.55 };
        assert_eq!(spiked(5e5, lost).severity, Severity::Warning);
    }
}

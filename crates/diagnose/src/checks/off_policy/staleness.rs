//! Training runs on samples that are too old.
//!
//! # What it checks
//! The mean age of the samples in policy updates: above 2 and growing, or with an effective sample size below 0.3, or
//! while the task declines; the oldest sample above 8; more than 10 % of the samples dropped for their age. A
//! warning when the task gains nothing from then on, a note otherwise.
//!
//! # Why it matters
//! Asynchronous training trades age for throughput. Up to some updates importance weights make up for it; beyond, most
//! of the batch says nothing about the policy of today, or is thrown away unused.
//!
//! # Evidence needed
//! Mean or largest staleness, or the share of dropped samples.
//!
//! # Threshold and where it comes from
//! 2: one to two updates are usual. 8: prime-rl's `max_off_policy_steps`. 10 %: a tenth of the generation is wasted.
//!
//! # Known false alarms
//! Pipelines that are built for old samples (decoupled PPO) learn with an age of 8; while they do, it is a note.
//!
//! # What to do
//! Halve the allowed lag, sync the weights more often; run one test with a lag of 0.
//!
//! # References
//! prime-rl docs (max_off_policy_steps); AReaL docs (max_head_offpolicyness); verl rollout_corr.md.

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, NewValue, SHORTER_LAG};
use crate::context::Context;
use crate::measure::growth::Growth;
use crate::measure::increase_onset::increase_onset;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::threshold_rule::stretch;
use crate::{Check, Code, Evidence, LearningState, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, step};
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::Staleness, run);

/// A growth that ends below this many updates does not count.
const FRESH: f64 = 1.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::EpochsPerBatch, "Each update makes the queued samples one version older.")],
    actions: &[
        Advice::Change(&SHORTER_LAG, "mean staleness below 2, gradient norm flat"),
        Advice::Set {
            keys: &["off_policy_mask_threshold"],
            words: "threshold that masks samples far off the policy",
            to: NewValue::Number(0.5),
            texts: [
                "samples that say nothing have no gradient",
                "less of the batch counts",
                "effective sample size above 0.3",
            ],
        },
        Advice::Do([
            "Sync the weights to the samplers more often",
            "fresher samples",
            "sampling pauses at each sync",
            "mean staleness below 2",
        ]),
        Advice::Change(&LOWER_LEARNING_RATE, "effective sample size above 0.3"),
    ],
    alternative: "The decline has another cause, and the samples were as old before it.",
    refute: "A run with a lag of 0 declines all the same.",
    references: &["prime-rl docs (max_off_policy_steps 8)", "AReaL docs (max_head_offpolicyness: 0 to test)"],
};

/// What was found wrong.
struct Signs {
    /// Where the mean age is above what is usual.
    old: Option<f64>,
    /// Where the mean age began to grow.
    grew: Option<f64>,
    /// Where the oldest is above all recipes.
    oldest: Option<f64>,
    /// Where too many are dropped.
    dropped: Option<f64>,
}

fn run(context: &Context<'_>) -> Outcome {
    let concepts = [Concept::Staleness, Concept::StalenessMax, Concept::DroppedStale];
    let [mean, largest, dropped] = concepts.map(|concept| context.signal(concept));
    // What is above 1 is a number of samples and no share.
    let dropped = dropped.filter(|signal| signal.max() <= 1.0);
    if mean.is_none() && largest.is_none() && dropped.is_none() {
        return Outcome::Skipped(context.need(&[Concept::Staleness]));
    }
    let book = context.rulebook;
    let thresholds = [book.staleness_mean(), book.staleness_limit(), book.staleness_dropped()];
    let names = ["mean age of the samples at the end", "oldest sample at the end", "share dropped at the end"];
    let mut evidence = Vec::new();
    for ((signal, name), threshold) in [mean, largest, dropped].into_iter().zip(names).zip(thresholds) {
        evidence.extend(signal.map(|signal| Evidence::new(name, signal.end_level(), "").above(threshold)));
    }
    let beyond = |signal: Option<&MetricSeries<'_>>, line: f64| {
        let signal = signal.filter(|signal| context.has_enough_points(signal))?;
        stretch(signal, 0, Direction::Up, line).map(|stretch| stretch.from)
    };
    let limit = book.staleness_limit().value;
    let signs = Signs {
        old: beyond(mean, book.staleness_mean().value),
        grew: mean.and_then(|signal| growth(context, signal)),
        oldest: beyond(largest, limit).or(beyond(mean, limit)),
        dropped: beyond(dropped, book.staleness_dropped().value),
    };
    let Some((severity, onset)) = assess(context, &signs) else { return Outcome::Quiet(evidence) };
    let what = match (mean, largest, dropped) {
        (Some(mean), _, _) if signs.old.is_some() || signs.grew.is_some() => {
            rich!("Samples are {} updates old on average", number(mean.end_level()))
        }
        (_, Some(largest), _) if signs.oldest.is_some() => {
            rich!("The oldest samples are {} updates old", number(largest.end_level()))
        }
        (_, _, Some(dropped)) => rich!("{} of the samples are dropped for their age", percent(dropped.end_level())),
        _ => "Samples are old".into(),
    };
    let title = rich!("{}, beginning at step {}", what, step(onset));
    let finding = context.finding(Code::Staleness, severity, title, Some(onset), &TEXTS);
    let detail = "Old samples say little about the current policy; importance weights correct for a lag of a few updates, not of many.";
    let size = context.signal(Concept::MismatchSampleSize);
    Outcome::Found(vec![finding.supported_by(detail, &[mean, largest, dropped, size], evidence, 0.65)])
}

/// Step at which the mean age began to grow, if it grew beyond its noise.
fn growth(context: &Context<'_>, mean: &MetricSeries<'_>) -> Option<f64> {
    let growth = Growth::of(mean).filter(|_| context.has_enough_points(mean))?;
    let grew = growth.times() >= context.rulebook.staleness_growth().value
        && growth.z >= context.rulebook.learning_z().value
        && growth.last > FRESH;
    grew.then(|| mean.step(increase_onset(&mean.values)))
}

fn assess(context: &Context<'_>, signs: &Signs) -> Option<(Severity, f64)> {
    let declined = context.learning.state == LearningState::Declined;
    let scarce = context.signal(Concept::MismatchSampleSize).is_some_and(|signal| {
        stretch(signal, 0, Direction::Down, context.rulebook.mismatch_sample_size().value).is_some()
    });
    let aged = signs.old.is_some() && (signs.grew.is_some() || declined || scarce);
    if !aged && signs.oldest.is_none() && signs.dropped.is_none() {
        return None;
    }
    let starts = [signs.grew.filter(|_| aged), signs.oldest, signs.dropped];
    let onset = starts.into_iter().flatten().reduce(f64::min).or(signs.old)?;
    let wasteful = signs.dropped.is_some() && !context.improved();
    let severity = if context.stalls_since(onset) || wasteful { Severity::Warning } else { Severity::Note };
    Some((severity, onset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    fn failing(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |t| 1.4 - 0.8 * jump(t, 0.6)).every(
            "eval/accuracy",
            10,
            |t| 0.5 - 0.4 * jump(t, 0.6),
        )
    }

    #[test]
    fn samples_that_age_are_found_where_it_begins() {
        let finding = failing(300).noisy("staleness/mean", 0.2, |t| 1.0 + 4.0 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((147.0..=155.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let dropped = failing(300).noisy("staleness/dropped_share", 0.02, |t| 0.02 + 0.3 * jump(t, 0.5));
        assert!(dropped.finding(&CHECK).title.to_string().contains("dropped"));
    }

    #[test]
    fn usual_ages_and_learning_runs_are_quiet_or_a_note() {
        assert!(failing(300).noisy("staleness/mean", 0.2, |_| 1.0).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("staleness/mean", 0.2, |_| 3.0).quiet(&CHECK));
        let old = Synthetic::healthy(300).noisy("staleness/max", 0.5, |_| 12.0);
        assert_eq!(old.finding(&CHECK).severity, Severity::Note);
        let counts = failing(300).noisy("staleness/dropped_share", 3.0, |_| 12.0);
        assert!(matches!(counts.check(&CHECK), Outcome::Skipped(_)), "a number of samples is no share");
        assert!(matches!(failing(300).check(&CHECK), Outcome::Skipped(_)));
    }
}

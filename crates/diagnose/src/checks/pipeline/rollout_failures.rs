//! Rollouts fail and are missing from the batch.
//!
//! # What it checks
//! Failed rollouts that keep coming: a warning when, over a lasting part of the run, 5 % of the rollouts fail. Where their
//! number is logged, a tenth of the steps must have any, and it is a note where a share beside it says that fewer than 5 % of
//! the rollouts failed. In event logs, failures must exceed the limit with their whole 95 % interval; they are a
//! note from the error rate of 1 % on. A few single failures are a note.
//!
//! # Why it matters
//! What fails is not a fair sample: long and hard episodes fail first, so the policy is trained on the easy rest, and
//! groups become smaller than the advantages assume.
//!
//! # Evidence needed
//! The number or the share of failed rollouts per step, or rollout events.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide wants none or minimal; prime-rl's monitoring skill treats more than 5 % as suspicious.
//!
//! # Known false alarms
//! Failures that are retried and succeed, where the log counts attempts.
//!
//! # What to do
//! Read the error texts of the first failing steps. Look whether the failures come with slow reloads or long episodes.
//!
//! # References
//! The analyze-experiment guide, "Rollout Reliability"; prime-rl's monitoring skill.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::error_texts::{is_of_rollout, name_most_frequent};
use crate::topics::event_rates::{self, complement, is_long_enough, is_share, rates};
use crate::topics::threshold_rule::{LimitOf, Stretch, ThresholdRule, stretch};
use crate::{Check, Code, Evidence, Finding, Outcome, Rulebook, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::RolloutFailures, run);

/// Steps with failures that are worth a note.
const SINGLE: usize = 3;
const DETAIL: &str = "What fails is missing from the batch, and long, hard episodes fail first.";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Read the error texts of the first failing steps",
            "tells crashes of the environment from time-outs",
            "none",
            "no failed rollouts",
        ]),
        Advice::Do([
            "Retry a failed rollout, or drop its whole group",
            "groups keep the size that the advantages assume",
            "more sampling",
            "trajectories per step as asked for",
        ]),
    ],
    alternative: "Attempts are counted, and retries succeed.",
    refute: "The trajectories of a step are as many as were asked for.",
    references: &["analyze-experiment guide (failed rollouts 0 or minimal)", "prime-rl monitoring skill (5 %)"],
};

/// For shares; the texts are those of counts.
const RULE: ThresholdRule = ThresholdRule {
    code: Code::RolloutFailures,
    concept: Concept::FailedRollouts,
    wrong: Direction::Up,
    note: None,
    warning: Rulebook::rollout_failed_share,
    critical: None,
    warm_up: 0.0,
    title: "The share of failed rollouts is",
    detail: DETAIL,
    words: TEXTS,
    confidence: 0.8,
};

fn run(context: &Context<'_>) -> Outcome {
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    for signal in context.signals(Concept::FailedRollouts).iter().filter(|signal| !signal.is_empty()) {
        if is_share(signal) {
            match event_rates::beyond(&RULE, context, signal) {
                Some(stretch) => findings.push(RULE.finding(context, signal, stretch)),
                None => quiet.push(RULE.calm(context, signal)),
            }
            continue;
        }
        let failing = failing_steps(signal);
        let share = stats::mean(&failing.values).unwrap_or(0.0);
        match counted(context, signal, &failing) {
            Some(finding) => findings.push(finding),
            None => quiet.push(
                Evidence::new(rich!("share of steps with {}", metric(signal.key())), share, "")
                    .above(context.rulebook.rollout_failed_steps()),
            ),
        }
    }
    for signal in context.signals(Concept::CompletedRollouts).iter().filter(|signal| !signal.is_empty()) {
        let failed = complement(signal);
        // A share of a step is that of few rollouts, which one failure takes above the error rate of 1 %.
        let note: Option<LimitOf> =
            if event_rates::are_outcomes(&signal.values) { Some(Rulebook::error_rate) } else { None };
        let rule = ThresholdRule { note, ..RULE };
        match event_rates::beyond(&rule, context, &failed) {
            Some(stretch) => {
                let mut finding = rule.finding(context, &failed, stretch);
                finding.trend = vec![signal.trend()];
                findings.push(finding);
            }
            None => quiet.push(Evidence::new(
                rich!("mean of {}", metric(signal.key())),
                stats::mean(&signal.values).unwrap_or(f64::NAN),
                "",
            )),
        }
    }
    let mut outcome = match (findings.is_empty(), quiet.is_empty()) {
        (false, _) => Outcome::Found(findings),
        (true, false) => Outcome::Quiet(quiet),
        (true, true) => Outcome::Skipped(context.need(&[Concept::FailedRollouts])),
    };
    name_most_frequent(context, &mut outcome, is_of_rollout);
    outcome
}

/// 1 for a step with any failure, 0 for one without.
fn failing_steps<'a>(signal: &MetricSeries<'a>) -> MetricSeries<'a> {
    signal.map(|value| f64::from(u8::from(value > 0.0)))
}

fn counted(context: &Context<'_>, signal: &MetricSeries<'_>, failing: &MetricSeries<'_>) -> Option<Finding> {
    if !is_long_enough(context, signal) {
        return None;
    }
    let book = context.rulebook;
    let lasting = stretch(&rates(failing), 0, Direction::Up, book.rollout_failed_steps().value)
        .and_then(|stretch| refined(failing, stretch));
    let steps = failing.values.iter().filter(|value| **value > 0.0).count();
    if lasting.is_none() && steps < SINGLE {
        return None;
    }
    let total: f64 = signal.values.iter().sum();
    let onset = lasting.map_or_else(|| first_failing(failing, 0), |stretch| stretch.from);
    let share = lasting.and_then(|stretch| share_of_rollouts(context, stretch));
    let is_material = share.is_none_or(|share| share >= book.rollout_failed_share().value);
    let severity = if lasting.is_some() && is_material { Severity::Warning } else { Severity::Note };
    let title = match (lasting, share) {
        (Some(stretch), Some(share)) => rich!(
            "{} of the rollouts fail from step {}, in {} of the steps",
            percent(share),
            step(onset),
            percent(stretch.level)
        ),
        (Some(stretch), None) => {
            rich!("Rollouts fail in {} of the steps from step {}", percent(stretch.level), step(onset))
        }
        (None, _) => rich!("Rollouts failed in {} single steps, first at step {}", steps, step(onset)),
    };
    let mut evidence = vec![
        Evidence::new("share of steps with failures", lasting.map_or(f64::NAN, |stretch| stretch.level), "")
            .above(book.rollout_failed_steps()),
        Evidence::new("share of rollouts that failed", share.unwrap_or(f64::NAN), "")
            .above(book.rollout_failed_share()),
        Evidence::new("steps with failures", steps as f64, ""),
        Evidence::new("failed rollouts in all", total, ""),
        Evidence::new("largest number in a step", signal.max(), ""),
    ];
    evidence.retain(|number| number.value.is_finite());
    let mut finding = context.finding(Code::RolloutFailures, severity, title, Some(onset), &TEXTS);
    finding.end = lasting.map_or(Some(signal.last_step()), |stretch| Some(stretch.to));
    let detail = rich!("{} rollouts failed. {}", number(total), DETAIL);
    Some(finding.supported_by(detail, &[signal], evidence, 0.85))
}

/// Share of the rollouts of a stretch that failed, where a metric tells it. Not of the trajectories of a step: one rollout
/// may give several.
fn share_of_rollouts(context: &Context<'_>, stretch: Stretch) -> Option<f64> {
    let mean_within = |signal: &MetricSeries<'_>| {
        let from = signal.steps.partition_point(|step| *step < stretch.from);
        let to = signal.steps.partition_point(|step| *step <= stretch.to);
        stats::mean(signal.values.get(from..to)?)
    };
    let failed =
        context.signals(Concept::FailedRollouts).iter().filter(|signal| is_share(signal)).filter_map(mean_within);
    let completed = context.signals(Concept::CompletedRollouts).iter().filter_map(mean_within);
    failed.chain(completed.map(|share| 1.0 - share)).reduce(f64::max)
}

/// The stretch with its first failing step, sought around the block in which it began; `None` where it has too few.
fn refined(failing: &MetricSeries<'_>, mut stretch: Stretch) -> Option<Stretch> {
    let start = failing.steps.partition_point(|step| *step < stretch.from);
    let to = if stretch.holds { failing.len() } else { failing.steps.partition_point(|step| *step <= stretch.to) };
    let size = (failing.len() / rates(failing).len().max(1)).max(1);
    let around = failing.values.get(start.saturating_sub(size)..(start + 2 * size).min(failing.len()))?;
    let change = stats::single_change(around, 3).filter(|change| change.after > change.before);
    let split = change.map_or(start, |change| start.saturating_sub(size) + change.index);
    let from = walked_back(failing, split, stretch.level);
    let within = failing.values.get(from..to.max(from))?;
    let count = within.iter().filter(|value| **value > 0.0).count();
    stretch.from = first_failing(failing, from);
    stretch.level = stats::mean(within)?;
    (count >= SINGLE).then_some(stretch)
}

/// The first failing step of the same series of failures: gaps up to three times the usual one belong to it.
fn walked_back(failing: &MetricSeries<'_>, split: usize, rate: f64) -> usize {
    let gap = (3.0 / rate.clamp(0.05, 1.0)).ceil() as usize;
    let before = failing.values.iter().enumerate().take(split).rev().filter(|(_, value)| **value > 0.0);
    before.map(|(place, _)| place).fold(split, |from, place| if from - place <= gap { place } else { from })
}

fn first_failing(failing: &MetricSeries<'_>, from: usize) -> f64 {
    let place = failing.values.iter().skip(from).position(|value| *value > 0.0);
    failing.step(from + place.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    #[test]
    fn failures_that_keep_coming_are_found_where_they_begin() {
        let failed = |t: f64| if (t * 250.0) as u32 % 3 == 1 { 4.0 * jump(t, 0.4) } else { 0.0 };
        let finding = Synthetic::healthy(250).noisy("rollout/failed_count", 0.0, failed).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((98.0..=106.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(finding.title.to_string().contains("33 %"), "{}", finding.title);
    }

    #[test]
    fn the_share_of_the_rollouts_decides_where_it_is_known() {
        let counted = |failed: f64| {
            let failed = move |t: f64| if ((t * 250.0).round() as u32).is_multiple_of(3) { failed } else { 0.0 };
            Synthetic::healthy(250).noisy("rollout/failed_count", 0.0, failed)
        };
        let with_share = |share: f64| {
            let run = counted(8.0).noisy("rollout/error_frac", 0.0, move |_| share);
            let Outcome::Found(findings) = run.check(&CHECK) else { return Vec::new() };
            findings.into_iter().map(|finding| (finding.severity, finding.title.to_string())).collect()
        };
        let few = with_share(0.01);
        assert_eq!(few.len(), 1);
        assert!(few[0].0 == Severity::Note && few[0].1.contains("1 % of the rollouts"), "{few:?}");
        assert!(with_share(0.1).iter().all(|(severity, _)| *severity == Severity::Warning));
        assert_eq!(counted(8.0).finding(&CHECK).severity, Severity::Warning, "nothing tells how many there were");
        let events = |every: usize| {
            let success = move |t: f64| f64::from(u8::from(!((t * 2000.0).round() as usize).is_multiple_of(every)));
            Synthetic::new(2000).noisy("axiom/rollout/success", 0.0, success).finding(&CHECK).severity
        };
        assert_eq!((events(50), events(10)), (Severity::Note, Severity::Warning));
    }

    #[test]
    fn single_failures_are_a_note_at_most() {
        let rare = |t: f64| if (t * 300.0) as u32 % 75 == 20 { 1.0 } else { 0.0 };
        let finding = Synthetic::healthy(300).noisy("rollout/failed", 0.0, rare).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        let one = |t: f64| if (t * 300.0) as u32 == 20 { 1.0 } else { 0.0 };
        assert!(Synthetic::healthy(300).noisy("rollout/failed", 0.0, one).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("rollout/failed", 0.0, |_| 0.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }
}

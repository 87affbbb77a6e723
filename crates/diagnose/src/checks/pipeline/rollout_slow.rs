//! Rollouts take too long: the slowest of a step decide when the step can go on.
//!
//! # What it checks
//! The 95th percentile of the duration of a rollout: a warning when it lies above 120 s. In exported event logs, the
//! share of single rollouts above 120 s must exceed 5 % with its whole 95 % interval; in logged metrics, the running
//! median of the percentile (or of the slowest rollout of a step) must stay above for a tenth of the run.
//!
//! # Why it matters
//! A synchronous step waits for its slowest rollout, and an asynchronous one trains on older samples.
//!
//! # Evidence needed
//! The duration of single rollouts (event logs), or its 95th percentile or maximum per step.
//!
//! # Threshold and where it comes from
//! 120 s: the experiment-analysis guide (median below 60 s, 95th percentile below 120 s). It is meant for episodes of
//! a few turns; set your own figure for longer ones.
//!
//! # Known false alarms
//! Long episodes by design. The slowest rollout of a step lies above the 95th percentile, so a value just above the
//! threshold may be fine.
//!
//! # What to do
//! Look at the sampling engine first (tokens per second, waiting requests, cache), then at the environment.
//!
//! # References
//! The experiment-analysis guide, "Pipeline Performance".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::event_rates::{self, are_outcomes};
use crate::topics::threshold_rule::{Stretch, ThresholdRule};
use crate::{Check, Code, Evidence, Finding, Outcome, Rulebook, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::RolloutSlow, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::MaxResponse, "The max completion length limits the longest generation."),
        (Hyperparameter::Generations, "More responses at once share the same engine."),
    ],
    actions: &[
        Advice::Do([
            "Compare the engine's output tokens per second with its usual figure",
            "tells the engine from the environment",
            "none",
            "95th percentile below 120 s",
        ]),
        Advice::Do([
            "Set a time limit for a rollout and count those that reach it",
            "one slow rollout no longer holds up the step",
            "long episodes are lost, and not at random",
            "95th percentile below 120 s, few rollouts cut off",
        ]),
    ],
    alternative: "Episodes are long by design, or responses grew because the task asks for it.",
    refute: "Seconds per generated token are as they were when rollouts were fast.",
    references: &["experiment-analysis guide (p95 below 120 s)"],
};

const RULE: ThresholdRule = ThresholdRule {
    code: Code::RolloutSlow,
    concept: Concept::RolloutTimeP95,
    wrong: Direction::Up,
    note: None,
    warning: Rulebook::rollout_p95,
    critical: None,
    warm_up: 0.0,
    title: "The slowest rollouts of a step take",
    detail: "a step waits for its slowest rollout.",
    words: TEXTS,
    confidence: 0.75,
};

fn run(context: &Context<'_>) -> Outcome {
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    for signal in context.signals(Concept::RolloutDuration).iter().filter(|signal| signal.len() >= 40) {
        let p95 = Evidence::new(rich!("95th percentile of {}", metric(signal.key())), percentile(signal), "s")
            .above(context.rulebook.rollout_p95());
        match slow_events(context, signal) {
            Some(stretch) => findings.push(of_events(context, signal, stretch, p95)),
            None => quiet.push(p95),
        }
    }
    let (per_step, need) = match event_rates::assess(&RULE, context, context.signals(Concept::RolloutTimeP95)) {
        Outcome::Found(found) => (found, None),
        Outcome::Quiet(evidence) | Outcome::QuietBecause(_, evidence) => {
            quiet.extend(evidence);
            (Vec::new(), None)
        }
        Outcome::Skipped(need) => (Vec::new(), Some(need)),
    };
    findings.extend(per_step);
    findings.iter_mut().for_each(|finding| finding.evidence.extend(engine(context)));
    match (findings.is_empty(), need) {
        (false, _) => Outcome::Found(findings),
        (true, Some(need)) if quiet.is_empty() => Outcome::Skipped(need),
        (true, _) => Outcome::Quiet(quiet),
    }
}

/// Where more than a twentieth of single rollouts take longer than the threshold.
fn slow_events(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<Stretch> {
    let limit = context.rulebook.rollout_p95().value;
    let slow = signal.map(|value| f64::from(u8::from(value > limit)));
    if !are_outcomes(&slow.values) {
        return None;
    }
    event_rates::beyond(&ThresholdRule { warning: Rulebook::rollout_slow_share, ..RULE }, context, &slow)
}

fn percentile(signal: &MetricSeries<'_>) -> f64 {
    stats::quantile(&signal.values, 0.95).unwrap_or(f64::NAN)
}

fn of_events(context: &Context<'_>, signal: &MetricSeries<'_>, stretch: Stretch, p95: Evidence) -> Finding {
    let title = rich!("The 95th percentile of a rollout is {} s from step {}", number(p95.value), step(stretch.from));
    let finding = context.finding(Code::RolloutSlow, Severity::Warning, title, Some(stretch.from), &TEXTS);
    let evidence = vec![
        p95,
        Evidence::new("share of slower rollouts while it lasts", stretch.level, "")
            .above(context.rulebook.rollout_slow_share()),
        Evidence::new("median rollout", stats::median(&signal.values).unwrap_or(f64::NAN), "s"),
    ];
    finding.supported_by("A step waits for its slowest rollout.", &[signal], evidence, 0.85)
}

/// What the sampling engine does, where it is known.
fn engine(context: &Context<'_>) -> Option<Evidence> {
    let tokens = context.signal(Concept::Throughput)?;
    let typical = stats::median(&tokens.values)?;
    Some(
        Evidence::new(rich!("median of {}", metric(tokens.key())), typical, "tokens/s")
            .below(context.rulebook.rollout_tokens()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    #[test]
    fn a_lasting_slow_down_is_found_where_it_begins() {
        let run = Synthetic::healthy(250).noisy("rollout/duration_p95", 6.0, |t| 80.0 + 70.0 * jump(t, 0.5));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((122.0..=130.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn single_rollouts_count_by_their_percentile() {
        let slow = Synthetic::new(400).noisy("axiom/rollout/duration_s", 40.0, |_| 110.0);
        let finding = slow.finding(&CHECK);
        assert!(
            finding.title.to_string().contains("17") || finding.title.to_string().contains("18"),
            "{}",
            finding.title
        );
        assert!(Synthetic::new(400).noisy("axiom/rollout/duration_s", 25.0, |_| 60.0).quiet(&CHECK));
    }

    #[test]
    fn spikes_and_missing_durations_are_no_finding() {
        let spiky = |t: f64| if (t * 250.0) as u32 % 20 == 3 { 300.0 } else { 80.0 };
        assert!(Synthetic::healthy(250).noisy("rollout/max_total_s", 5.0, spiky).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}

//! Sampling waits for new weights: a sync, a volume reload or an adapter load takes long.
//!
//! # What it checks
//! Two things. A level: the median reload takes 20 % of a step or more. Single reloads that stand out: six robust
//! deviations on the log scale, three times the median, ten seconds and a fifth of a step. Both are notes; a warning
//! when the single ones cost a twentieth of the run.
//!
//! # Why it matters
//! Nothing is sampled and nothing is trained meanwhile.
//!
//! # Evidence needed
//! The seconds until the sampling engine has the new weights. The time of a step tells how much that is.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide names spikes of the reload time as a bottleneck of input and output, without a
//! figure; the rule for spikes is that of all times here, the 20 % are a price, not a measurement.
//!
//! # Known false alarms
//! The first load of a run, which is not checked. Reloads that a pipeline hides behind other work.
//!
//! # What to do
//! Save and reload less often, keep adapters instead of whole models, look at the storage at the steps named.
//!
//! # References
//! The analyze-experiment guide, "Rollout Reliability".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::event_rates::is_long_enough;
use crate::topics::step_phases::Phases;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::VolumeReloadSlow, Concept::ReloadTime, run);

/// Share of the run that single reloads must cost to need action.
const COSTLY: f64 = 0.05;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Sync or save weights less often, or only the adapter",
            "less waiting",
            "samples are a little older",
            "reload time, staleness",
        ]),
        Advice::Do([
            "Look at the storage at the steps named",
            "finds a volume that others use too",
            "none",
            "reload time",
        ]),
    ],
    alternative: "The reload runs behind other work, and nothing waits for it.",
    refute: "The time of those steps is the same as that of their neighbours.",
    references: &["analyze-experiment guide (reload spikes suggest an I/O bottleneck)"],
};

fn run(context: &Context<'_>, signal: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let phases = Phases::of(context);
    let typical = stats::median(&signal.values).unwrap_or(f64::NAN);
    let share = typical / phases.step;
    let mut evidence = vec![Evidence::new("median reload", typical, "s")];
    if share.is_finite() {
        evidence.push(Evidence::new("median reload against the step", share, "").above(book.reload_share()));
    }
    if !is_long_enough(context, signal) {
        return Outcome::Quiet(evidence);
    }
    if share >= book.reload_share().value {
        let title = rich!("Reloading weights takes {} of a step", percent(share));
        let finding = context.finding(CHECK.code, Severity::Note, title, Some(signal.step(0)), &TEXTS);
        return Outcome::Found(vec![finding.supported_by("Nothing is sampled meanwhile.", &[signal], evidence, 0.7)]);
    }
    match spikes(context, signal, &phases, typical) {
        Some(finding) => Outcome::Found(vec![finding]),
        None => Outcome::Quiet(evidence),
    }
}

fn spikes(context: &Context<'_>, signal: &MetricSeries<'_>, phases: &Phases, typical: f64) -> Option<Finding> {
    let book = context.rulebook;
    let mut least = book.reload_spike().value;
    if phases.step.is_finite() {
        least = least.max(book.reload_share().value * phases.step);
    }
    let high = |place: &usize| signal.values.get(*place).is_some_and(|value| *value >= least && *value > typical);
    let places: Vec<usize> =
        stats::hampel_log(&signal.values).into_iter().filter(|place| *place > 0).filter(high).collect();
    let onset = signal.step(*places.first()?);
    let lost: f64 = places.iter().filter_map(|place| signal.values.get(*place)).map(|value| value - typical).sum();
    let cost = lost / (phases.step * signal.len() as f64);
    let severity = if cost >= COSTLY { Severity::Warning } else { Severity::Note };
    let times = if places.len() == 1 { "once" } else { "several times" };
    let title =
        rich!("Reloading weights took up to {} s, {}, first at step {}", number(signal.max()), times, step(onset));
    let mut evidence = vec![
        Evidence::new("longest reload", signal.max(), "s").above(book.reload_spike()),
        Evidence::new("long reloads", places.len() as f64, ""),
        Evidence::new("median reload", typical, "s"),
        Evidence::new("seconds lost", lost, "s"),
    ];
    if cost.is_finite() {
        evidence.push(Evidence::new("share of the run's time", cost, ""));
    }
    let mut finding = context.finding(CHECK.code, severity, title, Some(onset), &TEXTS);
    finding.end = places.last().map(|place| signal.step(*place));
    Some(finding.supported_by("The usual reload is short; these held up sampling.", &[signal], evidence, 0.8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn with(level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(250)
            .noisy("timing/rollout", 4.0, |_| 70.0)
            .noisy("timing/train", 2.0, |_| 30.0)
            .noisy("timing/weight_sync", 0.3, level)
    }

    #[test]
    fn single_long_reloads_are_found() {
        let run = with(|t| if [60, 130, 200].contains(&((t * 250.0).round() as u32)) { 90.0 } else { 2.0 });
        let finding = run.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(61.0)));
    }

    #[test]
    fn a_reload_that_takes_a_third_of_each_step_is_found() {
        assert!(with(|_| 40.0).finding(&CHECK).title.to_string().contains("40 %"));
    }

    #[test]
    fn short_reloads_are_quiet() {
        assert!(with(|_| 2.0).quiet(&CHECK));
        assert!(with(|t| if (t * 250.0) as u32 % 50 == 7 { 8.0 } else { 2.0 }).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}

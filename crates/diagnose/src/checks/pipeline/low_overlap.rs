//! Sampling and training hardly run at the same time, though the pipeline could overlap them.
//!
//! # What it checks
//! The overlap as a share of the shorter phase: a note when its median stays below 30 %. An overlap of exactly 0 all
//! along is a pipeline that takes turns by design and is not spoken of.
//!
//! # Why it matters
//! With full overlap a step takes as long as its longer phase; without, as long as both together.
//!
//! # Evidence needed
//! The overlap as a share, or in seconds with the seconds of sampling and of training.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide calls little overlap a bottleneck, without a figure. Half and more is usual where a
//! pipeline overlaps at all.
//!
//! # Known false alarms
//! Pipelines that limit the age of samples on purpose.
//!
//! # What to do
//! Start sampling the next batch while the trainer works; allow samples that are one update old; sample more groups at
//! once, and let more containers run them.
//!
//! # References
//! The analyze-experiment guide, "Infrastructure Bottleneck".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::event_rates::is_long_enough;
use crate::topics::rollout_capacity;
use crate::topics::step_phases::Phases;
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

pub const CHECK: Check = Check::of_metric(Code::LowOverlap, Concept::Overlap, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Sample the next batch while the trainer works",
        "a step takes as long as its longer phase",
        "samples are one update old",
        "overlap above half of the shorter phase, staleness",
    ])],
    alternative: "The age of samples is limited on purpose.",
    refute: "Both phases run on the same GPUs, so that overlapping them would gain nothing.",
    references: &["analyze-experiment guide (low overlap is a bottleneck)"],
};

fn run(context: &Context<'_>, signal: &MetricSeries<'_>) -> Outcome {
    let phases = Phases::of(context);
    let shorter = phases.rollout.min(phases.train);
    let typical = stats::median(&signal.values).unwrap_or(f64::NAN);
    let in_seconds = signal.binding.unit == Unit::Seconds;
    let share = if in_seconds { typical / shorter } else { typical };
    if !share.is_finite() {
        return Outcome::Skipped(context.need(&[Concept::RolloutTime, Concept::TrainTime]));
    }
    let low = context.rulebook.overlap_low();
    let mut evidence = vec![Evidence::new("median overlap of the shorter phase", share, "").below(low)];
    if share >= low.value || signal.max() <= 0.0 || !is_long_enough(context, signal) {
        return Outcome::Quiet(evidence);
    }
    let saved = shorter * (1.0 - share);
    let mut title = rich!("Sampling and training overlap for {} of the shorter phase", percent(share));
    if saved.is_finite() {
        title.append(rich!(": up to {} s of a step could be saved", number(saved)));
        evidence.push(Evidence::new("seconds of a step that full overlap would save", saved, "s"));
    }
    let mut finding = context.finding(CHECK.code, Severity::Note, title, Some(signal.step(0)), &TEXTS);
    finding.actions.extend(rollout_capacity::actions(context));
    let detail = "Without overlap a step takes as long as both phases together.";
    Outcome::Found(vec![finding.supported_by(detail, &[signal], evidence, 0.75)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};

    fn overlapping(seconds: f64) -> Synthetic {
        Synthetic::healthy(200)
            .noisy("benchmark/rollout_time_s", 4.0, |_| 70.0)
            .noisy("benchmark/training_time_s", 2.0, |_| 30.0)
            .noisy("benchmark/pipeline_overlap_s", 0.3 * seconds.min(1.0), move |_| seconds)
    }

    #[test]
    fn little_overlap_is_noted_and_much_is_quiet() {
        let finding = overlapping(3.0).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(1.0)));
        let grouped = overlapping(3.0).config("num_groups_per_step", 16.0).finding(&CHECK);
        assert!(grouped.actions.iter().any(|action| change(action).2 == "32"), "{:?}", grouped.actions);
        assert!(overlapping(24.0).quiet(&CHECK));
        assert!(overlapping(0.0).quiet(&CHECK), "takes turns by design");
        assert!(Synthetic::healthy(200).noisy("pipeline/overlap", 0.02, |_| 0.8).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}

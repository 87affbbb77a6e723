//! Memory grows and does not settle.
//!
//! # What it checks
//! The memory of GPUs and of the host: a note when it grew by a fifth or more, in each fifth of the run since
//! the growth began, with a significant trend, and longer responses do not explain it. A warning when a percentage is on its
//! way to 95 % before the planned end of the run, or when the run ended for lack of memory.
//!
//! # Why it matters
//! A leak ends a run hours later, at night, with an out-of-memory error that does not name the leak.
//!
//! # Evidence needed
//! Memory in use per step, or the machine's memory as its tracker logs it.
//!
//! # Threshold and where it comes from
//! Measured: host memory from 74 to 147 GB over one Search-R1 run. Without a leak memory settles early.
//!
//! # Known false alarms
//! Caches of the file system count as used in some figures. GPU memory grows with the responses: growth that they
//! explain is left out.
//!
//! # What to do
//! Watch which process grows. Common leaks: tensors kept in a list of logs, data loaders, tables of samples.
//!
//! # References
//! verl docs, performance tuning guide.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::hinge::Hinge;
use crate::measure::series::{Fifth, MetricSeries};
use crate::{Check, Code, Evidence, Finding, Outcome, QuietReason, Severity};
use rundown_format::growth_in_words;
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_run::RunState;
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

pub const CHECK: Check = Check::of_run(Code::MemoryCreep, run);

/// Fewest points that show whether memory settles.
const POINTS: usize = 40;
/// Part of the whole growth that each fifth must bring.
const STEADY: f64 = 0.1;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Log the memory of each process for some steps",
            "names the process that grows",
            "none",
            "memory settles after the first steps",
        ]),
        Advice::Do([
            "Save a checkpoint before the memory is full, and resume from it",
            "the run can end",
            "a pause",
            "memory below 95 %",
        ]),
    ],
    alternative: "Caches that are given back when memory is needed count as used.",
    refute: "Memory stays level over the next hundred steps.",
    references: &["verl docs, performance tuning guide"],
};

/// Memory that grows and does not settle.
struct Creep {
    /// First place of the growth.
    place: usize,
    /// Growth since then, against the level there.
    growth: f64,
}

fn run(context: &Context<'_>) -> Outcome {
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    let mut reason = QuietReason::NotLasting;
    let least = context.rulebook.memory_growth();
    for concept in [Concept::HostMemory, Concept::Memory] {
        let Some(signal) = context.signal(concept) else { continue };
        let creep = creep(signal).filter(|creep| creep.growth >= least.value);
        let is_explained = concept != Concept::HostMemory
            && creep.as_ref().is_some_and(|creep| explained_by_length(context, creep.growth));
        if is_explained {
            reason = QuietReason::ExplainedByResponses;
        }
        match creep.filter(|_| !is_explained) {
            Some(creep) => findings.push(finding(context, signal, &creep)),
            None => quiet.push(
                Evidence::new(
                    rich!("growth of {}", metric(signal.key())),
                    signal.level(Fifth::Last) / signal.level(Fifth::First) - 1.0,
                    "",
                )
                .above(least),
            ),
        }
    }
    match (findings.is_empty(), quiet.is_empty()) {
        (false, _) => Outcome::Found(findings),
        (true, false) => Outcome::QuietBecause(reason, quiet),
        (true, true) => Outcome::Skipped(context.need(&[Concept::Memory])),
    }
}

/// Growth from some place to the end in which every fifth brings its part, and the trend is beyond doubt.
fn creep(signal: &MetricSeries<'_>) -> Option<Creep> {
    if signal.len() < POINTS {
        return None;
    }
    let hinge = Hinge::of(&signal.values)?;
    let levels = hinge.levels.get(hinge.start..)?;
    let (first, last) = (*levels.first()?, *levels.last()?);
    let whole = last - first;
    let every = (levels.len() - 1).div_ceil(5).max(1);
    let marks: Vec<f64> = levels.iter().step_by(every).copied().collect();
    let steady = marks.iter().zip(marks.iter().skip(1)).all(|(before, after)| after - before >= STEADY * whole);
    let trend = stats::mann_kendall(levels).is_some_and(|z| z >= 3.0);
    let place = hinge.place(hinge.start, signal.len());
    (first > 0.0 && whole > 0.0 && steady && trend).then(|| Creep { place, growth: last / first - 1.0 })
}

/// Longer responses need more memory: half as much growth of theirs explains it.
fn explained_by_length(context: &Context<'_>, growth: f64) -> bool {
    let longer = |concept| {
        let signal = context.signal(concept)?;
        Some(signal.level(Fifth::Last) / signal.level(Fifth::First) - 1.0)
    };
    [Concept::ResponseLength, Concept::ResponseLengthMax]
        .into_iter()
        .filter_map(longer)
        .any(|longer| longer >= 0.5 * growth)
}

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, creep: &Creep) -> Finding {
    let (growth, onset) = (creep.growth, signal.step(creep.place));
    let book = context.rulebook;
    let (first, last) = (signal.level(Fifth::First), signal.level(Fifth::Last));
    let slope = signal.slope_per_hundred();
    let unit = signal.binding.unit;
    let is_percent = unit == Unit::Plain && signal.max() <= 100.0;
    let shown = if is_percent { "%" } else { unit.as_str() };
    let mut evidence = vec![
        Evidence::new("growth of the memory in use", growth, "").above(book.memory_growth()),
        Evidence::new("memory in use, first fifth", first, shown),
        Evidence::new("memory in use, last fifth", last, shown),
        Evidence::new("growth of the memory in use in 100 steps", slope, shown),
    ];
    let planned = context.planned_steps().filter(|planned| is_percent && *planned >= signal.last_step());
    let projected = planned.map(|planned| signal.max() + slope * (planned - signal.last_step()) / 100.0);
    let filled = projected.filter(|projected| *projected >= book.memory_full().value);
    let fills = filled.is_some();
    if let Some(projected) = filled {
        evidence.push(Evidence::new("at the planned end, at this growth", projected, shown).above(book.memory_full()));
    }
    let severity = if fills || ran_out(context) { Severity::Warning } else { Severity::Note };
    let title = rich!(
        "{} grows steadily, by {} from step {}: {} to {} {}",
        metric(signal.key()),
        growth_in_words(growth),
        step(onset),
        number(first),
        number(last),
        shown
    );
    let finding = context.finding(CHECK.code, severity, title, Some(onset), &TEXTS);
    finding.supported_by("It grew in every part of the run since then, and does not settle.", &[signal], evidence, 0.7)
}

/// True when the run ended for lack of memory.
fn ran_out(context: &Context<'_>) -> bool {
    let ending = &context.run.ending;
    let ended = matches!(ending.state, RunState::Crashed | RunState::Failed | RunState::Killed);
    ended && ending.evidence.iter().any(|line| line.to_lowercase().contains("memory"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    const HOST: &str = "perf/cpu_memory_used_gb";

    #[test]
    fn a_leak_is_noted_and_warned_of_when_it_ended_the_run() {
        let leak = || Synthetic::healthy(300).noisy(HOST, 1.0, |t| 74.0 + 73.0 * t);
        let finding = leak().finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(1.0)));
        let mut killed = leak();
        killed.run.ending.state = RunState::Killed;
        killed.run.ending.evidence = vec!["the log says that memory ran out".to_owned()];
        assert_eq!(killed.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_percentage_that_fills_before_the_planned_end_is_compared_as_one() {
        let leak = |planned: f64| {
            let growing = Synthetic::healthy(300).noisy("memory_percent", 0.1, |t| 40.0 + 20.0 * t);
            growing.config("max_steps", planned).finding(&CHECK)
        };
        assert_eq!(leak(400.0).severity, Severity::Note);
        let filled = leak(1000.0);
        assert_eq!(filled.severity, Severity::Warning);
        let projected =
            filled.evidence.iter().find(|evidence| evidence.limit.as_ref().is_some_and(|l| l.value == 95.0));
        let projected = projected.unwrap();
        assert!((100.0..=115.0).contains(&projected.value) && projected.unit == "%", "{projected:?}");
    }

    #[test]
    fn a_leak_that_begins_late_is_found_where_it_begins() {
        let finding = Synthetic::healthy(300).noisy(HOST, 0.5, |t| 74.0 + 60.0 * (t - 0.4).max(0.0)).finding(&CHECK);
        assert!((112.0..=130.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn what_settles_or_jumps_once_or_follows_the_length_is_quiet() {
        assert!(Synthetic::healthy(300).noisy(HOST, 1.0, |t| 74.0 + 40.0 * saturating(t)).quiet(&CHECK));
        let jump = Synthetic::healthy(300).noisy(HOST, 1.0, |t| if t < 0.5 { 74.0 } else { 110.0 });
        assert_eq!(jump.quiet_reason(&CHECK), Some(QuietReason::NotLasting));
        let longer = Synthetic::healthy(300).noisy("perf/max_memory_allocated_gb", 0.5, |t| 40.0 + 20.0 * t).noisy(
            "train/completions/mean_length",
            3.0,
            |t| 100.0 + 120.0 * t,
        );
        assert_eq!(longer.quiet_reason(&CHECK), Some(QuietReason::ExplainedByResponses));
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }
}

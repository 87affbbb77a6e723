//! The same work takes longer than before.
//!
//! # What it checks
//! The level of the throughput before and after its largest change: a loss of 15 % or more that lasts to the end,
//! beyond four standard errors, while responses stayed as long as they were. Without a throughput, the time of
//! sampling, or else of the whole step, must have grown by as much, and its time per response token too. A warning; a
//! note where the length of responses is not logged (without the number of trajectories too, the time must have doubled), where
//! only trajectories per second are known, or where less than a minute is lost in all.
//!
//! # Why it matters
//! A run that slows down costs more for each step, and seldom recovers by itself.
//!
//! # Evidence needed
//! Tokens per second, or the seconds of sampling or of a step; the mean response length to take it out.
//!
//! # Threshold and where it comes from
//! 15 %: smaller changes are within the spread of prompts. A third where only the time of whole steps is known: steps of
//! healthy runs on shared machines differed by up to a quarter; a time that doubled is told from 30 steps on, others from 100. In one public run the throughput rose when the lengths
//! exploded, so it is never checked without them.
//!
//! # Known false alarms
//! A change of the prompts or of the batch. Longer prompts, which this check does not see.
//!
//! # What to do
//! Divide the step into its phases and look which one grew: sampling (memory of the KV cache, waiting requests),
//! training, or weight sync.
//!
//! # References
//! verl docs, performance tuning guide.

use crate::advice::{Advice, FindingTexts};
use crate::checks::pipeline::NEGLIGIBLE_LOSS;
use crate::context::Context;
use crate::measure::Z_PICKED;
use crate::measure::hinge::Hinge;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::topics::event_rates::is_long_enough;
use crate::topics::parts_in_use::has_tools;
use crate::{Check, Code, Evidence, Finding, Outcome, QuietReason, Severity, Threshold};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::ThroughputRegression, run);

/// Fewest steps, and fewest slower ones, that tell where only the time of whole steps is known.
const STEPS: usize = 100;
const SLOWER: usize = 20;
/// Half of the pace: a step that takes twice as long is seen in fewer steps, and told where nothing says what was done in it.
const HALF: f64 = 0.5;
const STEPS_OF_HALF: usize = 30;
const SLOWER_OF_HALF: usize = 10;
/// Part of the start that is not a level: compilation, empty caches.
const START: f64 = 0.05;
/// Squared error of a ramp against that of a jump, below which the loss is slow.
const SLOW: f64 = 0.8;

/// Mean length of the responses after against before, below which they need clearly less of the KV cache. Ours.
const SHORTER: f64 = 0.8;

const DIVIDE: Advice = Advice::Do([
    "Divide the step into phases and compare them before and after",
    "names the part that slowed down",
    "none",
    "seconds per response token",
]);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        DIVIDE,
        Advice::Do([
            "Give the sampling engine more of the GPU's memory, within 0.5 to 0.7 of it",
            "fewer responses are pushed out of the KV cache",
            "less room for training, out of memory",
            "tokens per second",
        ]),
    ],
    alternative: "Prompts became longer, or the batch changed.",
    refute: "Seconds per token of prompt and response are the same before and after.",
    references: &["verl docs, performance tuning guide"],
};

/// Of responses that became shorter, so that the KV cache holds more of them than before.
const OF_SHORTER: FindingTexts = FindingTexts { actions: &[DIVIDE], ..TEXTS };
/// The same of a run with tools.
const OF_SHORTER_WITH_TOOLS: FindingTexts = FindingTexts {
    actions: &[
        DIVIDE,
        Advice::Do([
            "Look for calls that sampling waits for, such as time-outs of tools or of the environment",
            "shows a service that fails or is slow",
            "none",
            "seconds of sampling",
        ]),
    ],
    ..TEXTS
};

/// A loss of pace.
struct Loss {
    /// First place of the slower part.
    place: usize,
    /// Typical value before and after.
    before: f64,
    after: f64,
    /// In standard errors.
    z: f64,
}

fn run(context: &Context<'_>) -> Outcome {
    let pace = context.signal(Concept::Throughput);
    // A pace knows better than the time of a step what was done in it.
    let time = context.signal(Concept::RolloutTime);
    let time = time.or_else(|| context.signal(Concept::StepTime).filter(|_| pace.is_none()));
    if pace.is_none() && time.is_none() {
        return Outcome::Skipped(context.need(&[Concept::Throughput]));
    }
    let mut quiet = Vec::new();
    for (signal, is_time) in [(pace, false), (time, true)] {
        let Some(signal) = signal else { continue };
        let least = line(context, signal).value;
        let loss = lost(signal, is_time).filter(|loss| is_long_enough(context, signal) && is_steady(signal, loss));
        let size = loss.as_ref().map_or(0.0, |loss| size(loss, is_time));
        match loss.filter(|_| size >= least).and_then(|loss| finding(context, signal, &loss, is_time)) {
            Some(finding) => return Outcome::Found(vec![finding]),
            None => quiet.push(
                Evidence::new(rich!("lasting loss of pace by {}", metric(signal.key())), size, "")
                    .above(line(context, signal)),
            ),
        }
    }
    // A loss that counts makes no finding where other responses explain it.
    Outcome::QuietBecause(QuietReason::ExplainedByResponses, quiet)
}

/// True where enough steps show a loss: those of a machine that warms up, or is shared for a while, come and go.
fn is_steady(signal: &MetricSeries<'_>, loss: &Loss) -> bool {
    let slower = signal.len() - loss.place.min(signal.len());
    let (steps, least) = if size(loss, true) >= HALF { (STEPS_OF_HALF, SLOWER_OF_HALF) } else { (STEPS, SLOWER) };
    signal.binding.concept != Concept::StepTime || signal.len() >= steps && slower >= (signal.len() / 10).max(least)
}

/// The loss that counts. The time of a whole step follows whatever else the machine does.
fn line<'r>(context: &Context<'r>, signal: &MetricSeries<'_>) -> &'r Threshold {
    match signal.binding.concept {
        Concept::StepTime => context.rulebook.step_time_loss(),
        _ => context.rulebook.throughput_loss(),
    }
}

/// Share of the pace that is lost.
fn size(loss: &Loss, is_time: bool) -> f64 {
    if is_time { 1.0 - loss.before / loss.after } else { 1.0 - loss.after / loss.before }
}

/// The largest change of level for the worse that holds to the end, on the log scale.
fn lost(signal: &MetricSeries<'_>, is_time: bool) -> Option<Loss> {
    if signal.values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    let skipped = (START * signal.len() as f64).ceil() as usize;
    let logs: Vec<f64> = signal.values.iter().skip(skipped).map(|value| libm::log(*value)).collect();
    let least = (logs.len() / 20).max(5);
    let split = stats::single_change(&logs, least)?.index;
    let (before, after) = (logs.get(..split)?, logs.get(split..)?);
    let change = level::change(&logs, before.len(), after.len(), 0.0)?;
    let place = skipped + slow_start(&logs).unwrap_or(split);
    let end = stats::median(logs.get(logs.len() - least..)?)?;
    let (before, after) = (stats::median(before)?, stats::median(after)?);
    let sign = if is_time { 1.0 } else { -1.0 };
    // Half of it must still be there at the end.
    let holds = sign * (end - before) >= 0.5 * sign * (after - before);
    let z = sign * change.z();
    (holds && sign * (after - before) > 0.0 && z >= Z_PICKED).then(|| Loss {
        place,
        before: libm::exp(before),
        after: libm::exp(after),
        z,
    })
}

/// Where a slow loss begins, when a bend fits it better than a jump.
fn slow_start(logs: &[f64]) -> Option<usize> {
    let hinge = Hinge::of(logs)?;
    let jump = stats::single_change(&hinge.levels, 3)?;
    (hinge.sse < SLOW * jump.sse).then(|| hinge.place(hinge.start, logs.len()))
}

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, loss: &Loss, is_time: bool) -> Option<Finding> {
    let onset = signal.step(loss.place);
    let least = line(context, signal).value;
    let length = context.signal(Concept::ResponseLength).and_then(|length| Some((length, ratio(length, onset)?)));
    let is_shorter = length.is_some_and(|(_, ratio)| ratio < SHORTER);
    // A batch takes as long as its longest response.
    let longest = context.signal(Concept::ResponseLengthMax).filter(|_| is_time);
    let longest = longest.and_then(|longest| ratio(longest, onset)).unwrap_or(0.0);
    let length = length.map(|(length, ratio)| (length, ratio.max(longest)));
    let unit = signal.binding.unit.as_str();
    let mut evidence = vec![
        Evidence::new("loss of speed", size(loss, is_time), "").above(line(context, signal)),
        Evidence::new("usual value before the change", loss.before, unit),
        Evidence::new("usual value after the change", loss.after, unit),
        Evidence::new("the change in standard errors", loss.z, ""),
    ];
    let mut signals = vec![signal];
    match length {
        // Shorter responses fill the engine less, longer ones take longer: either explains the change.
        Some((_, ratio)) if !is_time && (ratio - 1.0).abs() > least => return None,
        Some((_, ratio)) if is_time && loss.after / loss.before / ratio.max(1.0) < 1.0 / (1.0 - least) => return None,
        Some((length, ratio)) => {
            evidence.push(Evidence::new("response length after against before", ratio, "times"));
            signals.push(length);
        }
        None if let Some(trajectories) = context.signal(Concept::Trajectories).filter(|_| is_time) => {
            let ratio = ratio(trajectories, onset)?;
            if loss.after / loss.before / ratio.max(1.0) < 1.0 / (1.0 - least) {
                return None;
            }
            evidence.push(Evidence::new("trajectories after against before", ratio, "times"));
            signals.push(trajectories);
        }
        None if is_time && size(loss, is_time) < HALF => return None,
        None => {}
    }
    let mut matters = length.is_some();
    if is_time {
        let slower = signal.values.iter().skip(loss.place).map(|seconds| seconds - loss.before);
        let ahead = context.planned_points(signal).saturating_sub(signal.len()) as f64;
        let lost = slower.sum::<f64>() + ahead * (loss.after - loss.before);
        evidence.push(Evidence::new("time lost", lost, "s"));
        matters &= lost >= NEGLIGIBLE_LOSS;
    }
    let severity = if matters { Severity::Warning } else { Severity::Note };
    let title = if is_time {
        let what = if signal.binding.concept == Concept::StepTime { "A step" } else { "Sampling" };
        rich!("{} went from {} to {} s at step {}", what, number(loss.before), number(loss.after), step(onset))
    } else {
        let size = percent(size(loss, is_time));
        rich!(
            "Throughput fell by {}, from {} to {}, at step {}",
            size,
            number(loss.before),
            number(loss.after),
            step(onset)
        )
    };
    let detail = match length {
        Some(_) => "Responses are not longer, so the same work takes longer.",
        None => "The length of responses is not logged, so it may be the cause.",
    };
    let texts = match is_shorter {
        true if has_tools(context) => &OF_SHORTER_WITH_TOOLS,
        true => &OF_SHORTER,
        false => &TEXTS,
    };
    let finding = context.finding(CHECK.code, severity, title, Some(onset), texts);
    Some(finding.supported_by(detail, &signals, evidence, if length.is_some() { 0.75 } else { 0.5 }))
}

/// Typical value from a step on against that before it.
fn ratio(signal: &MetricSeries<'_>, onset: f64) -> Option<f64> {
    let split = signal.steps.partition_point(|step| *step < onset);
    let (before, after) = signal.values.split_at_checked(split)?;
    let ratio = stats::median(after)? / stats::median(before)?;
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump};

    const LENGTH: &str = "train/completions/mean_length";

    #[test]
    fn a_lasting_loss_at_the_same_length_is_a_warning() {
        let run = Synthetic::healthy(300).noisy("perf/throughput", 60.0, |t| 1500.0 - 450.0 * jump(t, 0.6));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((176.0..=186.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(finding.title.to_string().contains("30 %"), "{}", finding.title);
        let unknown =
            Synthetic::healthy(300).without(LENGTH).noisy("perf/throughput", 60.0, |t| 1500.0 - 450.0 * jump(t, 0.6));
        assert_eq!(unknown.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn the_time_of_sampling_counts_per_token() {
        let slower = |t: f64| 60.0 + 30.0 * jump(t, 0.5);
        let run = Synthetic::healthy(300).noisy("timing/rollout", 3.0, slower);
        assert_eq!(run.finding(&CHECK).severity, Severity::Warning);
        let longer = Synthetic::healthy(300)
            .noisy("timing/rollout", 3.0, slower)
            .noisy(LENGTH, 3.0, |t| 120.0 + 80.0 * jump(t, 0.5));
        assert_eq!(longer.quiet_reason(&CHECK), Some(QuietReason::ExplainedByResponses));
        let advised = |after: f64, turns: f64| {
            let run = Synthetic::healthy(300).noisy("timing/rollout", 3.0, slower);
            let run = run.every("num_turns/mean", 1, move |_| turns);
            let finding = run.noisy(LENGTH, 3.0, move |t| 120.0 - (120.0 - after) * jump(t, 0.5)).finding(&CHECK);
            finding.actions.get(1).map_or_else(String::new, |action| change(action).0)
        };
        assert!(advised(110.0, 2.0).contains("memory"));
        assert!(advised(50.0, 4.0).contains("time-outs"), "less of the KV cache is needed");
        assert_eq!(advised(50.0, 2.0), "", "without tools");
    }

    #[test]
    fn the_time_of_a_step_stands_in() {
        let slower = |t: f64| 60.0 + 50.0 * jump(t, 0.5);
        let finding = Synthetic::healthy(300).noisy("step_time", 3.0, slower).finding(&CHECK);
        assert!(finding.title.to_string().contains("A step"), "{}", finding.title);
        assert_eq!(finding.severity, Severity::Warning);
        let small = Synthetic::healthy(300).noisy("step_time", 0.003, move |t| slower(t) / 1000.0).finding(&CHECK);
        assert_eq!(small.severity, Severity::Note, "8 seconds are lost");
        let paced = Synthetic::healthy(300).noisy("step_time", 3.0, slower).noisy("perf/throughput", 60.0, |_| 1500.0);
        assert!(paced.quiet(&CHECK), "more was done in a step");
    }

    #[test]
    fn a_step_time_that_triples_is_told_in_few_steps_and_without_lengths() {
        let run = |steps: usize, times: f64| {
            let time = move |t: f64| 60.0 * (1.0 + (times - 1.0) * (2.0 * t - 0.6).clamp(0.0, 1.0));
            Synthetic::healthy(steps).without(LENGTH).noisy("step_time", 4.0, time)
        };
        for steps in [50, 300] {
            let finding = run(steps, 3.0).finding(&CHECK);
            assert_eq!(finding.severity, Severity::Note);
            assert!(finding.title.to_string().starts_with("A step went from"), "{}", finding.title);
            assert!(finding.detail.to_string().contains("not logged"), "{}", finding.detail);
        }
        assert!(run(300, 1.8).quiet(&CHECK), "longer responses may take that long");
        let known = Synthetic::healthy(50).noisy("step_time", 3.0, |t| 60.0 + 120.0 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(known.severity, Severity::Warning);
    }

    #[test]
    fn noise_recovery_and_shorter_responses_are_quiet() {
        assert!(Synthetic::healthy(300).noisy("perf/throughput", 150.0, |_| 1500.0).quiet(&CHECK));
        let dip =
            Synthetic::healthy(300).noisy("perf/throughput", 60.0, |t| 1500.0 - 600.0 * (jump(t, 0.4) - jump(t, 0.6)));
        assert!(dip.quiet(&CHECK));
        let shorter = Synthetic::healthy(300).noisy("perf/throughput", 60.0, |t| 1500.0 - 450.0 * jump(t, 0.6)).noisy(
            LENGTH,
            2.0,
            |t| 120.0 - 60.0 * jump(t, 0.6),
        );
        assert!(shorter.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }
}

//! Single steps take many times longer than their neighbours.
//!
//! # What it checks
//! Step times that stand out: six robust deviations from the median of their neighbours on the log scale, and three
//! times it. A step with an evaluation or a checkpoint must take three times as long as other such steps, and spikes
//! that come at regular intervals are left out where they fall on evaluations, follow an interval of the config, or
//! where no evaluation is logged that they could be told from. Where the time of the steps follows their tokens or their
//! longest response, a step must take three times as long as those with about as much work. A note; a warning when
//! irregular outliers take a fifth of the time that the run takes up to its planned end, and a minute at least.
//!
//! # Why it matters
//! A step of hours among steps of minutes is a stalled machine, a hanging environment or a network that was away.
//!
//! # Evidence needed
//! The seconds of a step. The seconds of evaluation and checkpoints keep those steps from being called stalls, and the
//! tokens or the longest response those with much to do.
//!
//! # Threshold and where it comes from
//! Measured on public GRPO and PPO runs: one hit on each of two real stalls (22,543 s among steps of 230 s) and none
//! on steps with a validation.
//!
//! # Known false alarms
//! Evaluations at irregular steps whose time is not logged, and long responses where no length is logged.
//!
//! # What to do
//! Look at the logs of the machine at those steps: another job, a lost node, a slow file system.
//!
//! # References
//! verl's performance tuning guide.

use crate::advice::{Advice, FindingTexts};
use crate::checks::pipeline::NEGLIGIBLE_LOSS;
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::step_work::StepWork;
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich_text::{number, step};
use rundown_format::{counted, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::StepTimeOutliers, Concept::StepTime, run);

/// Fewest spikes that can be regular, and the share of them that must fit the period.
const REGULAR: usize = 3;
const FITTING: f64 = 0.8;
/// Settings that hold an interval of evaluations or checkpoints.
const INTERVALS: [&str; 9] = [
    "save_steps", "save_freq", "save_interval", "save_every", "checkpoint_interval", "eval_steps", "eval_freq",
    "eval_every", "test_freq",
];
/// Most metrics of evaluations that are looked at; they share their steps.
const KINDS: usize = 12;
/// How many times the usual time of an evaluation step is too long for one.
const STANDS_OUT: f64 = 3.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Look at the machine's logs at the steps named",
        "tells a lost node from a hanging environment",
        "none",
        "step time within three times its median",
    ])],
    alternative: "An evaluation, a checkpoint or a pause that was not logged as such.",
    refute: "The log shows an evaluation or a checkpoint at each of these steps.",
    references: &["verl docs, performance tuning guide"],
};

fn run(context: &Context<'_>, signal: &MetricSeries<'_>) -> Outcome {
    let typical = stats::median(&signal.values).unwrap_or(f64::NAN);
    let spikes = stats::hampel_log(&signal.values);
    let spikes: Vec<usize> = spikes.into_iter().filter(|place| at(signal, *place) > typical).collect();
    let upkeep = upkeep(context, signal, typical);
    let is_upkeep = |place: usize| {
        let (step, time) = (signal.step(place), at(signal, place));
        upkeep.iter().any(|kind| kind.holds(step) && time < STANDS_OUT * kind.usual)
    };
    let mut odd: Vec<usize> = spikes.iter().copied().filter(|place| !is_upkeep(*place)).collect();
    let period = period(signal, &odd);
    if period.is_some_and(|period| is_planned(context, signal, &odd, &upkeep, period)) {
        let times: Vec<f64> = odd.iter().map(|place| at(signal, *place)).collect();
        let usual = stats::median(&times).unwrap_or(f64::NAN);
        odd.retain(|place| at(signal, *place) >= STANDS_OUT * usual);
    }
    let planned = spikes.len() - odd.len();
    let work = StepWork::all(context, signal);
    let is_work = |place: usize| {
        let expected = work.iter().filter_map(|work| work.seconds(signal.step(place)));
        expected.reduce(f64::max).is_some_and(|expected| at(signal, place) < STANDS_OUT * expected)
    };
    odd.retain(|place| !is_work(*place));
    let longest = odd.iter().map(|place| at(signal, *place)).reduce(f64::max);
    let mut evidence = vec![
        Evidence::new("outliers", odd.len() as f64, ""),
        Evidence::new("median step", typical, "s"),
        Evidence::new("outliers that evaluations, checkpoints or a plan explain", planned as f64, ""),
        Evidence::new(
            "outliers that their tokens or their longest response explain",
            (spikes.len() - planned - odd.len()) as f64,
            "",
        ),
    ];
    if let Some(period) = period {
        evidence.push(Evidence::new("period of the outliers", period, "steps"));
    }
    let (Some(longest), Some(first)) = (longest, odd.first()) else { return Outcome::Quiet(evidence) };
    if (signal.len() as f64) < context.rulebook.points_needed().value || *first == 0 && odd.len() == 1 {
        // The first step compiles and loads.
        return Outcome::Quiet(evidence);
    }
    let lost: f64 = odd.iter().map(|place| at(signal, *place) - typical).sum();
    // A run that goes on will take the time of its other steps as well.
    let ahead = context.planned_points(signal).saturating_sub(signal.len()) as f64 * typical;
    let share = lost / (signal.values.iter().sum::<f64>() + ahead);
    // What comes at regular intervals is planned by someone, whatever it costs.
    let regular = period.filter(|_| odd.len() >= REGULAR);
    let costly = share >= context.rulebook.outlier_share().value && lost >= NEGLIGIBLE_LOSS && regular.is_none();
    let severity = if costly { Severity::Warning } else { Severity::Note };
    let worst = odd.iter().copied().find(|place| at(signal, *place) >= longest).unwrap_or(*first);
    let title = match odd.len() {
        1 => rich!("Step {} took {} s; {} s is usual", step(signal.step(worst)), number(longest), number(typical)),
        count => rich!(
            "{} steps took up to {} s (step {}); {} s is usual",
            count,
            number(longest),
            step(signal.step(worst)),
            number(typical)
        ),
    };
    evidence.insert(0, Evidence::new("share of the run's time", share, "").above(context.rulebook.outlier_share()));
    evidence.insert(1, Evidence::new("longest outlier", longest, "s"));
    let mut finding = context.finding(CHECK.code, severity, title, Some(signal.step(*first)), &TEXTS);
    finding.end = odd.last().map(|place| signal.step(*place));
    let held = |place: &&usize| upkeep.iter().any(|kind| kind.holds(signal.step(**place)));
    let slow_upkeep = odd.iter().filter(held).count();
    let mut detail = match regular {
        Some(period) => rich!("They come every {} steps, and not with the evaluations.", number(period)),
        None if slow_upkeep > 0 && odd.len() == 1 => rich!(
            "It held an evaluation or a checkpoint, and took at least {} times as long as such steps usually do.",
            number(STANDS_OUT)
        ),
        None if slow_upkeep > 0 => rich!(
            "They come at no regular interval. Of {} {} held an evaluation or a checkpoint, and took at least {} times as \
             long as such steps usually do.",
            counted(odd.len(), "step"),
            slow_upkeep,
            number(STANDS_OUT)
        ),
        None => "They are neither evaluations nor checkpoints, and come at no regular interval.".into(),
    };
    // The longest step of all is looked for, and may be none of them.
    let slowest = (0..signal.len()).max_by(|a, b| at(signal, *a).total_cmp(&at(signal, *b)));
    if let Some(slowest) = slowest.filter(|place| at(signal, *place) > longest) {
        let (step, seconds) = (step(signal.step(slowest)), number(at(signal, slowest)));
        let why = "as its neighbours, its work or an evaluation explain";
        detail.append(rich!(" Step {} took {} s, {}.", step, seconds, why));
    }
    Outcome::Found(vec![finding.supported_by(detail, &[signal], evidence, 0.8)])
}

fn at(signal: &MetricSeries<'_>, place: usize) -> f64 {
    signal.values.get(place).copied().unwrap_or(f64::NAN)
}

/// Steps with an evaluation or a checkpoint.
struct Upkeep {
    /// The steps, ascending.
    steps: Vec<f64>,
    /// Median time of such a step.
    usual: f64,
}

impl Upkeep {
    fn holds(&self, step: f64) -> bool {
        let next = self.steps.partition_point(|at| *at < step);
        self.steps.get(next).is_some_and(|at| *at == step)
    }
}

/// Each metric of evaluations and checkpoints by itself. One that is logged at every other step says nothing.
fn upkeep(context: &Context<'_>, times: &MetricSeries<'_>, typical: f64) -> Vec<Upkeep> {
    let signals = [Concept::UpkeepTime, Concept::Evaluation].into_iter().flat_map(|concept| context.signals(concept));
    let mut kinds = Vec::new();
    for signal in signals.take(KINDS) {
        let timed = signal.steps.iter().zip(signal.values.iter());
        let counts = |value: f64| signal.binding.concept == Concept::Evaluation || value > 0.0;
        let steps: Vec<f64> = timed.filter(|(_, value)| counts(**value)).map(|(step, _)| *step).collect();
        if steps.is_empty() || 2 * steps.len() > times.len() {
            continue;
        }
        let mut kind = Upkeep { steps, usual: typical };
        let pairs = times.steps.iter().zip(times.values.iter());
        let taken: Vec<f64> = pairs.filter(|(step, _)| kind.holds(**step)).map(|(_, time)| *time).collect();
        kind.usual = stats::median(&taken).unwrap_or(typical);
        kinds.push(kind);
    }
    kinds
}

/// The interval of regular spikes, in steps: nearly all gaps are multiples of the same number, which is not small.
fn period(signal: &MetricSeries<'_>, places: &[usize]) -> Option<f64> {
    if places.len() < REGULAR {
        return None;
    }
    let between = |(a, b): (&usize, &usize)| signal.step(*b) - signal.step(*a);
    let gaps: Vec<f64> = places.iter().zip(places.iter().skip(1)).map(between).collect();
    let mut sorted = gaps.clone();
    sorted.sort_by(f64::total_cmp);
    let period = sorted.get(sorted.len() / 2).copied().filter(|period| *period >= 3.0)?;
    let fits = gaps.iter().filter(|gap| is_multiple(**gap, period)).count() as f64;
    (fits >= FITTING * gaps.len() as f64).then_some(period)
}

fn is_multiple(number: f64, of: f64) -> bool {
    let times = number / of;
    times >= 0.5 && (times - times.round()).abs() < 1e-6
}

/// True when regular spikes are upkeep that was not logged as such: they follow an interval of the config, or fall on
/// evaluations, or no evaluation is logged that they could be told from.
fn is_planned(context: &Context<'_>, signal: &MetricSeries<'_>, odd: &[usize], upkeep: &[Upkeep], period: f64) -> bool {
    let intervals = context.run.config.iter().filter_map(|(key, value)| {
        let last = key.rsplit('.').next().unwrap_or(key);
        value.as_number().filter(|every| INTERVALS.contains(&last) && *every >= 2.0)
    });
    let on_evaluations = |kind: &Upkeep| {
        let fitting = odd.iter().filter(|place| kind.holds(signal.step(**place))).count() as f64;
        fitting >= FITTING * odd.len() as f64
    };
    upkeep.is_empty()
        || upkeep.iter().any(on_evaluations)
        || intervals.into_iter().any(|every| is_multiple(period, every))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn spiky(at: impl Fn(u32) -> bool) -> Synthetic {
        Synthetic::healthy(300).noisy(
            "step_time",
            8.0,
            move |t| if at((t * 300.0).round() as u32) { 900.0 } else { 100.0 },
        )
    }

    #[test]
    fn a_stall_is_found_at_its_step() {
        let finding = spiky(|step| step == 161).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(162.0)));
        let many = spiky(|step| [40, 53, 61, 90, 97, 131, 160, 171, 203, 244, 271].contains(&step)).finding(&CHECK);
        assert_eq!(many.severity, Severity::Warning, "{}", many.title);
        assert!(many.detail.to_string().contains("held an evaluation"), "{}", many.detail);
        assert!(finding.detail.to_string().contains("neither evaluations"), "{}", finding.detail);
        let slow = spiky(|step| step == 160).finding(&CHECK);
        assert!(slow.detail.to_string().starts_with("It held an evaluation"), "{}", slow.detail);
        let regular = spiky(|step| step % 37 == 36);
        assert_eq!(regular.finding(&CHECK).severity, Severity::Note, "evaluations are logged, and these are others");
    }

    #[test]
    fn evaluations_and_regular_steps_are_no_stalls() {
        assert!(spiky(|step| step % 50 == 30).quiet(&CHECK), "on evaluations");
        assert!(spiky(|step| step % 37 == 36).without("eval/accuracy").quiet(&CHECK), "perhaps evaluations");
        assert!(spiky(|step| step % 37 == 36).config("save_steps", 37.0).quiet(&CHECK), "checkpoints");
        let odd = |step: u32| [33, 61, 122, 160, 171, 244].contains(&step);
        let tested = |t: f64| if odd((t * 300.0).round() as u32) { 800.0 } else { 0.0 };
        assert!(spiky(odd).noisy("timing/testing", 0.0, tested).quiet(&CHECK), "evaluations");
        assert!(spiky(|_| false).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn steps_with_long_responses_are_slow_without_a_stall() {
        // Most steps are short; irregular ones have responses twenty times as long, and take their time.
        let is_long = |step: u32| step * 37 % 101 < 17;
        let length = move |t: f64| {
            let step = (t * 300.0).round() as u32;
            if is_long(step) { 4_000.0 } else { 200.0 + f64::from(step * 13 % 40) }
        };
        let followed = |stall: Option<u32>| {
            Synthetic::healthy(300).every("train/completions/max_length", 1, length).noisy("step_time", 2.0, move |t| {
                let stalls = stall == Some((t * 300.0).round() as u32);
                if stalls { 2_000.0 } else { 20.0 + 0.04 * length(t) }
            })
        };
        assert!(!followed(None).without("train/completions/max_length").quiet(&CHECK), "no length, no cause");
        assert!(followed(None).quiet(&CHECK), "their longest response explains them");
        let stalled = followed(Some(161)).finding(&CHECK);
        assert_eq!((stalled.onset, stalled.end), (Some(162.0), Some(162.0)), "{}", stalled.title);
    }
}

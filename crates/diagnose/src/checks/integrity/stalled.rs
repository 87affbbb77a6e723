//! The run stopped logging steps for a long time.
//!
//! # What it checks
//! Ten times the usual duration of a step went by, and ten minutes at least, without another step: within the run, or at
//! its end while something of it was still being logged and planned steps are missing. A warning when the run never went
//! on or lost a quarter of its time; a note when it went on sooner.
//!
//! # Why it matters
//! A job that hangs costs as much as one that trains, and nothing in the curves over steps shows it.
//!
//! # Evidence needed
//! The time of each row, or the duration of a step; and a metric of the training, as rows with times may be of
//! anything: gaps in a table of requests are no standstill of a run.
//!
//! # Threshold and where it comes from
//! Ten times, ten minutes: live monitors of GRPO runs call three times late and ten times dead. A GPG run stood for
//! 22,543 s in one step, against 230 s usually.
//!
//! # Known false alarms
//! Evaluations and checkpoints take long and come again: what comes twice is not called a standstill, and an evaluation
//! is compared with other evaluations. A preempted job that was queued again looks the same. At the end of a run only
//! what was still logged tells the time: a page has no clock, so a job that hangs now with nothing logged is not seen.
//! Use the tracker's own heartbeat.
//!
//! # What to do
//! Look at the console and the machine's metrics at that time: a hung collective, a full disk, a sampling engine that
//! does not answer.
//!
//! # References
//! Live monitors of GRPO runs (qwen3-8b-grpo-dapo-lab, observability); prime-rl's monitoring skill.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich_text::{percent, quantity, step};
use rundown_format::{Span, rich};
use rundown_run::{Run, RunState};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::Stalled, run);

/// Fewest durations that tell what is usual.
const DURATIONS: usize = 10;
/// Part of a standstill that makes another wait comparable with it: two such waits are a habit of the run.
const ALIKE: f64 = 1.0 / 3.0;

/// What only a training logs: one of them shows that the rows are its steps.
const TRAINING: [Concept; 13] = {
    use Concept::*;
    [
        Reward, RewardComponent, Evaluation, PolicyLoss, ValueLoss, KlToReference, KlToSampler, Entropy, ClipFraction,
        GradientNorm, Elo, WinRate, Criterion,
    ]
};

fn run(context: &Context<'_>) -> Outcome {
    if TRAINING.into_iter().all(|concept| context.signal(concept).is_none()) {
        return Outcome::Skipped(context.need(&[Concept::Reward]));
    }
    let rows = clocked(context.run);
    let Some(pace) = rows.filter(|pace| pace.durations.len() >= DURATIONS).or_else(|| timed(context)) else {
        return match context.signal(Concept::StepTime) {
            Some(_) => Outcome::Quiet(Vec::new()),
            None => Outcome::Skipped(context.need(&[Concept::StepTime])),
        };
    };
    match pace.standstill(context) {
        Some(still) => Outcome::Found(vec![finding(context, &pace, &still)]),
        None => Outcome::Quiet(vec![
            Evidence::new("usual step", pace.usual, "s"),
            Evidence::new("longest time without a step", pace.longest(), "s").above(context.rulebook.stall_seconds()),
        ]),
    }
}

/// How long steps took.
struct Pace {
    /// Step before, seconds until the next logged one, and how many steps that was.
    durations: Vec<(f64, f64, f64)>,
    /// Median seconds of a step.
    usual: f64,
    /// Seconds from the last step to the last sign of life, and that step.
    end: Option<(f64, f64)>,
}

struct Standstill {
    from: f64,
    seconds: f64,
    /// Steps that it took, or would have taken: one row may stand for thousands of an environment.
    steps: f64,
    at_end: bool,
}

impl Pace {
    fn new(durations: Vec<(f64, f64, f64)>, end: Option<(f64, f64)>) -> Self {
        let rates = durations.iter().map(|(_, seconds, steps)| seconds / steps);
        Self { usual: stats::median_of(rates).unwrap_or(f64::NAN), durations, end }
    }

    fn longest(&self) -> f64 {
        self.durations.iter().map(|(_, seconds, _)| *seconds).fold(0.0, f64::max)
    }

    fn total(&self) -> f64 {
        self.durations.iter().map(|(_, seconds, _)| *seconds).sum()
    }

    /// The durations in which one of the ascending steps was reached or left.
    fn of<'s>(&'s self, steps: &'s [f64]) -> impl Iterator<Item = &'s (f64, f64, f64)> {
        self.durations.iter().filter(|(from, _, count)| {
            let place = steps.partition_point(|step| step < from);
            steps.get(place).is_some_and(|step| *step <= from + count)
        })
    }

    /// The durations, with consecutive standstills joined into one: rows between two steps split one wait into several.
    fn waits(&self, stands: impl Fn(f64, f64) -> bool) -> impl Iterator<Item = (f64, f64, f64)> {
        let mut durations = self.durations.iter().copied().peekable();
        std::iter::from_fn(move || {
            let (from, mut seconds, mut steps) = durations.next()?;
            if stands(seconds, steps) {
                while let Some((_, more, further)) = durations.next_if(|(_, more, further)| stands(*more, *further)) {
                    (seconds, steps) = (seconds + more, steps + further);
                }
            }
            Some((from, seconds, steps))
        })
    }

    /// The longest standstill, if there is one that is no habit.
    fn standstill(&self, context: &Context<'_>) -> Option<Standstill> {
        let book = context.rulebook;
        let stands = |seconds: f64, steps: f64| {
            let usual = self.usual * steps;
            seconds >= book.stall_factor().value * usual && seconds - usual >= book.stall_seconds().value
        };
        let gap = self.durations.get(self.durations.len() / 2).map_or(1.0, |(_, _, steps)| *steps);
        if let Some((from, seconds)) = self.end
            && context.run.ending.state != RunState::Finished
            && !context.took_planned_steps()
            && stands(seconds, gap)
            && seconds >= 2.0 * self.longest()
        {
            return Some(Standstill { from, seconds, steps: gap, at_end: true });
        }
        let evaluated = evaluated(context);
        let (from, seconds, steps) = self
            .waits(stands)
            .filter(|(_, seconds, steps)| stands(*seconds, *steps))
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        let alike = self.waits(stands).filter(|(_, other, _)| *other >= ALIKE * seconds).count();
        // An evaluation is long by itself: it stands still when it takes ten times as long as others do.
        let usual: Vec<f64> = self.of(&evaluated).map(|(_, seconds, _)| *seconds).collect();
        let is_evaluation = self.of(&evaluated).any(|duration| duration.0 == from);
        let long = stats::median(&usual).is_none_or(|usual| seconds >= book.stall_factor().value * usual);
        (alike <= 1 && (!is_evaluation || long)).then_some(Standstill { from, seconds, steps, at_end: false })
    }
}

/// Steps with an evaluation, ascending.
fn evaluated(context: &Context<'_>) -> Vec<f64> {
    let evaluations = context.signals(Concept::Evaluation);
    let mut steps = Vec::with_capacity(evaluations.iter().map(|signal| signal.len()).sum());
    evaluations.iter().for_each(|signal| steps.extend_from_slice(&signal.steps));
    // The steps of a single evaluation ascend already, and sorting takes as much memory again.
    if !steps.is_sorted() {
        steps.sort_by(f64::total_cmp);
    }
    steps
}

/// The pace by the times of the rows.
fn clocked(run: &Run) -> Option<Pace> {
    // One allocation: nearly every row ends a step, and a list that grows is copied while both copies are held.
    let mut durations = Vec::with_capacity(run.row_times.len());
    let mut last: Option<(f64, f64)> = None;
    for (&step, &time) in run.axis.steps.iter().zip(&run.row_times) {
        if !time.is_finite() || !step.is_finite() {
            continue;
        }
        match last {
            Some((before, since)) if step > before && time >= since => {
                durations.push((before, time - since, step - before));
                last = Some((step, time));
            }
            // The same step goes on. Where the step or the clock goes back the run was started again: no time was lost.
            Some((before, _)) if step == before => {}
            _ => last = Some((step, time)),
        }
    }
    let signs = run.row_times.iter().chain(&run.system_times).copied().filter(|time| time.is_finite());
    let end = last.zip(signs.reduce(f64::max)).map(|((step, since), now)| (step, now - since));
    (!durations.is_empty()).then(|| Pace::new(durations, end))
}

/// The pace by the durations that the run itself logged, less what evaluation and checkpoints took.
fn timed(context: &Context<'_>) -> Option<Pace> {
    let times = context.signal(Concept::StepTime).filter(|times| times.len() >= DURATIONS)?;
    let upkeep = context.signal(Concept::UpkeepTime);
    let durations = times.steps.iter().zip(times.values.iter()).map(|(&at, &seconds)| {
        let other = upkeep.and_then(|upkeep| {
            let place = upkeep.steps.partition_point(|step| *step < at);
            (upkeep.steps.get(place) == Some(&at)).then(|| upkeep.values.get(place).copied()).flatten()
        });
        (at, (seconds - other.unwrap_or(0.0)).max(0.0), 1.0)
    });
    Some(Pace::new(durations.collect(), None))
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Read the console and the machine's metrics of that time",
            "shows a hung collective, a full disk or an engine that does not answer",
            "none",
            "steps per hour",
        ]),
        Advice::Do([
            "Set a time-out on collectives and requests, and restart from the last checkpoint when it is reached",
            "a hang costs minutes instead of hours",
            "slow but healthy steps may be cut off",
            "time between two steps below ten times the median",
        ]),
    ],
    alternative: "The job was preempted, queued or stopped on purpose, or waited for people, such as those who label its data.",
    refute: "The scheduler's records show the job waiting at that time.",
    references: &["qwen3-8b-grpo-dapo-lab docs/observability (late at 3 times, dead at 10 times the usual step)"],
};

fn finding(context: &Context<'_>, pace: &Pace, still: &Standstill) -> Finding {
    let book = context.rulebook;
    // A run that goes on will take the time of its other steps as well.
    let steps = context.planned_steps().map_or(0.0, |planned| (planned - context.last_step()).max(0.0));
    let ahead = if still.at_end { still.seconds } else { steps * pace.usual };
    let share = still.seconds / (pace.total() + ahead);
    let act = still.at_end || share >= book.stall_share().value;
    let severity = if act { Severity::Warning } else { Severity::Note };
    let (place, never) = if still.at_end { ("after", " and has not continued") } else { ("at", "") };
    let title = rich!("The run stalled for {} {} step {}{}", span(still.seconds), place, step(still.from), never);
    let mut finding = context.finding(Code::Stalled, severity, title, Some(still.from), &TEXTS);
    let usual = pace.usual * still.steps;
    let what = if still.steps == 1.0 {
        "A step usually takes".into()
    } else {
        rich!("{} steps usually take", step(still.steps))
    };
    let detail = rich!("{} {}. This is {} of the time of the run.", what, span(usual), percent(share));
    if !still.at_end {
        finding.end = Some(still.from);
    }
    let evidence = vec![
        Evidence::new("time without a step", still.seconds, "s").above(book.stall_seconds()),
        Evidence::new("against the usual time", still.seconds / usual, "times").above(book.stall_factor()),
        Evidence::new("usual time of as many steps", usual, "s"),
        Evidence::new("share of the run's time", share, "").above(book.stall_share()),
    ];
    finding.supported_by(detail, &[context.signal(Concept::StepTime)], evidence, 0.9)
}

/// Seconds as a person says them.
fn span(seconds: f64) -> Span {
    match seconds {
        seconds if seconds >= 5400.0 => quantity(seconds / 3600.0, "hours"),
        seconds if seconds >= 90.0 => quantity(seconds / 60.0, "minutes"),
        _ => quantity(seconds, "s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rulebook;
    use crate::checks::testing::{Synthetic, within};
    use rundown_run::{Column, ConfigValue, Run};

    /// A run of 200 steps of 60 s each, `extra` seconds more after a step, and system metrics until the end.
    fn timed_run(extra: impl Fn(usize) -> f64, state: RunState, after: f64) -> Run {
        let mut run = Synthetic::healthy(200).build();
        run.ending.state = state;
        let mut time = 1e9;
        for (row, at) in run.row_times.iter_mut().enumerate() {
            *at = time;
            time += 60.0 + extra(row);
        }
        let mut column = Column::default();
        column.push(0, 1.0);
        run.system.insert("gpu".to_owned(), column);
        run.system_times.push(time - 60.0 + after);
        run
    }

    fn check(run: &Run) -> Outcome {
        within(run, |context| CHECK.outcome(context))
    }

    fn one(outcome: Outcome) -> Finding {
        match outcome {
            Outcome::Found(mut findings) if findings.len() == 1 => findings.remove(0),
            other => panic!("expected a finding, got {other:?}"),
        }
    }

    #[test]
    fn a_standstill_is_found_where_it_begins() {
        let hang = one(check(&timed_run(|row| if row == 99 { 20_000.0 } else { 0.0 }, RunState::Finished, 0.0)));
        assert_eq!((hang.severity, hang.onset), (Severity::Warning, Some(100.0)));
        let short = one(check(&timed_run(|row| if row == 99 { 1500.0 } else { 0.0 }, RunState::Finished, 0.0)));
        assert_eq!(short.severity, Severity::Note);
        let ended = one(check(&timed_run(|_| 0.0, RunState::Running, 7200.0)));
        assert_eq!((ended.severity, ended.onset), (Severity::Warning, Some(200.0)));
        let mut planned = timed_run(|_| 0.0, RunState::Unknown, 7200.0);
        planned.config.insert("num_total_batches", ConfigValue::Number(300.0));
        assert_eq!(one(check(&planned)).onset, Some(200.0));
        planned.config.insert("num_total_batches", ConfigValue::Number(200.0));
        assert!(matches!(check(&planned), Outcome::Quiet(_)), "it took all of its steps, and saves or evaluates");
        let logged = Synthetic::healthy(200).every("train/step_time", 1, |t| if t == 0.8 { 22_543.0 } else { 230.0 });
        assert_eq!(logged.finding(&CHECK).onset, Some(161.0));
    }

    #[test]
    fn rows_of_many_steps_are_compared_with_such_rows() {
        let mut run = timed_run(|row| if row == 99 { 20_000.0 } else { 0.0 }, RunState::Finished, 0.0);
        run.axis.steps = run.axis.steps.iter().map(|step| 32_768.0 * step).collect();
        let hang = one(check(&run));
        assert!(hang.detail.to_string().starts_with("32768 steps usually take 60 s."), "{}", hang.detail);
        assert!(hang.evidence.iter().any(|number| number.unit == "times" && (number.value - 334.0).abs() < 1.0));
    }

    #[test]
    fn rows_within_a_step_do_not_split_a_standstill() {
        let split = timed_run(|row| if row == 99 || row == 100 { 9_000.0 } else { 0.0 }, RunState::Finished, 0.0);
        assert_eq!(one(check(&split)).onset, Some(100.0));
    }

    #[test]
    fn rows_with_times_and_no_metric_of_a_training_are_no_run_that_stands_still() {
        let mut run = timed_run(|row| if row == 99 { 20_000.0 } else { 0.0 }, RunState::Finished, 0.0);
        let rows = run.axis.steps.len();
        run.columns.clear();
        for row in 0..rows as u32 {
            run.push_value("requests", row, f64::from(row));
        }
        assert!(matches!(check(&run), Outcome::Skipped(_)));
        assert_eq!(crate::diagnose(&run, &Rulebook::default()).verdict, crate::Verdict::Undecided);
        for row in 0..rows as u32 {
            run.push_value("train/reward", row, 0.5);
        }
        assert!(matches!(check(&run), Outcome::Found(_)));
    }

    #[test]
    fn habits_and_final_evaluations_are_quiet() {
        let evaluated = timed_run(|row| if row % 20 == 19 { 1200.0 } else { 0.0 }, RunState::Finished, 0.0);
        assert!(matches!(check(&evaluated), Outcome::Quiet(_)));
        assert!(matches!(check(&timed_run(|_| 0.0, RunState::Finished, 7200.0)), Outcome::Quiet(_)));
        assert!(matches!(check(&timed_run(|_| 5.0, RunState::Running, 300.0)), Outcome::Quiet(_)));
        assert!(matches!(Synthetic::healthy(100).check(&CHECK), Outcome::Skipped(_)));
    }
}

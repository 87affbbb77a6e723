//! How long the steps of a run took.

use crate::context::Context;
use crate::measure::series::MetricSeries;
use rundown_run::Run;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Longer than this many times the usual time of a step is a gap.
const GAP: f64 = 10.0;
/// Share of the steps above which long ones are no gaps but work, such as evaluations.
const GAP_SHARE: f64 = 0.01;
/// Gaps that may be there in a run of any length.
const GAPS: usize = 2;
/// Part of a long step that logged evaluations and checkpoints explain where it is none.
const EXPLAINED: f64 = 0.8;

/// Metrics of each update, and how many more points than times of steps show that they are logged between these.
const EACH_STEP: [Concept; 4] = [Concept::Reward, Concept::PolicyLoss, Concept::GradientNorm, Concept::KlToReference];
const DENSER: f64 = 1.5;
/// Seconds of all steps together below which they were not timed: a tracker wrote rows that had waited, one right after the other.
const MIN_SECONDS: f64 = 1.0;

/// Times of rows below this one count from the start of the training, in seconds: two years. Times of day without a date count from
/// 1972, others are Unix times.
const LONGEST_RUN: f64 = 6e7;

/// When the steps of a run were done.
pub(super) struct Clock {
    /// From step, to step, seconds; in the order of time.
    spans: Vec<(f64, f64, f64)>,
    /// Seconds in gaps and between restarts.
    pub idle: f64,
    /// Where the times are from.
    pub from: String,
    /// Only the time of the whole run is known, not that of its parts.
    pub is_total: bool,
    /// The time up to the first row is not known.
    pub is_between_rows: bool,
}

/// Final values with the seconds that a whole run took: of the Hugging Face Trainer (`Trainer.train` logs it when it is
/// done), and of W&B (from the start of the run to its last row).
const TOTALS: [&str; 3] = ["train_runtime", "train/train_runtime", "_runtime"];

impl Clock {
    /// The clock of a run; `None` where fewer than three steps have times. A long step whose time is that of a logged evaluation or
    /// checkpoint (`upkeep`) is no gap. Times that count from the start of the training, as a progress bar shows them, also tell how
    /// long the steps before the first row took, where the log holds the run from its start on.
    pub fn of_rows(run: &Run, upkeep: &[MetricSeries<'_>], is_from_start: bool) -> Option<Clock> {
        // A trainer writes several rows for a step, at fractions between it and the next: whole steps are timed.
        let has_three = |place| reached(run, place).nth(2).is_some();
        let place = [f64::floor, |step| step].into_iter().find(|place| has_three(*place))?;
        // One allocation: nearly every row ends a span, and a list that grows is copied while both copies are held.
        let mut spans = Vec::with_capacity(run.axis.steps.len());
        let mut idle = 0.0;
        for ((start, began), (end, ended)) in reached(run, place).zip(reached(run, place).skip(1)) {
            let seconds = ended - began;
            if end > start && seconds >= 0.0 {
                spans.push((start, end, seconds));
            } else {
                // A restart: what lies between the two parts is not training.
                idle += seconds.max(0.0);
            }
        }
        if spans.iter().map(|(_, _, seconds)| seconds).sum::<f64>() < MIN_SECONDS {
            return None;
        }
        let pace = |(start, end, seconds): &(f64, f64, f64)| seconds / (end - start);
        let usual = stats::median_of(spans.iter().map(pace))?;
        let limit = GAP * usual;
        let is_gap = |span: &(f64, f64, f64)| pace(span) > limit && span.2 * EXPLAINED > upkeep_within(upkeep, span);
        let long = spans.iter().filter(|span| is_gap(span)).count();
        if long <= GAPS.max((GAP_SHARE * spans.len() as f64) as usize) {
            idle += spans.iter().filter(|span| is_gap(span)).map(|(_, _, seconds)| seconds).sum::<f64>();
            spans.retain(|span| !is_gap(span));
        }
        let before = reached(run, place).next().map(|(step, time)| (0.0, step, time)).filter(|(_, step, time)| {
            is_from_start && *step > 0.0 && *time < LONGEST_RUN && (usual / GAP..=limit).contains(&(time / step))
        });
        let is_between_rows = before.is_none();
        before.into_iter().for_each(|before| spans.insert(0, before));
        Some(Clock { spans, idle, from: "times of the rows".to_owned(), is_total: false, is_between_rows })
    }

    /// The clock of a run without times that logs how long each step takes, as verl does. `None` where others of its
    /// metrics are logged at steps between: the times may be those of single steps, or of a loop around several.
    pub fn logged(context: &Context<'_>) -> Option<Clock> {
        let signal = context.signal(Concept::StepTime).filter(|signal| signal.len() >= 3 && signal.min() >= 0.0)?;
        let is_denser = |other: &MetricSeries<'_>| other.len() as f64 > DENSER * signal.len() as f64;
        if EACH_STEP.iter().flat_map(|concept| context.signals(*concept)).any(is_denser) {
            return None;
        }
        // The first value is of the steps before it, where there are no others.
        let start = if context.is_logged_from_start() { 0.0 } else { f64::INFINITY };
        let starts = std::iter::once(start).chain(signal.steps.iter().copied());
        let spans = starts
            .zip(signal.steps.iter().zip(signal.values.iter()))
            .filter(|(start, (end, _))| *end > start)
            .map(|(start, (end, each))| (start, *end, each * (end - start)));
        let from = signal.key().to_owned();
        Some(Clock { spans: spans.collect(), idle: 0.0, from, is_total: false, is_between_rows: false })
    }

    /// The clock of a run of which only the whole time was logged, between its first and its last step. `None` where that
    /// may be the time of a part: of the last of several trainings, or of several starts.
    pub fn of_total(run: &Run, first: f64, last: f64) -> Option<Clock> {
        let (key, seconds) =
            run.summary.number(&TOTALS).filter(|(_, seconds)| *seconds > 0.0 && seconds.is_finite())?;
        let begins_again = || run.axis.steps.iter().zip(run.axis.steps.iter().skip(1)).any(|(a, b)| b < a);
        let is_whole = run.starts_at.is_empty() && !begins_again();
        let from = format!("the total run time ({key})");
        (is_whole && last > first).then(|| Clock {
            spans: vec![(first, last, seconds)],
            idle: 0.0,
            from,
            is_total: true,
            is_between_rows: false,
        })
    }

    /// Seconds of work within steps, spans cut in proportion; `None` for a part of a run of which only the whole time is known.
    pub fn seconds(&self, from: f64, to: f64) -> Option<f64> {
        let is_part = |(start, end, _): &(f64, f64, f64)| from > *start || to < *end;
        if self.is_total && self.spans.iter().any(is_part) {
            return None;
        }
        let inside = |(start, end, seconds): &(f64, f64, f64)| {
            let shared = end.min(to) - start.max(from);
            if shared > 0.0 { seconds * (shared / (end - start)).min(1.0) } else { 0.0 }
        };
        Some(self.spans.iter().map(inside).sum())
    }
}

/// Seconds of evaluations and checkpoints that were logged for the steps of a span, but for its first.
fn upkeep_within(upkeep: &[MetricSeries<'_>], (start, end, _): &(f64, f64, f64)) -> f64 {
    let up_to = |signal: &MetricSeries<'_>, last: f64| signal.steps.partition_point(|step| *step <= last);
    let within = |signal: &MetricSeries<'_>| {
        signal.values.get(up_to(signal, *start)..up_to(signal, *end)).map_or(0.0, |seconds| seconds.iter().sum::<f64>())
    };
    upkeep.iter().map(within).sum::<f64>()
}

/// Steps in the order of logging, each with the time of its last row.
fn reached(run: &Run, place: fn(f64) -> f64) -> impl Iterator<Item = (f64, f64)> {
    let timed = run.axis.steps.iter().zip(&run.row_times).filter(|(_, time)| time.is_finite());
    let mut rows = timed.map(move |(step, time)| (place(*step), *time)).peekable();
    std::iter::from_fn(move || {
        let (step, mut latest) = rows.next()?;
        while let Some((_, time)) = rows.next_if(|(at, _)| *at == step) {
            latest = latest.max(time);
        }
        Some((step, latest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_costs_its_steps_twice_and_the_pause_nothing() {
        let mut run = Run::default();
        let steps = (1..=50).chain(41..=100).map(f64::from);
        for (row, step) in steps.enumerate() {
            let pause = if row >= 50 { 1e6 } else { 0.0 };
            run.push_row(step, 1.7e9 + 60.0 * row as f64 + pause);
        }
        run.choose_axis();
        let clock = Clock::of_rows(&run, &[], true).unwrap();
        assert_eq!(clock.seconds(1.0, 100.0), Some(60.0 * (49.0 + 59.0)));
        assert_eq!(clock.idle, 1e6 + 60.0);
    }

    #[test]
    fn times_since_the_start_tell_of_the_steps_before_the_first_row() {
        let clock = |start: f64, is_from_start| {
            let mut run = Run::default();
            for row in 1..=10_u32 {
                run.push_row(f64::from(5 * row), start + 300.0 * f64::from(row));
            }
            run.choose_axis();
            Clock::of_rows(&run, &[], is_from_start).map(|clock| (clock.is_between_rows, clock.seconds(0.0, 50.0)))
        };
        assert_eq!(clock(0.0, true), Some((false, Some(3000.0))));
        for (start, is_from_start) in [(0.0, false), (1.7e9, true), (7e7, true), (30_000.0, true), (-299.0, true)] {
            assert_eq!(clock(start, is_from_start), Some((true, Some(2700.0))), "{start}");
        }
    }

    #[test]
    fn several_rows_of_a_step_are_one() {
        let mut run = Run::default();
        for step in 0..40_u32 {
            for part in 0..5_u32 {
                let slow = if part == 4 { 50.0 } else { 0.01 };
                run.push_row(f64::from(step) + 0.2 * f64::from(part), 1.7e9 + 60.0 * f64::from(step) + slow);
            }
        }
        run.choose_axis();
        assert_eq!(
            Clock::of_rows(&run, &[], true).map(|clock| (clock.seconds(0.0, 39.0), clock.idle)),
            Some((Some(39.0 * 60.0), 0.0))
        );
    }
}

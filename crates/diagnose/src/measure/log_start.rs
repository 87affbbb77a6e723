//! Whether a log holds the start of its training. A part of a log that was pasted begins anywhere: what its first rows show is
//! not what the policy was before any update.

use crate::measure::start_to_end::FIRST_INTERVALS;
use rundown_format::rich_text::{number, step};
use rundown_format::{RichText, rich};
use rundown_run::{AxisReason, Run};
use rundown_stats as stats;

/// Intervals at the beginning of a log, of which the longest counts.
const EARLY_INTERVALS: usize = 5;
/// A log that begins after more of its intervals begins late. Ours: logs of episodes, of several environments, and of trainings
/// that first fill a buffer or wait for a critic, begin some intervals after the start.
const LATE_INTERVALS: f64 = 20.0;
/// Steps from one row to the next from which on rows are missing in a log of each step. Ours: some loops skip a step or two.
const MISSING_STEPS: f64 = 5.0;
/// Largest error of an epoch: trainers print it with two digits.
const ROUNDING: f64 = 0.01;

/// Where a log begins that does not hold the start of its training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LateStart {
    /// At this step of the trainer.
    Step(f64),
    /// At this epoch; rows are counted, so that the first of them has a small step all the same.
    Epoch(f64),
}

impl LateStart {
    /// The place, such as "step 3183".
    pub fn words(self) -> RichText {
        match self {
            LateStart::Step(at) => rich!("step {}", step(at)),
            LateStart::Epoch(at) => rich!("epoch {}", number(at)),
        }
    }
}

/// Where a log begins, if training had gone on for many of its intervals before; by epochs, for more than two.
pub fn late_start(run: &Run) -> Option<LateStart> {
    match run.axis.why {
        AxisReason::TrainerCounter | AxisReason::DefineMetric => late_step(run).map(LateStart::Step),
        AxisReason::RowCount => late_epoch(run).map(LateStart::Epoch),
        _ => None,
    }
}

/// By the values of the counter itself: rows without one have estimated steps.
fn late_step(run: &Run) -> Option<f64> {
    let steps = run.columns.get(&run.axis.key)?.values();
    let first = steps.iter().copied().find(|step| step.is_finite())?;
    // An interval is a step at least: the log cannot begin late.
    if first <= LATE_INTERVALS {
        return None;
    }
    let rises = rises(steps);
    // Episodes get shorter and rollouts warm up: the first intervals may be longer than the others.
    let early = rises.iter().take(EARLY_INTERVALS).copied().fold(0.0, f64::max);
    // A single row does not show its interval: that is a step at least.
    let interval = if steps.len() == 1 { 1.0 } else { stats::median(&rises)?.max(early).max(1.0) };
    (first > LATE_INTERVALS * interval).then_some(first)
}

/// The last step before and the first one behind the only gap in a log that has a row for each step, as where parts of a log were
/// pasted together. Not beside a single row at its start or end, which may be an evaluation before or after the training.
pub fn missing_steps(run: &Run) -> Option<(f64, f64)> {
    if run.axis.why != AxisReason::TrainerCounter {
        return None;
    }
    let steps = run.columns.get(&run.axis.key)?.values();
    let pairs = steps.iter().zip(steps.iter().skip(1)).enumerate();
    let mut gaps = pairs.filter(|(_, (before, after))| **after - **before >= MISSING_STEPS);
    let (place, (before, after)) = gaps.next()?;
    let is_inside = place > 0 && place + 2 < steps.len();
    let is_of_each_step = stats::median(&rises(steps)) == Some(1.0);
    (is_inside && is_of_each_step && gaps.next().is_none()).then_some((*before, *after))
}

fn late_epoch(run: &Run) -> Option<f64> {
    let is_epoch = |key: &str| key.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("epoch"));
    let (_, column) = run.columns.iter().find(|(key, _)| is_epoch(key))?;
    let epochs = column.values();
    let first = epochs.first().copied()?;
    // Neighbours differ by a whole digit or not at all where they are printed with two: the mean is what is known.
    let interval = stats::mean(&rises(epochs))?;
    (first > FIRST_INTERVALS * interval + ROUNDING).then_some(first)
}

/// By how much a counter goes up, wherever it does.
fn rises(values: &[f64]) -> Vec<f64> {
    stats::differences(values).into_iter().filter(|difference| *difference > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::RunWarning;

    fn run(key: &str, values: &[f64]) -> Run {
        let mut run = Run::default();
        if key == "epoch" {
            run.warnings.push(RunWarning::RowsCounted);
        }
        for (number, value) in values.iter().enumerate() {
            let row = run.push_row(number as f64, f64::NAN);
            run.push_value(key, row, *value);
            if key == "epoch" {
                run.push_value("step", row, (number + 1) as f64);
            }
        }
        run.choose_axis();
        run
    }

    #[test]
    fn a_log_that_begins_in_the_middle_is_known_by_its_steps() {
        assert_eq!(late_start(&run("step", &[3183.0, 3184.0, 3185.0])), Some(LateStart::Step(3183.0)));
        assert_eq!(late_start(&run("step", &[1.0, 2.0, 3.0])), None);
        assert_eq!(late_start(&run("step", &[100.0, 200.0, 300.0])), None, "each hundredth step");
        assert_eq!(late_start(&run("step", &[41.0, 51.0, 61.0])), None, "some intervals after the start");
        assert_eq!(late_start(&run("step", &[3721.0])), Some(LateStart::Step(3721.0)), "a single row");
        assert_eq!(late_start(&run("step", &[20.0])), None);
    }

    #[test]
    fn a_single_gap_in_a_log_of_each_step_is_known() {
        let gap = |steps: &[f64]| missing_steps(&run("step", steps));
        assert_eq!(gap(&[13.0, 14.0, 15.0, 28.0, 29.0, 30.0]), Some((15.0, 28.0)));
        for none in [
            &[1.0, 2.0, 3.0, 6.0, 7.0, 8.0][..],
            &[1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 20.0, 21.0],
            &[10.0, 20.0, 30.0, 60.0, 70.0],
            &[0.0, 50.0, 51.0, 52.0],
            &[1.0, 2.0, 3.0, 50.0],
        ] {
            assert_eq!(gap(none), None, "{none:?}");
        }
    }

    #[test]
    fn of_counted_rows_the_epoch_tells() {
        assert_eq!(late_start(&run("epoch", &[0.11, 0.13, 0.14, 0.16])), Some(LateStart::Epoch(0.11)));
        assert_eq!(late_start(&run("epoch", &[0.01, 0.02, 0.03])), None);
        assert_eq!(late_start(&run("epoch", &[0.2, 0.2, 0.4, 0.4])), None, "two rows of each time");
        assert_eq!(late_start(&run("epoch", &[0.3, 0.3, 0.3])), None, "an interval of 0 says nothing");
        assert_eq!(late_start(&run("epoch", &[1.0, 2.0, 3.0])), None);
    }
}

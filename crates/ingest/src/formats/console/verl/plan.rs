//! The steps that verl was to take, as it prints them before the first, and whether the last of them was taken. Where its settings
//! hold epochs alone, nothing else says the plan.
//!
//! Versions before `is_last_step` count up and then stop where the counter has reached the total: their last row is the one
//! before it.

use crate::formats::console::progress::leading_number;
use crate::rows::plan;
use rundown_run::{Column, Run, RunState};

/// What verl prints before the number.
const TOTAL: &str = "Total training steps: ";
/// What its workers print before and behind the same number, for their learning rates.
const WORKERS_TOTAL: [&str; 2] = ["Total steps: ", ", num_warmup_steps: "];
/// The time that a checkpoint took, in the row of its step.
const CHECKPOINT: &str = "timing_s/save_checkpoint";

/// Reads the total.
#[derive(Debug, Default)]
pub(in crate::formats::console) struct VerlPlan {
    total: Option<u64>,
}

impl VerlPlan {
    /// Adds a segment that is no row of metrics.
    pub(in crate::formats::console) fn add(&mut self, text: &str) {
        let [before, behind] = WORKERS_TOTAL;
        let of_trainer = text.strip_prefix(TOTAL).and_then(leading_number);
        let of_worker =
            || text.strip_prefix(before).and_then(leading_number).filter(|(_, rest)| rest.starts_with(behind));
        // A worker without a plan of its own prints 0.
        if let Some((total, _)) = of_trainer.or_else(of_worker).filter(|(total, _)| *total > 0) {
            self.total = Some(total);
        }
    }

    /// Notes the plan as a setting unless one says it. The settings of several trainings in one log are common, and their totals
    /// may differ.
    pub(in crate::formats::console) fn note(&self, run: &mut Run) {
        let Some(total) = self.total else { return };
        let steps = if note_end(run, total) { total - 1 } else { total };
        if run.starts_at.is_empty() {
            plan::note_setting(run, steps as f64);
        }
    }
}

/// Notes that the run is done where its last row is one before the total and saved a checkpoint, as the last step does, and
/// nothing else says how it ended. True where it is.
fn note_end(run: &mut Run, total: u64) -> bool {
    let last_row = run.row_steps.len().saturating_sub(1);
    let has_checkpoint = |column: &Column| column.points().last().is_some_and(|(row, _)| row as usize == last_row);
    let last = run.columns.get("step").and_then(Column::last);
    let is_end = run.ending.state == RunState::Unknown
        && last == Some(total as f64 - 1.0)
        && run.columns.get(CHECKPOINT).is_some_and(has_checkpoint);
    if is_end {
        plan::finish(run, total as f64 - 1.0);
    }
    is_end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(total: &str, last: &str) -> Run {
        let mut plan = VerlPlan::default();
        plan.add(total);
        let mut run = Run::default();
        for (step, key) in [(99.0, CHECKPOINT), (100.0, last)] {
            let row = run.push_row(step, f64::NAN);
            run.push_value("step", row, step);
            run.push_value(key, row, 1.0);
        }
        plan.note(&mut run);
        run
    }

    fn state(total: &str, last: &str) -> RunState {
        read(total, last).ending.state
    }

    #[test]
    fn the_total_is_the_plan() {
        let planned =
            |total: &str, last: &str| read(total, last).config.number(&[plan::SETTING]).map(|(_, steps)| steps);
        assert_eq!(planned("Total training steps: 563250", "timing_s/gen"), Some(563_250.0));
        assert_eq!(planned("Total training steps: 101", CHECKPOINT), Some(100.0), "all that it takes");
        assert_eq!(planned("Total steps: 101", CHECKPOINT), None);
        assert_eq!(planned("Total steps: 435, num_warmup_steps: 0", "timing_s/gen"), Some(435.0), "of a worker");
    }

    #[test]
    fn a_worker_without_a_plan_replaces_none() {
        let mut plan = VerlPlan::default();
        ["Total training steps: 435", "Total steps: 0, num_warmup_steps: 0"].iter().for_each(|line| plan.add(line));
        assert_eq!(plan.total, Some(435));
    }

    #[test]
    fn the_row_before_the_total_is_the_last_of_old_versions() {
        assert_eq!(state("Total training steps: 101", CHECKPOINT), RunState::Finished);
        assert_eq!(state("Total training steps: 101", "timing_s/gen"), RunState::Unknown, "no checkpoint");
        assert_eq!(state("Total training steps: 200", CHECKPOINT), RunState::Unknown);
        assert_eq!(state("Total steps: 101", CHECKPOINT), RunState::Unknown);
    }
}

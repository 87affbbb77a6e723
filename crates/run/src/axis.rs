//! Which column is the x axis of a run, and why.
//!
//! W&B's `_step` counts calls of `log`, not optimiser steps: TRL's profiling alone makes ten rows a step. The
//! trainer's own counter is preferred wherever it was logged.
use serde::Serialize;

use super::RowNumbers;

/// Trainers' own step counters, best first.
pub const STEP_KEYS: [&str; 7] = [
    "train/global_step", "global_step", "training/global_step", "trainer/global_step", "train/step", "step",
    // ROLL.
    "system/step",
];
/// Settings that hold the number of steps that a run was to take, best first.
pub const PLANNED_STEPS_KEYS: [&str; 29] = [
    "max_steps",
    "trainer.total_training_steps",
    "total_training_steps",
    "rl_training_config.max_steps",
    "grpo.max_num_steps",
    "trainer.max_training_steps",
    "trainer.max_steps",
    "orchestrator.max_steps",
    "num_rollout",
    "num_training_steps",
    "total_train_steps",
    "total_steps",
    "num_steps",
    "orchestration.num_steps",
    "all_steps",
    "num_total_batches",
    "num_train_steps",
    "n_train_steps",
    "max_train_steps",
    "n_training_steps",
    "n_grpo_steps",
    "num_grpo_steps",
    "max_grpo_steps",
    "total_grpo_steps",
    "n_rl_steps",
    "num_rl_steps",
    "max_rl_steps",
    "actor_rollout_ref.actor.optim.total_training_steps",
    "critic.optim.total_training_steps",
];

/// Fewest rows that show a step counter to be constant.
const ROWS_OF_CONSTANT: usize = 5;
/// Fewest rows that show that a step counter keeps pace with the row count: a few may by chance.
const ROWS_OF_DISTANCE: usize = 10;
/// So many restarts happen in any run.
const FEW_RESTARTS: usize = 2;
/// Fewest restarts after which the few steps that are passed each time are those of a part of the training, such as the epochs of a
/// batch: nobody starts a training anew so often and always breaks it off at the same step. Ours.
const MANY_PASSES: usize = 5;
/// More restarts than one in so many rows are several writers.
const ROWS_PER_RESTART: usize = 20;

/// The steps of all rows of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepAxis {
    /// The key that gives the step, such as `train/global_step`, or `_step`.
    pub key: String,
    /// Why this key.
    #[serde(serialize_with = "in_words")]
    pub why: AxisReason,
    /// One finite step for each row of the run.
    #[serde(skip)]
    pub steps: Vec<f64>,
    /// Places where the step went back: a resumed run that logged some steps again.
    #[serde(skip)]
    pub restarts: Vec<Restart>,
}

fn in_words<S: serde::Serializer>(why: &AxisReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(why.message())
}

/// Why a key gives the steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisReason {
    /// A `define_metric` rule of the run names it.
    DefineMetric,
    /// It is a trainer's own counter, one of [`STEP_KEYS`].
    TrainerCounter,
    /// Such a counter, which begins again with each epoch, episode or round and is counted on.
    CountedOn,
    /// No steps were logged, but a counter of something larger, such as the epoch.
    CoarseCounter,
    /// No steps were logged: rows at even distances over the steps of a progress bar.
    ProgressBar,
    /// No trainer logged a counter: the tracker's count of rows stands in, or that of a log's rows.
    RowCount,
    /// Nothing was logged.
    NoStep,
}

impl AxisReason {
    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            AxisReason::DefineMetric => "the run defines it as the step of its metrics (define_metric)",
            AxisReason::TrainerCounter => "the trainer's own step counter",
            AxisReason::CountedOn => {
                "the trainer's own step counter, which begins again with each epoch, episode or round: counted on"
            }
            AxisReason::CoarseCounter => {
                "no trainer's step was logged: a counter of epochs, episodes or rollouts is used"
            }
            AxisReason::ProgressBar => "no trainer's step was logged: estimated from the progress bar",
            AxisReason::RowCount => "no trainer's step was logged: rows are counted",
            AxisReason::NoStep => "no step was logged: rows are counted",
        }
    }
}

impl Default for StepAxis {
    fn default() -> Self {
        Self { key: "_step".to_owned(), why: AxisReason::NoStep, steps: Vec::new(), restarts: Vec::new() }
    }
}

/// A backward jump of the step counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Restart {
    /// First row after the jump.
    pub row: u32,
    /// Step before the jump.
    pub left_at: f64,
    /// Step after it.
    pub resumed_at: f64,
}

impl StepAxis {
    /// Builds an axis of `rows` rows from a column that may be missing in some of them.
    ///
    /// `logged_in` are the rows of `values`, ascending; a row without a value takes its place evenly between its
    /// neighbours, so that no two rows are forced onto one step. Non-finite steps count as missing.
    pub fn from_column(
        key: &str,
        why: AxisReason,
        rows: usize,
        logged_in: RowNumbers<'_>,
        values: &[f64],
    ) -> Option<StepAxis> {
        let is_whole = rows > 0 && logged_in == RowNumbers::Range { first: 0, len: rows };
        if is_whole && values.len() == rows && values.iter().all(|step| step.is_finite()) {
            return Some(StepAxis { key: key.to_owned(), why, restarts: restarts(values), steps: values.to_vec() });
        }
        let known: Vec<(usize, f64)> = logged_in
            .iter()
            .zip(values)
            .filter(|(row, step)| step.is_finite() && (*row as usize) < rows)
            .map(|(row, step)| (row as usize, *step))
            .collect();
        let &(first_row, first_step) = known.first()?;
        let &(_, last_step) = known.last()?;
        let mut steps = Vec::with_capacity(rows);
        steps.resize(first_row, first_step);
        for pair in known.windows(2) {
            let [(row, step), (next_row, next_step)] = pair else { continue };
            let gap = next_row.saturating_sub(*row).max(1);
            for position in 0..next_row.saturating_sub(*row) {
                let share = position as f64 / gap as f64;
                // Between two segments of a restarted run there is nothing to interpolate.
                let forward = if next_step >= step { next_step - step } else { 0.0 };
                steps.push(step + forward * share);
            }
        }
        steps.resize(rows, last_step);
        Some(StepAxis { key: key.to_owned(), why, restarts: restarts(&steps), steps })
    }

    /// Takes the steps of rows before the first one with a step, such as the evaluation of the untrained model, from the
    /// tracker's count of rows (`counted`), where its distance from the step is the same in all rows that have both.
    pub(super) fn with_first_rows(mut self, logged_in: RowNumbers<'_>, counted: &[f64]) -> StepAxis {
        let Some(first) = logged_in.first().filter(|first| *first > 0 && logged_in.len() >= ROWS_OF_DISTANCE) else {
            return self;
        };
        let distance = |row: u32| Some(counted.get(row as usize)? - self.steps.get(row as usize)?);
        let Some(apart) = distance(first) else { return self };
        if logged_in.iter().all(|row| distance(row) == Some(apart)) {
            for (step, counted) in self.steps.iter_mut().zip(counted).take(first as usize) {
                let told = counted - apart;
                // Counters begin at 0 or 1.
                if (0.0..*step).contains(&told) {
                    *step = told;
                }
            }
        }
        self
    }

    /// True where several rows all have the same step.
    pub(super) fn is_constant(&self) -> bool {
        self.steps.len() >= ROWS_OF_CONSTANT && self.steps.windows(2).all(|pair| pair.first() == pair.last())
    }

    /// True where the counter passes the same steps many times, one by one and fewer than `limit` of them, and the last time perhaps
    /// not all. Steps with a distance between them, such as those of evaluations, are of several trainings.
    pub(super) fn passes_a_part(&self, limit: usize) -> bool {
        let mut from = 0;
        let ends = self.restarts.iter().map(|restart| restart.row as usize);
        let mut passes = ends.filter_map(|end| self.steps.get(std::mem::replace(&mut from, end)..end));
        let Some(first) = passes.next().filter(|steps| steps.len() < limit) else { return false };
        let is_one_by_one = first.iter().zip(first.iter().skip(1)).all(|(step, next)| next - step == 1.0);
        let is_same = passes.all(|steps| steps == first);
        let last = self.steps.get(from..).unwrap_or_default();
        is_one_by_one && is_same && self.restarts.len() >= MANY_PASSES && first.starts_with(last)
    }

    /// True where the step goes back so often that several processes must have logged it.
    pub fn has_several_writers(&self) -> bool {
        self.restarts.len() > FEW_RESTARTS && self.restarts.len() * ROWS_PER_RESTART > self.steps.len()
    }

    /// The restarts after which steps were taken again. Where only a row stands out of order, such as an evaluation that
    /// is logged late under the step of its checkpoint, nothing was taken again; and with several writers nothing is said.
    pub fn replays(&self) -> impl Iterator<Item = &Restart> {
        let many = self.has_several_writers();
        let ends = self.restarts.iter().skip(1).map(|next| next.row as usize).chain([self.steps.len()]);
        let is_replay = |(restart, end): &(&Restart, usize)| {
            let after = self.steps.iter().take(*end).skip(restart.row as usize);
            let mut again = after.take_while(|step| **step <= restart.left_at);
            again.any(|step| *step > restart.resumed_at)
        };
        self.restarts.iter().zip(ends).filter(move |_| !many).filter(is_replay).map(|(restart, _)| restart)
    }

    /// The same counter without its restarts: each segment goes on where the one before ended.
    pub(super) fn counted_on(mut self) -> StepAxis {
        let forward = self.steps.windows(2).filter_map(|pair| match pair {
            [before, after] if after > before => Some(after - before),
            _ => None,
        });
        let distance = forward.reduce(f64::min).unwrap_or(1.0);
        let mut offset = 0.0;
        let mut segments = self.restarts.iter().peekable();
        for (row, step) in self.steps.iter_mut().enumerate() {
            if let Some(restart) = segments.next_if(|restart| restart.row as usize == row) {
                offset += restart.left_at - restart.resumed_at + distance;
            }
            *step += offset;
        }
        StepAxis { why: AxisReason::CountedOn, restarts: Vec::new(), ..self }
    }
}

fn restarts(steps: &[f64]) -> Vec<Restart> {
    steps
        .windows(2)
        .enumerate()
        .filter_map(|(index, pair)| match pair {
            [before, after] if after < before => {
                Some(Restart { row: index as u32 + 1, left_at: *before, resumed_at: *after })
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_step_lie_between_their_neighbours() {
        let axis = StepAxis::from_column(
            "global_step",
            AxisReason::TrainerCounter,
            6,
            RowNumbers::List(&[1, 3]),
            &[10.0, 11.0],
        )
        .unwrap();
        assert_eq!(axis.steps, [10.0, 10.0, 10.5, 11.0, 11.0, 11.0]);
        assert!(axis.restarts.is_empty());
    }

    #[test]
    fn a_few_steps_that_are_passed_again_and_again_are_those_of_a_part() {
        let passes_by = |distance: f64, lengths: &[u32], limit: usize| {
            let step = |step: u32| distance * f64::from(step);
            let values: Vec<f64> = lengths.iter().flat_map(|steps| (1..=*steps).map(step)).collect();
            let rows = RowNumbers::Range { first: 0, len: values.len() };
            let axis = StepAxis::from_column("step", AxisReason::TrainerCounter, values.len(), rows, &values).unwrap();
            axis.passes_a_part(limit)
        };
        let passes = |lengths: &[u32], limit: usize| passes_by(1.0, lengths, limit);
        assert!(passes(&[5, 5, 5, 5, 5, 5], 10) && passes(&[5, 5, 5, 5, 5, 5, 3], 10), "epochs of each batch");
        assert!(!passes(&[5, 5, 5], 10), "a few starts may be of one length");
        assert!(!passes_by(100.0, &[5; 6], 10), "evaluations of six seeds in one file");
        assert!(!passes(&[5, 5, 4, 5, 5, 5, 5], 10) && !passes(&[5, 5, 5, 5, 5, 5], 5));
    }

    #[test]
    fn a_row_before_the_first_step_takes_that_of_the_count_of_rows() {
        let first = |from: f64, every: f64| {
            let logged: Vec<u32> = (1..=12).collect();
            let values: Vec<f64> = (0..12).map(|row| from + every * f64::from(row)).collect();
            let counted: Vec<f64> = (0..=12).map(|row| 5.0 + f64::from(row)).collect();
            let rows = RowNumbers::List(&logged);
            let axis = StepAxis::from_column("step", AxisReason::TrainerCounter, 13, rows, &values).unwrap();
            axis.with_first_rows(rows, &counted).steps[0]
        };
        assert_eq!([first(1.0, 1.0), first(501.0, 1.0)], [0.0, 500.0], "an evaluation before the first update");
        assert_eq!([first(0.0, 1.0), first(10.0, 10.0)], [0.0, 10.0], "below 0, and another distance in each row");
    }

    #[test]
    fn a_backward_jump_is_a_restart() {
        let axis = StepAxis::from_column(
            "step",
            AxisReason::TrainerCounter,
            4,
            RowNumbers::Range { first: 0, len: 4 },
            &[1.0, 2.0, 1.0, 2.0],
        )
        .unwrap();
        assert_eq!(axis.restarts, [Restart { row: 2, left_at: 2.0, resumed_at: 1.0 }]);
    }

    #[test]
    fn a_row_out_of_order_replays_nothing() {
        let replays = |steps: &[f64]| {
            let rows = RowNumbers::Range { first: 0, len: steps.len() };
            let axis = StepAxis::from_column("step", AxisReason::TrainerCounter, steps.len(), rows, steps).unwrap();
            axis.replays().map(|restart| restart.row).collect::<Vec<_>>()
        };
        assert_eq!(replays(&[1.0, 2.0, 3.0, 2.0, 4.0, 5.0]), [0_u32; 0], "an evaluation of step 2 that is logged late");
        assert_eq!(replays(&[1.0, 2.0, 3.0, 2.0, 3.0, 4.0]), [3]);
        assert_eq!(replays(&[1.0, 2.0, 3.0, 1.0, 3.0, 2.0, 4.0]), [3]);
        let writers: Vec<f64> = (0..20).flat_map(|step| [3.0 + f64::from(step), f64::from(step), 1.0]).collect();
        assert_eq!(replays(&writers), [0_u32; 0]);
    }

    #[test]
    fn no_finite_step_gives_no_axis() {
        let first = RowNumbers::List(&[0]);
        assert_eq!(StepAxis::from_column("step", AxisReason::TrainerCounter, 2, first, &[f64::NAN]), None);
    }
}

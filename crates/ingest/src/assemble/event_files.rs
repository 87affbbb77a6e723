//! TensorBoard's event files of one folder: what a training that was resumed goes on with, what a second writer wrote
//! beside it, and trainings of their own that were started in the same folder.

use std::collections::BTreeMap;

use super::origin::path_of;
use crate::formats::tensorboard;
use crate::{join, path};
use rundown_run::{Run, RunWarning};

/// Rows that a start has at least before another one is a run of its own: what was broken off at once is laid over.
const MIN_ROWS: usize = 10;

/// The runs of each folder, in the order in which they were started.
#[derive(Default)]
pub(super) struct EventFiles {
    folders: BTreeMap<String, Vec<Run>>,
}

impl EventFiles {
    /// Adds a file, behind those of its folder that were written before.
    pub(super) fn add(&mut self, mut run: Run) {
        let begins = run.columns.remove(tensorboard::REPLACES_FROM).and_then(|column| column.last());
        let starts = self.folders.entry(path::folder(path_of(&run)).to_owned()).or_default();
        match starts.last_mut() {
            Some(last) if !is_new_start(last, &run) => append(last, run, begins),
            _ => starts.push(run),
        }
    }

    /// The runs.
    pub(super) fn into_runs(mut self) -> impl Iterator<Item = Run> {
        self.fold_hyperparameters();
        self.folders.into_values().flat_map(numbered)
    }

    /// torch writes hyperparameters into a folder of their own below the run's, with a point or two.
    fn fold_hyperparameters(&mut self) {
        let is_note = |run: &Run| !run.config.is_empty() && run.row_steps.len() <= 1;
        let is_of_folder = |folder: &str| !folder.is_empty() && self.folders.contains_key(path::folder(folder));
        let notes: Vec<String> = self
            .folders
            .iter()
            .filter(|(folder, starts)| starts.iter().all(is_note) && is_of_folder(folder))
            .map(|(folder, _)| folder.clone())
            .collect();
        for folder in notes {
            for note in self.folders.remove(&folder).into_iter().flatten() {
                let starts = self.folders.entry(path::folder(&folder).to_owned()).or_default();
                match starts.last_mut() {
                    Some(run) => append(run, note, None),
                    None => starts.push(note),
                }
            }
        }
    }
}

/// True for a file that logs the same metrics from the first step on again, after the last row of a training that had gone on
/// for a while: writers that run side by side overlap in time.
fn is_new_start(run: &Run, later: &Run) -> bool {
    let first = |run: &Run| run.row_steps.iter().copied().reduce(f64::min);
    let ended = run.row_times.iter().copied().reduce(f64::max);
    let began = later.row_times.iter().copied().reduce(f64::min);
    run.row_steps.len() >= MIN_ROWS
        && has_common_metric(run, later)
        && first(later).zip(first(run)).is_some_and(|(later, first)| later <= first)
        && began.zip(ended).is_some_and(|(began, ended)| began >= ended)
}

fn has_common_metric(run: &Run, later: &Run) -> bool {
    later.columns.keys().any(|key| key != "step" && run.columns.contains_key(key))
}

/// Adds a later event file of the same folder. `begins` is the step from which it replaces what was logged.
fn append(run: &mut Run, later: Run, begins: Option<f64>) {
    if let Some(begins) = begins {
        let last = run.row_steps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if begins <= last {
            let kept = (0_u32..).zip(&run.row_steps).filter(|(_, step)| **step < begins).map(|(row, _)| row);
            let kept: Vec<u32> = kept.collect();
            run.keep_rows(&kept);
            run.warnings.push(RunWarning::Restarted { from: begins, to: last });
        }
    }
    // Two writers side by side share no tag; a restart logs the same ones again.
    if has_common_metric(run, &later) { join::append(run, later) } else { join::interleave(run, later) }
}

/// The starts with their numbers, where there are several.
fn numbered(mut starts: Vec<Run>) -> Vec<Run> {
    let of = starts.len();
    if of > 1 {
        for (run, start) in starts.iter_mut().zip(1..) {
            for text in [&mut run.id, &mut run.name] {
                *text = if text.is_empty() { format!("start {start}") } else { format!("{text} (start {start})") };
            }
            run.warnings.push(RunWarning::OneOfStarts { start, of });
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, SourceFile};

    /// A file with a row for each step, the first at a time, one a second.
    fn file(name: u32, time: f64, steps: std::ops::Range<u32>) -> Run {
        let source =
            SourceFile { path: format!("logs/events.{name}"), format: FileFormat::TensorBoard, bytes: 0, crc32: 0 };
        let mut run = Run { id: "logs".to_owned(), name: "logs".to_owned(), files: vec![source], ..Run::default() };
        for (step, second) in steps.zip(0..) {
            let row = run.push_row(f64::from(step), time + f64::from(second));
            run.push_value("reward", row, 0.5);
        }
        run
    }

    fn rows(files: impl IntoIterator<Item = Run>) -> Vec<(String, usize)> {
        let mut events = EventFiles::default();
        files.into_iter().for_each(|file| events.add(file));
        events.into_runs().map(|run| (run.id, run.row_steps.len())).collect()
    }

    #[test]
    fn a_training_that_begins_again_is_a_run_of_its_own() {
        let two = rows([file(1, 0.0, 1..51), file(2, 100.0, 1..21)]);
        assert_eq!(two, [("logs (start 1)".to_owned(), 50), ("logs (start 2)".to_owned(), 20)]);
    }

    #[test]
    fn a_resumed_one_a_short_one_and_writers_side_by_side_are_not() {
        assert_eq!(rows([file(1, 0.0, 1..51), file(2, 100.0, 51..71)]), [("logs".to_owned(), 70)]);
        assert_eq!(rows([file(1, 0.0, 1..4), file(2, 100.0, 1..21)]).len(), 1);
        assert_eq!(rows([file(1, 0.0, 1..51), file(2, 1.0, 1..51)]).len(), 1);
    }
}

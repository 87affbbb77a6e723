//! Trainer states that were copied into one folder under other names: `trainer_state_500.json` beside
//! `trainer_state_1000.json`.
//!
//! Each holds the log of the training up to its checkpoint, so that one which is the beginning of another one says
//! nothing more. Checkpoints that were copied to other folders (`best/`, `pretrained/`) are told by their numbers alone, so
//! more of them must agree.

use std::collections::BTreeMap;

use super::origin::{is_format, is_trainer_state, path_of};
use super::overlap::{Overlap, overlap};
use super::run_names;
use super::same_metrics::{have_same_values, moved};
use crate::path;
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactSort;

/// Part of the names of copies.
const COPY_NAME: &str = "trainer_state";
/// Fewest rows by which states in other folders are known as of one training. Ours: two trainings never have so many losses and
/// norms in common to the last bit.
const ROWS_OF_COPY: usize = 20;

/// Joins copies among `others` with each other and with the trainer states of their folders. The longest log is kept,
/// with the files of all. Gives trainer states and others.
#[inline(never)]
pub(super) fn join(states: Vec<Run>, others: Vec<Run>) -> (Vec<Run>, Vec<Run>) {
    let (copies, mut others): (Vec<Run>, Vec<Run>) = others.into_iter().partition(is_copy);
    let mut folders: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for mut run in states.into_iter().chain(copies) {
        run.choose_axis();
        folders.entry(output_of(&run).to_owned()).or_default().push(run);
    }
    let kept = folders.into_values().flat_map(|runs| longest(runs, is_beginning));
    let (states, copies): (Vec<Run>, Vec<Run>) = kept.partition(|run| is_trainer_state(path_of(run)));
    others.extend(copies);
    others.compact_sort_by(|a, b| path_of(a).cmp(path_of(b)));
    let mut states = longest(states, is_copied_beginning);
    states.compact_sort_by(|a, b| output_of(a).cmp(output_of(b)));
    (states, others)
}

fn output_of(run: &Run) -> &str {
    path::output_folder(path::folder(path_of(run)))
}

/// The runs that are no part of a longer one, which takes the files of its parts.
fn longest(mut runs: Vec<Run>, is_part: fn(&Run, &Run) -> bool) -> Vec<Run> {
    let rows = |run: &Run| run.row_steps.len();
    runs.compact_sort_by(|a, b| rows(b).cmp(&rows(a)).then(path_of(a).cmp(path_of(b))));
    let mut longest: Vec<Run> = Vec::new();
    for run in runs {
        match longest.iter_mut().find(|known| is_part(&run, known)) {
            Some(known) => add_files(known, run),
            None => longest.push(run),
        }
    }
    longest
}

fn is_copy(run: &Run) -> bool {
    let is_named = path::file_name(path_of(run)).contains(COPY_NAME);
    is_named && is_format(run, FileFormat::JsonDocument) && run.id.is_empty() && run.name.is_empty()
}

/// True where the other log begins with all rows of this one.
fn is_beginning(run: &Run, other: &Run) -> bool {
    matches!(overlap(run, other), Overlap::Same | Overlap::Grown) && have_same_values(other, run) == Some(true)
}

/// The same of states in different folders. A training that went on from another one's checkpoint for more steps is a run of its own.
fn is_copied_beginning(run: &Run, other: &Run) -> bool {
    let is_planned_alike = run.config.get("max_steps") == other.config.get("max_steps");
    run.row_steps.len() >= ROWS_OF_COPY && is_planned_alike && is_beginning(run, other)
}

/// True where a file lies in a folder of the Trainer's own, `checkpoint-N`.
fn has_checkpoint(run: &Run) -> bool {
    run.files.iter().map(|file| path::folder(&file.path)).any(|folder| path::output_folder(folder) != folder)
}

/// Adds the files of a copy. A file that the Trainer named itself comes first, and one in a folder that it named: they say where
/// the output is.
fn add_files(run: &mut Run, copy: Run) {
    let is_output = has_checkpoint(&copy) && !has_checkpoint(run);
    if !is_trainer_state(path_of(&copy)) || (is_trainer_state(path_of(run)) && !is_output) {
        run.files.extend(copy.files);
        if !is_trainer_state(path_of(run)) {
            run_names::settle_by_folder(run);
        }
        return;
    }
    let by = copy.files.len();
    for places in run.origins.values_mut() {
        *places = moved(Some(places), by);
    }
    run.files.splice(0..0, copy.files);
    (run.id, run.name) = (String::new(), String::new());
}

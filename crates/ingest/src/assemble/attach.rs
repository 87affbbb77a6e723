//! Joins pieces to the run that they lie beside: trainer states, event files, tables, console logs.

pub(super) mod named_rows;
mod own_log;
pub(super) mod resumed_files;

use std::collections::BTreeMap;

use super::media_by_step::move_media;
use super::origin::{RunOrigin, is_console_log, is_only_nearby, is_tensorboard, is_wandb, path_of, same_project};
use super::run_index::RunIndex;
use super::same_metrics::{add_series, have_same_values, moved};
use super::{counted_alike, log_names, resumed, run_names, starts};
use crate::join::SECOND_RECORD;
use crate::{PartKind, PartialRun};
use crate::{Place, Problem, Weight, path};
use rundown_run::{Column, Config, Run, RunState, RunWarning, Tracking};
use rundown_stats::CompactCollect as _;

/// Kinds of run that event files may be a part of.
const OWNERS_OF_EVENTS: [RunOrigin; 2] = [RunOrigin::Wandb, RunOrigin::TrainerState];
/// And those that any other piece may be.
const OWNERS_OF_PIECES: [RunOrigin; 3] = [RunOrigin::Wandb, RunOrigin::TrainerState, RunOrigin::TensorBoard];

/// With more runs in its folder a log is not compared with each of them: that would take too long.
const MAX_COMPARED_RUNS: usize = 64;
/// With more runs in its folder the name of a log is not compared with those of each of them.
const MAX_COMPARED_NAMES: usize = 2048;

/// Of the trainer states of one output folder, the one that came furthest; the others hold nothing more.
#[inline(never)]
pub(super) fn latest_checkpoints(states: Vec<Run>) -> Vec<Run> {
    let mut by_output: BTreeMap<String, Run> = BTreeMap::new();
    for state in states {
        let output = path::output_folder(path::folder(path_of(&state))).to_owned();
        match by_output.remove(&output) {
            None => _ = by_output.insert(output, state),
            Some(other) => {
                let (mut kept, dropped) =
                    if last_step(&state) > last_step(&other) { (state, other) } else { (other, state) };
                kept.files.extend(dropped.files);
                by_output.insert(output, kept);
            }
        }
    }
    by_output.into_values().collect()
}

/// Joins a trainer state to the W&B run that it lies beside. Gives it back when there is none, or not one alone, or
/// when the numbers differ.
pub(super) fn trainer_state(index: &mut RunIndex, state: Run) -> Result<(), Box<Run>> {
    let folder = path::folder(path_of(&state)).to_owned();
    let Some((run, around)) = index.nearest(&folder, &[RunOrigin::Wandb]) else { return Err(Box::new(state)) };
    let is_beside = around == path::output_folder(&folder);
    match have_same_values(run, &state) {
        Some(true) => {}
        None if is_beside => {}
        _ => return Err(Box::new(state)),
    }
    add(run, state);
    Ok(())
}

/// Joins any other piece to a run that holds the same numbers and lies beside it, or in a folder around it.
pub(super) fn same_numbers(index: &mut RunIndex, piece: Run) -> Result<(), Box<Run>> {
    let Err(piece) = same_id(index, piece) else { return Ok(()) };
    let piece = *piece;
    let folder = path::folder(path_of(&piece)).to_owned();
    let leads: &[RunOrigin] = if is_tensorboard(&piece) { &OWNERS_OF_EVENTS } else { &OWNERS_OF_PIECES };
    if index.has(&piece.id) {
        return Err(Box::new(piece));
    }
    if let Some((run, _)) = index.nearest(&folder, leads)
        && have_same_values(run, &piece) == Some(true)
    {
        add(run, piece);
        return Ok(());
    }
    // Of several trainings with event files in one folder one wrote the table beside them.
    if !is_tensorboard(&piece)
        && let Some(run) = index.only_in(&folder, &[RunOrigin::TensorBoard], MAX_COMPARED_RUNS, |run| {
            have_same_values(run, &piece) == Some(true)
        })
    {
        add(run, piece);
        return Ok(());
    }
    Err(Box::new(piece))
}

/// Joins an export of a W&B run to that run: a history file or artifact, whose name or rows hold the run's id. It may
/// go on where a run file that was cut ends. Numbers that differ keep them apart, as ids are unique in a project only.
fn same_id(index: &mut RunIndex, piece: Run) -> Result<(), Box<Run>> {
    let found = index.with_id(&piece.id, |run| is_wandb(run) && same_project(run, &piece));
    match found.filter(|run| have_same_values(run, &piece) != Some(false)) {
        Some(run) => {
            if let Some(later) = later_rows(run, &piece, |run| &run.row_steps) {
                append_rows(run, later, path_of(&piece));
            }
            add(run, piece);
            Ok(())
        }
        None => Err(Box::new(piece)),
    }
}

/// The rows of a piece behind the last one of the run, with the metrics that the run has: [`add`] adds the others with
/// all their rows. `steps` gives what both count alike: two exports of W&B its `_step`, two logs the trainer's step.
fn later_rows(run: &Run, piece: &Run, steps: fn(&Run) -> &[f64]) -> Option<Run> {
    let last = steps(run).iter().copied().reduce(f64::max)?;
    if run.has_files_of(piece) || !steps(piece).is_sorted() {
        return None;
    }
    let first = steps(piece).partition_point(|step| *step <= last);
    let mut later = Run::default();
    for (step, time) in piece.row_steps.iter().zip(&piece.row_times).skip(first) {
        later.push_row(*step, *time);
    }
    for (key, column) in piece.columns.iter().filter(|(key, _)| run.columns.contains_key(*key)) {
        for (row, value) in column.points() {
            if let Some(row) = (row as usize).checked_sub(first) {
                later.push_value(key, row as u32, value);
            }
        }
    }
    (!later.row_steps.is_empty()).then_some(later)
}

fn append_rows(run: &mut Run, mut later: Run, file: &str) {
    let first = run.append_rows(&mut later);
    run.choose_axis();
    let from = run.axis.steps.get(first as usize).copied();
    run.warnings.push(RunWarning::HistoryContinued { file: file.to_owned(), from });
}

/// Joins a console log to the run of its folder. One with metrics, with the error that ended it, with settings and a
/// progress bar that moved, or with what kept its metrics from the tracker, is a run where none is beside it.
#[inline(never)]
pub(super) fn log(index: &mut RunIndex, mut log: PartialRun) -> Option<Problem> {
    let file = path_of(&log.run).to_owned();
    // W&B keeps the log in the run folder's `files`.
    let folder = log.folder.strip_suffix("/files").unwrap_or(&log.folder);
    let has_rows = !log.run.row_steps.is_empty();
    let is_known = has_rows && index.has(&file);
    let is_start = run_names::start_of(&log.run).is_some();
    match index.nearest(folder, &RunOrigin::ALL) {
        // Another training of the same file is another run, whatever it logged.
        Some((run, _)) if is_start && run.has_files_of(&log.run) => {}
        // The log of another job of the folder.
        Some((run, _)) if !has_rows && !log_names::may_be_of(run, &file, folder) => {}
        Some((run, around)) if !is_known && is_only_nearby(run, around, folder) => {
            let is_of_run_folder = is_wandb(run) && (folder != log.folder || path::run_folder_in(folder).is_some());
            if is_of_run_folder || log.run.log.tracker_run.as_ref() == Some(&run.id) {
                starts::leave_out_as_in(run, &mut log.run);
            }
            let is_same = match has_rows {
                true if is_beside(run, &log) && counted_alike::align(run, &mut log.run) => Some(true),
                true => have_same_values(run, &log.run),
                false => None,
            };
            if is_same == Some(true) && is_console_log(run) {
                join_logs(run, log.run);
                return None;
            }
            if is_of_run_folder {
                own_log::complete(run, &log.run, is_same == Some(true));
            }
            if is_same == Some(true) || (is_same.is_none() && (!has_rows || is_of_run_folder)) {
                add(run, log.run);
                return None;
            }
            if is_of_run_folder {
                add_text(run, log.run);
                return None;
            }
        }
        _ => {}
    }
    if !is_known
        && !is_start
        && let Some(id) = log.run.log.tracker_run.as_deref()
        && let Some(run) = index.with_id(id, is_wandb)
    {
        starts::leave_out_as_in(run, &mut log.run);
        let is_same = have_same_values(run, &log.run);
        own_log::complete(run, &log.run, is_same == Some(true));
        let add = if is_same == Some(false) { add_text } else { add };
        add(run, log.run);
        return None;
    }
    if has_rows
        && !is_known
        && !is_start
        && let Some(run) = index.only_in(&log.folder, &RunOrigin::ALL, MAX_COMPARED_RUNS, |run| {
            have_same_values(run, &log.run) == Some(true)
        })
    {
        let join = if is_console_log(run) { join_logs } else { add };
        join(run, log.run);
        return None;
    }
    // The same name but for the stream: `job.out` and `job.err`.
    let is_of_name = |run: &Run| log_names::is_of_name(run, &file);
    if !has_rows
        && !is_start
        && let Some(run) = index.only_in(&log.folder, &RunOrigin::ALL, MAX_COMPARED_NAMES, is_of_name)
    {
        add(run, log.run);
        return None;
    }
    let is_stopped = matches!(log.run.ending.state, RunState::Crashed | RunState::Killed);
    let is_started = log.kind == PartKind::StartedLog;
    let is_untracked = || log.run.log.tracking().is_some_and(|sign| sign.tracking != Tracking::Started);
    if !has_rows && !is_stopped && !is_started && !is_untracked() {
        let what = "This console log belongs to no run, and no rows of metrics were recognised in it.";
        let remedy = "Rundown reads the lines of the Hugging Face Trainer and of verl, and any three or more lines that count steps \
                      (\"step: 10 loss: 0.5\"). Where metrics should be at W&B: check that WANDB_API_KEY is set, \
                      --no-wandb is not, and the log has \"W&B initialized\".";
        return Some(Problem::new(&file, Place::File, Weight::Remark, what, remedy));
    }
    let mut run = log.run;
    run_names::settle(&mut run);
    if !is_start
        && !index.has(&run.id)
        && let Some(known) = index.find(|known| resumed::may_be_one(known, &run))
    {
        resumed::join(known, run);
        return None;
    }
    index.add_other(run)
}

/// Adds the text of a log that is of this run, but whose steps are unknown, and what it says of the end.
fn add_text(run: &mut Run, log: Run) {
    add(run, Run { log: log.log, files: log.files, ending: log.ending, ..Run::default() });
}

/// True for a run of files that a script wrote itself, in the log's own folder.
fn is_beside(run: &Run, log: &PartialRun) -> bool {
    RunOrigin::of(run) == RunOrigin::Other && !is_console_log(run) && path::folder(path_of(run)) == log.folder
}

/// Makes one run of two logs that agree where both have rows: what one of them has before or behind is not lost.
fn join_logs(run: &mut Run, mut piece: Run) {
    let first = |run: &Run| run.step_range().map_or(f64::INFINITY, |(first, _)| first);
    if first(&piece) < first(run) {
        std::mem::swap(run, &mut piece);
        // The run stays the one that is known.
        std::mem::swap(&mut run.id, &mut piece.id);
        std::mem::swap(&mut run.name, &mut piece.name);
    }
    if let Some(later) = later_rows(run, &piece, |run| &run.axis.steps) {
        append_rows(run, later, path_of(&piece));
    }
    add(run, piece);
}

/// Adds what a run lacks and a second record of its steps has: series, samples, histograms, settings, totals, the log,
/// and how it ended.
pub(super) fn add(run: &mut Run, mut piece: Run) {
    if run.has_files_of(&piece) {
        return;
    }
    let first_file = run.files.len();
    if run.row_steps.is_empty() {
        copy_rows(run, &piece, first_file);
    } else {
        add_series(run, &piece, first_file);
    }
    move_media(run, &mut piece);
    // A W&B run has a summary of its own, which a trainer state's progress would only blur.
    if is_wandb(run) {
        piece.summary = Config::default();
    }
    SECOND_RECORD.merge(run, piece);
}

/// Gives a run that logged nothing, such as one whose run file ends with its header, the rows of a piece.
fn copy_rows(run: &mut Run, piece: &Run, first_file: usize) {
    run.row_steps.clone_from(&piece.row_steps);
    run.row_times.clone_from(&piece.row_times);
    run.columns.clone_from(&piece.columns);
    run.bands.clone_from(&piece.bands);
    run.note_sampling_of(piece);
    run.origins =
        piece.columns.keys().map(|key| (key.clone(), moved(piece.origins.get(key), first_file))).compact_collect();
    run.choose_axis();
}

fn last_step(state: &Run) -> f64 {
    state.columns.get("step").and_then(Column::last).unwrap_or(f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, SourceFile};

    fn run(path: &str, format: FileFormat, factor: u32) -> Run {
        let files = vec![SourceFile { path: path.to_owned(), format, bytes: 1, crc32: factor }];
        let mut run = Run { id: path.to_owned(), files, ..Run::default() };
        for step in 1..=30 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("step", row, f64::from(step));
            run.push_value("reward", row, f64::from(step * factor % 17) / 7.0);
        }
        run.choose_axis();
        run
    }

    #[test]
    fn a_table_beside_several_starts_is_of_the_one_with_its_numbers() {
        let mut index = RunIndex::default();
        for (path, factor) in [("ppo/events.1", 5), ("ppo/events.2", 7)] {
            assert!(index.add_other(run(path, FileFormat::TensorBoard, factor)).is_none());
        }
        assert!(same_numbers(&mut index, run("ppo/progress.csv", FileFormat::Table, 7)).is_ok());
        assert!(same_numbers(&mut index, run("ppo/other.csv", FileFormat::Table, 11)).is_err());
        assert_eq!(index.into_runs().iter().map(|run| run.files.len()).collect::<Vec<_>>(), [1, 2]);
    }
}

//! Joins side files to the run that they lie beside.
//!
//! The Trainer writes the same metrics to W&B and to `trainer_state.json`, under names that differ by a rule
//! (transformers, `rewrite_logs`). Folders alone do not prove that two files are of one run: the numbers must agree.

use std::collections::BTreeMap;

use super::super::{Fragment, Place, Problem, Weight, path};
use super::{is_wandb, name, path_of, shelf::Shelf};
use crate::run::{Column, Run, Warning};

/// Points compared before two files count as one run's.
const COMPARED: usize = 1_000;

/// Of the trainer states of one output folder, the one that came furthest; the others hold nothing more.
pub(super) fn latest_checkpoints(states: Vec<Run>) -> Vec<Run> {
    let mut by_output: BTreeMap<String, Run> = BTreeMap::new();
    for state in states {
        let output = name::output_folder(path::folder(path_of(&state))).to_owned();
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
pub(super) fn trainer_state(shelf: &mut Shelf, state: Run) -> Result<(), Box<Run>> {
    let folder = path::folder(path_of(&state)).to_owned();
    let Some((run, around)) = shelf.nearest(&folder, is_wandb) else { return Err(Box::new(state)) };
    let is_beside = around == name::output_folder(&folder);
    match agreement(run, &state) {
        Some(true) => {}
        None if is_beside => {}
        _ => return Err(Box::new(state)),
    }
    if state.files.iter().all(|file| run.files.contains(file)) {
        return Ok(());
    }
    add_series(run, &state);
    for (key, value) in state.config.iter() {
        if run.config.get(key).is_none() {
            run.config.insert(key, value.clone());
        }
    }
    run.ending.evidence.extend(state.ending.evidence);
    run.files.extend(state.files);
    Ok(())
}

/// Joins a console log to the run of its folder.
pub(super) fn log(shelf: &mut Shelf, log: Fragment) -> Option<Problem> {
    let file = path_of(&log.run).to_owned();
    // W&B keeps the log in the run folder's `files`.
    let folder = log.folder.strip_suffix("/files").unwrap_or(&log.folder);
    let is_beside = |run: &Run, around: &str| {
        let run_folder = path::folder(path_of(run));
        let below = run_folder.strip_prefix(around).unwrap_or_default().trim_start_matches('/');
        around == folder && below.split('/').count() <= 2
    };
    match shelf.nearest(folder, |_| true) {
        Some((run, around)) if is_beside(run, around) => {
            if !run.files.iter().any(|known| log.run.files.contains(known)) {
                run.files.extend(log.run.files);
            }
            if run.log.lines.is_empty() {
                run.log = log.run.log;
            }
            None
        }
        _ => {
            let what = "This console log lies beside no run, and logs alone are not read yet.";
            Some(Problem::new(&file, Place::File, Weight::Remark, what, ""))
        }
    }
}

fn last_step(state: &Run) -> f64 {
    state.columns.get("step").and_then(Column::last).unwrap_or(f64::NEG_INFINITY)
}

/// The name that W&B has for a key of the Trainer's log.
fn wandb_name(key: &str) -> String {
    // The Trainer's TensorBoard tags have it already.
    if ["train/", "eval/", "test/"].iter().any(|folder| key.starts_with(folder)) {
        return key.to_owned();
    }
    for (prefix, folder) in [("eval_", "eval/"), ("test_", "test/")] {
        if let Some(rest) = key.strip_prefix(prefix) {
            return format!("{folder}{rest}");
        }
    }
    format!("train/{key}")
}

/// The run's column for a key of the Trainer's log.
fn same_column<'r>(run: &'r Run, key: &str) -> Option<&'r Column> {
    run.columns.get(&wandb_name(key)).or_else(|| run.columns.get(key))
}

/// Whether the two hold the same numbers at the same steps; `None` when nothing can be compared.
fn agreement(run: &Run, state: &Run) -> Option<bool> {
    let steps = state_steps(state);
    let (mut compared, mut equal) = (0_usize, 0_usize);
    for (key, column) in state.columns.iter().filter(|(key, _)| !matches!(key.as_str(), "step" | "epoch")) {
        let Some(known) = same_column(run, key) else { continue };
        let at = values_by_step(run, known);
        for (row, value) in column.points().take(COMPARED) {
            let step = steps.get(&row).copied().and_then(step_bits);
            if let Some(other) = step.and_then(|step| at.get(&step)) {
                compared += 1;
                equal += usize::from(is_close(value, *other));
            }
        }
        if compared >= COMPARED {
            break;
        }
    }
    (compared > 0).then_some(equal * 10 >= compared * 9)
}

/// Equal but for what a float32 or a printed number loses.
fn is_close(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
}

/// Adds the series that the run does not have, in the rows of the same steps.
fn add_series(run: &mut Run, state: &Run) {
    let steps = state_steps(state);
    let mut row_at: BTreeMap<u64, u32> = BTreeMap::new();
    for (row, step) in run.axis.steps.iter().enumerate() {
        if let Some(step) = step_bits(*step) {
            row_at.insert(step, row as u32);
        }
    }
    let has_trainer_names = run.columns.keys().any(|key| key.starts_with("train/"));
    let mut skipped = 0;
    for (key, column) in &state.columns {
        if key == "step" || same_column(run, key).is_some() {
            continue;
        }
        let row_of =
            |row: u32| steps.get(&row).copied().and_then(step_bits).and_then(|step| row_at.get(&step)).copied();
        let mut points: Vec<(u32, f64)> =
            column.points().filter_map(|(row, value)| row_of(row).map(|row| (row, value))).collect();
        points.sort_by_key(|(row, _)| *row);
        skipped += column.len() - points.len();
        if !points.is_empty() {
            let name = if has_trainer_names { wandb_name(key) } else { key.clone() };
            let into = run.columns.entry(name).or_default();
            points.into_iter().for_each(|(row, value)| into.push(row, value));
        }
    }
    if skipped > 0 {
        let text = format!("{skipped} values of {} are at steps that the W&B run does not have", path_of(state));
        run.warnings.push(Warning { text, step: None });
    }
}

/// Step of each row of a trainer state.
fn state_steps(state: &Run) -> BTreeMap<u32, f64> {
    state.columns.get("step").map(|column| column.points().collect()).unwrap_or_default()
}

/// Later values win.
fn values_by_step(run: &Run, column: &Column) -> BTreeMap<u64, f64> {
    let step = |row: u32| run.axis.steps.get(row as usize).copied().and_then(step_bits);
    column.points().filter_map(|(row, value)| Some((step(row)?, value))).collect()
}

/// A key for finding equal steps.
fn step_bits(step: f64) -> Option<u64> {
    // Adding zero makes -0 to 0.
    step.is_finite().then(|| (step + 0.0).to_bits())
}

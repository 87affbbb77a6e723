//! One training whose metrics lie in several files of one folder, a file for each kind: `rewards.json`, `losses.csv`,
//! `eval_results.jsonl`.
//!
//! That they lie together proves little: a folder may as well hold one file for each run. So every file of metrics in
//! the folder must be named after what it holds and not after a run, the training files must cover the same steps, and
//! a metric that two of them hold must agree. Where one of them does not fit, none is joined. Evaluations that are not of
//! these steps stay by themselves.

pub(super) mod of_one_name;

use std::collections::BTreeSet;

use super::origin::{is_only, path_of};
use super::same_metrics::{have_same_values, is_counter};
use super::{attach, run_names};
use crate::rows::metric_words::is_kind_of_metrics;
use crate::rows::names::{evaluation_in_name, evaluation_name};
use crate::{join, path};
use rundown_run::{AxisReason, Column, FileFormat, Run};
use rundown_stats::CompactCollect as _;

/// Formats of files that scripts write themselves, without the name of a run in them.
const SCRIPT_FORMATS: [FileFormat; 3] = [FileFormat::Table, FileFormat::JsonLines, FileFormat::JsonDocument];
/// Share of the steps by which the ends of two training files may lie apart: a run that was stopped wrote one of them
/// last.
const END_TOLERANCE: f64 = 0.05;

/// The runs of one folder: one, where all its files are of one training.
pub(super) fn join_folder(mut runs: Vec<Run>) -> Vec<Run> {
    let files: BTreeSet<&str> = runs.iter().map(path_of).compact_collect();
    if runs.len() < 2 || files.len() < runs.len() || !runs.iter().all(may_be_a_part) {
        return runs;
    }
    runs.iter_mut().for_each(Run::choose_axis);
    let Some((mut run, mut others)) = united(&runs) else { return runs };
    run_names::settle_by_folder(&mut run);
    others.push(run);
    others
}

/// True for what a file holds that is named after a kind of metrics: rows of nothing but metrics.
fn may_be_a_part(run: &Run) -> bool {
    let has_name = !run.id.is_empty() || !run.name.is_empty();
    let has_more = !run.tables.is_empty() || !run.histograms.is_empty() || !run.events.is_empty();
    is_only(run, &SCRIPT_FORMATS) && !has_name && !has_more && is_kind_of_metrics(stem(run))
}

/// The run that the parts make together, and evaluations that are not of its steps; none where two parts of the training
/// do not fit.
fn united(parts: &[Run]) -> Option<(Run, Vec<Run>)> {
    let (evaluations, trainings): (Vec<&Run>, Vec<&Run>) = parts.iter().partition(|part| evaluation(part).is_some());
    let mut trainings = trainings.into_iter();
    let mut run = trainings.next().filter(|run| is_rising(run))?.clone();
    for part in trainings {
        let part = with_steps_of(&run, part).filter(|part| covers_same_steps(&run, part) && agrees(&run, part))?;
        add(&mut run, part);
    }
    let mut others = Vec::new();
    for part in evaluations {
        match with_steps_of(&run, part).map(with_prefix).filter(|part| lies_within(&run, part) && agrees(&run, part)) {
            Some(part) => add(&mut run, part),
            None => others.push(part.clone()),
        }
    }
    (others.len() + 1 < parts.len()).then_some((run, others))
}

/// The name of a run's file without its ending.
fn stem(run: &Run) -> &str {
    path::stem(path_of(run))
}

/// The prefix of the metrics in a file of evaluations; none for a file of the training itself.
fn evaluation(run: &Run) -> Option<&'static str> {
    evaluation_in_name(stem(run))
}

/// The piece with its metrics named as those of an evaluation, where they are not: `accuracy` of the training is another
/// metric.
fn with_prefix(mut piece: Run) -> Run {
    let Some(prefix) = evaluation(&piece) else { return piece };
    for (key, column) in std::mem::take(&mut piece.columns) {
        let is_counter = is_counter(&piece, &key);
        let name = if is_counter { key.clone() } else { evaluation_name(&key, prefix).into_owned() };
        if let Some(places) = piece.origins.remove(&key) {
            piece.origins.insert(name.clone(), places);
        }
        piece.columns.insert(name, column);
    }
    piece
}

/// A copy of the piece where its steps count what those of the run count. Of rows that are only counted there must be as
/// many as the run has.
fn with_steps_of(run: &Run, piece: &Run) -> Option<Run> {
    let is_counted = |run: &Run| matches!(run.axis.why, AxisReason::RowCount | AxisReason::NoStep);
    let is_coarse = |run: &Run| run.axis.why == AxisReason::CoarseCounter;
    if !is_in_order(piece) {
        return None;
    }
    if is_counted(run) || is_counted(piece) {
        let is_alike = is_counted(run) && is_counted(piece) && run.row_steps.len() == piece.row_steps.len();
        return is_alike.then(|| piece.clone());
    }
    let is_alike =
        is_coarse(run) == is_coarse(piece) && (!is_coarse(run) || run.axis.key.eq_ignore_ascii_case(&piece.axis.key));
    is_alike.then(|| piece.clone())
}

/// True where each row has a step of its own, behind that of the row before.
fn is_rising(run: &Run) -> bool {
    !run.axis.steps.is_empty() && run.axis.steps.is_sorted_by(|a, b| a < b)
}

/// True where the steps never fall and no metric has two values at one of them: an evaluation may have a row of its own.
fn is_in_order(run: &Run) -> bool {
    let steps = &run.axis.steps;
    let has_one_value_a_step = |column: &Column| {
        let of_column = column.rows().iter().filter_map(|row| steps.get(row as usize));
        of_column.is_sorted_by(|a, b| a < b)
    };
    !steps.is_empty()
        && steps.is_sorted()
        && run.columns.iter().all(|(key, column)| is_counter(run, key) || has_one_value_a_step(column))
}

/// True where both begin and end at about the same steps.
fn covers_same_steps(run: &Run, piece: &Run) -> bool {
    let (Some((first, last)), Some((from, to))) = (run.step_range(), piece.step_range()) else { return false };
    let apart = distance(run).max(distance(piece)).max(END_TOLERANCE * (last - first).max(to - from));
    run.axis.steps.len() > 1
        && piece.axis.steps.len() > 1
        && (first - from).abs() <= apart
        && (last - to).abs() <= apart
}

/// True where the piece begins and ends within the steps of the run: the first evaluation may be before the first step.
fn lies_within(run: &Run, piece: &Run) -> bool {
    let (Some((first, last)), Some((from, to))) = (run.step_range(), piece.step_range()) else { return false };
    let apart = distance(run);
    from >= first - apart && to <= last + apart
}

/// Steps from one row to the next, on average.
fn distance(run: &Run) -> f64 {
    let (first, last) = run.step_range().unwrap_or_default();
    (last - first) / run.axis.steps.len().saturating_sub(1).max(1) as f64
}

/// True where no metric is in both with other values.
fn agrees(run: &Run, piece: &Run) -> bool {
    let is_same_constant = |key: &str, column: &Column| {
        let Some(known) = run.columns.get(key) else { return true };
        let mut values = known.values().iter().chain(column.values());
        let first = values.next();
        values.all(|value| Some(value) == first)
    };
    // Where nothing could be compared, the same constant is no contradiction.
    have_same_values(run, piece).unwrap_or_else(|| {
        piece.columns.iter().all(|(key, column)| is_counter(piece, key) || is_same_constant(key, column))
    })
}

/// Adds a piece with its rows: those at steps that the run has not come between its own.
fn add(run: &mut Run, piece: Run) {
    let mut known: BTreeSet<u64> = run.axis.steps.iter().map(|step| step.to_bits()).collect();
    let mut missing = Run { ending: run.ending.clone(), ..Run::default() };
    for (step, time) in piece.axis.steps.iter().zip(&piece.row_times) {
        if known.insert(step.to_bits()) {
            let row = missing.push_row(*step, *time);
            missing.push_value(&run.axis.key, row, *step);
        }
    }
    if !missing.row_steps.is_empty() {
        run.row_steps.clone_from(&run.axis.steps);
        join::interleave(run, missing);
        run.choose_axis();
    }
    attach::add(run, piece);
}

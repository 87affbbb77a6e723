//! Pieces that name the same run themselves: the files of an MLflow folder, the charts and tags that were
//! downloaded one by one, and the lists of runs and of rows that one tool wrote side by side.
//!
//! Only pieces of one drop and of one folder are joined, and a metric that two pieces hold with different values
//! keeps them apart: names are not unique.

use std::collections::{BTreeMap, BTreeSet};

use super::origin::is_only;
use crate::join::SAME_RUN;
use crate::path;
use crate::rows::points::PointCollector;
use crate::{PartKind, PartialRun};
use rundown_run::{Column, FileFormat, Run, STEP_KEYS};

/// Formats of a list of runs and of the rows of all of them, which stand in two files with the runs' ids.
const FORMATS_WITH_IDS: [FileFormat; 5] =
    [FileFormat::RunExport, FileFormat::RunsTable, FileFormat::JsonLines, FileFormat::Table, FileFormat::JsonDocument];

/// Joins pieces that belong together. Expects them sorted by path; a joined run stands where its first piece stood.
#[inline(never)]
pub(crate) fn join(parts: Vec<PartialRun>) -> Vec<PartialRun> {
    let (experiments, parts): (Vec<PartialRun>, Vec<PartialRun>) = parts.into_iter().partition(is_experiment);
    let mut groups: Vec<PartGroup> = Vec::new();
    let mut places: BTreeMap<(String, &'static str, String), usize> = BTreeMap::new();
    for part in parts {
        let key = key_of(&part);
        let known = key.as_ref().and_then(|key| places.get(key)).and_then(|place| groups.get_mut(*place));
        match known {
            Some(group) if group.has_no_other_values(&part.run) => group.others.push(part.run),
            _ => {
                if let Some(key) = key {
                    places.entry(key).or_insert(groups.len());
                }
                groups.push(PartGroup { first: part, others: Vec::new() });
            }
        }
    }
    let mut joined: Vec<PartialRun> = groups.into_iter().map(PartGroup::finish).collect();
    for experiment in experiments {
        let inside = joined.iter_mut().filter(|part| is_only(&part.run, &[FileFormat::MlflowFolder]));
        for part in inside.filter(|part| path::folder(&part.folder) == experiment.folder) {
            part.run.project.clone_from(&experiment.run.project);
        }
    }
    joined
}

/// True for the description of an MLflow experiment, which is no run.
fn is_experiment(part: &PartialRun) -> bool {
    is_only(&part.run, &[FileFormat::MlflowFolder]) && part.run.id.is_empty()
}

/// Pieces of one run.
struct PartGroup {
    first: PartialRun,
    others: Vec<Run>,
}

impl PartGroup {
    /// True when no metric of the piece stands here with another value at the same step.
    fn has_no_other_values(&self, piece: &Run) -> bool {
        let members = || std::iter::once(&self.first.run).chain(&self.others);
        let axis = axis_of(piece);
        let is_chart = is_only(piece, &[FileFormat::ChartExport]);
        if is_chart && axis != axis_of(&self.first.run) {
            return false;
        }
        // The x axis of a chart agrees with itself.
        let is_compared = |key: &str| !is_chart || axis != Some(key);
        piece.columns.iter().filter(|(key, _)| is_compared(key)).all(|(key, column)| {
            members().filter_map(|run| Some((run, run.columns.get(key)?))).all(|(run, known)| {
                let steps = by_step(run, known);
                by_step(piece, column)
                    .iter()
                    .all(|(step, value)| steps.get(step).is_none_or(|known| known.to_bits() == value.to_bits()))
            })
        })
    }

    fn finish(self) -> PartialRun {
        let PartGroup { first: PartialRun { mut run, kind, folder }, mut others } = self;
        let needs_rows = !others.is_empty();
        if needs_rows {
            align(&mut run, &mut others);
            for other in others {
                run.note_sampling_of(&other);
                SAME_RUN.merge(&mut run, other);
            }
        }
        if is_only(&run, &[FileFormat::MlflowFolder, FileFormat::TensorBoardDownload]) {
            settle_rows(&mut run);
        }
        PartialRun { run, kind, folder }
    }
}

/// Moves the history of all pieces into the run: rows of equal steps become one.
fn align(run: &mut Run, others: &mut [Run]) {
    let pieces = std::iter::once(&mut *run).chain(others).filter(|piece| !piece.row_steps.is_empty());
    let mut histories: Vec<Run> = pieces.map(take_history).collect();
    if histories.len() > 1 {
        drop_repeated(&mut histories);
        let mut points = PointCollector::default();
        histories.drain(..).for_each(|history| points.add_run(history));
        histories.push(points.into_run());
    }
    if let Some(Run { row_steps, row_times, columns, bands, .. }) = histories.pop() {
        *run = Run { row_steps, row_times, columns, bands, ..std::mem::take(run) };
    }
}

/// The rows of a run, its metrics and their bands, which it then no longer has.
fn take_history(run: &mut Run) -> Run {
    Run {
        row_steps: std::mem::take(&mut run.row_steps),
        row_times: std::mem::take(&mut run.row_times),
        columns: std::mem::take(&mut run.columns),
        bands: std::mem::take(&mut run.bands),
        ..Run::default()
    }
}

/// Of a metric that several histories hold, leaves what was logged at one step in the first of them alone: the others
/// have the same value there.
fn drop_repeated(histories: &mut [Run]) {
    let mut holders: BTreeMap<String, u32> = BTreeMap::new();
    for key in histories.iter().flat_map(|history| history.columns.keys()) {
        *holders.entry(key.clone()).or_default() += 1;
    }
    for (key, _) in holders.into_iter().filter(|(_, holders)| *holders > 1) {
        let mut known: BTreeSet<u64> = BTreeSet::new();
        for Run { columns, row_steps, .. } in &mut *histories {
            let Some(column) = columns.get_mut(&key) else { continue };
            let step = |row: u32| row_steps.get(row as usize).map(|step| step.to_bits());
            let rest: Column =
                column.points().filter(|(row, _)| step(*row).is_none_or(|step| !known.contains(&step))).collect();
            known.extend(rest.rows().iter().filter_map(step));
            *column = rest;
        }
    }
}

/// What pieces of one run have in common; `None` for a piece that is never joined here.
fn key_of(part: &PartialRun) -> Option<(String, &'static str, String)> {
    let run = &part.run;
    if part.kind != PartKind::History {
        return None;
    }
    let keys: [(&[FileFormat], &'static str, &String); 4] = [
        (&[FileFormat::MlflowFolder], "mlflow", &run.id),
        (&[FileFormat::TensorBoardDownload], "tensorboard", &run.name),
        (&[FileFormat::ChartExport], "chart", &run.name),
        (&FORMATS_WITH_IDS, "id", &run.id),
    ];
    let (_, kind, name) = keys.into_iter().find(|(formats, ..)| is_only(run, formats))?;
    (!name.is_empty()).then(|| (part.folder.clone(), kind, name.clone()))
}

/// The x axis of a chart, where it is a column.
fn axis_of(run: &Run) -> Option<&str> {
    let known = STEP_KEYS.iter().copied().chain(["Relative Time (Process)", "Relative Time (Wall)"]);
    known.into_iter().find(|key| run.columns.contains_key(*key))
}

fn by_step(run: &Run, column: &Column) -> BTreeMap<u64, f64> {
    let step = |row: u32| run.row_steps.get(row as usize).map(|step| step.to_bits());
    column.points().filter_map(|(row, value)| Some((step(row)?, value))).collect()
}

/// The steps of the rows are the trainer's, not a count of rows: a column says so.
fn settle_rows(run: &mut Run) {
    if run.columns.is_empty() || run.columns.contains_key("step") {
        return;
    }
    let steps = (0..).zip(run.row_steps.iter().copied());
    run.columns.insert("step".to_owned(), steps.collect());
}

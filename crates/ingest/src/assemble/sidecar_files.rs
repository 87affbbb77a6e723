//! Side files go to the run of their folder; what the run's own file says counts.
//!
//! A folder that has a summary but no history is shown as a run without one: its settings and final values are all
//! that is left of it, and the user who dropped it should see that rather than nothing.

use std::collections::BTreeMap;

use super::log_names::{has_other_number, is_of_one_training};
use super::origin::{RunOrigin, is_only_nearby, is_wandb, path_of};
use super::run_index::RunIndex;
use crate::PartialRun;
use crate::formats::sidecar::{self, SidecarKind};
use crate::join::add_missing;
use crate::{Place, Problem, Weight, path};
use rundown_run::{Column, Config, ConfigValue, FileFormat, LoggedTable, Run, SourceFile};
use rundown_stats::CompactSort as _;

/// Cells of tables kept for one run, in bytes of text. Beyond it tables keep their headers alone.
const MAX_TABLE_BYTES: usize = 16 << 20;

/// Adds side files to their runs. Gives the problems, and the paths of the files that belong to no run.
#[inline(never)]
pub(super) fn attach(index: &mut RunIndex, mut files: Vec<PartialRun>) -> (Vec<Problem>, Vec<String>) {
    let mut alone: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let has_custom_name = |piece: &PartialRun| sidecar::has_custom_name(path_of(&piece.run));
    let is_sdk_log = |piece: &PartialRun| sidecar::kind(path_of(&piece.run)) == Some(SidecarKind::SdkLog);
    // Settings under a usual name count before those under another, and before what a run began with (`debug.log`).
    files.compact_sort_by_key(|piece| (has_custom_name(piece), is_sdk_log(piece)));
    let mut custom_names: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for file in files.iter().filter(|piece| has_custom_name(piece)).map(|piece| path_of(&piece.run)) {
        let place = (sidecar::run_folder(file).to_owned(), sidecar::is_json_of_own_name(file));
        *custom_names.entry(place).or_default() += 1;
    }
    let mut left = Vec::new();
    for PartialRun { run: piece, .. } in files {
        let file = path_of(&piece).to_owned();
        let folder = sidecar::run_folder(&file).to_owned();
        let is_json = sidecar::is_json_of_own_name(&file);
        let is_one_of_several = sidecar::has_custom_name(&file)
            && custom_names.get(&(folder.clone(), is_json)).is_some_and(|files| *files > 1);
        if (is_one_of_several || is_json) && to_runs_of_its_name(index, &file, &folder, &piece) {
            continue;
        }
        // Of several such files in a folder, those of other trainings may lie there too.
        if is_one_of_several || (is_json && is_of_another(index, &file, &folder)) {
            left.push(file);
            continue;
        }
        let piece = if piece.tables.is_empty() { piece } else { add_table(index, piece) };
        if let Some((run, around)) = index.nearest(&folder, &RunOrigin::ALL)
            && is_of(run, &file, around, &folder)
        {
            add_missing(run, piece);
        } else if !piece.files.is_empty() && !to_all_of_folder(index, &file, &folder, &piece) {
            alone.entry(folder).or_default().push(piece);
        }
    }
    let mut problems = Vec::new();
    for (folder, pieces) in alone {
        let is_summary = |piece: &&Run| sidecar::kind(path_of(piece)) == Some(SidecarKind::Summary);
        let Some(summary) = pieces.iter().find(is_summary) else {
            left.extend(pieces.iter().map(|piece| path_of(piece).to_owned()));
            continue;
        };
        if let Some(run) = logged_above(index, &folder, &summary.summary) {
            pieces.into_iter().for_each(|piece| add_missing(run, piece));
            continue;
        }
        let (run, problem) = run_of(&folder, pieces);
        problems.extend(index.add_other(run));
        problems.push(problem);
    }
    (problems, left)
}

/// True when a side file is of the run that is alone in `around`. A W&B run has its settings itself: only what lies
/// in its folder adds to it, not any `config.yaml` of a project around it.
fn is_of(run: &Run, file: &str, around: &str, folder: &str) -> bool {
    let is_its_own = || path::folder(path_of(run)) == folder || path::run_folder_in(file).is_some();
    is_only_nearby(run, around, folder) && (!is_wandb(run) || is_its_own())
}

/// Gives settings to every run of their folder, or to those that they name; false where they belong to none. Runs of
/// folders below have files of their own, and a folder whose runs bring settings says nothing of what these are for.
fn to_all_of_folder(index: &mut RunIndex, file: &str, folder: &str, piece: &Run) -> bool {
    let is_settings = matches!(sidecar::kind(file), Some(SidecarKind::Config | SidecarKind::Settings));
    if !is_settings && !sidecar::has_custom_name(file) {
        return false;
    }
    let places = index.directly_in(folder, &RunOrigin::ALL);
    let mut named = Vec::new();
    for place in &places {
        let Some(run) = index.look_at(*place) else { continue };
        let is_from_beside =
            |file: &SourceFile| file.format == FileFormat::Sidecar && path::folder(&file.path) == folder;
        if is_wandb(run) || !(run.config.is_empty() || run.files.iter().any(is_from_beside)) {
            return false;
        }
        if has_name_of(&piece.config, run) {
            named.push(*place);
        }
    }
    let is_given = !places.is_empty();
    for place in if named.is_empty() { places } else { named } {
        if let Some(run) = index.at(place) {
            add_missing(run, piece.clone());
        }
    }
    is_given
}

/// Gives settings to the runs of their folder that have the name of the file, or that the settings name; false where there
/// are none.
fn to_runs_of_its_name(index: &mut RunIndex, file: &str, folder: &str, piece: &Run) -> bool {
    let mut is_given = false;
    for place in index.directly_in(folder, &RunOrigin::ALL) {
        let Some(run) = index.at(place) else { continue };
        let is_named = run.name == path::stem(file)
            || (sidecar::is_json_of_own_name(file) && is_of_one_training(file, path_of(run)));
        if is_named || has_name_of(&piece.config, run) {
            add_missing(run, piece.clone());
            is_given = true;
        }
    }
    is_given
}

/// True where the name of the settings has another number than a run beside them, or than the only one around.
fn is_of_another(index: &mut RunIndex, file: &str, folder: &str) -> bool {
    let is_other = |run: &Run| has_other_number(file, path_of(run).get(folder.len()..).unwrap_or_default());
    let places = index.directly_in(folder, &RunOrigin::ALL);
    places.into_iter().any(|place| index.look_at(place).is_some_and(is_other))
        || index.nearest(folder, &RunOrigin::ALL).is_some_and(|(run, _)| is_other(run))
}

/// True when a setting is the name of the run or the path of its output: `run_name: amber`, `output_dir: out/amber`.
fn has_name_of(config: &Config, run: &Run) -> bool {
    let is_name = |text: &str| path::file_name(text.trim_end_matches('/')) == run.name;
    config.iter().any(|(_, value)| matches!(value, ConfigValue::Text(text) if is_name(text)))
}

/// Gives a table its content in the run that logged it: found by the table's path, whose end is a hash of the
/// content. What is left of the piece is only its file.
fn add_table(index: &mut RunIndex, mut piece: Run) -> Run {
    let file = path_of(&piece).to_owned();
    let Some(mut table) = piece.tables.pop() else { return piece };
    let below = file.rfind("media/table/").and_then(|at| file.get(at..)).unwrap_or(&file);
    let logged = |run: &Run| run.tables.iter().any(|known| known.path == below);
    if let Some(run) = index.closest_with(&file, logged) {
        let used: usize = run.tables.iter().filter_map(|table| table.content.as_ref()).map(LoggedTable::size).sum();
        if let Some(content) = &mut table.content
            && used + content.size() > MAX_TABLE_BYTES
        {
            content.dropped += content.rows.len() as u64;
            content.rows = Vec::new();
        }
        if let Some(known) = run.tables.iter_mut().find(|known| known.path == below) {
            known.rows = known.rows.or(table.rows);
            known.content = known.content.take().or(table.content);
        }
        // Hundreds of tables would bury the files that matter in the list of a run's files.
        piece.files.clear();
    }
    piece
}

/// The run above W&B's folder whose last values are those of a W&B run: a trainer logged the same metrics to a file there.
fn logged_above<'i>(index: &'i mut RunIndex, folder: &str, summary: &Config) -> Option<&'i mut Run> {
    let at_root = || folder.starts_with("wandb/").then_some("");
    let above = folder.rsplit_once("/wandb/").map(|(above, _)| above).or_else(at_root)?;
    let places = index.directly_in(above, &RunOrigin::ALL);
    let is_same = |place: &usize| index.look_at(*place).is_some_and(|run| ends_with(run, summary));
    let place = places.into_iter().find(is_same)?;
    index.at(place)
}

/// Fewest equal values with digits behind the point that show that two records are of one run: whole numbers are often equal.
const MIN_EQUAL: usize = 5;

/// True where nine tenths of the final values that a run has too are its last ones.
fn ends_with(run: &Run, summary: &Config) -> bool {
    let last = |key: &str| run.columns.get(key).and_then(Column::last);
    let common = summary.iter().filter_map(|(key, value)| Some((value.as_number()?, last(key)?)));
    let (mut all, mut equal, mut precise) = (0, 0, 0);
    for (value, last) in common {
        all += 1;
        equal += usize::from(value == last);
        precise += usize::from(value == last && value.fract() != 0.0);
    }
    precise >= MIN_EQUAL && 10 * equal >= 9 * all
}

/// A run of side files alone, and the problem to report.
fn run_of(folder: &str, pieces: Vec<Run>) -> (Run, Problem) {
    let name = path::file_name(folder);
    let id = path::run_folder_in(folder).map_or(folder, |folder| folder.id);
    let mut run = Run { id: id.to_owned(), name: name.to_owned(), ..Run::default() };
    let mut file = String::new();
    for piece in pieces {
        if sidecar::kind(path_of(&piece)) == Some(SidecarKind::Summary) {
            file = path_of(&piece).to_owned();
        }
        add_missing(&mut run, piece);
    }
    if run.id.is_empty() {
        run.id.clone_from(&file);
        run.name.clone_from(&file);
    }
    let what = "This run has a summary but no history: only its settings and final values can be shown.";
    let remedy = "Drop the whole run folder: the history is in the .wandb file.";
    (run, Problem::new(&file, Place::File, Weight::Partial, what, remedy))
}

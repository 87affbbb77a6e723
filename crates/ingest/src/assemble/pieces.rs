//! Joins pieces of one run that binary formats keep in several files: parts of an exported history, event files of
//! one folder, and what lies beside them (settings, machine metrics, samples).

use std::collections::BTreeMap;

use super::event_files::EventFiles;
use super::media_by_step::move_media;
use super::origin::{RunOrigin, is_format, is_tensorboard, path_of};
use super::run_index::RunIndex;
use crate::PartialRun;
use crate::formats::parquet;
use crate::join;
use crate::{Place, Problem, Weight, path};
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactSort;

/// Joins pieces that are one run. Expects them by path.
#[inline(never)]
pub(super) fn join(runs: Vec<Run>) -> Vec<Run> {
    let mut joined = Vec::new();
    let mut parts: BTreeMap<String, Run> = BTreeMap::new();
    let mut events = EventFiles::default();
    for run in runs {
        let file = path_of(&run).to_owned();
        if is_tensorboard(&run) {
            events.add(run);
        } else if let (true, Some(whole)) = (is_format(&run, FileFormat::Parquet), parquet::whole_of(&file)) {
            match parts.get_mut(&whole) {
                Some(first) => {
                    join::append(first, run);
                    join::sort_rows(first);
                }
                None => _ = parts.insert(whole, run),
            }
        } else {
            joined.push(run);
        }
    }
    joined.extend(parts.into_values());
    joined.extend(events.into_runs());
    joined.compact_sort_by(|a, b| (path_of(a), &a.name).cmp(&(path_of(b), &b.name)));
    joined
}

/// Gives attachments to the runs that they belong to, and reports those without a run.
#[inline(never)]
pub(super) fn attach(index: &mut RunIndex, attachments: Vec<PartialRun>) -> Vec<Problem> {
    let mut samples: BTreeMap<String, Run> = BTreeMap::new();
    let mut problems = Vec::new();
    for PartialRun { run, folder, .. } in attachments {
        if run.tables.is_empty() {
            problems.extend(attach_by_name(index, run, &folder));
        } else if let Some(known) = samples.get_mut(&folder) {
            join::append(known, run);
        } else {
            samples.insert(folder, run);
        }
    }
    problems.extend(samples.into_iter().filter_map(|(folder, run)| attach_samples(index, run, &folder)));
    problems
}

/// Settings and machine metrics name their run.
fn attach_by_name(index: &mut RunIndex, piece: Run, folder: &str) -> Option<Problem> {
    // Trackio's static export keeps them a folder below the history.
    let around = if path::file_name(folder) == "aux" { path::folder(folder) } else { folder };
    let is_wanted = |run: &Run| run.name == piece.name && path::folder(path_of(run)) == around;
    let Some(run) = index.find(is_wanted) else {
        let what = "These settings or system metrics belong to a run whose history was not added.";
        return Some(Problem::new(path_of(&piece), Place::File, Weight::Remark, what, "Drop the whole folder."));
    };
    join::add_missing(run, piece);
    None
}

/// Samples belong to the run of their folder, or of the folder around it.
fn attach_samples(index: &mut RunIndex, mut piece: Run, folder: &str) -> Option<Problem> {
    let found =
        index.nearest(folder, &RunOrigin::ALL).filter(|(_, around)| [folder, path::folder(folder)].contains(around));
    let Some((run, _)) = found else {
        let what = "These samples (prompts and completions) lie beside no run, or beside more than one.";
        let remedy = "Drop the folder of the run, with its history.";
        return Some(Problem::new(path_of(&piece), Place::File, Weight::Remark, what, remedy));
    };
    if run.has_files_of(&piece) {
        return None;
    }
    move_media(run, &mut piece);
    run.files.extend(piece.files);
    None
}

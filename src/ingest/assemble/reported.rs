//! Runs that are known from their reports alone. They join nothing and nothing joins them: their curves are thinned.

use super::origin::path_of;
use crate::run::Run;

/// The runs with those of reports behind them: `already` were there, `new` came with this drop. A report of a run that
/// is there itself is left out, and so is a copy of a report.
pub(super) fn beside(mut runs: Vec<Run>, already: Vec<Run>, mut new: Vec<Run>) -> Vec<Run> {
    new.sort_by(|a, b| path_of(a).cmp(path_of(b)));
    let mut known: std::collections::BTreeMap<String, Vec<usize>> = std::collections::BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        known.entry(run.id.clone()).or_default().push(place);
    }
    for mut run in already.into_iter().chain(new) {
        let path = path_of(&run).to_owned();
        if run.id.is_empty() {
            run.id.clone_from(&path);
        }
        if run.name.is_empty() {
            run.name.clone_from(&run.id);
        }
        let alike = known.get(&run.id).map(Vec::as_slice).unwrap_or_default();
        if alike.iter().filter_map(|place| runs.get(*place)).any(|other| is_same(&run, other)) {
            continue;
        }
        let said = run.id.clone();
        // Ids that stem from file names repeat from task to task.
        if !alike.is_empty() {
            run.id = format!("{said} ({path})");
        }
        run.choose_axis(None);
        known.entry(said).or_default().push(runs.len());
        if !known.contains_key(&run.id) {
            known.insert(run.id.clone(), vec![runs.len()]);
        }
        runs.push(run);
    }
    runs
}

/// True for a copy of a report, and for the report of a run that is there itself.
fn is_same(reported: &Run, other: &Run) -> bool {
    let second = |run: &Run| run.started_at.map(|time| time.round() as i64);
    match &other.reported {
        Some(text) => reported.reported.as_ref() == Some(text),
        None => reported.name == other.name && second(reported).is_some() && second(reported) == second(other),
    }
}

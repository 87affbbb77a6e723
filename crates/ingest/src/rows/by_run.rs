//! Rows of several runs in one file, split by a column that names the run.

use rustc_hash::FxHashMap;

use super::metric_rows::MetricRows;
use super::read_progress::ReadProgress;
use crate::Problem;
use crate::budget::MemoryUse;
use crate::run_limit::RunLimit;
use crate::syntax::json::flatten_into;
use rundown_run::Run;

/// Names of the member or column that says which run a row is of, as compared by [`is_run_key`].
const RUN_KEYS: [&str; 4] = ["runid", "runname", "runuuid", "run"];

/// True for `run_id`, `Run ID`, `run_name`, `run` and the like.
pub(crate) fn is_run_key(name: &str) -> bool {
    let compared = name.chars().filter(|c| !matches!(c, ' ' | '_')).map(|c| c.to_ascii_lowercase());
    RUN_KEYS.iter().any(|known| known.chars().eq(compared.clone()))
}

/// True when the key holds an id and not a name.
pub(crate) fn is_id_key(name: &str) -> bool {
    is_run_key(name) && name.to_ascii_lowercase().ends_with("id")
}

/// Rows by the run that they name.
#[derive(Debug, Default)]
pub(crate) struct RowsByRun {
    /// Rows that name no run: in most files all of them. Not in the map, so that these need no lookup.
    unnamed: MetricRows,
    by_run: FxHashMap<String, MetricRows>,
    order: Vec<String>,
    /// Where rows go that are left out.
    nowhere: MetricRows,
    limit: RunLimit,
    /// The rows name their run by its id.
    pub(crate) has_ids: bool,
}

impl RowsByRun {
    /// The rows of a run; of those that name none, when `run` is empty.
    pub(crate) fn rows(&mut self, run: &str) -> &mut MetricRows {
        if run.is_empty() {
            return &mut self.unnamed;
        }
        if !self.by_run.contains_key(run) {
            if !self.limit.admits_beside(self.order.len()) {
                self.nowhere = MetricRows::default();
                return &mut self.nowhere;
            }
            self.order.push(run.to_owned());
        }
        self.by_run.entry(run.to_owned()).or_default()
    }

    /// Number of rows of all runs.
    pub(crate) fn len(&self) -> usize {
        self.all().map(MetricRows::len).sum()
    }

    /// Says how far the file has been read. Rows that name a run may stop anywhere in it.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.unnamed.set_progress(progress);
    }

    /// What the rows of all runs take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.all().map(MetricRows::memory_use).sum()
    }

    /// The problem for the rows that were left out beyond the limit of runs.
    pub(crate) fn left_out(&self) -> Option<Problem> {
        self.limit.problem("row")
    }

    /// True when most rows are samples (prompts and completions) and no metrics.
    pub(crate) fn are_samples(&self) -> bool {
        let samples: usize = self.all().filter(|rows| rows.are_samples()).map(MetricRows::len).sum();
        samples * 2 > self.len()
    }

    /// True when some row names its step.
    pub(crate) fn has_step(&self) -> bool {
        self.all().any(MetricRows::has_step)
    }

    fn all(&self) -> impl Iterator<Item = &MetricRows> {
        self.by_run.values().chain([&self.unnamed])
    }

    /// The runs that have a row, in the order in which they came. One run alone keeps the name of its file.
    pub(crate) fn finish(mut self) -> Vec<Run> {
        let mut shared = self.unnamed;
        let named: Vec<(String, MetricRows)> = self
            .order
            .into_iter()
            .filter_map(|run| self.by_run.remove_entry(&run))
            .filter(|(_, rows)| rows.len() > 0)
            .collect();
        let is_alone = named.len() == 1;
        let settings = shared.take_settings();
        let mut runs: Vec<Run> = Vec::new();
        if shared.len() > 0 || named.is_empty() {
            runs.extend(shared.finish_runs());
        }
        for (run, rows) in named {
            let name = if is_alone && self.has_ids { String::new() } else { run.clone() };
            let id = if self.has_ids { run } else { String::new() };
            runs.push(Run { id, name, ..rows.finish() });
        }
        // Settings that name no run are those of all.
        for run in &mut runs {
            flatten_into(&mut run.config, "", settings.clone());
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_find_their_run() {
        let mut grouped = RowsByRun { has_ids: true, ..RowsByRun::default() };
        grouped.rows("").json_row(br#"{"config": {"lr": 0.1}}"#).unwrap();
        for (run, row) in
            [("b", r#"{"step": 1, "x": 1}"#), ("a", r#"{"step": 1, "x": 2}"#), ("b", r#"{"step": 2, "x": 3}"#)]
        {
            grouped.rows(run).json_row(row.as_bytes()).unwrap();
        }
        assert_eq!(grouped.len(), 3);
        let runs = grouped.finish();
        let seen: Vec<_> = runs.iter().map(|run| (run.id.as_str(), run.columns["x"].values().to_vec())).collect();
        assert_eq!(seen, [("b", vec![1.0, 3.0]), ("a", vec![2.0])]);
        assert!(runs.iter().all(|run| run.config.number(&["lr"]).is_some()));
    }

    #[test]
    fn keys_that_name_a_run_are_known() {
        assert!(["run_id", "Run ID", "run_name", "Run", "runId"].iter().all(|key| is_run_key(key)));
        assert!(!["running", "run_time", "id"].iter().any(|key| is_run_key(key)));
        assert!(is_id_key("run_uuid") && !is_id_key("run_name"));
    }
}

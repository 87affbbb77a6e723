//! Rows of several runs in one file, split by a column that names the run.

use rustc_hash::FxHashMap;

use crate::Problem;
use crate::budget::MemoryUse;
use crate::join::interleave_by_step;
use crate::rows::long_rows::LongRows;
use crate::rows::metric_rows::MetricRows;
use crate::rows::read_progress::ReadProgress;
use crate::run_limit::RunLimit;
use crate::syntax::json::{Json, flatten_into};
use rundown_run::{Column, Run};

/// Names of the member or column that says which run a row is of, as compared by [`is_run_key`].
const RUN_KEYS: [&str; 5] = ["runid", "runkey", "runname", "runuuid", "run"];

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
    /// Rows of one value each.
    pub(crate) points: LongRows,
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
        self.all().map(MetricRows::len).sum::<usize>() + self.points.len()
    }

    /// Says how far the file has been read. Rows that name a run may stop anywhere in it.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.unnamed.set_progress(progress);
    }

    /// What the rows of all runs take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.all().map(MetricRows::memory_use).sum::<MemoryUse>() + self.points.memory_use()
    }

    /// The problem for the rows that were left out beyond the limit of runs.
    pub(crate) fn left_out(&self) -> Option<Problem> {
        self.limit.problem("row").or_else(|| self.points.left_out())
    }

    /// True when most rows are samples (prompts and completions) and no metrics.
    pub(crate) fn are_samples(&self) -> bool {
        let samples: usize = self.all().filter(|rows| rows.are_samples()).map(MetricRows::len).sum();
        samples * 2 > self.len()
    }

    /// True when some row names its step.
    pub(crate) fn has_step(&self) -> bool {
        self.points.len() > 0 || self.all().any(MetricRows::has_step)
    }

    fn all(&self) -> impl Iterator<Item = &MetricRows> {
        self.by_run.values().chain([&self.unnamed])
    }

    /// The runs that have a row, in the order in which they came. One run alone keeps the name of its file.
    pub(crate) fn finish(mut self) -> Vec<Run> {
        let mut points = self.points.finish();
        let mut named: Vec<(String, Run)> = Vec::new();
        let mut headers: Vec<(String, Json)> = Vec::new();
        for name in self.order {
            let Some(mut rows) = self.by_run.remove(&name) else { continue };
            let of_points = points.by_name.remove(&name);
            if rows.len() == 0 && of_points.is_none() {
                headers.push((name, rows.take_settings()));
                continue;
            }
            let mut run = rows.finish();
            join_points(&mut run, of_points.unwrap_or_default());
            run.columns.retain(|key, _| !is_run_key(key));
            named.push((name, run));
        }
        named.extend(points.by_name);
        let mut settings = vec![self.unnamed.take_settings()];
        let mut runs: Vec<Run> = Vec::new();
        let has_rows = self.unnamed.len() > 0;
        let has_unnamed = has_rows || !points.unnamed.is_empty();
        if has_rows || (named.is_empty() && !has_unnamed) {
            runs.extend(self.unnamed.finish_runs());
        }
        let is_one = runs.len() == 1 && points.unnamed.len() == 1;
        for unnamed in points.unnamed {
            match runs.first_mut().filter(|_| is_one) {
                Some(run) => join_points(run, unnamed),
                None => runs.push(unnamed),
            }
        }
        // A line above the rows may name the only run, whose rows do not.
        if has_unnamed
            && named.is_empty()
            && let [(name, of_header)] = &mut headers[..]
        {
            settings.push(std::mem::take(of_header));
            if runs.len() == 1 {
                named.extend(runs.pop().map(|run| (std::mem::take(name), run)));
            }
        }
        let is_alone = named.len() == 1;
        for (name_or_id, run) in named {
            let is_number = name_or_id.bytes().all(|byte| byte.is_ascii_digit());
            let name = if is_alone && (self.has_ids || is_number) { String::new() } else { name_or_id.clone() };
            let id = if self.has_ids { name_or_id } else { String::new() };
            runs.push(Run { id, name, ..run });
        }
        // Settings that name no run are those of all.
        for run in &mut runs {
            settings.iter().for_each(|settings| flatten_into(&mut run.config, "", settings.clone()));
        }
        runs
    }
}

/// Puts points between the rows of the same run.
fn join_points(run: &mut Run, mut points: Run) {
    if points.row_steps.is_empty() {
        return;
    }
    if run.row_steps.is_empty() {
        points.config = std::mem::take(&mut run.config);
        *run = points;
        return;
    }
    let steps: Column = (0..).zip(points.row_steps.iter().copied()).collect();
    points.columns.insert("step".to_owned(), steps);
    interleave_by_step(run, points);
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
    fn a_header_names_the_run_of_rows_without_a_name() {
        let finish = |lines: &[(&str, &str)], has_ids| {
            let mut grouped = RowsByRun { has_ids, ..RowsByRun::default() };
            for (run, row) in lines {
                grouped.rows(run).json_row(row.as_bytes()).unwrap();
            }
            let of_run = |run: Run| (run.id, run.name, run.config.number(&["lr"]).is_some());
            grouped.finish().into_iter().map(of_run).collect::<Vec<_>>()
        };
        let header = r#"{"run_name": "a", "config": {"lr": 0.1}}"#;
        let rows = [("", r#"{"step": 1, "x": 1}"#), ("", r#"{"step": 2, "x": 2}"#)];
        assert_eq!(finish(&[("a", header), rows[0], rows[1]], false), [(String::new(), "a".to_owned(), true)]);
        assert_eq!(finish(&[("a", header), rows[0], rows[1]], true), [("a".to_owned(), String::new(), true)]);
        let two = finish(&[("a", header), ("b", r#"{"config": {"lr": 0.2}}"#), rows[0]], false);
        assert_eq!(two, [(String::new(), String::new(), false)], "which of them is not known");
        let other = finish(&[("a", header), ("b", r#"{"step": 1, "x": 1}"#), rows[0]], false);
        assert!(other.iter().all(|(.., has_lr)| !has_lr), "another run has rows: {other:?}");
    }

    #[test]
    fn keys_that_name_a_run_are_known() {
        assert!(["run_id", "Run ID", "run_key", "run_name", "Run", "runId"].iter().all(|key| is_run_key(key)));
        assert!(!["running", "run_time", "id"].iter().any(|key| is_run_key(key)));
        assert!(is_id_key("run_uuid") && !is_id_key("run_name"));
    }
}

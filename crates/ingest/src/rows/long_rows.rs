//! Rows of one value each, `step, metric, value`, as points of the runs that they name, or that their labels tell apart.

use std::collections::BTreeMap;

use super::labels::{MAX_LABELS, MIN_ROWS, words};
use super::points::{PointCollector, PointPart};
use super::run_fields::setting;
use crate::Problem;
use crate::budget::MemoryUse;
use crate::run_limit::RunLimit;
use crate::setting_names::setting_key;
use rundown_run::Run;

/// Names of the column that holds the metric's name, best first.
pub(crate) const METRIC_COLUMNS: [&str; 5] = ["metric", "metric_name", "tag", "key", "name"];
/// Names of the column that holds the value.
pub(crate) const VALUE_COLUMNS: [&str; 2] = ["value", "metric_value"];

/// Names and texts of the labels of a row, such as its seed.
type Labels = Vec<(String, String)>;

/// Which run a row is of.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunKey {
    /// Name or id of the run; empty where the row has none.
    pub(crate) named: String,
    /// What may tell runs without a name apart.
    pub(crate) labels: Labels,
}

/// Collects points by their run.
#[derive(Debug, Default)]
pub(crate) struct LongRows {
    runs: BTreeMap<RunKey, PointCollector>,
    limit: RunLimit,
}

/// The runs of points.
#[derive(Debug, Default)]
pub(crate) struct LongRuns {
    /// Those that no row names: mostly one.
    pub(crate) unnamed: Vec<Run>,
    pub(crate) by_name: BTreeMap<String, Run>,
}

impl LongRows {
    /// Adds a point. `time` is in Unix seconds, NaN where unknown.
    pub(crate) fn push(&mut self, key: &RunKey, metric: &str, step: f64, time: f64, value: f64) {
        if !self.runs.contains_key(key) && self.limit.admits_beside(self.runs.len()) {
            self.runs.insert(key.clone(), PointCollector::default());
        }
        if let Some(points) = self.runs.get_mut(key) {
            points.push(metric, PointPart::Value, step, time, value);
        }
    }

    /// Number of points of all runs.
    pub(crate) fn len(&self) -> usize {
        self.runs.values().map(PointCollector::len).sum()
    }

    /// What the points take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.runs.values().map(PointCollector::memory_use).sum()
    }

    /// The problem for the rows that were left out beyond the limit of runs.
    pub(crate) fn left_out(&self) -> Option<Problem> {
        self.limit.problem("row")
    }

    /// The runs that have a point.
    pub(crate) fn finish(self) -> LongRuns {
        let mut by_name = BTreeMap::new();
        let mut labelled = Vec::new();
        for (RunKey { named, labels }, points) in self.runs.into_iter().filter(|(_, points)| points.len() > 0) {
            let run = points.into_run();
            if named.is_empty() {
                labelled.push((labels, run));
            } else {
                by_name.insert(named, run);
            }
        }
        LongRuns { unnamed: told_apart(labelled), by_name }
    }
}

/// The runs without a name: one for each set of labels where these tell runs apart, else all as one.
fn told_apart(labelled: Vec<(Labels, Run)>) -> Vec<Run> {
    let Some((first, _)) = labelled.first() else { return Vec::new() };
    let is_common = |label: &&(String, String)| labelled.iter().all(|(labels, _)| labels.contains(label));
    let common: Labels = first.iter().filter(is_common).cloned().collect();
    let are_apart = are_apart(&labelled);
    let mut runs = Vec::new();
    let mut joined = PointCollector::default();
    let is_alone = labelled.len() == 1;
    for (labels, mut run) in labelled {
        if !are_apart && !is_alone {
            joined.add_run(run);
            continue;
        }
        let other = labels.iter().filter(|label| !common.contains(label));
        run.name = other.map(|(name, text)| words(name, &setting(text))).collect::<Vec<_>>().join(", ");
        note(&mut run, &labels);
        runs.push(run);
    }
    if runs.is_empty() {
        let mut run = joined.into_run();
        note(&mut run, &common);
        runs.push(run);
    }
    runs
}

/// True where labels are those of runs: all have the same metric and a common step, and several rows each. Otherwise they may
/// say of what a value is, or which job went on with the run.
fn are_apart(labelled: &[(Labels, Run)]) -> bool {
    let Some(((first, of_first), others)) = labelled.split_first() else { return false };
    let is_like_first = |(labels, run): &(Labels, Run)| {
        let names = |labels: &Labels| labels.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        names(labels) == names(first) && run.columns.keys().any(|metric| of_first.columns.contains_key(metric))
    };
    let steps = || labelled.iter().map(|(_, run)| &run.row_steps);
    let begins = steps().filter_map(|steps| steps.first()).copied().fold(f64::NEG_INFINITY, f64::max);
    let ends = steps().filter_map(|steps| steps.last()).copied().fold(f64::INFINITY, f64::min);
    (2..=MAX_LABELS).contains(&labelled.len())
        && others.iter().all(is_like_first)
        && begins <= ends
        && steps().map(Vec::len).sum::<usize>() >= MIN_ROWS * labelled.len()
}

/// Adds labels to the settings of a run.
fn note(run: &mut Run, labels: &Labels) {
    for (name, text) in labels {
        let key = setting_key(name).map_or_else(|| name.clone(), std::borrow::Cow::into_owned);
        run.config.insert(key, setting(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the runs of rows of `(label, metric, first step)`, of four steps each.
    fn names(rows: &[(&str, &str, u8)]) -> Vec<String> {
        let mut long = LongRows::default();
        for (label, metric, first) in rows {
            let model = ("model".to_owned(), "m".to_owned());
            let labels = [model, ("seed".to_owned(), (*label).to_owned())];
            let key = RunKey {
                labels: labels.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
                ..RunKey::default()
            };
            (0..4_u8).for_each(|step| long.push(&key, metric, f64::from(first + step), f64::NAN, 0.5));
        }
        let unnamed = long.finish().unnamed;
        assert!(unnamed.iter().all(|run| run.config.get("model_name").is_some()));
        unnamed.into_iter().map(|run| run.name).collect()
    }

    #[test]
    fn labels_tell_runs_apart_where_metrics_and_steps_are_common() {
        assert_eq!(names(&[("0", "reward", 0), ("1", "reward", 1)]), ["seed 0", "seed 1"]);
        assert_eq!(names(&[("0", "reward", 0), ("0", "kl", 0)]), [""], "one run");
        assert_eq!(names(&[("0", "reward", 0), ("1", "kl", 0)]), [""], "what the value is of");
        assert_eq!(names(&[("0", "reward", 0), ("1", "reward", 4)]), [""], "one goes on with the other");
        assert_eq!(names(&[("0", "reward", 0), ("", "reward", 0)]), [""], "a label is missing");
    }
}

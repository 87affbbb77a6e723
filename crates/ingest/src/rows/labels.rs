//! Rows of several runs in one table that their labels tell apart, such as `algo` and `seed`: tables that a notebook put
//! together, one run below the other or all runs of a step together.
//!
//! A text may say many things of a row. Labels are taken for those of runs only where they explain the steps: in the table a
//! step is taken again, and in the rows of each label the steps rise, all from the same first one, or one label below the other.

mod groups;

use super::names::{counter_of, is_one_of};
use crate::budget::MemoryUse;
use crate::setting_names::MODELS_AND_DATA;
use groups::{Grouping, Groups, is_of_whole_run, is_setting, needed};
pub(super) use groups::{note_constants, words};
use rundown_run::{ConfigValue, Run};

/// Names of columns whose texts say which variant of a training the row is of; lower case.
const VARIANT_COLUMNS: [&str; 24] = [
    "ablation", "advantage", "algo", "algorithm", "approach", "arm", "condition", "config_name", "exp", "exp_name",
    "experiment", "experiment_id", "experiment_name", "job", "loss_type", "method", "model", "model_name", "optimizer",
    "reward_type", "setup", "strategy", "treatment", "variant",
];
/// Names of columns whose numbers count the repetitions of a training; lower case.
const REPETITION_COLUMNS: [&str; 6] = ["fold", "rep", "repetition", "replicate", "seed", "trial"];
/// Names of columns whose texts count repetitions or jobs, which is no setting; a seed is one.
const COUNTING_COLUMNS: [&str; 6] = ["fold", "job", "rep", "repetition", "replicate", "trial"];
/// Longest text that is kept, in bytes: a longer one is no label.
const MAX_LABEL_BYTES: usize = 120;
/// A column with more labels does not name runs.
pub(super) const MAX_LABELS: usize = 200;
/// Fewest rows of a run, on average: fewer are no curve.
pub(super) const MIN_ROWS: usize = 3;
/// A row without a label.
const NO_LABEL: u16 = u16::MAX;

/// The labels of the rows so far.
#[derive(Debug, Default)]
pub(crate) struct RowLabels {
    columns: Vec<LabelColumn>,
}

/// The label of a row in one column.
#[derive(Debug)]
pub(crate) struct RowLabel {
    column: usize,
    /// Its number among the labels of the column.
    label: u16,
}

#[derive(Debug, Default)]
struct LabelColumn {
    name: String,
    labels: Vec<String>,
    /// Numbers of the labels, by row.
    of_rows: Vec<u16>,
    /// Its texts are too long or too many.
    is_other: bool,
}

/// True for a name whose texts may be labels of runs.
pub(crate) fn is_label_name(name: &str) -> bool {
    is_one_of(name, &VARIANT_COLUMNS) || is_one_of(name, &REPETITION_COLUMNS)
}

impl LabelColumn {
    /// True where its texts are labels and each row has one, up to the last.
    fn is_complete(&self) -> bool {
        !self.is_other && !self.of_rows.contains(&NO_LABEL)
    }

    /// True where each of so many rows has a label, or where it is that of a setting which rows of one kind have. The model or the
    /// data of some rows may be those of a judge or of an evaluation.
    fn is_of_run(&self, rows: usize) -> bool {
        let labelled = || (0..).zip(&self.of_rows).filter(|(_, label)| **label != NO_LABEL).map(|(row, _)| row);
        let is_of_kind = || is_of_whole_run(labelled().count(), labelled().next(), labelled().last(), rows);
        let may_be_of_kind = || is_setting(&self.name) && !MODELS_AND_DATA.contains(&groups::key(&self.name).as_str());
        (self.is_complete() && self.of_rows.len() == rows) || (!self.is_other && may_be_of_kind() && is_of_kind())
    }

    /// The number of a text among the labels; `None` where the texts are no labels.
    fn label(&mut self, text: &str) -> Option<u16> {
        let known = self.labels.iter().position(|label| label == text);
        if known.is_none() {
            self.is_other |= text.len() > MAX_LABEL_BYTES || self.labels.len() >= MAX_LABELS;
            self.labels.extend((!self.is_other).then(|| text.to_owned()));
        }
        if self.is_other { None } else { u16::try_from(known.unwrap_or(self.labels.len() - 1)).ok() }
    }
}

impl RowLabels {
    /// The label that a text of a row is, which goes to [`RowLabels::push`]; `None` for any other text.
    pub(crate) fn label(&mut self, name: &str, text: &str) -> Option<RowLabel> {
        if !is_label_name(name) {
            return None;
        }
        let found = self.columns.iter().position(|column| column.name == name);
        let column = found.unwrap_or_else(|| {
            self.columns.push(LabelColumn { name: name.to_owned(), ..LabelColumn::default() });
            self.columns.len() - 1
        });
        let label = self.columns.get_mut(column)?.label(text.trim())?;
        Some(RowLabel { column, label })
    }

    /// Keeps the labels of the row of this number.
    pub(crate) fn push(&mut self, row: u32, labels: &[RowLabel]) {
        for RowLabel { column, label } in labels {
            if let Some(column) = self.columns.get_mut(*column) {
                column.of_rows.resize(row as usize, NO_LABEL);
                column.of_rows.push(*label);
            }
        }
    }

    /// Adds labels that never change in a run to its settings, but for those that count repetitions or jobs.
    pub(crate) fn note_settings(&self, run: &mut Run) {
        for column in self.columns.iter().filter(|column| !is_one_of(&column.name, &COUNTING_COLUMNS)) {
            let key = groups::key(&column.name);
            if let [value] = column.labels.as_slice()
                && column.is_of_run(run.row_steps.len())
                && run.config.get(&key).is_none()
            {
                run.config.insert(key, ConfigValue::Text(value.clone()));
            }
        }
    }

    /// What the labels take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.columns.iter().map(|column| column.of_rows.len() * size_of::<u16>()).sum())
    }

    /// The runs that the labels and the settings of rows tell apart, each with a name of them; the run as it is where they
    /// tell none apart.
    pub(crate) fn split(self, mut run: Run) -> Vec<Run> {
        self.note_settings(&mut run);
        let has_media = !run.tables.is_empty() || !run.histograms.is_empty();
        let Some(steps) = counter_of(&run).filter(|steps| !has_media && steps.len() == run.row_steps.len()) else {
            return vec![run];
        };
        let steps = steps.values();
        let goes_back = !steps.is_sorted_by(|a, b| a <= b);
        if !goes_back && steps.is_sorted_by(|a, b| a < b) {
            return vec![run];
        }
        let is_useful = |grouping: &Grouping| {
            let values = grouping.values.len();
            grouping.of_rows.len() == steps.len() && values * MIN_ROWS <= steps.len()
        };
        let labels = self.columns.into_iter().filter_map(Grouping::of_labels);
        let mut groupings: Vec<Grouping> = labels.filter(is_useful).collect();
        // The samples of a step may have seeds of their own: alone, numbers count where the steps begin again.
        let is_labelled = groupings.iter().any(|labels| labels.values.len() > 1);
        let numbers = |is_wanted: fn(&str) -> bool| {
            let columns = run.columns.iter().filter(move |(name, _)| (goes_back || is_labelled) && is_wanted(name));
            columns.filter_map(Grouping::of_numbers).filter(is_useful).collect::<Vec<Grouping>>()
        };
        groupings.extend(numbers(|name| is_one_of(name, &REPETITION_COLUMNS)));
        let settings = numbers(is_setting);
        let mut groups = Groups::by(&groupings.iter().collect::<Vec<_>>(), steps.len());
        if groups.explain(steps, goes_back, is_labelled) {
            // A setting that a schedule changes would split the runs once more.
            let is_of_runs = |setting: &Grouping| groups.have_one_value(setting);
            groupings.extend(settings.into_iter().filter(is_of_runs));
        } else {
            groupings.extend(settings);
            groups = Groups::by(&groupings.iter().collect::<Vec<_>>(), steps.len());
        }
        if !groups.explain(steps, goes_back, is_labelled) {
            return vec![run];
        }
        let needed = needed(&groupings, groups.first_rows.len(), steps.len());
        groups.runs(run, &groupings, &needed)
    }
}

#[cfg(test)]
mod tests;

//! What a table is by its columns' names: a history, many histories, settings, machine metrics or samples.
//!
//! It is decided before any value is read: a data set of a gigabyte that lies beside a run costs nothing.

use super::is_number;
use super::schema::{Leaf, LeafMeaning};
use crate::path;
use crate::rows::names::is_step_name;

/// Columns that name the run of each row: its id first, then its name.
const RUN_IDS: [&str; 2] = ["run_id", "run.id"];
const RUN_NAMES: [&str; 4] = ["run_name", "run", "run.name", "experiment_name"];
/// Columns that hold what a model wrote.
const COMPLETIONS: [&str; 4] = ["completion", "completions", "response", "responses"];

/// What a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// Rows of metrics, of one run or of several.
    History,
    /// One row of settings for each run (Trackio).
    Configs,
    /// Rows of machine metrics (Trackio).
    System,
    /// Prompts and completions (TRL's `log_completions`).
    Samples,
}

/// What a table is, and which columns say whose rows they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableShape {
    pub(super) kind: TableKind,
    /// Column of run ids.
    pub(super) run_id: Option<String>,
    /// Column of run names.
    pub(super) run_name: Option<String>,
    /// Columns whose dictionaries describe media, by the key of the metric.
    pub(super) media: Vec<String>,
}

/// The shape of a table with these columns, or `None` when it says nothing about a run.
pub(super) fn of(file: &str, leaves: &[Leaf]) -> Option<TableShape> {
    let has = |name: &str| leaves.iter().any(|leaf| leaf.name == name);
    let pick = |names: &[&str]| names.iter().find(|name| has(name)).map(|name| (*name).to_owned());
    let (run_id, run_name) = (pick(&RUN_IDS), pick(&RUN_NAMES));
    let is_long = run_id.is_some() || run_name.is_some();
    let is_counted = leaves.iter().any(|leaf| is_number(leaf) && leaf.max_repetition == 0 && is_step_name(&leaf.name));
    // A text, or a list of messages. A dictionary of that name describes a table of W&B.
    let is_text = |name: &&str| {
        let is_below_name = |leaf: &Leaf| leaf.max_repetition > 0 && is_below(&leaf.name, name);
        leaves.iter().any(|leaf| leaf.meaning == LeafMeaning::Text && (leaf.name == *name || is_below_name(leaf)))
    };
    let kind = if is_counted && COMPLETIONS.iter().any(is_text) {
        TableKind::Samples
    } else if is_counted {
        TableKind::History
    } else if is_long && stem_ends(file, "configs") {
        TableKind::Configs
    } else if is_long && (stem_ends(file, "system") || stem_ends(file, "system_metrics")) {
        TableKind::System
    } else {
        return None;
    };
    let media = leaves.iter().filter_map(|leaf| leaf.name.strip_suffix("._type")).map(str::to_owned).collect();
    Some(TableShape { kind, run_id, run_name, media })
}

impl TableShape {
    /// True for a column that is looked at.
    pub(super) fn needs(&self, leaf: &Leaf) -> bool {
        let is_whose = self.run_id.as_ref() == Some(&leaf.name) || self.run_name.as_ref() == Some(&leaf.name);
        match self.kind {
            TableKind::Samples => true,
            _ if is_whose => true,
            TableKind::Configs => leaf.max_repetition == 0,
            TableKind::History if self.media.iter().any(|key| is_below(&leaf.name, key)) => true,
            TableKind::History | TableKind::System => leaf.max_repetition == 0 || is_histogram_list(&leaf.name),
        }
    }
}

/// True when `name` is a member of the dictionary `key`.
pub(super) fn is_below(name: &str, key: &str) -> bool {
    name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
}

fn is_histogram_list(name: &str) -> bool {
    name.ends_with(".values") || name.ends_with(".bins")
}

fn stem_ends(file: &str, word: &str) -> bool {
    let name = path::file_name(file);
    let stem = name.strip_suffix(".parquet").unwrap_or(name);
    stem == word || stem.strip_suffix(word).is_some_and(|rest| rest.ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::super::schema::Physical;
    use super::*;

    fn kind(file: &str, names: &[&str]) -> Option<TableKind> {
        let leaves: Vec<Leaf> = names
            .iter()
            .map(|name| {
                let (is_text, is_list) = (name.ends_with(['*', '+']), name.ends_with('+'));
                Leaf {
                    name: name.trim_end_matches(['*', '+']).to_owned(),
                    physical: if is_text { Physical::Bytes } else { Physical::Double },
                    meaning: if is_text { LeafMeaning::Text } else { LeafMeaning::Number },
                    length: 0,
                    max_definition: 1,
                    max_repetition: u16::from(is_list),
                }
            })
            .collect();
        of(file, &leaves).map(|shape| shape.kind)
    }

    #[test]
    fn tables_are_told_apart_by_their_columns() {
        assert_eq!(kind("a.parquet", &["_step", "loss"]), Some(TableKind::History));
        assert_eq!(kind("a.parquet", &["Iteration", "loss"]), Some(TableKind::History));
        assert_eq!(kind("p.parquet", &["run_name*", "step", "loss"]), Some(TableKind::History));
        assert_eq!(kind("p_configs.parquet", &["run_name*", "lr"]), Some(TableKind::Configs));
        assert_eq!(kind("aux/system_metrics.parquet", &["run_name*", "gpu"]), Some(TableKind::System));
        assert_eq!(kind("c.parquet", &["step", "prompt*", "completion*", "r"]), Some(TableKind::Samples));
        assert_eq!(kind("c.parquet", &["step", "prompt.content+", "completion.content+"]), Some(TableKind::Samples));
        let table = ["_step", "loss", "completions._type*", "completions.path*", "completions.nrows"];
        assert_eq!(kind("h.parquet", &table), Some(TableKind::History), "a table that W&B logged");
        assert_eq!(kind("train.parquet", &["question*", "answer*", "score"]), None);
        assert_eq!(kind("a.parquet", &["step*", "loss"]), None, "a step is a number");
    }
}

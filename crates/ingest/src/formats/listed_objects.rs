//! JSON objects of which each is a run with its settings and last values, such as
//! `[{"run_name": "a", "lr": 1e-5, "reward": 0.4}, {"run_name": "b", "lr": 2e-5, "reward": 0.5}]`.
//!
//! They are kept as the cells of a table of runs, which tells settings from last values.

use rustc_hash::FxHashMap;

use super::csv::RunsTable;
use super::row_names::{CellText, RowNames, is_of_rows};
use crate::budget::MemoryUse;
use crate::rows::names::{CONFIG_KEYS, WRAPPERS};
use crate::syntax::json::{Json, flatten_into};
use rundown_run::{Config, ConfigValue, Run};

/// Objects that only wrap the last values of a run, beside those that wrap the metrics of a row.
const LAST_VALUES: [&str; 3] = ["summary", "results", "final_metrics"];

/// What the names of settings and of last values begin with that stand in objects of their own, as in MLflow's tables.
const SETTING: &str = "params.";
const LAST_VALUE: &str = "metrics.";

/// Whole numbers up to here are taken for numbers when a cell is read, larger ones for texts.
const MAX_ID: f64 = 1e15;

/// Names and values of a row.
type Cells = Vec<(String, ConfigValue)>;

/// What the objects so far are.
#[derive(Debug, Default)]
pub(super) enum ListedObjects {
    /// There was none yet.
    #[default]
    None,
    /// Each may be a run.
    Open(Box<OpenList>),
    /// Rows of a history, or anything else.
    Other,
}

/// Objects that may be runs.
#[derive(Debug)]
pub(super) struct OpenList {
    names: RowNames,
    table: RunsTable,
    columns: FxHashMap<String, usize>,
}

impl ListedObjects {
    /// Takes the next object.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        *self = match std::mem::take(self) {
            Self::Other => return *self = Self::Other,
            Self::None => Self::first(bytes),
            Self::Open(list) => cells_of(bytes).and_then(|cells| list.with(cells)),
        }
        .map_or(Self::Other, Self::Open);
    }

    /// Notes an object that is no run of such a list.
    pub(super) fn add_other(&mut self) {
        *self = Self::Other;
    }

    /// What the objects take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        match self {
            Self::Open(list) => list.table.bytes(),
            Self::None | Self::Other => MemoryUse::default(),
        }
    }

    /// True where the objects so far are runs.
    pub(super) fn are_runs(&self) -> bool {
        matches!(self, Self::Open(list) if list.names.are_runs())
    }

    /// The runs; none where the objects are something else.
    pub(super) fn finish(self) -> Vec<Run> {
        match self {
            Self::Open(list) if list.names.are_runs() => {
                let OpenList { names, table, .. } = *list;
                table.named_by(names.experiment()).into_runs().0
            }
            Self::Open(_) | Self::None | Self::Other => Vec::new(),
        }
    }

    fn first(bytes: &[u8]) -> Option<Box<OpenList>> {
        let cells = cells_of(bytes)?;
        let may_name = |name: &&str| !is_of_rows(name) && !name.starts_with(LAST_VALUE);
        let bare = cells.iter().map(|(name, _)| name.strip_prefix(SETTING).unwrap_or(name)).filter(may_name);
        let names = RowNames::of_columns(bare)?;
        let list = OpenList { names, table: RunsTable::of_columns(&[], b','), columns: FxHashMap::default() };
        Box::new(list).with(cells)
    }
}

impl OpenList {
    /// The list with one more run; `None` where its cells show that it is no run.
    fn with(mut self: Box<Self>, cells: Cells) -> Option<Box<Self>> {
        let has_axis = cells
            .iter()
            .any(|(name, _)| !name.starts_with(SETTING) && is_of_rows(name.strip_prefix(LAST_VALUE).unwrap_or(name)));
        if has_axis {
            return None;
        }
        for (name, value) in cells {
            let column = match self.columns.get(&name) {
                Some(column) => *column,
                None => {
                    let column = self.table.add_column(&name);
                    self.columns.insert(name, column);
                    column
                }
            };
            let is_string = matches!(value, ConfigValue::Text(_));
            let text = match value {
                // An id as it is written: a large setting would be shown with an exponent.
                ConfigValue::Number(number) if number.fract() == 0.0 && number.abs() < MAX_ID => number.to_string(),
                value => value.to_string(),
            };
            self.table.add_text(column, CellText { text: &text, is_string });
        }
        let is_run = self.names.add_row(|name| self.table.cell_of(name));
        self.table.end_run();
        is_run.then_some(self)
    }
}

/// The members of an object as cells of a table of runs; `None` for anything else. Lists have no place in a table.
fn cells_of(bytes: &[u8]) -> Option<Cells> {
    let Json::Object(members) = Json::parse(bytes).ok()? else { return None };
    let mut found = Config::default();
    for (key, value) in members {
        let Json::Object(_) = value else {
            flatten_into(&mut found, &key, value);
            continue;
        };
        let mut inner = Config::default();
        let is_setting = CONFIG_KEYS.contains(&key.as_str());
        let is_wrapper = is_setting || WRAPPERS.contains(&key.as_str()) || LAST_VALUES.contains(&key.as_str());
        flatten_into(&mut inner, if is_wrapper { "" } else { &key }, value);
        let prefix = if is_setting { SETTING } else { LAST_VALUE };
        inner.iter().for_each(|(name, value)| found.insert(format!("{prefix}{name}"), value.clone()));
    }
    let is_cell = |value: &ConfigValue| !matches!(value, ConfigValue::Null | ConfigValue::List(_));
    let cells = found.iter().filter(|(_, value)| is_cell(value));
    Some(cells.map(|(name, value)| (name.to_owned(), value.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(objects: &[&str]) -> Vec<Run> {
        let mut list = ListedObjects::default();
        objects.iter().for_each(|object| list.add(object.as_bytes()));
        list.finish()
    }

    #[test]
    fn objects_with_names_and_settings_are_runs() {
        let flat = [
            r#"{"run_name": "amber", "lr": 1e-5, "batch_size": 8, "final_reward": 0.5, "note": null, "is_lora": true}"#,
            r#"{"run_name": "birch", "lr": 2e-5, "batch_size": 8, "final_reward": 0.75, "curve": [1, 2], "kl": 0.25}"#,
        ];
        let found = runs(&flat);
        let names: Vec<_> = found.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["amber", "birch"]);
        let text = |config: &Config| config.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
        assert_eq!(text(&found[0].config), ["batch_size=8", "is_lora=true", "lr=1e-5"]);
        assert_eq!(text(&found[1].summary), ["final_reward=0.75", "kl=0.25"]);
        let nested = [
            r#"{"id": "x1", "params": {"lr": 1e-5, "epochs": 1, "batch": 4}, "metrics": {"pass_rate": 0.5}}"#,
            r#"{"id": "x2", "params": {"lr": 2e-5, "epochs": 1}, "metrics": {"pass_rate": 0.75}, "gpu": {"hours": 2}}"#,
        ];
        let found = runs(&nested);
        assert_eq!((found[0].id.as_str(), found[0].name.as_str()), ("x1", "x1"));
        assert_eq!(text(&found[0].config), ["batch=4", "epochs=1", "lr=1e-5"]);
        assert_eq!(text(&found[1].summary), ["gpu.hours=2", "pass_rate=0.75"]);
    }

    #[test]
    fn strings_that_look_like_numbers_stay_strings() {
        let found = runs(&[
            r#"{"run_name": "0012", "lr": 1e-5, "batch_size": 8, "dataset": "007", "reward": 0.5}"#,
            r#"{"run_name": "0013", "lr": 2e-5, "batch_size": 8, "dataset": "008", "reward": 0.75}"#,
        ]);
        assert_eq!(found.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["0012", "0013"]);
        assert_eq!(found[0].config.get("dataset"), Some(&ConfigValue::Text("007".to_owned())));
        assert_eq!(found[0].config.number(&["batch_size"]), Some(("batch_size", 8.0)));
        let of_mlflow = runs(&[
            r#"{"run_id": 20240115, "run_name": "amber", "params": {"lr": "1e-05", "beta": "None", "seed": "01"}, "metrics": {"reward": 1}}"#,
            r#"{"run_id": 20240116, "run_name": "birch", "params": {"lr": "2e-05", "beta": "0.1", "seed": "02"}, "metrics": {"reward": 2}}"#,
        ]);
        assert_eq!(of_mlflow[0].id, "20240115");
        assert_eq!(of_mlflow[0].config.number(&["lr"]), Some(("lr", 1e-5)));
        assert_eq!(of_mlflow[0].config.get("beta"), Some(&ConfigValue::Null));
        assert_eq!(of_mlflow[0].config.get("seed"), Some(&ConfigValue::Text("01".to_owned())));
        let nested = [
            r#"{"id": "x1", "params": {"lr": 1e-5, "seed": "01"}}"#,
            r#"{"id": "x2", "params": {"lr": 1, "seed": 2}}"#,
        ];
        assert_eq!(runs(&nested)[0].config.get("seed"), Some(&ConfigValue::Text("01".to_owned())));
    }

    #[test]
    fn rows_of_histories_are_none() {
        let run = r#"{"run_name": "amber", "lr": 1e-5, "reward": 0.5}"#;
        for other in [
            run,
            r#"{"run_name": "birch", "lr": 1e-5, "step": 2, "reward": 0.5}"#,
            r#"{"run_name": "birch", "metrics": {"epoch": 2, "reward": 0.5}}"#,
            r#"{"lr": 1e-5, "reward": 0.5}"#,
            r#"[1]"#,
        ] {
            assert!(runs(&[run, other]).is_empty() && runs(&[other, run]).is_empty(), "{other}");
        }
        assert!(runs(&[run]).is_empty());
    }
}

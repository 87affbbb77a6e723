//! Tables with one row a run, told from histories by their names: a column that names a run has another text in each
//! row, no column counts steps or tells the time, and a setting of a training or a final value (`final_reward`) stands beside
//! the numbers. Where no column names a run, but one has final values, settings that differ from row to row tell the runs
//! apart. Numbers name runs (`run` 0 to 9) where a setting that no history logs differs between them.
//!
//! A history that is split into its rows is lost, which is worse than a table of runs that is read as a history. So each
//! of the conditions must hold.

use std::collections::BTreeSet;

use crate::formats::by_run::is_run_key;
use crate::rows::names::{is_count_name, is_one_of, is_sample_key, is_time_name};
use crate::run_limit::MAX_RUNS;
use crate::setting_names::{MODELS_AND_DATA, setting_key};

/// Fewest rows in which texts can be different.
const ENOUGH_ROWS: usize = 2;
/// At most one row in this many may repeat an earlier name: a run may have been restarted under its name, while a history repeats few
/// names.
const ROWS_PER_REPEATED: usize = 20;
/// Names of columns that name a run where its settings stand beside them; other things have names and ids as well.
const NAME_COLUMNS: [&str; 2] = ["name", "display_name"];
const ID_COLUMNS: [&str; 1] = ["id"];
/// Names of columns that name a run where a setting that no schedule changes stands beside them.
const EXPERIMENT_COLUMNS: [&str; 4] = ["experiment", "exp", "exp_name", "variant"];
/// Times that tell when a run was made, and not when a row was written.
const TIMES_OF_RUN: [&str; 2] = ["created_at", "date"];
/// Settings that tables of samples and of benchmarks have as well, beside [`MODELS_AND_DATA`].
const SETTINGS_OF_OTHER_TABLES: [&str; 11] = [
    "max_completion_length", "max_new_tokens", "max_prompt_length", "max_seq_length", "num_generations", "rank",
    "seed", "task", "temperature", "top_k", "top_p",
];
/// Settings that a schedule may change from row to row: a history may have them as metrics.
const SCHEDULED_SETTINGS: [&str; 6] = ["beta", "clip_range", "cliprange", "entropy_coef", "learning_rate", "lr"];
/// Other settings that a history may hold in each row, beside those that end in [`COEFFICIENT`]: what decays, and the name of a
/// counter (`num_steps`, `total_steps`).
const LOGGED_SETTINGS: [&str; 3] = ["epsilon", "max_steps", "weight_decay"];
/// The end of names of settings that may adapt while a training runs.
const COEFFICIENT: &str = "_coef";
/// Most characters of a prompt that is a setting, as `minimal` is: the name of one. Those of samples are sentences.
const LONGEST_PROMPT: usize = 40;

/// First words of names of values that a run has once, at its end.
const FINAL_PREFIXES: [&str; 3] = ["best_", "final_", "last_"];

/// True for a name of a value that a run has once, at its end.
pub(super) fn is_final_value(name: &str) -> bool {
    FINAL_PREFIXES.iter().any(|word| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}

/// The text of a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellText<'t> {
    pub(crate) text: &'t str,
    /// It is no number, whatever it looks like: JSON tells `"0012"` from `12`, tables do not.
    pub(crate) is_string: bool,
}

/// The columns that may name the run of each row, while rows come.
#[derive(Debug, Default)]
pub(super) struct RowNames {
    columns: Vec<NameColumn>,
    /// Columns of settings which together tell the runs apart, where no column names them.
    settings: Vec<String>,
    /// The settings of the rows so far.
    seen_settings: BTreeSet<String>,
    /// Columns of settings of a training that no history logs.
    fixed: Vec<NameColumn>,
    /// The column of prompts.
    prompt: Option<String>,
    rows: usize,
}

#[derive(Debug)]
struct NameColumn {
    name: String,
    seen: BTreeSet<String>,
    /// Rows with a name that an earlier row has.
    repeated: usize,
    /// Some names are numbers, which may count the rows of a history.
    has_numbers: bool,
}

impl NameColumn {
    fn of(name: &str) -> Self {
        Self { name: name.to_owned(), seen: BTreeSet::new(), repeated: 0, has_numbers: false }
    }

    fn is_experiment(&self) -> bool {
        is_one_of(&self.name, &EXPERIMENT_COLUMNS)
    }

    /// Takes the name of the next row.
    fn add(&mut self, name: &str) {
        self.repeated += usize::from(!self.seen.insert(name.to_owned()));
    }

    /// True where so few names of so many rows are repeated that some runs may have been named alike.
    fn tells_apart(&self, rows: usize) -> bool {
        self.repeated * ROWS_PER_REPEATED <= rows
    }
}

impl RowNames {
    /// The columns that may name runs in a table with these columns; `None` where it cannot have one row a run.
    pub(super) fn of_columns<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<Self> {
        let settings: Vec<_> = names.clone().filter_map(setting_key).collect();
        let is_of_others = |name: &&str| MODELS_AND_DATA.contains(name) || SETTINGS_OF_OTHER_TABLES.contains(name);
        let of_training: Vec<&str> = settings.iter().map(AsRef::as_ref).filter(|name| !is_of_others(name)).collect();
        let has_setting = !of_training.is_empty();
        let has_final = names.clone().any(is_final_value);
        let is_chosen = has_setting && settings.len() > 1;
        let has_unscheduled = is_chosen && of_training.iter().any(|name| !is_scheduled(name));
        let is_fixed_setting = |name: &&str| {
            let is_of_training = |key: &str| of_training.contains(&key) && !is_scheduled(key) && !is_logged(key);
            setting_key(name).is_some_and(|key| is_chosen && is_of_training(&key))
        };
        let fixed: Vec<NameColumn> = names.clone().filter(is_fixed_setting).map(NameColumn::of).collect();
        // Beside such settings the prompt may be one of them.
        let prompt = names.clone().find(|name| is_prompt(name) && !fixed.is_empty()).map(str::to_owned);
        if names.clone().any(|name| is_of_rows(name) && prompt.as_deref() != Some(name)) {
            return None;
        }
        // W&B's table of runs without its state: nested settings and last values behind the names.
        let is_nested = |name: &str| name.split('.').count() > 1;
        let is_first_name = |name: &str| {
            let others = || names.clone().skip(1);
            names.clone().next() == Some(name)
                && is_one_of(name, &NAME_COLUMNS)
                && (has_setting || others().any(is_nested))
        };
        let is_fixed = has_unscheduled || (is_chosen && settings.iter().any(|name| name == "seed"));
        let is_name = |name: &str| {
            ((has_setting || has_final) && is_run_key(name))
                || (is_chosen && is_one_of(name, &NAME_COLUMNS))
                || is_first_name(name)
                || (is_fixed && is_one_of(name, &ID_COLUMNS))
                || (has_unscheduled && is_one_of(name, &EXPERIMENT_COLUMNS))
        };
        let columns: Vec<NameColumn> = names.clone().filter(|name| is_name(name)).map(NameColumn::of).collect();
        // Several runs may be of one experiment.
        let is_told_by_settings = columns.iter().all(NameColumn::is_experiment) && is_chosen && has_final;
        let is_setting = |name: &&str| is_told_by_settings && setting_key(name).is_some();
        let settings: Vec<String> = names.filter(is_setting).map(str::to_owned).collect();
        let has_names = !columns.is_empty() || !settings.is_empty();
        has_names.then(|| Self { columns, settings, fixed, prompt, ..Self::default() })
    }

    /// The column of experiments whose texts are the names of the runs, where no column that says so names them.
    pub(super) fn experiment(&self) -> Option<&str> {
        let mut columns = self.columns.iter().filter(|column| column.tells_apart(self.rows));
        let first = columns.next()?;
        (first.is_experiment() && columns.all(NameColumn::is_experiment)).then_some(first.name.as_str())
    }

    /// Takes the next row by the cells of its columns. False where it shows that the rows are not runs.
    pub(super) fn add_row<'t>(&mut self, cell: impl Fn(&str) -> Option<CellText<'t>>) -> bool {
        self.rows += 1;
        let rows = self.rows;
        let text_of = |name: &String| cell(name).map_or("", |cell| cell.text.trim());
        let prompt = self.prompt.as_ref().map_or("", text_of);
        if prompt.contains('\n') || prompt.chars().count() > LONGEST_PROMPT {
            return false;
        }
        for column in &mut self.fixed {
            let text = text_of(&column.name);
            if !text.is_empty() {
                column.add(text);
            }
        }
        let has_fixed = !self.fixed.is_empty();
        self.columns.retain_mut(|column| {
            let may_count = has_fixed && is_run_key(&column.name);
            let Some(cell) = cell(&column.name) else { return false };
            let is_name = is_name_of_run(cell);
            let is_named = is_name || may_count && is_whole(cell.text.trim());
            if !is_named {
                return false;
            }
            column.has_numbers |= !is_name;
            column.add(cell.text.trim());
            // While the rows are still coming, one repeated name more is allowed.
            column.tells_apart(rows + ROWS_PER_REPEATED)
        });
        if !self.settings.is_empty() {
            let of_row: Vec<&str> = self.settings.iter().map(text_of).collect();
            if !self.seen_settings.insert(of_row.join("\n")) {
                self.settings.clear();
            }
        }
        // With more rows it is no table of runs, for all that its names differ.
        self.has_names() && self.rows <= MAX_RUNS
    }

    /// True where the rows so far are enough to be told apart.
    pub(super) fn are_runs(&self) -> bool {
        let varies = self.fixed.iter().any(|column| column.seen.len() > 1);
        let tells = |column: &NameColumn| column.tells_apart(self.rows) && (varies || !column.has_numbers);
        let is_told = self.columns.iter().any(tells) || !self.settings.is_empty();
        is_told && self.rows >= ENOUGH_ROWS
    }

    fn has_names(&self) -> bool {
        !self.columns.is_empty() || !self.settings.is_empty()
    }
}

/// True for a name that a table of runs has not: a counter or a time of its rows, or a text of samples.
pub(super) fn is_of_rows(name: &str) -> bool {
    let is_time = is_time_name(name) && !is_one_of(name, &TIMES_OF_RUN);
    is_count_name(name) || is_time || is_sample_key(&name.to_ascii_lowercase())
}

/// True for the name of a column of prompts: the texts of samples, or which prompt each run was trained with.
pub(super) fn is_prompt(name: &str) -> bool {
    name.eq_ignore_ascii_case("prompt")
}

/// True for a whole number.
pub(super) fn is_whole(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

fn is_scheduled(name: &str) -> bool {
    SCHEDULED_SETTINGS.contains(&name)
}

fn is_logged(name: &str) -> bool {
    LOGGED_SETTINGS.contains(&name) || name.ends_with(COEFFICIENT)
}

/// What stands between the word and the number of a step's label, such as `checkpoint-100`.
pub(super) const LABEL_SEPARATORS: [char; 6] = ['_', '-', ' ', ':', '=', '/'];

/// True for a text that may name a run: no number, and no label of a step such as `checkpoint-100`.
fn is_name_of_run(CellText { text, is_string }: CellText<'_>) -> bool {
    let text = text.trim();
    let word = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_label = word.len() < text.len() && is_count_name(word.trim_end_matches(LABEL_SEPARATORS));
    let is_number = !is_string && text.parse::<f64>().is_ok();
    !text.is_empty() && !is_number && !is_label
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Option<CellText<'_>> {
        Some(CellText { text, is_string: false })
    }

    fn are_runs(columns: &[&str], names: &[&str]) -> bool {
        let Some(mut found) = RowNames::of_columns(columns.iter().copied()) else { return false };
        names.iter().all(|name| found.add_row(|_| cell(name))) && found.are_runs()
    }

    #[test]
    fn rows_of_other_names_and_settings_are_runs() {
        for columns in [
            &["run_name", "lr", "reward"][..],
            &["Name", "learning_rate", "seed", "train/reward"],
            &["id", "seed", "lr", "created_at", "reward"],
            &["Run ID", "KL coef", "final_reward"],
            &["run_name", "false_positive_rate", "final_validation_accuracy", "best_validation_accuracy"],
            &["Name", "reference.protocol.weight", "reference.update_every_n_steps", "winrate"],
        ] {
            assert!(are_runs(columns, &["amber", "birch"]), "{columns:?}");
            assert!(!are_runs(columns, &["amber"]) && !are_runs(columns, &["amber", "birch", "amber"]));
            assert!(!are_runs(columns, &["amber", ""]) && !are_runs(columns, &["1", "2"]));
            assert!(
                !are_runs(columns, &["checkpoint-100", "checkpoint-200"]) && !are_runs(columns, &["step 1", "step 2"])
            );
        }
    }

    #[test]
    fn one_name_of_many_may_be_repeated() {
        let names: Vec<String> = (0..30).map(|run| format!("run-{}a", run % 29)).collect();
        let first = |rows: usize| names.iter().take(rows).map(String::as_str).collect::<Vec<_>>();
        let columns = ["run_name", "lr", "final_reward"];
        assert!(are_runs(&columns, &first(30)));
        assert!(!are_runs(&columns, &[first(10), first(10)].concat()), "rows of ten runs");
    }

    #[test]
    fn rows_of_final_values_are_runs_where_their_settings_differ() {
        let are_runs = |columns: &[&str], rates: &[&str]| {
            let Some(mut found) = RowNames::of_columns(columns.iter().copied()) else { return false };
            let add = |rate: &&str| found.add_row(|name| cell(if name == "lr" { rate } else { "8" }));
            rates.iter().all(add) && found.are_runs()
        };
        let columns = ["lr", "num_generations", "final_reward"];
        assert!(are_runs(&columns, &["1e-5", "2e-5"]) && !are_runs(&columns, &["1e-5", "2e-5", "1e-5"]));
        assert!(!are_runs(&columns, &["1e-5"]));
        assert!(!are_runs(&["lr", "num_generations", "reward"], &["1e-5", "2e-5"]), "a schedule");
        assert!(!are_runs(&["lr", "num_generations", "step", "best_reward"], &["1e-5", "2e-5"]), "the best so far");
        assert!(!are_runs(&["lr", "best_reward"], &["1e-5", "2e-5"]), "one setting alone");
    }

    #[test]
    fn numbers_and_experiments_name_runs_where_a_setting_differs_that_no_history_logs() {
        let read = |columns: &[&str], rows: &[&[&'static str]]| {
            let mut found = RowNames::of_columns(columns.iter().copied())?;
            let of_row = |row: &[&'static str], name: &str| {
                let place = columns.iter().position(|column| *column == name)?;
                cell(row[place])
            };
            let are_runs = rows.iter().all(|row| found.add_row(|name| of_row(row, name))) && found.are_runs();
            are_runs.then(|| found.experiment().map(str::to_owned))
        };
        let sweep = ["lr", "gamma", "run", "reward"];
        assert_eq!(read(&sweep, &[&["0.1", "0.9", "0", "5"], &["0.2", "0.99", "1", "6"]]), Some(None));
        assert_eq!(read(&sweep, &[&["0.1", "0.9", "0", "5"], &["0.2", "0.9", "1", "6"]]), None, "a schedule");
        assert_eq!(read(&sweep, &[&["0.1", "0.9", "0", "5"], &["0.2", "0.99", "0", "6"]]), None, "rows of a run");
        assert_eq!(read(&sweep, &[&["0.1", "", "0", "5"], &["0.2", "0.9", "1", "6"]]), None, "a cell without a value");
        let logged = ["run", "num_steps", "epsilon", "reward"];
        assert_eq!(read(&logged, &[&["0", "100", "0.9", "5"], &["1", "200", "0.8", "6"]]), None, "a history");
        let experiments = ["experiment", "lr", "group_size", "prompt", "accuracy"];
        let rows: [&[&str]; 2] = [&["a", "1e-5", "8", "short", "0.6"], &["b", "2e-5", "8", "short", "0.7"]];
        assert_eq!(read(&experiments, &rows), Some(Some("experiment".to_owned())));
        let asked = "How many apples are left of seventeen and four?";
        let rows: [&[&str]; 2] = [&["a", "1e-5", "8", asked, "1"], &["b", "2e-5", "16", asked, "0"]];
        assert_eq!(read(&experiments, &rows), None, "prompts in full are of samples");
        assert_eq!(read(&["experiment", "lr", "seed", "prompt", "accuracy"], &rows), None, "samples");
        let of_one: [&[&str]; 2] = [&["a", "1e-5", "8", "0.6"], &["a", "2e-5", "8", "0.7"]];
        assert_eq!(read(&["experiment", "lr", "group_size", "final_reward"], &of_one), Some(None), "told by settings");
    }

    #[test]
    fn histories_samples_and_benchmarks_are_none() {
        for columns in [
            &["run_name", "step", "lr", "reward"][..],
            &["run_name", "epoch", "lr", "reward"],
            &["run_id", "timestamp", "lr", "reward"],
            &["run_id", "reward", "kl"],
            &["run_id", "step", "reward", "best_reward"],
            &["id", "lr", "beta", "loss"],
            &["id", "seed", "temperature", "reward"],
            &["name", "model", "task", "accuracy"],
            &["name", "lr", "prompt", "seed"],
            &["id", "prompt", "model", "num_steps", "score"],
            &["title", "lr", "seed", "reward"],
            &["reward", "name", "sampler.top", "accuracy"],
            &["name", "accuracy", "reward"],
            &["name", "sampler.top", "step", "reward"],
        ] {
            assert!(!are_runs(columns, &["amber", "birch"]), "{columns:?}");
        }
    }
}

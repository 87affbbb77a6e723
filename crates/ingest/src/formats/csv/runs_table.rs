//! Tables with one row a run: W&B's runs table, MLflow's experiments, and the `project.csv` of W&B's API guide, whose
//! cells are printed Python dicts. They have settings and last values, and no history.
//!
//! W&B writes settings and summary values side by side by their bare names. The name tells which is which
//! (`train/loss`, `_step`) and by the values: a measured number has more digits than one that somebody chose.

use std::collections::BTreeSet;

use super::cell::number;
use super::{TableOutcome, TableSink};
use crate::budget::MemoryUse;
use crate::formats::row_names::{CellText, is_final_value, is_whole};
use crate::rows::closing_row::note_duration;
use crate::rows::names::is_step_name;
use crate::rows::run_fields::{end_as, identify, setting};
use crate::run_limit::RunLimit;
use crate::syntax::json::{Json, flatten_into};
use crate::syntax::python;
use crate::{Place, Problem, Weight};
use rundown_run::{ConfigValue, Run, RunWarning};
use rundown_stats::CompactCollect as _;

/// Significant digits of a number that was measured.
const MEASURED_DIGITS: usize = 7;
/// Last words of names of measured values.
const MEASURES: [&str; 15] = [
    "acc", "accuracy", "auc", "elo", "entropy", "f1", "kl", "loss", "mean", "perplexity", "reward", "rewards",
    "runtime", "score", "std",
];

/// Names of columns with the time that a run took, and the units that may stand behind them, in seconds. A limit of it
/// (`max_duration_s`) has another name.
const DURATIONS: [&str; 8] =
    ["duration", "runtime", "elapsed", "elapsed_time", "walltime", "wall_time", "wall_clock", "wall_clock_time"];
const UNITS: [(&str, f64); 9] = [
    ("_ms", 0.001),
    ("_s", 1.0),
    ("_sec", 1.0),
    ("_seconds", 1.0),
    ("_min", 60.0),
    ("_minutes", 60.0),
    ("_h", 3600.0),
    ("_hr", 3600.0),
    ("_hours", 3600.0),
];

/// At most so many settings name a run that has no other name.
const NAME_SETTINGS: usize = 4;

/// Columns of trackers that are neither chosen nor measured.
const BOOKKEEPING: [&str; 8] =
    ["artifact_uri", "end_time", "End Time", "Updated", "User", "Source Name", "Source Type", "Commit"];

/// Columns of W&B's page of runs whose names no metric and no setting has, and how many of them identify it where the
/// state is not shown.
const WANDB_PAGE: [&str; 4] = ["Notes", "Tags", "Sweep", "Job Type"];
const ENOUGH_OF_PAGE: usize = 2;

/// Reads one run a row.
#[derive(Debug, Default)]
pub(crate) struct RunsTable {
    delimiter: u8,
    names: Vec<String>,
    /// The column with the names of the runs, where its name does not say so.
    name_column: String,
    row: Vec<RunCell>,
    rows: Vec<Vec<RunCell>>,
    limit: RunLimit,
    /// What the cells take, about.
    bytes: usize,
}

/// A cell of the row of a run.
#[derive(Debug)]
struct RunCell {
    column: usize,
    text: String,
    is_string: bool,
}

impl RunsTable {
    /// The table with these columns, or `None` for any other one.
    pub(super) fn new(names: &[String], delimiter: u8) -> Option<Self> {
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        let starts = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
        let of_page = names.iter().filter(|name| WANDB_PAGE.contains(&name.as_str())).count();
        let is_page = of_page >= ENOUGH_OF_PAGE && !names.iter().any(|name| is_step_name(name));
        let is_wandb = has("Name") && (has("State") || has("Created") || has("Runtime") || is_page);
        let is_mlflow = !has("step")
            && !has("_step")
            && (has("run_id") || has("Run ID"))
            && (has("status") || starts("metrics.") || starts("params.") || has("Start Time"));
        let is_project = has("summary") && has("config") && has("name");
        let is_any = is_wandb || is_mlflow || is_project;
        is_any.then(|| Self::of_columns(names, delimiter))
    }

    /// A table that is known to have one row a run, with these columns.
    pub(crate) fn of_columns(names: &[String], delimiter: u8) -> Self {
        Self { delimiter, names: names.to_vec(), ..Self::default() }
    }

    /// The same table, whose runs are named by a column.
    pub(crate) fn named_by(self, column: Option<&str>) -> Self {
        Self { name_column: column.unwrap_or_default().to_owned(), ..self }
    }

    /// Adds a column, and gives its number.
    pub(crate) fn add_column(&mut self, name: &str) -> usize {
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// Adds the text of a column to the row that is being read.
    pub(crate) fn add_text(&mut self, column: usize, CellText { text, is_string }: CellText<'_>) {
        if !text.is_empty() {
            self.bytes += size_of::<RunCell>() + text.len();
            self.row.push(RunCell { column, text: text.to_owned(), is_string });
        }
    }

    /// Ends the row of a run.
    pub(crate) fn end_run(&mut self) {
        let row = std::mem::take(&mut self.row);
        if row.is_empty() {
            return;
        }
        if self.limit.admits_beside(self.rows.len()) {
            self.rows.push(row);
        }
    }

    /// What the cells take.
    pub(crate) fn bytes(&self) -> MemoryUse {
        MemoryUse::bytes(self.bytes)
    }

    /// The runs, and how many printed configs and summaries could not be read.
    pub(crate) fn into_runs(self) -> (Vec<Run>, usize) {
        let is_measured = self.measured();
        let (mut runs, unreadable): (Vec<Run>, Vec<usize>) =
            self.rows.iter().map(|row| self.run(row, &is_measured)).unzip();
        name_the_nameless(&mut runs);
        (runs, unreadable.into_iter().sum())
    }

    /// The cell of a column in the row that is being read.
    pub(crate) fn cell_of(&self, name: &str) -> Option<CellText<'_>> {
        let is_named = |cell: &&RunCell| self.names.get(cell.column).is_some_and(|known| known == name);
        self.row.iter().find(is_named).map(RunCell::as_text)
    }

    /// True while the row that is being read has no cell with a text.
    pub(super) fn is_row_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// The run of a row, and how many of its cells could not be read.
    fn run(&self, row: &[RunCell], is_measured: &[bool]) -> (Run, usize) {
        let mut run = Run::default();
        let mut unreadable = 0;
        for cell in row {
            let Some(name) = self.names.get(cell.column).filter(|name| !name.is_empty()) else { continue };
            let measured = is_measured.get(cell.column).copied().unwrap_or(false);
            unreadable += usize::from(!self.add_cell(&mut run, name, cell.as_text(), measured));
        }
        run.warnings.push(RunWarning::FinalValuesOnly);
        (run, unreadable)
    }

    /// Adds a cell to the run. False for a printed `config` or `summary` that cannot be read.
    fn add_cell(&self, run: &mut Run, name: &str, cell: CellText<'_>, is_measured: bool) -> bool {
        let CellText { text, is_string } = cell;
        let value = || number(text, self.delimiter).map_or_else(|| setting(text), ConfigValue::Number);
        if let Some(metric) = name.strip_prefix("metrics.") {
            run.summary.insert(metric, value());
        } else if let Some(parameter) = name.strip_prefix("params.") {
            // MLflow's parameters are strings, whatever they were: only a spelling that a number would lose is kept.
            let is_padded = text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
            let value = if is_string && is_padded { ConfigValue::Text(text.to_owned()) } else { setting(text) };
            run.config.insert(parameter, value);
        } else if let Some(tag) = name.strip_prefix("tags.") {
            tag_of_mlflow(run, tag, text);
        } else if matches!(name, "config" | "summary") && text.starts_with('{') {
            let Some(parsed) = python::parse(text).or_else(|| Json::parse(text.as_bytes()).ok()) else { return false };
            let into = if name == "config" { &mut run.config } else { &mut run.summary };
            flatten_into(into, "", parsed);
            into.remove("_wandb");
        } else if name.eq_ignore_ascii_case("runtime") || name.eq_ignore_ascii_case("duration") {
            run.summary.insert("_runtime", value());
        } else if let Some((unit, count)) =
            Some(name).filter(|_| is_measured).and_then(unit_of_duration).zip(number(text, self.delimiter))
        {
            note_duration(run, unit * count);
        } else if identify(run, name, text) {
        } else if (name.eq_ignore_ascii_case("run") || name == self.name_column)
            && run.name.is_empty()
            && run.id.is_empty()
        {
            // A number alone is no name.
            let is_number = !is_string && is_whole(text);
            run.name = if is_number { format!("{name} {text}") } else { text.to_owned() };
        } else if is_measured || BOOKKEEPING.contains(&name) {
            run.summary.insert(name, value());
        } else if is_string {
            run.config.insert(name, ConfigValue::Text(text.to_owned()));
        } else if text.starts_with(['[', '{', '(']) {
            let parsed = python::parse(text).unwrap_or_else(|| Json::Text(text.to_owned()));
            flatten_into(&mut run.config, name, parsed);
        } else if let Some(number) =
            number(text, self.delimiter).filter(|_| !matches!(text, "true" | "false" | "True" | "False"))
        {
            run.config.insert(name, ConfigValue::Number(number));
        } else {
            run.config.insert(name, setting(text));
        }
        true
    }

    /// For each column whether its values were measured and not chosen.
    fn measured(&self) -> Vec<bool> {
        let mut long = vec![false; self.names.len()];
        for cell in self.rows.iter().flatten() {
            if let Some(long) = long.get_mut(cell.column) {
                *long |= !cell.is_string && has_many_digits(&cell.text);
            }
        }
        // A time that few runs share was measured: what somebody sets repeats, such as the length of an episode.
        let is_runtime = |column: usize, name: &str| {
            let cells = || self.rows.iter().flatten().filter(|cell| cell.column == column);
            let texts = || cells().map(|cell| cell.text.as_str()).compact_collect::<BTreeSet<_>>();
            unit_of_duration(name).is_some() && 2 * texts().len() > cells().count()
        };
        let is_measure = |((column, name), long): ((usize, &String), bool)| {
            let last = name.rsplit(['/', '.', '_', '-']).next().unwrap_or(name).to_ascii_lowercase();
            let is_aggregate = [".min", ".max", ".last", ".best", ".mean"].iter().any(|end| name.ends_with(end));
            long || name.starts_with('_')
                || is_final_value(name)
                || name.contains('/')
                || is_aggregate
                || MEASURES.contains(&last.as_str())
                || is_runtime(column, name)
        };
        self.names.iter().enumerate().zip(long).map(is_measure).collect()
    }
}

impl RunCell {
    fn as_text(&self) -> CellText<'_> {
        CellText { text: &self.text, is_string: self.is_string }
    }
}

impl TableSink for RunsTable {
    fn cell(&mut self, column: usize, text: &str) {
        self.add_text(column, CellText { text, is_string: false });
    }

    fn end_row(&mut self) {
        self.end_run();
    }

    fn memory_use(&self) -> MemoryUse {
        self.bytes()
    }

    fn finish(self: Box<Self>, _path: &str) -> TableOutcome {
        let left_out = self.limit.problem("run");
        let (runs, unreadable) = self.into_runs();
        let mut problems = vec![Problem::here(
            Place::File,
            Weight::Remark,
            format!("This table has one row a run: {} runs with settings and last values, no history.", runs.len()),
            "For the history, drop the table together with the folders of the runs beside it, or drop the exports of their charts.",
        )];
        if unreadable > 0 {
            problems.push(Problem::here(
                Place::File,
                Weight::Partial,
                format!("{unreadable} printed configs or summaries cannot be read, and were skipped."),
                "Export them as JSON: json.dumps(run.config).",
            ));
        }
        problems.extend(left_out);
        TableOutcome { runs, problems, ..TableOutcome::default() }
    }
}

/// Names each run without a name by its id, by the first settings that are not the same in all runs, or by its row.
fn name_the_nameless(runs: &mut [Run]) {
    let is_nameless = |run: &Run| run.name.is_empty();
    let mut keys: Vec<String> = Vec::new();
    if let Some(first) = runs.first().filter(|_| runs.iter().any(|run| is_nameless(run) && run.id.is_empty())) {
        let differs = |key: &&str| runs.iter().any(|run| run.config.get(key) != first.config.get(key));
        keys.extend(first.config.iter().map(|(key, _)| key).filter(differs).take(NAME_SETTINGS).map(str::to_owned));
    }
    for (index, run) in runs.iter_mut().enumerate().filter(|(_, run)| is_nameless(run)) {
        let settings = keys.iter().filter_map(|key| Some(format!("{key} {}", run.config.get(key)?)));
        run.name = match settings.collect::<Vec<String>>().join(", ") {
            _ if !run.id.is_empty() => run.id.clone(),
            settings if !settings.is_empty() => settings,
            _ => format!("row {}", index + 1),
        };
    }
}

/// A tag of MLflow: those that MLflow sets itself say what the run is.
pub(crate) fn tag_of_mlflow(run: &mut Run, tag: &str, text: &str) {
    match tag {
        "mlflow.runName" => run.name = text.to_owned(),
        "mlflow.note.content" => run.notes = Some(text.to_owned()),
        "mlflow.user" | "mlflow.source.name" | "mlflow.source.git.commit" => {
            run.config.insert(tag, ConfigValue::Text(text.to_owned()));
        }
        _ if tag.starts_with("mlflow.") => {}
        "status" => _ = end_as(run, text),
        _ => run.tags.push(format!("{tag}: {text}")),
    }
}

/// Seconds of the unit of a column with the time that a run took; of one where none is named.
fn unit_of_duration(name: &str) -> Option<f64> {
    let lower = name.to_ascii_lowercase().replace([' ', '-'], "_");
    let with_unit = UNITS.iter().find_map(|(unit, seconds)| Some((lower.strip_suffix(unit)?, *seconds)));
    let (stem, seconds) = with_unit.unwrap_or((lower.as_str(), 1.0));
    DURATIONS.contains(&stem).then_some(seconds)
}

/// True for a number with a fraction of more digits than people choose.
fn has_many_digits(text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let is_number =
        !mantissa.is_empty() && mantissa.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+'));
    let digits = mantissa.trim_start_matches(['-', '+', '0', '.', ',']);
    is_number && mantissa.contains(['.', ',']) && digits.bytes().filter(u8::is_ascii_digit).count() >= MEASURED_DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_numbers_have_many_digits() {
        for text in ["0.123456789", "12345.678", "1.2345678e-05"] {
            assert!(has_many_digits(text), "{text}");
        }
        for text in ["0.000001", "1e-6", "1000000000", "0.95", "abc", "", "0.00000000001"] {
            assert!(!has_many_digits(text), "{text}");
        }
    }

    #[test]
    fn the_time_that_runs_took_is_no_setting() {
        let names = ["run", "lr", "duration_min", "max_duration_s", "elapsed_s"].map(str::to_owned);
        let mut table = RunsTable::of_columns(&names, b',');
        for row in
            [["a", "1e-5", "16", "900", "5"], ["b", "2e-5", "17.5", "950", "5"], ["c", "1e-5", "16.2", "980", "5"]]
        {
            for (column, text) in row.iter().enumerate() {
                table.add_text(column, CellText { text, is_string: false });
            }
            table.end_run();
        }
        let (runs, _) = table.into_runs();
        let run = &runs[1];
        assert_eq!(run.summary.number(&["_runtime"]), Some(("_runtime", 1050.0)));
        let settings: Vec<&str> = run.config.iter().map(|(key, _)| key).collect();
        assert_eq!(settings, ["elapsed_s", "lr", "max_duration_s"], "a value of all runs was set");
    }
}

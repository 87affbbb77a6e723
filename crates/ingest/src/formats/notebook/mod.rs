//! Jupyter notebooks: the trainings whose metrics stand in their output cells, as HTML tables (the Hugging Face Trainer
//! shows one) and as printed lines; with the settings that stand in the source of the cells before.
//!
//! A notebook is one JSON document of at most some hundred MB, mostly pictures, so it is read whole. Format:
//! nbformat 4 (`cells`, each with `outputs`) and 3 (`worksheets`).

mod html_table;
mod settings;

use super::console::{LogMetrics, Segments};
use crate::budget::{Kept, WHOLE_PIECE};
use crate::rows::metric_rows::MetricRows;
use crate::syntax::json::Json;
use crate::{FileReader, PartKind, PartialRun, Place, Problem, Weight};
use html_table::HtmlTable;
use rundown_run::{Column, Run};
use rundown_stats::CompactSort;
use settings::CellSettings;

/// Fewest rows of a table that are a training.
const FEWEST_ROWS: usize = 2;

/// Reads a notebook.
#[derive(Default)]
pub(crate) struct NotebookReader {
    bytes: Vec<u8>,
    is_too_large: bool,
}

impl FileReader for NotebookReader {
    fn push(&mut self, bytes: &[u8]) {
        self.is_too_large |= self.bytes.len() + bytes.len() > WHOLE_PIECE;
        if self.is_too_large {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn kept(&self) -> Kept {
        Kept::bytes(self.bytes.len())
    }

    fn finish(self: Box<Self>) -> (Vec<PartialRun>, Vec<Problem>) {
        let problem = |place, weight, what: &str| Problem::here(place, weight, what.to_owned(), "");
        if self.is_too_large {
            let what = "This notebook is larger than 256 MB and is not read.";
            return (Vec::new(), vec![problem(Place::File, Weight::Lost, what)]);
        }
        let notebook = match Json::parse(&self.bytes) {
            Ok(notebook) => notebook,
            Err(error) => {
                let what = format!("This notebook is damaged: {}.", error.what);
                return (Vec::new(), vec![problem(Place::Byte(error.at as u64), Weight::Lost, &what)]);
            }
        };
        let mut runs = longest(runs_with_settings(&notebook));
        if runs.is_empty() {
            let what = "No output of this notebook holds metrics.";
            return (Vec::new(), vec![problem(Place::File, Weight::Remark, what)]);
        }
        if let [run] = runs.as_mut_slice() {
            run.name.clear();
        }
        (runs.into_iter().map(|run| PartialRun::of(run, PartKind::History)).collect(), Vec::new())
    }
}

fn cells(notebook: &Json) -> impl Iterator<Item = &Json> {
    let sheets = notebook.items("worksheets").iter().flat_map(|sheet| sheet.items("cells"));
    notebook.items("cells").iter().chain(sheets)
}

/// The trainings of all cells, with the settings that stand before them.
fn runs_with_settings(notebook: &Json) -> Vec<Run> {
    let mut settings = CellSettings::default();
    let count = |cell: &Json| cell.get("execution_count").or_else(|| cell.get("prompt_number")).and_then(Json::metric);
    let is_counted = cells(notebook).any(|cell| count(cell).is_some());
    let mut runs = Vec::new();
    for (place, cell) in cells(notebook).enumerate() {
        // A cell that was not run set nothing. One that still ran when the notebook was saved has an output.
        let was_run = !is_counted || count(cell).is_some() || !cell.items("outputs").is_empty();
        let source = text(cell.get("source").or_else(|| cell.get("input")));
        if let Some(source) = source.filter(|_| was_run && cell.text_at("cell_type") != Some("markdown")) {
            settings.read(&source);
        }
        for mut run in runs_of(place + 1, cell) {
            run.config.add_missing(&settings.config());
            runs.push(run);
        }
    }
    runs
}

/// The trainings in the outputs of a cell: one of its printed lines, and one of each table.
fn runs_of(number: usize, cell: &Json) -> Vec<Run> {
    let mut printed = LogMetrics::default();
    let mut runs = Vec::new();
    for output in cell.items("outputs") {
        if let Some(text) = text(output.get("text")) {
            let mut segments = Segments::default();
            segments.push(text.as_bytes(), &mut |line| printed.take(line));
            segments.finish(&mut |line| printed.take(line));
        }
        let html = output.get("data").and_then(|data| data.get("text/html")).or_else(|| output.get("html"));
        if let Some(html) = text(html) {
            runs.extend(HtmlTable::all(&html).iter().filter_map(run_of_table));
        }
    }
    let printed = printed.finish();
    if !printed.row_steps.is_empty() {
        runs.push(printed);
    }
    for (place, run) in runs.iter_mut().enumerate() {
        run.name = if place == 0 { format!("cell {number}") } else { format!("cell {number}, output {}", place + 1) };
    }
    runs
}

/// A text of a notebook, which may be cut into lines.
fn text(json: Option<&Json>) -> Option<String> {
    match json? {
        Json::Text(text) => Some(text.clone()),
        Json::List(lines) => Some(lines.iter().filter_map(Json::text).collect()),
        _ => None,
    }
}

fn run_of_table(table: &HtmlTable) -> Option<Run> {
    let is_step = |name: &&String| name.trim().eq_ignore_ascii_case("step");
    table.header.iter().find(is_step)?;
    let mut rows = MetricRows::default();
    for cells in &table.rows {
        for (name, cell) in table.header.iter().zip(cells) {
            let name = if is_step(&name) { "step" } else { name.trim() };
            if let (Ok(value), false) = (cell.trim().parse::<f64>(), name.is_empty()) {
                rows.number(name, value);
            }
        }
        rows.end_row();
    }
    let run = rows.finish();
    (run.row_steps.len() >= FEWEST_ROWS && run.columns.len() > 1).then_some(run)
}

/// The runs without those whose values are the first ones of another: an output that was shown again while it grew.
fn longest(mut runs: Vec<Run>) -> Vec<Run> {
    runs.compact_sort_by_key(|run| std::cmp::Reverse(run.row_steps.len()));
    let mut kept: Vec<Run> = Vec::new();
    for run in runs {
        if !kept.iter().any(|other| is_start_of(&run, other)) {
            kept.push(run);
        }
    }
    kept
}

fn is_start_of(run: &Run, other: &Run) -> bool {
    let starts = |(key, column): (&String, &Column)| {
        other.columns.get(key).is_some_and(|longer| longer.values().starts_with(column.values()))
    };
    run.columns.iter().all(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut reader = Box::new(NotebookReader::default());
        text.as_bytes().chunks(7).for_each(|part| reader.push(part));
        reader.finish()
    }

    fn table(rows: u32) -> String {
        let rows: String =
            (1..=rows).map(|row| format!("<tr>\\n <td>{row}</td> <td>0.{row}</td><td>No log</td></tr>")).collect();
        let header = "<th>Step</th><th>completions / mean_length</th><th>Validation &amp; Loss</th>";
        format!("<p>[9/9]</p><table border=\\\"1\\\"><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table><p>")
    }

    fn notebook(outputs: &[String]) -> String {
        let cells: Vec<String> = outputs.iter().map(|output| format!("{{\"outputs\": [{output}]}}")).collect();
        format!("{{\"cells\": [{{\"source\": \"x\"}}, {}], \"nbformat\": 4}}", cells.join(","))
    }

    #[test]
    fn a_table_is_a_run_and_its_earlier_states_are_none() {
        let shown = |rows| format!("{{\"data\": {{\"text/html\": [\"{}\"]}}}}", table(rows));
        let (parts, problems) = read(&notebook(&[shown(2), shown(5), shown(3)]));
        assert_eq!((parts.len(), problems), (1, vec![]));
        let run = &parts[0].run;
        assert_eq!(run.columns["completions / mean_length"].values(), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!((run.columns["step"].len(), run.columns.len(), run.name.as_str()), (5, 2, ""));
    }

    #[test]
    fn printed_lines_are_a_run_of_their_cell() {
        let lines: String =
            (1..=4).map(|step| format!("Average Reward: 0.{step}\\nStep {step}/4, loss: 0.5\\n")).collect();
        let printed = format!("{{\"output_type\": \"stream\", \"text\": \"{lines}\"}}");
        let table = format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(3));
        let (parts, _) = read(&notebook(&[printed, table]));
        let names: Vec<&str> = parts.iter().map(|part| part.run.name.as_str()).collect();
        assert_eq!(names, ["cell 2", "cell 3"]);
        assert_eq!(parts[0].run.columns["Average Reward"].values(), [0.1, 0.2, 0.3, 0.4]);
    }

    #[test]
    fn a_training_has_the_settings_of_the_cells_that_were_run_before_it() {
        let source = |count: &str, text: &str| format!("{{\"source\": [\"{text}\"], \"execution_count\": {count}}}");
        let output = format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(3));
        let cells = [
            source("1", "args = GRPOConfig(learning_rate=2e-6, num_generations=8)"),
            source("null", "args = GRPOConfig(learning_rate=1.0)"),
            "{\"cell_type\": \"markdown\", \"source\": \"GRPOConfig(beta=1)\"}".to_owned(),
            format!("{{\"source\": \"T(args).train()\", \"execution_count\": 2, \"outputs\": [{output}]}}"),
            source("3", "args = GRPOConfig(learning_rate=3.0)"),
        ];
        let (parts, _) = read(&format!("{{\"cells\": [{}]}}", cells.join(",")));
        let config: Vec<String> = parts[0].run.config.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(config, ["learning_rate=2e-6", "num_generations=8"]);
    }

    #[test]
    fn without_metrics_or_whole_json_it_says_so() {
        let (parts, problems) = read(&notebook(&["{\"text\": \"hello\"}".to_owned()]));
        assert!(parts.is_empty() && problems[0].weight == Weight::Remark, "{problems:?}");
        let (parts, problems) = read("{\"cells\": [");
        assert!(parts.is_empty() && problems[0].weight == Weight::Lost, "{problems:?}");
    }
}

//! What `trainer.evaluate()` shows behind a training: a dictionary with `eval_loss`, and a table whose first column is not
//! the step. Both are one evaluation of the training before, and no training of their own.

use std::collections::BTreeMap;

use super::html_table::{HtmlTable, is_step};
use super::output;
use crate::syntax::json::Json;
use crate::syntax::python;
use rundown_run::{Column, Run};
use rundown_stats::CompactCollect as _;

/// Beginning of the names of an evaluation's metrics.
const PREFIX: &str = "eval_";
/// The metric that every evaluation has, in a dictionary and in a table.
const LOSS: &str = "eval_loss";
const LOSS_COLUMN: &str = "Validation Loss";
/// The last loss of the training, which stands in the table too.
const TRAINING_COLUMN: &str = "Training Loss";

/// The metrics of an evaluation, and its step where that is printed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Evaluation {
    step: Option<f64>,
    metrics: BTreeMap<String, f64>,
}

impl Evaluation {
    /// The last evaluation that a cell shows.
    pub(super) fn of_cell(cell: &Json) -> Option<Self> {
        let mut found = Self::default();
        for output in cell.items("outputs") {
            let tables = output::html(output).map(|html| HtmlTable::all(&html)).unwrap_or_default();
            if let Some(evaluation) = tables.iter().rev().find_map(of_table) {
                found = evaluation;
            }
            if let Some(metrics) = output::plain(output).and_then(|text| of_text(&text)) {
                found.metrics.extend(metrics);
            }
        }
        (!found.metrics.is_empty()).then_some(found)
    }

    /// The evaluation that a run of one row is, where it has no metrics but those of an evaluation.
    pub(super) fn of_run(run: &Run) -> Option<Self> {
        let is_of_evaluation = |key: &String| key.starts_with(PREFIX) || matches!(key.as_str(), "step" | "epoch");
        if run.row_steps.len() != 1 || !run.columns.contains_key(LOSS) || !run.columns.keys().all(is_of_evaluation) {
            return None;
        }
        let metrics = run.columns.iter().filter(|(key, _)| key.starts_with(PREFIX));
        let metrics = metrics.filter_map(|(key, column)| Some((key.clone(), column.last()?))).compact_collect();
        Some(Self { step: None, metrics })
    }

    /// Adds the metrics to the row of their step, or to the last row where no step is printed.
    pub(super) fn add_to(self, run: &mut Run) {
        let Some(mut row) = run.row_steps.len().checked_sub(1).map(|last| last as u32) else { return };
        let steps = run.columns.get("step").map(Column::values).unwrap_or_default();
        let (first, last) = (steps.first().copied(), steps.last().copied());
        let before = steps.iter().rev().nth(1).copied().unwrap_or(0.0);
        let distance = last.unwrap_or(before) - before;
        if let Some(step) = self.step.filter(|step| first.is_some_and(|first| *step < first)) {
            begin_with(run, step);
            row = 0;
        }
        match (self.step, last) {
            (Some(step), Some(last)) if step > last => {
                if step > last + distance {
                    return;
                }
                row = run.push_row(f64::from(row) + 1.0, f64::NAN);
                run.push_value("step", row, step);
            }
            // Cells are run again in any order: this is an evaluation of a training that is not shown.
            (Some(step), Some(last)) if step < last && row > 0 => return,
            _ => {}
        }
        for (key, value) in self.metrics {
            let is_later = |column: &Column| column.points().last().is_none_or(|(last, _)| last < row);
            if run.columns.get(&key).is_none_or(is_later) {
                run.push_value(&key, row, value);
            }
        }
    }
}

/// Puts a row of this step before the others.
fn begin_with(run: &mut Run, step: f64) {
    let mut all = Run::default();
    let row = all.push_row(0.0, f64::NAN);
    all.push_value("step", row, step);
    run.row_steps.iter_mut().for_each(|row| *row += 1.0);
    all.append_rows(run);
    (run.row_steps, run.row_times) = (all.row_steps, all.row_times);
    (run.columns, run.bands, run.starts_at) = (all.columns, all.bands, all.starts_at);
}

/// True for a table of evaluations alone: during a training its table begins with the step.
pub(super) fn is_evaluation(table: &HtmlTable) -> bool {
    let has = |name: &str| table.header.iter().any(|column| column.trim() == name);
    has(LOSS_COLUMN) && table.has_steps() && !table.header.first().is_some_and(|name| is_step(name))
}

/// The last row of a table of evaluations. Its columns have the names of the metrics as titles: `Rewards/reward Func/mean`.
fn of_table(table: &HtmlTable) -> Option<Evaluation> {
    let mut found = Evaluation::default();
    for (name, cell) in table.header.iter().zip(table.rows.last().filter(|_| is_evaluation(table))?) {
        let Ok(value) = cell.trim().parse::<f64>() else { continue };
        match name.trim() {
            name if is_step(name) => found.step = Some(value),
            "" | TRAINING_COLUMN | "Epoch" => {}
            LOSS_COLUMN => drop(found.metrics.insert(LOSS.to_owned(), value)),
            name => drop(found.metrics.insert(format!("{PREFIX}{}", name.to_lowercase().replace(' ', "_")), value)),
        }
    }
    Some(found)
}

/// The metrics of a dictionary with those of an evaluation.
fn of_text(text: &str) -> Option<Vec<(String, f64)>> {
    let text = text.trim().strip_prefix('{').filter(|text| text.contains(LOSS))?;
    let Ok((Json::Object(members), _)) = python::parse_prefix(&format!("{{{text}")) else { return None };
    members.contains_key(LOSS).then(|| {
        let metrics = members.iter().filter(|(key, _)| key.starts_with(PREFIX));
        metrics.filter_map(|(key, value)| Some((key.clone(), value.metric()?))).compact_collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(html: &str, plain: &str) -> Json {
        let text = format!(
            "{{\"outputs\": [{{\"data\": {{\"text/html\": \"{html}\"}}}}, {{\"data\": {{\"text/plain\": \"{plain}\"}}}}]}}"
        );
        Json::parse(text.as_bytes()).unwrap()
    }

    fn table(first: &str) -> String {
        let header = format!("{first}<th>Validation Loss</th><th>Step</th><th>Rewards/my Func/mean</th>");
        format!("<table><tr>{header}</tr><tr><td>0.1</td><td>0.2</td><td>30</td><td>0.75</td></tr></table>")
    }

    fn trained() -> Run {
        let mut run = Run::default();
        for step in [10.0, 20.0] {
            let row = run.push_row(step, f64::NAN);
            run.push_value("step", row, step);
        }
        run
    }

    #[test]
    fn an_evaluation_is_of_the_step_that_its_table_names() {
        let shown = cell(&table("<th>Training Loss</th>"), "{'eval_loss': 0.25,\\n 'eval_reward': 0.5}");
        let mut run = trained();
        Evaluation::of_cell(&shown).unwrap().add_to(&mut run);
        let points = |key: &str| run.columns[key].points().collect::<Vec<_>>();
        assert_eq!((points("step"), points("eval_loss")), (vec![(0, 10.0), (1, 20.0), (2, 30.0)], vec![(2, 0.25)]));
        assert_eq!((points("eval_reward"), points("eval_rewards/my_func/mean")), (vec![(2, 0.5)], vec![(2, 0.75)]));
        assert_eq!(run.columns.len(), 4);
    }

    #[test]
    fn the_evaluation_of_a_model_that_has_not_trained_is_before_the_rows() {
        let shown = cell(&table("<th>Training Loss</th>").replace("<td>30</td>", "<td>0</td>"), "");
        let mut run = trained();
        Evaluation::of_cell(&shown).unwrap().add_to(&mut run);
        assert_eq!(
            (run.columns["step"].values(), &run.row_steps[..]),
            (&[0.0, 10.0, 20.0][..], &[0.0, 11.0, 21.0][..])
        );
        assert_eq!(run.columns["eval_loss"].points().collect::<Vec<_>>(), [(0, 0.2)]);
    }

    #[test]
    fn an_evaluation_of_a_step_beyond_the_next_row_is_of_another_training() {
        for step in [40, 15] {
            let shown = table("<th>Training Loss</th>").replace("<td>30</td>", &format!("<td>{step}</td>"));
            let mut run = trained();
            Evaluation::of_cell(&cell(&shown, "")).unwrap().add_to(&mut run);
            assert_eq!(run.columns, trained().columns, "{step}");
        }
    }

    #[test]
    fn without_a_step_it_is_of_the_last_row() {
        let mut run = trained();
        Evaluation::of_cell(&cell("", "{'eval_loss': 0.25, 'epoch': 1.0}")).unwrap().add_to(&mut run);
        assert_eq!((run.columns["eval_loss"].points().collect::<Vec<_>>(), run.row_steps.len()), (vec![(1, 0.25)], 2));
    }

    #[test]
    fn other_outputs_are_no_evaluations() {
        for (html, plain) in
            [("", "{'loss': 0.25}"), ("", "eval_loss: 0.5"), (table("").as_str(), "x"), ("", "{'eval_loss'")]
        {
            let html =
                html.replacen("<th>Validation Loss</th><th>Step</th>", "<th>Step</th><th>Validation Loss</th>", 1);
            assert_eq!(Evaluation::of_cell(&cell(&html, plain)), None, "{html} {plain}");
        }
    }
}

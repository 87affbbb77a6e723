//! Values that stand only in the summary of a run, as tables: they have no curve, so that nothing else shows them.

use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_format::counted;
use rundown_run::Run;
use rundown_vocabulary::is_held_out;

/// Rows of a table; the others are counted.
const MAX_ROWS: usize = 40;

/// Those of an evaluation, such as `eval/vs_random_bot/survival_rate`.
pub(super) fn of_evaluation(run: &Run) -> Vec<Block> {
    table(run.final_values().filter(|(key, _)| is_held_out(key)).collect())
}

/// All others.
pub(super) fn others(run: &Run) -> Vec<Block> {
    table(run.final_values().filter(|(key, _)| !is_held_out(key)).collect())
}

fn table(values: Vec<(&str, f64)>) -> Vec<Block> {
    if values.is_empty() {
        return Vec::new();
    }
    let left_out = values.len().saturating_sub(MAX_ROWS);
    let mut table = Table::new("", &[Words("Only in the run summary"), Numbers("Value")]);
    let row = |(key, value): (&str, f64)| {
        vec![Cell { text: vec![Span::Metric(key.to_owned())], value: None }, Cell::tabular(value)]
    };
    table.rows = values.into_iter().take(MAX_ROWS).map(row).collect();
    let mut blocks = vec![Block::Table(table)];
    if left_out > 0 {
        blocks.push(Block::text(format!("Left out: {}.", counted(left_out, "value"))));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::super::run_report;
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::{ConfigValue, LoggedCell, LoggedTable, TableFile};

    /// The report from the heading of a section to the next one.
    fn section(run: &Run, title: &str) -> Vec<Block> {
        let blocks = run_report(run, &diagnose(run, &Rulebook::default()));
        let is_heading = |block: &Block| matches!(block, Block::Heading { .. });
        let starts = |block: &&Block| **block == Block::part(title);
        let from = blocks.iter().position(|block| starts(&block));
        from.map_or_else(Vec::new, |from| {
            blocks.into_iter().skip(from + 1).take_while(|block| !is_heading(block)).collect()
        })
    }

    fn rows(blocks: &[Block]) -> Vec<usize> {
        let count = |block: &Block| match block {
            Block::Table(table) => Some(table.rows.len()),
            _ => None,
        };
        blocks.iter().filter_map(count).collect()
    }

    fn logged() -> Run {
        let mut run = Run::default();
        for step in 0..40 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("train/reward", row, f64::from(step));
        }
        run.choose_axis();
        run
    }

    #[test]
    fn an_evaluation_of_the_summary_stands_under_evaluation_and_the_rest_apart() {
        let mut run = logged();
        assert!(section(&run, "Evaluation").is_empty() && section(&run, "Summary values").is_empty());
        run.summary.insert("eval/vs_random_bot/survival_rate", ConfigValue::Number(0.9));
        run.summary.insert("eval/vs_random_bot/avg_centers", ConfigValue::Number(4.5));
        run.summary.insert("train/reward", ConfigValue::Number(39.0));
        assert_eq!(rows(&section(&run, "Evaluation")), [2]);
        assert!(section(&run, "Summary values").is_empty());
        for index in 0..50 {
            run.summary.insert(format!("total_{index}"), ConfigValue::Number(1.0));
        }
        let others = section(&run, "Summary values");
        assert_eq!(rows(&others), [40]);
        assert_eq!(others.last(), Some(&Block::text("Left out: 10 values.")));
    }

    #[test]
    fn a_table_of_the_evaluation_is_shown_without_another_metric_of_it() {
        let mut run = logged();
        let cell = |text: &str| LoggedCell::Text(text.to_owned());
        let table = |key: &str| TableFile {
            key: key.to_owned(),
            row: 39,
            path: String::new(),
            rows: Some(1),
            content: Some(LoggedTable {
                columns: vec!["opponent".to_owned(), "win_rate".to_owned()],
                rows: vec![vec![cell("random_bot"), LoggedCell::Number(0.9)]],
                dropped: 0,
            }),
        };
        run.tables = vec![table("settings_table")];
        assert!(section(&run, "Evaluation").is_empty(), "a table of something else opens no section");
        run.tables = vec![table("eval/summary_table")];
        assert_eq!(rows(&section(&run, "Evaluation")), [1]);
        // A table is no measure.
        assert!(
            diagnose(&run, &Rulebook::default()).bindings.iter().all(|binding| binding.key != "eval/summary_table")
        );
    }
}

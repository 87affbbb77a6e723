//! Values of a setting as cells, without secrets.

use super::TableRuns;
use rundown_content::{Cell, Span};
use rundown_format::redact::REDACTED;
use rundown_present::config::{setting_value, shown_setting};
use rundown_run::ConfigValue;

/// A cell for each run, and the numbers in them: none where the setting is not a number in every run that has it.
pub fn setting_cells(runs: &TableRuns<'_>, key: &str) -> (Vec<Cell>, Vec<f64>) {
    let cells: Vec<Cell> = runs.rows.iter().map(|row| cell(key, row.summary.config.get(key))).collect();
    let set = || cells.iter().filter(|cell| !cell.text.is_empty());
    let numbers =
        if set().all(|cell| cell.value.is_some()) { set().filter_map(|cell| cell.value).collect() } else { Vec::new() };
    (cells, numbers)
}

fn cell(key: &str, value: Option<&ConfigValue>) -> Cell {
    match value {
        None => Cell::default(),
        Some(value @ ConfigValue::Number(number)) => {
            let text = shown_setting(key, value);
            // A secret number is not sorted by either.
            let value = (text != REDACTED).then_some(*number);
            Cell { text: vec![Span::Text(text)], value }
        }
        Some(value) => Cell::text(setting_value(key, value)),
    }
}

//! The rows of a table of runs that a filter leaves, in the order of a column; the table as CSV.

use rundown_content::Cell;
use rundown_format::push_csv_cell;
use rundown_protocol::{ColumnId, RunTable, RunTableColumn};

/// Places of the rows that hold every word of `filter`, by a column; in the order of the table without one. Rows without
/// a value come last both ways; equal ones keep their order.
pub fn arranged(table: &RunTable, filter: &str, by: Option<(usize, bool)>) -> Vec<usize> {
    let wanted: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let holds = |cells: &[Cell]| {
        let text = cells.iter().map(Cell::plain).collect::<Vec<_>>().join(" ").to_lowercase();
        wanted.iter().all(|word| text.contains(word.as_str()))
    };
    let rows = table.rows.iter().enumerate();
    let mut indexes: Vec<usize> =
        rows.filter(|(_, row)| wanted.is_empty() || holds(&row.cells)).map(|(index, _)| index).collect();
    if let Some((column, down)) = by {
        let cell = |row: usize| table.rows.get(row).and_then(|row| row.cells.get(column));
        indexes.sort_by(|a, b| Cell::order(cell(*a), cell(*b), down));
    }
    indexes
}

/// These rows as CSV, numbers as they are, with their units in the head.
pub fn csv(table: &RunTable, rows: &[usize]) -> String {
    let mut text = table.columns.iter().map(|column| quoted(&column.title_with_unit())).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in rows.iter().filter_map(|row| table.rows.get(*row)) {
        let cell = |(column, cell): (&RunTableColumn, &Cell)| match cell.value {
            Some(value) if value.is_finite() && has_numbers(column) => value.to_string(),
            _ => quoted(&cell.plain()),
        };
        text.push_str(&table.columns.iter().zip(&row.cells).map(cell).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

/// True where the value of a cell is what it says, and not only what it is sorted by, as of a verdict. A setting may be a number
/// in some runs and a word in others.
fn has_numbers(column: &RunTableColumn) -> bool {
    column.is_numeric || matches!(column.column, ColumnId::Setting(_))
}

fn quoted(text: &str) -> String {
    let mut cell = String::new();
    push_csv_cell(&mut cell, text);
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::{ColumnId, RunTableColumn, RunTableRow};

    fn table() -> RunTable {
        let column = |title: &str, is_numeric| RunTableColumn {
            column: ColumnId::Name,
            title: title.to_owned(),
            is_numeric,
            unit: String::new(),
            direction: None,
            is_log: false,
            is_axis: false,
        };
        let row = |run: u32, name: &str, value: f64| RunTableRow {
            run,
            cells: vec![Cell::run(run, name), Cell::number(rundown_format::number(value), value)],
            own_keys: Vec::new(),
        };
        RunTable {
            columns: vec![column("run", false), column("a,b", true)],
            rows: vec![row(1, "Amber", 2.0), row(2, "beta", f64::NAN), row(3, "amber \"2\"", -1.0)],
            available: Vec::new(),
        }
    }

    #[test]
    fn rows_are_found_and_ordered() {
        assert_eq!(arranged(&table(), "", None), [0, 1, 2]);
        assert_eq!(arranged(&table(), "AMBER", Some((1, false))), [2, 0]);
        assert_eq!(arranged(&table(), "", Some((1, true))), [0, 2, 1], "without a value last");
        assert_eq!(arranged(&table(), "", Some((0, true))), [1, 2, 0]);
        assert_eq!(arranged(&table(), "", Some((9, true))), [0, 1, 2]);
    }

    #[test]
    fn csv_has_exact_numbers_and_quoted_names() {
        assert_eq!(csv(&table(), &[2, 0]), "run,\"a,b\"\n\"amber \"\"2\"\"\",-1\nAmber,2\n");
    }

    #[test]
    fn csv_has_units_and_the_words_of_what_is_sorted_by_a_number() {
        let mut table = table();
        table.columns[1].unit = "h".to_owned();
        table.rows[0].cells[0] = Cell { value: Some(3.0), ..Cell::text("ugly") };
        assert_eq!(csv(&table, &[0]), "run,\"a,b (h)\"\nugly,2\n");
    }
}

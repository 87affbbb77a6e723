//! The parts of block views that need no browser: the order of a table's rows, the text of cells.

use rundown_content::{Cell, Table};

/// The rows of a table in the order of a column ([`Cell::order`]). Equal rows keep the order that the table came with.
pub fn arranged(table: &Table, column: usize, down: bool) -> Vec<usize> {
    let cell = |row: usize| table.rows.get(row).and_then(|row| row.get(column));
    let mut rows: Vec<usize> = (0..table.rows.len()).collect();
    rows.sort_by(|a, b| Cell::order(cell(*a), cell(*b), down));
    rows
}

/// True when a cell of the row holds the text, given in lower case.
pub fn holds(row: &[Cell], wanted: &str) -> bool {
    wanted.is_empty() || row.iter().any(|cell| cell.plain().to_ascii_lowercase().contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::ColumnName::{Numbers, Words};

    #[test]
    fn rows_are_arranged_by_number_then_word_and_empty_ones_last() {
        let mut table = Table::new("", &[Words("Run"), Numbers("Reward")]);
        let number = |value: f64| Cell::number("x", value);
        for (name, cell) in [
            ("c", number(2.0)),
            ("a", Cell::default()),
            ("d", number(f64::NAN)),
            ("b", number(-1.0)),
            ("e", number(2.0)),
        ] {
            table.rows.push(vec![Cell::run(0, name), cell]);
        }
        assert_eq!(arranged(&table, 0, false), [1, 3, 0, 2, 4]);
        assert_eq!(arranged(&table, 1, false), [3, 0, 4, 2, 1]);
        assert_eq!(arranged(&table, 1, true), [0, 4, 3, 2, 1]);
        assert_eq!(arranged(&table, 9, true), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn rows_are_found_by_what_their_cells_say() {
        let row = [Cell::key("train/Beta"), Cell::text("0.1 nats")];
        assert!(holds(&row, "beta") && holds(&row, "0.1 n") && holds(&row, "") && !holds(&row, "0.2"));
        assert!(!holds(&[], "a"));
    }
}

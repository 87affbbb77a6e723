//! Columns of a table of runs as words of an address, such as `setting:lr` or `last:eval/accuracy`, the order by one, and
//! the cells of the runs in them.

use std::collections::BTreeMap;

use rundown_content::Cell;
use rundown_protocol::{Aggregate, ColumnId, RunTable, RunTableColumn};

/// Most columns that the list has room for beside its own.
pub const MAX_COLUMNS: usize = 3;

const PLAIN: [(&str, ColumnId); 10] = [
    ("name", ColumnId::Name),
    ("state", ColumnId::State),
    ("verdict", ColumnId::Verdict),
    ("rank", ColumnId::Rank),
    ("steps", ColumnId::LastStep),
    ("duration", ColumnId::Duration),
    ("best-step", ColumnId::BestStep),
    ("target-step", ColumnId::StepsToTarget),
    ("findings", ColumnId::Findings),
    ("deciding", ColumnId::Deciding),
];
const SETTING: &str = "setting";
const TO_BASELINE: &str = "to-baseline-";

/// The word of a column.
pub fn word(column: &ColumnId) -> String {
    match column {
        ColumnId::Setting(key) => format!("{SETTING}:{key}"),
        ColumnId::Metric { key, aggregate } => format!("{}:{key}", aggregate.name()),
        ColumnId::ToBaseline { key, aggregate } => format!("{TO_BASELINE}{}:{key}", aggregate.name()),
        plain => PLAIN.iter().find(|(_, known)| known == plain).map(|(word, _)| (*word).to_owned()).unwrap_or_default(),
    }
}

/// The column of a word.
pub fn from_word(word: &str) -> Option<ColumnId> {
    let Some((kind, key)) = word.split_once(':') else {
        return PLAIN.iter().find(|(known, _)| *known == word).map(|(_, column)| column.clone());
    };
    if key.is_empty() {
        return None;
    }
    let key = key.to_owned();
    if kind == SETTING {
        return Some(ColumnId::Setting(key));
    }
    match kind.strip_prefix(TO_BASELINE) {
        Some(kind) => Some(ColumnId::ToBaseline { key, aggregate: Aggregate::from_name(kind)? }),
        None => Some(ColumnId::Metric { key, aggregate: Aggregate::from_name(kind)? }),
    }
}

/// An order by what stands in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnOrder {
    /// The column.
    pub column: ColumnId,
    /// True for the greatest first.
    pub is_descending: bool,
}

/// By rank.
impl Default for ColumnOrder {
    fn default() -> Self {
        Self { column: ColumnId::Rank, is_descending: false }
    }
}

/// A table of runs whose cells are found by run and column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunCells {
    table: RunTable,
    rows: BTreeMap<u32, usize>,
}

impl RunCells {
    /// The cells of a table.
    pub fn new(table: RunTable) -> Self {
        let rows = table.rows.iter().enumerate().map(|(index, row)| (row.run, index)).collect();
        Self { table, rows }
    }

    /// Index of a column among the cells of a row.
    pub fn index_of(&self, column: &ColumnId) -> Option<usize> {
        self.table.columns.iter().position(|known| known.column == *column)
    }

    /// What is known of a column.
    pub fn column(&self, column: &ColumnId) -> Option<&RunTableColumn> {
        self.table.columns.iter().find(|known| known.column == *column)
    }

    /// Title of a column with the unit of its numbers; `None` before it is known.
    pub fn title(&self, column: &ColumnId) -> Option<String> {
        self.column(column).filter(|column| !column.title.is_empty()).map(RunTableColumn::title_with_unit)
    }

    /// The cell of a run in a column.
    pub fn cell(&self, run: u32, column: usize) -> Option<&Cell> {
        self.table.rows.get(*self.rows.get(&run)?)?.cells.get(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::RunTableRow;

    #[test]
    fn columns_are_read_as_they_were_written() {
        let key = || "eval/pass:1".to_owned();
        let mut columns = vec![ColumnId::Setting("a:b".to_owned())];
        columns.extend(PLAIN.iter().map(|(_, column)| column.clone()));
        for aggregate in Aggregate::ALL.iter().copied() {
            columns.push(ColumnId::Metric { key: key(), aggregate });
            columns.push(ColumnId::ToBaseline { key: key(), aggregate });
        }
        for column in columns {
            assert_eq!(from_word(&word(&column)), Some(column));
        }
        for odd in ["", "setting:", "median:x", "to-baseline-:x", "lr"] {
            assert_eq!(from_word(odd), None, "{odd}");
        }
    }

    #[test]
    fn cells_are_found_by_run_and_column() {
        let column = |column: ColumnId| RunTableColumn {
            column,
            title: "t".to_owned(),
            is_numeric: true,
            unit: "h".to_owned(),
            direction: None,
            is_log: false,
            is_axis: false,
        };
        let row = |run: u32, value: f64| RunTableRow {
            run,
            cells: vec![Cell::default(), Cell::number("x", value)],
            own_keys: Vec::new(),
        };
        let setting = ColumnId::Setting("lr".to_owned());
        let cells = RunCells::new(RunTable {
            columns: vec![column(ColumnId::Name), column(setting.clone())],
            rows: vec![row(7, 0.5), row(3, 0.25)],
            available: Vec::new(),
        });
        assert_eq!(cells.title(&setting).as_deref(), Some("t (h)"));
        let column = cells.index_of(&setting).unwrap();
        assert_eq!(cells.cell(3, column).and_then(|cell| cell.value), Some(0.25));
        assert_eq!(cells.cell(7, column).unwrap().plain(), "x");
        assert_eq!(cells.cell(4, column), None);
        assert_eq!(cells.index_of(&ColumnId::Rank), None);
    }
}

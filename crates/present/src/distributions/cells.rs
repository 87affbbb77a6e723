//! What the tables of distributions share: cells, and the line on rows that are left out.

use rundown_content::{Block, Cell, Span, Table};
use rundown_format::counted;

/// A metric as a cell.
pub(super) fn name(key: &str) -> Cell {
    Cell { text: vec![Span::Metric(key.to_owned())], value: None }
}

/// A number as a cell; empty where it is unknown.
pub(super) fn value(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, Cell::tabular)
}

/// A table, unless it is empty, with the number of metrics that it leaves out.
pub(super) fn listed(table: Table, left_out: usize) -> Vec<Block> {
    if table.rows.is_empty() {
        return Vec::new();
    }
    let rest = (left_out > 0).then(|| Block::text(format!("Left out: {}.", counted(left_out, "metric"))));
    [Some(Block::Table(table)), rest].into_iter().flatten().collect()
}

//! The numbers of a column: its own, or those that its texts are.

use std::rc::Rc;

use super::column::{ColumnContent, TableColumn};
use crate::syntax::json::nonfinite_word;
use crate::syntax::python::called_number;
use rundown_run::Column;

/// The numbers of a column. Text counts when most of it is numbers: some writers keep `"NaN"` or `"n/a"` so.
pub(super) fn numbers(column: TableColumn) -> Option<Column> {
    match column.content {
        ColumnContent::Numbers(column) => (!column.is_empty()).then_some(column),
        ColumnContent::Texts(texts) => written_numbers(&texts),
    }
}

/// The numbers that most of these texts are.
pub(super) fn written_numbers(texts: &[(u32, Rc<str>)]) -> Option<Column> {
    let value = |text: &str| nonfinite_word(text).or_else(|| text.trim().parse().ok()).or_else(|| called_number(text));
    let column: Column = texts.iter().filter_map(|(row, text)| Some((*row, value(text)?))).collect();
    (column.len() * 2 > texts.len()).then_some(column)
}

//! Tables as Markdown that also reads well in a terminal.

use std::fmt::Write as _;

/// Rows of cells with a header, padded to columns.
pub fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = (usize, &str)>| {
        for (width, cell) in cells {
            let fill = width - cell.chars().count();
            write!(text, "| {cell}{} ", " ".repeat(fill)).expect("memory takes every byte");
        }
        text.push_str("|\n");
    };
    line(&mut widths.iter().copied().zip(header.iter().copied()));
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    line(&mut widths.iter().copied().zip(rule.iter().map(String::as_str)));
    for row in rows {
        line(&mut widths.iter().copied().zip(row.iter().map(String::as_str)));
    }
    text
}

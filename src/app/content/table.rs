//! Tables: columns that order the rows, rows that are searched, and long tables a hundred rows at a time.

use std::sync::Arc;

use leptos::prelude::*;

use super::Tables;
use super::cells::{arranged, holds};
use super::inline::Inline;
use super::scroll_region::ScrollRegion;
use rundown_content::{Cell, Span, Table, TableColumn};

/// Bytes of a cell that is not broken into lines: names break badly at their hyphens.
const MAX_UNBROKEN_BYTES: usize = 24;
/// Rows of a table that is shown whole.
const WHOLE: usize = 200;
/// Rows that are added to a longer one at a time.
const PAGE: usize = 100;
/// Rows from which on a table scrolls below its head.
const TALL: usize = 30;

/// The column that decides on the order, and whether the largest comes first.
type SortedBy = RwSignal<Option<(usize, bool)>>;

/// A table.
#[component]
pub fn TableView(table: Table, tables: Tables) -> impl IntoView {
    let table = Arc::new(table);
    let order: SortedBy = RwSignal::new(None);
    let is_sorted = matches!(tables, Tables::Sorted);
    let rows = {
        let table = Arc::clone(&table);
        Memo::new(move |_| found(&table, order.get(), tables))
    };
    let limit = RwSignal::new(if table.rows.len() > WHOLE { PAGE } else { WHOLE });
    let shown = move || rows.with(|rows| rows.iter().take(limit.get()).copied().collect::<Vec<_>>());
    let hidden = move || rows.with(|rows| rows.len().saturating_sub(limit.get()));
    let head = table.columns.iter().enumerate();
    let head = head.map(|(index, column)| head_cell(column, index, is_sorted.then_some(order))).collect_view();
    let caption = (!table.caption.is_empty()).then(|| {
        let spans = table.caption.spans().to_vec();
        view! { <p class="sub"><Inline spans /></p> }
    });
    let label = if table.caption.is_empty() { "Table".to_owned() } else { table.caption.to_string() };
    let class = if is_sorted && table.rows.len() > TALL { "tall" } else { "" };
    let left_out = table.left_out;
    let line = move |index: usize| row(&table, index);
    view! {
        <div class="table">
            {caption}
            <ScrollRegion label class>
                <table class="grid">
                    <thead><tr>{head}</tr></thead>
                    <tbody><For each=shown key=|index| *index children=line /></tbody>
                </table>
            </ScrollRegion>
            {move || {
                let next = hidden().min(PAGE);
                (next > 0)
                    .then(|| {
                        let more = move |_| limit.update(|limit| *limit += PAGE);
                        view! { <button class="show-more" on:click=more>{format!("Show {next} more")}</button> }
                    })
            }}
            {(left_out > 0).then(|| view! { <p class="muted">{format!("+ {left_out} more")}</p> })}
        </div>
    }
}

/// Places of the rows that are looked for, in their order.
fn found(table: &Table, order: Option<(usize, bool)>, tables: Tables) -> Vec<usize> {
    let mut rows = match order {
        Some((column, down)) => arranged(table, column, down),
        None => (0..table.rows.len()).collect(),
    };
    if let Tables::Searched(wanted) = tables {
        let wanted = wanted.get().to_ascii_lowercase();
        rows.retain(|row| table.rows.get(*row).is_some_and(|cells| holds(cells, &wanted)));
    }
    rows
}

/// The head of a column; a button where it orders the rows. Of numbers the largest is looked for first.
fn head_cell(column: &TableColumn, index: usize, order: Option<SortedBy>) -> AnyView {
    let first = column.is_numeric;
    let class = if column.is_numeric { "right" } else { "" };
    let words = view! { <Inline spans=column.name.spans().to_vec() /> };
    let Some(order) = order else { return view! { <th scope="col" class=class>{words}</th> }.into_any() };
    let turn = move |_| {
        order.update(|order| {
            *order = match *order {
                Some((at, down)) if at == index => (down == first).then_some((index, !first)),
                _ => Some((index, first)),
            }
        });
    };
    let sorted = move || match order.get() {
        Some((at, down)) if at == index => Some(if down { "descending" } else { "ascending" }),
        _ => None,
    };
    view! {
        <th scope="col" class=class aria-sort=move || sorted()>
            <button class="sort" on:click=turn>{words}</button>
        </th>
    }
    .into_any()
}

fn row(table: &Table, index: usize) -> AnyView {
    let cells = table.rows.get(index).into_iter().flatten().enumerate();
    let cells = cells.map(|(index, cell)| {
        let is_numeric = table.columns.get(index).is_some_and(|column| column.is_numeric);
        body_cell(cell, is_numeric, index == 0)
    });
    view! { <tr>{cells.collect_view()}</tr> }.into_any()
}

fn body_cell(cell: &Cell, is_numeric: bool, is_name: bool) -> AnyView {
    let is_short = match cell.text.as_slice() {
        [Span::Text(words)] => words.len() <= MAX_UNBROKEN_BYTES,
        [Span::Tabular(..)] => true,
        _ => false,
    };
    let class = match (is_numeric, is_short) {
        (true, _) => "right",
        (false, true) => "short",
        (false, false) => "",
    };
    let spans = if cell.text.is_empty() { vec![Span::from("–")] } else { cell.text.clone() };
    let words = view! { <Inline spans /> };
    if is_name {
        view! { <th scope="row" class=class>{words}</th> }.into_any()
    } else {
        view! { <td class=class>{words}</td> }.into_any()
    }
}

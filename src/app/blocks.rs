//! Blocks of a document as elements: what every view that compares runs is made of.
//!
//! Tables can be ordered by each column, runs are links, figures are SVG elements. Texts become text nodes.

use std::rc::Rc;

use super::cells::{arranged, class, hint, holds, path};
use super::dom::{
    El, Part, a, code, command, div, figcaption, figure, h2, h3, h4, h5, li, live, ol, p, pre, span, strong, svg,
    table, tbody, td, th, thead, together, tr, ul,
};
use super::reactive::State;
use super::route::{Route, View};
use crate::content::{Anchor, Block, Cell, Figure, Shape, Span, Table};
use crate::format::coordinate;

/// Bytes of a cell that is not broken into lines: names break badly at their hyphens.
const SHORT: usize = 24;

/// What can be done with tables.
#[derive(Clone, Copy)]
pub enum Tables {
    /// Nothing.
    Still,
    /// Each column can order the rows.
    Sorted,
    /// Rows without this text, in lower case, are hidden.
    Searched(State<String>),
}

/// The blocks, in their order.
pub fn blocks(blocks: &[Block], tables: Tables) -> El {
    let mut shown = div().class("blocks");
    for each in blocks {
        shown.push(block(each, tables));
    }
    shown
}

fn block(block: &Block, tables: Tables) -> El {
    match block {
        Block::Heading { level, text } => {
            let heading = match level {
                0..=2 => h2(),
                3 => h3(),
                4 => h4(),
                _ => h5(),
            };
            heading.child(inline(text.spans()))
        }
        Block::Text(words) => p().child(inline(words)),
        Block::List(items) => list(ul(), items),
        Block::Numbered(items) => list(ol(), items),
        Block::Code(text) => pre().child(text.as_str()),
        Block::Table(table) => grid(Rc::new(table.clone()), tables),
        Block::Figure(figure) => drawn(figure),
        Block::SideBySide(left, right) => div().class("pair").child((blocks(left, tables), blocks(right, tables))),
    }
}

fn list(mut list: El, items: &[Vec<Span>]) -> El {
    for item in items {
        list.push(li().child(inline(item)));
    }
    list
}

/// A sentence.
pub fn inline(words: &[Span]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(words.len());
    for word in words {
        let (element, text) = match word {
            Span::Text(text) => {
                parts.push(together(text.as_str()));
                continue;
            }
            Span::Number(..) | Span::Percent(_) | Span::Step(_) => {
                parts.push(together(word.plain().as_str()));
                continue;
            }
            Span::Key(text) | Span::Metric(text) | Span::Setting(text) => (code(), text.as_str()),
            Span::Strong(text) => (strong(), text.as_str()),
            Span::Note(text) => (span().class("aside"), text.as_str()),
            Span::Run(run, name) => (
                a().attr("href", Route { view: View::Run, run: Some(*run) }.hash()),
                if name.is_empty() { "without a name" } else { name },
            ),
            Span::Link(words, address) => {
                (a().attr("href", address).attr("target", "_blank").attr("rel", "noopener noreferrer"), words.as_str())
            }
        };
        parts.push(element.child(text).view());
    }
    parts
}

fn grid(data: Rc<Table>, tables: Tables) -> El {
    // The column that decides on the order, and whether the largest comes first.
    let by = State::new(None::<(usize, bool)>);
    let is_sorted = matches!(tables, Tables::Sorted);
    let mut head = tr();
    for (place, column) in data.columns.iter().enumerate() {
        let cell = right(th().attr("scope", "col"), column.is_numeric);
        let words = inline(column.name.spans());
        head.push(if is_sorted { sorting(cell, words, by, place, column.is_numeric) } else { cell.child(words) });
    }
    let rows = data.clone();
    let body = move || {
        let order = match by.get() {
            Some((column, down)) => arranged(&rows, column, down),
            None => (0..rows.rows.len()).collect(),
        };
        let wanted = match tables {
            Tables::Searched(wanted) => wanted.get(),
            _ => String::new(),
        };
        let mut lines = Vec::with_capacity(order.len());
        for cells in order.into_iter().filter_map(|row| rows.rows.get(row)) {
            if holds(cells, &wanted) {
                lines.push(row(&rows, cells));
            }
        }
        lines
    };
    let caption = (!data.caption.is_empty()).then(|| p().class("sub").child(inline(data.caption.spans())));
    let rest = (data.left_out > 0).then(|| p().class("muted").child(("+ ", data.left_out.to_string(), " more")));
    let made = table().class("grid").child((thead().child(head), tbody().child(live(body))));
    let mut around = div().class("scroll-x").child(made);
    if is_sorted {
        around = around.attr("tabindex", "0");
    }
    div().child((caption, around, rest))
}

/// The head of a column that orders the rows. Of numbers the largest is looked for first.
fn sorting(cell: El, words: Vec<Part>, by: State<Option<(usize, bool)>>, place: usize, first: bool) -> El {
    let turn = move || {
        by.update(|by| {
            *by = match *by {
                Some((at, down)) if at == place => (down == first).then_some((place, !first)),
                _ => Some((place, first)),
            }
        });
    };
    let sorted = move || match by.get() {
        Some((at, down)) if at == place => Some(if down { "descending" } else { "ascending" }),
        _ => None,
    };
    cell.follow("aria-sort", sorted).child(command(words, turn).class("sort"))
}

fn row(table: &Table, cells: &[Cell]) -> El {
    let mut line = tr();
    for (place, cell) in cells.iter().enumerate() {
        let made = if place == 0 { th().attr("scope", "row") } else { td() };
        let is_numeric = table.columns.get(place).is_some_and(|column| column.is_numeric);
        let words = if cell.text.is_empty() { vec![together("–")] } else { inline(&cell.text) };
        let is_short = matches!(cell.text.as_slice(), [Span::Text(words)] if words.len() <= SHORT);
        let made = if is_short && !is_numeric { made.class("short") } else { right(made, is_numeric) };
        line.push(made.child(words));
    }
    line
}

fn right(cell: El, is_right: bool) -> El {
    if is_right { cell.class("right") } else { cell }
}

fn drawn(shown: &Figure) -> El {
    let mut view_box = "0 0 ".to_owned();
    view_box.push_str(&coordinate(shown.width));
    view_box.push(' ');
    view_box.push_str(&coordinate(shown.height));
    let mut picture = svg("svg")
        .class("figure")
        .attr("viewBox", view_box)
        .attr("width", coordinate(shown.width))
        .attr("height", coordinate(shown.height))
        .attr("role", "img")
        .attr("aria-label", shown.title.to_string());
    for each in &shown.shapes {
        let words = hint(each);
        picture.push(shape(each).child((!words.is_empty()).then(|| svg("title").child(words))));
    }
    let title = (!shown.title.is_empty()).then(|| figcaption().class("sub").child(inline(shown.title.spans())));
    let summary = span().class("visually-hidden").child(shown.summary.as_str());
    figure().class("panel").child((title, div().class("scroll-x").child(picture), summary))
}

fn shape(shape: &Shape) -> El {
    let of = |tag: &str, kind: &str, tone, attributes: &[(&str, f32)]| {
        let mut element = svg(tag).class(class(kind, tone));
        for (name, value) in attributes {
            element = element.attr(name, coordinate(*value));
        }
        element
    };
    match shape {
        Shape::Line { points, tone, is_dashed, .. } => {
            of("path", if *is_dashed { "l k" } else { "l" }, *tone, &[]).attr("d", path(points))
        }
        Shape::Area { points, tone } => of("path", "a", *tone, &[]).attr("d", path(points)),
        Shape::Rectangle { x, y, width, height, tone, .. } => {
            of("rect", "f", *tone, &[("x", *x), ("y", *y), ("width", *width), ("height", *height)])
        }
        Shape::Dot { x, y, radius, tone, .. } => of("circle", "f", *tone, &[("cx", *x), ("cy", *y), ("r", *radius)]),
        Shape::Words { x, y, anchor, text, tone, .. } => {
            let kind = match anchor {
                Anchor::Start => "w",
                Anchor::Middle => "w m",
                Anchor::End => "w e",
            };
            of("text", kind, *tone, &[("x", *x), ("y", *y)]).child(text.as_str())
        }
    }
}

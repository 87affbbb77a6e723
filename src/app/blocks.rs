//! Blocks of a document as elements: what every view that compares runs is made of.
//!
//! Tables can be ordered by each column, runs are links, figures are SVG elements. Texts become text nodes.

use std::rc::Rc;

use super::cells::{arranged, class, hint, number, path};
use super::dom::{
    El, Part, a, button, code, div, figcaption, figure, h2, h3, li, live, p, span, strong, svg, table, tbody, td, th,
    thead, together, tr, ul,
};
use super::reactive::State;
use super::route::{Route, View};
use crate::document::{Anchor, Block, Cell, Figure, Shape, Span, Table, spans};

/// The blocks, in their order.
pub fn blocks(blocks: Vec<Block>) -> El {
    div().class("blocks").each(blocks, block)
}

fn block(block: Block) -> Part {
    let element = match block {
        Block::Heading { level: 2, text } => h2().child(inline(&spans(&text))),
        Block::Heading { text, .. } => h3().child(inline(&spans(&text))),
        Block::Text(words) => p().child(inline(&words)),
        Block::List(items) => ul().each(items, |item| li().child(inline(&item))),
        Block::Table(table) => grid(Rc::new(table)),
        Block::Figure(figure) => drawn(&figure),
    };
    element.view()
}

fn inline(words: &[Span]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(words.len());
    for word in words {
        parts.push(match word {
            Span::Text(text) => together(text.as_str()),
            Span::Key(key) => code().child(key.as_str()).view(),
            Span::Strong(text) => strong().child(text.as_str()).view(),
            Span::Run(run, name) => {
                let name = if name.is_empty() { "without a name" } else { name };
                a().attr("href", Route { view: View::Run, run: Some(*run) }.hash()).child(name).view()
            }
        });
    }
    parts
}

fn grid(data: Rc<Table>) -> El {
    // The column that decides on the order, and whether the largest comes first.
    let by = State::new(None::<(usize, bool)>);
    let mut head = tr();
    for (place, column) in data.columns.iter().enumerate() {
        // Of numbers the largest is looked for first.
        let first = column.is_numeric;
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
        let words = button().attr("type", "button").class("sort").on("click", move |_| turn());
        let cell = th().attr("scope", "col").follow("aria-sort", sorted);
        head.push(right(cell, first).child(words.child(inline(&spans(&column.name)))));
    }
    let rows = data.clone();
    let body = move || {
        let order = match by.get() {
            Some((column, down)) => arranged(&rows, column, down),
            None => (0..rows.rows.len()).collect(),
        };
        let mut lines = Vec::with_capacity(order.len());
        for cells in order.into_iter().filter_map(|row| rows.rows.get(row)) {
            lines.push(row(&rows, cells));
        }
        lines
    };
    let caption = (!data.caption.is_empty()).then(|| p().class("sub").child(inline(&spans(&data.caption))));
    let rest = (data.left_out > 0).then(|| p().class("muted").child(("+ ", data.left_out.to_string(), " more")));
    let made = table().class("grid").child((thead().child(head), tbody().child(live(body))));
    div().child((caption, div().class("scroll-x").attr("tabindex", "0").child(made), rest))
}

fn row(table: &Table, cells: &[Cell]) -> El {
    let mut line = tr();
    for (place, cell) in cells.iter().enumerate() {
        let made = if place == 0 { th().attr("scope", "row") } else { td() };
        let is_numeric = table.columns.get(place).is_some_and(|column| column.is_numeric);
        let words = (!cell.text.is_empty()).then(|| inline(&cell.text));
        line.push(right(made, is_numeric).child((words, cell.text.is_empty().then_some("–"))));
    }
    line
}

fn right(cell: El, is_right: bool) -> El {
    if is_right { cell.class("right") } else { cell }
}

fn drawn(shown: &Figure) -> El {
    let mut view_box = "0 0 ".to_owned();
    view_box.push_str(&number(shown.width));
    view_box.push(' ');
    view_box.push_str(&number(shown.height));
    let mut picture = svg("svg")
        .class("figure")
        .attr("viewBox", view_box)
        .attr("width", number(shown.width))
        .attr("height", number(shown.height))
        .attr("role", "img")
        .attr("aria-label", &shown.title);
    for each in &shown.shapes {
        let words = hint(each);
        picture.push(shape(each).child((!words.is_empty()).then(|| svg("title").child(words))));
    }
    let title = (!shown.title.is_empty()).then(|| figcaption().class("sub").child(inline(&spans(&shown.title))));
    let summary = span().class("visually-hidden").child(shown.summary.as_str());
    figure().class("panel").child((title, div().class("scroll-x").child(picture), summary))
}

fn shape(shape: &Shape) -> El {
    let of = |tag: &str, kind: &str, tone, attributes: &[(&str, f32)]| {
        let mut element = svg(tag).class(class(kind, tone));
        for (name, value) in attributes {
            element = element.attr(name, number(*value));
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

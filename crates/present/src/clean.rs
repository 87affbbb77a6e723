//! Blocks without secrets, before anything renders them.
//!
//! A secret may be told by its own shape, by the words before it, or by the name of its row or column. So spans are
//! looked at alone and together, and a cell beside or under a setting's name is looked at as that setting's value.

use std::borrow::Cow;

use crate::config::redact_config_value;
use rundown_content::{Block, Cell, Figure, Shape, Span, Table, TableColumn};
use rundown_format::redact::REDACTED;
use rundown_format::{RichText, redact, redact_around_id};
use rundown_run::ConfigValue;

/// The blocks without secrets. `id` is that of the one run that they speak of, or empty: it stays where it has the
/// shape of a UUID. So does the name of a run that is one.
pub fn clean_blocks(blocks: &[Block], id: &str) -> Vec<Block> {
    blocks.iter().map(|block| clean_block(block, id)).collect()
}

/// Sentences without secrets, but for the run's own id.
pub fn clean_rich(text: &RichText, id: &str) -> RichText {
    clean_spans(text.spans(), id).into()
}

fn clean_text(text: &str, id: &str) -> String {
    redact_around_id(text, id).into_owned()
}

// Variants and fields are listed in full, so that a new one can't be forgotten here.
fn clean_block(block: &Block, id: &str) -> Block {
    match block {
        Block::Heading { level, text } => Block::Heading { level: *level, text: clean_rich(text, id) },
        Block::Text(spans) => Block::Text(clean_spans(spans, id)),
        Block::List(items) => Block::List(clean_items(items, id)),
        Block::Numbered(items) => Block::Numbered(clean_items(items, id)),
        Block::Code(text) => Block::Code(clean_text(text, id)),
        Block::Table(table) => Block::Table(clean_table(table, id)),
        Block::Figure(figure) => Block::Figure(clean_figure(figure, id)),
        Block::SideBySide(left, right) => Block::SideBySide(clean_blocks(left, id), clean_blocks(right, id)),
        Block::Panels(panels) => Block::Panels(panels.iter().map(|panel| clean_blocks(panel, id)).collect()),
        Block::Fold { title, blocks } => Block::Fold { title: clean_rich(title, id), blocks: clean_blocks(blocks, id) },
    }
}

fn clean_items(items: &[Vec<Span>], id: &str) -> Vec<Vec<Span>> {
    items.iter().map(|item| clean_spans(item, id)).collect()
}

fn clean_spans(spans: &[Span], id: &str) -> Vec<Span> {
    let clean: Vec<Span> = spans.iter().map(|span| clean_span(span, id)).collect();
    if spans.len() < 2 {
        return clean;
    }
    // `password` in one span and its value in the next: the words together tell.
    let together = joined(&clean);
    match redact_around_id(&together, id) {
        Cow::Borrowed(_) => clean,
        Cow::Owned(text) if text == together => clean,
        Cow::Owned(text) => vec![Span::Text(text.replace('`', " "))],
    }
}

fn clean_span(span: &Span, id: &str) -> Span {
    match span {
        Span::Text(text) => Span::Text(clean_text(text, id)),
        Span::Key(key) => Span::Key(clean_text(key, id)),
        Span::Strong(text) => Span::Strong(clean_text(text, id)),
        Span::Note(text) => Span::Note(clean_text(text, id)),
        Span::Link(words, address) => Span::Link(clean_text(words, id), clean_text(address, id)),
        Span::Metric(key) => Span::Metric(clean_text(key, id)),
        Span::Setting(key) => Span::Setting(clean_text(key, id)),
        Span::Number(..) | Span::Percent(_) | Span::Step(_) => span.clone(),
        Span::Run(number, name) => Span::Run(*number, clean_text(name, if id.is_empty() { name } else { id })),
    }
}

/// What spans say, keys between backticks.
fn joined(spans: &[Span]) -> String {
    let mut text = String::new();
    for span in spans {
        match span {
            // A run's name was looked at by itself: next to other words its id would go.
            Span::Run(..) => text.push('…'),
            Span::Text(words) | Span::Strong(words) | Span::Link(words, _) => text.push_str(words),
            Span::Note(words) => {
                text.push(' ');
                text.push_str(words);
            }
            Span::Number(..) | Span::Percent(_) | Span::Step(_) => text.push_str(&span.plain()),
            Span::Key(key) | Span::Metric(key) | Span::Setting(key) => {
                text.push('`');
                text.push_str(key);
                text.push('`');
            }
        }
    }
    text
}

fn clean_table(table: &Table, id: &str) -> Table {
    let column =
        |column: &TableColumn| TableColumn { name: clean_rich(&column.name, id), is_numeric: column.is_numeric };
    let names: Vec<String> = table.columns.iter().map(|column| column.name.to_string()).collect();
    let row = |row: &Vec<Cell>| {
        // The row's own name, where it is a key.
        let row_key = row.first().and_then(key_of).unwrap_or_default();
        let cells = row.iter().enumerate().map(|(place, cell)| {
            let named_by_row = if place > 0 { row_key } else { "" };
            let column = names.get(place).map(String::as_str).unwrap_or_default();
            let hidden = [named_by_row, column].into_iter().find_map(|name| setting_of(name, cell));
            Cell { text: hidden.unwrap_or_else(|| clean_spans(&cell.text, id)), value: cell.value }
        });
        cells.collect()
    };
    Table {
        caption: clean_rich(&table.caption, id),
        columns: table.columns.iter().map(column).collect(),
        rows: table.rows.iter().map(row).collect(),
        left_out: table.left_out,
    }
}

fn key_of(cell: &Cell) -> Option<&str> {
    match cell.text.as_slice() {
        [Span::Key(key) | Span::Metric(key) | Span::Setting(key)] => Some(key),
        _ => None,
    }
}

/// A cell that stands under the name of a secret setting, hidden; `None` for any other.
fn setting_of(name: &str, cell: &Cell) -> Option<Vec<Span>> {
    if name.is_empty() || cell.text.is_empty() {
        return None;
    }
    let wording = match cell.text.as_slice() {
        [Span::Text(text) | Span::Key(text) | Span::Strong(text)] => Cow::Borrowed(text.as_str()),
        spans => Cow::Owned(joined(spans)),
    };
    let value = cell.value.map_or_else(|| ConfigValue::Text(wording.clone().into_owned()), ConfigValue::Number);
    let shown = redact_config_value(name, &value);
    (shown == REDACTED && wording != shown).then(|| vec![Span::Text(shown)])
}

fn clean_figure(figure: &Figure, id: &str) -> Figure {
    let clean = |text: &String| clean_text(text, id);
    let shape = |shape: &Shape| match shape {
        Shape::Line { points, tone, is_dashed, hint } => {
            Shape::Line { points: points.clone(), tone: *tone, is_dashed: *is_dashed, hint: clean(hint) }
        }
        Shape::Area { points, tone } => Shape::Area { points: points.clone(), tone: *tone },
        Shape::Rectangle { x, y, width, height, tone, hint } => {
            Shape::Rectangle { x: *x, y: *y, width: *width, height: *height, tone: *tone, hint: clean(hint) }
        }
        Shape::Dot { x, y, radius, tone, hint } => {
            Shape::Dot { x: *x, y: *y, radius: *radius, tone: *tone, hint: clean(hint) }
        }
        Shape::Words { x, y, anchor, text, tone, hint } => {
            let text = redact(text).into_owned();
            Shape::Words { x: *x, y: *y, anchor: *anchor, text, tone: *tone, hint: clean(hint) }
        }
    };
    Figure {
        title: clean_rich(&figure.title, id),
        summary: clean(&figure.summary),
        width: figure.width,
        height: figure.height,
        shapes: figure.shapes.iter().map(shape).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";

    #[test]
    fn secrets_go_wherever_they_stand() {
        let mut table = Table::new(SECRET, &["setting", "amber-01", "hub_token"]);
        table.rows.push(vec![Cell::key("api_key"), Cell::text("hunter2"), Cell::text("hunter2")]);
        table.rows.push(vec![Cell::key("beta"), Cell::number("0.1", 0.1), Cell::text("hunter2")]);
        let words = Shape::Words {
            x: 0.0,
            y: 0.0,
            anchor: rundown_content::Anchor::Start,
            text: SECRET.to_owned(),
            tone: rundown_content::Tone::Ink,
            hint: SECRET.to_owned(),
        };
        let figure =
            Figure { title: SECRET.into(), summary: SECRET.to_owned(), width: 1.0, height: 1.0, shapes: vec![words] };
        let blocks = [
            Block::section(SECRET),
            Block::text(format!("use {SECRET}")),
            Block::SideBySide(vec![Block::text(SECRET)], vec![Block::Code(SECRET.to_owned())]),
            Block::Panels(vec![vec![Block::text(SECRET)]]),
            Block::Fold { title: SECRET.into(), blocks: vec![Block::text(SECRET)] },
            Block::List(vec![vec![Span::Text("password: ".to_owned()), Span::Key("hunter2".to_owned())]]),
            Block::Numbered(vec![vec![Span::Text("password:".to_owned()), Span::Note("hunter2".to_owned())]]),
            Block::Code(SECRET.to_owned()),
            Block::Text(vec![Span::Link(SECRET.to_owned(), SECRET.to_owned())]),
            Block::Text(vec![Span::Strong(SECRET.to_owned()), Span::Run(1, SECRET.to_owned())]),
            Block::Table(table),
            Block::Figure(figure),
        ];
        let wording = format!("{:?}", clean_blocks(&blocks, ""));
        assert!(!wording.contains("hf_abc") && !wording.contains("hunter2"), "{wording}");
        assert!(wording.contains("0.1") && wording.contains("amber-01"));
    }

    #[test]
    fn ids_of_runs_and_ordinary_words_stay() {
        let id = "d2171091ae234a30be6a9fd8f7940270";
        let run =
            [Block::Text(vec![Span::Text("See ".to_owned()), Span::Run(1, id.to_owned()), Span::Key("kl".to_owned())])];
        assert_eq!(clean_blocks(&run, ""), run);
        let path = [Block::text(format!("mlruns/1/{id}/meta.yaml is read"))];
        assert_eq!(clean_blocks(&path, id), path);
        assert_eq!(clean_blocks(&path, ""), path);
        let mut table = Table::new("", &["metric", "#tokens"]);
        table.rows.push(vec![Cell::key("train/num_tokens"), Cell::number("1,000", 1e3)]);
        let table = [Block::Table(table)];
        assert_eq!(clean_blocks(&table, ""), table);
    }
}

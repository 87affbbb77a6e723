//! Blocks without secrets, before anything renders them.
//!
//! A secret is recognised by its own shape, by the words before it, or by the name of its row or column. So spans are
//! looked at alone and together, and a cell beside or under a setting's name is looked at as that setting's value.

use std::borrow::Cow;

use crate::config::redact_config_value;
use rundown_content::{Block, Cell, Figure, Shape, Span, Table, TableColumn};
use rundown_format::redact::REDACTED;
use rundown_format::{RichText, redact_around_id};
use rundown_run::ConfigValue;

/// The blocks without secrets. `id` is that of the one run that they are about, or empty: it stays where it has the
/// shape of a UUID. So does the name of a run that is one.
pub fn clean_blocks(mut blocks: Vec<Block>, id: &str) -> Vec<Block> {
    blocks.iter_mut().for_each(|block| clean_block(block, id));
    blocks
}

/// Sentences without secrets, but for the run's own id.
pub fn clean_rich(text: RichText, id: &str) -> RichText {
    let mut spans = text.into();
    clean_spans(&mut spans, id);
    spans.into()
}

fn clean_in(text: &mut RichText, id: &str) {
    *text = clean_rich(std::mem::take(text), id);
}

fn clean_text(text: &mut String, id: &str) {
    if let Cow::Owned(clean) = redact_around_id(text, id) {
        *text = clean;
    }
}

// Variants and fields are listed in full, so that a new one can't be forgotten here.
fn clean_block(block: &mut Block, id: &str) {
    match block {
        Block::Heading { level: _, text } => clean_in(text, id),
        Block::Text(spans) => clean_spans(spans, id),
        Block::List(items) | Block::Numbered(items) => items.iter_mut().for_each(|item| clean_spans(item, id)),
        Block::Code(text) => clean_text(text, id),
        Block::Table(table) => clean_table(table, id),
        Block::Figure(figure) => clean_figure(figure, id),
        Block::SideBySide(left, right) => left.iter_mut().chain(right).for_each(|block| clean_block(block, id)),
        Block::Panels(panels) => panels.iter_mut().flatten().for_each(|block| clean_block(block, id)),
        Block::Fold { title, blocks } => {
            clean_in(title, id);
            blocks.iter_mut().for_each(|block| clean_block(block, id));
        }
    }
}

fn clean_spans(spans: &mut Vec<Span>, id: &str) {
    spans.iter_mut().for_each(|span| clean_span(span, id));
    if spans.len() < 2 {
        return;
    }
    // `password` in one span and its value in the next: only together they show it.
    let together = joined(spans);
    if redact_around_id(&together, id) != together {
        clean_together(spans, id);
    }
}

/// Hides the spans that hold a secret together with those before them. Words without it stay, and so do the types of all
/// other spans.
fn clean_together(spans: &mut Vec<Span>, id: &str) {
    let mut clean: Vec<Span> = Vec::new();
    let mut before = String::new();
    for span in spans.drain(..) {
        clean.push(span);
        let together = joined(&clean);
        let redacted = redact_around_id(&together, id);
        if redacted == together {
            before = together;
            continue;
        }
        let hidden = match (redacted.strip_prefix(&before), clean.pop()) {
            (Some(rest), Some(Span::Text(_))) => rest,
            (Some(_), _) => REDACTED,
            // It begins further back, and nobody knows in which span.
            (None, _) => {
                clean.clear();
                REDACTED
            }
        };
        clean.push(Span::from(hidden));
        before = joined(&clean);
    }
    *spans = clean;
}

fn clean_span(span: &mut Span, id: &str) {
    match span {
        Span::Run(_, name) if id.is_empty() => *name = redact_around_id(name, name).into_owned(),
        span => span.text_mut().into_iter().for_each(|text| clean_text(text, id)),
    }
}

/// The text in which secrets are looked for: keys stand between backticks, as quotes around a value are known there.
fn joined(spans: &[Span]) -> String {
    let mut text = String::new();
    for span in spans {
        match span {
            // A run's name was looked at by itself: next to other words its id would go.
            Span::Run(..) => text.push('…'),
            Span::Text(words) | Span::Strong(words) => text.push_str(words),
            Span::Note(words) => {
                text.push(' ');
                text.push_str(words);
            }
            Span::Number(..) | Span::Percent(_) | Span::Step(_) | Span::Tabular(..) => text.push_str(&span.plain()),
            Span::Key(key) | Span::Metric(key) | Span::Setting(key) => {
                text.push('`');
                text.push_str(key);
                text.push('`');
            }
        }
    }
    text
}

fn clean_table(Table { caption, columns, rows, left_out: _ }: &mut Table, id: &str) {
    let names: Vec<String> = columns.iter().map(|column| column.name.to_string()).collect();
    clean_in(caption, id);
    columns.iter_mut().for_each(|TableColumn { name, is_numeric: _ }| clean_in(name, id));
    for row in rows {
        // The row's own name, where it is a key.
        let row_key = row.first().and_then(key_of).unwrap_or_default().to_owned();
        for (place, cell) in row.iter_mut().enumerate() {
            let named_by_row = if place > 0 { row_key.as_str() } else { "" };
            let column = names.get(place).map(String::as_str).unwrap_or_default();
            match [named_by_row, column].into_iter().find_map(|name| setting_of(name, cell)) {
                Some(hidden) => cell.text = hidden,
                None => clean_spans(&mut cell.text, id),
            }
        }
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

fn clean_figure(Figure { title, summary, width: _, height: _, shapes }: &mut Figure, id: &str) {
    clean_in(title, id);
    clean_text(summary, id);
    for shape in shapes {
        match shape {
            Shape::Line { points: _, values: _, tone: _, is_dashed: _, hint }
            | Shape::Rectangle { x: _, y: _, width: _, height: _, tone: _, hint }
            | Shape::Dot { x: _, y: _, radius: _, tone: _, hint } => clean_text(hint, id),
            Shape::Area { points: _, tone: _ } => {}
            Shape::Words { x: _, y: _, anchor: _, text, tone: _, hint } => {
                clean_text(text, id);
                clean_text(hint, id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::ColumnName::{Numbers, Words};

    const SECRET: &str = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";

    #[test]
    fn secrets_go_wherever_they_stand() {
        let mut table = Table::new(SECRET, &[Words("setting"), Words("amber-01"), Words("hub_token")]);
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
            Block::Text(vec![Span::Strong(SECRET.to_owned()), Span::Run(1, SECRET.to_owned())]),
            Block::Table(table),
            Block::Figure(figure),
        ];
        let wording = format!("{:?}", clean_blocks(blocks.to_vec(), ""));
        assert!(!wording.contains("hf_abc") && !wording.contains("hunter2"), "{wording}");
        assert!(wording.contains("0.1") && wording.contains("amber-01"));
    }

    #[test]
    fn what_stands_around_a_hidden_part_keeps_its_type() {
        let clean = |spans: &[Span]| Vec::from(clean_rich(spans.to_vec().into(), ""));
        let key = |key: &str| Span::Metric(key.to_owned());
        let (step, words) = (Span::Step(7.0), |words: &str| Span::from(words));
        assert_eq!(
            clean(&[
                key("train/kl"),
                words(" rose at "),
                step.clone(),
                words(", password: "),
                key("hunter2"),
                words(" it is")
            ]),
            [key("train/kl"), words(" rose at "), step.clone(), words(", password: (redacted) it is")]
        );
        assert_eq!(
            clean(&[key("api_key"), words(" = hunter2hunter2 of "), key("train/kl"), step.clone()]),
            [key("api_key"), words(" = (redacted) of "), key("train/kl"), step.clone()]
        );
        assert_eq!(
            clean(&[words("password: "), Span::Number(12345678.0, String::new())]),
            [words("password: (redacted)")]
        );
        // The secret begins in a part that is clean by itself.
        let parts = SECRET.split_at(6);
        let across = clean(&[words(parts.0), Span::Strong(parts.1.to_owned()), key("train/kl")]);
        assert!(!RichText::from(across.clone()).to_string().contains("abcdefgh"), "{across:?}");
        assert_eq!(across.last(), Some(&key("train/kl")));
    }

    #[test]
    fn ids_of_runs_and_ordinary_words_stay() {
        let id = "d2171091ae234a30be6a9fd8f7940270";
        let run =
            [Block::Text(vec![Span::Text("See ".to_owned()), Span::Run(1, id.to_owned()), Span::Key("kl".to_owned())])];
        assert_eq!(clean_blocks(run.to_vec(), ""), run);
        let path = [Block::text(format!("mlruns/1/{id}/meta.yaml is read"))];
        assert_eq!(clean_blocks(path.to_vec(), id), path);
        assert_eq!(clean_blocks(path.to_vec(), ""), path);
        let words = format!("api key {id}");
        assert_ne!(redact_around_id(&words, ""), words);
        let label = Shape::Words {
            x: 0.0,
            y: 0.0,
            anchor: rundown_content::Anchor::Start,
            text: words.clone(),
            tone: rundown_content::Tone::Ink,
            hint: words,
        };
        let title = RichText::default();
        let figure = Figure { title, summary: String::new(), width: 1.0, height: 1.0, shapes: vec![label] };
        let figure = [Block::Figure(figure)];
        assert_eq!(clean_blocks(figure.to_vec(), id), figure, "the label of a figure is a text as any other");
        let mut table = Table::new("", &[Words("metric"), Numbers("tokens")]);
        table.rows.push(vec![Cell::key("train/num_tokens"), Cell::number("1,000", 1e3)]);
        let table = [Block::Table(table)];
        assert_eq!(clean_blocks(table.to_vec(), ""), table);
    }
}

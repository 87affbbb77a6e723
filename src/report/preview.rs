//! The Markdown of a report, read back into blocks for the preview: what is shown is what is in the file.
//!
//! Only what our own writers use: headings, paragraphs, lists, tables, fenced text, code spans, strong words. Everything
//! else stays the text that it is. The blocks become elements, never HTML text, so a run named `<script>` is a name.

use crate::content::{Block, Cell, Column, Span, Table};

/// Reads the blocks of a report. Its title becomes a heading of level 2, as the page has its own first heading.
pub fn preview(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        if let Some(fence) = fence(line) {
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with(fence)).collect();
            blocks.push(Block::Code(code.join("\n")));
            continue;
        }
        if let Some((level, words)) = heading(line) {
            blocks.push(Block::Heading { level: level + 1, text: plain(words) });
            continue;
        }
        if line.starts_with('|')
            && let Some(right) = lines.peek().and_then(|next| alignment(next))
        {
            lines.next();
            let mut table = Table { columns: columns(line, &right), ..Table::default() };
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                table.rows.push(cells(row));
            }
            blocks.push(Block::Table(table));
            continue;
        }
        if let Some((is_numbered, first)) = item(line) {
            let mut items = vec![inlines(first)];
            while let Some(next) = lines.peek().and_then(|next| item(next)).filter(|next| next.0 == is_numbered) {
                items.push(inlines(next.1));
                lines.next();
            }
            blocks.push(if is_numbered { Block::Numbered(items) } else { Block::List(items) });
            continue;
        }
        blocks.push(Block::Text(inlines(line)));
    }
    blocks
}

/// The backticks that begin a line, three at least. What they fence holds no row of so many.
fn fence(line: &str) -> Option<&str> {
    let length = line.len() - line.trim_start_matches('`').len();
    line.get(..length).filter(|fence| fence.len() >= 3)
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let words = words.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (level as u8, words.trim()))
}

/// Words of a heading or a column, in which keys stand between backticks.
fn plain(words: &str) -> String {
    let mut said = String::new();
    for span in inlines(words) {
        match span {
            Span::Key(key) => {
                said.push('`');
                said.push_str(&key);
                said.push('`');
            }
            // A backtick alone would begin a key.
            Span::Text(text) | Span::Strong(text) => said.push_str(&text.replace('`', "'")),
            _ => {}
        }
    }
    said
}

/// Reads `|---|--:|`: true for each column that is aligned to the right.
fn alignment(line: &str) -> Option<Vec<bool>> {
    let inner = line.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let columns: Vec<&str> = inner.split('|').map(str::trim).collect();
    let is_valid = |column: &&str| column.contains('-') && column.chars().all(|sign| matches!(sign, '-' | ':'));
    columns.iter().all(is_valid).then(|| columns.iter().map(|column| column.ends_with(':')).collect())
}

fn columns(line: &str, right: &[bool]) -> Vec<Column> {
    let mut columns = Vec::new();
    for (place, name) in split(line).iter().enumerate() {
        columns.push(Column { name: plain(name), is_numeric: right.get(place) == Some(&true) });
    }
    columns
}

fn cells(line: &str) -> Vec<Cell> {
    split(line).iter().map(|cell| Cell { text: inlines(cell), value: None }).collect()
}

/// Cells of a table row; `\|` is a bar inside a cell.
fn split(line: &str) -> Vec<String> {
    let inner = line.trim();
    let inner = inner.strip_prefix('|').unwrap_or(inner);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('|') => cell.push('|'),
                Some(other) => cell.extend(['\\', other]),
                None => cell.push('\\'),
            },
            '|' => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(character),
        }
    }
    if !cell.trim().is_empty() {
        cells.push(cell);
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// A list item: true when it is numbered, and its words.
fn item(line: &str) -> Option<(bool, &str)> {
    if let Some(words) = line.strip_prefix("- ") {
        return Some((false, words.trim()));
    }
    let words = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    if words.len() == line.len() {
        return None;
    }
    Some((true, words.strip_prefix(". ")?.trim()))
}

/// Reads code spans and strong words; a backslash makes the next sign plain.
fn inlines(text: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((span, after)) = span(rest) {
            if !plain.is_empty() {
                spans.push(Span::Text(std::mem::take(&mut plain)));
            }
            spans.push(span);
            rest = after;
            continue;
        }
        if let Some((letter, after)) = entity(rest) {
            plain.push(letter);
            rest = after;
            continue;
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        let escaped = rest.chars().next().filter(|next| first == '\\' && next.is_ascii_punctuation());
        plain.push(escaped.unwrap_or(first));
        if let Some(escaped) = escaped {
            rest = rest.get(escaped.len_utf8()..).unwrap_or_default();
        }
    }
    if !plain.is_empty() {
        spans.push(Span::Text(plain));
    }
    spans
}

/// The character that `text` names in HTML's way, and what follows it. A report writes three in that way.
fn entity(text: &str) -> Option<(char, &str)> {
    [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')]
        .into_iter()
        .find_map(|(name, letter)| Some((letter, text.strip_prefix(name)?)))
}

/// The span that `text` begins with, and what follows it.
fn span(text: &str) -> Option<(Span, &str)> {
    if let Some(inner) = text.strip_prefix('`') {
        let (code, after) = inner.split_once('`')?;
        return Some((Span::Key(code.to_owned()), after));
    }
    let (words, after) = text.strip_prefix("**")?.split_once("**")?;
    (!words.is_empty()).then(|| (Span::Strong(unmarked(words)), after))
}

/// Strong words without the marks of what stands in them.
fn unmarked(words: &str) -> String {
    let mut said = String::new();
    for span in inlines(words) {
        match span {
            Span::Text(text) | Span::Key(text) | Span::Strong(text) => said.push_str(&text),
            _ => {}
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Figure;
    use crate::report::markdown_blocks;

    fn text(words: &str) -> Span {
        Span::Text(words.to_owned())
    }

    #[test]
    fn blocks_come_back_as_they_were_written() {
        let mut table = Table::new("", &["run", "#`eval/accuracy`"]);
        table.rows.push(vec![Cell::text("a|b \\ <i>"), Cell { text: vec![text("0.98")], value: None }]);
        table.rows.push(vec![Cell::key("kl"), Cell { text: vec![text("–")], value: None }]);
        let blocks = [
            Block::section("1. `kl` of it"),
            Block::text("# 2 * 3 `kl` at a_b_c, _x_ & **y** [z](https://a.b) ~~"),
            Block::part("Try"),
            Block::Numbered(vec![vec![text("one")], vec![Span::Strong("two: ".trim().to_owned()), text(" x")]]),
            Block::List(vec![vec![text("- 1. a")], vec![Span::Key("b".to_owned())]]),
            Block::Code("a | b\n\n```\n# c\n````".to_owned()),
            Block::Table(table),
        ];
        let deeper = |block: &Block| match block {
            Block::Heading { level, text } => Block::Heading { level: level + 1, text: text.clone() },
            other => other.clone(),
        };
        let mut expected = vec![Block::section("Title")];
        expected.extend(blocks.iter().map(deeper));
        assert_eq!(preview(&markdown_blocks("Title", &blocks, "")), expected);
    }

    #[test]
    fn what_was_escaped_is_shown_as_it_was() {
        assert_eq!(inlines("&lt;img&gt; &amp; &copy; a\\*b\\*c"), [text("<img> & &copy; a*b*c")]);
        assert_eq!(inlines("**`lr`: `1` → `2`** it"), [Span::Strong("lr: 1 → 2".to_owned()), text(" it")]);
        assert_eq!(inlines("[a](javascript:x) <b>x</b> _y_"), [text("[a](javascript:x) <b>x</b> _y_")]);
        assert_eq!(inlines("an `open span"), [text("an `open span")]);
    }

    #[test]
    fn figures_are_what_they_say() {
        let figure = Figure {
            title: "Reward".to_owned(),
            summary: "1 line.".to_owned(),
            width: 1.0,
            height: 1.0,
            shapes: Vec::new(),
        };
        let said = preview(&markdown_blocks("t", &[Block::Figure(figure)], ""));
        assert_eq!(said.get(1), Some(&Block::Text(vec![Span::Strong("Reward".to_owned()), text(": 1 line.")])));
    }

    #[test]
    fn nothing_is_lost_in_odd_text() {
        for odd in ["", "#", "####### seven", "|", "|a|", "- ", "```", "1.", "**", "``", "[", "é**ü**", "\\"] {
            preview(odd);
        }
        assert_eq!(preview("####### seven"), [Block::Text(vec![text("####### seven")])]);
    }
}

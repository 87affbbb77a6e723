//! Blocks as Markdown: the same words as on the page, tables that can be read as plain text, figures by what they say.

use super::escape::{bare_code, bare_text, guarded};
use super::page::Page;
use crate::content::{Block, Cell, Span, Table, spans};
use crate::format::RichText;
use crate::report::clean_blocks::{clean_blocks, clean_text};

/// A report of blocks under a title. `id` is that of the one run that it speaks of, or empty.
pub fn markdown_blocks(title: &str, blocks: &[Block], id: &str) -> String {
    let mut page = Page::new();
    page.heading(0, guarded(inline(&spans(&clean_text(title, id)))).trim());
    write(&mut page, blocks, id);
    page.finish()
}

/// Adds blocks to a report that is being written; a heading of level 2 stands one level below the outermost.
pub(super) fn write(page: &mut Page, blocks: &[Block], id: &str) {
    for block in &clean_blocks(blocks, id) {
        match block {
            Block::Heading { level, text } => page.heading(usize::from(*level).saturating_sub(1), &line(&spans(text))),
            Block::Text(spans) => page.paragraph(&line(spans)),
            Block::List(items) => page.bullets(&items.iter().map(|item| line(item)).collect::<Vec<_>>()),
            Block::Numbered(items) => page.numbered(&items.iter().map(|item| line(item)).collect::<Vec<_>>()),
            Block::Code(text) => page.fenced(text),
            Block::Table(table) => write_table(page, table),
            Block::Figure(figure) => {
                // A key within strong words would be shown with its backticks.
                let title = Span::Strong(figure.title.replace('`', ""));
                let said = if figure.title.is_empty() { " " } else { ": " };
                page.paragraph(&line(&[title, Span::Text(said.to_owned()), Span::Text(figure.summary.clone())]));
            }
        }
    }
}

fn write_table(page: &mut Page, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    if !table.caption.is_empty() {
        page.paragraph(&line(&[Span::Strong(table.caption.clone())]));
    }
    let header: Vec<String> = table.columns.iter().map(|column| cell(&spans(&column.name))).collect();
    let numeric: Vec<bool> = table.columns.iter().map(|column| column.is_numeric).collect();
    let row = |row: &Vec<Cell>| row.iter().map(|made| cell(&made.text)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
    page.padded_table(&header, &numeric, &rows);
    if table.left_out > 0 {
        let mut said = table.left_out.to_string();
        said.push_str(if table.left_out == 1 { " more row is not shown." } else { " more rows are not shown." });
        page.paragraph(&said);
    }
}

/// Spans as a paragraph or an item of a list.
fn line(spans: &[Span]) -> String {
    guarded(inline(spans).trim().to_owned())
}

/// Spans as a cell, where nothing can begin a line.
fn cell(spans: &[Span]) -> String {
    inline(spans).trim().to_owned()
}

/// A sentence, or several, as a paragraph or an item of a list.
pub(super) fn rich(text: &RichText) -> String {
    line(text.redacted().spans())
}

/// A sentence within a cell or behind other words.
pub(super) fn rich_inside(text: &RichText) -> String {
    cell(text.redacted().spans())
}

fn inline(spans: &[Span]) -> String {
    let mut said = String::new();
    for (place, span) in spans.iter().enumerate() {
        match span {
            Span::Text(text) => said.push_str(&bare_text(text)),
            Span::Number(..) | Span::Percent(_) | Span::Step(_) => said.push_str(&bare_text(&span.plain())),
            Span::Run(_, name) if name.trim().is_empty() => said.push_str("without a name"),
            Span::Run(_, name) => said.push_str(&bare_text(name)),
            Span::Link(words, address) if words == address => said.push_str(&bare_text(words)),
            Span::Link(words, address) => {
                for part in [&bare_text(words), " (", &bare_text(address), ")"] {
                    said.push_str(part);
                }
            }
            Span::Note(text) => {
                // The remark is a line of its own elsewhere.
                if !said.is_empty() && !said.ends_with(' ') {
                    said.push(' ');
                }
                said.push_str(&bare_text(text));
            }
            Span::Key(key) | Span::Metric(key) | Span::Setting(key) => {
                let code = bare_code(key);
                // Two code spans that touch would be one.
                if said.ends_with('`') && code.starts_with('`') {
                    said.push(' ');
                }
                said.push_str(&code);
            }
            Span::Strong(text) => {
                let next = match spans.get(place + 1) {
                    None => Some(' '),
                    Some(Span::Text(text)) => bare_text(text).chars().next(),
                    Some(_) => None,
                };
                strong(&mut said, bare_text(text).trim(), next);
            }
        }
    }
    said
}

/// Strong words, where their neighbours let the marks count: a mark between a letter and a sign would be shown.
/// `next` is what follows, a space at the end and `None` for what nobody knows.
fn strong(said: &mut String, safe: &str, next: Option<char>) {
    let before = said.chars().next_back();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let begins = match before {
        None => true,
        Some('*') => false,
        Some(before) => before.is_whitespace() || is_letter(safe.chars().next()),
    };
    let ends = match next {
        None | Some('*') => false,
        Some(next) => next.is_whitespace() || next == ':' || is_letter(safe.chars().next_back()),
    };
    if safe.is_empty() || !begins || !ends {
        said.push_str(safe);
        return;
    }
    for part in ["**", safe, "**"] {
        said.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Figure;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    fn words(span: &Span) -> String {
        span.plain()
    }

    fn events(markdown: &str) -> Vec<Event<'_>> {
        Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect()
    }

    /// The cells of all tables, as plain words.
    fn cells(markdown: &str) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut is_cell = false;
        for event in events(markdown) {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
                Event::Start(Tag::TableCell) => {
                    is_cell = true;
                    rows.last_mut().unwrap().push(String::new());
                }
                Event::End(TagEnd::TableCell) => is_cell = false,
                Event::Text(text) | Event::Code(text) if is_cell => {
                    rows.last_mut().unwrap().last_mut().unwrap().push_str(&text);
                }
                _ => {}
            }
        }
        rows
    }

    #[test]
    fn a_table_reads_as_plain_text() {
        let mut table = Table::new("Leaderboard", &["Run", "#`eval/accuracy`"]);
        table.rows.push(vec![Cell::run(3, "amber-01"), Cell::number("0.98", 0.98)]);
        table.rows.push(vec![Cell::run(4, "a|b"), Cell::default()]);
        table.left_out = 2;
        let figure = Figure {
            title: "Reward".to_owned(),
            summary: "1 line.".to_owned(),
            width: 1.0,
            height: 1.0,
            shapes: Vec::new(),
        };
        let blocks =
            [Block::section("Runs"), Block::text("1. `kl` is *it*"), Block::Table(table), Block::Figure(figure)];
        let expected = "\
# Two runs

## Runs

1\\. `kl` is \\*it\\*

**Leaderboard**

| Run      | `eval/accuracy` |
| -------- | --------------: |
| amber-01 |            0.98 |
| a\\|b     |               – |

2 more rows are not shown.

**Reward**: 1 line.
";
        assert_eq!(markdown_blocks("Two runs", &blocks, ""), expected);
    }

    fn span() -> impl Strategy<Value = Span> {
        let text = || prop_oneof!["[a-z0-9<>&|`*_\\[\\]\\\\#~! .:+=)-]{0,12}", ".{0,8}"];
        prop_oneof![
            text().prop_map(Span::Text),
            text().prop_map(Span::Key),
            text().prop_map(Span::Strong),
            text().prop_map(Span::Note),
            text().prop_map(|words| Span::Link(words.clone(), words)),
            text().prop_map(|name| Span::Run(0, name)),
        ]
    }

    proptest! {
        #[test]
        fn any_text_is_text_and_every_table_survives(
            rows in prop::collection::vec(prop::collection::vec(prop::collection::vec(span(), 0..4), 3), 1..5),
            spans in prop::collection::vec(span(), 1..5),
        ) {
            let mut table = Table::new("", &["a", "#b", "c"]);
            table.rows = rows.iter().map(|row| row.iter().map(|spans| Cell { text: spans.clone(), value: None }).collect()).collect();
            let blocks = [Block::Text(spans.clone()), Block::List(vec![spans]), Block::Table(table.clone())];
            let markdown = markdown_blocks("t", &blocks, "");
            let (mut tables, mut lists) = (0, 0);
            for event in events(&markdown) {
                match event {
                    Event::Html(_) | Event::InlineHtml(_) | Event::Rule | Event::Start(Tag::Link { .. } | Tag::Image { .. }
                        | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::BlockQuote(_) | Tag::Strikethrough) => {
                        prop_assert!(false, "{event:?} in {markdown}");
                    }
                    Event::Start(Tag::Heading { level, .. }) => prop_assert_eq!(level as u8, 1, "{}", markdown),
                    Event::Start(Tag::Table(_)) => tables += 1,
                    Event::Start(Tag::List(_)) => lists += 1,
                    _ => {}
                }
            }
            prop_assert_eq!((tables, lists), (1, 1), "{}", markdown);
            let read = cells(&markdown);
            prop_assert_eq!(read.len(), table.rows.len() + 1, "{}", markdown);
            for (read, row) in read.iter().skip(1).zip(&table.rows) {
                for (read, cell) in read.iter().zip(row) {
                    let Block::Text(clean) = clean_blocks(&[Block::Text(cell.text.clone())], "").remove(0) else { panic!("no text") };
                    let said: String = clean.iter().map(words).collect();
                    let plain = |text: &str| text.replace(|c: char| c.is_control() || c.is_whitespace() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'), "");
                    if !plain(&said).is_empty() && !read.contains("without a name") {
                        prop_assert_eq!(plain(read), plain(&said), "{}", markdown);
                    }
                }
            }
        }
    }
}

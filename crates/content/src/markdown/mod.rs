//! Blocks as Markdown: plain CommonMark with GitHub's tables, no HTML; figures by their summaries.
//!
//! Every text goes through `escape`. Tables can be read as plain text.

mod escape;
mod page;

use super::{Block, Cell, Span, Table};
use escape::{code, guarded, text};
use page::MarkdownWriter;

/// The blocks as Markdown.
pub fn markdown<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> String {
    let mut page = MarkdownWriter::default();
    blocks.into_iter().for_each(|block| write(&mut page, block));
    page.finish()
}

fn write_all(page: &mut MarkdownWriter, blocks: &[Block]) {
    blocks.iter().for_each(|block| write(page, block));
}

fn write(page: &mut MarkdownWriter, block: &Block) {
    match block {
        Block::Heading { level, text } => page.heading(*level, &cell(text.spans())),
        Block::Text(spans) => page.paragraph(&line(spans)),
        Block::List(items) => page.bullets(&lines(items)),
        Block::Numbered(items) => page.numbered(&lines(items)),
        Block::Code(text) => page.fenced(text),
        Block::Table(table) => write_table(page, table),
        Block::SideBySide(left, right) => {
            write_all(page, left);
            write_all(page, right);
        }
        Block::Panels(panels) => panels.iter().for_each(|panel| write_all(page, panel)),
        // Nothing is folded in plain text.
        Block::Fold { title, blocks } => {
            page.paragraph(&line(&[Span::Strong(title.to_string())]));
            write_all(page, blocks);
        }
        Block::Figure(figure) => {
            // Keys within strong words would be shown with their marks.
            let mut summary = vec![Span::Strong(figure.title.to_string())];
            summary.push(Span::from(if figure.title.is_empty() { " " } else { ": " }));
            summary.push(Span::from(figure.summary.as_str()));
            page.paragraph(&line(&summary));
        }
    }
}

fn write_table(page: &mut MarkdownWriter, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    if !table.caption.is_empty() {
        page.paragraph(&line(&[Span::Strong(table.caption.to_string())]));
    }
    let header: Vec<String> = table.columns.iter().map(|column| cell(column.name.spans())).collect();
    let numeric: Vec<bool> = table.columns.iter().map(|column| column.is_numeric).collect();
    let row = |row: &Vec<Cell>| row.iter().map(|each| cell(&each.text)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
    page.table(&header, &numeric, &rows);
    if table.left_out > 0 {
        let rows = if table.left_out == 1 { "row is" } else { "rows are" };
        page.paragraph(&format!("{} more {rows} not shown.", table.left_out));
    }
}

/// Spans as a paragraph or an item of a list.
fn line(spans: &[Span]) -> String {
    guarded(inline(spans).trim().to_owned())
}

fn lines(items: &[Vec<Span>]) -> Vec<String> {
    items.iter().map(|item| line(item)).collect()
}

/// Spans as a cell or a heading, where nothing can begin a line.
fn cell(spans: &[Span]) -> String {
    inline(spans).trim().to_owned()
}

fn inline(spans: &[Span]) -> String {
    let mut wording = String::new();
    for (place, span) in spans.iter().enumerate() {
        match span {
            Span::Text(words) => wording.push_str(&text(words)),
            Span::Number(..) | Span::Percent(_) | Span::Step(_) | Span::Tabular(..) => {
                wording.push_str(&text(&span.plain()));
            }
            Span::Run(_, name) if name.trim().is_empty() => wording.push_str("without a name"),
            Span::Run(_, name) => wording.push_str(&text(name)),
            Span::Note(remark) => {
                if !wording.trim().is_empty() {
                    wording.push_str(if wording.ends_with(' ') { "– " } else { " – " });
                }
                wording.push_str(&text(remark));
            }
            Span::Key(key) | Span::Metric(key) | Span::Setting(key) => {
                let safe = code(key);
                // Two code spans that touch would be one.
                if wording.ends_with('`') && safe.starts_with('`') {
                    wording.push(' ');
                }
                wording.push_str(&safe);
            }
            Span::Strong(words) => {
                let next = match spans.get(place + 1) {
                    None => Some(' '),
                    Some(Span::Text(next)) => text(next).chars().next(),
                    Some(_) => None,
                };
                strong(&mut wording, text(words).trim(), next);
            }
        }
    }
    wording
}

/// Strong words, where their neighbours let the marks count: a mark between a letter and a sign would be shown.
/// `next` is what follows, a space at the end and `None` for what nobody knows.
fn strong(wording: &mut String, safe: &str, next: Option<char>) {
    let before = wording.chars().next_back();
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
        wording.push_str(safe);
        return;
    }
    wording.push_str(&format!("**{safe}**"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnName::{Numbers, Words};
    use crate::{Figure, TableColumn};
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    use rundown_format::rich;
    use rundown_format::rich_text::key;

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
        let mut table = Table::new("Leaderboard", &[Words("Run")]);
        table.columns.push(TableColumn::numbers(key("eval/accuracy")));
        table.rows.push(vec![Cell::run(3, "amber-01"), Cell::number("0.98", 0.98)]);
        table.rows.push(vec![Cell::run(4, "a|b"), Cell::default()]);
        table.left_out = 2;
        let figure = Figure {
            title: "Reward".into(),
            summary: "1 line.".to_owned(),
            width: 1.0,
            height: 1.0,
            shapes: Vec::new(),
        };
        let blocks = [
            Block::Heading { level: 1, text: "Two runs".into() },
            Block::section("Runs"),
            Block::text(rich!("1. {} is *it*", key("kl"))),
            Block::Table(table),
            Block::Figure(figure),
        ];
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
        assert_eq!(markdown(&blocks), expected);
    }

    fn span() -> impl Strategy<Value = Span> {
        let text = || prop_oneof!["[a-z0-9<>&|`*_\\[\\]\\\\#~! .:+=)-]{0,12}", ".{0,8}"];
        prop_oneof![
            text().prop_map(Span::Text),
            text().prop_map(Span::Key),
            text().prop_map(Span::Strong),
            text().prop_map(Span::Note),
            text().prop_map(|name| Span::Run(0, name)),
        ]
    }

    proptest! {
        #[test]
        fn any_text_is_text_and_every_table_survives(
            rows in prop::collection::vec(prop::collection::vec(prop::collection::vec(span(), 0..4), 3), 1..5),
            spans in prop::collection::vec(span(), 1..5),
        ) {
            let mut table = Table::new("", &[Words("a"), Numbers("b"), Words("c")]);
            table.rows = rows.iter().map(|row| row.iter().map(|spans| Cell { text: spans.clone(), value: None }).collect()).collect();
            let blocks = [Block::Text(spans.clone()), Block::List(vec![spans]), Block::Table(table.clone())];
            let markdown = markdown(&blocks);
            let (mut tables, mut lists) = (0, 0);
            for event in events(&markdown) {
                match event {
                    Event::Html(_) | Event::InlineHtml(_) | Event::Rule | Event::Start(Tag::Heading { .. } | Tag::Link { .. } | Tag::Image { .. }
                        | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::BlockQuote(_) | Tag::Strikethrough) => {
                        prop_assert!(false, "{event:?} in {markdown}");
                    }
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
                    // The dash before a remark is Markdown's.
                    let plain = |text: &str| text.replace(|c: char| c.is_control() || c.is_whitespace() || matches!(c, '–' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'), "");
                    let wording: String = cell.text.iter().map(words).collect();
                    if !plain(&wording).is_empty() && !read.contains("without a name") {
                        prop_assert_eq!(plain(read), plain(&wording), "{}", markdown);
                    }
                }
            }
        }
    }
}

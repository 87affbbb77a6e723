//! The Markdown of a report, read back into blocks for the preview.
//!
//! Only what a report uses: headings, paragraphs, lists, tables, quotes, code, strong, emphasis, links. Everything
//! else stays the text that it is. The blocks become elements, never HTML text, so a run named `<script>` is a name.

/// One block.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Heading of level 1 to 6.
    Heading(u8, Vec<Inline>),
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A list; ordered when true.
    List(bool, Vec<Item>),
    /// A table: the head, which columns are right-aligned, the rows.
    Table {
        /// Cells of the head.
        head: Vec<Vec<Inline>>,
        /// True for each column that is aligned to the right.
        right: Vec<bool>,
        /// Cells of each row.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A quotation.
    Quote(Vec<Inline>),
    /// Code, as it is.
    Code(String),
    /// A line across.
    Rule,
}

/// One item of a list, with how deep it is nested.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// 0 for the outermost.
    pub depth: u8,
    /// Its text.
    pub text: Vec<Inline>,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq)]
pub enum Inline {
    /// Plain.
    Text(String),
    /// In monospace.
    Code(String),
    /// Strong.
    Strong(String),
    /// Emphasis.
    Emphasis(String),
    /// Link: text and address. Only `https:` and `http:` addresses become links.
    Link(String, String),
}

/// Reads the blocks of a text.
pub fn parse(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(fence) = fence(text) {
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().starts_with(fence)).collect();
            blocks.push(Block::Code(code.join("\n")));
            continue;
        }
        if let Some((level, words)) = heading(text) {
            blocks.push(Block::Heading(level, inlines(words)));
            continue;
        }
        if text.len() >= 3 && (text.chars().all(|c| c == '-') || text.chars().all(|c| c == '*')) {
            blocks.push(Block::Rule);
            continue;
        }
        if let Some(words) = text.strip_prefix('>') {
            let mut words = words.trim().to_owned();
            while let Some(more) = lines.next_if(|line| line.trim_start().starts_with('>')) {
                words.push(' ');
                words.push_str(more.trim().trim_start_matches('>').trim());
            }
            blocks.push(Block::Quote(inlines(&words)));
            continue;
        }
        if text.starts_with('|') && lines.peek().is_some_and(|next| alignment(next).is_some()) {
            let right = lines.next().and_then(alignment).unwrap_or_default();
            let mut rows = Vec::new();
            while let Some(row) = lines.next_if(|line| line.trim_start().starts_with('|')) {
                rows.push(cells(row));
            }
            blocks.push(Block::Table { head: cells(text), right, rows });
            continue;
        }
        if let Some((ordered, item)) = item(line) {
            let mut items = vec![item];
            loop {
                if let Some((_, next)) = lines.peek().and_then(|next| self::item(next)) {
                    items.push(next);
                    lines.next();
                } else if let Some(more) = lines.next_if(|next| next.starts_with(' ') && !next.trim().is_empty()) {
                    // An indented line goes on with the item above it.
                    if let Some(last) = items.last_mut() {
                        last.text.push(Inline::Text(" ".to_owned()));
                        last.text.extend(inlines(more.trim()));
                    }
                } else {
                    break;
                }
            }
            blocks.push(Block::List(ordered, items));
            continue;
        }
        let mut words = text.to_owned();
        while let Some(more) = lines.next_if(|next| is_plain(next)) {
            words.push(' ');
            words.push_str(more.trim());
        }
        blocks.push(Block::Paragraph(inlines(&words)));
    }
    blocks
}

/// The backticks or tildes that begin a line, three at least. What they fence holds no row of so many.
fn fence(text: &str) -> Option<&str> {
    let length = text.len() - text.trim_start_matches(['`', '~']).len();
    text.get(..length).filter(|fence| fence.len() >= 3)
}

fn heading(text: &str) -> Option<(u8, &str)> {
    let words = text.trim_start_matches('#');
    let level = text.len() - words.len();
    let words = words.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (level as u8, words.trim()))
}

/// Reads `|---|--:|`: true for each column that is aligned to the right.
fn alignment(line: &str) -> Option<Vec<bool>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let columns: Vec<&str> = inner.split('|').map(str::trim).collect();
    let valid = |column: &&str| column.contains('-') && column.chars().all(|c| matches!(c, '-' | ':'));
    columns.iter().all(valid).then(|| columns.iter().map(|column| column.ends_with(':')).collect())
}

/// Cells of a table row; `\|` is a bar inside a cell.
fn cells(line: &str) -> Vec<Vec<Inline>> {
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
    cells.iter().map(|cell| inlines(cell.trim())).collect()
}

/// A list item: true when it is numbered.
fn item(line: &str) -> Option<(bool, Item)> {
    let text = line.trim_start();
    let depth = ((line.len() - text.len()) / 2).min(4) as u8;
    for bullet in ["- ", "* ", "+ "] {
        if let Some(words) = text.strip_prefix(bullet) {
            return Some((false, Item { depth, text: inlines(words.trim()) }));
        }
    }
    let words = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if words.len() == text.len() || text.len() - words.len() > 4 {
        return None;
    }
    let words = words.strip_prefix(". ").or_else(|| words.strip_prefix(") "))?;
    Some((true, Item { depth, text: inlines(words.trim()) }))
}

fn is_plain(line: &str) -> bool {
    let text = line.trim();
    !text.is_empty()
        && fence(text).is_none()
        && heading(text).is_none()
        && item(line).is_none()
        && !text.starts_with(['>', '|'])
        && !(text.len() >= 3 && text.chars().all(|c| c == '-'))
}

/// Reads code spans, strong, emphasis and links; a backslash makes the next sign plain.
pub fn inlines(text: &str) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((inline, after)) = span(rest, plain.chars().last()) {
            if !plain.is_empty() {
                out.push(Inline::Text(std::mem::take(&mut plain)));
            }
            out.push(inline);
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
        out.push(Inline::Text(plain));
    }
    out
}

/// The character that `text` names in HTML's way, and what follows it. A report writes three in that way.
fn entity(text: &str) -> Option<(char, &str)> {
    [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')]
        .into_iter()
        .find_map(|(name, letter)| Some((letter, text.strip_prefix(name)?)))
}

/// The span that `text` begins with, and what follows it.
fn span(text: &str, before: Option<char>) -> Option<(Inline, &str)> {
    if let Some(inner) = text.strip_prefix("``") {
        let (code, after) = inner.split_once("``")?;
        return Some((Inline::Code(code.trim().to_owned()), after));
    }
    if let Some(inner) = text.strip_prefix('`') {
        let (code, after) = inner.split_once('`')?;
        return Some((Inline::Code(code.to_owned()), after));
    }
    if let Some(inner) = text.strip_prefix("**") {
        let (words, after) = inner.split_once("**")?;
        return (!words.is_empty()).then(|| (Inline::Strong(unescaped(words)), after));
    }
    for sign in ['*', '_'] {
        let Some(inner) = text.strip_prefix(sign) else { continue };
        // In the middle of a word an underscore is part of a name, such as kl_blow_up.
        if before.is_some_and(|c| is_word(c) || c == sign) || inner.starts_with([' ', sign]) {
            return None;
        }
        let (words, after) = inner.split_once(sign)?;
        let closes = !words.is_empty() && !words.ends_with([' ', '\\']) && !after.chars().next().is_some_and(is_word);
        return closes.then(|| (Inline::Emphasis(unescaped(words)), after));
    }
    let inner = text.strip_prefix('[')?;
    let (words, after) = inner.split_once("](")?;
    let (address, after) = after.split_once(')')?;
    let safe = address.starts_with("https://") || address.starts_with("http://");
    (safe && !words.contains('[')).then(|| (Inline::Link(unescaped(words), address.to_owned()), after))
}

/// True for letters and digits. Beyond ASCII nearly all signs are letters, and the table of those is 4 kB.
fn is_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || !sign.is_ascii()
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match characters.next_if(|next| character == '\\' && next.is_ascii_punctuation()) {
            Some(escaped) => out.push(escaped),
            None if character == '`' => {}
            None => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> Inline {
        Inline::Text(words.to_owned())
    }

    #[test]
    fn markup_that_a_report_escaped_is_shown_as_it_was() {
        assert_eq!(inlines("&lt;img&gt; &amp; &copy;"), [Inline::Text("<img> & &copy;".to_owned())]);
    }

    #[test]
    fn a_report_reads_back_as_blocks() {
        let blocks = parse(
            "# amber-18\n\nThe policy games\nthe reward.\n\n## Ugly\n- one\n- two\n  goes on\n\n1. try\n2. again\n\n---\n> quoted\n> twice\n\n```\na | b\n```\n",
        );
        assert_eq!(
            blocks,
            [
                Block::Heading(1, vec![text("amber-18")]),
                Block::Paragraph(vec![text("The policy games the reward.")]),
                Block::Heading(2, vec![text("Ugly")]),
                Block::List(
                    false,
                    vec![
                        Item { depth: 0, text: vec![text("one")] },
                        Item { depth: 0, text: vec![text("two"), text(" "), text("goes on")] },
                    ]
                ),
                Block::List(
                    true,
                    vec![Item { depth: 0, text: vec![text("try")] }, Item { depth: 0, text: vec![text("again")] }]
                ),
                Block::Rule,
                Block::Quote(vec![text("quoted twice")]),
                Block::Code("a | b".to_owned()),
            ]
        );
    }

    #[test]
    fn a_longer_fence_holds_a_shorter_one() {
        let blocks = parse("````text\na\n```\n# b\n````\nafter");
        assert_eq!(blocks, [Block::Code("a\n```\n# b".to_owned()), Block::Paragraph(vec![text("after")])]);
    }

    #[test]
    fn tables_keep_bars_that_are_escaped() {
        let blocks = parse("| metric | last |\n|---|--:|\n| a\\|b | `1` |\n| c | |\nafter");
        let Some(Block::Table { head, right, rows }) = blocks.first() else { panic!("{blocks:?}") };
        assert_eq!(head.len(), 2);
        assert_eq!(right, &[false, true]);
        assert_eq!(rows[0], [vec![text("a|b")], vec![Inline::Code("1".to_owned())]]);
        assert_eq!(blocks.get(1), Some(&Block::Paragraph(vec![text("after")])));
    }

    #[test]
    fn spans_are_found_and_names_are_left_alone() {
        assert_eq!(
            inlines("**Ugly** from `kl` on, *really*: kl_blow_up"),
            [
                Inline::Strong("Ugly".to_owned()),
                text(" from "),
                Inline::Code("kl".to_owned()),
                text(" on, "),
                Inline::Emphasis("really".to_owned()),
                text(": kl_blow_up"),
            ]
        );
        assert_eq!(inlines("2 * 3 * 4"), [text("2 * 3 * 4")]);
        assert_eq!(inlines(r"a\*b\*c \_x\_"), [text("a*b*c _x_")]);
        assert_eq!(inlines("an `open span"), [text("an `open span")]);
    }

    #[test]
    fn only_web_addresses_become_links_and_html_stays_text() {
        assert_eq!(inlines("[a](https://b.c)"), [Inline::Link("a".to_owned(), "https://b.c".to_owned())]);
        assert_eq!(inlines("[a](javascript:x)"), [text("[a](javascript:x)")]);
        assert_eq!(inlines("<b>x</b>"), [text("<b>x</b>")]);
    }

    #[test]
    fn nothing_is_lost_in_odd_text() {
        for odd in ["", "#", "####### seven", "|", "|a|", "- ", "```", "1.", "**", "``", "[", "é**ü**", "\\"] {
            parse(odd);
        }
        assert_eq!(parse("####### seven"), [Block::Paragraph(vec![text("####### seven")])]);
    }
}

//! What stands above the header of a table: comments, and the line by which spreadsheets learn the delimiter. The header may
//! be the last comment itself, as NumPy's `savetxt` writes it.

use super::cell::{clean_name, delimiter, number};
use crate::rows::names::is_step_name;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// Begins a comment that is no header: the settings of a monitor.
const OBJECT: &[u8] = b"#{";

/// Where a table begins.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Preamble {
    /// Bytes before the header.
    pub(super) bytes: usize,
    /// Lines before that of the header.
    pub(super) lines: u64,
    /// What stands between the cells, where the header has several.
    pub(super) delimiter: Option<u8>,
}

/// A line, and where it begins.
#[derive(Debug, Clone, Copy)]
struct Line<'h> {
    text: &'h [u8],
    start: usize,
    number: u64,
}

impl Preamble {
    /// What stands above the header of a file that begins with `head`.
    pub(super) fn of(head: &[u8]) -> Self {
        let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let none = Self { delimiter: delimiter(head), ..Self::default() };
        let mut lines = lines(head, mark).filter(|line| !line.text.trim_ascii().is_empty());
        let Some(mut next) = lines.next() else { return none };
        let named = delimiter_line(next.text);
        let mut comment = None;
        if named.is_some() {
            let Some(line) = lines.next() else { return none };
            next = line;
        }
        while next.text.starts_with(b"#") && !next.text.starts_with(OBJECT) {
            comment = Some(next);
            let Some(line) = lines.next() else { return none };
            next = line;
        }
        let header = comment.and_then(|comment| header_in(comment, next.text));
        let Some(header) = header.or_else(|| has_name(next.text).then_some(next)) else { return none };
        if header.start == mark {
            return none;
        }
        let found = named.or_else(|| delimiter(header.text));
        Self { bytes: header.start, lines: header.number, delimiter: found }
    }
}

/// The lines of a text from a place on.
fn lines(text: &[u8], from: usize) -> impl Iterator<Item = Line<'_>> {
    let rest = text.get(from..).unwrap_or_default();
    let mut start = from;
    (0..).zip(rest.split_inclusive(|byte| *byte == b'\n')).map(move |(number, text)| {
        let line = Line { text, start, number };
        start += text.len();
        line
    })
}

/// The delimiter in `sep=;`.
fn delimiter_line(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line.split_at_checked(4)? {
        (name, [delimiter @ (b',' | b';' | b'\t')]) if name.eq_ignore_ascii_case(b"sep=") => Some(*delimiter),
        _ => None,
    }
}

/// The cells of a line, those in quotes whole; `None` where a quote goes on in the next line.
fn cells(line: &[u8], delimiter: u8) -> Option<Vec<&[u8]>> {
    let mut in_quotes = false;
    let is_end = |byte: &u8| {
        in_quotes ^= *byte == b'"';
        *byte == delimiter && !in_quotes
    };
    let cells: Vec<&[u8]> = line.split(is_end).collect();
    (!in_quotes).then_some(cells)
}

fn is_number(cell: &[u8], delimiter: u8) -> bool {
    number(String::from_utf8_lossy(cell).trim(), delimiter).is_some()
}

/// True for a line with a cell that is no number.
fn has_name(line: &[u8]) -> bool {
    let delimiter = delimiter(line).unwrap_or(b',');
    let is_name = |cell: &&[u8]| !cell.trim_ascii().is_empty() && !is_number(cell, delimiter);
    cells(line, delimiter).is_none_or(|cells| cells.iter().any(is_name))
}

/// True where a line has names for all cells of the row below it, one of which is a number.
fn are_names(names: &[u8], row: &[u8]) -> bool {
    let Some(delimiter) = delimiter(names) else { return false };
    let (Some(names), Some(row)) = (cells(names, delimiter), cells(row, delimiter)) else { return false };
    let is_number = |cell: &&[u8]| is_number(cell, delimiter);
    names.len() == row.len() && !names.iter().any(is_number) && row.iter().any(is_number)
}

/// The header that a comment above the first row is: names for all cells of the row. A `#` that is a cell of its own is the name
/// of the first, which may just count the rows.
fn header_in<'h>(comment: Line<'h>, row: &[u8]) -> Option<Line<'h>> {
    let text = comment.text.strip_prefix(b"#")?;
    let between = delimiter(comment.text);
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    let behind_cell = between.and_then(|between| text.get(blanks..)?.strip_prefix(&[between]));
    let names = behind_cell.unwrap_or(text).trim_ascii_start();
    if are_names(names, row) {
        let start = comment.start + comment.text.len() - names.len();
        return Some(Line { text: names, start, ..comment });
    }
    // The line may end within a cell of the row, so that these cannot be counted.
    let begins_with_number = |between: u8| {
        let first = row.split(|byte| *byte == between).next();
        first.is_some_and(|first| is_number(first, between))
    };
    let is_cell = behind_cell.is_some() && (are_names(comment.text, row) || between.is_some_and(begins_with_number));
    is_cell.then_some(comment)
}

/// True when the file reads as a table: the first two lines below its comments, the last of which may be the header, have equally
/// many cells, names above and a number below.
pub(crate) fn looks_like_table(head: &[u8]) -> bool {
    let above = Preamble::of(head);
    let Some(delimiter) = above.delimiter else { return false };
    let text = String::from_utf8_lossy(head.get(above.bytes..).unwrap_or_default());
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(header), Some(first)) = (lines.next(), lines.next()) else { return false };
    let cells = |line: &str| -> Vec<String> {
        line.split(char::from(delimiter)).map(|cell| cell.trim().trim_matches('"').to_owned()).collect()
    };
    let (names, values) = (cells(header), cells(first));
    let is_number = |cell: &String| number(cell, delimiter).is_some();
    let is_name = |name: &String| !is_number(name) && name.len() < 200;
    names.len() == values.len()
        && names.iter().all(is_name)
        && values.iter().any(is_number)
        && (names.iter().any(|name| is_step_name(&clean_name(name)))
            || values.iter().filter(|cell| is_number(cell)).count() * 2 > values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_told_from_text() {
        assert!(looks_like_table(b"Step,Training Loss\n1,0.5\n"));
        assert!(looks_like_table(b"a;b\n1,5;2\n") && looks_like_table(b"# seed 1\nstep,loss\n1,0.5\n"));
        for text in ["Dear all,\nplease, read\n", "a,b\n", "one line", "x: 1, y: 2\nx: 3, y: 4\n", "1,2\n3,4\n"] {
            assert!(!looks_like_table(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_header_is_found_below_comments_or_in_the_last() {
        for (head, header, delimiter) in [
            ("step,loss\n1,2\n", "step,loss", b','),
            ("# step,loss\r\n10,0.5\r\n", "step,loss", b','),
            ("\u{feff}#step;loss;kl\n1;0,5;2\n", "step;loss;kl", b';'),
            ("# seed 1\n# a, b; c\n\nstep\tloss\n1\t2\n", "step\tloss", b'\t'),
            ("# run, seed 1\nstep,loss\n1,2\n", "step,loss", b','),
            ("sep=;\nstep;loss\n1;2\n", "step;loss", b';'),
            ("\"sep=,\"\r\n# of today\r\nstep,loss\r\n", "step,loss", b','),
            ("#,loss\n0,0.5\n", "#,loss", b','),
            ("# seed 1\n#,loss\n0,0.5\n", "#,loss", b','),
            ("#,prompt,reward\n0,\"Hello, world\",0.5\n", "#,prompt", b','),
            ("#,prompt,reward\n0,\"Hello\nworld\",0.5\n", "#,prompt", b','),
            ("#,tokens\n0,\"1,000\"\n", "#,tokens", b','),
            ("#\tname\tloss\n1\tabc\t0.5\n", "#\tname", b'\t'),
            ("# \tloss\n1\t0.5\n", "# \tloss", b'\t'),
            ("#\tstep\tloss\n1\t0.5\n", "step\tloss", b'\t'),
            ("# step,tokens\n1,\"1,000\"\n", "step,tokens", b','),
            ("#{\"t_start\": 1.5, \"env_id\": 0}\nr,l,t\n1,2,3\n", "#{\"t_start\": 1.5, \"env_id\": 0}", b','),
        ] {
            let found = Preamble::of(head.as_bytes());
            let (above, rest) = head.split_at(found.bytes);
            assert!(rest.trim_start_matches('\u{feff}').starts_with(header), "{head:?} {found:?}");
            assert_eq!(found.delimiter, Some(delimiter), "{head:?}");
            assert_eq!(found.lines as usize, above.matches('\n').count(), "{head:?}");
        }
        for head in ["# nothing, else\n", "# step\n1,2\n", "1,2\n3,4\n"] {
            assert_eq!(Preamble::of(head.as_bytes()).bytes, 0, "{head:?}");
        }
    }
}

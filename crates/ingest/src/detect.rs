//! What a file is: by its first bytes, and by its name only where bytes cannot tell.

use super::archives::{tar, utf16};
use super::formats::{console, csv, sidecar, swanlab, tensorboard, wandb};
use super::path;
use super::rows::names::is_step_name;
use super::syntax::json::{Balance, JsonError, Scanner, Token, UNFINISHED_STRING, is_blank};
use crate::budget::SHORT_HEAD;
use rundown_run::FileFormat;

/// Bytes after which a decision is made whatever they are. Only the first line of JSON may need as many.
pub(crate) const MAX_HEAD: usize = 1 << 20;
/// Bytes of a log for each zero byte in it, at least.
const LOG_BYTES_PER_ZERO: usize = 20;

/// What to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detected {
    /// One of the formats that have a reader.
    Read(FileFormat),
    Gzip,
    Tar,
    Zip,
    /// Text of two bytes a character.
    Utf16,
    /// A format that may hold runs and has no reader.
    Unsupported(&'static str, &'static str),
    /// A file that should hold a run but cannot.
    Lost(&'static str, &'static str),
    Unknown,
}

/// Decides from the first bytes, or gives `None` when more of them are needed. With `is_all` there are no more.
pub(crate) fn detect(file: &str, head: &[u8], is_all: bool) -> Option<Detected> {
    if head.len() < SHORT_HEAD && !is_all {
        return None;
    }
    // Never more than the limits: what is decided must not depend on the slices in which the bytes came.
    let is_all = is_all && head.len() <= MAX_HEAD;
    let head = head.get(..MAX_HEAD).unwrap_or(head);
    if let Some(found) = by_magic(file, head) {
        return Some(found);
    }
    // These are known by their names: in content they are like any other.
    if sidecar::kind(file).is_some() {
        return Some(Detected::Read(FileFormat::Sidecar));
    }
    if path::extension(file) == "wandb" {
        let what = "This is no W&B run file: its first bytes are not those of one.";
        return Some(Detected::Lost(what, "Copy the file again from its source."));
    }
    if sidecar::config_kind(file, short(head)).is_some() {
        return Some(Detected::Read(FileFormat::Sidecar));
    }
    if path::file_name(file) == "debug.log" && is_of_wandb(first_line(head)) {
        return Some(Detected::Read(FileFormat::Ignored));
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let text = text.iter().position(|byte| !is_blank(*byte)).and_then(|start| text.get(start..)).unwrap_or_default();
    if text.starts_with(b"{") && path::extension(file) == "ipynb" {
        return Some(Detected::Read(FileFormat::Notebook));
    }
    if text.starts_with(b"{") || text.starts_with(b"[") {
        if console::is_kaggle_log(text) || console::is_container_log(first_line(short(text))) {
            return Some(Detected::Read(FileFormat::ConsoleLog));
        }
        if is_printed(file, text) || is_log_behind_settings(file, text) {
            return Some(plain_text(file, short(head)));
        }
        let may_wait = !is_all && head.len() < MAX_HEAD;
        return json(file, text, may_wait);
    }
    Some(plain_text(file, short(head)))
}

/// True for the first line of what W&B's SDK logs: `2026-01-02 10:00:00,123 INFO    MainThread:7 [wandb_setup.py:_flush():76] …`.
fn is_of_wandb(line: &[u8]) -> bool {
    memchr::memmem::find(line, b" [wandb_").is_some()
}

/// The part of the head that is enough to recognise tables and texts.
pub(crate) fn short(head: &[u8]) -> &[u8] {
    head.get(..SHORT_HEAD).unwrap_or(head)
}

fn by_magic(file: &str, head: &[u8]) -> Option<Detected> {
    let is = |magic: &[u8]| head.starts_with(magic);
    let unsupported = |what| Some(Detected::Unsupported(what, ""));
    if wandb::is_magic(head) {
        return Some(Detected::Read(FileFormat::Wandb));
    }
    if is(b"\x1f\x8b") {
        return Some(Detected::Gzip);
    }
    if tar::is_header(head) {
        return Some(Detected::Tar);
    }
    if tensorboard::is_magic(file, head) {
        return Some(Detected::Read(FileFormat::TensorBoard));
    }
    if is(b"PAR1") {
        return Some(Detected::Read(FileFormat::Parquet));
    }
    if is(b"SQLite format 3\0") {
        return unsupported("SQLite databases are not supported.");
    }
    if matches!(swanlab::version(head), Some(1 | 2)) {
        return Some(Detected::Read(FileFormat::SwanLab));
    }
    if is(b":SWL") {
        return unsupported("This version of SwanLab's run files is not supported.");
    }
    // A self-extracting archive begins with a program.
    let is_named_zip = matches!(path::extension(file).as_str(), "zip" | "exe");
    if is(b"PK\x03\x04") || is(b"PK\x05\x06") || is(b"PK00PK") || is(b"PK\x07\x08PK") || is_named_zip {
        return Some(Detected::Zip);
    }
    if is(b"\x28\xb5\x2f\xfd") || is(b"\xfd7zXZ\0") || is(b"BZh") || is(b"7z\xbc\xaf") {
        return Some(Detected::Unsupported(
            "gzip is the only supported compression.",
            "Unpack it and drop what is in it.",
        ));
    }
    if utf16::is_marked(head) {
        return Some(Detected::Utf16);
    }
    None
}

/// True for a log or a page that begins as JSON does: with a dictionary of Python, or with a time, a word or a link in brackets.
fn is_printed(file: &str, text: &[u8]) -> bool {
    let is_text = console::is_log_name(file) || console::is_page_name(file);
    let is_log = is_text || matches!(path::extension(file).as_str(), "txt" | "");
    text.starts_with(b"{'") || (is_log && text.starts_with(b"[") && !may_be_list(first_line(text)))
}

/// What stands before the first line break.
fn first_line(text: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', text).and_then(|end| text.get(..end)).unwrap_or(text)
}

/// True for a log that begins with an object of JSON, such as its settings, and goes on with other text.
fn is_log_behind_settings(file: &str, text: &[u8]) -> bool {
    let is_log = console::is_log_name(file) || path::extension(file) == "txt";
    if !is_log || !text.starts_with(b"{") {
        return false;
    }
    let mut scanner = Scanner::new(text);
    if scanner.read_all().is_err() {
        return false;
    }
    let rest = scanner.rest();
    let is_text = rest.iter().find(|byte| !is_blank(**byte)).is_some_and(|next| next.is_ascii_alphanumeric());
    // Rows of JSON among lines of text are rows.
    is_text && memchr::memmem::find(rest, b"\n{\"").is_none()
}

/// False when a list that begins on this line is broken on it.
fn may_be_list(line: &[u8]) -> bool {
    let mut scanner = Scanner::new(line);
    match scanner.read_all() {
        Ok(()) => scanner.rest().iter().all(|byte| is_blank(*byte)),
        Err(error) => error.at + 1 >= line.len(),
    }
}

/// Lines of objects, or one document. The first line decides: in JSON Lines it is an object by itself.
fn json(file: &str, text: &[u8], may_wait: bool) -> Option<Detected> {
    let lines = Some(Detected::Read(FileFormat::JsonLines));
    let document = Some(Detected::Read(FileFormat::JsonDocument));
    let is_named_lines = matches!(path::extension(file).as_str(), "jsonl" | "ndjson");
    if text.starts_with(b"[") {
        return document;
    }
    let by_name = if is_named_lines { lines } else { document };
    let end = memchr::memchr(b'\n', text);
    if end.is_none() && may_wait {
        return None;
    }
    let (first, rest) = text.split_at(end.unwrap_or(text.len()));
    let next = rest.iter().find(|byte| !is_blank(**byte));
    match whole_object(first) {
        Ok(true) if next == Some(&b'{') => lines,
        Ok(true) if next.is_none() && may_wait => None,
        // One object alone: a list of rows in it makes it a document, anything else a single row.
        Ok(true) if next.is_none() => {
            if is_named_lines || is_row(first).unwrap_or(false) {
                lines
            } else {
                document
            }
        }
        Ok(_) => by_name,
        Err(error) if is_named_lines && error.at + 1 >= first.len() && next.is_some() => over_lines(text, may_wait),
        // A broken first line, not one that goes on below.
        Err(error) if error.at + 1 < first.len() && next == Some(&b'{') => lines,
        Err(_) => by_name,
    }
}

/// Objects that are each written over several lines, or one document under the name of lines.
fn over_lines(text: &[u8], may_wait: bool) -> Option<Detected> {
    let (lines, document) = (Detected::Read(FileFormat::JsonLines), Detected::Read(FileFormat::JsonDocument));
    let mut scanner = Scanner::new(text);
    let end = scanner.read_all().err();
    let is_followed = scanner.rest().iter().any(|byte| !is_blank(*byte));
    match end {
        Some(error) if !is_within_last_token(text, error) => Some(lines),
        None if is_followed => Some(lines),
        _ if may_wait => None,
        Some(_) => Some(document),
        None if is_row(text).unwrap_or(false) => Some(lines),
        None => Some(document),
    }
}

/// True for an error that a cut may have made: within a string, or where no token ends behind it, as in `1e-`.
fn is_within_last_token(text: &[u8], error: JsonError) -> bool {
    let ends_token = |byte: &u8| is_blank(*byte) || matches!(byte, b',' | b':' | b']' | b'}');
    error.what == UNFINISHED_STRING || !text.iter().skip(error.at + 1).any(ends_token)
}

/// True when the line is one object and nothing else. Brackets that match are enough: whether the object is valid shows when it is
/// read.
fn whole_object(line: &[u8]) -> Result<bool, JsonError> {
    if let Some(end) = Balance::end_of(line)
        && line.get(end..).is_some_and(|rest| rest.iter().all(|byte| is_blank(*byte)))
    {
        return Ok(true);
    }
    let mut scanner = Scanner::new(line);
    scanner.read_all()?;
    Ok(scanner.rest().iter().all(|byte| is_blank(*byte)))
}

/// True when the object has a step among its members: it is a row.
fn is_row(object: &[u8]) -> Result<bool, JsonError> {
    let mut scanner = Scanner::new(object);
    scanner.next()?;
    let mut has_step = false;
    while let Some(Token::Key(key)) = scanner.next()? {
        let is_step = is_step_name(&key);
        match scanner.next()? {
            Some(Token::ObjectStart | Token::ArrayStart) => scanner.skip_rest()?,
            Some(Token::Number(_)) => has_step |= is_step,
            _ => {}
        }
        // What has a history is no row, though it says how far it came.
        if matches!(key.as_ref(), "log_history" | "history") {
            return Ok(false);
        }
    }
    Ok(has_step)
}

/// What is wrong with a file of this name that does not begin as such files do.
fn broken_name(file: &str) -> Option<&'static str> {
    Some(match path::extension(file).as_str() {
        "gz" | "tgz" => "Not a gzip archive: its first bytes are not those of one.",
        "tar" => "Not a tar archive: its first member has no valid header.",
        "parquet" => "This is no Parquet file: its first bytes are not those of one.",
        "swanlab" => "This is no SwanLab run file: its first bytes are not those of one.",
        "jsonl" | "ndjson" | "json" | "ipynb" => "Not JSON: it does not begin with an object or a list.",
        _ => return None,
    })
}

fn plain_text(file: &str, head: &[u8]) -> Detected {
    // A log may hold some zero bytes where several processes wrote it.
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    if let Some(what) = broken_name(file) {
        return Detected::Lost(what, "Copy the file again.");
    }
    if zeros > 0 && !(console::is_log_name(file) && zeros * LOG_BYTES_PER_ZERO < head.len()) {
        return Detected::Unknown;
    }
    match path::extension(file).as_str() {
        "txt" | "dat" | "log" | "out" | "" if csv::looks_like_table(head) => Detected::Read(FileFormat::Table),
        _ if console::is_log_name(file) || console::is_page_name(file) => Detected::Read(FileFormat::ConsoleLog),
        "csv" | "tsv" => Detected::Read(FileFormat::Table),
        // What is in a text shows only when all of it has been read: a trainer may print for long before its metrics.
        "txt" | "" => Detected::Read(FileFormat::ConsoleLog),
        _ if console::holds_rows(file, head) => Detected::Read(FileFormat::ConsoleLog),
        "yaml" | "yml" if sidecar::has_settings(head, 1) => {
            Detected::Unsupported("This YAML holds too few known settings to be the config of a training.", "")
        }
        _ => Detected::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, text: &str) -> Option<Detected> {
        detect(file, text.as_bytes(), true)
    }

    #[test]
    fn content_decides_before_the_name() {
        assert_eq!(detect("x.txt", b":W&B\xe1\xbe\x00", true), Some(Detected::Read(FileFormat::Wandb)));
        assert_eq!(detect("x.csv", b"\x1f\x8b\x08", true), Some(Detected::Gzip));
        assert_eq!(read("x.txt", "{\"a\": 1}\n{\"a\": 2}"), Some(Detected::Read(FileFormat::JsonLines)));
        assert_eq!(read("x.json", "{\"a\": 1}\n{\"a\": 2}"), Some(Detected::Read(FileFormat::JsonLines)));
        assert_eq!(read("x.jsonl", "[{\"a\": 1}]"), Some(Detected::Read(FileFormat::JsonDocument)));
        assert_eq!(read("x", "step,loss\n1,2\n"), Some(Detected::Read(FileFormat::Table)));
        assert_eq!(read("train.log", "step,loss\n1,2\n"), Some(Detected::Read(FileFormat::Table)));
    }

    #[test]
    fn a_log_of_the_sdk_is_told_by_its_first_line() {
        let line =
            "2026-01-02 10:00:00,123 INFO    MainThread:7 [wandb_setup.py:_flush():76] Current SDK version is 1\n";
        assert_eq!(read("w/logs/debug.log", line), Some(Detected::Read(FileFormat::Ignored)));
        assert_eq!(read("w/logs/debug.log", "step 1\n"), Some(Detected::Read(FileFormat::ConsoleLog)));
        assert_eq!(read("train.log", line), Some(Detected::Read(FileFormat::ConsoleLog)));
    }

    #[test]
    fn a_document_under_the_name_of_lines_is_one_wherever_a_slice_ends() {
        let row = "{\"step\": 1, \"ok\": true, \"note\": \"it is, so: yes\", \"reward\": 1.5e-3},\n";
        let rows = row.repeat(2_000);
        let text = format!("{{\"log_history\": [{rows}");
        let document = Some(Detected::Read(FileFormat::JsonDocument));
        for end in SHORT_HEAD..SHORT_HEAD + row.len() {
            assert_eq!(detect("a.jsonl", &text.as_bytes()[..end], false), None, "{end}");
        }
        assert_eq!(detect("a.jsonl", text.as_bytes(), true), document);
    }

    #[test]
    fn lines_and_documents_are_told_apart() {
        let document = Some(Detected::Read(FileFormat::JsonDocument));
        let lines = Some(Detected::Read(FileFormat::JsonLines));
        assert_eq!(read("x.json", "{\n  \"log_history\": []\n}"), document);
        assert_eq!(read("x.json", "{\"log_history\": [{\"step\": 1}]}"), document);
        assert_eq!(read("x.json", "{\"step\": 1, \"loss\": 2}"), lines);
        assert_eq!(read("x.jsonl", "{\"loss\": 2}"), lines);
        assert_eq!(read("x.json", "{\"loss\": 2}"), document);
        assert_eq!(read("x.log", "{\"a\": oops}\n{\"a\": 2}\n"), lines);
        assert_eq!(read("x.jsonl", "{\"a\": \n"), lines);
        assert_eq!(read("x.jsonl", "{\n \"log_history\": [\n {\"step\": 1}]\n}\n"), document);
        assert_eq!(read("x.jsonl", "{\n \"step\": 1\n}\n{\n \"step\": 2\n}\n"), lines);
        assert_eq!(read("x.jsonl", "{\"a\": \n{\"a\": 1}\n{\"a\": 2}\n"), lines);
        assert_eq!(read("x.ndjson", "{\"_time\": \"2026\", \"event\": \"e\"}\n"), lines);
    }

    #[test]
    fn a_long_first_line_is_waited_for() {
        let long = format!("{{\"a\": \"{}\"", "x".repeat(70_000));
        assert_eq!(detect("x.json", long.as_bytes(), false), None);
        assert_eq!(
            detect("x.json", format!("{long}}}\n{{").as_bytes(), false),
            Some(Detected::Read(FileFormat::JsonLines))
        );
        let endless = format!("{{\"a\": \"{}", "x".repeat(MAX_HEAD));
        assert_eq!(detect("x.json", endless.as_bytes(), false), Some(Detected::Read(FileFormat::JsonDocument)));
    }

    #[test]
    fn what_cannot_be_read_says_what_it_is() {
        assert_eq!(detect("x.csv", b"\xff\xfea\0", true), Some(Detected::Utf16));
        assert!(matches!(detect("x.wandb", b"oops", true), Some(Detected::Lost(..))));
        assert_eq!(detect("x", b"PAR1....", true), Some(Detected::Read(FileFormat::Parquet)));
        assert_eq!(read("train.log", "step 1\n"), Some(Detected::Read(FileFormat::ConsoleLog)));
        assert_eq!(read("train.log", "{'loss': 1}\n{'loss': 2}"), Some(Detected::Read(FileFormat::ConsoleLog)));
        assert_eq!(read("train.log", "[2026-01-01 10:00] x\n"), Some(Detected::Read(FileFormat::ConsoleLog)));
        let container = "{\"log\":\"step:1 - a:2\\n\",\"stream\":\"stdout\",\"time\":\"2026-01-02T03:04:05Z\"}\n";
        assert_eq!(read("c-json.log", container), Some(Detected::Read(FileFormat::ConsoleLog)));
        for page in ["# Title\n", "[![ci](a.svg)](b)\n# Title\n", "[diag] step 1: reward=0.5\n"] {
            assert_eq!(read("README.md", page), Some(Detected::Read(FileFormat::ConsoleLog)), "{page}");
        }
        for settings in ["{\n  \"lr\": 1e-06\n}\n", "{\"lr\": 1e-06}\n"] {
            let log = format!("{settings}step 1: reward=0.5\n");
            assert_eq!(read("train.log", &log), Some(Detected::Read(FileFormat::ConsoleLog)), "{log}");
            assert_ne!(read("train.log", settings), Some(Detected::Read(FileFormat::ConsoleLog)), "{settings}");
        }
        assert_eq!(read("a.ipynb", "{\"cells\": []}"), Some(Detected::Read(FileFormat::Notebook)));
        let log = [&b"x"[..]; 40].concat();
        assert_eq!(detect("x.log", &[&log[..], b"\0"].concat(), true), Some(Detected::Read(FileFormat::ConsoleLog)));
        assert_eq!(detect("x.dat", b"\x00\x01", true), Some(Detected::Unknown));
        assert!(matches!(read("grpo.yaml", "clip_range: 0.2\ndelta: 1\n"), Some(Detected::Unsupported(..))));
        assert_eq!(read("tests.yml", "name: tests\non: [push]\n"), Some(Detected::Unknown), "no setting");
    }
}

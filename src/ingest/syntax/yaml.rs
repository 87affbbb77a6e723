//! YAML as settings are written in it: block mappings and lists, quoted, folded and literal texts, flow lists.
//!
//! W&B, Hydra and PyYAML write a small part of YAML, and the crates that read all of it are as large as the rest of
//! this module. What is not read here: complex keys, directives, several documents, and tags, which are passed over.

mod scalar;

use std::collections::BTreeMap;

use super::json::Json;
use crate::ingest::formats::console::literal;

use scalar::{closing, scalar, split_key, unquoted, without_comment};

/// Deepest nesting read.
const MAX_DEPTH: usize = 64;
/// Values that aliases may bring in all: a few nested ones can stand for billions.
const MAX_ALIASED: usize = 100_000;

/// Reads a document: what could be read before the first line that could not, and that line (from 1).
pub(crate) fn parse(text: &str) -> (Json, Option<u64>) {
    let lines = text.lines().enumerate().map(|(index, raw)| Line::new(index, raw)).collect();
    let mut parser = Parser { lines, at: 0, broken: None, anchors: BTreeMap::new(), aliased: 0 };
    let tree = match parser.next_line() {
        Some(line) => parser.block(line.indent, 0),
        None => Json::Null,
    };
    if parser.broken.is_none() && parser.next_line().is_some() {
        parser.fail();
    }
    (tree, parser.broken)
}

#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    number: u64,
    indent: usize,
    /// Without indentation and blanks at the end.
    text: &'a str,
    raw: &'a str,
}

impl<'a> Line<'a> {
    fn new(index: usize, raw: &'a str) -> Self {
        let raw = raw.trim_end();
        let text = raw.trim_start_matches(' ');
        Self { number: index as u64 + 1, indent: raw.len() - text.len(), text, raw }
    }

    /// Blank lines, comments and the marks of a document's start and end say nothing.
    fn is_empty(&self) -> bool {
        self.text.is_empty()
            || self.text.starts_with('#')
            || (self.indent == 0 && (self.text == "---" || self.text == "..." || self.text.starts_with("%YAML")))
    }

    fn is_item(&self) -> bool {
        self.text == "-" || self.text.starts_with("- ")
    }
}

struct Parser<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
    broken: Option<u64>,
    anchors: BTreeMap<String, Json>,
    aliased: usize,
}

impl<'a> Parser<'a> {
    /// The next line that says something.
    fn next_line(&mut self) -> Option<Line<'a>> {
        while self.lines.get(self.at).is_some_and(Line::is_empty) {
            self.at += 1;
        }
        self.lines.get(self.at).copied().filter(|_| self.broken.is_none())
    }

    fn fail(&mut self) {
        let number = self.lines.get(self.at).or(self.lines.last()).map_or(1, |line| line.number);
        self.broken.get_or_insert(number);
    }

    /// A mapping, a list, or a text, that starts on the next line.
    fn block(&mut self, indent: usize, depth: usize) -> Json {
        let Some(line) = self.next_line() else { return Json::Null };
        if depth > MAX_DEPTH || line.text.starts_with('\t') {
            self.fail();
            return Json::Null;
        }
        if line.is_item() {
            return self.list(indent, depth);
        }
        if split_key(line.text).is_some() {
            return self.mapping(indent, depth);
        }
        self.at += 1;
        // A text that begins below its key; its lines may be indented alike.
        self.value(line.text, indent.saturating_sub(1), depth)
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Json {
        let mut members = BTreeMap::new();
        while let Some(line) = self.next_line().filter(|line| line.indent == indent && !line.is_item()) {
            let Some((key, rest)) = split_key(line.text) else {
                self.fail();
                break;
            };
            self.at += 1;
            let value = self.value(rest, indent, depth);
            members.insert(key, value);
        }
        // A line between two levels belongs to neither.
        if self.next_line().is_some_and(|line| line.indent > indent) {
            self.fail();
        }
        Json::Object(members)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Json {
        let mut items = Vec::new();
        while let Some(line) = self.next_line().filter(|line| line.indent == indent && line.is_item()) {
            let rest = line.text.get(1..).unwrap_or("");
            let inner = rest.trim_start();
            if !inner.is_empty() && (inner.starts_with("- ") || split_key(inner).is_some()) {
                // `- key: value`: a mapping (or list) that begins behind the dash.
                let deeper = indent + 1 + (rest.len() - inner.len());
                if let Some(line) = self.lines.get_mut(self.at) {
                    *line = Line { indent: deeper, text: inner, ..*line };
                }
                items.push(self.block(deeper, depth + 1));
            } else {
                self.at += 1;
                items.push(self.value(inner, indent, depth));
            }
        }
        Json::List(items)
    }

    /// The value of a key or an item that stands at `indent`; `rest` is what follows on its line.
    fn value(&mut self, rest: &str, indent: usize, depth: usize) -> Json {
        let mut rest = rest.trim();
        let mut anchor = None;
        while let Some(mark) = rest.strip_prefix(['&', '!']) {
            let (name, after) = mark.split_once(' ').unwrap_or((mark, ""));
            if rest.starts_with('&') {
                anchor = Some(name.to_owned());
            }
            rest = after.trim_start();
        }
        let value = match rest.bytes().next() {
            None | Some(b'#') => self.below(indent, depth),
            Some(b'|' | b'>') => self.block_text(rest, indent),
            Some(b'\'' | b'"') => self.quoted(rest),
            Some(b'[' | b'{') => self.flow(rest),
            Some(b'*') => self.alias(rest),
            _ => self.plain(rest, indent),
        };
        if let Some(name) = anchor {
            self.anchors.insert(name, value.clone());
        }
        value
    }

    fn below(&mut self, indent: usize, depth: usize) -> Json {
        match self.next_line() {
            Some(line) if line.indent > indent => self.block(line.indent, depth + 1),
            Some(line) if line.indent == indent && line.is_item() && depth < MAX_DEPTH => {
                // The items of a list may stand as far left as their key; those of a list's item may not.
                let is_key = self.lines.get(..self.at).and_then(<[Line<'_>]>::last).is_some_and(|line| !line.is_item());
                if is_key { self.list(indent, depth + 1) } else { Json::Null }
            }
            _ => Json::Null,
        }
    }

    fn alias(&mut self, rest: &str) -> Json {
        let name = rest.get(1..).unwrap_or("").split_whitespace().next().unwrap_or("");
        let Some(value) = self.anchors.get(name) else { return Json::Text(rest.to_owned()) };
        let room = MAX_ALIASED.saturating_sub(self.aliased);
        match size(value, room) {
            Some(size) => {
                self.aliased += size;
                value.clone()
            }
            None => Json::Text(rest.to_owned()),
        }
    }

    /// `|` keeps line breaks, `>` makes blanks of them; `-` drops the last one.
    fn block_text(&mut self, head: &str, indent: usize) -> Json {
        let is_folded = head.starts_with('>');
        let mut text = String::new();
        let mut inner = None;
        while let Some(line) = self.lines.get(self.at) {
            if line.text.is_empty() {
                text.push('\n');
            } else if line.indent > indent {
                let inner = *inner.get_or_insert(line.indent);
                text.push_str(line.raw.get(inner.min(line.indent)..).unwrap_or(line.text));
                text.push(if is_folded { ' ' } else { '\n' });
            } else {
                break;
            }
            self.at += 1;
        }
        let end = if head.contains('-') || is_folded { "" } else { "\n" };
        Json::Text(format!("{}{end}", text.trim_end()))
    }

    /// A text in quotes, which may go on for lines: a line break is a blank.
    fn quoted(&mut self, start: &str) -> Json {
        let mut text = start.to_owned();
        let mut from = 1;
        loop {
            match closing(&text, from) {
                Ok(end) => return Json::Text(unquoted(text.get(..=end).unwrap_or(&text))),
                Err(at) => from = at,
            }
            let Some(line) = self.lines.get(self.at) else {
                self.fail();
                return Json::Null;
            };
            self.at += 1;
            text.push_str(if line.text.is_empty() { "\n" } else { " " });
            text.push_str(line.text);
        }
    }

    /// `[a, 'b']` and `{a: 1}`, which may go on for lines.
    fn flow(&mut self, start: &str) -> Json {
        let mut text = start.to_owned();
        let mut depth = literal::depth_after(0, start);
        while depth > 0 {
            let Some(line) = self.next_line() else {
                self.fail();
                return Json::Null;
            };
            self.at += 1;
            depth = literal::depth_after(depth, line.text);
            text.push(' ');
            text.push_str(line.text);
        }
        literal::parse(&text).map_or_else(|_| Json::Text(text.clone()), |(value, _)| value)
    }

    /// A text without quotes, which goes on below as long as the lines are indented further than its key.
    fn plain(&mut self, start: &str, indent: usize) -> Json {
        let start = without_comment(start);
        if self.next_line().is_none_or(|line| line.indent <= indent) {
            return scalar(start);
        }
        let mut text = start.to_owned();
        while let Some(line) = self.next_line().filter(|line| line.indent > indent) {
            text.push(' ');
            text.push_str(without_comment(line.text));
            self.at += 1;
        }
        Json::Text(text)
    }
}

/// Number of values in a tree, when it is at most `limit`.
fn size(value: &Json, limit: usize) -> Option<usize> {
    let inner: Vec<&Json> = match value {
        Json::List(values) => values.iter().collect(),
        Json::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    let total = inner.into_iter().try_fold(1_usize, |sum, value| Some(sum + size(value, limit.checked_sub(sum)?)?))?;
    (total <= limit).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(yaml: &str, json: &str) {
        assert_eq!(parse(yaml), (Json::parse(json.as_bytes()).unwrap(), None), "{yaml}");
    }

    #[test]
    fn settings_are_read_as_the_tools_write_them() {
        same(
            "a: 1\nb:\n  c: 1e-05\n  d:\n    - x\n    - 2\ne: null\n",
            r#"{"a":1,"b":{"c":1e-5,"d":["x",2]},"e":null}"#,
        );
        same(
            "---\r\na:\r\n- 1\r\n- b: 2\r\n  c: 3\r\n- - 4\r\n# end\r\nd: .inf # huge\r\n",
            r#"{"a":[1,{"b":2,"c":3},[4]],"d":Infinity}"#,
        );
        same(
            "a: []\nb: {}\nc: [1, 'x', null]\nd: {k: v}\ne: [1,\n  2]\n",
            r#"{"a":[],"b":{},"c":[1,"x",null],"d":{"k":"v"},"e":[1,2]}"#,
        );
        same("a:\nb: ~\nc: ''\nd: true\ne: 'yes'\n", r#"{"a":null,"b":null,"c":"","d":true,"e":"yes"}"#);
        same("", "null");
    }

    #[test]
    fn texts_may_be_quoted_and_long() {
        same(
            "a: 'it''s: #1'\nb: \"x\\ny \\u00e9 \\\"q\\\"\"\n\"c d\": http://x:1/y#z\n",
            r#"{"a":"it's: #1","b":"x\ny é \"q\"","c d":"http://x:1/y#z"}"#,
        );
        same(
            "a: one\n  two\n  three\nb: 'one\n  two'\nc: \"x\\\n  y\"\n",
            r#"{"a":"one two three","b":"one two","c":"xy"}"#,
        );
        same(
            "a: |\n  one\n    two\n\n  # three\nb: >-\n  one\n  two\nc: |-\n  x\n",
            r##"{"a":"one\n  two\n\n# three\n","b":"one two","c":"x"}"##,
        );
    }

    #[test]
    fn tags_are_passed_over_and_aliases_are_followed() {
        same("a: &x\n  k: 1\nb: *x\nc: !!python/tuple\n- 1\n- 2\n", r#"{"a":{"k":1},"b":{"k":1},"c":[1,2]}"#);
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            bomb.push_str(&format!("a{level}: &a{level}\n- *a{0}\n- *a{0}\n", level - 1));
        }
        assert_eq!(parse(&bomb).1, None);
    }

    #[test]
    fn what_stands_before_the_damage_is_kept() {
        let (tree, broken) = parse("a: 1\nb:\n  c: 2\n oops\n");
        assert_eq!((tree.get("a"), broken), (Some(&Json::Number(1.0)), Some(4)));
        assert_eq!(parse("a: [1,\n").1, Some(1));
        assert_eq!(parse("a: 'x\n").1, Some(1));
        assert!(parse(&"- ".repeat(1000)).1.is_some());
        for text in ["\t", ":", "- -", "?", "a: &", "a: *", "'", "{", "\u{feff}a: 1"] {
            parse(text);
        }
    }
}

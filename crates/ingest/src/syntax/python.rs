//! Values as Python prints them (`repr`, `pprint`, pandas' cells), read into the same tree as JSON.
//!
//! JSON is nearly a part of it, so that dictionaries printed either way are read here: single or double quotes,
//! `None`, `True`, `nan`, tuples and sets, strings that `pprint` breaks into several, and calls: `np.float64(0.5)` stands for
//! its first argument, `Namespace(lr=1e-06)` for an object. No crate reads this: parsers of Python's grammar
//! (`rustpython-parser`, ruff's) refuse `nan`, `<Kind.A: 'a'>` and a dictionary that the log goes on behind, and build
//! a syntax tree of a whole program for it.

use std::collections::BTreeMap;

use super::json::Json;

/// Deepest nesting read. Configs have about ten levels.
const MAX_DEPTH: usize = 64;

/// Reads the value at the start of a line of a log: the value and its length in bytes, or how far it was understood.
/// Words that mean nothing to Python are texts.
pub(crate) fn parse_prefix(text: &str) -> Result<(Json, usize), usize> {
    let mut reader = Reader { text, at: 0, accepts_words: true };
    match reader.value(0) {
        Some(value) => Ok((value, reader.at)),
        None => Err(reader.at.max(1)),
    }
}

/// The value that a text is, or the text itself.
pub(crate) fn value_or_text(text: &str) -> Json {
    match parse_prefix(text) {
        Ok((value, length)) if length == text.len() => value,
        _ => Json::Text(text.to_owned()),
    }
}

/// Reads a cell that is one value and nothing else. One with a word that means nothing to Python, such as `(a|b)`, is
/// somebody's text and no value.
pub(crate) fn parse(text: &str) -> Option<Json> {
    let mut reader = Reader { text, at: 0, accepts_words: false };
    let value = reader.value(0)?;
    reader.rest().trim().is_empty().then_some(value)
}

/// A literal as programs write it: a number, a text, `True`, `False` or `None`. Nothing that would have to be computed.
pub(crate) fn literal(text: &str) -> Option<Json> {
    let text = text.trim();
    let is_word = matches!(text, "None" | "True" | "False");
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if is_number {
        return number(&text.replace('_', "")).map(|number| match parse(text) {
            Some(whole @ Json::BigInteger(_)) => whole,
            _ => Json::Number(number),
        });
    }
    if !is_word && !text.starts_with(['\'', '"']) {
        return None;
    }
    parse(text)
}

/// The number of an array of one in a cell: `tensor(0.5, device='cuda:0')`, `np.float64(0.5)`.
pub(crate) fn called_number(text: &str) -> Option<f64> {
    const CALLS: [&str; 7] = ["tensor", "Tensor", "array", "Array", "float", "bfloat", "int"];
    let (name, _) = text.strip_suffix(')')?.split_once('(')?;
    let last = name.rsplit('.').next().unwrap_or(name).trim_end_matches(|last: char| last.is_ascii_digit());
    let (value, length) = parse_prefix(text).ok().filter(|_| CALLS.contains(&last))?;
    match value {
        Json::Number(number) if length == text.len() => Some(number),
        _ => None,
    }
}

/// A number as it is printed; also `nan` and `inf` in any case. Underscores and hexadecimals are no metrics.
pub(crate) fn number(word: &str) -> Option<f64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let is_word = ["nan", "inf", "infinity"].iter().any(|known| digits.eq_ignore_ascii_case(known));
    if is_number || is_word { word.parse().ok() } else { None }
}

/// Brackets open after a line; strings of `pprint` end on their line.
pub(crate) fn depth_after(before: usize, line: &str) -> usize {
    let mut depth = before;
    let mut quote = None;
    let mut is_escaped = false;
    for byte in line.bytes() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'{' | b'[' | b'(') => depth += 1,
            (None, b'}' | b']' | b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Whether words without quotes, and objects such as `<Kind.A: 'a'>`, are texts.
    accepts_words: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&mut self) -> Option<u8> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => self.braces(depth),
            b'[' => self.list(b'[', b']', depth).map(Json::List),
            b'(' => {
                let start = self.at;
                let mut values = self.list(b'(', b')', depth)?;
                // `pprint` puts a long string between parentheses: ('a' 'b'). A comma makes a tuple of it.
                let inner = self.text.get(start..self.at)?.strip_suffix(')')?.trim_end();
                let is_string = matches!(values.as_slice(), [Json::Text(_)]) && !inner.ends_with(',');
                if is_string { values.pop() } else { Some(Json::List(values)) }
            }
            b'\'' | b'"' => {
                let mut text = self.string()?;
                while let Some(b'\'' | b'"') = self.peek() {
                    text.push_str(&self.string()?);
                }
                Some(Json::Text(text))
            }
            b'<' if self.accepts_words => {
                let length = self.rest().find('>')? + 1;
                let text = self.rest().get(..length)?.to_owned();
                self.at += length;
                Some(Json::Text(text))
            }
            _ => self.word(depth),
        }
    }

    /// A dictionary, or a set, which is read as a list.
    fn braces(&mut self, depth: usize) -> Option<Json> {
        self.eat(b'{');
        let mut object = BTreeMap::new();
        let mut set = Vec::new();
        while !self.eat(b'}') {
            let key = self.value(depth + 1)?;
            if self.eat(b':') {
                let value = self.value(depth + 1)?;
                object.insert(key.into_key(), value);
            } else {
                set.push(key);
            }
            if !self.eat(b',') && self.peek()? != b'}' {
                return None;
            }
        }
        if set.is_empty() { Some(Json::Object(object)) } else { Some(Json::List(set)) }
    }

    fn list(&mut self, open: u8, close: u8, depth: usize) -> Option<Vec<Json>> {
        self.eat(open);
        let mut values = Vec::new();
        while !self.eat(close) {
            values.push(self.value(depth + 1)?);
            if !self.eat(b',') && self.peek()? != close {
                return None;
            }
        }
        Some(values)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.text.as_bytes().get(self.at).copied()?;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let end = memchr::memchr2(quote, b'\\', rest.as_bytes());
            let Some(end) = end else {
                self.at = self.text.len();
                return None;
            };
            text.push_str(rest.get(..end)?);
            self.at += end + 1;
            if rest.as_bytes().get(end) == Some(&quote) {
                return Some(text);
            }
            let escaped = self.rest().chars().next()?;
            self.at += escaped.len_utf8();
            match escaped {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'x' => text.push(self.coded(2)?),
                'u' => text.push(self.coded(4)?),
                'U' => text.push(self.coded(8)?),
                '\\' | '\'' | '"' | '/' => text.push(escaped),
                other => text.extend(['\\', other]),
            }
        }
    }

    /// The character with the number that comes next, in `digits` hexadecimal digits. A half of a surrogate pair, which
    /// JSON writes as two, is U+FFFD.
    fn coded(&mut self, digits: usize) -> Option<char> {
        let code = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// A number, a word, or a call.
    fn word(&mut self, depth: usize) -> Option<Json> {
        let rest = self.rest();
        let length = rest.find(|c: char| ",:()[]{}'\"".contains(c) || c.is_whitespace()).unwrap_or(rest.len());
        let word = rest.get(..length).filter(|word| !word.is_empty())?;
        self.at += length;
        if self.text.as_bytes().get(self.at) == Some(&b'(') {
            return self.call(depth);
        }
        Some(match word {
            "None" | "null" => Json::Null,
            "True" | "true" => Json::Bool(true),
            "False" | "false" => Json::Bool(false),
            // Integers beyond 2^53 keep their digits.
            _ if is_integer(word) => Json::parse(word.as_bytes()).ok()?,
            _ => match number(word) {
                Some(number) => Json::Number(number),
                None if self.accepts_words => Json::Text(word.to_owned()),
                None => return None,
            },
        })
    }

    /// `name(first, other=…)`: the first argument; `name(one=…, other=…)`: an object. The name has been read.
    fn call(&mut self, depth: usize) -> Option<Json> {
        self.eat(b'(');
        let mut first = None;
        let mut named = BTreeMap::new();
        while !self.eat(b')') {
            let name = self.keyword();
            let value = self.value(depth + 1)?;
            match name {
                Some(name) => _ = named.insert(name.to_owned(), value),
                None => _ = first.get_or_insert(value),
            }
            if !self.eat(b',') && self.peek()? != b')' {
                return None;
            }
        }
        Some(first.unwrap_or(if named.is_empty() { Json::Null } else { Json::Object(named) }))
    }

    /// The name of an argument with its sign of equality, which are left behind; `None` where another argument comes.
    fn keyword(&mut self) -> Option<&'a str> {
        self.peek().filter(|_| self.accepts_words)?;
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let name = rest.get(..length).filter(|name| !name.is_empty())?;
        let is_named = rest.get(length..)?.starts_with('=');
        self.at += if is_named { length + 1 } else { 0 };
        is_named.then_some(name)
    }
}

fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(python: &str, json: &str) {
        assert_eq!(parse_prefix(python).unwrap().0, Json::parse(json.as_bytes()).unwrap(), "{python}");
    }

    #[test]
    fn dictionaries_are_read_as_python_prints_them() {
        same(
            "{'loss': 0.5, \"it's\": 1e-06, 'n': None, 'b': True}",
            r#"{"loss": 0.5, "it's": 1e-6, "n": null, "b": true}"#,
        );
        same(
            "{'a': np.float64(0.25), 'b': tensor(2., device='cuda:0'), 'c': -inf}",
            r#"{"a": 0.25, "b": 2, "c": -Infinity}"#,
        );
        same(
            "Namespace(lr=1e-06, optim=Optim(name='adam', betas=(0.9, 0.95)), path=PosixPath('/x'), empty=Empty(),)",
            r#"{"lr": 1e-6, "optim": {"name": "adam", "betas": [0.9, 0.95]}, "path": "/x", "empty": null}"#,
        );
        same(
            "{'a': (1, 2), 'b': ['x',\n 'y'], 'c': {}, 'd': {1, 2}, 3: 'k', 't': ('x',)}",
            r#"{"a": [1, 2], "b": ["x", "y"], "c": {}, "d": [1, 2], "3": "k", "t": ["x"]}"#,
        );
        same(
            "{'long': ('one '\n 'two'), 'e': <Kind.A: 'a'>, 'q': 'a\\'b\\n\\d'}",
            r#"{"long": "one two", "e": "<Kind.A: 'a'>", "q": "a'b\n\\d"}"#,
        );
    }

    #[test]
    fn what_follows_is_left_and_what_is_broken_is_refused() {
        assert_eq!(parse_prefix("{'a': 1} 99%|").unwrap().1, 8);
        for broken in ["{'a': 1", "{'a' 1}", "{'a", "", "}", "{'a': [1, }", "{a b}"] {
            assert!(parse_prefix(broken).is_err(), "{broken}");
        }
        assert!(parse_prefix(&"[".repeat(100_000)).is_err());
        let keys = format!("{}1{}", "{".repeat(60), ": 1}".repeat(60));
        assert_eq!(parse(&keys), Json::parse(br#"{"{\u2026}": 1}"#).ok());
    }

    #[test]
    fn cells_of_pandas_are_read() {
        let printed = r#"{'lr': 1e-05, 'opt': 'adam w', 'n': None, 'l': [1, 2], 't': (1,), 's': "it's", 'b': True,
            'np': np.float64(0.5), 'e': 'a\'\n\x41\u00e9', 'd': {}, 'u': {'a'}, 7: -inf} "#;
        let json = r#"{"lr": 1e-05, "opt": "adam w", "n": null, "l": [1, 2], "t": [1], "s": "it's", "b": true,
            "np": 0.5, "e": "a'\nA\u00e9", "d": {}, "u": ["a"], "7": -Infinity}"#;
        assert_eq!(parse(printed), Json::parse(json.as_bytes()).ok());
        for text in
            ["", "{", "{'a': }", "[1 2]", "'a", "{'a': 1} b", "{'a': [}", "'\\x4'", "oops", "(a|b)", "<object at 0x7f>"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn literals_are_not_computed() {
        let expected = [Json::Number(5e-6), Json::Number(-1000.0), Json::Bool(true), Json::Null];
        assert_eq!(["5e-6", "-1_000", "True", "None"].map(|text| literal(text).unwrap()), expected);
        assert_eq!(literal("'a' \"b\""), Some(Json::Text("ab".into())));
        for text in
            ["2 * 3", "float('inf')", "nan", "true", "name", "[1]", "f'x'", "'a' + x", "1 if x else 2", "1e3j", ""]
        {
            assert_eq!(literal(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_in_calls_are_read() {
        for text in [
            "tensor(0.5)",
            "tensor(0.5, device='cuda:0', grad_fn=<MeanBackward0>)",
            "np.float64(0.5)",
            "Array(0.5, dtype=float32)",
        ] {
            assert_eq!(called_number(text), Some(0.5), "{text}");
        }
        for text in ["tensor([0.5])", "tensor(0.5) x)", "tensor()", "top(1)", "see tensor(1)", "0.5)", "tensor(a)"] {
            assert_eq!(called_number(text), None, "{text}");
        }
    }

    #[test]
    fn only_numbers_are_numbers() {
        assert_eq!((number("1e-5"), number("-.5"), number("+3")), (Some(1e-5), Some(-0.5), Some(3.0)));
        assert!(number("NaN").is_some_and(f64::is_nan));
        assert_eq!([number("1,000"), number("0x10"), number("infinite"), number("3s")], [None; 4]);
    }
}

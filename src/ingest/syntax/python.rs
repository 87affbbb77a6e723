//! Values as Python prints them (`repr`): what pandas writes into a cell that held a dict or a list.

use std::collections::BTreeMap;

use super::json::Json;

/// Deeper nesting than any config has; beyond it a value is refused.
const MAX_DEPTH: usize = 64;

/// Reads one printed value: dicts, lists, tuples, sets, strings, numbers, `True`, `None`, `nan`, and numbers in a
/// call such as `np.float64(0.5)`. `None` when the text is anything else.
pub(crate) fn parse(text: &str) -> Option<Json> {
    let mut reader = Reader { text, depth: 0 };
    let value = reader.value()?;
    reader.blanks();
    reader.text.is_empty().then_some(value)
}

struct Reader<'t> {
    /// What is still to be read.
    text: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn blanks(&mut self) {
        self.text = self.text.trim_start();
    }

    /// Reads over `character` when it is next.
    fn take(&mut self, character: char) -> bool {
        self.blanks();
        match self.text.strip_prefix(character) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Option<Json> {
        self.blanks();
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = match self.text.chars().next()? {
            '{' => self.dict_or_set(),
            '[' => self.list('[', ']').map(Json::List),
            '(' => self.list('(', ')').map(Json::List),
            '\'' | '"' => self.string().map(Json::Text),
            _ => self.word(),
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self, open: char, close: char) -> Option<Vec<Json>> {
        let mut values = Vec::new();
        self.take(open);
        while !self.take(close) {
            values.push(self.value()?);
            if !self.take(',') && !self.text.starts_with(close) {
                return None;
            }
        }
        Some(values)
    }

    fn dict_or_set(&mut self) -> Option<Json> {
        self.take('{');
        let mut members = BTreeMap::new();
        let mut values = Vec::new();
        while !self.take('}') {
            let key = self.value()?;
            if self.take(':') {
                members.insert(name(key)?, self.value()?);
            } else {
                values.push(key);
            }
            if !self.take(',') && !self.text.starts_with('}') {
                return None;
            }
        }
        Some(if values.is_empty() { Json::Object(members) } else { Json::List(values) })
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.text.chars().next()?;
        let mut text = String::new();
        let mut characters = self.text.char_indices().skip(1);
        while let Some((place, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.text = self.text.get(place + 1..)?;
                    return Some(text);
                }
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'x' => text.push(hexadecimal(&mut characters, 2)?),
                    'u' => text.push(hexadecimal(&mut characters, 4)?),
                    'U' => text.push(hexadecimal(&mut characters, 8)?),
                    other => text.push(other),
                },
                _ => text.push(character),
            }
        }
        None
    }

    /// A number or a constant, also within a call: `np.float32(0.5)`, `tensor(0.5)`, `array([1, 2])`.
    fn word(&mut self) -> Option<Json> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
        let length = self.text.find(|c| !is_part(c)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at_checked(length)?;
        self.text = rest;
        if rest.starts_with('(') && word.starts_with(char::is_alphabetic) {
            let mut arguments = self.list('(', ')')?.into_iter();
            return arguments.next();
        }
        Some(match word {
            "None" | "null" => Json::Null,
            "True" | "true" => Json::Bool(true),
            "False" | "false" => Json::Bool(false),
            "nan" | "NaN" => Json::Number(f64::NAN),
            "inf" | "Infinity" => Json::Number(f64::INFINITY),
            "-inf" | "-Infinity" => Json::Number(f64::NEG_INFINITY),
            _ if word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) => {
                Json::parse(word.as_bytes()).ok().or_else(|| word.parse().ok().map(Json::Number))?
            }
            _ => return None,
        })
    }
}

fn hexadecimal(characters: &mut impl Iterator<Item = (usize, char)>, digits: usize) -> Option<char> {
    let code: String = characters.take(digits).map(|(_, character)| character).collect();
    char::from_u32(u32::from_str_radix(&code, 16).ok()?)
}

/// A key of a dict as text.
fn name(key: Json) -> Option<String> {
    match key {
        Json::Text(text) | Json::BigInteger(text) => Some(text),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        Json::Null | Json::List(_) | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_dict_is_read() {
        let printed = r#"{'lr': 1e-05, 'opt': 'adam w', 'n': None, 'l': [1, 2], 't': (1,), 's': "it's", 'b': True,
            'x': nan, 'np': np.float64(0.5), 'e': 'a\'\n\x41', 'd': {}, 'u': {'a'}, 7: -inf}"#;
        let json = r#"{"lr": 1e-05, "opt": "adam w", "n": null, "l": [1, 2], "t": [1], "s": "it's", "b": true,
            "np": 0.5, "e": "a'\nA", "d": {}, "u": ["a"], "7": -Infinity}"#;
        let Some(Json::Object(mut read)) = parse(printed) else { panic!() };
        assert!(read.remove("x").unwrap().metric().unwrap().is_nan());
        assert_eq!(Json::Object(read), Json::parse(json.as_bytes()).unwrap());
    }

    #[test]
    fn what_is_no_printed_value_is_refused() {
        for text in ["", "{", "{'a': }", "[1 2]", "'a", "oops", "{'a': 1} b", "<object at 0x7f>", "{'a': [}", "'\\x4'"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"[".repeat(100_000)), None);
    }
}

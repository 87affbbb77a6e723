//! A value as a whole, for the small ones: config, summaries, media.

use std::collections::BTreeMap;
use std::fmt;

use super::number::number;
use super::scanner::{JsonError, MAX_DEPTH, Scanner, Token};
use crate::budget::COLUMN_NAME;
use rundown_run::{Config, ConfigValue};

/// The largest integer below which every integer is a different `f64`.
const LARGEST_EXACT: u64 = 1 << 53;

/// Values of one tree, where an object counts as much as several: its map has room for eleven members. A tree of so many
/// takes half a GB of the four that a page has.
const MAX_WEIGHT: u32 = 1 << 24;
const OBJECT_WEIGHT: u32 = 8;

/// A JSON value. Of duplicate keys the last wins.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, possibly not finite.
    Number(f64),
    /// An integer beyond 2^53, as written, because an `f64` would round it.
    BigInteger(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads one value; anything but blanks after it is an error.
    pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
        let mut scanner = Scanner::new(bytes);
        let first = scanner.next()?;
        let value = Self::read(&mut scanner, first, &mut { MAX_WEIGHT })?;
        let rest = scanner.rest();
        if rest.iter().all(|byte| super::is_blank(*byte)) {
            return Ok(value);
        }
        Err(JsonError { at: bytes.len() - rest.len(), what: "something follows the value" })
    }

    /// Reads the value that begins with `token`. The scanner's depth limit bounds the recursion.
    fn read(scanner: &mut Scanner<'_>, token: Option<Token<'_>>, room: &mut u32) -> Result<Json, JsonError> {
        let weight = if token == Some(Token::ObjectStart) { OBJECT_WEIGHT } else { 1 };
        let Some(left) = room.checked_sub(weight) else {
            return Err(scanner.error("it holds more values than are read at once"));
        };
        *room = left;
        Ok(match token {
            None | Some(Token::Null | Token::Key(_) | Token::ObjectEnd | Token::ArrayEnd) => Json::Null,
            Some(Token::Bool(value)) => Json::Bool(value),
            Some(Token::Number(text)) if is_inexact(text) => Json::BigInteger(text.to_owned()),
            Some(Token::Number(text)) => Json::Number(number(text)),
            Some(Token::Text(text)) => Json::Text(text.into_owned()),
            Some(Token::ArrayStart) => {
                let mut list = Vec::new();
                loop {
                    match scanner.next()? {
                        None | Some(Token::ArrayEnd) => break Json::List(list),
                        token => list.push(Self::read(scanner, token, room)?),
                    }
                }
            }
            Some(Token::ObjectStart) => {
                let mut object = BTreeMap::new();
                while let Some(Token::Key(key)) = scanner.next()? {
                    let token = scanner.next()?;
                    let value = Self::read(scanner, token, room)?;
                    object.insert(key.into_owned(), value);
                }
                Json::Object(object)
            }
        })
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(object) => object.get(key),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a member.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The same as an owned text.
    pub fn owned_text(&self, key: &str) -> Option<String> {
        self.text_at(key).map(str::to_owned)
    }

    /// The value of a member as a metric.
    pub fn metric_at(&self, key: &str) -> Option<f64> {
        self.get(key)?.metric()
    }

    /// The items of a list; none of anything else.
    pub(crate) fn as_items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a member that is a list; none where there is no such member.
    pub fn items(&self, key: &str) -> &[Json] {
        self.get(key).map_or(&[], Json::as_items)
    }

    /// The texts in a member that is a list.
    pub fn texts(&self, key: &str) -> Vec<String> {
        self.items(key).iter().filter_map(Json::text).map(str::to_owned).collect()
    }

    /// The value as a metric: numbers, booleans as 0 and 1, and the strings `"NaN"`, `"Infinity"`, `"-Infinity"`
    /// that servers write in place of numbers.
    pub fn metric(&self) -> Option<f64> {
        match self {
            Json::Number(value) => Some(*value),
            Json::BigInteger(text) => Some(number(text)),
            Json::Bool(value) => Some(f64::from(u8::from(*value))),
            Json::Text(text) => nonfinite_word(text),
            Json::Null | Json::List(_) | Json::Object(_) => None,
        }
    }

    /// Sets the value at `path`, making objects on the way and replacing whatever else stands there. False, and nothing
    /// set, where the path is deeper than JSON that is read: values are visited and dropped one level within the other.
    pub fn set(&mut self, path: &[String], value: Json) -> bool {
        let is_readable = path.len() <= MAX_DEPTH;
        if is_readable {
            self.set_within(path, value);
        }
        is_readable
    }

    fn set_within(&mut self, path: &[String], value: Json) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if !matches!(self, Json::Object(_)) {
            *self = Json::Object(BTreeMap::new());
        }
        if let Json::Object(object) = self {
            object.entry(first.clone()).or_default().set_within(rest, value);
        }
    }

    /// Removes the value at `path`, if it is there.
    pub fn remove(&mut self, path: &[String]) {
        let (Json::Object(object), Some((first, rest))) = (self, path.split_first()) else { return };
        if rest.is_empty() {
            object.remove(first);
        } else if let Some(inner) = object.get_mut(first) {
            inner.remove(rest);
        }
    }

    /// The value as a setting. A list keeps its order; an object inside a list becomes its JSON text.
    pub(crate) fn into_config_value(self) -> ConfigValue {
        match self {
            Json::Null => ConfigValue::Null,
            Json::Bool(value) => ConfigValue::Bool(value),
            Json::Number(value) => ConfigValue::Number(value),
            Json::BigInteger(text) => ConfigValue::Text(text),
            Json::Text(text) => match nonfinite_word(&text) {
                Some(value) => ConfigValue::Number(value),
                None => ConfigValue::Text(text),
            },
            Json::List(values) => ConfigValue::List(values.into_iter().map(Json::into_config_value).collect()),
            Json::Object(_) => ConfigValue::Text(self.to_string()),
        }
    }

    /// The value as a text: a text as it is, another as it is shown as a setting.
    pub(crate) fn into_text(self) -> String {
        match self {
            Json::Text(text) | Json::BigInteger(text) => text,
            other => other.into_config_value().to_string(),
        }
    }

    /// The text of a value that stands as a key; of a tuple its values. Dictionaries and lists of lists, which Python refuses
    /// as keys, are not written out: written into each other they would grow exponentially, by the escapes of their quotes.
    pub(crate) fn into_key(self) -> String {
        match self {
            Json::Number(number) => number.to_string(),
            Json::Object(_) => "{…}".to_owned(),
            Json::List(items) if items.iter().any(|item| matches!(item, Json::List(_) | Json::Object(_))) => {
                "[…]".to_owned()
            }
            other => other.into_text(),
        }
    }
}

/// Compact JSON. Numbers that JSON has no form for are written as Python does, which [`Json::parse`] reads.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = |index: usize| if index > 0 { "," } else { "" };
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(value) if value.is_infinite() => {
                out.write_str(if *value > 0.0 { "Infinity" } else { "-Infinity" })
            }
            Json::Number(value) => write!(out, "{}", ConfigValue::Number(*value)),
            Json::BigInteger(text) => out.write_str(text),
            Json::Text(text) => out.write_str(&quoted(text)),
            Json::List(values) => {
                out.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    write!(out, "{}{value}", comma(index))?;
                }
                out.write_str("]")
            }
            Json::Object(object) => {
                out.write_str("{")?;
                for (index, (key, value)) in object.iter().enumerate() {
                    write!(out, "{}{}:{value}", comma(index), quoted(key))?;
                }
                out.write_str("}")
            }
        }
    }
}

/// Adds `value` to `config` under `prefix`, nested objects as dotted keys. Media (objects with a `_type`) are left
/// out: they are no settings. So is what lies in an object whose name is too long, as each value would repeat it.
pub fn flatten_into(config: &mut Config, prefix: &str, value: Json) {
    match value {
        Json::Object(object) if object.contains_key("_type") || prefix.len() > COLUMN_NAME => {}
        Json::Object(object) if !object.is_empty() || prefix.is_empty() => {
            for (key, inner) in object {
                let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                flatten_into(config, &name, inner);
            }
        }
        other if !prefix.is_empty() => config.insert(prefix, other.into_config_value()),
        _ => {}
    }
}

/// Gives each value within nested dictionaries with its dotted name. Media (objects with a `_type`) stay whole, and what lies
/// in a dictionary whose name is too long is left out.
pub fn for_each_leaf<'j>(name: &str, value: &'j Json, visit: &mut dyn FnMut(&str, &'j Json)) {
    match value {
        Json::Object(_) if name.len() > COLUMN_NAME => {}
        Json::Object(object) if !object.contains_key("_type") => {
            for (key, inner) in object {
                for_each_leaf(&format!("{name}.{key}"), inner, visit);
            }
        }
        leaf => visit(name, leaf),
    }
}

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The strings that stand for numbers that JSON cannot write.
pub fn nonfinite_word(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn is_inexact(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    // Sixteen digits are the shortest that can exceed 2^53.
    if digits.len() < 16 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    digits.parse::<u64>().map_or(true, |value| value > LARGEST_EXACT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn integers_beyond_two_to_the_53_stay_exact() {
        assert_eq!(parse("9007199254740992"), Json::Number(9_007_199_254_740_992.0));
        assert_eq!(parse("-9007199254740993"), Json::BigInteger("-9007199254740993".into()));
        assert_eq!(parse("123456789012345678901234567890").metric(), Some(1.234_567_890_123_456_8e29));
    }

    #[test]
    fn the_last_of_duplicate_keys_wins() {
        assert_eq!(parse(r#"{"a": 1, "a": 2}"#).get("a"), Some(&Json::Number(2.0)));
    }

    #[test]
    fn paths_replace_what_is_in_their_way() {
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        let mut value = Json::Null;
        assert!(!value.set(&vec!["a".to_owned(); 100_000], Json::Null));
        value.set(&path("a.b"), Json::Number(1.0));
        value.set(&path("a.c"), Json::Number(2.0));
        value.set(&path("a.b.d"), Json::Bool(true));
        value.remove(&path("a.c"));
        value.remove(&path("x.y"));
        assert_eq!(value, parse(r#"{"a": {"b": {"d": true}}}"#));
    }

    #[test]
    fn a_config_is_flat_and_keeps_lists() {
        let mut config = Config::default();
        flatten_into(
            &mut config,
            "",
            parse(
                r#"{"nested": {"a": 1, "b": [1, {"c": null}], "e": {}}, "inf": "Infinity", "t": {"_type": "table-file"}}"#,
            ),
        );
        let flat: Vec<_> = config.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(flat, ["inf=inf", "nested.a=1", "nested.b=[1, {\"c\":null}]", "nested.e={}"]);
    }

    #[test]
    fn an_object_in_a_list_is_json_again() {
        let list = r#"["", {"a\tb":"c\"\u001b é","n":[NaN,true,null]}]"#;
        let Json::List(items) = parse(list) else { panic!("a list") };
        let ConfigValue::Text(text) = items.into_iter().nth(1).unwrap().into_config_value() else { panic!("a text") };
        assert_eq!(text, r#"{"a\tb":"c\"\u001b é","n":[NaN,true,null]}"#);
    }

    #[test]
    fn what_follows_a_value_is_an_error() {
        assert!(Json::parse(b"1 2").is_err());
        assert!(Json::parse(b"1 \n").is_ok());
    }
}

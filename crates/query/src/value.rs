//! Values in queries and of runs, and how the two compare.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use rundown_format::setting_number;
use rundown_run::ConfigValue;

/// A value in a query, or of a run under a key of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryValue<'v> {
    /// `null`, `None`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; Unix seconds for a time.
    Number(f64),
    /// A text.
    Text(Cow<'v, str>),
    /// A list.
    List(Vec<QueryValue<'v>>),
}

impl<'v> QueryValue<'v> {
    /// A text value.
    pub fn text(text: impl Into<Cow<'v, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A list of texts.
    pub fn texts(texts: impl IntoIterator<Item = &'v str>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    /// True when `test` holds for the value, or for an item of a list.
    pub(super) fn any(&self, test: impl Fn(&QueryValue<'_>) -> bool) -> bool {
        match self {
            QueryValue::List(items) => items.iter().any(test),
            value => test(value),
        }
    }

    /// True when the value, or an item of it, equals `wanted`; two lists are equal item by item.
    pub(super) fn equals(&self, wanted: &QueryValue<'_>) -> bool {
        match (self, wanted) {
            (QueryValue::List(items), QueryValue::List(all)) => {
                items.len() == all.len() && items.iter().zip(all).all(|(item, wanted)| item.equals_scalar(wanted))
            }
            _ => self.any(|item| item.equals_scalar(wanted)),
        }
    }

    /// Equality of two values that are not lists. A number also equals a text that spells it, and a bool equals 1 or 0
    /// and its word: YAML readers and loggers differ in what they make of `1e-5` and `true`.
    fn equals_scalar(&self, wanted: &QueryValue<'_>) -> bool {
        use QueryValue::{Bool, Null, Number, Text};
        match (self, wanted) {
            (Null, Null) => true,
            (Bool(a), Bool(b)) => a == b,
            (Number(a), Number(b)) => a == b,
            (Text(a), Text(b)) => a == b,
            (Text(text), Number(number)) | (Number(number), Text(text)) => parse_number(text) == Some(*number),
            (Bool(flag), Number(number)) | (Number(number), Bool(flag)) => *number == f64::from(u8::from(*flag)),
            (Bool(flag), Text(text)) | (Text(text), Bool(flag)) => {
                text.eq_ignore_ascii_case(if *flag { "true" } else { "false" })
            }
            _ => false,
        }
    }

    /// The order of two numbers or two texts; a text that spells a number is compared with numbers as that number.
    pub(super) fn order(&self, wanted: &QueryValue<'_>) -> Option<Ordering> {
        use QueryValue::{Number, Text};
        match (self, wanted) {
            (Number(a), Number(b)) => a.partial_cmp(b),
            (Text(a), Number(b)) => parse_number(a)?.partial_cmp(b),
            (Number(a), Text(b)) => a.partial_cmp(&parse_number(b)?),
            (Text(a), Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// True for a list with this item, or a text that contains this text; ASCII case is ignored in texts.
    pub(super) fn contains(&self, wanted: &QueryValue<'_>) -> bool {
        match self {
            QueryValue::List(items) => items.iter().any(|item| item.equals_scalar(wanted)),
            QueryValue::Text(text) => contains_ignoring_case(text, &wanted.to_string().to_ascii_lowercase()),
            _ => false,
        }
    }

    /// The value as it is written in a query: texts in quotes.
    pub(super) fn literal(&self) -> String {
        match self {
            QueryValue::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            QueryValue::List(items) => {
                format!("[{}]", items.iter().map(QueryValue::literal).collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        }
    }
}

impl<'v> From<&'v ConfigValue> for QueryValue<'v> {
    fn from(value: &'v ConfigValue) -> Self {
        match value {
            ConfigValue::Null => QueryValue::Null,
            ConfigValue::Bool(value) => QueryValue::Bool(*value),
            ConfigValue::Number(value) => QueryValue::Number(*value),
            ConfigValue::Text(value) => QueryValue::text(value.as_str()),
            ConfigValue::List(items) => QueryValue::List(items.iter().map(QueryValue::from).collect()),
        }
    }
}

/// Numbers as people write settings: `0.02`, `1e-5`.
impl fmt::Display for QueryValue<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryValue::Null => out.write_str("null"),
            QueryValue::Bool(value) => write!(out, "{value}"),
            QueryValue::Number(value) => out.write_str(&setting_number(*value)),
            QueryValue::Text(value) => out.write_str(value),
            QueryValue::List(items) => {
                out.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.write_str(", ")?;
                    }
                    write!(out, "{item}")?;
                }
                out.write_str("]")
            }
        }
    }
}

/// The number that a text spells: digits with sign, point and exponent; not `nan` or `inf`.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_plain || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// True when `text` contains `lowercase`, which is in lower case.
pub(super) fn contains_ignoring_case(text: &str, lowercase: &str) -> bool {
    text.to_ascii_lowercase().contains(lowercase)
}

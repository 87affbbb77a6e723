//! Whether a query holds for a run.

use std::cmp::Ordering;

use super::field::{Field, Held, Property};
use super::{Entry, How, Node, Test};
use crate::run::ConfigValue;

/// True when a part of a query holds for a run.
pub(super) fn holds(node: &Node, entry: &Entry) -> bool {
    match node {
        Node::All(parts) => parts.iter().all(|part| holds(part, entry)),
        Node::Any(parts) => parts.iter().any(|part| holds(part, entry)),
        Node::Not(part) => !holds(part, entry),
        Node::Search(text) => {
            let places = [Some(&entry.name), Some(&entry.id), entry.group.as_ref()];
            places.into_iter().flatten().chain(&entry.tags).any(|place| has(place, text))
        }
        Node::Test(test) => test_holds(test, entry),
    }
}

fn test_holds(test: &Test, entry: &Entry) -> bool {
    let negated = match test.how {
        How::Unequal => Some(How::Equal),
        How::NotIn => Some(How::In),
        _ => None,
    };
    let how = negated.unwrap_or(test.how);
    let held = test.field.held(entry);
    let value = match &held {
        Held::Missing => &ConfigValue::Null,
        // It is not null, and nothing else can be said of it.
        Held::Section => return how == How::Equal && negated.is_some() || how == How::In && negated.is_some(),
        Held::Value(value) => value.as_ref(),
    };
    let is_tags = matches!(test.field, Field::Property(Property::Tags | Property::Finding));
    let holds = match how {
        How::Equal | How::Unequal => equals(value, &test.value),
        How::In | How::NotIn => match &test.value {
            ConfigValue::List(choices) => choices.iter().any(|choice| equals(value, choice)),
            _ => false,
        },
        How::Less => any(value, |item| order(item, &test.value) == Some(Ordering::Less)),
        How::Greater => any(value, |item| order(item, &test.value) == Some(Ordering::Greater)),
        How::LessOrEqual => any(value, |item| order(item, &test.value).is_some_and(Ordering::is_le)),
        How::GreaterOrEqual => any(value, |item| order(item, &test.value).is_some_and(Ordering::is_ge)),
        How::Finds => finds(test, value),
        How::FindsNot => !matches!(value, ConfigValue::Null) && !finds(test, value),
        How::Contains => contains(value, &test.value, is_tags),
        How::ContainsNot => !matches!(value, ConfigValue::Null) && !contains(value, &test.value, is_tags),
    };
    holds != negated.is_some()
}

/// True when a value, or an item of a list, is as wanted.
fn any(value: &ConfigValue, wanted: impl Fn(&ConfigValue) -> bool) -> bool {
    match value {
        ConfigValue::List(items) => items.iter().any(wanted),
        value => wanted(value),
    }
}

fn equals(value: &ConfigValue, wanted: &ConfigValue) -> bool {
    match (value, wanted) {
        (ConfigValue::List(items), ConfigValue::List(all)) => {
            items.len() == all.len() && items.iter().zip(all).all(|(item, wanted)| same(item, wanted))
        }
        _ => any(value, |item| same(item, wanted)),
    }
}

/// True for equal values that are no lists. A number is also equal to a text that spells it, and a truth to 1 and 0 and
/// to its word: YAML readers and loggers differ in what they make of `1e-5` and `true`.
fn same(value: &ConfigValue, wanted: &ConfigValue) -> bool {
    use ConfigValue::{Bool, Null, Number, Text};
    match (value, wanted) {
        (Null, Null) => true,
        (Bool(a), Bool(b)) => a == b,
        (Number(a), Number(b)) => a == b,
        (Text(a), Text(b)) => a == b,
        (Text(text), Number(number)) | (Number(number), Text(text)) => number_in(text) == Some(*number),
        (Bool(truth), Number(number)) | (Number(number), Bool(truth)) => *number == f64::from(u8::from(*truth)),
        (Bool(truth), Text(text)) | (Text(text), Bool(truth)) => {
            text.eq_ignore_ascii_case(if *truth { "true" } else { "false" })
        }
        _ => false,
    }
}

/// The order of numbers and of texts; a text that spells a number stands beside numbers as that number.
fn order(value: &ConfigValue, wanted: &ConfigValue) -> Option<Ordering> {
    use ConfigValue::{Number, Text};
    match (value, wanted) {
        (Number(a), Number(b)) => a.partial_cmp(b),
        (Text(a), Number(b)) => number_in(a)?.partial_cmp(b),
        (Number(a), Text(b)) => a.partial_cmp(&number_in(b)?),
        (Text(a), Text(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// The number that a text spells: digits with sign, point and exponent, not `nan` or `inf`.
pub(super) fn number_in(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_plain || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn finds(test: &Test, value: &ConfigValue) -> bool {
    let Some(pattern) = &test.pattern else { return false };
    any(value, |item| match item {
        ConfigValue::Null => false,
        ConfigValue::Text(text) => pattern.finds(text),
        other => pattern.finds(&other.to_string()),
    })
}

/// True for a list with this item, or a text with these words in it, whatever the case of its ASCII letters.
fn contains(value: &ConfigValue, wanted: &ConfigValue, is_list: bool) -> bool {
    match value {
        ConfigValue::List(items) => items.iter().any(|item| same(item, wanted)),
        ConfigValue::Text(text) if !is_list => has(text, &wanted.to_string().to_ascii_lowercase()),
        _ => false,
    }
}

/// True when `text` has `lower` in it; `lower` is in lower case.
fn has(text: &str, lower: &str) -> bool {
    text.to_ascii_lowercase().contains(lower)
}

//! Evaluates a query for a run, in Kleene's three-valued logic: what only loading the run shows is unknown.

use std::cmp::Ordering;

use super::expression::{Expression, Operator, Predicate, QueryKey};
use super::fields::{FieldLookup, RunFields, RunProperty};
use super::value::{QueryValue, contains_ignoring_case};

/// Whether an expression holds for a run; `None` while that depends on an unknown field.
pub(super) fn evaluate(expression: &Expression, run: &impl RunFields) -> Option<bool> {
    match expression {
        Expression::All(parts) => fold(parts, false, run),
        Expression::Any(parts) => fold(parts, true, run),
        Expression::Not(part) => evaluate(part, run).map(|holds| !holds),
        Expression::Search(text) => Some(is_found(text, run)),
        Expression::Predicate(predicate) => predicate_holds(predicate, run),
    }
}

/// A conjunction, which is decided by one `false`, or a disjunction, which is decided by one `true`.
fn fold(parts: &[Expression], deciding: bool, run: &impl RunFields) -> Option<bool> {
    let mut is_unknown = false;
    for part in parts {
        match evaluate(part, run) {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => is_unknown = true,
        }
    }
    if is_unknown { None } else { Some(!deciding) }
}

/// True when name, id, group or a tag contains a text.
fn is_found(text: &str, run: &impl RunFields) -> bool {
    [RunProperty::Name, RunProperty::Id, RunProperty::Group, RunProperty::Tags].into_iter().any(|property| {
        let FieldLookup::Found(value) = run.property(property) else { return false };
        value.any(|item| matches!(item, QueryValue::Text(item) if contains_ignoring_case(item, text)))
    })
}

fn predicate_holds(predicate: &Predicate, run: &impl RunFields) -> Option<bool> {
    let value = match look_up(&predicate.key, run) {
        FieldLookup::Unknown => return None,
        FieldLookup::Missing => QueryValue::Null,
        // It is not null and equals no value.
        FieldLookup::Section => return Some(matches!(predicate.operator, Operator::NotEqual | Operator::NotIn)),
        FieldLookup::Found(value) => value,
    };
    let wanted = &predicate.value;
    let is_in = || match wanted {
        QueryValue::List(choices) => choices.iter().any(|choice| value.equals(choice)),
        _ => false,
    };
    let compares = |test: fn(Ordering) -> bool| value.any(|item| item.order(wanted).is_some_and(test));
    let is_null = value == QueryValue::Null;
    Some(match predicate.operator {
        Operator::Equal => value.equals(wanted),
        Operator::NotEqual => !value.equals(wanted),
        Operator::In => is_in(),
        Operator::NotIn => !is_in(),
        Operator::Less => compares(Ordering::is_lt),
        Operator::LessOrEqual => compares(Ordering::is_le),
        Operator::Greater => compares(Ordering::is_gt),
        Operator::GreaterOrEqual => compares(Ordering::is_ge),
        Operator::Matches => matches(predicate, &value),
        Operator::NotMatches => !is_null && !matches(predicate, &value),
        Operator::Contains => value.contains(wanted),
        Operator::NotContains => !is_null && !value.contains(wanted),
    })
}

/// True when the pattern matches the value, or an item of a list.
fn matches(predicate: &Predicate, value: &QueryValue<'_>) -> bool {
    let Some(pattern) = &predicate.pattern else { return false };
    value.any(|item| match item {
        QueryValue::Null => false,
        QueryValue::Text(text) => pattern.is_match(text),
        other => pattern.is_match(&other.to_string()),
    })
}

/// The value of a run under a key.
fn look_up<'r>(key: &QueryKey, run: &'r impl RunFields) -> FieldLookup<'r> {
    match key {
        QueryKey::Property(property) => run.property(*property),
        QueryKey::Setting(key) => look_up_setting(key, run),
        QueryKey::Metric(key) => look_up_metric(key, run),
        QueryKey::SettingOrMetric(key) => match (run.setting(key), look_up_metric(key, run)) {
            (Some(value), _) => FieldLookup::Found(value),
            (None, FieldLookup::Missing) => look_up_setting(key, run),
            (None, metric) => metric,
        },
    }
}

fn look_up_metric<'r>(key: &str, run: &'r impl RunFields) -> FieldLookup<'r> {
    run.metric(key).map_or(FieldLookup::Missing, |value| FieldLookup::Found(QueryValue::Number(value)))
}

/// A setting by its whole key, or by the end of its key where all such settings have one value.
fn look_up_setting<'r>(key: &str, run: &'r impl RunFields) -> FieldLookup<'r> {
    if let Some(value) = run.setting(key) {
        return FieldLookup::Found(value);
    }
    let mut found: Option<QueryValue<'r>> = None;
    let mut is_ambiguous = false;
    for name in run.setting_keys() {
        if name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')) {
            return FieldLookup::Section;
        }
        if name.strip_suffix(key).is_some_and(|before| before.ends_with(['.', '/'])) {
            let value = run.setting(name);
            is_ambiguous |= found.is_some() && found != value;
            found = value;
        }
    }
    match found {
        Some(value) if !is_ambiguous => FieldLookup::Found(value),
        _ => FieldLookup::Missing,
    }
}

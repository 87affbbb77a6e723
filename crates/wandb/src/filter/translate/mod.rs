//! Translates the parts of a query that the W&B server can filter by into its filter language.
//!
//! The filter never excludes a run that the query selects; what it passes besides is filtered in the page. So only
//! conditions that a value must satisfy are sent, never negations: what the server does with a run without the key is
//! undocumented. The server looks a setting up at the top level only, compares by type, and tells a number from a text
//! that spells it; this language does neither, so that a filter on a setting also passes runs that have a text there
//! and runs without the key. The documentation calls the rules those of MongoDB, and they are taken as such.

use serde_json::{Map, Value, json};

use rundown_format::rfc3339;
use rundown_query::{Expression, Operator, Predicate, Query, QueryKey, QueryValue, RunProperty, parse_number};

/// A query, divided between the server and the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ServerFilter {
    /// The `filters` argument of the runs query, to be sent as JSON in a string; `{}` for all runs.
    pub(super) filter: Value,
    /// What the page filters by.
    pub(super) rest: Query,
    /// Keys by which the server filters, as in [`Query::keys`].
    pub(super) server_keys: Vec<String>,
}

/// States that mean the same to the server and to Rundown.
const STATES: [&str; 5] = ["finished", "running", "crashed", "failed", "killed"];

/// Most alternatives that are sent.
const MAX_CHOICES: usize = 200;

/// Divides a query between the W&B server and the page. Every run that the query selects passes the filter.
pub(super) fn translate(query: &Query) -> ServerFilter {
    let (mut filters, mut rest, mut server_keys) = (Vec::new(), Vec::new(), Vec::new());
    for part in query.conjuncts() {
        let translated = translate_part(part);
        if !translated.as_ref().is_some_and(|filter| filter.is_exact) {
            rest.push(part.clone());
        }
        if let Some(filter) = translated {
            filters.push(filter.json);
            part.collect_keys(&mut server_keys);
        }
    }
    let filter = if filters.is_empty() { json!({}) } else { json!({ "$and": filters }) };
    ServerFilter { filter, rest: Query::all_of(rest), server_keys }
}

/// A filter of the server.
struct PartFilter {
    json: Value,
    /// True when it passes only runs that the part selects.
    is_exact: bool,
}

fn translate_part(part: &Expression) -> Option<PartFilter> {
    match part {
        Expression::All(parts) => {
            let filters: Vec<Option<PartFilter>> = parts.iter().map(translate_part).collect();
            let is_exact = filters.iter().all(|filter| filter.as_ref().is_some_and(|filter| filter.is_exact));
            let filters: Vec<Value> = filters.into_iter().flatten().map(|filter| filter.json).collect();
            if filters.is_empty() { None } else { Some(PartFilter { json: json!({ "$and": filters }), is_exact }) }
        }
        Expression::Any(parts) => {
            let filters: Vec<PartFilter> = parts.iter().map(translate_part).collect::<Option<_>>()?;
            let is_exact = filters.iter().all(|filter| filter.is_exact);
            Some(any_of(filters.into_iter().map(|filter| filter.json).collect(), is_exact))
        }
        Expression::Not(_) | Expression::Search(_) => None,
        Expression::Predicate(predicate) => match &predicate.key {
            QueryKey::Property(property) => property_filter(*property, predicate),
            QueryKey::Setting(key) if is_plain(key) => setting_filter(key, predicate),
            QueryKey::Metric(key) if is_plain(key) => metric_filter(key, predicate),
            _ => None,
        },
    }
}

fn any_of(mut filters: Vec<Value>, is_exact: bool) -> PartFilter {
    let json = if filters.len() == 1 { filters.remove(0) } else { json!({ "$or": filters }) };
    PartFilter { json, is_exact }
}

/// True for a key that the server does not split: it reads a dot as nesting.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '$'])
}

fn property_filter(property: RunProperty, predicate: &Predicate) -> Option<PartFilter> {
    let one_of = |field: &str, choices: &[Value]| object(field, json!({ "$in": choices }));
    match (property, predicate.operator) {
        (RunProperty::State, _) => {
            let states = texts(predicate)?;
            let is_known = states.iter().all(|state| state.as_str().is_some_and(|state| STATES.contains(&state)));
            is_known.then(|| PartFilter { json: one_of("state", &states), is_exact: true })
        }
        (RunProperty::Id, _) => Some(PartFilter { json: one_of("name", &texts(predicate)?), is_exact: true }),
        (RunProperty::Group, _) => Some(PartFilter { json: one_of("group", &texts(predicate)?), is_exact: true }),
        (RunProperty::JobType, _) => Some(PartFilter { json: one_of("jobType", &texts(predicate)?), is_exact: true }),
        (RunProperty::Sweep, _) => Some(PartFilter { json: one_of("sweep", &texts(predicate)?), is_exact: true }),
        (RunProperty::Tags, Operator::Contains) => match &predicate.value {
            QueryValue::Text(tag) => Some(PartFilter { json: one_of("tags", &[json!(tag)]), is_exact: true }),
            _ => None,
        },
        (RunProperty::Tags, _) => Some(PartFilter { json: one_of("tags", &texts(predicate)?), is_exact: true }),
        // A run without a name is shown by its id.
        (RunProperty::Name, Operator::Matches) => {
            let pattern = json!({ "$regex": predicate.pattern.as_ref()?.for_re2()? });
            Some(any_of(vec![object("display_name", pattern.clone()), object("name", pattern)], false))
        }
        (RunProperty::Name, _) => {
            let names = texts(predicate)?;
            Some(any_of(vec![one_of("display_name", &names), one_of("name", &names)], false))
        }
        (RunProperty::Created, operator) => {
            let QueryValue::Number(seconds) = predicate.value else { return None };
            let (bound, seconds) = match operator {
                Operator::Greater | Operator::GreaterOrEqual => ("$gte", seconds.floor()),
                Operator::Less | Operator::LessOrEqual => ("$lte", seconds.ceil()),
                _ => return None,
            };
            let json = object("createdAt", object(bound, Value::from(rfc3339(seconds))));
            Some(PartFilter { json, is_exact: false })
        }
        _ => None,
    }
}

/// The texts of which a value must equal one.
fn texts(predicate: &Predicate) -> Option<Vec<Value>> {
    let choices = choices(predicate)?;
    let text = |choice: &QueryValue<'_>| match choice {
        QueryValue::Text(text) => Some(json!(text)),
        _ => None,
    };
    choices.iter().map(text).collect()
}

/// The values of which a value must equal one.
fn choices(predicate: &Predicate) -> Option<&[QueryValue<'static>]> {
    match (predicate.operator, &predicate.value) {
        (Operator::Equal, QueryValue::List(_)) => None,
        (Operator::Equal, value) => Some(std::slice::from_ref(value)),
        (Operator::In, QueryValue::List(values)) if (1..=MAX_CHOICES).contains(&values.len()) => Some(values),
        _ => None,
    }
}

fn setting_filter(key: &str, predicate: &Predicate) -> Option<PartFilter> {
    let field = format!("config.{key}.value");
    // The key may be the end of a nested one.
    let mut filters = vec![object(&field, json!({ "$exists": false }))];
    let any_text = object(&field, json!({ "$gte": "" }));
    if let Some(operator) = comparison(predicate.operator) {
        match &predicate.value {
            QueryValue::Number(number) => {
                filters.extend([object(&field, object(operator, number_json(*number))), any_text]);
            }
            QueryValue::Text(text) => {
                filters.push(object(&field, object(operator, json!(text))));
                let number = parse_number(text).map(|number| object(&field, object(operator, number_json(number))));
                filters.extend(number);
            }
            _ => return None,
        }
        return Some(any_of(filters, false));
    }
    for choice in choices(predicate)? {
        let mut equals = |value: Value| filters.push(object(&field, value));
        match choice {
            QueryValue::Number(number) => {
                equals(number_json(*number));
                equals(json!({ "$gte": "" }));
                if *number == 0.0 || *number == 1.0 {
                    equals(Value::from(*number == 1.0));
                }
            }
            QueryValue::Bool(flag) => {
                equals(Value::from(*flag));
                equals(Value::from(u8::from(*flag)));
                equals(json!({ "$gte": "" }));
            }
            QueryValue::Text(text) => {
                equals(json!(text));
                parse_number(text).map(number_json).into_iter().for_each(&mut equals);
                let flag = ["false", "true"].iter().position(|word| text.eq_ignore_ascii_case(word));
                flag.map(|flag| Value::from(flag == 1)).into_iter().for_each(&mut equals);
            }
            QueryValue::Null | QueryValue::List(_) => return None,
        }
    }
    Some(any_of(filters, false))
}

/// Metrics are numbers to the server as well.
fn metric_filter(key: &str, predicate: &Predicate) -> Option<PartFilter> {
    let field = format!("summary_metrics.{key}");
    let number = |value: &QueryValue| match value {
        QueryValue::Number(number) => Some(*number),
        QueryValue::Text(text) => parse_number(text),
        _ => None,
    };
    if let Some(operator) = comparison(predicate.operator) {
        let json = object(&field, object(operator, number_json(number(&predicate.value)?)));
        return Some(PartFilter { json, is_exact: false });
    }
    let numbers: Vec<Value> =
        choices(predicate)?.iter().map(|value| number(value).map(number_json)).collect::<Option<_>>()?;
    Some(PartFilter { json: object(&field, json!({ "$in": numbers })), is_exact: false })
}

fn comparison(operator: Operator) -> Option<&'static str> {
    match operator {
        Operator::Less => Some("$lt"),
        Operator::LessOrEqual => Some("$lte"),
        Operator::Greater => Some("$gt"),
        Operator::GreaterOrEqual => Some("$gte"),
        _ => None,
    }
}

fn object(key: &str, value: Value) -> Value {
    let mut object = Map::new();
    object.insert(key.to_owned(), value);
    Value::Object(object)
}

/// An integer stays one in JSON.
fn number_json(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { Value::from(number as i64) } else { Value::from(number) }
}

#[cfg(test)]
mod tests;

//! What of a query the W&B server can filter by itself.
//!
//! The filter never excludes a run that the query selects; what it lets through besides is finished here. So only
//! conditions that a value must satisfy are sent, never their opposites: nobody documents what a run without the key
//! does there. The server looks a setting up at the top level alone, compares by type, and holds a number apart from
//! a text that spells it; this language does neither, so that a filter on a setting also lets through what has a text
//! there and what lacks the key. What the server's documents call the rules of MongoDB is taken for its rules.

use serde_json::{Map, Value, json};

use super::field::{Field, Property};
use super::matches::number_in;
use super::{How, Node, Query, Test};
use crate::run::ConfigValue;

/// A query, shared out between the server and here.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerFilter {
    /// The `filters` argument of the runs query, to be sent as JSON in a string; `{}` for all runs.
    pub filter: Value,
    /// What is left to be asked here; `None` when the server's filter says it all.
    pub rest: Option<Query>,
    /// Keys by which the server filters, as in [`Query::keys`].
    pub sent: Vec<String>,
    /// Keys by which runs are filtered here.
    pub here: Vec<String>,
}

/// States that the server and Rundown mean the same by.
const STATES: [&str; 5] = ["finished", "running", "crashed", "failed", "killed"];

/// Largest number of choices that are sent.
const MOST_CHOICES: usize = 200;

/// Shares a query out between the W&B server and here. Every run that the query selects passes the filter.
pub fn to_wandb_filter(query: &Query) -> ServerFilter {
    let parts: &[Node] = match &query.root {
        None => &[],
        Some(Node::All(parts)) => parts,
        Some(root) => std::slice::from_ref(root),
    };
    let (mut filters, mut rest, mut sent) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        let translated = translate(part);
        let is_exact = translated.as_ref().is_some_and(|filter| filter.is_exact);
        if let Some(filter) = translated {
            filters.push(filter.json);
            part.collect_keys(&mut sent);
        }
        if !is_exact {
            rest.push(part.clone());
        }
    }
    let filter = if filters.is_empty() { json!({}) } else { json!({ "$and": filters }) };
    let rest = match rest.len() {
        0 => None,
        1 => rest.pop(),
        _ => Some(Node::All(rest)),
    };
    let rest = rest.map(|root| Query { root: Some(root) });
    let here = rest.as_ref().map(Query::keys).unwrap_or_default();
    ServerFilter { filter, rest, sent, here }
}

/// A filter, and whether it lets through nothing but what is meant.
struct Filter {
    json: Value,
    is_exact: bool,
}

fn translate(node: &Node) -> Option<Filter> {
    match node {
        Node::All(parts) => {
            let filters: Vec<Option<Filter>> = parts.iter().map(translate).collect();
            let is_exact = filters.iter().all(|filter| filter.as_ref().is_some_and(|filter| filter.is_exact));
            let filters: Vec<Value> = filters.into_iter().flatten().map(|filter| filter.json).collect();
            if filters.is_empty() { None } else { Some(Filter { json: json!({ "$and": filters }), is_exact }) }
        }
        Node::Any(parts) => {
            let filters: Vec<Filter> = parts.iter().map(translate).collect::<Option<_>>()?;
            let is_exact = filters.iter().all(|filter| filter.is_exact);
            Some(any_of(filters.into_iter().map(|filter| filter.json).collect(), is_exact))
        }
        Node::Not(_) | Node::Search(_) => None,
        Node::Test(test) => match &test.field {
            Field::Property(property) => of_property(*property, test),
            Field::Config(key) if is_plain(key) => of_setting(key, test),
            Field::Summary(key) if is_plain(key) => of_metric(key, test),
            _ => None,
        },
    }
}

fn any_of(mut filters: Vec<Value>, is_exact: bool) -> Filter {
    let json = if filters.len() == 1 { filters.pop().unwrap_or_default() } else { json!({ "$or": filters }) };
    Filter { json, is_exact }
}

/// A key that is not taken apart on the way: a dot is nesting to the server.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '$'])
}

fn of_property(property: Property, test: &Test) -> Option<Filter> {
    let one_of = |field: &str, choices: &[Value]| object(field, json!({ "$in": choices }));
    match (property, test.how) {
        (Property::State, _) => {
            let states = texts(test)?;
            let is_known = states.iter().all(|state| state.as_str().is_some_and(|state| STATES.contains(&state)));
            is_known.then(|| Filter { json: one_of("state", &states), is_exact: true })
        }
        (Property::Id, _) => Some(Filter { json: one_of("name", &texts(test)?), is_exact: true }),
        (Property::Group, _) => Some(Filter { json: one_of("group", &texts(test)?), is_exact: true }),
        (Property::JobType, _) => Some(Filter { json: one_of("jobType", &texts(test)?), is_exact: true }),
        (Property::Sweep, _) => Some(Filter { json: one_of("sweep", &texts(test)?), is_exact: true }),
        (Property::Tags, How::Contains) => match &test.value {
            ConfigValue::Text(tag) => {
                Some(Filter { json: one_of("tags", &[Value::from(tag.as_str())]), is_exact: true })
            }
            _ => None,
        },
        (Property::Tags, _) => Some(Filter { json: one_of("tags", &texts(test)?), is_exact: true }),
        // A run without a name is shown by its id.
        (Property::Name, How::Finds) => {
            let pattern = json!({ "$regex": test.pattern.as_ref()?.for_re2() });
            Some(any_of(vec![object("display_name", pattern.clone()), object("name", pattern)], false))
        }
        (Property::Name, _) => {
            let names = texts(test)?;
            Some(any_of(vec![one_of("display_name", &names), one_of("name", &names)], false))
        }
        (Property::Created, how) => {
            let ConfigValue::Number(seconds) = test.value else { return None };
            let (operator, seconds) = match how {
                How::Greater | How::GreaterOrEqual => ("$gte", seconds.floor()),
                How::Less | How::LessOrEqual => ("$lte", seconds.ceil()),
                _ => return None,
            };
            let json = object("createdAt", object(operator, Value::from(iso(seconds)?)));
            Some(Filter { json, is_exact: false })
        }
        _ => None,
    }
}

/// The texts one of which a value must equal.
fn texts(test: &Test) -> Option<Vec<Value>> {
    let choices = choices(test)?;
    let text = |choice: &ConfigValue| match choice {
        ConfigValue::Text(text) => Some(Value::from(text.as_str())),
        _ => None,
    };
    choices.iter().map(text).collect()
}

/// The values one of which a value must equal.
fn choices(test: &Test) -> Option<&[ConfigValue]> {
    match (test.how, &test.value) {
        (How::Equal, ConfigValue::List(_)) => None,
        (How::Equal, value) => Some(std::slice::from_ref(value)),
        (How::In, ConfigValue::List(values)) if (1..=MOST_CHOICES).contains(&values.len()) => Some(values),
        _ => None,
    }
}

fn of_setting(key: &str, test: &Test) -> Option<Filter> {
    let field = format!("config.{key}.value");
    // The key may be the end of a nested one.
    let mut filters = vec![object(&field, json!({ "$exists": false }))];
    let any_text = object(&field, json!({ "$gte": "" }));
    if let Some(operator) = operator(test.how) {
        match &test.value {
            ConfigValue::Number(number) => {
                filters.extend([object(&field, object(operator, number_json(*number))), any_text]);
            }
            ConfigValue::Text(text) => {
                filters.push(object(&field, object(operator, Value::from(text.as_str()))));
                let number = number_in(text).map(|number| object(&field, object(operator, number_json(number))));
                filters.extend(number);
            }
            _ => return None,
        }
        return Some(any_of(filters, false));
    }
    for choice in choices(test)? {
        let mut equals = |value: Value| filters.push(object(&field, value));
        match choice {
            ConfigValue::Number(number) => {
                equals(number_json(*number));
                equals(json!({ "$gte": "" }));
                if *number == 0.0 || *number == 1.0 {
                    equals(Value::from(*number == 1.0));
                }
            }
            ConfigValue::Bool(truth) => {
                equals(Value::from(*truth));
                equals(Value::from(u8::from(*truth)));
                equals(json!({ "$gte": "" }));
            }
            ConfigValue::Text(text) => {
                equals(Value::from(text.as_str()));
                number_in(text).map(number_json).into_iter().for_each(&mut equals);
                let truth = ["false", "true"].iter().position(|word| text.eq_ignore_ascii_case(word));
                truth.map(|truth| Value::from(truth == 1)).into_iter().for_each(&mut equals);
            }
            ConfigValue::Null | ConfigValue::List(_) => return None,
        }
    }
    Some(any_of(filters, false))
}

/// Metrics are numbers, here and there.
fn of_metric(key: &str, test: &Test) -> Option<Filter> {
    let field = format!("summary_metrics.{key}");
    let number = |value: &ConfigValue| match value {
        ConfigValue::Number(number) => Some(*number),
        ConfigValue::Text(text) => number_in(text),
        _ => None,
    };
    if let Some(operator) = operator(test.how) {
        let json = object(&field, object(operator, number_json(number(&test.value)?)));
        return Some(Filter { json, is_exact: false });
    }
    let numbers: Vec<Value> =
        choices(test)?.iter().map(|value| number(value).map(number_json)).collect::<Option<_>>()?;
    Some(Filter { json: object(&field, json!({ "$in": numbers })), is_exact: false })
}

fn operator(how: How) -> Option<&'static str> {
    match how {
        How::Less => Some("$lt"),
        How::LessOrEqual => Some("$lte"),
        How::Greater => Some("$gt"),
        How::GreaterOrEqual => Some("$gte"),
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

/// Whole Unix seconds as `2026-11-01T00:00:00Z`; `None` outside the years 1 to 9999.
fn iso(seconds: f64) -> Option<String> {
    if !(-62_135_596_800.0..253_402_300_800.0).contains(&seconds) {
        return None;
    }
    let (days, second) = ((seconds as i64).div_euclid(86_400), (seconds as i64).rem_euclid(86_400));
    // Years from March on, in cycles of 400 years.
    let days = days + 719_468;
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * cycle + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests;

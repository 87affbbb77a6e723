//! The server's share of a query, against MongoDB's rules written out.

use super::*;
use proptest::prelude::*;
use rundown_compare::RunSummary;
use rundown_run::{Config, ConfigValue, RunState};

/// A run as the server's filter sees it: top-level settings nested, in `{"value": …}`.
fn document(entry: &RunSummary) -> Value {
    fn json(value: &ConfigValue) -> Value {
        match value {
            ConfigValue::Null => Value::Null,
            ConfigValue::Bool(truth) => json!(truth),
            ConfigValue::Number(number) => number_json(*number),
            ConfigValue::Text(text) => json!(text),
            ConfigValue::List(items) => items.iter().map(json).collect(),
        }
    }
    let mut config = json!({});
    for (key, value) in entry.config.iter() {
        match key.split_once('.') {
            None => config[key] = json!({ "value": json(value) }),
            Some((section, rest)) => config[section]["value"][rest] = json(value),
        }
    }
    json!({
        "name": entry.id,
        "display_name": if entry.name == entry.id { Value::Null } else { json!(entry.name) },
        "state": entry.state.as_str(),
        "tags": entry.tags,
        "group": entry.group,
        "createdAt": entry.started_at.map(rfc3339),
        "config": config,
        "summary_metrics": entry.last,
    })
}

/// MongoDB's rules, as its documents have them, for what is sent.
fn passes(filter: &Value, document: &Value) -> bool {
    let all = |filters: &Value| filters.as_array().unwrap().iter().all(|filter| passes(filter, document));
    filter.as_object().unwrap().iter().all(|(key, wanted)| match key.as_str() {
        "$and" => all(wanted),
        "$or" => wanted.as_array().unwrap().iter().any(|filter| passes(filter, document)),
        path => {
            // A metric's slash is part of its name.
            let value = path.split('.').try_fold(document, |value, part| value.get(part));
            match wanted.as_object() {
                Some(rules) => rules.iter().all(|(rule, wanted)| rule_holds(rule, value, wanted)),
                None => value.is_some_and(|value| equal(value, wanted)),
            }
        }
    })
}

fn equal(value: &Value, wanted: &Value) -> bool {
    let same = |value: &Value| match (value.as_f64(), wanted.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => value == wanted,
    };
    same(value) || value.as_array().is_some_and(|items| items.iter().any(same))
}

fn rule_holds(rule: &str, value: Option<&Value>, wanted: &Value) -> bool {
    if rule == "$exists" {
        return value.is_some() == wanted.as_bool().unwrap();
    }
    let Some(value) = value else { return false };
    let items = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let order = |item: &Value| match (item, wanted) {
        (Value::Number(a), Value::Number(b)) => a.as_f64().unwrap().partial_cmp(&b.as_f64().unwrap()),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    };
    match rule {
        "$in" => wanted.as_array().unwrap().iter().any(|wanted| equal(value, wanted)),
        "$lt" => items.iter().any(|item| order(item).is_some_and(std::cmp::Ordering::is_lt)),
        "$lte" => items.iter().any(|item| order(item).is_some_and(std::cmp::Ordering::is_le)),
        "$gt" => items.iter().any(|item| order(item).is_some_and(std::cmp::Ordering::is_gt)),
        "$gte" => items.iter().any(|item| order(item).is_some_and(std::cmp::Ordering::is_ge)),
        "$regex" => {
            let pattern = regex_lite::Regex::new(wanted.as_str().unwrap()).unwrap();
            items.iter().any(|item| item.as_str().is_some_and(|text| pattern.is_match(text)))
        }
        other => panic!("{other} was never promised"),
    }
}

#[track_caller]
fn split(text: &str) -> (Value, Query) {
    let ServerFilter { filter, rest, .. } = translate(&Query::parse(text).unwrap());
    (filter, rest)
}

#[test]
fn what_the_server_can_do_it_does_alone() {
    assert_eq!(split(""), (json!({}), Query::default()));
    let (filter, rest) = split("state == finished and tags contains sweep");
    assert_eq!(filter, json!({"$and": [{"state": {"$in": ["finished"]}}, {"tags": {"$in": ["sweep"]}}]}));
    assert!(rest.is_empty());
    assert!(split("id in [a, b] or group == g").1.is_empty());
    let (filter, rest) = split("created > 2026-11-01 and verdict != ugly");
    assert_eq!(filter, json!({"$and": [{"createdAt": {"$gte": "2026-11-02T00:00:00Z"}}]}), "the whole day is before");
    assert_eq!(rest, Query::parse("created > 2026-11-01 and verdict != ugly").unwrap());
}

#[test]
fn what_it_cannot_do_stays_here() {
    for text in [
        "verdict == good",
        "finding contains kl_blow_up",
        "not state == finished",
        "state != finished",
        "state == unknown",
        "config.a.b == 3",
        "config.a != 3",
        "config.a == null",
        "a == 3",
        "words",
        "state == finished or verdict == good",
        "summary.x == [1, 2]",
    ] {
        let query = Query::parse(text).unwrap();
        let split = translate(&query);
        assert_eq!((split.filter, split.rest), (json!({}), query), "{text}");
        assert!(split.server_keys.is_empty());
    }
}

#[test]
fn settings_and_metrics_are_narrowed_there_and_finished_here() {
    let (filter, rest) = split("config.num_steps >= 100");
    let field = "config.num_steps.value";
    let expected = [json!({field: {"$exists": false}}), json!({field: {"$gte": 100}}), json!({field: {"$gte": ""}})];
    assert_eq!(filter, json!({"$and": [{ "$or": expected }]}));
    assert_eq!(rest, Query::parse("config.num_steps >= 100").unwrap());
    let (filter, _) = split("summary.eval/accuracy > 0.8");
    assert_eq!(filter, json!({"$and": [{"summary_metrics.eval/accuracy": {"$gt": 0.8}}]}));
    let split = translate(&Query::parse("state == finished && config.a == x && name ~ /^a/i").unwrap());
    assert_eq!(
        (split.server_keys, split.rest.keys()),
        (vec!["state".into(), "config.a".into(), "name".into()], vec!["config.a".into(), "name".into()])
    );
    let text = split.filter.to_string();
    assert!(text.contains("(?i)^a"), "{text}");
}

fn value() -> impl Strategy<Value = ConfigValue> {
    let single = prop_oneof![
        Just(ConfigValue::Null),
        any::<bool>().prop_map(ConfigValue::Bool),
        prop::sample::select(vec![0.0, 1.0, 16.0, 1e-5, -3.5]).prop_map(ConfigValue::Number),
        prop::sample::select(vec!["16", "1e-5", "true", "False", "abc", "", "1.0"])
            .prop_map(|text| ConfigValue::Text(text.into())),
    ];
    let list = prop::collection::vec(single.clone(), 0..3).prop_map(ConfigValue::List);
    prop_oneof![4 => single, 1 => list]
}

fn run() -> impl Strategy<Value = RunSummary> {
    let config = prop::collection::vec((prop::sample::select(vec!["a", "b", "s.a", "s.c", "t.a"]), value()), 0..4);
    let names = prop::sample::select(vec!["abc", "16", "Abc-2", "true"]);
    let tags = prop::collection::vec(prop::sample::select(vec!["x", "16", "abc"]), 0..3);
    let state = prop::sample::select(vec![RunState::Finished, RunState::Running, RunState::Unknown]);
    let last = prop::collection::vec(
        (prop::sample::select(vec!["eval/acc", "b"]), prop::sample::select(vec![0.0, 0.5, 16.0])),
        0..3,
    );
    let created = prop::option::of(prop::sample::select(vec![1_793_491_200.0, 1_793_491_260.0, 1_793_577_600.0]));
    (config, names.clone(), names, tags, state, last, created).prop_map(
        |(settings, id, name, tags, state, last, started_at)| {
            let mut config = Config::default();
            for (key, value) in settings {
                // A key is a value or a section.
                if !config
                    .iter()
                    .any(|(known, _)| known.starts_with(&format!("{key}.")) || key.starts_with(&format!("{known}.")))
                {
                    config.insert(key, value);
                }
            }
            RunSummary {
                id: id.into(),
                name: name.into(),
                group: (name != "abc").then(|| name.to_owned()),
                tags: tags.into_iter().map(str::to_owned).collect(),
                last: last.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
                state,
                started_at,
                config,
                ..RunSummary::default()
            }
        },
    )
}

fn question() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "config.a", "config.b", "config.s", "config.s.a", "a", "summary.b", "summary.eval/acc", "name", "id", "tags",
        "group",
    ]);
    let how = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">=", "contains"]);
    let value = prop::sample::select(vec!["16", "'16'", "1e-5", "'1e-5'", "true", "'true'", "0", "abc", "''", "0.5"]);
    let list = prop::collection::vec(value.clone(), 1..3).prop_map(|values| format!("in [{}]", values.join(", ")));
    let leaf = prop_oneof![
        (key.clone(), how, value).prop_map(|(key, how, value)| format!("{key} {how} {value}")),
        (key, list).prop_map(|(key, list)| format!("{key} {list}")),
        prop::sample::select(vec![
            "name ~ /^a/i",
            "id ~ /\\d/",
            "state == finished",
            "state in [running, unknown]",
            "state != running",
            "abc",
            "created > 2026-11-01",
            "created <= 2026-11-01T00:01:00Z",
            "created == 2026-11-01",
            "created in [2026-11-01, 2026-11-03]",
            "created not in [2026-11-01]",
            "created < 2026-11-01T00:00:30.5Z",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|part| format!("not ({part})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) and ({b})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a}) or ({b})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_server_never_hides_a_run_that_is_selected(text in question(), runs in prop::collection::vec(run(), 1..6)) {
        let query = Query::parse(&text).unwrap();
        let split = translate(&query);
        for run in &runs {
            let passed = passes(&split.filter, &document(run));
            let finished = passed && split.rest.matches(run);
            prop_assert_eq!(finished, query.matches(run), "{} as {} for {:?}", text, split.filter, document(run));
        }
    }
}

//! What the page gets when it asks about all runs.

use super::*;
use crate::compare::testing::entry;
use crate::content::{Block, Span};
use crate::engine::messages::{Choice, Document, Event, Found, Topic, encoded_reply};
use crate::run::ConfigValue;

/// Nine runs: three learning rates, three seeds each; the middle rate is best.
fn runs() -> Vec<Entry> {
    let mut runs = Vec::new();
    for (place, (rate, level)) in [(1e-5, 0.2), (1e-4, 0.8), (1e-3, 0.3)].into_iter().enumerate() {
        for seed in 0..3 {
            let mut run =
                entry(&[("learning_rate", ConfigValue::Number(rate)), ("seed", ConfigValue::Number(f64::from(seed)))]);
            run.number = (place * 3) as u32 + seed as u32 + 1;
            run.id = format!("r{}", run.number);
            run.name = format!("lr-{rate:e}-{seed}");
            run.last.insert("eval/accuracy".to_owned(), level + 0.01 * f64::from(seed));
            runs.push(run);
        }
    }
    runs
}

fn comparer() -> Comparer {
    let mut comparer = Comparer::default();
    assert!(comparer.take(&encoded(&runs())));
    comparer
}

/// What the page reads.
fn replied(reply: &[u8]) -> Reply {
    match Event::from_bytes(&encoded_reply(1, reply)) {
        Some(Event::Reply { id: 1, reply: Ok(reply) }) => reply,
        other => panic!("{other:?}"),
    }
}

fn view(topic: Topic, chosen: &[(&str, &str)]) -> Document {
    let chosen = chosen.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let request = TopicRequest { topic, runs: Vec::new(), chosen, width: 800 };
    let Reply::Document(document) = replied(&comparer().topic(&encoded(&request))) else { panic!("no document") };
    document
}

fn value<'d>(document: &'d Document, name: &str) -> &'d str {
    let is_it = |choice: &&Choice| choice.name == name;
    document.choices.iter().find(is_it).map_or("", |choice| choice.value.as_str())
}

fn find(query: &str) -> Found {
    let Reply::Found(found) = replied(&comparer().find(query, query.chars().count() as u32)) else { panic!("no runs") };
    found
}

#[test]
fn what_is_chosen_decides() {
    let document =
        view(Topic::Compare, &[("metric", "eval/accuracy"), ("baseline", "4"), ("group", "config.learning_rate")]);
    assert_eq!((value(&document, "metric"), value(&document, "baseline")), ("eval/accuracy", "4"));
    assert_eq!(value(&document, "group"), "config.learning_rate");
    let tables: Vec<_> = document
        .blocks
        .iter()
        .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
        .collect();
    assert_eq!(tables[0].rows.len(), 9);
    let first = tables[0].rows[0][1].text.clone();
    assert_eq!(first, [Span::Run(6, "lr-1e-4-2".to_owned())]);
    assert!(tables[0].columns.iter().any(|column| column.name.contains("Against lr-1e-4-0")));
}

#[test]
fn every_view_answers_whatever_is_chosen() {
    for topic in Topic::ALL {
        for chosen in [&[][..], &[("metric", "nowhere"), ("cost", "?"), ("baseline", "x"), ("group", "config.")]] {
            let document = view(topic, chosen);
            assert!(document.choices.iter().all(|choice| !choice.options.is_empty()));
        }
    }
    assert!(Comparer::default().find("", 0).len() > 2);
}

#[test]
fn queries_select_and_say_where_they_are_wrong() {
    assert_eq!(find("config.learning_rate == 1e-4 and seed > 0").runs, [5, 6]);
    assert_eq!(find("").runs.len(), 9);
    let wrong = find("config.learning_rate >");
    let (at, what) = wrong.fault.unwrap();
    assert!(at >= 20 && !what.is_empty());
    let going_on = find("config.lear").completions;
    assert!(going_on.iter().any(|(text, _)| text.starts_with("config.learning_rate")), "{going_on:?}");
}

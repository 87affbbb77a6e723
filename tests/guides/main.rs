//! The same data through the formulas of the five guides and through Rundown: each number that a guide prints stands in
//! a cell of Rundown's report, or differs for a reason that is written down here.
//!
//! `golden/make_guides.py` prints the numbers of the guides. docs/guides.md is written from the outcome; after a wanted
//! change `INSTA_UPDATE=always cargo test --test guides` writes it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

use serde::Deserialize;

mod exports;
mod page;
mod rewards;
mod shown;
mod summaries;
#[path = "../support/mod.rs"]
mod support;
mod systems;
mod trends;

use shown::Shown;

/// A number that a guide prints.
#[derive(Debug, Deserialize)]
struct Printed {
    /// Which guide, in the order of docs/sources.md.
    guide: usize,
    /// Run, file or group of runs.
    data: String,
    /// Which number.
    number: String,
    /// Of which metric, setting or agent; empty where there is one only.
    of: String,
    value: Value,
}

/// A number, a word, or whether something holds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Number(f64),
    Word(String),
}

/// Where Rundown shows a number of a guide.
struct Place {
    /// The number, as the guide's script names it.
    number: &'static str,
    /// View or section, table and column.
    shown: &'static str,
    /// Reads it there.
    find: fn(&Shown, &Printed) -> Option<Value>,
    /// Why Rundown's value is another one; empty where both are equal.
    differs: &'static str,
}

/// A number that is equal in both.
const fn equal(number: &'static str, shown: &'static str, find: fn(&Shown, &Printed) -> Option<Value>) -> Place {
    Place { number, shown, find, differs: "" }
}

/// A number that differs, and why.
const fn differs(
    number: &'static str,
    shown: &'static str,
    find: fn(&Shown, &Printed) -> Option<Value>,
    why: &'static str,
) -> Place {
    Place { number, shown, find, differs: why }
}

/// The guides in the order of docs/sources.md.
const GUIDES: [(&str, &[Place]); 5] = [
    ("W&B GRPO analysis workflow", summaries::PLACES),
    ("Weights & Biases Metrics Guide", rewards::PLACES),
    ("Experiment Analysis", systems::PLACES),
    ("Analyze Experiment", exports::PLACES),
    ("RL Training Diagnoser", trends::PLACES),
];

/// The numbers of one place with those of Rundown.
struct Compared<'a> {
    place: &'a Place,
    pairs: Vec<(&'a Printed, Value)>,
}

/// Reports round to six digits for programs.
fn is_equal(guide: &Value, ours: &Value) -> bool {
    match (guide, ours) {
        (Value::Number(guide), Value::Number(ours)) => (guide - ours).abs() <= 1e-5 * guide.abs().max(ours.abs()),
        // Sentences have four digits.
        (Value::Number(guide), Value::Word(ours)) => rundown_format::number(*guide) == *ours,
        _ => guide == ours,
    }
}

#[test]
fn each_number_of_the_guides_is_found_or_its_difference_explained() {
    let printed: Vec<Printed> = serde_json::from_str(include_str!("../golden/guides.json")).unwrap();
    assert!(printed.len() > 1000, "{}", printed.len());
    let shown = Shown::of_the_corpus();
    let mut faults = Vec::new();
    let mut outcome: Vec<Vec<Compared<'_>>> = GUIDES
        .iter()
        .map(|(_, places)| places.iter().map(|place| Compared { place, pairs: Vec::new() }).collect())
        .collect();
    for number in &printed {
        let places = &mut outcome[number.guide - 1];
        let Some(compared) = places.iter_mut().find(|compared| compared.place.number == number.number) else {
            faults.push(format!("no place for {number:?}"));
            continue;
        };
        let Some(ours) = (compared.place.find)(&shown, number) else {
            faults.push(format!("not found: {number:?}"));
            continue;
        };
        if compared.place.differs.is_empty() && !is_equal(&number.value, &ours) {
            faults.push(format!("{number:?} is {ours:?} here"));
        }
        compared.pairs.push((number, ours));
    }
    for compared in outcome.iter().flatten() {
        let number = compared.place.number;
        if compared.pairs.is_empty() {
            faults.push(format!("no script prints {number}"));
        }
        let is_same = compared.pairs.iter().all(|(number, ours)| is_equal(&number.value, ours));
        if is_same && !compared.place.differs.is_empty() {
            faults.push(format!("{number} does not differ"));
        }
    }
    assert!(faults.is_empty(), "{}: {}", faults.len(), faults.join("\n"));
    support::golden::same_as_page("docs/guides.md", &page::page(&outcome));
}

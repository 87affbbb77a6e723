//! parquet-testing, with a step column put into each file (`tests/golden/foreign_parquet.py`): each column of numbers that
//! pyarrow reads has its values, at its rows.

use rundown_ingest::FileOutcome;
use rundown_ingest::json::Json;

use crate::suite::{Case, Counts, dropped, says_lost};

const SAID: &str = "not read, and said so; pyarrow reads it";

pub fn all() -> Counts {
    counted("parquet-testing", "foreign/files/parquet.jsonl.gz")
}

fn counted(suite: &'static str, path: &str) -> Counts {
    Counts::of(suite).count(path, count)
}

/// Prints the counts of more files, which `foreign_parquet.py` wrote from a folder of them.
#[test]
#[ignore = "wants RUNDOWN_FOREIGN_PARQUET, a .jsonl.gz"]
fn more_files() {
    let Some(path) = std::env::var_os("RUNDOWN_FOREIGN_PARQUET") else { return };
    let counts = counted("more Parquet files", &path.to_string_lossy());
    println!("{}", counts.to_json());
    counts.wrong.iter().for_each(|wrong| println!("{wrong}"));
}

#[test]
fn parquet_testing_gives_pyarrows_values() {
    all().check(23, 7);
}

fn count(counts: &mut Counts, case: &Case) {
    let outcome = dropped(&case.name, &case.bytes);
    let Some(Json::Object(columns)) = case.expected.get("columns") else {
        // Here the columns and rows before the damage are kept, and columns of no numbers are not decoded: both are said.
        match outcome.problems.is_empty() {
            false => counts.refused += 1,
            true => counts.wrong.push(format!("{}: read without a word, which pyarrow refuses", case.name)),
        }
        return;
    };
    let different = columns.iter().filter(|(name, values)| !is_same(&outcome, name, values.items_of()));
    // A column `id` numbers the rows of a history and is no metric.
    let different: Vec<&String> = different.map(|(name, _)| name).filter(|name| *name != "id").collect();
    if different.is_empty() {
        counts.same += 1;
    } else if says_lost(&outcome) {
        counts.decide(SAID, &case.name);
    } else {
        counts.differs(&[], &case.name, format!("{different:?} {:?}", outcome.problems));
    }
}

trait Items {
    fn items_of(&self) -> &[Json];
}

impl Items for Json {
    fn items_of(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => panic!("no list"),
        }
    }
}

/// True when the column holds these values at their rows; a column without one is left out.
fn is_same(outcome: &FileOutcome, name: &str, values: &[Json]) -> bool {
    let number = |value: &Json| match value {
        Json::Text(word) => word.parse().ok(),
        value => value.metric(),
    };
    let wanted = (0_u32..).zip(values).filter_map(|(row, value)| Some((row, number(value)?)));
    let wanted: Vec<(u32, f64)> = wanted.collect();
    let found: Vec<(u32, f64)> = outcome
        .parts
        .iter()
        .flat_map(|part| &part.run.columns)
        .filter(|(key, _)| key.as_str() == name)
        .flat_map(|(_, column)| column.points().collect::<Vec<_>>())
        .collect();
    let is_equal = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    found.len() == wanted.len() && found.iter().zip(&wanted).all(|(a, b)| a.0 == b.0 && is_equal(a.1, b.1))
}

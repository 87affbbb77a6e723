//! JSONTestSuite: as settings (`config.json`), whose values are compared with Python's, and as a run (`history.json`).

use rundown_ingest::json::Json;
use rundown_ingest::{FileOutcome, Place};

use crate::suite::{Case, Counts, dropped};

const DEEP: &str = "deeper than 128 levels, and said so";
const UNPLACED: &str = "refused, or read leniently, without the place of the damage";
const LENIENT: &str = "not JSON, and read: Python's json refuses it";

pub fn all() -> Counts {
    Counts::of("JSONTestSuite").count("foreign/files/json-test-suite.jsonl.gz", count)
}

/// The same files dropped as a run: whether the place of the damage is named.
pub fn runs() -> Counts {
    Counts::of("JSONTestSuite, as a run").count("foreign/files/json-test-suite.jsonl.gz", count_run)
}

#[test]
fn damaged_json_gives_a_problem() {
    runs().check(120, 120);
}

#[test]
fn json_test_suite_gives_pythons_values() {
    all().check(119, 172);
}

fn count(counts: &mut Counts, case: &Case) {
    // In an object, as settings are.
    let wrapped = |inner: &[u8]| [b"{\"value\": ", inner.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(inner), b"}"].concat();
    let found = dropped("config.json", &wrapped(&case.bytes));
    let is_refused = refused_at(&found).is_some();
    let values = case.expected.get("values").and_then(Json::text);
    let is_same =
        values.is_some_and(|values| settings(&found) == settings(&dropped("config.json", &wrapped(values.as_bytes()))));
    match (values.is_some(), is_refused) {
        (true, false) if is_same => counts.same += 1,
        (true, true) if case.bytes.starts_with(&b"[".repeat(128)) => counts.decide(DEEP, &case.name),
        (false, true) => counts.refused += 1,
        (false, false) => counts.decide(LENIENT, &case.name),
        _ => counts.wrong.push(format!("{}: {:?} {:?}", case.name, settings(&found), found.problems)),
    }
}

fn count_run(counts: &mut Counts, case: &Case) {
    let found = dropped("history.json", &case.bytes);
    let is_json = case.expected.get("values").and_then(Json::text).is_some();
    match (is_json, refused_at(&found)) {
        (false, Some(_)) => counts.refused += 1,
        (false, None) if found.problems.is_empty() => counts.wrong.push(format!("{}: no problem", case.name)),
        (false, None) => counts.decide(UNPLACED, &case.name),
        (true, None) => counts.same += 1,
        (true, Some(_)) if case.bytes.starts_with(&b"[".repeat(128)) => counts.decide(DEEP, &case.name),
        (true, Some(at)) => counts.wrong.push(format!("{}: called damaged at byte {at}", case.name)),
    }
}

/// The byte at which the JSON is said to be broken.
fn refused_at(outcome: &FileOutcome) -> Option<u64> {
    outcome.problems.iter().find_map(|problem| match problem.place {
        Place::Byte(at) => Some(at),
        _ => None,
    })
}

/// The settings as text, because NaN is not equal to itself. Python reads `-0` as the integer 0.
fn settings(outcome: &FileOutcome) -> String {
    outcome.parts.iter().map(|part| format!("{:?}", part.run.config).replace("(-0.0)", "(0.0)")).collect()
}

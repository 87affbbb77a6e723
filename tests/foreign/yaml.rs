//! yaml-test-suite, and files as PyYAML, OmegaConf, W&B, Go's `yaml.v3` and people write them, as `config.yaml`.
//!
//! The values that PyYAML reads are written as JSON and dropped as `config.json`: both must give the same settings.

use rundown_ingest::FileOutcome;
use rundown_ingest::json::Json;

use crate::suite::{Case, Counts, dropped, names_place};

const EXPONENT: &str = "a number with an exponent, which PyYAML takes for a text";
const STRICTER: &str = "not YAML 1.2, and said so; PyYAML reads it";
const SAID: &str = "YAML that is not read, and said so";
const YAML_1_2: &str = "YAML 1.2 reads it otherwise than PyYAML's 1.1";
const MORE: &str = "PyYAML refuses it, read as the suite or the writer says";
const UNCHECKED: &str = "PyYAML refuses it, and no other reference says what it holds";

pub fn suite() -> Counts {
    Counts::of("yaml-test-suite").count("foreign/files/yaml-test-suite.jsonl.gz", |counts, case| {
        let is_valid = case.expected.get("is_valid") == Some(&Json::Bool(true));
        count(counts, case, is_valid);
    })
}

pub fn dumps() -> Counts {
    Counts::of("YAML of five writers").count("golden/yaml_dumps.jsonl.gz", |counts, case| count(counts, case, true))
}

#[test]
fn yaml_test_suite_gives_pyyamls_values() {
    suite().check(220, 85);
}

#[test]
fn settings_of_every_writer_give_pyyamls_values() {
    dumps().check(721, 58);
}

fn count(counts: &mut Counts, case: &Case, is_valid: bool) {
    let found = dropped("config.yaml", &case.bytes);
    let text = |key: &str| case.expected.get(key).and_then(Json::text);
    let is = |key: &str| text(key).is_some_and(|json| same(&found, json));
    let is_refused = names_place(&found);
    if is("values") {
        counts.same += 1;
    } else if is("with_exponents") {
        counts.decide(EXPONENT, &case.name);
    } else if is_refused && is_valid && (text("values").is_some() || text("json").is_some()) {
        counts.decide(SAID, &case.name);
    } else if is_refused && text("values").is_some() {
        counts.decide(STRICTER, &case.name);
    } else if is_refused {
        counts.refused += 1;
    } else if text("values").is_some() && is("json") {
        counts.decide(YAML_1_2, &case.name);
    } else if text("values").is_none() && (is("json") || is("written")) {
        counts.decide(MORE, &case.name);
    } else if text("values").is_none() && is_valid && text("json").is_none() && text("written").is_none() {
        counts.decide(UNCHECKED, &case.name);
    } else {
        let yaml = String::from_utf8_lossy(&case.bytes);
        counts.wrong.push(format!("{}: {:.200} {:?} {yaml:.300?}", case.name, settings(&found), found.problems));
    }
}

/// True for the settings of the JSON, and no problem; a file that holds none says so.
fn same(found: &FileOutcome, json: &str) -> bool {
    let wanted = dropped("config.json", json.as_bytes());
    let what = |outcome: &FileOutcome| {
        outcome.problems.iter().map(|problem| (problem.place, problem.what.clone())).collect::<Vec<_>>()
    };
    // Of a file without a byte it is said that it is empty.
    let is_empty = found.parts.is_empty() && json == "null";
    settings(found) == settings(&wanted) && (is_empty || what(found) == what(&wanted))
}

/// The settings as text, because NaN is not equal to itself.
fn settings(outcome: &FileOutcome) -> String {
    outcome.parts.iter().map(|part| format!("{:?}", part.run.config)).collect()
}

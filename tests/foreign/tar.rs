//! Test archives of Go's `archive/tar`, Python's `tarfile` and `astral-tokio-tar`: the members that `tarfile` finds are
//! found, and a run that stands behind them is read.

use rundown_ingest::FileOutcome;
use rundown_ingest::json::Json;

use crate::suite::{Case, Counts, decoded, dropped, says_lost};

/// What is known to come out otherwise.
const KNOWN: [(&str, &str); 2] = [
    ("go/invalid-go17.tar", "the folder in a GNU header that Go wrote before 1.8 is not read"),
    ("go/pax-nul-path.tar", "a name ends at its zero byte"),
];
const SAID: &str = "not read whole, and said so; tarfile reads it";
const READ: &str = "tarfile refuses it; its members are read";

pub fn all() -> Counts {
    Counts::of("tar archives").count("foreign/files/tar.jsonl.gz", count)
}

#[test]
fn tar_archives_give_the_members_that_tarfile_finds() {
    all().check(43, 10);
}

fn count(counts: &mut Counts, case: &Case) {
    let outcome = dropped(&case.name, &case.bytes);
    let Some(Json::List(members)) = case.expected.get("members") else {
        match says_lost(&outcome) || !outcome.problems.is_empty() {
            true => counts.refused += 1,
            false => counts.decide(READ, &case.name),
        }
        return;
    };
    // An archive without a run says one thing for all its members: with a run behind them each leaves a trace.
    let run = case.expected.get("with_run").and_then(Json::text).map(|run| dropped(&case.name, &decoded(run)));
    let missing = run.as_ref().map(|run| missing(run, members)).unwrap_or_default();
    if says_lost(&outcome) {
        counts.decide(SAID, &case.name);
    } else if missing.is_empty() {
        counts.same += 1;
    } else {
        counts.differs(&KNOWN, &case.name, format!("{missing:?} missing, {:?}", outcome.problems));
    }
}

/// The members that left no trace: each file gives a part or a problem; and the run behind them.
pub fn missing(outcome: &FileOutcome, members: &[Json]) -> Vec<String> {
    let mut traces: Vec<&str> = outcome.problems.iter().map(|problem| problem.file.as_str()).collect();
    traces.extend(outcome.parts.iter().flat_map(|part| part.run.files.iter().map(|file| file.path.as_str())));
    let is_there = |name: &str| traces.iter().any(|trace| trace.ends_with(name.trim_start_matches(['.', '/'])));
    // Files that lie beside runs are passed over without a word.
    let is_ignored = |name: &str| [".bin", ".html", ".png"].iter().any(|ending| name.ends_with(ending));
    let names = members.iter().filter_map(|member| match member {
        Json::List(pair) => pair.iter().filter_map(Json::text).find(|text| !matches!(*text, "file" | "sparse")),
        _ => None,
    });
    let mut missing: Vec<String> =
        names.filter(|name| !is_there(name) && !is_ignored(name)).map(str::to_owned).collect();
    let has_run = outcome.parts.iter().any(|part| {
        part.run.columns.iter().any(|(key, column)| key.as_str() == "loss" && column.values() == [0.5, 0.25, 0.125])
    });
    if !has_run {
        missing.push("the run behind the members".to_owned());
    }
    missing
}

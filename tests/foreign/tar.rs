//! Test archives of Go's `archive/tar`, Python's `tarfile` and `astral-tokio-tar`: the members that `tarfile` finds are
//! found, and a run that stands behind them is read.

use rundown::ingest::FileOutcome;
use rundown::ingest::json::Json;

use crate::suite::{Case, Counts, cases, decoded, dropped, says_lost};

/// What is known to come out otherwise.
const KNOWN: [(&str, &str); 4] = [
    ("go/gnu-incremental.tar", "tarfile takes the times in an old GNU header for a folder"),
    ("go/invalid-go17.tar", "the folder in a GNU header that Go wrote before 1.8 is not read"),
    ("go/pax-global-records.tar", "a global pax header names no members, as in Go"),
    ("go/pax-nul-path.tar", "a name ends at its zero byte"),
];
const SPARSE: &str = "sparse members are not read";
const SAID: &str = "not read whole, and said so; tarfile reads it";
const READ: &str = "tarfile refuses it; its members are read";

pub fn all() -> Counts {
    let mut counts = Counts::of("tar archives");
    for case in cases("foreign/files/tar.jsonl.gz") {
        counts.files += 1;
        count(&mut counts, &case);
    }
    counts
}

#[test]
fn tar_archives_give_the_members_that_tarfile_finds() {
    all().check(43, 8);
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
    let run = case.expected.get("with_run").and_then(Json::text).map(|run| dropped(&case.name, &decoded(run)));
    let mut missing = missing(&outcome, members);
    if run.is_some_and(|run| !has_run(&run)) {
        missing.push("the run behind the members".to_owned());
    }
    if says_lost(&outcome) {
        counts.decide(SAID, &case.name);
    } else if members.iter().any(is_sparse) {
        counts.decide(SPARSE, &case.name);
    } else if missing.is_empty() {
        counts.same += 1;
    } else {
        counts.differs(&KNOWN, &case.name, format!("{missing:?} missing, {:?}", outcome.problems));
    }
}

/// The first of a pair is what a member is.
fn is_sparse(member: &Json) -> bool {
    matches!(member, Json::List(pair) if pair.first().and_then(Json::text) == Some("sparse"))
}

/// The members that left no trace: each of these files gives a part or a problem.
pub fn missing(outcome: &FileOutcome, members: &[Json]) -> Vec<String> {
    let mut traces: Vec<&str> = outcome.problems.iter().map(|problem| problem.file.as_str()).collect();
    traces.extend(outcome.parts.iter().flat_map(|part| part.run.files.iter().map(|file| file.path.as_str())));
    let name = |member: &Json| match member {
        Json::List(pair) => pair.last().and_then(Json::text).unwrap_or_default().to_owned(),
        _ => panic!("no member"),
    };
    // Files that lie beside runs are passed over without a word.
    let is_ignored = |name: &String| name.ends_with(".bin");
    let is_there = |name: &String| {
        is_ignored(name) || traces.iter().any(|trace| trace.ends_with(name.trim_start_matches(['.', '/'])))
    };
    members.iter().map(name).filter(|name| !is_there(name)).collect()
}

/// True when the run that the script put behind the members was read whole.
pub fn has_run(outcome: &FileOutcome) -> bool {
    outcome.parts.iter().any(|part| {
        part.run.columns.iter().any(|(key, column)| key.as_str() == "loss" && column.values() == [0.5, 0.25, 0.125])
    })
}

//! Test archives of Go's `archive/zip`, Python's `zipfile`, `rawzip` and `async_zip`: what `zipfile` unpacks is unpacked,
//! what it cannot unpack is said, and a run that stands behind the members is read.

use rundown_ingest::json::Json;

use crate::suite::{Case, Counts, decoded, dropped, says_lost};
use crate::tar::missing;

/// What is known to come out otherwise.
const KNOWN: [(&str, &str); 3] =
    [("async_zip/sample_data_utf8_extra.zip", NAME), ("go/utf8-osx.zip", NAME), ("python/zip_cp437_header.zip", NAME)];
const NAME: &str = "a name without a mark is read as UTF-8, not as CP437";
const SAID: &str = "not read, and said so; zipfile reads it";
const LENIENT: &str = "zipfile refuses it by its directory, which is not needed here";

pub fn all() -> Counts {
    Counts::of("zip archives").count("foreign/files/zip.jsonl.gz", count)
}

#[test]
fn zip_archives_give_what_zipfile_unpacks() {
    all().check(38, 7);
}

fn count(counts: &mut Counts, case: &Case) {
    let outcome = dropped(&case.name, &case.bytes);
    let members = case.expected.get("members").map(|members| match members {
        Json::List(members) => members.as_slice(),
        _ => &[],
    });
    // The second of a pair is why a member cannot be unpacked.
    let is_damaged = |member: &Json| matches!(member, Json::List(pair) if pair.last() != Some(&Json::Null));
    let is_refused =
        case.expected.get("members") == Some(&Json::Null) || members.unwrap_or_default().iter().any(is_damaged);
    let run = case.expected.get("with_run").and_then(Json::text).map(|run| dropped(&case.name, &decoded(run)));
    let missing = run.map(|run| missing(&run, members.unwrap_or_default())).unwrap_or_default();
    match (is_refused, says_lost(&outcome)) {
        (true, true) => counts.refused += 1,
        (true, false) => counts.decide(LENIENT, &case.name),
        (false, true) => counts.decide(SAID, &case.name),
        (false, false) if missing.is_empty() => counts.same += 1,
        (false, false) => counts.differs(&KNOWN, &case.name, format!("{missing:?} missing")),
    }
}

//! A suite: its files, how they are dropped, and how many of them came out how.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use rundown_ingest::json::Json;
use rundown_ingest::{FileOutcome, Place, Weight};

use crate::support::read;

/// A file of a suite.
pub struct Case {
    pub name: String,
    pub bytes: Vec<u8>,
    /// What the suite and the reference reader say, by the names in the scripts.
    pub expected: Json,
}

/// The cases of a file below `tests`.
fn cases(path: &str) -> Vec<Case> {
    let packed = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)).expect("a suite");
    let mut text = String::new();
    GzDecoder::new(packed.as_slice()).read_to_string(&mut text).expect("a gzipped text");
    let case = |line: &str| {
        let expected = Json::parse(line.as_bytes()).expect("a case");
        let text = |key| expected.get(key).and_then(Json::text);
        let name = text("name").or(text("by")).expect("a name").to_owned();
        let bytes = text("bytes").map(decoded).or(text("yaml").map(|yaml| yaml.as_bytes().to_vec()));
        Case { name, bytes: bytes.expect("bytes"), expected }
    };
    text.lines().map(case).collect()
}

/// Bytes of their base64.
pub fn decoded(text: &str) -> Vec<u8> {
    STANDARD.decode(text).expect("base64")
}

/// What a dropped file gives: the same in one piece and in slices.
pub fn dropped(path: &str, bytes: &[u8]) -> FileOutcome {
    let (whole, sliced) = (read(path, bytes, bytes.len().max(1)), read(path, bytes, 509));
    assert_eq!(whole.problems, sliced.problems, "{path}");
    assert_eq!(format!("{:?}", whole.parts), format!("{:?}", sliced.parts), "{path}");
    for problem in &whole.problems {
        assert!(!problem.what.is_empty() && !problem.file.is_empty(), "{problem}");
    }
    whole
}

/// True when a part of the file is said to be lost.
pub fn says_lost(outcome: &FileOutcome) -> bool {
    outcome.problems.iter().any(|problem| problem.weight > Weight::Remark)
}

/// True when a place within the file is named.
pub fn names_place(outcome: &FileOutcome) -> bool {
    outcome.problems.iter().any(|problem| problem.place != Place::File)
}

/// How many files of a suite came out how.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub suite: &'static str,
    pub files: usize,
    /// Read as the reference reads them.
    pub same: usize,
    /// Refused by both, with a problem that says so.
    pub refused: usize,
    /// Other than the reference, by decision: which ones for each reason.
    pub decided: BTreeMap<&'static str, Vec<String>>,
    /// Anything else: a bug. Each with what differs.
    pub wrong: Vec<String>,
}

impl Counts {
    pub fn of(suite: &'static str) -> Self {
        Self { suite, ..Self::default() }
    }

    /// Counts each case of a file below `tests`.
    pub fn count(mut self, path: &str, count: impl Fn(&mut Self, &Case)) -> Self {
        for case in cases(path) {
            self.files += 1;
            count(&mut self, &case);
        }
        self
    }

    pub fn decide(&mut self, reason: &'static str, name: &str) {
        self.decided.entry(reason).or_default().push(name.to_owned());
    }

    /// Counts a file that came out otherwise: by the reason that is known of it, or as wrong.
    pub fn differs(&mut self, known: &[(&str, &'static str)], name: &str, what: String) {
        match known.iter().find(|(file, _)| *file == name) {
            Some((_, reason)) => self.decide(reason, name),
            None => self.wrong.push(format!("{name}: {what}")),
        }
    }

    /// One line for a table; a few names say more than their number.
    pub fn to_json(&self) -> String {
        let reason = |(reason, names): (&&str, &Vec<String>)| match names.len() {
            0..=10 => format!("{reason:?}:{names:?}"),
            count => format!("{reason:?}:{count}"),
        };
        let decided = self.decided.iter().map(reason).collect::<Vec<_>>();
        format!(
            "{{\"suite\":{:?},\"files\":{},\"same\":{},\"refused\":{},\"decided\":{{{}}},\"wrong\":{}}}",
            self.suite,
            self.files,
            self.same,
            self.refused,
            decided.join(","),
            self.wrong.len()
        )
    }

    /// Nothing is wrong, and at least as much is as the reference has it as was seen before.
    #[track_caller]
    pub fn check(&self, same: usize, refused: usize) {
        assert_eq!(self.wrong, Vec::<String>::new(), "{}", self.suite);
        assert!(self.same >= same && self.refused >= refused, "{}", self.to_json());
        assert_eq!(self.files, self.same + self.refused + self.decided.values().map(Vec::len).sum::<usize>());
    }
}

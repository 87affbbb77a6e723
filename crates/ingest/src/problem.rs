//! What could not be read, where, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where in a file something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A byte offset from the start.
    Byte(u64),
    /// A line, counted from 1.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => out.write_str("whole file"),
            Place::Byte(offset) => write!(out, "byte {offset}"),
            Place::Line(line) => write!(out, "line {line}"),
        }
    }
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Weight {
    /// Nothing was lost that a diagnosis needs, such as a file that is not about a run.
    Remark,
    /// Part of the file was lost.
    Partial,
    /// Nothing of the file could be used.
    Lost,
}

/// How often the same thing is wrong with a file, and where first: a line or an offset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    pub(crate) count: u64,
    pub(crate) first: Option<u64>,
}

impl Occurrences {
    /// Counts one more. Places come in the order of the file.
    pub(crate) fn add(&mut self, place: u64) {
        self.count += 1;
        self.first.get_or_insert(place);
    }
}

/// One problem with one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// Path as it was dropped.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// How much it matters.
    pub weight: Weight,
    /// What is wrong and what that costs, in one plain sentence. Never quotes the file's text: it may hold a secret.
    pub what: String,
    /// What the user can do, or empty.
    pub remedy: String,
}

impl Problem {
    /// A problem with the file that a reader reads: its path is noted when the file is finished.
    pub(crate) fn here(place: Place, weight: Weight, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new("", place, weight, what, remedy)
    }

    /// A problem with `file`. `remedy` may be empty.
    pub fn new(file: &str, place: Place, weight: Weight, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place, weight, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}: {}", self.file, self.place, self.what)?;
        if !self.remedy.is_empty() {
            write!(out, " {}", self.remedy)?;
        }
        Ok(())
    }
}

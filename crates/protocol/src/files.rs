//! The list of files: what each was taken for, and what it can be taken for instead.

use rundown_format::named_enum;
use serde::{Deserialize, Serialize};

named_enum! {
    name
    /// A format that a user may choose for a file that was recognised wrongly or not at all.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum FormatChoice {
        /// A table with a header.
        Table = "table",
        /// One JSON object per line.
        JsonLines = "JSON Lines",
        /// A JSON document.
        JsonDocument = "JSON document",
        /// Console output.
        ConsoleLog = "console log",
    }
}

/// What a file was taken for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FormatMark {
    /// A format that a user may choose, too.
    Choice(FormatChoice),
    /// Another one, in words.
    Other(String),
    /// A file that holds nothing a diagnosis needs: nothing was looked for in it.
    Ignored(String),
}

impl FormatMark {
    /// In words.
    pub fn words(&self) -> &str {
        match self {
            FormatMark::Choice(choice) => choice.name(),
            FormatMark::Other(words) | FormatMark::Ignored(words) => words,
        }
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileStatus {
    /// A piece of a run is in it.
    Used,
    /// No piece of a run is in it: nothing that is shown comes from it.
    NoRunData,
    /// It lies beside a run, such as `config.yaml`, and came without it: nothing that is shown comes from it.
    RunMissing,
}

/// A file that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    /// Path relative to what was dropped.
    pub path: String,
    /// What it was taken for.
    pub format: FormatMark,
    /// What became of it.
    pub status: FileStatus,
}

impl FileRow {
    /// True for a file in which nothing was looked for.
    pub fn is_ignored(&self) -> bool {
        matches!(self.format, FormatMark::Ignored(_))
    }
}

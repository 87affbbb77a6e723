//! What a run logs besides numbers and histograms: tables, artifacts, console lines.
use serde::{Deserialize, Serialize};

use rundown_format::exact;

/// A table that a run logged into a media file of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableFile {
    /// Metric key, such as `completions`.
    pub key: String,
    /// Row of the run in which it was logged.
    pub row: u32,
    /// Path below the run's `files` folder, such as `media/table/completions_10_ab12.table.json`.
    pub path: String,
    /// Number of rows of the table, where the run logs it.
    #[serde(default)]
    pub rows: Option<u64>,
    /// What the table holds, where its file was read as well.
    #[serde(default)]
    pub content: Option<LoggedTable>,
}

/// Rows of cells under named columns, such as prompts, completions and their rewards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoggedTable {
    /// Names of the columns, from left to right.
    pub columns: Vec<String>,
    /// Cells, one list for each row, each as long as `columns`.
    pub rows: Vec<Vec<LoggedCell>>,
    /// Rows that were left out because there were too many.
    pub dropped: u64,
}

impl LoggedTable {
    /// About how many bytes the cells take.
    pub fn size(&self) -> usize {
        let cells = self.rows.iter().flatten().map(|cell| match cell {
            LoggedCell::Text(text) => text.len() + 24,
            _ => 24,
        });
        cells.sum()
    }
}

/// One cell of a [`Table`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LoggedCell {
    /// Nothing was there.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, NaN and infinities included.
    Number(#[serde(with = "exact::tagged")] f64),
    /// A text; anything else (a list, an image) is its JSON.
    Text(String),
}

/// A file that the run published at its tracker: a model, a data set, a replay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Artifact {
    /// Name, with its version where the source writes it so (`model-x:v3`).
    pub name: String,
    /// Type, such as `model`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Version, such as `v3`.
    pub version: String,
    /// Other names of this version, such as `latest`.
    pub aliases: Vec<String>,
    /// Size in bytes, where known.
    #[serde(rename = "size", with = "exact::option")]
    pub bytes: Option<f64>,
    /// Unix seconds, where known.
    #[serde(with = "exact::option")]
    pub created_at: Option<f64>,
}

/// Where a console line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
    /// A log file that mixes both.
    #[serde(other)]
    File,
}

/// One console line, without its line break.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "(Stream, String)", into = "(Stream, String)")]
pub struct LogLine {
    /// Where it came from.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

impl From<(Stream, String)> for LogLine {
    fn from((stream, text): (Stream, String)) -> Self {
        Self { stream, text }
    }
}

impl From<LogLine> for (Stream, String) {
    fn from(line: LogLine) -> Self {
        (line.stream, line.text)
    }
}

/// Longest dotted name of an exception's class, in bytes.
const LONGEST_CLASS: usize = 200;

/// Longest text before an exception that a launcher or a container puts before each line, in bytes.
const LONGEST_PREFIX: usize = 80;

/// Class and message of the exception that a line names, as the last line of a Python traceback does:
/// `torch.OutOfMemoryError: CUDA out of memory`; perhaps after what a launcher or a container puts before each line: `[rank0]: `,
/// a time, a level.
pub fn exception(line: &str) -> Option<(&str, &str)> {
    let mut rest = line;
    loop {
        if let Some(found) = exception_at_start(rest) {
            return Some(found);
        }
        let (word, tail) = rest.split_once(' ')?;
        rest = tail.trim_start();
        if !is_of_prefix(word) || line.len() - rest.len() > LONGEST_PREFIX {
            return None;
        }
    }
}

/// True for a word that no sentence begins with: a time, a rank, a path, a level, a dash.
fn is_of_prefix(word: &str) -> bool {
    let is_level = matches!(word, "ERROR" | "CRITICAL" | "INFO" | "stderr" | "stdout");
    is_level || word.contains(|letter: char| letter.is_ascii_digit() || "[]|:/-".contains(letter))
}

fn exception_at_start(line: &str) -> Option<(&str, &str)> {
    let (path, message) = line.split_once(": ").unwrap_or((line.trim_end(), ""));
    let is_path =
        path.len() <= LONGEST_CLASS && path.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter));
    let class = path.rsplit('.').next().filter(|_| is_path)?;
    let is_exception = ["Error", "Exception", "Interrupt", "OutOfResources"].iter().any(|end| class.ends_with(end));
    is_exception.then_some((class, message))
}

/// Path, line number and function of the line of a Python traceback that names these: `File "/a/b.py", line 37, in score`.
pub fn frame(line: &str) -> Option<(&str, &str, &str)> {
    let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    let (number, function) = rest.split_once(", in ")?;
    Some((path, number, function))
}

/// Console output of a run. Long logs keep their end: that is where a crash is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Log {
    /// The lines kept, in order.
    pub lines: std::collections::VecDeque<LogLine>,
    /// Lines dropped before the first kept one.
    pub dropped: u64,
    /// Id of the one W&B run that the client says it writes, also in a line that was dropped. The reader notes it for joining;
    /// it is no part of an export.
    #[serde(skip)]
    pub tracker_run: Option<String>,
}

impl Log {
    /// Lines kept: enough for any traceback, little enough for a hundred runs.
    pub const KEPT: usize = 2_000;

    /// Lines behind an error with which a log still ends; one that more lines follow was survived.
    pub const ERROR_TAIL: usize = 40;

    /// Adds a line and drops the oldest one when there are too many.
    pub fn push(&mut self, line: LogLine) {
        if self.lines.len() == Self::KEPT {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_read_after_what_stands_before_each_line() {
        for prefix in
            ["", "[rank0]: ", "2026-11-25T10:00:00.1Z ", "2026-11-25 10:00:00,123 - ERROR - ", "pod/trainer-0 | "]
        {
            let line = format!("{prefix}torch.OutOfMemoryError: CUDA out of memory.");
            assert_eq!(exception(&line), Some(("OutOfMemoryError", "CUDA out of memory.")), "{prefix}");
        }
        for line in [
            "the worker said ValueError: no",
            "reward 3: no, RuntimeError: oops",
            "    raise ValueError: no",
            "loss: 0.3",
        ] {
            assert_eq!(exception(line), None, "{line}");
        }
        assert_eq!(exception(&format!("{}ValueError: no", "0.5 ".repeat(1000))), None, "a row of numbers");
    }

    #[test]
    fn a_frame_has_a_path_a_line_and_a_function() {
        assert_eq!(frame("  File \"/a/b.py\", line 37, in score"), Some(("/a/b.py", "37", "score")));
        assert_eq!(frame("File \"x.py\", line 1"), None, "a syntax error");
        assert_eq!(frame("score(a, b)"), None);
    }
}

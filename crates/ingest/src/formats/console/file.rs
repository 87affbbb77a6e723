//! A log file: its last lines, and the run that its metrics make.
//!
//! Whether a log is a run of its own is decided when all files are there: beside a run file it only adds to that.

use super::log_starts::LogStarts;
use super::screen::Console;
use super::segments::Segments;
use crate::budget::Kept;
use crate::syntax::json::Json;
use crate::{FileReader, Place, Problem, Weight, path};
use crate::{PartKind, PartialRun};
use rundown_run::{Ending, Log, RunWarning, Stream};

/// Fewest rows of a page of text that are a log, where they are not of a framework's own form.
const ROWS_OF_A_PAGE: usize = 10;

/// True for a file that is a log whatever is in it.
pub(crate) fn is_log_name(file: &str) -> bool {
    matches!(path::extension(file).as_str(), "log" | "out" | "err")
}

/// True for a page of text, into which a log may have been pasted.
pub(crate) fn is_page_name(file: &str) -> bool {
    matches!(path::extension(file).as_str(), "md" | "markdown")
}

/// True for the log of a container, `{"log":"step:1 …\n","stream":"stdout","time":"…"}` a line.
pub(crate) fn is_container_log(first: &[u8]) -> bool {
    first.starts_with(b"{\"log\":") && memchr::memmem::find(first, b"\"stream\":").is_some()
}

/// What a container printed, of a line of its log.
fn printed(segment: &str) -> Option<String> {
    if !segment.starts_with("{\"log\":") {
        return None;
    }
    match Json::parse(segment.as_bytes()).ok()? {
        Json::Object(mut members) => match members.remove("log")? {
            Json::Text(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Reads console output into attachments, one for each training in it: the last lines, metrics and settings.
pub(crate) struct ConsoleFileReader {
    path: String,
    console: Console,
    log: Log,
    segments: Segments,
    starts: LogStarts,
    /// The rest was not given, which is said elsewhere.
    is_stopped: bool,
}

impl ConsoleFileReader {
    pub(crate) fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            console: Console::new(Stream::File),
            log: Log::default(),
            segments: Segments::default(),
            starts: LogStarts::default(),
            is_stopped: false,
        }
    }
}

impl FileReader for ConsoleFileReader {
    fn push(&mut self, bytes: &[u8]) {
        self.console.push(bytes, &mut self.log);
        let starts = &mut self.starts;
        self.segments.push(bytes, &mut |segment| match printed(segment) {
            Some(text) => text.lines().for_each(|line| starts.take(line)),
            None => starts.take(segment),
        });
    }

    fn stop(&mut self) {
        self.is_stopped = true;
    }

    fn kept(&self) -> Kept {
        self.starts.kept()
    }

    fn finish(mut self: Box<Self>) -> (Vec<PartialRun>, Vec<Problem>) {
        self.console.finish(&mut self.log);
        let starts = &mut self.starts;
        // Of a line of which more was to come the last number may be cut.
        let is_whole = !self.is_stopped;
        let too_long = self.segments.finish(&mut |segment| {
            if is_whole {
                starts.take(segment);
            }
        });
        let fewest_rows = if self.starts.has_framework_rows() { 1 } else { ROWS_OF_A_PAGE };
        let mut runs = self.starts.finish();
        let rows: usize = runs.iter().map(|run| run.row_steps.len()).sum();
        let problem = |what: String| Problem::here(Place::File, Weight::Remark, what, "");
        // Any text may come as `.txt`: without metrics it is none of a run's. A page of text may list a few steps.
        let is_page = is_page_name(&self.path);
        if !is_log_name(&self.path) && (rows == 0 || (is_page && rows < fewest_rows)) {
            return (Vec::new(), vec![problem("Unsupported file type.".to_owned())]);
        }
        let of = runs.len();
        for (place, run) in runs.iter_mut().enumerate() {
            if of > 1 {
                run.warnings.push(RunWarning::OneOfCommands { start: place + 1, of });
            }
            if is_page {
                // What was pasted last is not how the run ended, and its text is no log's.
                run.ending = Ending::default();
            }
        }
        if let Some(last) = runs.last_mut().filter(|_| !is_page) {
            last.log = self.log;
        }
        let mut problems = Vec::new();
        if too_long > 0 {
            problems.push(problem(format!("{too_long} lines are longer than 4 MB and are not looked at.")));
        }
        (runs.into_iter().map(|run| PartialRun::of(run, PartKind::ConsoleLog)).collect(), problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_few_rows_of_a_framework_is_a_log() {
        let rows = |text: &str| {
            let mut reader = Box::new(ConsoleFileReader::new("notes/error.md"));
            reader.push(text.as_bytes());
            reader.finish().0.first().map_or(0, |part| part.run.row_steps.len())
        };
        assert_eq!(
            rows(
                "# It fails\n```\n{'loss': 0.1, 'reward': 1.5, 'epoch': 0.1}\n{'loss': 0.2, 'reward': 1.0, 'epoch': 0.2}\n```\n"
            ),
            2
        );
        let table = "| step | reward |\n|---|---|\n| 1 | 2 |\n| 2 | 3 |\n| 3 | 4 |\n";
        assert_eq!(rows(table), 0, "any table");
    }
}

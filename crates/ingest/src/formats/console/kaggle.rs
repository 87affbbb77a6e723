//! Logs of Kaggle's notebooks: a list of what was printed, `{"stream_name":"stdout","time":326.4,"data":"…"}`, an object a line.
//! `time` is in seconds since the start. The parts may be cut anywhere, so that their texts are joined.

use super::jobs::Jobs;
use super::screen::Console;
use super::segments::Segments;
use crate::syntax::json::Json;
use rundown_run::{Log, Stream};

/// What such a log begins with.
const START: &[u8] = b"[{\"stream_name\":";

/// True for the first bytes of such a log.
pub(crate) fn is_kaggle_log(first: &[u8]) -> bool {
    first.starts_with(START)
}

/// Reads the lines of such a log.
#[derive(Debug, Default)]
pub(super) struct KaggleLog {
    is_one: bool,
    segments: Segments,
}

impl KaggleLog {
    /// Takes a line of a log that is one of these; false for a line of any other. What was printed is the end of the log.
    pub(super) fn add(&mut self, line: &str, console: &mut Console, log: &mut Log, jobs: &mut Jobs) -> bool {
        if !self.is_one && !is_kaggle_log(line.as_bytes()) {
            return false;
        }
        if !self.is_one {
            // Until here the log was taken for text, and its last lines for those of the file.
            self.is_one = true;
            *console = Console::default();
            *log = Log::default();
        }
        let objects = line.trim().trim_start_matches(['[', ',']).trim_end_matches([']', ',']);
        let Ok(Json::List(objects)) = Json::parse(format!("[{objects}]").as_bytes()) else { return true };
        for object in &objects {
            let Some(data) = object.text_at("data") else { continue };
            console.push(data.as_bytes(), Stream::File, log);
            if let Some(seconds) = object.get("time").and_then(Json::metric) {
                jobs.set_printed(seconds);
            }
            self.segments.push(data.as_bytes(), &mut |segment| jobs.add(segment));
        }
        true
    }

    /// True once a line was one of such a log.
    pub(super) fn is_one(&self) -> bool {
        self.is_one
    }

    /// Gives the last segment.
    pub(super) fn finish(self, jobs: &mut Jobs) -> u64 {
        self.segments.finish(&mut |segment| jobs.add(segment))
    }
}

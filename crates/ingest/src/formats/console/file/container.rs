//! Logs of containers: `{"log":"step:1 …\n","stream":"stdout","time":"…"}`, an object for each line that was printed. Docker cuts
//! longer lines into pieces, which are joined for each stream.

use crate::formats::console::jobs::Jobs;
use crate::formats::console::screen::Console;
use crate::formats::console::segments::Segments;
use crate::syntax::json::Json;
use rundown_run::{Log, Stream};

/// Bytes of the pieces that Docker cuts lines into. Shorter texts are whole lines, from which other tools take the line break.
const PIECE: usize = 16 << 10;

/// True for the first line of such a log.
pub(crate) fn is_container_log(first: &[u8]) -> bool {
    first.starts_with(b"{\"log\":") && memchr::memmem::find(first, b"\"stream\":").is_some()
}

/// Reads the lines of such a log.
#[derive(Debug, Default)]
pub(super) struct ContainerLog {
    is_one: bool,
    output: Printed,
    errors: Printed,
}

/// What was printed to one stream.
#[derive(Debug, Default)]
struct Printed {
    console: Console,
    segments: Segments,
}

impl ContainerLog {
    /// Takes a line that holds what was printed; false for any other. What was printed is the end of the log.
    pub(super) fn add(&mut self, line: &str, console: &mut Console, log: &mut Log, jobs: &mut Jobs) -> bool {
        let object = line.starts_with("{\"log\":").then(|| Json::parse(line.as_bytes()).ok()).flatten();
        let Some((object, text)) = object.as_ref().and_then(|object| Some((object, object.text_at("log")?))) else {
            if self.is_one {
                self.output.show(line, log);
            }
            return false;
        };
        let stream = object.text_at("stream");
        if stream.is_some() && !self.is_one {
            // Until here the log was taken for text, and its last lines for those of the file.
            self.is_one = true;
            *console = Console::default();
            *log = Log::default();
        }
        let printed = if stream == Some("stderr") { &mut self.errors } else { &mut self.output };
        if self.is_one {
            printed.show(text, log);
        }
        for part in [text, end_of(text)] {
            printed.segments.push(part.as_bytes(), &mut |segment| jobs.add(segment));
        }
        true
    }

    /// True once a line was one of such a log.
    pub(super) fn is_one(&self) -> bool {
        self.is_one
    }

    /// Gives the last segments, unless they may have been cut, and how many were too long.
    pub(super) fn finish(self, is_whole: bool, log: &mut Log, jobs: &mut Jobs) -> u64 {
        let mut too_long = 0;
        for mut printed in [self.output, self.errors] {
            printed.console.finish(Stream::File, log);
            too_long += printed.segments.finish(&mut |segment| {
                if is_whole {
                    jobs.add(segment);
                }
            });
        }
        too_long
    }
}

impl Printed {
    fn show(&mut self, text: &str, log: &mut Log) {
        self.console.push(text.as_bytes(), Stream::File, log);
        self.console.push(end_of(text).as_bytes(), Stream::File, log);
    }
}

/// The line break that a whole line lost.
fn end_of(text: &str) -> &'static str {
    if text.ends_with('\n') || text.len() >= PIECE { "" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Run;

    fn object(text: &str, stream: &str) -> String {
        let text = text.replace('\u{1b}', "\\u001b").replace('"', "\\\"").replace('\n', "\\n");
        format!("{{\"log\":\"{text}\",\"stream\":\"{stream}\"}}")
    }

    fn read(lines: &[String]) -> (Run, Vec<String>) {
        let (mut console, mut log, mut jobs) = (Console::default(), Log::default(), Jobs::default());
        let mut container = ContainerLog::default();
        console.push(b"{\"log\":", Stream::File, &mut log);
        lines.iter().for_each(|line| _ = container.add(line, &mut console, &mut log, &mut jobs));
        assert!(container.is_one());
        container.finish(true, &mut log, &mut jobs);
        (jobs.finish().remove(0), log.lines.into_iter().map(|line| line.text).collect())
    }

    #[test]
    fn colours_go_and_settings_are_found() {
        let tree = "\u{1b}[36m(TaskRunner pid=7)\u{1b}[0m {'actor_rollout_ref': {'actor': {'ppo_epochs': 2}},\n";
        let end = "\u{1b}[36m(TaskRunner pid=7)\u{1b}[0m  'data': {'seed': 5}}\n";
        let row =
            |step: u32| object(&format!("\u{1b}[32mstep {step}\u{1b}[0m: loss=0.{step} reward=0.{step}5\n"), "stdout");
        let lines: Vec<String> =
            [tree, end].map(|line| object(line, "stdout")).into_iter().chain((1..=6).map(row)).collect();
        let (run, log) = read(&lines);
        assert_eq!(run.config.number(&["actor_rollout_ref.actor.ppo_epochs"]).map(|(_, epochs)| epochs), Some(2.0));
        assert_eq!(run.columns["reward"].values(), [0.15, 0.25, 0.35, 0.45, 0.55, 0.65]);
        assert_eq!((log.len(), log[2].as_str()), (8, "step 1: loss=0.1 reward=0.15"));
    }

    #[test]
    fn pieces_of_a_line_are_joined_for_each_stream() {
        let row = |step: u32| {
            let start = format!("step:{step} - actor/kl:0.00{step} - {}", "x:1 - ".repeat(PIECE / 6));
            [
                object(&start, "stdout"),
                object("warning", "stderr"),
                object(&format!("critic/score/mean:0.{step}\n"), "stdout"),
            ]
        };
        let (run, log) = read(&(1..=3).flat_map(row).collect::<Vec<_>>());
        assert_eq!(run.columns["critic/score/mean"].values(), [0.1, 0.2, 0.3]);
        assert_eq!(log.iter().filter(|line| *line == "warning").count(), 3);
        let lost: Vec<_> =
            (1..=4).map(|step| object(&format!("step {step}: loss=0.{step} reward=1"), "stdout")).collect();
        assert_eq!(read(&lost).0.row_steps.len(), 4, "whole lines without their breaks");
    }
}

//! A log file: its last lines, and the run that its metrics make.
//!
//! Whether a log is a run of its own is decided when all files are there: beside a run file it only adds to that.

mod container;

use super::jobs::Jobs;
use super::kaggle::KaggleLog;
use super::metrics::LogMetrics;
use super::screen::Console;
use super::segments::Segments;
use super::wrapped_dicts::WrappedDicts;
use super::wrapped_pairs::WrappedPairs;
use super::wrapped_verl::WrappedVerl;
use crate::budget::MemoryUse;
use crate::rows::read_progress::ReadProgress;
use crate::{FileEnd, FileReader, Place, Problem, Weight, path};
use crate::{PartKind, PartialRun};
use container::ContainerLog;
pub(crate) use container::is_container_log;
use rundown_run::{Ending, Log, Run, RunState, RunWarning, Stream};

/// Fewest rows of a page of text that are a log, where they are of no known trainer.
const ROWS_OF_A_PAGE: usize = 10;

/// Settings that only a training prints, as verl does before its first step.
const SETTINGS_OF_TRAINING: usize = 20;

/// True for a file that is a log whatever is in it.
pub(crate) fn is_log_name(file: &str) -> bool {
    matches!(path::extension(file).as_str(), "log" | "out" | "err")
}

/// True for a page of text, into which a log may have been pasted.
pub(crate) fn is_page_name(file: &str) -> bool {
    matches!(path::extension(file).as_str(), "md" | "markdown")
}

/// Bytes of a text for each sign in it that no text has, at least.
const BYTES_PER_CONTROL: usize = 20;
/// Endings of files that hold programs, settings and texts of their authors, in which examples of logs may stand.
const SOURCES: [&str; 29] = [
    "bat", "bib", "c", "cc", "cfg", "conf", "cpp", "css", "cu", "diff", "go", "h", "ini", "java", "jl", "js", "lock",
    "lua", "patch", "py", "r", "rs", "rst", "sh", "sql", "tex", "toml", "ts", "xml",
];

/// True for the start of a text under an ending that says nothing, where rows of metrics are in it.
pub(crate) fn holds_rows(file: &str, head: &[u8]) -> bool {
    let ending = path::extension(file);
    let is_control = |byte: &&u8| **byte < b' ' && !matches!(**byte, b'\n' | b'\r' | b'\t' | 0x08 | 0x1b);
    let controls = head.iter().filter(is_control).count();
    let is_source = SOURCES.contains(&ending.as_str()) || matches!(ending.as_str(), "yaml" | "yml");
    if is_source || controls * BYTES_PER_CONTROL > head.len() {
        return false;
    }
    let mut metrics = LogMetrics::default();
    let mut segments = Segments::default();
    segments.push(head, &mut |segment| metrics.add(segment));
    metrics.finish().row_steps.len() >= ROWS_OF_A_PAGE
}

/// Reads console output into an attachment: its last lines, metrics and settings.
#[derive(Default)]
pub(crate) struct ConsoleFileReader {
    path: String,
    console: Console,
    log: Log,
    segments: Segments,
    lines: Unbroken,
    jobs: Jobs,
    kaggle: KaggleLog,
    container: ContainerLog,
}

impl ConsoleFileReader {
    /// Adds a line of the file, or what was printed where the log of a container or a notebook wraps it.
    fn add_segment(&mut self, segment: &str) {
        let Self { console, log, lines, jobs, kaggle, container, .. } = self;
        if !kaggle.add(segment, console, log, jobs) && !container.add(segment, console, log, jobs) {
            lines.add(segment, &mut |line| jobs.add(line));
        }
    }

    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }
}

/// Lines as they were printed, where a terminal broke them at its width.
#[derive(Default)]
struct Unbroken {
    pairs: WrappedPairs,
    dicts: WrappedDicts,
    verl: WrappedVerl,
}

impl Unbroken {
    fn add(&mut self, line: &str, each: &mut impl FnMut(&str)) {
        let Self { pairs, dicts, verl } = self;
        pairs.add(line, &mut |line| dicts.add(line, &mut |line| verl.add(line, each)));
    }

    fn finish(&mut self, each: &mut impl FnMut(&str)) {
        let Self { pairs, dicts, verl } = self;
        pairs.finish(&mut |line| dicts.add(line, &mut |line| verl.add(line, each)));
        dicts.finish(&mut |line| verl.add(line, each));
        verl.finish(each);
    }
}

/// Words in the log of a training by reinforcement that failed before its first row; lower case.
const TRAININGS: [&str; 6] = ["grpo", "ppo", "rlhf", "rloo", "reinforce", "verl"];

/// True for a text that names such a training as a word: `GRPO TRAINING`, `trl/trainer/grpo_trainer.py`.
fn names_training(log: &Log) -> bool {
    log.lines.iter().any(|line| has_training_name(&line.text))
}

/// True for a text with the name of a training by reinforcement as a word: `train_with_grpo(model)`.
pub(crate) fn has_training_name(text: &str) -> bool {
    let is_name = |word: &str| TRAININGS.iter().any(|name| word.eq_ignore_ascii_case(name));
    text.split(|letter: char| !letter.is_ascii_alphabetic()).any(is_name)
}

/// The problem with a text without a run, in which so many lines look like rows.
fn too_few(rows: usize) -> String {
    match rows {
        0 => "No line of metrics was recognised in this text.".to_owned(),
        1 => "One row of metrics is in this text, too few to tell a training from other text.".to_owned(),
        rows => format!("{rows} rows of metrics are in this text, too few to tell a training from other text."),
    }
}

impl FileReader for ConsoleFileReader {
    fn push(&mut self, bytes: &[u8]) {
        if !self.kaggle.is_one() && !self.container.is_one() {
            self.console.push(bytes, Stream::File, &mut self.log);
        }
        let mut segments = std::mem::take(&mut self.segments);
        segments.push(bytes, &mut |segment| self.add_segment(segment));
        self.segments = segments;
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        self.jobs.set_progress(progress);
    }

    fn memory_use(&self) -> MemoryUse {
        self.jobs.memory_use() + MemoryUse::bytes(self.lines.pairs.memory_use())
    }

    fn finish(mut self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        // Of a line of which more was to come the last number may be cut.
        let is_whole = !end.is_stopped;
        let mut too_long = std::mem::take(&mut self.segments).finish(&mut |segment| {
            if is_whole {
                self.add_segment(segment);
            }
        });
        let (mut lines, mut jobs, kaggle, container) = (self.lines, self.jobs, self.kaggle, self.container);
        lines.finish(&mut |line| jobs.add(line));
        too_long += kaggle.finish(&mut jobs) + container.finish(is_whole, &mut self.log, &mut jobs);
        self.console.finish(Stream::File, &mut self.log);
        self.log.tracker_run = jobs.wandb_run();
        let (is_framework, likely) = (jobs.has_framework_rows(), jobs.likely_rows());
        let has_progress = jobs.has_progress();
        let mut runs = jobs.finish();
        let problem = |what: String| Problem::here(Place::File, Weight::Remark, what, "");
        // Any text may come as `.txt`: without metrics it is not a run's log. A page of text may list a few steps.
        let is_page = is_page_name(&self.path);
        let rows: usize = runs.iter().map(|run| run.row_steps.len()).sum();
        let is_few = rows == 0 || (is_page && !is_framework && rows < ROWS_OF_A_PAGE);
        let has_failed = !is_page && runs.last().is_some_and(|run| run.ending.state == RunState::Crashed);
        if !is_log_name(&self.path) && is_few && !(has_failed && names_training(&self.log)) {
            return (Vec::new(), vec![problem(too_few(rows.max(likely)))]);
        }
        let of = runs.len();
        for (place, run) in runs.iter_mut().enumerate() {
            if of > 1 {
                let place = place + 1;
                // Jobs have names.
                let one = match run.name.is_empty() {
                    true => RunWarning::OneOfCommands { start: place, of },
                    false => RunWarning::OneOfJobs { job: place, of },
                };
                run.warnings.push(one);
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
        let is_started = |run: &Run| {
            let is_whole = run.config.len() >= SETTINGS_OF_TRAINING;
            run.row_steps.is_empty() && !run.config.is_empty() && (has_progress || is_whole)
        };
        let kind = |run: &Run| if is_started(run) { PartKind::StartedLog } else { PartKind::ConsoleLog };
        (runs.into_iter().map(|run| (kind(&run), run)).map(|(kind, run)| PartialRun::of(run, kind)).collect(), problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> (usize, Vec<String>) {
        let mut reader = Box::new(ConsoleFileReader::new(path));
        text.as_bytes().chunks(50).for_each(|part| reader.push(part));
        let (parts, problems) = reader.finish(&mut FileEnd::default());
        let rows = parts.iter().map(|part| part.run.row_steps.len()).sum();
        (rows, problems.into_iter().map(|problem| problem.what).collect())
    }

    #[test]
    fn the_last_line_of_a_container_needs_no_line_break() {
        let line =
            |step: u32| format!(r#"{{"log":"step {step}: loss=0.{step}, reward=0.{step}5\n","stream":"stdout"}}"#);
        let text = (1..7).map(line).collect::<Vec<_>>().join("\n");
        assert_eq!(read("c.log", &text).0, 6);
    }

    #[test]
    fn what_a_notebook_of_kaggle_printed_is_a_log() {
        let part = |step: u32, text: &str| format!(r#"{{"stream_name":"stdout","time":{step}0.5,"data":"{text}"}}"#);
        let parts = |step: u32| {
            [part(step, &format!("step {step}: loss=0.{step}, rew")), part(step, &format!("ard=0.{step}5\\n"))]
        };
        let text = format!("[{}\n]", (1..7).flat_map(parts).collect::<Vec<_>>().join("\n,"));
        assert_eq!(read("kaggle.log", &text).0, 6);
        let mut reader = Box::new(ConsoleFileReader::new("kaggle.log"));
        text.as_bytes().chunks(50).for_each(|part| reader.push(part));
        let run = reader.finish(&mut FileEnd::default()).0.remove(0).run;
        assert_eq!(run.columns["reward"].values(), [0.15, 0.25, 0.35, 0.45, 0.55, 0.65]);
        assert_eq!(run.row_times[..2], [10.5, 20.5]);
        assert_eq!((run.log.lines.len(), run.log.lines[0].text.as_str()), (6, "step 1: loss=0.1, reward=0.15"));
    }

    #[test]
    fn a_text_under_any_ending_is_a_log_where_it_holds_rows() {
        let row = |step: u32| {
            format!("epoch 0, step {step}\n[DEBUG] Batch reward stats - mean: 0.{step}, min: 0.1, max: 5.0\n")
        };
        let text: String = (11..40).map(row).collect();
        assert!(holds_rows("[V0.4GRPO]offline-run", text.as_bytes()));
        assert!(!holds_rows("train.py", text.as_bytes()) && !holds_rows("a.xyz", b"text"));
        let binary = text.replace(' ', "\u{1}");
        assert!(!holds_rows("a.xyz", binary.as_bytes()));
    }

    #[test]
    fn a_page_with_rows_of_a_trainer_is_a_log() {
        let rows = "# An error\n{'loss': 0.5, 'epoch': 0.1}\n{'loss': 0.4, 'epoch': 0.2}\n";
        assert_eq!(read("Error.md", rows).0, 2);
        assert_eq!(read("Error.md", "step:1 - actor/kl:0.1\n").0, 1);
        let notebook = "Step | Training Loss | reward\n-- | -- | --\n1 | 0.5 | 0.1\n2 | 0.4 | 0.2\n3 | 0.3 | 0.3\n";
        assert_eq!(read("Error.md", notebook).0, 3, "TRL's own table");
        let table = "| step | reward |\n|---|---|\n| 1 | 0.5 |\n| 2 | 0.6 |\n| 3 | 0.7 |\n";
        let (rows, problems) = read("README.md", table);
        assert_eq!(rows, 0);
        assert!(problems[0].starts_with("3 rows of metrics"), "{problems:?}");
    }

    #[test]
    fn the_whole_pairs_of_a_row_that_was_cut_are_read() {
        let text = "{'loss': 0.5, 'reward': 0.1, 'kl': 0.01, 'epoch': 0.1}\n\
                    {'loss': 0.4, 'reward': 0.2, 'kl': 0.02, 'epo";
        let mut reader = Box::new(ConsoleFileReader::new("log.txt"));
        reader.push(text.as_bytes());
        let run = reader.finish(&mut FileEnd::default()).0.remove(0).run;
        assert_eq!((run.columns["reward"].values(), run.columns["epoch"].values()), (&[0.1, 0.2][..], &[0.1][..]));
    }

    #[test]
    fn lines_that_were_cut_are_told() {
        let warnings = |length: usize| {
            let row = " step:1 - kl:0.1 - n:0.25";
            let text = format!("{}{row}\nstep:2 - kl:0.2\n", "x".repeat(length - row.len()));
            let mut reader = Box::new(ConsoleFileReader::new("output.log"));
            reader.push(text.as_bytes());
            let run = reader.finish(&mut FileEnd::default()).0.remove(0).run;
            assert_eq!((run.columns["kl"].len(), run.columns.len()), (2, if length == 4096 { 2 } else { 3 }));
            run.warnings
        };
        assert_eq!(warnings(4096), [RunWarning::LinesCut { lines: 1 }]);
        assert!(warnings(4095).is_empty());
    }

    #[test]
    fn a_text_says_that_its_rows_are_too_few() {
        let (rows, problems) = read("log.txt", "step: 1 loss: 3\nsaved\nstep: 2 loss: 2\n");
        assert!(rows == 0 && problems[0].starts_with("2 rows of metrics"), "{problems:?}");
        assert_eq!(read("notes.txt", "buy 3 apples\n").1, ["No line of metrics was recognised in this text."]);
    }

    #[test]
    fn a_text_that_ends_in_the_error_of_a_training_is_its_log() {
        let parts = |first: &str| {
            let text = format!("{first}\nTraceback (most recent call last):\n  File \"a.py\", line 1\nOSError: 401\n");
            let mut reader = Box::new(ConsoleFileReader::new("training_log.txt"));
            reader.push(text.as_bytes());
            reader.finish(&mut FileEnd::default()).0.len()
        };
        assert_eq!(parts("CYBER ARENA -- GRPO TRAINING"), 1);
        assert_eq!(parts("File \"trl/trainer/grpo_trainer.py\", line 3"), 1);
        assert_eq!(parts("collecting data"), 0);
    }

    #[test]
    fn lines_of_a_logger_behind_a_bar_are_rows() {
        let line = |step: u32| {
            format!(
                "\r {step}%|# | {step}/90 [00:07<9:12, 6.7s/it]2026-05-04 04:43:5{step},1 [INFO] Step {step}: reward=0.{step} kl=0.1\n"
            )
        };
        assert_eq!(read("train.log", &(1..=4).map(line).collect::<String>()).0, 4);
    }

    #[test]
    fn lines_that_a_terminal_broke_are_rows() {
        let row = |epoch: u32| {
            let digits = "7".repeat(epoch as usize % 5 + 1);
            format!(
                "{{'loss': 0.{digits}, 'completions/mean_length': 384.0, 'reward': -1.{digits}, 'kl': 0.001, 'epoch': 0.{epoch}}}"
            )
        };
        let shown = |line: String| {
            let signs: Vec<char> = line.chars().collect();
            signs.chunks(60).map(|part| part.iter().collect::<String>() + "\n").collect::<String>()
        };
        let text: String = (1..8).map(|epoch| shown(row(epoch))).collect();
        assert_eq!(read("output.txt", &text).0, 7);
    }

    #[test]
    fn lines_that_were_broken_between_words_are_rows() {
        let row = |step: u32| {
            format!(
                "  {step}%|##  | {step}/100 [01:00<09:00, 6.0s/it]{{'loss': '0.{step}',\n  'reward': '0.{step}', \
                 'completions/mean_length':\n  '29', 'epoch': '0.{step}'}}\n"
            )
        };
        let text: String = (1..8).map(row).collect();
        let mut reader = Box::new(ConsoleFileReader::new("terminal.txt"));
        reader.push(text.as_bytes());
        let (parts, _) = reader.finish(&mut FileEnd::default());
        assert_eq!(parts[0].run.columns["step"].values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "those of the bars");
        let verl = |step: u32| format!("step:{step} - actor/kl:0.00{step} -\n  critic/score/mean:0.{step}\n");
        assert_eq!(read("verl.log", &(1..8).map(verl).collect::<String>()).0, 7);
    }
}

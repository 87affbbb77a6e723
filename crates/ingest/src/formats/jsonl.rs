//! JSON Lines: one object per line, as most home-made loggers and verl's file logger write. A line may also be a
//! whole run or an Axiom event.

use super::json_document::whole_runs;
use super::json_objects::JsonObjects;
use crate::budget::{MemoryUse, WHOLE_PIECE};
use crate::rows::metric_words::is_score;
use crate::rows::names::{is_count_name, is_metric_name};
use crate::rows::read_progress::ReadProgress;
use crate::syntax::json::{Balance, is_blank};
use crate::syntax::lines::LineSplitter;
use crate::{FileEnd, FileReader, Occurrences, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use rundown_format::bytes;
use rundown_run::{Column, FileFormat, Run};

/// Reads a file of JSON lines.
#[derive(Default)]
pub(crate) struct JsonLinesReader {
    items: JsonObjects,
    lines: LineSplitter,
    /// Number of the line that was read last.
    line: u64,
    /// Lines that are no objects.
    bad: Occurrences,
    open: Option<OpenObject>,
    /// Lines that are longer than is kept.
    too_long: Occurrences,
    /// Each line so far names the weights of a checkpoint; `None` before the first.
    are_checkpoints: Option<bool>,
}

/// Names of paths to the weights of a checkpoint, as tinker lists them.
const WEIGHTS: [&[u8]; 3] = [b"\"state_path\"", b"\"sampler_path\"", b"\"checkpoint_path\""];

/// An object that is written over several lines, as far as it came.
#[derive(Default)]
struct OpenObject {
    bytes: Vec<u8>,
    balance: Balance,
    /// Line on which it begins.
    line: u64,
}

impl JsonLinesReader {
    fn add_line(&mut self, line: &[u8]) {
        self.line += 1;
        if line.len() > WHOLE_PIECE {
            return self.too_long.add(self.line);
        }
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if let Some(mut open) = self.open.take() {
            // A line that begins an object ends one that was broken off.
            if !line.starts_with(b"{") && open.bytes.len() + line.len() < WHOLE_PIECE {
                open.bytes.push(b'\n');
                open.bytes.extend_from_slice(line);
                match open.balance.add(line) {
                    true if self.items.add(&open.bytes, whole_runs) => {}
                    true => self.bad.add(open.line),
                    false => self.open = Some(open),
                }
                return;
            }
            self.bad.add(open.line);
        }
        if line.iter().all(|byte| is_blank(*byte)) {
            return;
        }
        let names_weights = || WEIGHTS.iter().any(|name| memchr::memmem::find(line, name).is_some());
        self.are_checkpoints = Some(self.are_checkpoints != Some(false) && names_weights());
        if self.items.add(line, whole_runs) {
            return;
        }
        let mut balance = Balance::default();
        // A text does not go over lines: such a line is broken off.
        if line.starts_with(b"{") && !balance.add(line) && !balance.is_in_string() {
            self.open = Some(OpenObject { bytes: line.to_vec(), balance, line: self.line });
        } else {
            self.bad.add(self.line);
        }
    }
}

impl FileReader for JsonLinesReader {
    fn push(&mut self, bytes: &[u8]) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(bytes, WHOLE_PIECE, |bytes| memchr::memchr(b'\n', bytes), |line| self.add_line(line));
        self.lines = lines;
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        self.items.set_progress(progress);
    }

    fn memory_use(&self) -> MemoryUse {
        self.items.memory_use() + MemoryUse::bytes(self.lines.memory_use())
    }

    fn finish(mut self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let last = std::mem::take(&mut self.lines).finish();
        let is_too_long = last.len() > WHOLE_PIECE;
        let mut is_cut = false;
        if is_too_long || !end.is_stopped {
            let bad = self.bad;
            self.add_line(&last);
            // A last line without its end is no damage: it may still be written.
            is_cut = !is_too_long && (self.open.is_some() || self.bad != bad);
            self.bad = bad;
        }
        let sorted = self.items.finish();
        if !sorted.events.is_empty() {
            end.format = FileFormat::Axiom;
        } else if !sorted.runs.is_empty() {
            end.format = if sorted.are_listed { FileFormat::RunsTable } else { FileFormat::RunExport };
        }
        let mut problems = sorted.left_out;
        let mut report = |place, weight, what: String, remedy: &str| {
            problems.push(Problem::here(place, weight, what, remedy));
        };
        if let Some(line) = self.bad.first {
            let what = match self.bad.count {
                1 => "One line is not a JSON object and was skipped.".to_owned(),
                bad => format!("{bad} lines are not JSON objects and were skipped."),
            };
            report(Place::Line(line), Weight::Partial, what, "");
        }
        if let Some(line) = self.too_long.first {
            let most = bytes(WHOLE_PIECE as u64);
            let what = format!("Too large: {} lines are longer than {most} and were skipped.", self.too_long.count);
            report(Place::Line(line), Weight::Partial, what, "");
        }
        if is_cut {
            let what = "The last line ends early: it is cut, or was still being written.".to_owned();
            // Behind a line break there is no further line.
            let line = self.line.saturating_sub(u64::from(last.is_empty()));
            report(Place::Line(line), Weight::Remark, what, "");
        }
        let are_checkpoints = self.are_checkpoints == Some(true);
        let mut runs: Vec<_> = sorted.rows.into_iter().filter(|run| has_metrics(run, are_checkpoints)).collect();
        let has_rows = !runs.is_empty();
        runs.extend(sorted.runs);
        runs.extend(sorted.events.finish());
        if runs.is_empty() && are_checkpoints {
            report(Place::File, Weight::Remark, "These lines list checkpoints and hold no metric.".to_owned(), "");
            return (Vec::new(), problems);
        }
        if runs.is_empty() {
            let what = "No line holds a number to plot.".to_owned();
            let remedy = "Lines such as {\"step\": 1, \"reward\": 0.5} are read.";
            report(Place::File, Weight::Lost, what, remedy);
            return (Vec::new(), problems);
        }
        if has_rows && sorted.are_samples {
            let what =
                "These lines are samples (prompts and completions), not metrics, and are not supported yet.".to_owned();
            report(Place::File, Weight::Remark, what, "");
            return (Vec::new(), problems);
        }
        let part = |run| PartialRun::of(run, PartKind::History);
        (runs.into_iter().map(part).collect(), problems)
    }
}

/// False for rows that count and hold no number besides. Those of a list of checkpoints may also hold flags, and places in the data.
fn has_metrics(run: &Run, are_checkpoints: bool) -> bool {
    let is_flag = |column: &Column| column.values().iter().all(|value| *value == 0.0 || *value == 1.0);
    let is_listed = |name: &str, column: &Column| {
        name.ends_with("_idx") || name.ends_with("_index") || (is_flag(column) && !is_score(name))
    };
    let mut columns = run.columns.iter().filter(|(name, _)| is_metric_name(name) && !is_count_name(name));
    let has_number = columns.any(|(name, column)| !are_checkpoints || !is_listed(name, column));
    !run.tables.is_empty() || !run.histograms.is_empty() || has_number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_limit::MAX_RUNS;

    fn read(text: &str, slice: usize) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut reader = Box::new(JsonLinesReader::default());
        for part in text.as_bytes().chunks(slice) {
            reader.push(part);
        }
        reader.finish(&mut FileEnd::default())
    }

    #[test]
    fn lines_may_be_cut_anywhere_and_end_as_they_like() {
        let text =
            "\u{feff}{\"step\": 1, \"loss\": 0.5}\r\n\r\n{\"step\": 2, \"loss\": NaN}\n{\"step\": 3, \"loss\": 1}";
        let whole = read(text, text.len());
        assert_eq!(whole.0[0].run.row_steps.len(), 3);
        assert_eq!(whole.0[0].run.columns["step"].values(), [1.0, 2.0, 3.0]);
        assert!(whole.1.is_empty());
        for slice in [1, 2, 7, 30] {
            let parts = read(text, slice);
            assert_eq!(parts.0[0].run.columns["step"], whole.0[0].run.columns["step"]);
            assert!(parts.1.is_empty());
        }
    }

    #[test]
    fn bad_lines_are_counted_and_cost_themselves_alone() {
        let (parts, problems) = read("{\"step\": 1, \"a\": 1}\noops\n{\"step\":\n{\"step\": 2, \"a\": 2}\n{\"st", 5);
        assert_eq!(parts[0].run.columns["a"].values(), [1.0, 2.0]);
        let places: Vec<_> = problems.iter().map(|problem| (problem.place, problem.weight)).collect();
        assert_eq!(places, [(Place::Line(2), Weight::Partial), (Place::Line(5), Weight::Remark)]);
        assert!(problems[0].what.starts_with("2 lines"));
    }

    #[test]
    fn objects_over_several_lines_are_rows() {
        let text = "{\n  \"step\": 1,\n  \"a\": {\"x\": 1}\n}\n{\n \"step\": 2,\n \"a\": {\n \"x\": 2}\n}\n{\n \"step\":\n{\"step\": 3, \"a\": {\"x\": 3}}\n{\n\"st";
        for slice in [1, 9, text.len()] {
            let (parts, problems) = read(text, slice);
            assert_eq!(parts[0].run.columns["a.x"].values(), [1.0, 2.0, 3.0]);
            let places: Vec<_> = problems.iter().map(|problem| (problem.place, problem.weight)).collect();
            assert_eq!(places, [(Place::Line(10), Weight::Partial), (Place::Line(14), Weight::Remark)]);
        }
    }

    #[test]
    fn lines_of_a_run_each_are_runs() {
        let text = "{\"run_id\": \"a\", \"lr\": 1e-5, \"kl\": 1}\n{\"run_id\": \"b\", \"lr\": 2e-5, \"kl\": 2}\n";
        let found = read(text, 5).0;
        let runs: Vec<_> = found.iter().map(|part| (part.run.id.as_str(), part.run.summary.len())).collect();
        assert_eq!(runs, [("a", 1), ("b", 1)]);
        assert_eq!(read(&format!("{text}{text}"), 5).0[0].run.row_steps.len(), 2, "rows of two runs");
    }

    #[test]
    fn a_file_without_numbers_is_lost() {
        let (parts, problems) = read("{\"event\": \"start\"}\n{}\n", 100);
        assert!(parts.is_empty());
        assert_eq!(problems[0].weight, Weight::Lost);
    }

    #[test]
    fn a_list_of_checkpoints_is_no_run() {
        let row = |row: u32, more: &str| {
            format!("{{\"name\": \"0000{row}0\", \"batch\": {row}0, \"state_path\": \"a:w/{row}0\"{more}}}\n")
        };
        let list = |more: &str| read(&(row(2, more) + &row(4, more)), 100);
        for more in ["", ", \"rolling\": true", ", \"dataset_idx\": 64, \"sampler_path\": \"a:s/20\""] {
            let (parts, problems) = list(more);
            assert!(parts.is_empty(), "{more}");
            assert_eq!((problems.len(), problems[0].weight), (1, Weight::Remark));
        }
        assert_eq!(list(", \"reward\": 0.5").0.len(), 1);
        assert_eq!(list(", \"solved\": true").0.len(), 1, "a flag that is a score");
        assert_eq!(read("{\"batch\": 20, \"solved\": true}\n{\"batch\": 40, \"solved\": false}\n", 100).0.len(), 1);
        let counts = read("{\"batch\": 20}\n{\"batch\": 40}\n", 100);
        assert_eq!((counts.0.len(), counts.1[0].what.as_str()), (0, "No line holds a number to plot."));
    }

    #[test]
    fn a_line_that_is_cut_is_told_by_its_own_number() {
        for (end, line) in [("{\"step\": 2, \"a\": 2,\n", 2), ("{\"step\": 2, \"a\": 2,\n\"b\"", 3)] {
            let problems = read(&format!("{{\"step\": 1, \"a\": 1}}\n{end}"), 100).1;
            assert_eq!((problems[0].place, problems[0].weight), (Place::Line(line), Weight::Remark));
        }
    }

    #[test]
    fn whole_runs_and_rows_of_runs_are_read_up_to_a_limit() {
        let lines = |line: fn(usize) -> String| (0..=MAX_RUNS).map(line).collect::<String>();
        let whole = lines(|run| format!("{{\"name\":\"r{run}\",\"config\":{{}},\"summary\":{{\"x\":1}}}}\n"));
        let rows = lines(|run| format!("{{\"run\":\"r{run}\",\"step\":1,\"x\":1}}\n"));
        for (text, thing) in [(whole, "run"), (rows, "row")] {
            let (parts, problems) = read(&text, 4096);
            let what = format!("1 {thing} is left out: no more than 20,000 runs are read of one file.");
            assert_eq!((parts.len(), &problems[0].what), (MAX_RUNS, &what));
        }
    }
}

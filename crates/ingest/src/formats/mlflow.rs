//! MLflow's run folders: `mlruns/<experiment>/<run>/{meta.yaml, metrics/…, params/…, tags/…}`.
//!
//! Each metric, parameter and tag is a file of its own, recognised by its path: its content may be anything. The files of
//! one folder are joined when everything is there (`assemble::join_by_id`). A metric's line is `time in ms, value, step`,
//! and a folder below `metrics` is the part of its name before a `/`.

use super::csv::tag_of_mlflow;
use crate::budget::MemoryUse;
use crate::rows::points::{PointCollector, PointPart};
use crate::rows::run_fields::{identify, setting};
use crate::syntax::json::{Json, plain_number};
use crate::syntax::lines::LineSplitter;
use crate::syntax::yaml;
use crate::time::unix_seconds;
use crate::{FileEnd, FileReader, Occurrences, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use rundown_run::{Ending, Run, RunState};

/// The states of a run by their numbers in MLflow's protocol (`RunStatus`).
const STATES: [(f64, RunState); 5] = [
    (1.0, RunState::Running),
    (2.0, RunState::Running),
    (3.0, RunState::Finished),
    (4.0, RunState::Failed),
    (5.0, RunState::Killed),
];
/// Longest line of a metric, parameter, tag or `meta.yaml` that is kept; the rest is passed over.
const MAX_TEXT: usize = 1 << 20;

/// A file of a run folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceOf<'p> {
    /// The run folder, with everything before it.
    pub(crate) folder: &'p str,
    /// Id of the run, empty for an experiment.
    pub(crate) id: &'p str,
    kind: PieceKind,
    /// What the file is called within its kind.
    name: &'p str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Metric,
    Parameter,
    Tag,
    Meta,
    /// The `meta.yaml` of an experiment, whose folder holds the runs.
    Experiment,
}

/// The piece that the file at `path` is, if it is one.
pub(crate) fn piece(path: &str) -> Option<PieceOf<'_>> {
    let mut start = 0;
    for part in path.split('/') {
        let end = start + part.len();
        if is_run_id(part) {
            let folder = path.get(..end)?;
            let rest = path.get(end..)?.strip_prefix('/')?;
            let (kind, name) = match rest.split_once('/') {
                Some(("metrics", name)) => (PieceKind::Metric, name),
                Some(("params", name)) => (PieceKind::Parameter, name),
                Some(("tags", name)) => (PieceKind::Tag, name),
                None if rest == "meta.yaml" => (PieceKind::Meta, rest),
                _ => return None,
            };
            return Some(PieceOf { folder, id: part, kind, name });
        }
        start = end + 1;
    }
    experiment(path)
}

/// `mlruns/<number>/meta.yaml`.
fn experiment(path: &str) -> Option<PieceOf<'_>> {
    let folder = path.strip_suffix("/meta.yaml")?;
    let (root, number) = folder.rsplit_once('/')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_store = crate::path::file_name(root) == "mlruns";
    (is_number && is_store).then_some(PieceOf { folder, id: "", kind: PieceKind::Experiment, name: number })
}

/// True for what MLflow keeps beside its runs and is not needed: the registry of models, and traces.
pub(crate) fn is_ignored(path: &str) -> bool {
    path.split_once("mlruns/").is_some_and(|(_, below)| {
        let mut parts = below.split('/');
        parts.next() == Some("models") || matches!(parts.next(), Some("models" | "traces"))
    })
}

fn is_run_id(part: &str) -> bool {
    part.len() == 32 && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Reads one file of a run folder.
#[derive(Default)]
pub(crate) struct MlflowReader {
    path: String,
    points: PointCollector,
    /// The lines of a metric.
    lines: LineSplitter,
    /// Number of the line that was read last.
    line: u64,
    /// Lines that could not be understood.
    bad: Occurrences,
    /// The text of any other piece, so far.
    text: Vec<u8>,
}

impl MlflowReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    fn metric_line(&mut self, line: &[u8]) {
        self.line += 1;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(time) = words.next() else { return };
        // Words such as "nan" are left to the standard library, which is slow.
        let number = |word| plain_number(word).or_else(|| std::str::from_utf8(word).ok()?.parse().ok());
        let point = (|| {
            let (time, value) = (number(time)?, number(words.next()?)?);
            // Files of before 2018 have no step.
            let step = words.next().map_or(Some(0.0), number)?;
            Some((step, time / 1e3, value))
        })();
        match point {
            Some((step, time, value)) => self.points.push("", PointPart::Value, step, time, value),
            None => self.bad.add(self.line),
        }
    }
}

impl FileReader for MlflowReader {
    fn push(&mut self, bytes: &[u8]) {
        if piece(&self.path).is_some_and(|piece| piece.kind == PieceKind::Metric) {
            let mut lines = std::mem::take(&mut self.lines);
            lines.push(bytes, MAX_TEXT, |bytes| memchr::memchr(b'\n', bytes), |line| self.metric_line(line));
            self.lines = lines;
            return;
        }
        let room = MAX_TEXT.saturating_sub(self.text.len()).min(bytes.len());
        self.text.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }

    fn memory_use(&self) -> MemoryUse {
        self.points.memory_use()
    }

    fn finish(mut self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let path = std::mem::take(&mut self.path);
        let Some(piece) = piece(&path) else { return (Vec::new(), Vec::new()) };
        let text = std::mem::take(&mut self.text);
        let mut run = Run { id: piece.id.to_owned(), ..Run::default() };
        let mut problems = Vec::new();
        match piece.kind {
            PieceKind::Metric => {
                let last = std::mem::take(&mut self.lines).finish();
                if !last.is_empty() && !end.is_stopped {
                    self.metric_line(&last);
                }
                let points = self.points.into_run();
                run.row_steps = points.row_steps;
                run.row_times = points.row_times;
                if let Some(column) = points.columns.into_values().next() {
                    run.columns.insert(piece.name.to_owned(), column);
                }
            }
            PieceKind::Parameter => run.config.insert(piece.name, setting(&String::from_utf8_lossy(&text))),
            PieceKind::Tag => tag_of_mlflow(&mut run, piece.name, String::from_utf8_lossy(&text).trim()),
            PieceKind::Meta => meta(&mut run, &String::from_utf8_lossy(&text)),
            PieceKind::Experiment => {
                let mut named = Run::default();
                meta(&mut named, &String::from_utf8_lossy(&text));
                run.project = Some(named.name);
            }
        }
        if let Some(line) = self.bad.first {
            let what = format!("{} lines of this metric could not be understood and were skipped.", self.bad.count);
            problems.push(Problem::here(Place::Line(line), Weight::Partial, what, ""));
        }
        (vec![PartialRun { run, kind: PartKind::History, folder: piece.folder.to_owned() }], problems)
    }
}

/// Reads `meta.yaml`.
fn meta(run: &mut Run, text: &str) {
    // A file that is cut still says what stands before the cut.
    let Json::Object(members) = yaml::parse(text).tree else { return };
    for (key, value) in members {
        match (key.as_str(), value) {
            ("status", Json::Number(number)) => end_by_number(run, number),
            ("start_time", Json::Number(time)) => run.started_at = unix_seconds(time).or(run.started_at),
            ("status" | "run_name" | "name" | "start_time", value) => _ = identify(run, &key, &text_of(value)),
            ("experiment_id", value) => run.project = Some(text_of(value)),
            _ => {}
        }
    }
}

fn text_of(value: Json) -> String {
    match value {
        Json::Null => String::new(),
        // As it is written: a setting of this size would be shown with an exponent.
        Json::Number(number) => number.to_string(),
        other => other.into_text(),
    }
}

/// MLflow writes the state as a number of its protocol.
fn end_by_number(run: &mut Run, number: f64) {
    let Some((_, state)) = STATES.into_iter().find(|(known, _)| *known == number) else { return };
    let evidence = vec![format!("MLflow's meta.yaml says that the run is {}", state.as_str())];
    run.ending = Ending { state, evidence, ..Ending::default() };
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "mlruns/1/0123456789abcdef0123456789abcdef";

    fn read(path: &str, text: &str) -> (Run, Vec<Problem>) {
        let mut reader = Box::new(MlflowReader::new(&format!("{RUN}/{path}")));
        text.as_bytes().chunks(5).for_each(|part| reader.push(part));
        let (mut parts, problems) = reader.finish(&mut FileEnd::default());
        assert_eq!(parts[0].folder, RUN);
        (parts.remove(0).run, problems)
    }

    #[test]
    fn paths_tell_what_a_file_is() {
        let path = format!("{RUN}/metrics/train/loss");
        assert_eq!(piece(&path).map(|piece| (piece.kind, piece.name)), Some((PieceKind::Metric, "train/loss")));
        assert_eq!(
            piece("x/mlruns/0/meta.yaml").map(|piece| (piece.kind, piece.folder)),
            Some((PieceKind::Experiment, "x/mlruns/0"))
        );
        for other in ["metrics/loss", "a/b.csv", "a/0/meta.yaml"] {
            assert_eq!(piece(other), None, "{other}");
        }
        assert_eq!(piece(&format!("{RUN}/artifacts/a.csv")), None);
        assert!(is_ignored("mlruns/models/x/meta.yaml") && is_ignored("mlruns/1/models/m-1/params/a"));
        assert!(!is_ignored(&format!("{RUN}/artifacts/trainer_state.json")));
    }

    #[test]
    fn a_metric_is_lines_of_time_value_and_step() {
        let (run, problems) =
            read("metrics/a/b", "1790000000500 0.5 10\n1790000001500 nan 20\noops\n1790000002500 -inf 30 d h");
        let column = &run.columns["a/b"];
        assert_eq!((column.values()[0], run.row_steps.clone()), (0.5, vec![10.0, 20.0, 30.0]));
        assert!(column.values()[1].is_nan() && column.values()[2] == f64::NEG_INFINITY);
        assert_eq!(run.row_times[0], 1_790_000_000.5);
        assert_eq!(problems[0].place, Place::Line(3));
    }

    #[test]
    fn meta_parameters_and_tags_describe_the_run() {
        let (run, _) =
            read("meta.yaml", "run_name: 'amber: 1'\nstatus: 4\nstart_time: 1790000000500\nend_time: null\n");
        assert_eq!((run.name.as_str(), run.ending.state), ("amber: 1", RunState::Failed));
        assert_eq!(run.started_at, Some(1_790_000_000.5));
        assert!(read("params/lr", "1e-05").0.config.number(&["lr"]).is_some());
        assert_eq!(read("tags/mlflow.runName", "amber").0.name, "amber");
        assert_eq!(read("tags/team", "red").0.tags, ["team: red"]);
    }
}

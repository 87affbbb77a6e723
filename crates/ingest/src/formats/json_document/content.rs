//! What a JSON document holds, found out while its pieces come: several shapes are collected side by side, and the
//! one that says most wins at the end.

use super::frame::JsonFrame;
use super::named_parts::{NamedParts, is_history};
use super::rundown_report::ReportBuilder;
use super::{tracker_run, trainer_state};
use crate::budget::MemoryUse;
use crate::formats::axiom;
use crate::formats::json_objects::JsonObjects;
use crate::formats::run_export::ExportBuilder;
use crate::rows::closing_row::{closed, is_closing_json};
use crate::rows::frame_gaps::remove_gaps;
use crate::rows::metric_words;
use crate::rows::points::{PointCollector, PointPart};
use crate::rows::read_progress::ReadProgress;
use crate::syntax::json::{Json, Piece, PieceSink, Scanner, Splitter, Token};
use crate::time::unix_seconds;
use crate::{Problem, ReportedRun};
use rundown_run::{Artifact, FileFormat, Run};

/// Lists that hold rows, by the key that they stand under. The empty key is that of a bare list.
const ROW_LISTS: [&str; 4] = [LOG_HISTORY, "history", "", "runs"];
/// The list of a `trainer_state.json`.
const LOG_HISTORY: &str = "log_history";
/// Objects that may hold a history by column.
const HISTORY_MEMBERS: [&str; 2] = ["history", "scan_history"];
/// Largest member that is looked at as a whole, histories aside.
const MAX_MEMBER: usize = 16 << 20;
/// Bytes that a parsed member takes for each of its text: `{"a":1}` becomes a map with room for eleven.
const TREE_RATIO: usize = 16;

/// Collects the members of a JSON document in every supported shape; at the end one of them is its runs.
#[derive(Default)]
pub(super) struct DocumentContent {
    items: JsonObjects,
    /// The file's name where it is that of a curve: what a bare list of numbers in it is.
    curve: Option<String>,
    /// Set by `log_history`, even when it is empty.
    is_trainer_state: bool,
    members: Vec<(String, Json)>,
    /// Bytes of JSON of members, of an export and of a report.
    member_bytes: usize,
    /// The Trainer's last entry, which sums up the training.
    totals: Option<Json>,
    export: Option<Box<ExportBuilder>>,
    /// A report of Rundown, from its first members on.
    report: ReportBuilder,
    /// The object itself as a table, and its `history` as one.
    frame: JsonFrame,
    history: JsonFrame,
    /// `[wall time, step, value]`.
    triples: PointCollector,
    tags: Vec<String>,
    artifacts: Vec<Artifact>,
    others: NamedParts,
    bad: u64,
    /// Members that were too long to be looked at.
    too_long: u64,
}

/// What came of a document.
#[derive(Default)]
pub(super) struct DocumentRuns {
    pub(super) runs: Vec<Run>,
    /// Runs of a report.
    pub(super) reported: Vec<ReportedRun>,
    pub(super) format: Option<FileFormat>,
    /// Rows are prompts and completions.
    pub(super) are_samples: bool,
    /// A later version of Rundown wrote it.
    pub(super) is_newer: bool,
    /// It is a `trainer_state.json`, which may be without any log.
    pub(super) is_trainer_state: bool,
    pub(super) bad: u64,
    /// What is of runs too many.
    pub(super) left_out: Vec<Problem>,
    /// Members that were too long to be looked at.
    pub(super) too_long: u64,
}

impl DocumentContent {
    /// The content of a file with this name, without its ending.
    pub(super) fn named(stem: &str) -> Self {
        let curve = Some(stem.to_owned()).filter(|name| metric_words::is_curve(name));
        Self { curve, frame: JsonFrame::named(stem), ..Self::default() }
    }

    /// Reads a document that is there as a whole, such as one line of a file.
    pub(super) fn of(bytes: &[u8]) -> DocumentRuns {
        let mut content = DocumentContent::default();
        let mut splitter = Splitter::default();
        splitter.push(bytes, &mut content);
        let outcome = splitter.finish(&mut content);
        let mut found = content.finish();
        found.bad += u64::from(outcome.broken_at.is_some() || outcome.is_cut);
        found
    }

    /// Says how far the file has been read.
    pub(super) fn set_progress(&mut self, progress: ReadProgress) {
        self.items.set_progress(progress);
    }

    /// What the pieces take, about.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let frames = self.frame.memory_use() + self.history.memory_use() + self.triples.memory_use();
        self.items.memory_use() + frames + self.others.memory_use() + MemoryUse::bytes(self.member_bytes)
    }

    fn element(&mut self, key: &str, value: &[u8]) -> bool {
        let is_object = value.starts_with(b"{");
        if self.report.is_report() {
            self.member_bytes += value.len();
            return key != "runs" || self.report.add(value);
        }
        match key {
            LOG_HISTORY => {
                self.is_trainer_state = true;
                if is_closing_json(value) {
                    let totals = Json::parse(value);
                    let is_good = totals.is_ok();
                    self.totals = totals.ok().or(self.totals.take());
                    return is_good;
                }
                self.items.add(value, whole_runs)
            }
            "" if value.starts_with(b"[") => self.triple(value),
            "" if !is_object && self.curve.is_some() => {
                self.frame.element(self.curve.as_deref().unwrap_or_default(), value).is_ok()
            }
            "matches" if is_object => self.items.add(value, whole_runs),
            "tables" if is_object => {
                Json::parse(value).map(|table| axiom::add_table(&mut self.items.events, &table)).is_ok()
            }
            "artifacts" if is_object => Json::parse(value).map(|value| self.artifacts.extend(artifact(&value))).is_ok(),
            "tags" => Json::parse(value).map(|tag| self.tags.extend(tag.text().map(str::to_owned))).is_ok(),
            "runs" if is_object => self.items.add(value, listed_runs),
            // Also ""; what is no object there is nothing.
            _ if ROW_LISTS.contains(&key) => self.items.add(value, run_or_row),
            _ if is_object => match run_or_row(value) {
                Some(runs) => {
                    self.items.add_runs(runs, value.len());
                    true
                }
                None => self.others.row(key, value),
            },
            _ => self.frame.element(key, value).is_ok(),
        }
    }

    fn member(&mut self, key: &str, value: &[u8]) -> bool {
        // Every trainer state has this member, also one without any log yet.
        self.is_trainer_state |= key == "is_world_process_zero";
        if key == "rundown_run" {
            let mut export = Box::new(ExportBuilder::default());
            export.add(Piece::Member { key, value });
            self.export = Some(export);
            return true;
        }
        if self.report.member(key, value) {
            return true;
        }
        if HISTORY_MEMBERS.contains(&key) {
            return self.history.members(value).is_ok();
        }
        let cells = self.frame.len();
        if value.starts_with(b"{") && !matches!(key, "config" | "summary" | "buckets") {
            self.others.object(key, value);
            if key != "metrics" {
                self.frame.object(key, value).ok();
            }
        }
        if value.len() > MAX_MEMBER && key != "metrics" {
            // A column of a table is read all the same.
            self.too_long += u64::from(self.frame.len() == cells);
            return true;
        }
        self.member_bytes += value.len().saturating_mul(TREE_RATIO);
        match Json::parse(value) {
            Ok(value) if key == "buckets" => axiom::add_buckets(&mut self.items.events, &value),
            Ok(value) => self.members.push((key.to_owned(), value)),
            Err(_) => return false,
        }
        true
    }

    /// `[wall time, step, value]`, as TensorBoard's downloads have it.
    fn triple(&mut self, value: &[u8]) -> bool {
        let mut scanner = Scanner::new(value);
        let mut numbers = Vec::with_capacity(3);
        while let Ok(Some(token)) = scanner.next() {
            match token {
                Token::Number(text) => numbers.push(crate::syntax::json::number(text)),
                Token::Text(text) => numbers.extend(crate::syntax::json::nonfinite_word(&text)),
                Token::ArrayStart | Token::ArrayEnd => {}
                _ => return true,
            }
        }
        if let [time, step, value] = numbers[..]
            && unix_seconds(time).is_some()
        {
            self.triples.push("", PointPart::Value, step, time, value);
        }
        true
    }

    /// The runs of the shape that says most.
    pub(super) fn finish(self) -> DocumentRuns {
        let too_long = self.too_long;
        DocumentRuns { too_long, ..self.runs() }
    }

    fn runs(mut self) -> DocumentRuns {
        (self.frame, self.history) = (self.frame.settle(), self.history.settle());
        let bad = self.bad + self.frame.headless();
        if let Some(export) = self.export {
            let (run, lost, is_newer) = export.finish();
            let format = Some(FileFormat::RundownExport);
            return DocumentRuns { runs: vec![run], format, is_newer, bad: bad + lost, ..DocumentRuns::default() };
        }
        if self.report.is_report() {
            let (reported, is_newer) = self.report.finish();
            return DocumentRuns {
                reported,
                format: Some(FileFormat::RundownReport),
                is_newer,
                bad,
                ..DocumentRuns::default()
            };
        }
        let items = self.items.finish();
        let (left_out, are_samples) = (items.left_out, items.are_samples);
        let mut found = DocumentRuns { bad, left_out, are_samples, ..DocumentRuns::default() };
        if !items.events.is_empty() {
            found.format = Some(FileFormat::Axiom);
            found.runs = items.events.finish();
            return found;
        }
        let has_rows = items.rows.iter().any(|run| !run.row_steps.is_empty());
        if self.is_trainer_state {
            let mut run = items.rows.into_iter().next().unwrap_or_default();
            trainer_state::describe(&mut run, self.members, self.totals);
            found.is_trainer_state = true;
            found.runs.push(run);
            return found;
        }
        if !items.runs.is_empty() {
            let format = if items.are_listed { FileFormat::RunsTable } else { FileFormat::RunExport };
            found.format = Some(format);
            found.runs = items.runs;
            return found;
        }
        if self.triples.len() > 0 {
            found.format = Some(FileFormat::TensorBoardDownload);
            found.runs.push(self.triples.into_run());
            return found;
        }
        let listed = self.others.take_listed_runs();
        let is_run = tracker_run::is_run(&self.members);
        let metrics = self.members.iter().find(|(key, _)| key == "metrics").map(|(_, value)| value);
        let mut histories: Vec<Run> = Vec::new();
        let is_main = |frame: &JsonFrame| frame.has_training_rows() || (!is_run && frame.has_history());
        let is_table = self.history.has_history() || (is_run && !self.history.is_empty());
        // Without a step a list of objects may be anything, such as a data set.
        if has_rows && (items.has_step || is_run || items.rows.iter().all(is_history)) {
            histories = items.rows;
            if let ([run], true) = (&mut histories[..], items.is_closed) {
                run.ending = closed();
            }
        } else if is_table {
            histories.push(self.history.into_run());
        } else if let Some(run) = metrics.and_then(tracker_run::history_of_metrics) {
            histories.push(run);
        } else if self.curve.is_some() && self.frame.has_metric_lists() {
            histories.push(std::mem::take(&mut self.frame).into_run());
        } else if let Some((are_samples, runs)) =
            self.others.into_histories([self.frame, self.history].into_iter().find(is_main))
        {
            found.are_samples |= are_samples;
            histories = runs;
        } else if is_run {
            histories.push(Run::default());
        }
        if histories.is_empty() {
            found.format = (!listed.is_empty()).then_some(FileFormat::RunsTable);
            found.runs = listed;
            return found;
        }
        histories.iter_mut().for_each(remove_gaps);
        if is_run || !self.artifacts.is_empty() || self.members.iter().any(|(key, _)| key == "config") {
            found.format = Some(FileFormat::RunExport);
        }
        if let [run] = &mut histories[..] {
            let settings = std::mem::take(&mut run.config);
            tracker_run::describe(run, self.members);
            // Settings that were read with the rows go below those of the object itself.
            run.config.add_missing(&settings);
            run.tags.extend(self.tags);
            run.artifacts = self.artifacts;
        }
        found.runs = histories;
        found
    }
}

impl PieceSink for DocumentContent {
    fn add(&mut self, piece: Piece<'_>) -> bool {
        if let Some(export) = &mut self.export {
            self.member_bytes += piece.len();
            export.add(piece);
            return true;
        }
        let is_good = match piece {
            Piece::Element { key, value } => self.element(key, value),
            Piece::Member { key, value } => self.member(key, value),
            // Of an export alone, which took it.
            Piece::Inner { .. } => true,
        };
        self.bad += u64::from(!is_good);
        is_good
    }

    fn opens(&self, key: &str) -> bool {
        self.export.is_some() && ExportBuilder::opens(key)
    }

    fn add_element(&mut self, key: &str, bytes: &[u8]) -> Option<usize> {
        if !ROW_LISTS.contains(&key) || self.export.is_some() || self.report.is_report() {
            return None;
        }
        let length = self.items.add_element(bytes)?;
        self.is_trainer_state |= key == LOG_HISTORY;
        Some(length)
    }
}

/// True for an object that is a whole run, as lists and lines of runs hold them.
fn is_run_object(bytes: &[u8]) -> bool {
    let contains = |needle: &[u8]| memchr::memmem::find(bytes, needle).is_some();
    if contains(b"\"rundown_run\"") {
        return true;
    }
    if !(contains(b"\"history\"") || contains(b"\"summary") || contains(b"\"config\"")) {
        return false;
    }
    let mut scanner = Scanner::new(bytes);
    let (mut has_config, mut has_summary, mut has_history, mut has_step) = (false, false, false, false);
    if scanner.next() != Ok(Some(Token::ObjectStart)) {
        return false;
    }
    while let Ok(Some(Token::Key(key))) = scanner.next() {
        let key = key.into_owned();
        let value = scanner.next();
        let is_object = matches!(value, Ok(Some(Token::ObjectStart)));
        let is_list = matches!(value, Ok(Some(Token::ArrayStart)));
        has_config |= key == "config";
        has_summary |= matches!(key.as_str(), "summary" | "summary_metrics" | "summaryMetrics");
        has_history |= key == "history" && (is_object || is_list);
        has_step |= matches!(key.as_str(), "step" | "_step" | "global_step");
        if (is_object || is_list) && scanner.skip_rest().is_err() {
            return false;
        }
    }
    !has_step && (has_history || (has_config && has_summary))
}

/// Reads an object of a list of runs, which may hold the history as lists of its own.
fn listed_runs(bytes: &[u8]) -> Option<Vec<Run>> {
    whole_runs(bytes).or_else(|| tracker_run::of_lists(bytes, true).map(|run| vec![run]))
}

/// Reads an object of any list when it is a run, by its settings or by its parts. `None` when it is a row.
fn run_or_row(bytes: &[u8]) -> Option<Vec<Run>> {
    whole_runs(bytes).or_else(|| tracker_run::of_lists(bytes, false).map(|run| vec![run]))
}

/// Reads an object of a list or a line when it is a whole run. `None` when it is a row.
pub(crate) fn whole_runs(bytes: &[u8]) -> Option<Vec<Run>> {
    if !is_run_object(bytes) {
        return None;
    }
    let runs = DocumentContent::of(bytes).runs;
    if runs.is_empty() { None } else { Some(runs) }
}
/// An artifact as other exports write it.
fn artifact(value: &Json) -> Option<Artifact> {
    Some(Artifact {
        name: value.owned_text("name")?,
        kind: value.owned_text("type").unwrap_or_default(),
        version: value.owned_text("version").unwrap_or_default(),
        aliases: value.texts("aliases"),
        bytes: value.metric_at("size"),
        created_at: value.get("created_at").and_then(|time| match time {
            Json::Text(text) => crate::time::any_seconds(text),
            other => other.metric(),
        }),
    })
}

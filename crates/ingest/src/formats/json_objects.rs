//! Objects that come one after another, as a list or as lines: rows of metrics, whole runs, or Axiom events.

use super::axiom::{AxiomEvent, AxiomEvents, is_event};
use super::by_run::{RowsByRun, is_id_key, is_run_key};
use super::listed_objects::ListedObjects;
use super::long_objects::LongObject;
use crate::Problem;
use crate::budget::MemoryUse;
use crate::rows::closing_row;
use crate::rows::names::{evaluation_flag, is_metric_name, is_step_name};
use crate::rows::read_progress::ReadProgress;
use crate::run_limit::RunLimit;
use crate::syntax::json::{FlatObjects, Scanner, Token, skip_blanks};
use rundown_run::Run;

/// Reads an object when it is a whole run, or several; `None` when it is a row.
pub(crate) type WholeRuns = fn(&[u8]) -> Option<Vec<Run>>;

/// Collects objects of any of the three kinds.
#[derive(Debug, Default)]
pub(crate) struct JsonObjects {
    rows: RowsByRun,
    runs: Vec<Run>,
    run_limit: RunLimit,
    /// Bytes of JSON of these runs.
    run_bytes: usize,
    /// The same objects as runs, as long as each may be one.
    listed: ListedObjects,
    /// Events, also those that come in another form.
    pub(crate) events: AxiomEvents,
    /// The last row is the Trainer's closing one.
    is_closed: bool,
    flat: FlatObjects,
    /// What the names of flat objects stand for, by their number.
    names: Vec<MemberName>,
}

/// What the name of a member that is a number stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MemberName {
    /// A metric, with its column among the rows that name no run once it has one.
    Metric(Option<usize>),
    /// A step, a time or the like.
    Other,
    /// The Trainer's closing row has it.
    Closing,
    /// Events, whole runs and rows of a stated kind have it: the object needs to be read in full.
    NoRow,
}

/// What the objects were.
#[derive(Debug, Default)]
pub(crate) struct ObjectsByKind {
    /// Runs made of rows.
    pub(crate) rows: Vec<Run>,
    /// Some row names its step.
    pub(crate) has_step: bool,
    /// The last row is the Trainer's closing one.
    pub(crate) is_closed: bool,
    /// Most rows are prompts and completions.
    pub(crate) are_samples: bool,
    /// Whole runs.
    pub(crate) runs: Vec<Run>,
    /// These runs are one row each, with settings and last values.
    pub(crate) are_listed: bool,
    /// Events, not yet put in order.
    pub(crate) events: AxiomEvents,
    /// Problems for what was left out beyond the limit of runs.
    pub(crate) left_out: Vec<Problem>,
}

impl JsonObjects {
    /// Takes the next object. `whole_runs` reads one that is a whole run. False when it could not be understood; what is
    /// no object is nothing.
    pub(crate) fn add(&mut self, bytes: &[u8], whole_runs: WholeRuns) -> bool {
        if self.add_flat(bytes) {
            return true;
        }
        if is_event(bytes) {
            self.listed.add_other();
            match AxiomEvent::from_json(bytes) {
                // A row of metrics may have a `_time` as well.
                Ok(event) if event.name().is_empty() && event.step.is_some() => {}
                Ok(event) => {
                    self.events.add(&event);
                    return true;
                }
                Err(_) => return false,
            }
        }
        if let Some(runs) = whole_runs(bytes) {
            self.add_runs(runs, bytes.len());
            return true;
        }
        if let Some(object) = LongObject::of(bytes) {
            self.listed.add_other();
            self.is_closed = false;
            self.rows.has_ids |= object.is_id;
            object.add_to(&mut self.rows.points);
            return true;
        }
        self.is_closed = closing_row::is_closing_json(bytes);
        self.listed.add(bytes);
        let (run, is_id) = run_of(bytes).unwrap_or_default();
        self.rows.has_ids |= is_id;
        self.rows.rows(&run).json_row(bytes).is_ok()
    }

    /// Says how far the file has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.rows.set_progress(progress);
    }

    /// Adds whole runs that were read from so many bytes.
    pub(crate) fn add_runs(&mut self, runs: Vec<Run>, bytes: usize) {
        self.listed.add_other();
        for run in runs {
            if self.run_limit.admits_beside(self.runs.len()) {
                self.runs.push(run);
            }
        }
        self.run_bytes += bytes;
    }

    /// Adds a row that names no run and holds numbers alone. False for any other object, which the rest of
    /// [`JsonObjects::add`] reads.
    fn add_flat(&mut self, bytes: &[u8]) -> bool {
        let rest = self.read_flat(bytes).and_then(|length| bytes.get(length..));
        rest.is_some_and(|rest| skip_blanks(rest).is_empty()) && self.add_members()
    }

    /// Adds the object that `bytes` begin with if it is a row of numbers, followed by another element or the end of a list, and
    /// gives its length. `None` where [`JsonObjects::add`] has to read it, and for the Trainer's closing row. Spares
    /// the search for the object's end.
    pub(crate) fn add_element(&mut self, bytes: &[u8]) -> Option<usize> {
        let length = self.read_flat(bytes)?;
        let next = skip_blanks(bytes.get(length..)?).first()?;
        let is_element = matches!(next, b',' | b']') && !self.has_member(MemberName::Closing);
        (is_element && self.add_members()).then_some(length)
    }

    /// Reads the flat object that `bytes` begin with, and gives its length.
    fn read_flat(&mut self, bytes: &[u8]) -> Option<usize> {
        let length = self.flat.read(bytes)?;
        self.names.extend(self.flat.names_from(self.names.len()).map(MemberName::of));
        Some(length)
    }

    /// True where a member of the flat object that was read last has a name of this kind.
    fn has_member(&self, kind: MemberName) -> bool {
        self.flat.members().iter().any(|(name, _)| self.names.get(*name) == Some(&kind))
    }

    /// Adds the members of the flat object that was read last as a row; false where it may be none.
    fn add_members(&mut self) -> bool {
        if self.has_member(MemberName::NoRow) {
            return false;
        }
        self.listed.add_other();
        self.is_closed = self.has_member(MemberName::Closing);
        let rows = self.rows.rows("");
        for (number, value) in self.flat.members() {
            let name = self.flat.name(*number);
            match self.names.get_mut(*number) {
                Some(MemberName::Metric(column)) => {
                    let column = *column.get_or_insert_with(|| rows.column(name));
                    rows.number_of(column, *value);
                }
                _ => rows.number(name, *value),
            }
        }
        rows.end_row();
        true
    }

    /// What they take: a run that came whole about as much as its text.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.rows.memory_use() + self.listed.memory_use() + self.events.memory_use() + MemoryUse::bytes(self.run_bytes)
    }

    /// Takes the end and gives what came.
    pub(crate) fn finish(self) -> ObjectsByKind {
        let listed = self.listed.finish();
        if !listed.is_empty() {
            return ObjectsByKind { runs: listed, are_listed: true, ..ObjectsByKind::default() };
        }
        let left_out = [self.rows.left_out(), self.run_limit.problem("run"), self.events.left_out()];
        let left_out = left_out.into_iter().flatten().collect();
        ObjectsByKind {
            are_listed: false,
            has_step: self.rows.has_step(),
            is_closed: self.is_closed,
            are_samples: self.rows.len() > 0 && self.rows.are_samples(),
            left_out,
            rows: self.rows.finish(),
            runs: self.runs,
            events: self.events,
        }
    }
}

impl MemberName {
    fn of(name: &str) -> Self {
        match name {
            "_time" | "rundown_run" | "history" | "config" => Self::NoRow,
            _ if is_run_key(name) || name.starts_with("summary") || evaluation_flag(name).is_some() => Self::NoRow,
            closing_row::RUNTIME => Self::Closing,
            _ if is_metric_name(name) => Self::Metric(None),
            _ => Self::Other,
        }
    }
}

/// The run that a row names, and whether by its id. A number names one in a row with a step alone: elsewhere it may count.
fn run_of(bytes: &[u8]) -> Option<(String, bool)> {
    memchr::memmem::find(bytes, b"\"run")?;
    let mut scanner = Scanner::new(bytes);
    if scanner.next().ok()? != Some(Token::ObjectStart) {
        return None;
    }
    let mut named: Option<(String, bool)> = None;
    let mut numbered: Option<(String, bool)> = None;
    let mut has_step = false;
    while let Some(Token::Key(key)) = scanner.next().ok()? {
        let key = key.into_owned();
        let beats = |found: &Option<(String, bool)>| is_run_key(&key) && (found.is_none() || is_id_key(&key));
        match scanner.next().ok()?? {
            Token::ObjectStart | Token::ArrayStart => scanner.skip_rest().ok()?,
            Token::Text(text) if beats(&named) => named = Some((text.into_owned(), is_id_key(&key))),
            Token::Number(text) if beats(&numbered) && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                numbered = Some((text.to_owned(), is_id_key(&key)));
            }
            // `steps` may be how many the run took.
            Token::Number(_) => has_step |= is_step_name(&key) && !key.eq_ignore_ascii_case("steps"),
            _ => {}
        }
    }
    named.or(numbered.filter(|_| has_step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_numbers_with_a_flag_is_of_an_evaluation() {
        let mut objects = JsonObjects::default();
        for row in [
            r#"{"step": 1, "reward": 0.5}"#,
            r#"{"step": 2, "eval": true, "recall@10": 0.25}"#,
            r#"{"step": 3, "eval": false, "reward": 0.75}"#,
            r#"{"step": 4, "eval": 0.5}"#,
        ] {
            assert!(objects.add(row.as_bytes(), |_| None));
        }
        let run = objects.finish().rows.remove(0);
        let names: Vec<&str> = run.columns.keys().map(String::as_str).collect();
        assert_eq!(names, ["eval", "eval/recall@10", "reward", "step"]);
        assert_eq!((run.columns["eval"].values(), run.columns["reward"].values()), (&[0.5][..], &[0.5, 0.75][..]));
    }
    fn runs(rows: impl IntoIterator<Item = String>) -> Vec<Run> {
        let mut objects = JsonObjects::default();
        rows.into_iter().for_each(|row| assert!(objects.add(row.as_bytes(), |_| None), "{row}"));
        objects.finish().rows
    }

    #[test]
    fn a_number_names_the_run_of_a_step() {
        let row = |step: usize, run: usize| format!(r#"{{"run": {run}, "step": {step}, "reward": 0.{run}{step}}}"#);
        let found = runs((0..6).map(|row_number| row(row_number / 2, row_number % 2)));
        let seen: Vec<_> = found.iter().map(|run| (run.name.as_str(), run.columns["reward"].values())).collect();
        assert_eq!(seen, [("0", &[0.0, 0.01, 0.02][..]), ("1", &[0.1, 0.11, 0.12])]);
        assert!(!found[0].columns.contains_key("run"));
        let found = runs((1..4).map(|run| format!(r#"{{"run": {run}, "steps": 20{run}, "reward": 0.5}}"#)));
        assert_eq!(found[0].columns["run"].values(), [1.0, 2.0, 3.0], "it counts");
    }

    #[test]
    fn rows_of_one_value_are_points_of_their_metrics() {
        let row = |step: usize, metric: &str, value: f64| {
            format!(r#"{{"step": {step}, "metric": "{metric}", "value": {value}, "timestamp": 1.79e9}}"#)
        };
        let rows = || (1..4).flat_map(|step| [row(step, "loss", 0.5), row(step, "reward", 0.25)]);
        let settings = r#"{"type": "config", "run_name": "a", "lr": 0.1}"#.to_owned();
        let found = runs(std::iter::once(settings).chain(rows()));
        assert_eq!((found.len(), found[0].name.as_str()), (1, "a"));
        assert_eq!(found[0].columns.keys().collect::<Vec<_>>(), ["loss", "reward"]);
        assert_eq!((&found[0].row_steps[..], found[0].row_times[0]), (&[1.0, 2.0, 3.0][..], 1.79e9));
        assert!(found[0].config.number(&["lr"]).is_some());
        let beside = runs(rows().chain((1..4).map(|step| format!(r#"{{"step": {step}, "kl": 0.1}}"#))));
        assert_eq!(beside[0].columns.keys().collect::<Vec<_>>(), ["kl", "loss", "reward", "step"]);
        assert_eq!((beside.len(), beside[0].columns["step"].len()), (1, 6));
        let seeds = rows().flat_map(|row| [0, 1].map(|seed| row.replacen('{', &format!(r#"{{"seed": {seed}, "#), 1)));
        assert_eq!(runs(seeds).iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["seed 0", "seed 1"]);
        let other = runs((1..4).map(|step| format!(r#"{{"step": {step}, "name": "x", "value": 0.5, "loss": 1}}"#)));
        assert_eq!(other[0].columns.keys().collect::<Vec<_>>(), ["loss", "step", "value"], "values of a critic");
    }
}

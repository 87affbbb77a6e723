//! Events to runs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::AxiomEvent;
use super::error_texts::ErrorTexts;
use super::label_means::{LabelMeans, keep_most_frequent};
use super::name_numbers::Names;
use super::names::{EventKind, FieldReading, IS_ERROR, of_event, of_field};
use crate::Problem;
use crate::budget::MemoryUse;
use crate::rows::columns::ColumnsByName;
use crate::run_limit::RunLimit;
use rundown_run::{ConfigValue, EventLog, Run, Sighting};
use rundown_stats::CompactSort;

/// Collects events in any order: replies of the query API have the newest first.
#[derive(Debug, Default)]
pub(crate) struct AxiomEvents {
    runs: Names,
    kinds: Names,
    columns: Names,
    /// Columns of the fields, by kind of event and name of the field.
    fields: FxHashMap<(u32, String), u32>,
    events: Vec<SeenEvent>,
    readings: Vec<(u32, FieldReading)>,
    /// Counts that a reply of the query API gave, by name.
    totals: BTreeMap<String, f64>,
    errors: ErrorTexts,
    means: LabelMeans,
    limit: RunLimit,
}

/// One event; its readings are a part of [`AxiomEvents::readings`].
#[derive(Debug, Clone, Copy)]
struct SeenEvent {
    time: f64,
    step: f64,
    /// 0 for the run without a name.
    run: u32,
    /// Number of its name.
    name: u32,
    kind: EventKind,
    from: usize,
    to: usize,
}

impl AxiomEvents {
    /// True without any event and any total.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.totals.is_empty()
    }

    /// Adds an event.
    pub(crate) fn add(&mut self, event: &AxiomEvent) {
        // The run without a name is always the first.
        self.runs.number("");
        if !self.runs.has(&event.run) && !self.limit.admits_beside(self.runs.names.len() - 1) {
            return;
        }
        let name = event.name();
        let from = self.readings.len();
        let (run, number) = (self.runs.number(&event.run), self.kinds.number(name));
        let kind = EventKind::of(name, &event.level, event.is_total);
        let (columns, readings) = (&mut self.columns, &mut self.readings);
        if kind != EventKind::Total {
            of_event(name, &event.level, event.group(), |column, reading| {
                readings.push((columns.number(column), reading));
            });
        }
        for (field, value) in &event.numbers {
            let key = (number, field.clone());
            let column = *self.fields.entry(key).or_insert_with(|| columns.number(&of_field(name, field)));
            readings.push((column, FieldReading::Value(*value)));
        }
        self.add_to_groups(event, run, number, kind, from);
        self.events.push(SeenEvent {
            time: event.time.unwrap_or(f64::NAN),
            step: event.step.unwrap_or(f64::NAN),
            run,
            name: number,
            kind,
            from,
            to: self.readings.len(),
        });
    }

    /// Counts what an error says, and what an event with labels measures: its readings from `from` on.
    fn add_to_groups(&mut self, event: &AxiomEvent, run: u32, name: u32, kind: EventKind, from: usize) {
        if kind == EventKind::Total {
            return;
        }
        if kind == EventKind::Error {
            self.errors.add(run, name, event.error_text(), Sighting { time: event.time, step: event.step });
        }
        if event.labels().next().is_none() {
            return;
        }
        let columns = &self.columns.names;
        let read = self.readings.get(from..).unwrap_or_default().iter().filter_map(|(column, reading)| match reading {
            FieldReading::Value(value) => Some((columns.get(*column as usize)?.as_str(), *value)),
            FieldReading::Count => None,
        });
        let is_error = f64::from(u8::from(kind == EventKind::Error));
        self.means.add(run, event.labels(), std::iter::once((IS_ERROR, is_error)).chain(read));
    }

    /// What the events take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let readings = self.readings.len() * size_of::<(u32, FieldReading)>();
        MemoryUse::bytes(readings + self.events.len() * size_of::<SeenEvent>())
    }

    /// Adds a total that the query API counted.
    pub(crate) fn add_total(&mut self, name: String, value: f64) {
        self.totals.insert(name, value);
    }

    /// The problem for the events that were left out beyond the limit of runs.
    pub(crate) fn left_out(&self) -> Option<Problem> {
        self.limit.problem("event")
    }

    /// One run for each that is named, by name. Events that name none go to the only run there is; with several
    /// they are a run of their own.
    pub(crate) fn finish(mut self) -> Vec<Run> {
        // Events without a time come behind all others, in their order.
        self.events.compact_sort_by(|a, b| a.time.total_cmp(&b.time));
        let is_alone = self.runs.names.len() == 2;
        let mut parts: BTreeMap<&str, EventRows> = BTreeMap::new();
        for seen in &self.events {
            let run = if is_alone { 1 } else { seen.run };
            let Some(name) = self.runs.names.get(run as usize) else { continue };
            let readings = self.readings.get(seen.from..seen.to).unwrap_or_default();
            let kind = self.kinds.names.get(seen.name as usize).map_or("", String::as_str);
            parts.entry(name.as_str()).or_default().add(seen, readings, &self.columns, kind);
        }
        let of = |run: u32| self.runs.names.get(if is_alone { 1 } else { run as usize }).map_or("", String::as_str);
        for (run, log) in logs(self.errors, self.means, &self.kinds.names) {
            parts.entry(of(run)).or_default().run.events.append(log);
        }
        if parts.is_empty() && !self.totals.is_empty() {
            parts.insert("", EventRows::default());
        }
        let totals = &self.totals;
        parts.into_iter().map(|(name, part)| part.finish(name, totals)).collect()
    }
}

/// Texts of errors and means by label, by the number of their run.
fn logs(errors: ErrorTexts, means: LabelMeans, kinds: &[String]) -> BTreeMap<u32, EventLog> {
    let mut logs: BTreeMap<u32, EventLog> = BTreeMap::new();
    let (texts, others) = errors.finish(kinds);
    texts.into_iter().for_each(|(run, text)| logs.entry(run).or_default().errors.push(text));
    others.into_iter().for_each(|(run, count)| logs.entry(run).or_default().other_errors += count);
    means.finish().into_iter().for_each(|(run, mean)| logs.entry(run).or_default().means.push(mean));
    logs
}

/// The events of one run.
#[derive(Default)]
struct EventRows {
    run: Run,
    columns: ColumnsByName,
    counts: FxHashMap<u32, f64>,
    by_kind: BTreeMap<String, u64>,
    /// Events, and how many of them are errors and warnings.
    events: u64,
    errors: u64,
    warnings: u64,
}

impl EventRows {
    fn add(&mut self, seen: &SeenEvent, readings: &[(u32, FieldReading)], names: &Names, kind: &str) {
        let row = self.run.push_row(self.run.row_steps.len() as f64, seen.time);
        if seen.step.is_finite() {
            let step = self.columns.named("step");
            self.columns.push(step, row, seen.step);
        }
        for (number, reading) in readings {
            let Some(name) = names.names.get(*number as usize) else { continue };
            let value = match reading {
                FieldReading::Value(value) => *value,
                FieldReading::Count => {
                    let count = self.counts.entry(*number).or_default();
                    *count += 1.0;
                    *count
                }
            };
            let column = self.columns.named(name);
            self.columns.push(column, row, value);
        }
        if seen.kind != EventKind::Total {
            let column = self.columns.named(IS_ERROR);
            self.columns.push(column, row, f64::from(u8::from(seen.kind == EventKind::Error)));
            self.events += 1;
        }
        self.errors += u64::from(seen.kind == EventKind::Error);
        self.warnings += u64::from(seen.kind == EventKind::Warning);
        match self.by_kind.get_mut(kind) {
            Some(count) => *count += 1,
            None => _ = self.by_kind.insert(kind.to_owned(), 1),
        }
    }

    fn finish(mut self, name: &str, totals: &BTreeMap<String, f64>) -> Run {
        let run = &mut self.run;
        name.clone_into(&mut run.name);
        run.started_at = run.row_times.first().copied().filter(|time| time.is_finite());
        run.summary.insert("axiom/events", ConfigValue::Number(self.events as f64));
        run.summary.insert("axiom/errors", ConfigValue::Number(self.errors as f64));
        for (kind, count) in self.by_kind {
            let kind = if kind.is_empty() { "(no name)" } else { &kind };
            run.summary.insert(format!("axiom/events/{kind}"), ConfigValue::Number(count as f64));
        }
        for (total, value) in totals {
            run.summary.insert(format!("axiom/totals/{total}"), ConfigValue::Number(*value));
        }
        run.columns = self.columns.into_map();
        // Errors and warnings alone are the answer to a query for them, whose share of all events is unknown.
        if self.events == self.errors + self.warnings {
            run.columns.remove(IS_ERROR);
            run.events.means.retain(|mean| mean.key != IS_ERROR);
        }
        run.events.keep_most_frequent();
        run.events.other_names += keep_most_frequent(&mut run.events.means);
        self.run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_limit::MAX_RUNS;

    fn events(lines: &[&str]) -> Vec<Run> {
        let mut events = AxiomEvents::default();
        lines.iter().for_each(|line| events.add(&AxiomEvent::from_json(line.as_bytes()).unwrap()));
        events.finish()
    }

    #[test]
    fn rows_stand_in_the_order_of_time_and_counts_run() {
        let runs = events(&[
            r#"{"_time": "2026-11-01T00:00:03Z", "event": "rollout_start", "run_name": "a"}"#,
            r#"{"_time": "2026-11-01T00:00:02Z", "event": "rollout_complete", "run_name": "a", "duration_s": 4, "step": 7}"#,
            r#"{"_time": "2026-11-01T00:00:01Z", "event": "rollout_start"}"#,
        ]);
        assert_eq!(runs.len(), 1);
        let run = &runs[0];
        assert_eq!(run.name, "a");
        assert_eq!(run.columns["axiom/rollout/started"].points().collect::<Vec<_>>(), [(0, 1.0), (2, 2.0)]);
        assert_eq!(run.columns["axiom/rollout/duration_s"].points().collect::<Vec<_>>(), [(1, 4.0)]);
        assert_eq!(run.columns["step"].values(), [7.0]);
        assert_eq!(run.row_times[0], 1_793_491_201.0);
        assert_eq!(run.summary.number(&["axiom/events/rollout_start"]), Some(("axiom/events/rollout_start", 2.0)));
    }

    #[test]
    fn errors_are_a_share_of_all_events_and_keep_their_texts() {
        let error = |time: u32, text: &str| {
            format!(
                r#"{{"_time": "2026-11-01T00:00:{time:02}Z", "event": "rollout_error", "step": {time}, "error": "{text}"}}"#
            )
        };
        let lines = [error(9, "timed out after 7 s"), error(3, "timed out after 30 s"), error(5, "no such power")];
        let mut all: Vec<&str> = lines.iter().map(String::as_str).collect();
        let alone = events(&all);
        assert!(!alone[0].columns.contains_key(IS_ERROR), "a query for errors alone tells no share");
        all.push(r#"{"_time": "2026-11-01T00:00:01Z", "event": "rollout_complete"}"#);
        let run = events(&all).remove(0);
        assert_eq!(run.columns[IS_ERROR].values(), [0.0, 1.0, 1.0, 1.0]);
        let seen: Vec<_> =
            run.events.errors.iter().map(|e| (e.text.as_str(), e.count, e.first.step, e.last.step)).collect();
        let expected = [("timed out after <n> s", 2, Some(3.0), Some(9.0)), ("no such power", 1, Some(5.0), Some(5.0))];
        assert_eq!(seen, expected);
    }

    #[test]
    fn events_of_a_run_too_many_are_left_out() {
        let mut events = AxiomEvents::default();
        for run in (0..=MAX_RUNS).map(|run| format!("run {run}")) {
            let mut event = AxiomEvent::default();
            event.text("run_name", &run);
            event.number("v", 1.0);
            events.add(&event);
        }
        let problem = events.left_out().map(|problem| problem.what);
        assert_eq!(problem.as_deref(), Some("1 event is left out: no more than 20,000 runs are read of one file."));
        assert_eq!(events.finish().len(), MAX_RUNS);
    }

    #[test]
    fn events_of_several_runs_stay_apart() {
        let runs = events(&[
            r#"{"_time": "2026-11-01T00:00:01Z", "event": "x", "run_name": "b", "v": 1}"#,
            r#"{"_time": "2026-11-01T00:00:02Z", "event": "x", "run_name": "a", "v": 2}"#,
            r#"{"_time": "2026-11-01T00:00:03Z", "event": "x", "v": 3}"#,
        ]);
        let seen: Vec<_> = runs.iter().map(|run| (run.name.as_str(), run.columns["axiom/x/v"].values())).collect();
        assert_eq!(seen, [("", &[3.0][..]), ("a", &[2.0]), ("b", &[1.0])]);
    }
}

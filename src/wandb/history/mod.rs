//! One run's history on its way here: what is still to be asked for, and what has come.
//!
//! A [`Download`] is the state of it and no task: [`Download::advance`] sends the next few requests. Whatever ends it
//! (a lost network, a rate limit, the user), what has come stays, and advancing again goes on where it ended.

mod buckets;
mod fetch;
mod plan;
mod rows;

use std::collections::VecDeque;

use futures_util::future::join_all;
use serde_json::json;

use super::client::Client;
use super::decode::{Facts, facts};
use super::reference::RunRef;
use super::{ApiError, queries};
use crate::ingest::{Fragment, Problem, Role};
use crate::remote::Transport;
use crate::run::{Column, Log, Run, STEP_KEYS, SourceFile, Warning};

use fetch::Reply;
pub use plan::Strategy;
use plan::{Spec, Work, batches, exact, plan};
use rows::Rows;

/// Format of a run that came from the API.
pub(crate) const FORMAT: &str = "W&B API";

/// Requests that answers may make necessary. A run of a million rows needs a thousand; a server that answers every
/// range with as much as was asked for would never end.
const MOST_FURTHER: u32 = 20_000;

/// What to fetch besides the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Metrics of the machine.
    pub system: bool,
    /// Lines from the end of the console; 0 for none.
    pub console_lines: u32,
    /// Read the server's Parquet export where a run is too long for anything else. Only with a reader for such files:
    /// without one the run comes in buckets.
    pub parquet: bool,
}

/// How far a download has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Requests answered.
    pub done: usize,
    /// Requests that are still to be sent, as far as is known.
    pub left: usize,
    /// Rows so far.
    pub rows: usize,
    /// Values so far.
    pub values: usize,
    /// Bytes of the answers.
    pub bytes: u64,
}

/// One run that is being fetched.
pub struct Download {
    place: RunRef,
    facts: Facts,
    is_wanted: Box<dyn Fn(&str) -> bool>,
    options: Options,
    strategy: Strategy,
    queue: VecDeque<Work>,
    rows: Rows,
    system: std::collections::BTreeMap<String, Column>,
    system_times: Vec<f64>,
    log: Log,
    warnings: Vec<String>,
    problems: Vec<Problem>,
    done: usize,
    further: u32,
    bytes: u64,
    crc: crc32fast::Hasher,
}

impl Download {
    /// Asks what the run is and plans how its history comes. `is_wanted` names the metrics: those that the vocabulary
    /// knows and those that charts show. Steps are always wanted.
    ///
    /// # Errors
    /// Where the server does not show the run.
    pub async fn begin<T: Transport>(
        client: &Client<T>,
        place: RunRef,
        options: Options,
        is_wanted: impl Fn(&str) -> bool + 'static,
    ) -> Result<Self, ApiError> {
        let (facts, bytes) = ask(client, &place).await?;
        let step_metrics: Vec<String> =
            facts.run.metric_rules.iter().filter_map(|rule| rule.step_metric.clone()).collect();
        let is_wanted: Box<dyn Fn(&str) -> bool> = Box::new(move |key| {
            STEP_KEYS.contains(&key) || step_metrics.iter().any(|metric| metric == key) || is_wanted(key)
        });
        let (strategy, mut queue) = plan(&facts, &is_wanted, options.parquet);
        if options.system {
            queue.push_back(Work::System);
        }
        if options.console_lines > 0 {
            queue.push_back(Work::Console(options.console_lines));
        }
        Ok(Self {
            place,
            facts,
            is_wanted,
            options,
            strategy,
            queue,
            rows: Rows::default(),
            system: std::collections::BTreeMap::new(),
            system_times: Vec::new(),
            log: Log::default(),
            warnings: Vec::new(),
            problems: Vec::new(),
            done: 1,
            further: 0,
            bytes,
            crc: crc32fast::Hasher::new(),
        })
    }

    /// How the history comes.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The run's full name.
    pub fn place(&self) -> &RunRef {
        &self.place
    }

    /// Every key that the run logged, wanted or not, with the number of its rows; none where the server does not say.
    pub fn logged_keys(&self) -> impl Iterator<Item = (&str, u64)> {
        let keys = self.facts.keys.iter().flat_map(|keys| keys.keys.iter());
        keys.map(|(key, info)| (key.as_str(), info.count))
    }

    /// True when nothing is left to ask for.
    pub fn is_done(&self) -> bool {
        self.queue.is_empty()
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress {
            done: self.done,
            left: self.queue.len(),
            rows: self.rows.len(),
            values: self.rows.value_count(),
            bytes: self.bytes,
        }
    }

    /// Fetches further metrics, such as those of a chart that was opened. Rows that are there stay.
    pub fn want_more(&mut self, keys: &[String]) {
        let missing: Vec<String> = keys.iter().filter(|key| self.rows.count_of(key) == 0).cloned().collect();
        if missing.is_empty() {
            return;
        }
        let before = std::mem::replace(&mut self.is_wanted, Box::new(|_| false));
        let more = missing.clone();
        self.is_wanted = Box::new(move |key| before(key) || more.iter().any(|wanted| wanted == key));
        self.queue.extend(exact(&self.facts, &|key| missing.iter().any(|wanted| wanted == key), None));
    }

    /// Fetches all that is left.
    ///
    /// # Errors
    /// As [`Download::advance`].
    pub async fn complete<T: Transport>(&mut self, client: &Client<T>) -> Result<(), ApiError> {
        while !self.is_done() {
            self.advance(client).await?;
        }
        Ok(())
    }

    /// Sends the next few requests at once.
    ///
    /// # Errors
    /// The first failure that nothing here can get round. What came is kept, and so is the request that failed: after
    /// errors that [`ApiError::can_go_on`], call it again.
    pub async fn advance<T: Transport>(&mut self, client: &Client<T>) -> Result<(), ApiError> {
        let width = client.session().width().min(self.queue.len());
        let wave: Vec<Work> = self.queue.drain(..width).collect();
        let sent = wave.iter().map(|work| fetch::fetch(client, &self.place, work));
        let replies = join_all(sent).await;
        let mut first_error = None;
        let mut again: Vec<Work> = Vec::new();
        for (work, reply) in wave.into_iter().zip(replies) {
            match reply {
                Ok(reply) => {
                    self.done += 1;
                    self.bytes += reply.bytes;
                    self.crc.update(&reply.crc32.to_le_bytes());
                    again.extend(self.take(work, reply));
                }
                Err(error) => match self.way_round(&work, &error) {
                    Some(instead) => again.extend(instead),
                    None => {
                        again.push(work);
                        first_error = first_error.or(Some(error));
                    }
                },
            }
        }
        for work in again.into_iter().rev() {
            self.queue.push_front(work);
        }
        first_error.map_or(Ok(()), Err)
    }

    /// The run as far as it has come.
    pub fn run(&self) -> Run {
        let mut run = self.facts.run.clone();
        self.rows.fill(&mut run);
        run.system = self.system.clone();
        run.system_times = self.system_times.clone();
        run.log = self.log.clone();
        let crc32 = self.crc.clone().finalize();
        run.files.push(SourceFile { path: self.place.path(), format: FORMAT.to_owned(), bytes: self.bytes, crc32 });
        let mut warnings = self.warnings.clone();
        if !self.is_done() {
            let text = format!("The history is not complete: {} requests are still to be sent.", self.queue.len());
            warnings.push(text);
        }
        run.warnings.extend(warnings.into_iter().map(|text| Warning { text, step: None }));
        run
    }

    /// The run as a piece that the intake takes, and what could not be read.
    pub fn fragment(&self) -> (Fragment, Vec<Problem>) {
        let folder = format!("{}/{}", self.place.entity, self.place.project);
        (Fragment { run: self.run(), role: Role::Primary, folder }, self.problems.clone())
    }

    /// Asks again what the run is, and plans to fetch the rows from its last one on. True when something changed.
    pub(crate) async fn renew<T: Transport>(&mut self, client: &Client<T>) -> Result<bool, ApiError> {
        let (facts, bytes) = ask(client, &self.place).await?;
        let (ending, before) = (&facts.run.ending.state, &self.facts.run.ending.state);
        let has_rows = facts.lines != self.facts.lines || facts.keys != self.facts.keys;
        let has_changed = has_rows || ending != before || facts.run.summary != self.facts.run.summary;
        self.bytes += bytes;
        self.done += 1;
        // Everything up to the last step that was known is here or in the queue. Beyond it some metrics may have come
        // and others not, as the run went on between the requests. The step itself may still have been filled.
        let from = self.facts.last_step.or(self.rows.last_step()).map(|step| step as i64);
        self.facts = facts;
        if has_rows {
            self.queue.extend(exact(&self.facts, &self.is_wanted, from));
        }
        if has_changed && self.options.system {
            self.queue.push_back(Work::System);
        }
        if has_changed && self.options.console_lines > 0 {
            self.queue.push_back(Work::Console(self.options.console_lines));
        }
        Ok(has_changed)
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Takes a reply; gives the requests that it made necessary.
    fn take(&mut self, work: Work, reply: Reply) -> Vec<Work> {
        match work {
            Work::Sampled(specs) => self.take_sampled(specs, &reply),
            Work::Bucketed(keys) => {
                for (key, list) in keys.iter().zip(&reply.lists) {
                    let (count, rows) = buckets::add(&mut self.rows, key, list);
                    self.warnings.push(format!(
                        "{key} is sampled history: {rows} values came as {count} buckets, of each its least, mean and greatest value. A NaN in a bucket may not show."
                    ));
                }
                Vec::new()
            }
            Work::Page { from, steps } => self.take_page(from, steps, &reply),
            Work::ParquetList => {
                reply.urls.iter().cloned().map(Work::ParquetFile).chain(self.live_rows(&reply)).collect()
            }
            Work::ParquetFile(_) => {
                let mut is_read = false;
                for fragment in &reply.fragments {
                    is_read = true;
                    self.take_columns(&fragment.run);
                }
                self.problems.extend(reply.problems);
                if is_read { Vec::new() } else { self.without_parquet() }
            }
            Work::System => {
                (self.system, self.system_times) = reply.system;
                if self.system_times.len() as u64 >= plan::SYSTEM_SAMPLES {
                    self.warn_once("The metrics of the machine are a sample of their rows.");
                }
                Vec::new()
            }
            Work::Console(_) => {
                self.log = reply.log;
                Vec::new()
            }
        }
    }

    /// A list with fewer rows than asked for is whole; any other may be a sample, and is asked for in halves.
    fn take_sampled(&mut self, specs: Vec<Spec>, reply: &Reply) -> Vec<Work> {
        let mut again = Vec::new();
        for (index, spec) in specs.into_iter().enumerate() {
            let list = reply.lists.get(index).map(Vec::as_slice).unwrap_or_default();
            let accepted = |key: &str| key == spec.key || key.starts_with(&format!("{}.", spec.key));
            for row in list {
                self.rows.add(row, &accepted);
            }
            let came = list.len() as u64;
            // A server with a limit of its own gives fewer than asked for, and fewer than it counted.
            let expected = if spec.range.is_none() { self.counted(&spec.key) } else { 0 };
            let is_short = came > 0 && came < expected;
            if came < spec.samples && !is_short {
                continue;
            }
            let spec = Spec { samples: came.min(spec.samples), ..spec };
            let last = self.facts.last_step.map_or(plan::OPEN_END, |step| step as i64).max(1);
            let open = |range: Option<(i64, i64)>| match range {
                // New rows of a running run lie behind the last step that was known.
                Some((min, plan::OPEN_END)) => Some((min, last.max(min.saturating_add(1)).saturating_mul(2))),
                other => other,
            };
            match (Spec { range: open(spec.range), ..spec }).halves(last.saturating_mul(2)) {
                Some(halves) if self.may_ask_further() => again.extend(halves),
                _ => self.warn_once("sampled history: the server gives fewer rows of a step than it has."),
            }
        }
        batches(again).into()
    }

    fn take_page(&mut self, from: i64, steps: i64, reply: &Reply) -> Vec<Work> {
        let list = reply.lists.first().map(Vec::as_slice).unwrap_or_default();
        if list.len() as i64 >= plan::page_samples(steps) && steps > 1 {
            return vec![Work::Page { from, steps: steps / 2 }];
        }
        for row in list {
            self.rows.add(row, &self.is_wanted);
        }
        let next = from.saturating_add(steps);
        let is_past = self.facts.last_step.is_some_and(|last| next as f64 > last);
        let has_all = self.facts.last_step.is_none() && list.is_empty() && self.rows.len() as u64 >= self.facts.lines;
        if is_past || has_all || next >= plan::OPEN_END || !self.may_ask_further() {
            return Vec::new();
        }
        // Steps that count tokens leave thousands of pages empty: wider ones soon pass them.
        let steps = match list.len() as i64 {
            few if few < plan::PAGE_STEPS / 100 => steps.saturating_mul(4),
            many if many > plan::PAGE_STEPS => (steps / 2).max(1),
            _ => steps,
        };
        vec![Work::Page { from: next, steps }]
    }

    /// Rows of a running run that the export does not have yet: everything from the first of them on.
    fn live_rows(&mut self, reply: &Reply) -> Vec<Work> {
        let live = reply.lists.first().map(Vec::as_slice).unwrap_or_default();
        let step = |row: &crate::ingest::json::Json| row.get("_step").and_then(crate::ingest::json::Json::metric);
        let first = live.iter().filter_map(step).reduce(f64::min);
        match first {
            Some(first) => exact(&self.facts, &self.is_wanted, Some(first as i64)).into(),
            None if reply.urls.is_empty() => self.without_parquet(),
            None => Vec::new(),
        }
    }

    /// Plans again without the export.
    fn without_parquet(&mut self) -> Vec<Work> {
        if self.strategy != Strategy::Parquet {
            return Vec::new();
        }
        let (strategy, work) = plan(&self.facts, &self.is_wanted, false);
        self.strategy = strategy;
        self.queue.retain(|work| !matches!(work, Work::ParquetFile(_)));
        work.into()
    }

    /// Takes over what a reader of files made of a part of the history.
    fn take_columns(&mut self, part: &Run) {
        for (step, time) in part.row_steps.iter().zip(&part.row_times) {
            self.rows.add_row(*step, Some(*time).filter(|time| time.is_finite()));
        }
        for (key, column) in part.columns.iter().filter(|(key, _)| (self.is_wanted)(key)) {
            for (row, value) in column.points() {
                if let Some(step) = part.row_steps.get(row as usize) {
                    self.rows.add_number(*step, None, key, value);
                }
            }
        }
    }

    /// What to ask instead when a request failed for a reason that another form of it does not have.
    fn way_round(&mut self, work: &Work, error: &ApiError) -> Option<Vec<Work>> {
        let is_unknown = matches!(error, ApiError::Unsupported { .. });
        let is_too_large = matches!(error, ApiError::Server { .. } | ApiError::Cut);
        match work {
            Work::Bucketed(keys) if is_unknown => {
                self.strategy = Strategy::Exact;
                let keys = keys.clone();
                Some(exact(&self.facts, &|key| keys.iter().any(|wanted| wanted == key), None).into())
            }
            Work::ParquetList if is_unknown => Some(self.without_parquet()),
            // An address that expired, or a bucket that does not let the page read.
            Work::ParquetFile(_)
                if matches!(
                    error,
                    ApiError::Refused { .. } | ApiError::Blocked { .. } | ApiError::Unreachable { .. }
                ) =>
            {
                Some(self.without_parquet())
            }
            Work::Sampled(_) if is_unknown => {
                self.strategy = Strategy::Pages;
                self.queue.retain(|work| !matches!(work, Work::Sampled(_)));
                Some(vec![Work::Page { from: 0, steps: plan::PAGE_STEPS }])
            }
            Work::Sampled(specs) if is_too_large && specs.len() > 1 => {
                let (left, right) = specs.split_at(specs.len() / 2);
                Some(vec![Work::Sampled(left.to_vec()), Work::Sampled(right.to_vec())])
            }
            Work::Page { from, steps } if is_too_large && *steps > 10 => {
                Some(vec![Work::Page { from: *from, steps: steps / 4 }])
            }
            // Extras that a server does not have are no reason to go without the run.
            Work::System | Work::Console(_) if is_unknown => {
                self.warn_once("This server does not give metrics of the machine, or console lines.");
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// False, with a warning, when answers made too many requests necessary.
    fn may_ask_further(&mut self) -> bool {
        self.further += 1;
        if self.further > MOST_FURTHER {
            self.warn_once("sampled history: the server's answers do not come to an end, and are left as they are.");
        }
        self.further <= MOST_FURTHER
    }

    /// Rows that the server counts for a key.
    fn counted(&self, key: &str) -> u64 {
        self.facts.keys.as_ref().and_then(|keys| keys.keys.get(key)).map_or(0, |info| info.count)
    }

    fn warn_once(&mut self, text: &str) {
        if !self.warnings.iter().any(|known| known == text) {
            self.warnings.push(text.to_owned());
        }
    }
}

/// What the server says of the run, and the size of its answer.
async fn ask<T: Transport>(client: &Client<T>, place: &RunRef) -> Result<(Facts, u64), ApiError> {
    let answer = match client.run_query("Run", queries::RUN, place, json!({})).await {
        Err(ApiError::Unsupported { .. }) => {
            client.run_query("Run", queries::RUN_WITHOUT_KEYS, place, json!({})).await?
        }
        other => other?,
    };
    Ok((facts(&answer.data, place), answer.bytes))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::remote::fake::block_on;
    use crate::remote::{Request, Response, Session, TransportError};

    /// Answers the first query with a run and every other one with `body`, in which `SAMPLES` is a row for each sample.
    struct Hostile {
        body: &'static str,
        asked: Cell<u32>,
    }

    impl Transport for &Hostile {
        async fn send(&self, request: &Request) -> Result<Response, TransportError> {
            self.asked.set(self.asked.get() + 1);
            let keys = r#"{"keys":{"a":{"typeCounts":[{"type":"number","count":9}]}},"lastStep":1e300}"#;
            let body = match String::from_utf8_lossy(&request.body).contains("historyKeys") {
                true => format!(r#"{{"data":{{"project":{{"run":{{"name":"r","historyKeys":{keys}}}}}}}}}"#),
                false => self.body.replace("SAMPLES", &vec![r#"{"_step":1,"a":1}"#; 100].join(",")),
            };
            Ok(Response { status: 200, body: body.into_bytes(), ..Response::default() })
        }

        async fn sleep(&self, _: u32) {}
    }

    fn fetch(body: &'static str) -> (Result<(), ApiError>, Run, u32) {
        let hostile = Hostile { body, asked: Cell::new(0) };
        let client = Client::new(Session::new(&hostile, 1), "https://x", None);
        let place = RunRef { entity: "e".into(), project: "p".into(), id: "r".into() };
        let mut download = block_on(Download::begin(&client, place, Options::default(), |_| true)).unwrap();
        let result = block_on(download.complete(&client));
        (result, download.run(), hostile.asked.get())
    }

    #[test]
    fn a_server_whose_answers_never_end_is_left() {
        let (result, run, asked) =
            fetch(r#"{"data":{"project":{"run":{"sampledHistory":[[SAMPLES],[SAMPLES]],"history":[SAMPLES]}}}}"#);
        // Two lists are not what one spec asked for, and are an error, not a guess.
        assert!(result == Ok(()) || matches!(result, Err(ApiError::Malformed { .. })), "{result:?}");
        assert!(asked <= MOST_FURTHER + 10 && run.row_steps.len() <= 1);
        let (result, run, asked) = fetch(r#"{"data":{"project":{"run":{"sampledHistory":[[SAMPLES]]}}}}"#);
        assert!(matches!(result, Err(ApiError::Malformed { .. })) && asked < 10 && run.row_steps.is_empty());
    }

    #[test]
    fn answers_of_the_wrong_shape_are_errors() {
        for body in [
            r#"{"data":{"project":{"run":{"sampledHistory":null}}}}"#,
            r#"{"data":{"project":{"run":{"sampledHistory":{"a":1}}}}}"#,
            r#"{"data":{"project":{"run":{}}}}"#,
            r#"{"data":{"project":{"run":[]}}}"#,
        ] {
            let (result, run, _) = fetch(body);
            assert_eq!(result, Err(ApiError::Malformed { operation: "RunSampledHistory" }), "{body}");
            assert!(run.row_steps.is_empty());
        }
        let (result, run, _) = fetch(r#"{"data":{"project":{"run":{"sampledHistory":[[1,null,{"a":2}],[["x"]]]}}}}"#);
        assert_eq!((result, run.row_steps.len()), (Ok(()), 0));
    }
}

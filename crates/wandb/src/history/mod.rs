//! One run's history on its way here: what is still to be asked for, and what has come.
//!
//! A [`Download`] is the state of it and no task: [`Download::advance`] sends the next few requests. Whatever ends it
//! (a lost network, a rate limit, the user), what has come stays, and advancing again goes on where it ended.

mod answers;
mod buckets;
mod fetch;
mod plan;
mod rows;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use futures_util::future::join_all;
use serde_json::json;

use super::client::WandbClient;
use super::decode::{RunFacts, facts};
use super::reference::RunRef;
use super::{ApiError, queries};
use rundown_http::Transport;
use rundown_ingest::Problem;
use rundown_ingest::{PartKind, PartialRun};
use rundown_run::{Column, FileFormat, Log, Run, RunState, RunWarning, STEP_KEYS, SourceFile, Thinning};

use plan::{HistoryRequest, Strategy, exact, plan};
use rows::Rows;

/// What to fetch besides the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchOptions {
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
pub struct FetchProgress {
    /// Rows so far.
    pub rows: usize,
    /// Values so far.
    pub values: usize,
    /// Bytes of the answers.
    pub bytes: u64,
}

/// Says of a metric whether it is to be fetched.
type KeyFilter = Rc<dyn Fn(&str) -> bool>;

/// One run that is being fetched.
pub struct Download {
    place: RunRef,
    facts: RunFacts,
    is_wanted: KeyFilter,
    /// Which of them the last plan was for: what another plan must bring where that one fails.
    planned: KeyFilter,
    options: FetchOptions,
    strategy: Strategy,
    queue: VecDeque<HistoryRequest>,
    rows: Rows,
    system: BTreeMap<String, Column>,
    system_times: Vec<f64>,
    log: Log,
    warnings: Vec<RunWarning>,
    sampling: Vec<(String, Thinning)>,
    problems: Vec<Problem>,
    follow_ups: u32,
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
        client: &WandbClient<T>,
        place: RunRef,
        options: FetchOptions,
        is_wanted: impl Fn(&str) -> bool + 'static,
    ) -> Result<Self, ApiError> {
        let (facts, bytes) = ask(client, &place).await?;
        let step_metrics: Vec<String> =
            facts.run.metric_rules.iter().filter_map(|rule| rule.step_metric.clone()).collect();
        let is_wanted: KeyFilter = Rc::new(move |key| {
            STEP_KEYS.contains(&key) || step_metrics.iter().any(|metric| metric == key) || is_wanted(key)
        });
        let (strategy, mut queue) = plan(&facts, &*is_wanted, options.parquet);
        if options.system {
            queue.push_back(HistoryRequest::System);
        }
        if options.console_lines > 0 {
            queue.push_back(HistoryRequest::Console(options.console_lines));
        }
        Ok(Self {
            place,
            facts,
            planned: Rc::clone(&is_wanted),
            is_wanted,
            options,
            strategy,
            queue,
            rows: Rows::default(),
            system: BTreeMap::new(),
            system_times: Vec::new(),
            log: Log::default(),
            warnings: Vec::new(),
            sampling: Vec::new(),
            problems: Vec::new(),
            follow_ups: 0,
            bytes,
            crc: crc32fast::Hasher::new(),
        })
    }

    /// The run's full name.
    pub fn place(&self) -> &RunRef {
        &self.place
    }

    /// How the run stood when it was last asked.
    pub fn state(&self) -> RunState {
        self.facts.run.ending.state
    }

    /// True when nothing is left to ask for.
    pub fn is_done(&self) -> bool {
        self.queue.is_empty()
    }

    /// How far it is.
    pub fn progress(&self) -> FetchProgress {
        FetchProgress { rows: self.rows.len(), values: self.rows.value_count(), bytes: self.bytes }
    }

    /// True when nothing is left to ask for, and every metric of the run was wanted.
    pub fn is_whole(&self) -> bool {
        self.is_done() && self.left_out() == 0
    }

    /// Wants further metrics besides. Only those are asked for that were not wanted before: the others came, or still
    /// wait to be asked for. A server that does not count metrics gives no more than what was wanted at first.
    pub fn want_also(&mut self, more: impl Fn(&str) -> bool + 'static) {
        let (before, left_out) = (Rc::clone(&self.is_wanted), self.left_out());
        let keys = self.facts.keys.iter().flat_map(|keys| keys.keys.keys());
        let missing: BTreeSet<String> = keys.filter(|key| more(key) && !before(key)).cloned().collect();
        self.is_wanted = Rc::new(move |key| before(key) || more(key));
        if self.left_out() == left_out {
            return;
        }
        if self.strategy == Strategy::Pages {
            // A page holds the rows of all metrics, so that the first ones must come again.
            self.queue.retain(|work| !matches!(work, HistoryRequest::Page { .. }));
            self.queue.push_front(HistoryRequest::Page { from: 0, steps: plan::PAGE_STEPS });
            return;
        }
        if self.queue.iter().any(|work| matches!(work, HistoryRequest::ParquetList | HistoryRequest::ParquetFile(_))) {
            // And so does a file.
            self.queue.retain(|work| !matches!(work, HistoryRequest::ParquetList | HistoryRequest::ParquetFile(_)));
            self.queue.push_front(HistoryRequest::ParquetList);
            self.planned = Rc::clone(&self.is_wanted);
            return;
        }
        let planned: KeyFilter = Rc::new(move |key| missing.contains(key));
        let (strategy, work) = plan(&self.facts, &*planned, self.options.parquet);
        self.planned = planned;
        if strategy != Strategy::Exact {
            self.strategy = strategy;
        }
        self.queue.extend(plan::without_times(work));
    }

    /// Fetches all that is left.
    ///
    /// # Errors
    /// As [`Download::advance`].
    pub async fn complete<T: Transport>(&mut self, client: &WandbClient<T>) -> Result<(), ApiError> {
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
    pub async fn advance<T: Transport>(&mut self, client: &WandbClient<T>) -> Result<(), ApiError> {
        let concurrency = client.session().concurrency().min(self.queue.len());
        let wave: Vec<HistoryRequest> = self.queue.drain(..concurrency).collect();
        let sent = wave.iter().map(|work| fetch::fetch(client, &self.place, work));
        let replies = join_all(sent).await;
        let mut first_error = None;
        let mut again: Vec<HistoryRequest> = Vec::new();
        for (work, reply) in wave.into_iter().zip(replies) {
            match reply {
                Ok(reply) => {
                    self.bytes += reply.bytes;
                    self.crc.update(&reply.crc32.to_le_bytes());
                    again.extend(self.add_reply(work, reply));
                }
                Err(error) => match self.fallback(&work, &error) {
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
        self.sampling.iter().for_each(|(key, how)| run.note_sampling(Some(key), *how));
        let crc32 = self.crc.clone().finalize();
        let format = FileFormat::WandbApi;
        run.files.push(SourceFile { path: self.place.path(), format, bytes: self.bytes, crc32 });
        // Interrupted: what was not answered would have brought metrics, too.
        run.unfetched = self.left_out() + plan::metrics_in(&self.queue);
        run.unlisted = true;
        run.warnings.extend(self.warnings.iter().cloned());
        if !self.is_done() {
            run.warnings.push(RunWarning::HistoryIncomplete { requests: self.queue.len() });
        }
        run
    }

    /// The run as a piece that the assembler takes, and what could not be read.
    pub fn part(&self) -> (PartialRun, Vec<Problem>) {
        let folder = format!("{}/{}", self.place.entity, self.place.project);
        (PartialRun { run: self.run(), kind: PartKind::History, folder }, self.problems.clone())
    }

    /// Asks again what the run is, and plans to fetch the rows from its last one on. True when something changed.
    pub(crate) async fn renew<T: Transport>(&mut self, client: &WandbClient<T>) -> Result<bool, ApiError> {
        let (facts, bytes) = ask(client, &self.place).await?;
        let (ending, before) = (&facts.run.ending.state, &self.facts.run.ending.state);
        let has_rows = facts.lines != self.facts.lines || facts.keys != self.facts.keys;
        let has_changed = has_rows || ending != before || facts.run.summary != self.facts.run.summary;
        self.bytes += bytes;
        // Everything up to the last step that was known is here or in the queue. Beyond it some metrics may have come
        // and others not, as the run went on between the requests. The step itself may still have been filled.
        let from = self.facts.last_step.or(self.rows.last_step()).map(|step| step as i64);
        self.facts = facts;
        if has_rows {
            self.queue.extend(exact(&self.facts, &*self.is_wanted, from));
        }
        if has_changed && self.options.system {
            self.queue.push_back(HistoryRequest::System);
        }
        if has_changed && self.options.console_lines > 0 {
            self.queue.push_back(HistoryRequest::Console(self.options.console_lines));
        }
        Ok(has_changed)
    }

    /// What grows while the run goes on: rows, values (also those in known rows), and the metrics that it logged.
    pub(crate) fn sizes(&self) -> [usize; 3] {
        let metrics = self.facts.keys.as_ref().map_or(0, |keys| keys.keys.len());
        [self.rows.len(), self.rows.value_count(), metrics]
    }

    /// Number of metrics of the run that are not wanted.
    fn left_out(&self) -> u64 {
        self.facts.keys.as_ref().map_or(0, |keys| plan::left_out(keys, &*self.is_wanted))
    }
}

/// What the server says of the run, and the size of its answer.
async fn ask<T: Transport>(client: &WandbClient<T>, place: &RunRef) -> Result<(RunFacts, u64), ApiError> {
    let answer = match client.run_query("Run", queries::RUN, place, json!({})).await {
        Err(ApiError::Unsupported { .. }) => {
            client.run_query("Run", queries::RUN_WITHOUT_KEYS, place, json!({})).await?
        }
        other => other?,
    };
    let facts = facts(&answer.data, place).map_err(|_| answer.malformed())?;
    Ok((facts, answer.bytes))
}

//! What an answer adds to a download, and what must be asked because of it, or instead of it.

use super::fetch::HistoryReply;
use super::plan::{self, HistoryRequest, Spec, Strategy, batches, exact, plan};
use super::{ApiError, Download, buckets};
use rundown_http::TransportError;
use rundown_ingest::json::Json;
use rundown_run::{Run, RunWarning, Thinning, add_new};

/// Requests that answers may make necessary. A run of a million rows needs a thousand; a server that answers every
/// range with as much as was asked for would never end.
pub(super) const MAX_FOLLOW_UPS: u32 = 5_000;

impl Download {
    /// Adds a reply; gives the requests that it made necessary.
    pub(super) fn add_reply(&mut self, work: HistoryRequest, reply: HistoryReply) -> Vec<HistoryRequest> {
        match work {
            HistoryRequest::Sampled(specs) => self.add_sampled(specs, &reply),
            HistoryRequest::Bucketed(keys) => {
                for (key, list) in keys.iter().zip(&reply.lists) {
                    let (count, rows) = buckets::add(&mut self.rows, key, list);
                    if rows > count {
                        self.sampling.push((key.clone(), Thinning::Buckets));
                        let (values, buckets) = (rows, count);
                        self.warnings.push(RunWarning::Bucketed { key: key.clone(), values, buckets });
                    }
                }
                Vec::new()
            }
            HistoryRequest::Page { from, steps } => self.add_page(from, steps, &reply),
            HistoryRequest::ParquetList => {
                reply.urls.iter().cloned().map(HistoryRequest::ParquetFile).chain(self.live_rows(&reply)).collect()
            }
            HistoryRequest::ParquetFile(_) => {
                let mut is_read = false;
                for part in &reply.parts {
                    is_read = true;
                    self.add_columns(&part.run);
                }
                self.problems.extend(reply.problems);
                if is_read { Vec::new() } else { self.without_parquet() }
            }
            HistoryRequest::System => {
                (self.system, self.system_times) = reply.system;
                if self.system_times.len() as u64 >= plan::SYSTEM_SAMPLES {
                    self.warn_once(RunWarning::SystemMetricsSampled);
                }
                Vec::new()
            }
            HistoryRequest::Console(_) => {
                self.log = reply.log;
                Vec::new()
            }
        }
    }

    /// A list with fewer rows than asked for is whole; any other may be a sample, and is asked for in halves.
    fn add_sampled(&mut self, specs: Vec<Spec>, reply: &HistoryReply) -> Vec<HistoryRequest> {
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
            let (key, spec) = (spec.key.clone(), Spec { samples: came.min(spec.samples), ..spec });
            let last = self.facts.last_step.map_or(plan::OPEN_END, |step| step as i64).max(1);
            let open = |range: Option<(i64, i64)>| match range {
                // New rows of a running run lie behind the last step that was known.
                Some((min, plan::OPEN_END)) => Some((min, last.max(min.saturating_add(1)).saturating_mul(2))),
                other => other,
            };
            match (Spec { range: open(spec.range), ..spec }).halves(last.saturating_mul(2)) {
                Some(halves) if self.may_ask_further() => again.extend(halves),
                halves => {
                    if halves.is_none() {
                        self.warn_once(RunWarning::RowsOfStepMissing);
                    }
                    self.sampling.push((key, Thinning::Rows));
                }
            }
        }
        batches(again).into()
    }

    fn add_page(&mut self, from: i64, steps: i64, reply: &HistoryReply) -> Vec<HistoryRequest> {
        let list = reply.lists.first().map(Vec::as_slice).unwrap_or_default();
        if list.len() as i64 >= plan::page_samples(steps) && steps > 1 {
            return vec![HistoryRequest::Page { from, steps: steps / 2 }];
        }
        for row in list {
            self.rows.add(row, &*self.is_wanted);
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
        vec![HistoryRequest::Page { from: next, steps }]
    }

    /// Rows of a running run that the export does not have yet: everything from the first of them on.
    fn live_rows(&mut self, reply: &HistoryReply) -> Vec<HistoryRequest> {
        let live = reply.lists.first().map(Vec::as_slice).unwrap_or_default();
        let step = |row: &Json| row.metric_at("_step");
        let first = live.iter().filter_map(step).reduce(f64::min);
        match first {
            Some(first) => exact(&self.facts, &*self.planned, Some(first as i64)).into(),
            None if reply.urls.is_empty() => self.without_parquet(),
            None => Vec::new(),
        }
    }

    /// Plans again without the export.
    fn without_parquet(&mut self) -> Vec<HistoryRequest> {
        if self.strategy != Strategy::Parquet {
            return Vec::new();
        }
        let (strategy, work) = plan(&self.facts, &*self.planned, false);
        self.strategy = strategy;
        self.queue.retain(|work| !matches!(work, HistoryRequest::ParquetFile(_)));
        work.into()
    }

    /// Takes over what a reader of files made of a part of the history.
    fn add_columns(&mut self, part: &Run) {
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
    pub(super) fn fallback(&mut self, work: &HistoryRequest, error: &ApiError) -> Option<Vec<HistoryRequest>> {
        let is_unknown = matches!(error, ApiError::Unsupported { .. });
        let is_too_large = matches!(
            error,
            ApiError::Server { .. }
                | ApiError::Cut
                | ApiError::Rejected { what: TransportError::TooLarge { .. } | TransportError::Slow, .. }
        );
        match work {
            HistoryRequest::Bucketed(keys) if is_unknown => {
                self.strategy = Strategy::Exact;
                let keys = keys.clone();
                Some(exact(&self.facts, &|key| keys.iter().any(|wanted| wanted == key), None).into())
            }
            HistoryRequest::ParquetList if is_unknown => Some(self.without_parquet()),
            // An address that expired, or a bucket that does not let the page read, or that does what it should not.
            HistoryRequest::ParquetFile(_)
                if matches!(
                    error,
                    ApiError::Refused { .. }
                        | ApiError::Blocked { .. }
                        | ApiError::Unreachable { .. }
                        | ApiError::Rejected { .. }
                ) =>
            {
                Some(self.without_parquet())
            }
            HistoryRequest::Sampled(_) if is_unknown => {
                self.strategy = Strategy::Pages;
                self.queue.retain(|work| !matches!(work, HistoryRequest::Sampled(_)));
                Some(vec![HistoryRequest::Page { from: 0, steps: plan::PAGE_STEPS }])
            }
            HistoryRequest::Sampled(specs) if is_too_large && specs.len() > 1 => {
                let (left, right) = specs.split_at(specs.len() / 2);
                Some(vec![HistoryRequest::Sampled(left.to_vec()), HistoryRequest::Sampled(right.to_vec())])
            }
            HistoryRequest::Page { from, steps } if is_too_large && *steps > 10 => {
                Some(vec![HistoryRequest::Page { from: *from, steps: steps / 4 }])
            }
            // Extras that a server does not have are no reason to go without the run.
            HistoryRequest::System | HistoryRequest::Console(_) if is_unknown => {
                self.warn_once(RunWarning::SystemMetricsUnavailable);
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// False, with a warning, when answers made too many requests necessary.
    fn may_ask_further(&mut self) -> bool {
        self.follow_ups += 1;
        if self.follow_ups > MAX_FOLLOW_UPS {
            self.warn_once(RunWarning::RequestLimit);
        }
        self.follow_ups <= MAX_FOLLOW_UPS
    }

    /// Rows that the server counts for a key.
    fn counted(&self, key: &str) -> u64 {
        self.facts.keys.as_ref().and_then(|keys| keys.keys.get(key)).map_or(0, |info| info.count)
    }

    fn warn_once(&mut self, warning: RunWarning) {
        add_new(&mut self.warnings, [warning]);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::super::client::WandbClient;
    use super::super::super::reference::RunRef;
    use super::super::FetchOptions;
    use super::*;
    use rundown_http::Transport;
    use rundown_http::fake::block_on;
    use rundown_http::{HttpRequest, HttpResponse, HttpSession, Incoming, TransportError};

    /// Answers the first query with a run and every other one with `body`, in which `LISTS` is a full list for each spec.
    struct Hostile {
        body: &'static str,
        asked: Cell<u32>,
    }

    impl Transport for &Hostile {
        async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
            self.asked.set(self.asked.get() + 1);
            let keys = r#"{"keys":{"a":{"typeCounts":[{"type":"number","count":9}]}},"lastStep":1e300}"#;
            let asked = String::from_utf8_lossy(&request.body).into_owned();
            let list = format!("[{}]", vec![r#"{"_step":1,"a":1}"#; 80].join(","));
            let lists = vec![list; asked.matches("samples").count()].join(",");
            let body = match asked.contains("historyKeys") {
                true => format!(r#"{{"data":{{"project":{{"run":{{"name":"r","historyKeys":{keys}}}}}}}}}"#),
                false => self.body.replace("LISTS", &lists),
            };
            incoming.push_whole(HttpResponse { status: 200, body: body.into_bytes(), ..HttpResponse::default() })
        }

        async fn sleep(&self, _: u32) {}
    }

    fn fetch(body: &'static str) -> (Result<(), ApiError>, Run, u32) {
        let hostile = Hostile { body, asked: Cell::new(0) };
        let client = WandbClient::new(HttpSession::new(&hostile, 1), "https://x", None);
        let place = RunRef { entity: "e".into(), project: "p".into(), id: "r".into() };
        let mut download = block_on(Download::begin(&client, place, FetchOptions::default(), |_| true)).unwrap();
        let result = block_on(download.complete(&client));
        (result, download.run(), hostile.asked.get())
    }

    #[test]
    fn a_server_whose_answers_never_end_is_left() {
        let (result, run, asked) = fetch(r#"{"data":{"project":{"run":{"sampledHistory":[LISTS]}}}}"#);
        assert_eq!(result, Ok(()));
        assert!(asked <= 2 * MAX_FOLLOW_UPS && run.row_steps.len() == 1, "{asked}");
        assert_eq!(run.sampling_of("a"), Some(Thinning::Rows));
        assert!(run.warnings.contains(&RunWarning::RequestLimit));
    }

    #[test]
    fn answers_of_the_wrong_shape_are_errors() {
        for body in [
            r#"{"data":{"project":{"run":{"sampledHistory":null}}}}"#,
            r#"{"data":{"project":{"run":{"sampledHistory":{"a":1}}}}}"#,
            r#"{"data":{"project":{"run":{}}}}"#,
            r#"{"data":{"project":{"run":[]}}}"#,
            r#"{"data":{"project":{"run":{"sampledHistory":[[1,null,{"a":2}]]}}}}"#,
        ] {
            let (result, run, _) = fetch(body);
            let what = "it lacks what was asked for".to_owned();
            assert_eq!(result, Err(ApiError::Malformed { operation: "RunSampledHistory", what }), "{body}");
            assert!(run.row_steps.is_empty());
        }
    }
}

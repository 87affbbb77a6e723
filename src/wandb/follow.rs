//! A run that still goes on: asks how far it is, fetches the rows that are new, and says what changed.

use std::collections::BTreeSet;

use serde_json::json;

use super::client::WandbClient;
use super::decode::ending;
use super::history::Download;
use super::{ApiError, queries};
use crate::http::Transport;
use crate::ingest::json::Json;
use crate::run::RunState;

/// A run that is being watched.
pub struct Follower {
    download: Download,
    pulse: Option<Pulse>,
    quiet_looks: u32,
}

#[derive(Debug, Clone, PartialEq)]
struct Pulse {
    state: String,
    heartbeat: String,
    lines: Option<f64>,
}

/// What a look brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Rows that were not there before.
    pub new_rows: usize,
    /// Values that were not there before, those in rows that were already there included.
    pub new_values: usize,
    /// Metrics that were not there before.
    pub new_metrics: Vec<String>,
    /// The state before and after, when it is another one.
    pub state: Option<(RunState, RunState)>,
    /// The run still goes on: look again.
    pub goes_on: bool,
}

impl Changes {
    /// True when the run must be read again.
    pub fn is_any(&self) -> bool {
        self.new_rows > 0 || self.new_values > 0 || !self.new_metrics.is_empty() || self.state.is_some()
    }
}

impl Follower {
    /// Watches the run of a download, complete or not.
    pub fn new(download: Download) -> Self {
        Self { download, pulse: None, quiet_looks: 0 }
    }

    /// The download, with all rows so far.
    pub fn download(&self) -> &Download {
        &self.download
    }

    /// The download, when the run is not followed any more.
    pub fn into_download(self) -> Download {
        self.download
    }

    /// Looks once. Costs one small request when nothing happened.
    ///
    /// # Errors
    /// The server's; rows that came stay, and the next look goes on from there.
    pub async fn look<T: Transport>(&mut self, client: &WandbClient<T>) -> Result<Changes, ApiError> {
        let pulse = self.ask_pulse(client).await?;
        let state = ending(&pulse.state, None).state;
        let is_same = self.pulse.as_ref() == Some(&pulse) && self.download.is_done();
        if is_same {
            self.quiet_looks += 1;
            return Ok(Changes { goes_on: goes_on(state), ..Changes::default() });
        }
        let before = self.download.state();
        let (rows, values) = (self.download.rows().len(), self.download.rows().value_count());
        let metrics: BTreeSet<String> = self.download.logged_keys().map(|(key, _)| key.to_owned()).collect();
        self.download.renew(client).await?;
        self.download.complete(client).await?;
        // Only now: had it failed, the next look must not take it for done.
        self.pulse = Some(pulse);
        let after = self.download.state();
        let changes = Changes {
            new_rows: self.download.rows().len().saturating_sub(rows),
            new_values: self.download.rows().value_count().saturating_sub(values),
            new_metrics: self
                .download
                .logged_keys()
                .map(|(key, _)| key.to_owned())
                .filter(|key| !metrics.contains(key))
                .collect(),
            state: (before != after).then_some((before, after)),
            goes_on: goes_on(after),
        };
        self.quiet_looks = if changes.is_any() { 0 } else { self.quiet_looks + 1 };
        Ok(changes)
    }

    async fn ask_pulse<T: Transport>(&self, client: &WandbClient<T>) -> Result<Pulse, ApiError> {
        let answer = client.run_query("RunPulse", queries::PULSE, self.download.place(), json!({})).await?;
        let text = |key: &str| answer.data.get(key).and_then(Json::text).unwrap_or_default().to_owned();
        let lines = answer.data.get("historyLineCount").and_then(Json::metric);
        Ok(Pulse { state: text("state"), heartbeat: text("heartbeatAt"), lines })
    }
}

/// A run that waits to go on (`preempted`, `pending`) is unknown here, and may go on.
fn goes_on(state: RunState) -> bool {
    matches!(state, RunState::Running | RunState::Unknown)
}

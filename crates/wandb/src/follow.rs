//! A run that still goes on: asks how far it is, fetches the rows that are new, and says whether anything changed.

use serde_json::json;

use super::client::WandbClient;
use super::history::Download;
use super::{ApiError, queries};
use rundown_http::Transport;

/// A run that is being watched.
pub struct Follower {
    download: Download,
    status: Option<RunStatus>,
}

#[derive(Debug, Clone, PartialEq)]
struct RunStatus {
    state: String,
    heartbeat: String,
    lines: Option<f64>,
}

impl Follower {
    /// Watches the run of a download, complete or not.
    pub fn new(download: Download) -> Self {
        Self { download, status: None }
    }

    /// The download, with all rows so far.
    pub fn download(&self) -> &Download {
        &self.download
    }

    /// The download, when the run is not followed any more.
    pub fn into_download(self) -> Download {
        self.download
    }

    /// Polls once: true when the run must be read again, for rows, values, metrics or another state. Costs one small
    /// request when nothing happened.
    ///
    /// # Errors
    /// The server's; rows that came stay, and the next poll goes on from there.
    pub async fn poll<T: Transport>(&mut self, client: &WandbClient<T>) -> Result<bool, ApiError> {
        let status = self.ask_status(client).await?;
        if self.status.as_ref() == Some(&status) && self.download.is_done() {
            return Ok(false);
        }
        let before = (self.download.state(), self.download.sizes());
        self.download.renew(client).await?;
        self.download.complete(client).await?;
        // Only now: had it failed, the next poll must not take it for done.
        self.status = Some(status);
        Ok((self.download.state(), self.download.sizes()) != before)
    }

    async fn ask_status<T: Transport>(&self, client: &WandbClient<T>) -> Result<RunStatus, ApiError> {
        let answer = client.run_query("RunPulse", queries::RUN_STATUS, self.download.place(), json!({})).await?;
        let text = |key: &str| answer.data.text_at(key).unwrap_or_default().to_owned();
        let lines = answer.data.metric_at("historyLineCount");
        Ok(RunStatus { state: text("state"), heartbeat: text("heartbeatAt"), lines })
    }
}

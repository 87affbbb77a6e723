//! The protocol between the page and the engine: one request, one answer, with progress in between.
//!
//! A message is postcard bytes of these types, written and read by serde on both sides. Arrays of numbers are transferred
//! beside it, concatenated in one `Float64Array` with their lengths in a `Uint32Array`; a message names them by their index
//! ([`ArrayIndex`]). Handles of files are sent beside a request. The first event of an engine carries [`VERSION`]: a page
//! that was cached with another engine says so instead of misreading its messages.

mod charts;
mod event;
mod export;
mod fault;
mod files;
mod metrics;
mod payload;
mod progress;
mod project;
mod request;
mod run_list;
mod run_table;
mod run_view;
mod server;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use charts::{
    ArrayIndex, Center, Heat, HeatColumns, HeatRequest, HeatSource, Line, LineBand, LineGroup, LineGrouping, Lines,
    LinesRequest, SeriesRef, Smoothing, SmoothingKind, XAxis,
};
pub use event::Event;
pub use export::{ChartFormat, ExportRequest};
pub use fault::Fault;
pub use files::{FileRow, FileStatus, FormatChoice, FormatMark};
pub use metrics::{EquivalentKey, MetricKind, MetricList, MetricRow, MetricSection};
pub use payload::UnexpectedReply;
pub use progress::{Progress, RunIdentity, Work};
pub use project::{Choice, ProjectRequest, ProjectView, QueryMatches, Topic};
pub use request::{Envelope, Reply, ReportFormat, Request};
pub use run_list::{NewsRow, ProblemRow, RunList, RunRow, SeverityMark, VerdictMark};
pub use run_table::{Aggregate, ColumnId, RunTable, RunTableColumn, RunTableRow, TableRequest};
pub use run_view::{FindingCard, FirstAction, Fold, MeasureCandidate, RunView};
pub use server::{QueryField, ServerListing, ServerQuery, ServerRun, ServerRuns, Service, Workaround};

/// Version of these types. Raise it with every change: postcard carries no names, so a reader of another version would
/// take one field for another.
pub const VERSION: u32 = 20;

/// What an engine throws when it panics. One that runs out of memory ends without a word of its own, so that the page
/// tells the two apart by this.
pub const PANICKED: &str = "the engine panicked";
/// What it throws instead where the panic says that memory ran out: a list longer than can be addressed.
pub const OUT_OF_MEMORY: &str = "the engine is out of memory";

/// Why a message could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The message is not one of protocol version {VERSION}: {0}")]
pub struct MessageError(String);

/// A message as bytes.
///
/// # Errors
/// Where a type has no postcard encoding.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, MessageError> {
    postcard::to_allocvec(message).map_err(|error| MessageError(error.to_string()))
}

/// A message from bytes.
///
/// # Errors
/// Where the bytes are not one whole message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MessageError> {
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(MessageError(format!("{} bytes follow it", rest.len()))),
        Err(error) => Err(MessageError(error.to_string())),
    }
}

#[cfg(test)]
mod tests;

//! The messages of SwanLab's records, with the fields that are read (swanlab.record.v1).
//!
//! Texts of the console are bytes: what a program prints need not be UTF-8.

use prost::{Enumeration, Message};

/// `swanlab.record.v1.Record`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RecordMessage {
    #[prost(message, optional, tag = "2")]
    pub(super) timestamp: Option<TimestampMessage>,
    #[prost(message, optional, tag = "10")]
    pub(super) start: Option<StartMessage>,
    #[prost(message, optional, tag = "11")]
    pub(super) finish: Option<FinishMessage>,
    #[prost(message, optional, tag = "13")]
    pub(super) scalar: Option<ScalarMessage>,
    #[prost(message, optional, tag = "16")]
    pub(super) console: Option<ConsoleMessage>,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TimestampMessage {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(super) nanos: i32,
}

impl TimestampMessage {
    /// Unix seconds.
    pub(super) fn unix_seconds(&self) -> f64 {
        self.seconds as f64 + f64::from(self.nanos) / 1e9
    }
}

/// The run that begins.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StartMessage {
    #[prost(string, optional, tag = "1")]
    pub(super) project: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(super) workspace: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub(super) name: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub(super) description: Option<String>,
    #[prost(string, repeated, tag = "6")]
    pub(super) tags: Vec<String>,
    #[prost(string, optional, tag = "7")]
    pub(super) group: Option<String>,
    #[prost(string, optional, tag = "10")]
    pub(super) id: Option<String>,
    #[prost(message, optional, tag = "12")]
    pub(super) started_at: Option<TimestampMessage>,
}

/// The end of the run.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FinishMessage {
    #[prost(enumeration = "FinishState", tag = "1")]
    pub(super) state: i32,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub(super) enum FinishState {
    Unspecified = 0,
    Finished = 1,
    Crashed = 2,
    Aborted = 3,
}

/// One value of a metric.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ScalarMessage {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(int64, tag = "2")]
    pub(super) step: i64,
    #[prost(message, optional, tag = "4")]
    pub(super) timestamp: Option<TimestampMessage>,
    #[prost(message, optional, tag = "5")]
    pub(super) value: Option<ScalarValueMessage>,
}

/// A number; a zero is not written.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ScalarValueMessage {
    #[prost(double, tag = "1")]
    pub(super) number: f64,
}

/// Lines of the console.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ConsoleMessage {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(super) lines: Vec<Vec<u8>>,
}

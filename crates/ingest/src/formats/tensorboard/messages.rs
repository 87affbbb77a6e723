//! The messages of an event file, with the fields that are read. Others are skipped, images and graphs among them.
//!
//! Field numbers: tensorflow/core/util/event.proto; tensorflow/core/framework/{summary,histogram,tensor,tensor_shape,
//! types}.proto; tensorboard/plugins/hparams/plugin_data.proto; google/protobuf/struct.proto.

use std::collections::BTreeMap;

use prost::{Enumeration, Message, Oneof};

/// `tensorflow.Event`: one record of the file.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EventMessage {
    /// Unix seconds.
    #[prost(double, optional, tag = "1")]
    pub(super) wall_time: Option<f64>,
    #[prost(int64, tag = "2")]
    pub(super) step: i64,
    #[prost(message, optional, tag = "5")]
    pub(super) summary: Option<SummaryMessage>,
    #[prost(message, optional, tag = "7")]
    pub(super) session_log: Option<SessionLogMessage>,
}

/// `tensorflow.SessionLog`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SessionLogMessage {
    #[prost(enumeration = "SessionStatus", tag = "1")]
    pub(super) status: i32,
}

/// `tensorflow.SessionLog.SessionStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub(super) enum SessionStatus {
    Unspecified = 0,
    Start = 1,
    Stop = 2,
    Checkpoint = 3,
}

/// `tensorflow.Summary`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SummaryMessage {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<SummaryValueMessage>,
}

/// `tensorflow.Summary.Value`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SummaryValueMessage {
    #[prost(string, tag = "1")]
    pub(super) tag: String,
    #[prost(float, optional, tag = "2")]
    pub(super) simple_value: Option<f32>,
    #[prost(message, optional, tag = "5")]
    pub(super) histogram: Option<HistogramMessage>,
    #[prost(message, optional, tag = "8")]
    pub(super) tensor: Option<TensorMessage>,
    #[prost(message, optional, tag = "9")]
    pub(super) metadata: Option<SummaryMetadataMessage>,
}

/// `tensorflow.SummaryMetadata`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SummaryMetadataMessage {
    #[prost(message, optional, tag = "1")]
    pub(super) plugin_data: Option<PluginDataMessage>,
}

/// `tensorflow.SummaryMetadata.PluginData`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PluginDataMessage {
    #[prost(string, tag = "1")]
    pub(super) plugin_name: String,
    /// A message of the plugin's own.
    #[prost(bytes = "vec", tag = "2")]
    pub(super) content: Vec<u8>,
}

/// `tensorflow.HistogramProto`: the histogram of TensorFlow 1, which torch still writes.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HistogramMessage {
    #[prost(double, tag = "1")]
    pub(super) min: f64,
    #[prost(double, tag = "2")]
    pub(super) max: f64,
    /// Right edges.
    #[prost(double, repeated, tag = "6")]
    pub(super) bucket_limits: Vec<f64>,
    /// Counts.
    #[prost(double, repeated, tag = "7")]
    pub(super) buckets: Vec<f64>,
}

/// `tensorflow.TensorProto`: the numbers stand in `content`, or in the list of their type.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorMessage {
    #[prost(enumeration = "DataType", tag = "1")]
    pub(super) dtype: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<TensorShapeMessage>,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) content: Vec<u8>,
    #[prost(float, repeated, tag = "5")]
    pub(super) float_values: Vec<f32>,
    #[prost(double, repeated, tag = "6")]
    pub(super) double_values: Vec<f64>,
    /// Integers of up to 32 bits.
    #[prost(int32, repeated, tag = "7")]
    pub(super) int_values: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub(super) string_values: Vec<Vec<u8>>,
    #[prost(int64, repeated, tag = "10")]
    pub(super) int64_values: Vec<i64>,
    #[prost(bool, repeated, tag = "11")]
    pub(super) bool_values: Vec<bool>,
    /// Bits of floats of 16 bits.
    #[prost(int32, repeated, tag = "13")]
    pub(super) half_values: Vec<i32>,
    #[prost(uint32, repeated, tag = "16")]
    pub(super) uint32_values: Vec<u32>,
    #[prost(uint64, repeated, tag = "17")]
    pub(super) uint64_values: Vec<u64>,
}

/// `tensorflow.DataType`, as far as it holds numbers or texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub(super) enum DataType {
    Invalid = 0,
    Float = 1,
    Double = 2,
    Int32 = 3,
    Uint8 = 4,
    Int16 = 5,
    Int8 = 6,
    String = 7,
    Int64 = 9,
    Bool = 10,
    Bfloat16 = 14,
    Uint16 = 17,
    Half = 19,
    Uint32 = 22,
    Uint64 = 23,
}

/// `tensorflow.TensorShapeProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorShapeMessage {
    #[prost(message, repeated, tag = "2")]
    pub(super) dimensions: Vec<DimensionMessage>,
}

/// `tensorflow.TensorShapeProto.Dim`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct DimensionMessage {
    #[prost(int64, tag = "1")]
    pub(super) size: i64,
}

/// `tensorboard.hparams.HParamsPluginData`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HyperparametersMessage {
    #[prost(message, optional, tag = "3")]
    pub(super) session_start: Option<SessionStartMessage>,
}

/// `tensorboard.hparams.SessionStartInfo`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SessionStartMessage {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(super) hyperparameters: BTreeMap<String, ValueMessage>,
}

/// `google.protobuf.Value`, as far as hyperparameters use it.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueMessage {
    #[prost(oneof = "ValueKind", tags = "1, 2, 3, 4")]
    pub(super) kind: Option<ValueKind>,
}

/// What a [`ValueMessage`] holds.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum ValueKind {
    #[prost(int32, tag = "1")]
    Null(i32),
    #[prost(double, tag = "2")]
    Number(f64),
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(bool, tag = "4")]
    Bool(bool),
}

//! Parsers of the notations in which values stand inside files: JSON, YAML, Python literals, Protocol Buffers.

pub mod json;
pub(crate) mod protobuf;
pub(crate) mod python;
pub(crate) mod yaml;

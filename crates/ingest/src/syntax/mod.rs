//! Parsers of the notations in which values stand inside files: JSON, YAML, Python literals.

pub mod json;
pub(crate) mod python;
pub(crate) mod yaml;

//! Parsers of the notations in which values stand inside files: JSON, YAML, Python literals, and
//! literal arguments in Python source.

pub mod json;
pub(crate) mod python;
pub(crate) mod python_calls;
mod python_statements;
pub(crate) mod yaml;

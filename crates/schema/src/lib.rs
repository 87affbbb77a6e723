//! The JSON of reports, schema 2: one type for each object, written by `report` and read by `ingest` and `compare`.
//!
//! Names of checks, severities and quantities are strings here, so that a reader passes over what it does not know. Fields
//! that a reader can do without have defaults, so that reports of schema 1 are read by the same types.

pub mod comparison;
pub mod finding;
mod format;
mod number;
pub mod report;

pub use format::to_string;
pub use number::Number;

/// Version of the schema that is written. It grows when a field changes its meaning or goes; new fields may come without.
pub const VERSION: u32 = 2;
/// The versions that are read.
pub const READABLE_VERSIONS: [u32; 2] = [1, 2];

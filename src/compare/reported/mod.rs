//! Runs that are known from a JSON report alone.

mod diagnosis;
mod summary;

pub use diagnosis::reported_analysis;
pub use summary::{ReportError, ReportedRuns, direction_name, is_report, read_report, reported_summary};

//! Findings and comparisons as content: the blocks of every view, made once, last.
//!
//! [`run_view()`] is the Run view of one run and [`run_report()`] its report, [`run_list()`] the column of runs,
//! [`project_view()`] the views over all runs; [`compare`] holds the sections that these and the reports share.

mod appendix;
mod checks;
mod clean;
pub mod compare;
pub mod config;
mod distributions;
mod failures;
mod finding;
mod first_actions;
mod open_question;
mod project_view;
mod report;
mod run_list;
mod run_view;
pub mod samples;
mod settings_reference;

pub use clean::{clean_blocks, clean_rich};
pub use project_view::{chosen_metric, project_view};
pub use report::run_report;
pub use run_list::{files_read, run_list, severity_mark};
pub use run_view::run_view;

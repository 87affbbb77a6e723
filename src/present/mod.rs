//! Findings and comparisons as content: the blocks of every view, made once, last.
//!
//! [`run_view()`] is the Run view of one run, [`run_list()`] the column of runs, [`project_view()`] the views over all
//! runs; [`compare`] holds the sections that views and reports share.

mod appendix;
pub mod compare;
pub mod config;
mod finding_card;
mod project_view;
mod run_list;
mod run_view;
pub mod samples;
mod settings_reference;

pub use project_view::project_view;
pub use run_list::{run_list, severity_mark};
pub use run_view::run_view;

//! Reports: Markdown and HTML for people, JSON for programs; secrets redacted in all of them.
//!
//! All are made from the same run and diagnosis, use no clock, and write the same bytes on every platform.

mod charts;
mod clean_blocks;
mod export;
mod html;
mod json;
mod markdown;
mod preview;
mod run_set;
mod svg;

pub use export::{RUN_EXPORT, Secrets, write_line, write_run};
pub use html::html;
pub use json::SCHEMA;
pub use markdown::markdown_blocks;
pub use preview::preview;
pub use run_set::{Named, RunSet};
pub use svg::{STYLE as FIGURE_STYLE, svg, svg_file};

use crate::diagnose::Diagnosis;
use crate::run::Run;

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people.
    #[default]
    Markdown,
    /// For programs.
    Json,
    /// For people, one file with its charts.
    Html,
}

/// The report of any number of runs. One run has a report of its own shape; several are compared first.
pub fn write(runs: &[(&Run, &Diagnosis)], format: Format) -> String {
    RunSet::new(runs, Vec::new()).write(format)
}

/// Keys that stand for no concept, but for the one that counts the steps; sorted.
fn unbound<'r>(run: &'r Run, diagnosis: &Diagnosis) -> Vec<&'r str> {
    let mut keys = diagnosis.bindings.unbound(run);
    keys.retain(|key| *key != run.axis.key);
    keys
}

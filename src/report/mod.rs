//! Reports: Markdown and HTML for people, JSON for programs; secrets redacted in all of them.
//!
//! All are made from the same run and diagnosis, use no clock, and write the same bytes on every platform.

mod clean_blocks;
pub mod compare;
mod config;
mod export;
mod html;
mod json;
mod markdown;
pub mod numbers;
mod preview;
mod redact;
pub mod samples;
mod svg;

pub use export::{RUN_EXPORT, Secrets, write_line, write_run};
pub use html::html;
pub use json::{SCHEMA, json};
pub use markdown::{markdown_blocks, markdown_project, markdown_run};
pub use numbers::{bytes, number, quantity};
pub use preview::preview;
pub use redact::{REDACTED, redact, redact_around_id, redact_setting};
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
}

/// The report of any number of runs. One run in Markdown has a report of its own shape.
pub fn write(runs: &[(&Run, &Diagnosis)], format: Format) -> String {
    match (format, runs) {
        (Format::Json, _) => json(runs),
        (Format::Markdown, [(run, diagnosis)]) => markdown_run(run, diagnosis),
        (Format::Markdown, _) => markdown_project(runs),
    }
}

/// Keys that stand for no concept, but for the one that counts the steps; sorted.
fn unbound<'r>(run: &'r Run, diagnosis: &Diagnosis) -> Vec<&'r str> {
    let mut keys = diagnosis.bindings.unbound(run);
    keys.retain(|key| *key != run.axis.key);
    keys
}

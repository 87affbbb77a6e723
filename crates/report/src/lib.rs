//! Reports: Markdown and HTML for people, JSON for programs; secrets redacted in all of them.
//!
//! All are made from the same run and diagnosis, use no clock, and write the same bytes on every platform.

mod document;
mod export;
mod html;
mod json;
mod people;
mod run_set;
mod svg;

pub use document::Document;
pub use export::{RUN_EXPORT, Secrets, run_export};
pub use html::html;
pub use people::{learn_settings, people_of};
pub use run_set::{Named, RunSet};
pub use svg::{svg, svg_file};

use rundown_content::Block;
use rundown_diagnose::Diagnosis;
use rundown_run::Run;

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

/// The Markdown file.
pub fn markdown(document: &Document) -> String {
    let title = Block::Heading { level: 1, text: document.title().clone() };
    rundown_content::markdown(std::iter::once(&title).chain(document.blocks()))
}

/// The report of any number of runs. One run has a report of its own shape; several are compared first.
pub fn write(runs: &[(&Run, &Diagnosis)], format: Format) -> String {
    write_set(&RunSet::new(runs, Vec::new()), format)
}

/// The same of a set of runs.
pub fn write_set(runs: &RunSet<'_>, format: Format) -> String {
    match format {
        Format::Markdown => markdown(&Document::of(runs)),
        Format::Json => json::report(runs),
        Format::Html => html(&Document::of(runs)),
    }
}

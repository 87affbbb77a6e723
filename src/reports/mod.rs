//! What the worker loads when somebody compares runs, or wants a report or an export.
//!
//! A program of its own, as the sources are: what every visitor fetches holds the runs and judges them, and hands both
//! over as postcard bytes. The report of many runs compares them too, so that both are one program.

use wasm_bindgen::prelude::*;

use crate::compare::told;
use crate::comparer::Comparer;
use crate::diagnose::Diagnosis;
use crate::engine::messages::{Case, Document, Fault, Reply, encoded};
use crate::report;
use crate::run::Run;
use crate::settings::Settings;

/// Makes panics legible. Called once, by the program's `main`; the exports below do the work.
pub fn start() {
    console_error_panic_hook::set_once();
}

/// The runs of a page, ready to be compared: a shell for [`Comparer`], which says what each call does.
#[wasm_bindgen]
#[derive(Default)]
pub struct Comparing(Comparer);

#[wasm_bindgen]
impl Comparing {
    /// One that knows no runs.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// See [`Comparer::take`].
    pub fn take(&mut self, entries: &[u8]) -> bool {
        self.0.take(entries)
    }

    /// See [`Comparer::topic`].
    pub fn topic(&self, request: &[u8]) -> Vec<u8> {
        self.0.topic(request)
    }

    /// See [`Comparer::find`].
    pub fn find(&mut self, query: &str, cursor: u32) -> Vec<u8> {
        self.0.find(query, cursor)
    }
}

/// What a report says of the run of this case, for the judge: an encoded [`told`]; empty where it says nothing.
#[wasm_bindgen]
pub fn read_told(case: &[u8]) -> Vec<u8> {
    let case = postcard::from_bytes::<Case<'_>>(case).ok();
    let told = case.and_then(|case| told(case.number, &case.run));
    told.map(|told| encoded(&told)).unwrap_or_default()
}

/// Settings as the user wrote them, encoded for the judge.
///
/// # Errors
/// What is wrong with them, for the user.
#[wasm_bindgen]
pub fn read_settings(text: &str) -> Result<Vec<u8>, String> {
    Settings::parse(text).map(|settings| encoded(&settings)).map_err(|error| error.to_string())
}

/// A report that is being put together, run by run.
#[wasm_bindgen]
#[derive(Default)]
pub struct ReportWriter {
    runs: Vec<(Run, Diagnosis)>,
    lines: String,
}

#[wasm_bindgen]
impl ReportWriter {
    /// An empty report.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a run as the engine gives it and its diagnosis as the judge does. False for bytes of another version.
    pub fn add(&mut self, case: &[u8], diagnosis: &[u8]) -> bool {
        let judged = read(case, diagnosis);
        let is_read = judged.is_some();
        self.runs.extend(judged);
        is_read
    }

    /// Takes a whole run and writes it as a line of its own; keeps nothing else of it.
    pub fn export(&mut self, case: &[u8], diagnosis: &[u8]) -> bool {
        let Some((run, diagnosis)) = read(case, diagnosis) else { return false };
        report::write_line(&mut self.lines, &run, &diagnosis);
        true
    }

    /// The report of the runs so far, for people.
    pub fn markdown(&self) -> String {
        self.write(report::Format::Markdown)
    }

    /// The same for programs.
    pub fn json(&self) -> String {
        self.write(report::Format::Json)
    }

    /// The same as one file with its charts.
    pub fn html(&self) -> String {
        self.write(report::Format::Html)
    }

    /// The report of the runs so far as it will be in Markdown, for the page: an encoded reply of blocks.
    pub fn preview(&self) -> Vec<u8> {
        let blocks = report::preview(&self.markdown());
        let reply = Ok::<Reply, Fault>(Reply::Document(Document { choices: Vec::new(), blocks }));
        encoded(&reply)
    }

    /// The exported lines; empty after the first call.
    pub fn exported(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }
}

impl ReportWriter {
    fn write(&self, format: report::Format) -> String {
        let runs: Vec<(&Run, &Diagnosis)> = self.runs.iter().map(|(run, diagnosis)| (run, diagnosis)).collect();
        report::write(&runs, format)
    }
}

fn read(case: &[u8], diagnosis: &[u8]) -> Option<(Run, Diagnosis)> {
    let case: Case<'_> = postcard::from_bytes(case).ok()?;
    Some((case.run.into_owned(), postcard::from_bytes(diagnosis).ok()?))
}

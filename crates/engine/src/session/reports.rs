//! Reports and exports of loaded runs, written from memory.

use super::Session;
use rundown_format::People;
use rundown_protocol::{Fault, ProjectView, Reply, ReportFormat};
use rundown_report::{self as report, Document, Format, RunSet, Secrets, people_of};

impl Session {
    /// A report of these runs, of all where none is named. Runs that wait for their diagnosis are left out.
    pub(super) fn report(&self, runs: &[u32], format: ReportFormat, hides_names: bool) -> Result<Reply, Fault> {
        let text = match format {
            ReportFormat::Markdown => report::write_set(&self.run_set(runs), Format::Markdown),
            ReportFormat::Json => report::write_set(&self.run_set(runs), Format::Json),
            ReportFormat::Html => report::write_set(&self.run_set(runs), Format::Html),
            ReportFormat::Preview => {
                let set = self.run_set(runs);
                let mut blocks = Document::of(&set).into_section();
                blocks.iter_mut().for_each(|block| block.renumber_runs(&|place| set.original_number(place)));
                return Ok(Reply::Project(ProjectView { choices: Vec::new(), blocks }));
            }
            ReportFormat::Runs => self.export(runs)?,
        };
        if !hides_names {
            return Ok(Reply::Report(text));
        }
        Ok(Reply::Report(self.people(runs).hide(&text).into_owned()))
    }

    /// The texts without the names of people and machines that the runs tell of themselves.
    pub(super) fn without_names(&self, texts: &[String]) -> Reply {
        let people = self.people(&[]);
        Reply::Texts(texts.iter().map(|text| people.hide(text).into_owned()).collect())
    }

    /// The names of people and machines in these runs, in all where none is named.
    pub(super) fn people(&self, runs: &[u32]) -> People {
        people_of(self.chosen(runs).map(|loaded| loaded.run.run()))
    }

    fn run_set(&self, runs: &[u32]) -> RunSet<'_> {
        let loaded = self
            .chosen(runs)
            .filter_map(|loaded| Some((loaded.run.summary()?.clone(), (loaded.run.run(), loaded.run.diagnosis()?))));
        RunSet::compared(loaded)
    }

    /// Whole runs, a line each, without secrets: the file is made to be sent around.
    fn export(&self, runs: &[u32]) -> Result<String, Fault> {
        let mut lines = String::new();
        for loaded in self.chosen(runs) {
            let Some(diagnosis) = loaded.run.diagnosis() else { continue };
            let run = loaded.run.run();
            let line = report::run_export(run, &diagnosis.findings, Secrets::Redact);
            let fault = |error| Fault::Export(format!("The run {} can't be exported: {error}.", run.name));
            lines.push_str(&line.map_err(fault)?);
        }
        Ok(lines)
    }
}

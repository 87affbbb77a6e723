//! Reports and exports of loaded runs, written from memory.

use super::Session;
use crate::protocol::{ProjectView, Reply, ReportFormat};
use crate::report::{self, Format, RunSet};

impl Session {
    /// A report of these runs, of all where none is named. Runs that wait for their diagnosis are left out.
    pub(super) fn report(&self, runs: &[u32], format: ReportFormat) -> Reply {
        match format {
            ReportFormat::Markdown => Reply::Report(self.run_set(runs).write(Format::Markdown)),
            ReportFormat::Json => Reply::Report(self.run_set(runs).write(Format::Json)),
            ReportFormat::Html => Reply::Report(self.run_set(runs).write(Format::Html)),
            ReportFormat::Preview => {
                let blocks = report::preview(&self.run_set(runs).write(Format::Markdown));
                Reply::Project(ProjectView { choices: Vec::new(), blocks })
            }
            ReportFormat::Runs => Reply::Report(self.export(runs)),
        }
    }

    fn run_set(&self, runs: &[u32]) -> RunSet<'_> {
        let loaded = self
            .chosen(runs)
            .filter_map(|loaded| Some((loaded.run.entry()?.clone(), (loaded.run.run(), loaded.run.diagnosis()?))));
        RunSet::compared(loaded)
    }

    /// Whole runs, a line each.
    fn export(&self, runs: &[u32]) -> String {
        let mut lines = String::new();
        for loaded in self.chosen(runs) {
            if let Some(diagnosis) = loaded.run.diagnosis() {
                report::write_line(&mut lines, loaded.run.run(), diagnosis);
            }
        }
        lines
    }
}

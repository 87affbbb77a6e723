//! Charts as files: a table of all points, or a drawing.

mod csv;
mod figure;
#[cfg(test)]
mod tests;

pub use csv::csv;
pub use figure::figure;

use super::super::ids::UniqueIds;
use super::ChartRun;
use rundown_format::redact;
use rundown_run::Run;

/// What a file needs beside the runs that are drawn.
pub struct ExportSource<'r, 's> {
    /// The runs, as they are drawn.
    pub runs: &'r mut [ChartRun<'s>],
    /// The ids of all runs.
    pub ids: &'r UniqueIds,
}

impl<'s> ExportSource<'_, 's> {
    fn id(&self, number: u32) -> String {
        redact(self.ids.of_run(number)).into_owned()
    }

    fn run(&mut self, number: u32) -> Option<&mut ChartRun<'s>> {
        self.runs.iter_mut().find(|run| run.number == number)
    }
}

/// Name of a run without secrets; its id where it has none.
fn name(run: &Run) -> String {
    redact(if run.name.is_empty() { &run.id } else { &run.name }).into_owned()
}

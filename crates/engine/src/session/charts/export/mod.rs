//! Charts as files: a table of all points, or a drawing.

mod csv;
mod figure;
#[cfg(test)]
mod tests;

pub use csv::csv;
pub use figure::figure;

use super::ChartRun;
use rundown_format::redact;
use rundown_run::Run;

/// What a file needs beside the runs that are drawn.
pub struct ExportSource<'r, 's> {
    /// The runs, as they are drawn.
    pub runs: &'r mut [ChartRun<'s>],
    /// Their numbers and unique ids.
    pub ids: &'r [(u32, String)],
}

impl<'s> ExportSource<'_, 's> {
    fn id(&self, number: u32) -> String {
        let known = self.ids.iter().find(|(known, _)| *known == number);
        known.map(|(_, id)| redact(id).into_owned()).unwrap_or_default()
    }

    fn run(&mut self, number: u32) -> Option<&mut ChartRun<'s>> {
        self.runs.iter_mut().find(|run| run.number == number)
    }
}

/// Name of a run without secrets; its id where it has none.
fn name(run: &Run) -> String {
    redact(if run.name.is_empty() { &run.id } else { &run.name }).into_owned()
}

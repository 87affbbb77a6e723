//! JSON documents: Hugging Face's `trainer_state.json`, runs exported from a tracker, tables of pandas, replies of
//! Axiom, TensorBoard's downloads, Rundown's own exports, lists of rows.
//!
//! A document is cut into its members while its bytes come ([`Splitter`]), so that a long list never
//! stands in memory as a whole. A single member may be as long as the splitter allows.

mod content;
mod frame;
mod named_parts;
mod rundown_report;
mod tracker_run;
mod trainer_state;

use super::csv::name_download;
use crate::budget::MemoryUse;
use crate::path::file_name;
use crate::rows::read_progress::ReadProgress;
use crate::syntax::json::Splitter;
use crate::{FileEnd, FileReader, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use content::DocumentContent;
pub(crate) use content::whole_runs;
use rundown_run::FileFormat;
pub(crate) use tracker_run::is_run;

/// Reads a JSON document.
pub(crate) struct DocumentReader {
    path: String,
    splitter: Splitter,
    content: DocumentContent,
}

impl DocumentReader {
    pub(crate) fn new(path: &str) -> Self {
        let stem = file_name(path).split('.').next().unwrap_or_default();
        Self { path: path.to_owned(), splitter: Splitter::default(), content: DocumentContent::named(stem) }
    }
}

impl FileReader for DocumentReader {
    fn push(&mut self, bytes: &[u8]) {
        self.splitter.push(bytes, &mut self.content);
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        self.content.set_progress(progress);
    }

    fn memory_use(&self) -> MemoryUse {
        self.content.memory_use() + self.splitter.memory_use()
    }

    fn finish(mut self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut outcome = self.splitter.finish(&mut self.content);
        outcome.is_cut &= !end.is_stopped;
        let mut found = self.content.finish();
        end.format = found.format.unwrap_or(end.format);
        let mut problems = std::mem::take(&mut found.left_out);
        let mut report = |place, weight, what: &str, remedy: &str| {
            problems.push(Problem::here(place, weight, what, remedy));
        };
        if found.runs.is_empty() && found.reported.is_empty() {
            let read = "Supported: trainer_state.json (with log_history), an object with config, summary or history, \
                        tables as pandas writes them, a list of rows with a step, an epoch or an episode, and one \
                        object per line.";
            if found.is_newer {
                let what = "Another version of Rundown wrote this report, and this one does not read it.";
                report(Place::File, Weight::Lost, what, "Write the report again with this version.");
                return (Vec::new(), problems);
            }
            let damaged_at = outcome.first_bad.into_iter().chain(outcome.broken_at).min();
            match damaged_at {
                Some(at) => {
                    let what = format!("This JSON is damaged at byte {at}, and no run can be seen in it.");
                    report(Place::Byte(at), Weight::Lost, &what, read);
                }
                None if outcome.is_cut => {
                    let what = "This JSON ends early, and no run can be seen in it.";
                    report(Place::File, Weight::Lost, what, "Copy the file again.");
                }
                None => {
                    report(
                        Place::File,
                        Weight::Remark,
                        "This JSON has no structure in which Rundown can find a run.",
                        read,
                    );
                }
            }
            return (Vec::new(), problems);
        }
        if let Some(offset) = outcome.broken_at {
            report(Place::Byte(offset), Weight::Partial, "The JSON is broken here: what follows is lost.", "");
        } else if outcome.is_cut {
            report(
                Place::File,
                Weight::Partial,
                "The file ends early: the last rows may be missing.",
                "Copy the file again.",
            );
        }
        let too_long = outcome.too_long + found.too_long;
        if let Some(at) = outcome.rest_at {
            report(Place::Byte(at), Weight::Partial, "Data after the end of the JSON document is ignored.", "");
        }
        if too_long > 0 {
            let what = format!("Too large: {too_long} members exceed the size limit and were skipped.");
            report(Place::File, Weight::Partial, &what, "Export the runs as tables or JSON Lines.");
        }
        if found.bad > 0 {
            let what = format!("{} entries could not be understood and were skipped.", found.bad);
            report(Place::File, Weight::Partial, &what, "");
        }
        if found.is_newer {
            let what = "A later version of Rundown wrote this export: what this one does not know is left out.";
            report(Place::File, Weight::Partial, what, "Open it with the newest version.");
        }
        if found.is_trainer_state && found.runs.iter().all(|run| run.row_steps.is_empty()) {
            report(
                Place::File,
                Weight::Partial,
                "The trainer state has no log entry.",
                "Set logging_steps, or drop the file of a later checkpoint.",
            );
        } else if found.are_samples {
            report(
                Place::File,
                Weight::Remark,
                "These rows are samples (prompts and completions), not metrics, and are not supported yet.",
                "",
            );
            return (Vec::new(), problems);
        }
        if found.format == Some(FileFormat::TensorBoardDownload) {
            found.runs.iter_mut().for_each(|run| name_download(run, &self.path));
        }
        let runs = found.runs.into_iter().map(|run| (run, PartKind::History));
        let reported = found.reported.into_iter().map(|reported| (reported.run, PartKind::Report(reported.report)));
        let part = |(run, kind)| PartialRun::of(run, kind);
        (runs.chain(reported).map(part).collect(), problems)
    }
}

#[cfg(test)]
mod tests;

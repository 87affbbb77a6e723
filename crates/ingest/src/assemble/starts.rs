//! Several starts of a training in one file, as logs that are appended to hold them: each becomes a run.

use rundown_run::{Ending, FileFormat, Log, Run, RunWarning};

/// Formats of files that programs append to, whatever training writes.
const APPENDED: [FileFormat; 3] = [FileFormat::ConsoleLog, FileFormat::JsonLines, FileFormat::Table];

/// The runs, with each start of a run as a run of its own. Settings are those of the file; how it ended, its last lines
/// and its final values are those of the last start.
pub(super) fn split(runs: Vec<Run>) -> Vec<Run> {
    runs.into_iter().flat_map(starts_of).collect()
}

fn starts_of(run: Run) -> Vec<Run> {
    let is_appended = run.files.iter().all(|file| APPENDED.contains(&file.format)) && !run.files.is_empty();
    let begins = if is_appended { run.starts() } else { Vec::new() };
    if begins.is_empty() {
        return vec![run];
    }
    let of = begins.len() + 1;
    let ends = begins.iter().copied().chain([run.row_steps.len() as u32]);
    let mut from = 0;
    let mut starts = Vec::with_capacity(of);
    for (place, end) in ends.enumerate() {
        let start = place + 1;
        let mut part = run.rows(from..end);
        from = end;
        part.id = format!("{} (start {start})", run.id);
        part.name = format!("{} (start {start})", run.name);
        part.warnings.push(RunWarning::OneOfStarts { start, of });
        if start < of {
            part.ending = Ending::default();
            part.log = Log::default();
            part.summary = Default::default();
        }
        part.choose_axis();
        starts.push(part);
    }
    starts
}

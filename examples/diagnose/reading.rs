//! What `diagnose` reads: files and folders as the page reads them, and reports that it wrote itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rundown::compare::{RunSummary, is_report, read_report, reported_summary};
use rundown::ingest::{Place, Problem, RunAssembler, Weight, open};
use rundown::run::Run;

/// As large as the slices that the page reads.
const SLICE_BYTES: usize = 4 << 20;
/// Bytes in which a report says what it is, even where other tools put its members in another order.
const BEGINNING: usize = 64 << 10;

/// What was read.
pub struct Read {
    /// Runs, to be diagnosed.
    pub runs: Vec<Run>,
    /// Runs that were diagnosed elsewhere, each known from its report.
    pub reported: Vec<RunSummary>,
    /// What could not be read, and what to know of what was.
    pub problems: Vec<Problem>,
    /// False when the system refused a file or folder.
    pub all_opened: bool,
}

/// A file with the path that the report shows.
struct Found {
    shown: String,
    path: PathBuf,
}

/// Reads files and folders. A report is told by its content, whatever its name.
pub fn read(paths: &[PathBuf]) -> Read {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        collect(path, &shown_name(path), true, &mut files, &mut problems);
    }
    let mut assembler = RunAssembler::default();
    let mut reports = Reports::default();
    for file in &files {
        if let Err(error) = read_file(file, &mut assembler, &mut reports) {
            problems.push(unreadable(&file.shown, &error));
        }
    }
    let all_opened = problems.is_empty();
    let ingested = assembler.assemble(Vec::new());
    // Reports within archives.
    let runs = ingested.runs;
    reports.summaries.extend(ingested.reported.iter().map(|run| reported_summary(0, &run.report)));
    problems.extend(ingested.problems);
    problems.append(&mut reports.problems);
    let reported = reports.besides(&runs, &mut problems);
    Read { runs, reported, problems, all_opened }
}

/// The name by which a dropped file or folder would be known to the page.
fn shown_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    // "." and ".." have no name of their own.
    name(path).or_else(|| name(&path.canonicalize().ok()?)).unwrap_or_default()
}

/// Adds a file, or what a folder holds in the order of names. Links to folders are followed only when they were named
/// on the command line: W&B keeps one called `latest-run` beside the run that it points to.
fn collect(path: &Path, shown: &str, named: bool, files: &mut Vec<Found>, problems: &mut Vec<Problem>) {
    if !path.is_dir() {
        files.push(Found { shown: shown.to_owned(), path: path.to_owned() });
        return;
    }
    if path.is_symlink() && !named {
        return;
    }
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    match entries {
        Ok(mut entries) => {
            entries.sort_by_key(std::fs::DirEntry::file_name);
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let shown = if shown.is_empty() { name } else { format!("{shown}/{name}") };
                collect(&entry.path(), &shown, false, files, problems);
            }
        }
        Err(error) => problems.push(unreadable(shown, &error)),
    }
}

fn read_file(found: &Found, assembler: &mut RunAssembler, reports: &mut Reports) -> io::Result<()> {
    let mut file = File::open(&found.path)?;
    let mut start = vec![0; BEGINNING];
    let filled = fill(&mut file, &mut start)?;
    start.truncate(filled);
    if may_be_report(&start) {
        file.read_to_end(&mut start)?;
        if is_report(&start) {
            reports.take(&found.shown, &start);
            return Ok(());
        }
    }
    let mut reader = open(&found.shown, file.metadata()?.len());
    reader.push(&start);
    drop(start);
    let mut slice = vec![0; SLICE_BYTES];
    let mut outcome = Ok(());
    while reader.wants_bytes() {
        match file.read(&mut slice) {
            Ok(0) => break,
            Ok(length) => reader.push(slice.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    // What was read before an error still counts.
    assembler.add(reader.finish());
    outcome
}

fn unreadable(shown: &str, error: &io::Error) -> Problem {
    Problem {
        file: shown.to_owned(),
        place: Place::File,
        weight: Weight::Lost,
        what: format!("It could not be read: {error}."),
        remedy: "Check that it exists and that you may read it.".to_owned(),
    }
}

/// Fills a buffer as far as the file goes.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// True for the beginning of an object that names Rundown: the rest of it decides.
fn may_be_report(start: &[u8]) -> bool {
    const NAME: &[u8] = b"\"rundown\"";
    start.trim_ascii_start().first() == Some(&b'{') && start.windows(NAME.len()).any(|bytes| bytes == NAME)
}

/// Runs from reports.
#[derive(Default)]
struct Reports {
    summaries: Vec<RunSummary>,
    problems: Vec<Problem>,
}

impl Reports {
    fn take(&mut self, shown: &str, bytes: &[u8]) {
        match read_report(bytes) {
            Ok(runs) => {
                if runs.bare > 0 {
                    let what = format!("{} of its runs have neither settings nor curves.", runs.bare);
                    self.problems.push(told(shown, Weight::Remark, what, "Write the report again with this version."));
                }
                self.summaries.extend(runs.summaries);
            }
            Err(error) => {
                self.problems.push(told(shown, Weight::Lost, error.to_string(), "Write the report again."));
            }
        }
    }

    /// The runs that are not here as well: one that was read counts before its report, and the longer of two reports.
    fn besides(self, runs: &[Run], problems: &mut Vec<Problem>) -> Vec<RunSummary> {
        let mut kept: Vec<RunSummary> = Vec::with_capacity(self.summaries.len());
        let mut places: BTreeMap<(String, String, Option<u64>), Option<usize>> = BTreeMap::new();
        for run in runs.iter().filter(|run| !run.id.is_empty()) {
            places.insert((run.id.clone(), run.name.clone(), second(run.started_at)), None);
        }
        let mut twice = 0;
        for summary in self.summaries {
            // Without an id or a time nothing says that two runs are one.
            if summary.id.is_empty() || summary.started_at.is_none() {
                kept.push(summary);
                continue;
            }
            let key = (summary.id.clone(), summary.name.clone(), second(summary.started_at));
            match places.get(&key) {
                None => {
                    places.insert(key, Some(kept.len()));
                    kept.push(summary);
                }
                Some(place) => {
                    twice += 1;
                    let before = place.and_then(|place| kept.get_mut(place));
                    if let Some(before) = before.filter(|before| before.points < summary.points) {
                        *before = summary;
                    }
                }
            }
        }
        if twice > 0 {
            let what = format!("{twice} of them are of runs that are here already.");
            problems.push(told("reports", Weight::Remark, what, "Nothing to do: each run counts once."));
        }
        kept
    }
}

/// Whole seconds, as reports keep them.
fn second(time: Option<f64>) -> Option<u64> {
    time.map(|time| time.round() as u64)
}

fn told(shown: &str, weight: Weight, what: String, remedy: &str) -> Problem {
    Problem { file: shown.to_owned(), place: Place::File, weight, what, remedy: remedy.to_owned() }
}

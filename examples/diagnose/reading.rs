//! What `diagnose` reads: files and folders as the page reads them, reports that it wrote itself among them, and runs of
//! servers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rundown_compare::{RunSummary, reported_summary};
use rundown_ingest::{Budget, Place, Problem, ReportedRun, RunAssembler, Weight, open_within};
use rundown_run::Run;

use crate::servers::{Source, fetch};

/// As large as the slices that the page reads.
const SLICE_BYTES: usize = 4 << 20;

/// Files that were not used and are listed one by one.
const LISTED: usize = 8;

/// What was read.
pub struct Read {
    /// Runs, to be diagnosed.
    pub runs: Vec<Run>,
    /// Runs that were diagnosed elsewhere, each known from its report.
    pub reported: Vec<RunSummary>,
    /// What could not be read, and what to know of what was.
    pub problems: Vec<Problem>,
    /// False when the system refused a file or folder, or a server a run.
    pub all_opened: bool,
}

/// A file with the path that the report shows.
struct Found {
    shown: String,
    path: PathBuf,
}

/// Reads files, folders and runs of servers. `query` is that of `--where`, empty without one.
pub fn read(paths: &[PathBuf], sources: &[Source], query: &str) -> Read {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        collect(path, &shown_name(path), true, &mut files, &mut problems);
    }
    let mut assembler = RunAssembler::default();
    let budget = Budget::default();
    for file in &files {
        if let Err(error) = read_file(file, &budget, &mut assembler) {
            problems.push(unreadable(&file.shown, &error));
        }
    }
    for source in sources {
        problems.extend(fetch(source, query, &mut assembler));
    }
    let all_opened = problems.is_empty();
    let ingested = assembler.assemble(Vec::new());
    problems.extend(ingested.problems);
    if !ingested.runs.is_empty() {
        problems.extend(unused(&ingested.without_run));
    }
    let reported = longest(&ingested.reported, &mut problems);
    Read { runs: ingested.runs, reported, problems, all_opened }
}

/// The name by which a dropped file or folder would be known to the page.
fn shown_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    // "." and ".." have no name of their own.
    name(path).or_else(|| name(&path.canonicalize().ok()?)).unwrap_or_default()
}

/// Adds a file, or what a folder holds in the order of names. Links to folders are followed only when they were named
/// on the command line: W&B keeps one called `latest-run` beside the run that it points to. Its links to logs of the machine that
/// wrote them lead nowhere on another one.
fn collect(path: &Path, shown: &str, named: bool, files: &mut Vec<Found>, problems: &mut Vec<Problem>) {
    if path.is_symlink() && !named && (path.is_dir() || !path.exists()) {
        return;
    }
    if !path.is_dir() {
        files.push(Found { shown: shown.to_owned(), path: path.to_owned() });
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

fn read_file(found: &Found, budget: &Budget, assembler: &mut RunAssembler) -> io::Result<()> {
    let mut file = File::open(&found.path)?;
    let mut reader = open_within(budget, &found.shown, file.metadata()?.len());
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

/// Files that lie beside a run and were not used; of many the first alone.
fn unused(paths: &[String]) -> impl Iterator<Item = Problem> + '_ {
    let listed = if paths.len() > LISTED { 1 } else { paths.len() };
    let others = paths.len() - listed;
    paths.iter().take(listed).map(move |path| Problem {
        file: path.clone(),
        place: Place::File,
        weight: Weight::Remark,
        what: match others {
            0 => "It was not used: its run is not here, or nothing tells which one it is.".to_owned(),
            _ => format!("It and {others} more files were not used: their runs are not here, or nothing tells which ones they are."),
        },
        remedy: "Add the file that holds the run (run-ID.wandb in a folder of W&B), or put settings into the folder of their run.".to_owned(),
    })
}

/// The runs of reports, each once: of two reports on a run, as of one that grew, the longer counts.
fn longest(reported: &[ReportedRun], problems: &mut Vec<Problem>) -> Vec<RunSummary> {
    let mut kept: Vec<RunSummary> = Vec::with_capacity(reported.len());
    let mut places: BTreeMap<(String, String, u64), usize> = BTreeMap::new();
    for run in reported {
        let summary = reported_summary(0, &run.report);
        // Without an id or a time nothing says that two runs are one.
        let Some(started_at) = summary.started_at.filter(|_| !summary.id.is_empty()) else {
            kept.push(summary);
            continue;
        };
        // Reports keep whole seconds.
        let key = (summary.id.clone(), summary.name.clone(), started_at.round() as u64);
        let place = *places.entry(key).or_insert(kept.len());
        match kept.get_mut(place) {
            None => kept.push(summary),
            Some(before) if before.points < summary.points => *before = summary,
            Some(_) => {}
        }
    }
    let twice = reported.len() - kept.len();
    if twice > 0 {
        problems.push(Problem {
            file: "reports".to_owned(),
            place: Place::File,
            weight: Weight::Remark,
            what: format!("{twice} of them are of runs that are here already."),
            remedy: "Nothing to do: each run counts once.".to_owned(),
        });
    }
    kept
}

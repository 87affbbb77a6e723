//! Rundown in a terminal, on the engine of the page: reads files and folders, prints the report.
//!
//! ```text
//! cargo run --release --example diagnose -- [--format markdown|json] [--bind KEY=CONCEPT]…
//!     [--fail-on critical|warning] [--price MONEY] [--gpus N] [--live] PATH…
//! ```
//!
//! It exists for what a browser is too small for: one task of a cluster's scheduler per run, whose JSON reports are
//! kept, and scripts, such as a training pipeline that stops on a bad run. The report goes to stdout, what could not
//! be read to stderr. Exit status 0 when there is a report, 1 when nothing could be read as a run or the call is
//! wrong, 2 when `--fail-on` is given and a run has such a finding. With `--fail-on`, a file that cannot be opened is
//! a failure too: a gate that could not look must not say that all is well.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rundown::diagnose::{Diagnosis, Options, Rulebook, Severity, diagnose_with, mark_first_alarms};
use rundown::ingest::{Intake, Place, Problem, Weight, open};
use rundown::report::{Format, write};
use rundown::run::Run;
use rundown::vocabulary::Override;

const USAGE: &str = "usage: diagnose [--format markdown|json] [--bind KEY=CONCEPT]... [--fail-on critical|warning]
                [--price MONEY] [--gpus N] [--live] PATH...

Reads training runs from files and folders (W&B run folders, trainer_state.json, CSV, JSON Lines, logs)
and prints what is good, bad and ugly about them.

  --format markdown   for people (default)
  --format json       for programs
  --price MONEY       of one GPU for one hour: says what the run cost
  --gpus N            number of GPUs, where the config does not say it
  --live              says when each alarm would first have been raised (takes twenty times as long)
  --bind KEY=CONCEPT  what a metric stands for, such as my_score=evaluation; with a unit as in
                      kl=kl_to_reference:nats_per_sequence; KEY=none to leave it out (docs/metrics.md)
  --fail-on critical  exit status 2 when any run has a critical finding
  --fail-on warning   exit status 2 when any run has a warning or a critical finding

Exit status: 0 when there is a report, 1 when nothing could be read or the call is wrong (with --fail-on also when
any file could not be opened), 2 as above. The report is printed in any case.";

/// A run has a finding that the caller wants to stop on.
const BAD_RUN: u8 = 2;
/// Steps at which a run is looked at again with `--live`.
const PROBES: usize = 20;

/// As large as the slices that the page reads.
const SLICE_BYTES: usize = 4 << 20;

fn main() -> ExitCode {
    let call = match parse(std::env::args_os().skip(1)) {
        Ok(Some(call)) => call,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(complaint) => {
            eprintln!("diagnose: {complaint}\n\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    let Read { runs, problems, all_opened } = read(&call.paths);
    for problem in &problems {
        eprintln!("{problem}");
    }
    if runs.is_empty() {
        eprintln!("diagnose: no run could be read");
        return ExitCode::FAILURE;
    }
    let rulebook = Rulebook::default();
    let judge = |run: &Run| {
        let mut diagnosis = diagnose_with(run, &rulebook, &call.options);
        if call.live {
            mark_first_alarms(run, &rulebook, &mut diagnosis, PROBES);
        }
        diagnosis
    };
    let diagnoses: Vec<Diagnosis> = runs.iter().map(judge).collect();
    let judged: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    match io::stdout().lock().write_all(write(&judged, call.format).as_bytes()) {
        Ok(()) => status(&call, &diagnoses, all_opened),
        // `diagnose … | head` is no mistake.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => status(&call, &diagnoses, all_opened),
        Err(error) => {
            eprintln!("diagnose: the report could not be written: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The exit status once the report is out.
fn status(call: &Call, diagnoses: &[Diagnosis], all_opened: bool) -> ExitCode {
    let Some(least) = call.fail_on else { return ExitCode::SUCCESS };
    let mut findings = diagnoses.iter().flat_map(|diagnosis| &diagnosis.findings);
    match (findings.any(|finding| finding.severity >= least), all_opened) {
        (true, _) => ExitCode::from(BAD_RUN),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    }
}

/// What is asked for.
struct Call {
    format: Format,
    options: Options,
    live: bool,
    /// The least severity that makes the exit status say so.
    fail_on: Option<Severity>,
    paths: Vec<PathBuf>,
}

/// `None` when help is asked for.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Call>, String> {
    let mut call =
        Call { format: Format::default(), options: Options::default(), live: false, fail_on: None, paths: Vec::new() };
    let mut arguments = arguments.peekable();
    let mut options = true;
    while let Some(argument) = arguments.next() {
        match argument.to_str().filter(|text| options && text.starts_with('-') && text.len() > 1) {
            Some("-h" | "--help") => return Ok(None),
            Some("--") => options = false,
            Some("--live") => call.live = true,
            Some(option) => match option.split_once('=') {
                Some((name, value)) => set(&mut call, name, value)?,
                None if OPTIONS.contains(&option) => {
                    let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
                    set(&mut call, option, &value.to_string_lossy())?;
                }
                None => return Err(format!("there is no option {option}")),
            },
            None => call.paths.push(argument.into()),
        }
    }
    if call.paths.is_empty() {
        return Err("no path was given".to_owned());
    }
    Ok(Some(call))
}

/// Options that take a value.
const OPTIONS: [&str; 5] = ["--format", "--bind", "--fail-on", "--price", "--gpus"];

fn set(call: &mut Call, option: &str, value: &str) -> Result<(), String> {
    let number = || match value.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
        _ => Err(format!("{option} needs a number, not {value}")),
    };
    match option {
        "--format" => call.format = format(value)?,
        "--bind" => call.options.choices.set(Override::parse(value)?),
        "--fail-on" => call.fail_on = Some(severity(value)?),
        "--price" => call.options.price.per_gpu_hour = number()?,
        "--gpus" => call.options.price.gpus = number()?,
        _ => return Err(format!("there is no option {option}")),
    }
    Ok(())
}

fn format(name: &str) -> Result<Format, String> {
    match name {
        "markdown" | "md" => Ok(Format::Markdown),
        "json" => Ok(Format::Json),
        other => Err(format!("there is no format {other}: markdown or json")),
    }
}

fn severity(name: &str) -> Result<Severity, String> {
    match name {
        "critical" => Ok(Severity::Critical),
        "warning" => Ok(Severity::Warning),
        other => Err(format!("there is no severity {other} to fail on: critical or warning")),
    }
}

/// What was read.
struct Read {
    runs: Vec<Run>,
    problems: Vec<Problem>,
    /// False when the system refused a file or folder.
    all_opened: bool,
}

/// A file with the path that the report shows.
struct Found {
    shown: String,
    path: PathBuf,
}

fn read(paths: &[PathBuf]) -> Read {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        collect(path, &shown_name(path), true, &mut files, &mut problems);
    }
    let mut intake = Intake::default();
    for file in &files {
        if let Err(error) = read_file(file, &mut intake) {
            problems.push(unreadable(&file.shown, &error));
        }
    }
    let all_opened = problems.is_empty();
    let ingested = intake.assemble(Vec::new());
    problems.extend(ingested.problems);
    Read { runs: ingested.runs, problems, all_opened }
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

fn read_file(found: &Found, intake: &mut Intake) -> io::Result<()> {
    let mut file = File::open(&found.path)?;
    let mut reader = open(&found.shown, file.metadata()?.len());
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
    intake.add(reader.finish());
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

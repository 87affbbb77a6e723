//! Rundown in a terminal, on the engine of the page: reads files, folders and runs of servers, prints the report.
//!
//! ```text
//! cargo run --release --example diagnose -- [--format markdown|json|html] [--where QUERY] [--metric KEY]
//!     [--baseline NAME] [--settings FILE] [--bind KEY=CONCEPT]… [--fail-on critical|warning] [--price MONEY]
//!     [--gpus N] [--last N] [--live] [--hide-names] PATH|wandb:ENTITY/PROJECT[/RUN]|ADDRESS|axiom:DATASET…
//! ```
//!
//! It exists for what a browser is too small for: one task of a cluster's scheduler per run, whose JSON reports are
//! kept and compared by one more call, and scripts, such as a training pipeline that stops on a bad run. The report goes
//! to stdout, what could not be read to stderr. Exit status 0 when there is a report, 1 when nothing could be read as a run or the call is
//! wrong, 2 when `--fail-on` is given and a run has such a finding. With `--fail-on`, a file that cannot be opened is
//! a failure too: a gate that could not look must not say that all is well.

#[path = "diagnose/reading.rs"]
mod reading;
#[path = "diagnose/servers.rs"]
mod servers;
#[path = "diagnose/transport.rs"]
mod transport;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use reading::{Read, read};
use rundown_diagnose::{Diagnosis, Severity, diagnose_with, mark_first_alarms};
use rundown_format::{redact, visible, visible_lines};
use rundown_query::{Query, QueryError};
use rundown_report::{Format, Named, RunSet, learn_settings, people_of, write_set};
use rundown_run::Run;
use rundown_settings::Settings;
use rundown_vocabulary::{Direction, Override};
use servers::Source;

/// Readers are up to a third faster with it than with the system's (docs/decisions/native-allocator.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "usage: diagnose [--format markdown|json|html] [--where QUERY] [--metric KEY] [--baseline NAME]
                [--settings FILE] [--bind KEY=CONCEPT]... [--fail-on critical|warning] [--price MONEY] [--gpus N]
                [--last N] [--live] [--hide-names] PATH|wandb:ENTITY/PROJECT[/RUN]|ADDRESS|axiom:DATASET...

Reads training runs from files and folders (W&B run folders, trainer_state.json, CSV, JSON Lines, logs), from W&B
(wandb:… or the address of a run, project, group or sweep: the 50 newest runs; key in WANDB_API_KEY, another server in
WANDB_BASE_URL) and from Axiom (events of the last 24 hours; key in AXIOM_TOKEN, another server in AXIOM_URL),
and prints what is good, bad and ugly about them. Several runs are compared. JSON reports that it wrote
are read as the runs that they are on.

  --format markdown   for people (default)
  --format json       for programs
  --format html       for people, one file with its charts
  --where QUERY       which runs, such as 'config.lr >= 1e-5 and verdict != ugly' (docs/selecting-runs.md)
  --metric KEY        what runs are compared by; KEY:down where less is better
  --baseline NAME     the run, by its name or id, that the others are compared with
  --settings FILE     what metrics stand for, thresholds and price, in TOML or JSON (docs/settings.md)
  --price MONEY       of one GPU for one hour: says what the run cost
  --gpus N            number of GPUs, where the config does not say it
  --last N            looks at the last N steps of each run alone
  --hide-names        hides home folders, user names, e-mail and IP addresses and hosts
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

fn main() -> ExitCode {
    let call = match parse(std::env::args_os().skip(1)) {
        Ok(Some(call)) => call,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(complaint) => {
            eprintln!("diagnose: {}\n\n{USAGE}", visible_lines(&redact(&complaint)));
            return ExitCode::FAILURE;
        }
    };
    let Read { runs, reported, problems, all_opened } = read(&call.paths, &call.sources, &call.query_text);
    for problem in &problems {
        eprintln!("{}", visible(&redact(&problem.to_string())));
    }
    if runs.is_empty() && reported.is_empty() {
        eprintln!("diagnose: no run could be read");
        return ExitCode::FAILURE;
    }
    let runs = match call.last_steps {
        Some(steps) => runs.iter().map(|run| run.tail(steps)).collect(),
        None => runs,
    };
    let Settings { rulebook, options } = &call.settings;
    let judge = |run: &Run| {
        let mut diagnosis = diagnose_with(run, rulebook, options);
        if call.live {
            mark_first_alarms(run, &|run| diagnose_with(run, rulebook, options), &mut diagnosis, PROBES);
        }
        diagnosis
    };
    let diagnoses: Vec<Diagnosis> = runs.iter().map(judge).collect();
    let judged: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    let mut set = RunSet::new(&judged, reported);
    if let Err(complaint) = select(&mut set, &call) {
        eprintln!("diagnose: {}", visible_lines(&redact(&complaint)));
        return ExitCode::FAILURE;
    }
    let mut report = write_set(&set, call.format);
    if call.hides_names {
        let mut people = people_of(runs.iter());
        set.summaries().iter().for_each(|summary| learn_settings(&mut people, &summary.config));
        report = people.hide(&report).into_owned();
    }
    // A file has the bytes that the page writes; a terminal would obey the control characters among them.
    let shown = if io::stdout().is_terminal() { visible_lines(&report) } else { report.as_str().into() };
    match io::stdout().lock().write_all(shown.as_bytes()) {
        Ok(()) => status(&call, &set, all_opened),
        // `diagnose … | head` is no mistake.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => status(&call, &set, all_opened),
        Err(error) => {
            eprintln!("diagnose: the report could not be written: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Which runs, and what they are compared by and with.
fn select(set: &mut RunSet<'_>, call: &Call) -> Result<(), String> {
    if let Some(query) = &call.query {
        set.retain(|summary| query.matches(summary));
        if set.summaries().is_empty() {
            return Err("--where selects none of the runs".to_owned());
        }
    }
    if let Some((key, direction)) = &call.metric
        && !set.compare_by(key, *direction)
    {
        return Err(format!("no run has a metric {key}"));
    }
    let Some(name) = &call.baseline else { return Ok(()) };
    match set.compare_with(name) {
        Named::One => Ok(()),
        Named::None => Err(format!("no run is called {name}")),
        Named::Several(runs) => Err(format!("{runs} runs are called {name}: give the id of one")),
    }
}

/// The exit status once the report is out.
fn status(call: &Call, set: &RunSet<'_>, all_opened: bool) -> ExitCode {
    let Some(least) = call.fail_on else { return ExitCode::SUCCESS };
    let mut findings = set.summaries().iter().flat_map(|summary| &summary.findings);
    match (findings.any(|finding| finding.severity >= least), all_opened) {
        (true, _) => ExitCode::from(BAD_RUN),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    }
}

/// What is asked for.
#[derive(Default)]
struct Call {
    format: Format,
    query: Option<Query>,
    /// The query as it was written.
    query_text: String,
    metric: Option<(String, Option<Direction>)>,
    baseline: Option<String>,
    settings: Settings,
    live: bool,
    /// True for a report without names of people and machines.
    hides_names: bool,
    /// Steps before the end that are looked at; all of them when it is not given.
    last_steps: Option<f64>,
    /// The least severity that makes the exit status say so.
    fail_on: Option<Severity>,
    paths: Vec<PathBuf>,
    sources: Vec<Source>,
}

/// `None` when help is asked for.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Call>, String> {
    let mut call = Call::default();
    let mut arguments = arguments.peekable();
    let mut options = true;
    while let Some(argument) = arguments.next() {
        match argument.to_str().filter(|text| options && text.starts_with('-') && text.len() > 1) {
            Some("-h" | "--help") => return Ok(None),
            Some("--") => options = false,
            Some("--live") => call.live = true,
            Some("--hide-names") => call.hides_names = true,
            Some(option) => match option.split_once('=') {
                Some((name, value)) => set(&mut call, name, value)?,
                None if OPTIONS.contains(&option) => {
                    let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
                    set(&mut call, option, &value.to_string_lossy())?;
                }
                None => return Err(format!("there is no option {option}")),
            },
            None => match argument.to_str().filter(|_| options).map_or(Ok(None), Source::of)? {
                Some(source) => call.sources.push(source),
                None => call.paths.push(argument.into()),
            },
        }
    }
    if call.paths.is_empty() && call.sources.is_empty() {
        return Err("no path was given".to_owned());
    }
    Ok(Some(call))
}

/// Options that take a value.
const OPTIONS: [&str; 10] = [
    "--format", "--settings", "--where", "--metric", "--baseline", "--bind", "--fail-on", "--price", "--gpus", "--last",
];

fn set(call: &mut Call, option: &str, value: &str) -> Result<(), String> {
    let number = || match value.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
        _ => Err(format!("{option} needs a number, not {value}")),
    };
    match option {
        "--format" => call.format = format(value)?,
        "--where" => {
            call.query = Some(Query::parse(value).map_err(|error| pointed(value, &error))?);
            value.clone_into(&mut call.query_text);
        }
        "--metric" => call.metric = Some(metric(value)),
        "--baseline" => call.baseline = Some(value.to_owned()),
        "--settings" => call.settings = settings(value)?,
        "--bind" => call.settings.options.choices.set(Override::parse(value)?),
        "--fail-on" => call.fail_on = Some(severity(value)?),
        "--price" => call.settings.options.price.per_gpu_hour = number()?,
        "--gpus" => call.settings.options.price.gpus = number()?,
        "--last" => call.last_steps = number()?,
        _ => return Err(format!("there is no option {option}")),
    }
    Ok(())
}

/// Settings from a file (`docs/settings.md`). Options behind it come on top.
fn settings(path: &str) -> Result<Settings, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("--settings: {path} can't be read: {error}"))?;
    Settings::parse(&text).map_err(|error| format!("--settings: {path}: {error}"))
}

fn format(name: &str) -> Result<Format, String> {
    match name {
        "markdown" | "md" => Ok(Format::Markdown),
        "json" => Ok(Format::Json),
        "html" => Ok(Format::Html),
        other => Err(format!("there is no format {other}: markdown, json or html")),
    }
}

/// A metric key, and its direction where one is given.
fn metric(value: &str) -> (String, Option<Direction>) {
    let (key, direction) = match value.rsplit_once(':') {
        Some((key, "down")) => (key, Some(Direction::Down)),
        Some((key, "up")) => (key, Some(Direction::Up)),
        _ => (value, None),
    };
    (key.to_owned(), direction)
}

/// What is wrong with a query, and where: the query with a caret under the character.
fn pointed(query: &str, error: &QueryError) -> String {
    // Each character takes one column, line breaks too.
    let line: String = query.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let QueryError { at, what } = error;
    format!("--where: {what}\n\n  {line}\n  {}^", " ".repeat(*at))
}

fn severity(name: &str) -> Result<Severity, String> {
    match name {
        "critical" => Ok(Severity::Critical),
        "warning" => Ok(Severity::Warning),
        other => Err(format!("there is no severity {other} to fail on: critical or warning")),
    }
}

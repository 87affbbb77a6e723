//! Runs of W&B and events of Axiom, by the keys of the environment, for `diagnose`.
//!
//! `WANDB_API_KEY` and `AXIOM_TOKEN` are sent to the server that is asked and written nowhere. `WANDB_BASE_URL` and
//! `AXIOM_URL` name another server, such as one of your own.

use std::future::Future;
use std::time::{SystemTime, UNIX_EPOCH};

use rundown_axiom::{AxiomClient, Pages};
use rundown_format::rfc3339;
use rundown_http::{ApiKey, HttpSession};
use rundown_ingest::{FileOutcome, Place, Problem, RunAssembler, Weight, open};
use rundown_run::FileFormat;
use rundown_wandb::{ApiError, Download, FetchOptions, Reference, RunFilter, RunRef, WandbClient};

use crate::transport::Blocking;

/// Runs of a project that are fetched, newest first.
const RUNS: usize = 50;
/// Lines of the console that are fetched of each run: a traceback and what led to it.
const CONSOLE_LINES: u32 = 400;
/// Hours of events that are fetched.
const HOURS: f64 = 24.0;

/// What a server is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A run, project, group or sweep of W&B.
    Wandb(Reference),
    /// The events of a data set of Axiom, of the last day.
    Axiom(String),
}

impl Source {
    /// The source that an argument names (`wandb:entity/project`, an address, `axiom:dataset`); `None` for a path.
    ///
    /// # Errors
    /// For an address that names no project.
    pub fn of(argument: &str) -> Result<Option<Self>, String> {
        if let Some(dataset) = argument.strip_prefix("axiom:").filter(|dataset| !dataset.is_empty()) {
            return Ok(Some(Source::Axiom(dataset.to_owned())));
        }
        let is_address = ["https://", "http://"].iter().any(|scheme| argument.starts_with(scheme));
        let reference = argument.strip_prefix("wandb:").or(is_address.then_some(argument));
        let Some(text) = reference else { return Ok(None) };
        let reference = Reference::parse(text).map_err(|error| format!("{text}: {error}"))?;
        Ok(Some(Source::Wandb(reference.with_base_url(&variable("WANDB_BASE_URL")))))
    }
}

/// Fetches a source and adds its runs. `query` is that of `--where`: the server then sends no runs that it cannot mean.
pub fn fetch(source: &Source, query: &str, assembler: &mut RunAssembler) -> Vec<Problem> {
    let fetched = match source {
        Source::Wandb(reference) => block_on(wandb(reference, query, assembler)),
        Source::Axiom(dataset) => block_on(axiom(dataset, assembler)).map(|()| Vec::new()),
    };
    fetched.unwrap_or_else(|(name, error)| vec![failure(&name, &error)])
}

/// What was asked for, and why it did not come.
type Failure = (String, String);

async fn wandb(reference: &Reference, query: &str, assembler: &mut RunAssembler) -> Result<Vec<Problem>, Failure> {
    let name = format!("{}/{}", reference.entity, reference.project.as_deref().unwrap_or_default());
    let failed = |error: String| (name.clone(), error);
    let Some(project) = reference.project.clone() else { return Err(failed("This names no project.".to_owned())) };
    let client = WandbClient::new(session(), &reference.base_url, ApiKey::new(&variable("WANDB_API_KEY")));
    let places = match reference.run() {
        Some(run) => vec![run],
        None => {
            let filter = RunFilter::parse(query).map_err(|error| failed(error.what))?;
            let chosen = filter.runs(&client, (&reference.entity, &project), &reference.selection(), RUNS).await;
            let chosen = chosen.map_err(|error| failed(words(&error)))?;
            chosen.runs.iter().map(|run| run.place(&reference.entity, &project)).collect()
        }
    };
    let mut problems = Vec::new();
    for place in places {
        if let Err(error) = run(&client, &place, assembler).await {
            problems.push(failure(&place.path(), &error));
        }
    }
    Ok(problems)
}

/// Fetches a run; what arrived before an error is added too.
async fn run(client: &WandbClient<Blocking>, place: &RunRef, assembler: &mut RunAssembler) -> Result<(), String> {
    eprintln!("fetching {}", rundown_format::visible(&place.path()));
    let options = FetchOptions { system: true, console_lines: CONSOLE_LINES, parquet: true };
    let download = Download::begin(client, place.clone(), options, |_| true).await;
    let mut download = download.map_err(|error| words(&error))?;
    let outcome = download.complete(client).await;
    let (part, problems) = download.part();
    assembler.add(FileOutcome { parts: vec![part], problems, format: FileFormat::WandbApi });
    outcome.map_err(|error| words(&error))
}

#[expect(clippy::disallowed_methods, reason = "a terminal has a clock, the core has none")]
async fn axiom(dataset: &str, assembler: &mut RunAssembler) -> Result<(), Failure> {
    let failed = |error: &str| (dataset.to_owned(), error.to_owned());
    let token = ApiKey::new(&variable("AXIOM_TOKEN"));
    let token = token.ok_or_else(|| failed("Axiom shows nothing without a token: set AXIOM_TOKEN."))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let server = variable("AXIOM_URL");
    let client = AxiomClient::new(session(), Some(server.as_str()), token);
    let mut file = open(&format!("{dataset}.ndjson"), u64::MAX);
    let mut pages = Pages::new(dataset.to_owned(), &rfc3339(now - HOURS * 3_600.0), &rfc3339(now));
    while !pages.is_done() {
        let lines = client.next_page(&mut pages).await.map_err(|error| failed(&error.to_string()))?;
        file.push(&lines);
    }
    if pages.events == 0 {
        return Err(failed("The dataset has no events of the last 24 hours."));
    }
    assembler.add(file.finish());
    Ok(())
}

/// An error without advice on a page.
fn words(error: &ApiError) -> String {
    match error {
        ApiError::Blocked { base_url } => format!("The server at {base_url} cannot be reached."),
        ApiError::WrongKey | ApiError::NotFound { had_key: false, .. } => format!("{error} Set WANDB_API_KEY."),
        _ => error.to_string(),
    }
}

fn session() -> HttpSession<Blocking> {
    // The seed spreads the pauses before retries.
    HttpSession::new(Blocking::default(), u64::from(std::process::id()))
}

/// A variable of the environment; empty where it is not set.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn failure(name: &str, error: &str) -> Problem {
    Problem::new(name, Place::File, Weight::Lost, format!("It could not be fetched: {error}"), "")
}

/// Runs a future to its end. Requests block, so that it never waits for anything else.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

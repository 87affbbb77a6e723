//! Runs from servers: which there are, all of one, and what is new in those that still go on.

use crate::run::FileFormat;
use std::cell::RefCell;

use futures_util::future::join_all;
use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::transport::{Fetch, seed};
use super::wanted::Wanted;
use super::{events, held};
use crate::engine::messages::{Fault, Offer, OfferRow, QueryField, ServerQuery, Service, encoded};
use crate::format::rfc3339;
use crate::http::{ApiKey, CancelToken, HttpSession};
use crate::ingest::{FileOutcome, Fragment, Problem};
use crate::selecting::Choice;
use crate::wandb::{
    ApiError, Client, Download, Extras, Options, Order, Reference, RunInfo, RunRef, Selection, Ways, exporter_script,
    proxy_script,
};

/// Runs that are fetched at once. Each sends a few requests at once itself, and the session bounds them all.
const AT_ONCE: usize = 2;
/// Runs that are offered when the user names no number.
const OFFERED: usize = 50;
/// Lines of the console that are fetched: a traceback and what led to it.
const CONSOLE_LINES: u32 = 400;

thread_local! {
    static CANCEL: RefCell<CancelToken> = RefCell::new(CancelToken::default());
}

/// Which runs there are: an [`Offer`] for a [`ServerQuery`], both as postcard bytes.
#[wasm_bindgen]
pub async fn browse(query: Vec<u8>) -> Vec<u8> {
    let offer = match postcard::from_bytes::<ServerQuery>(&query) {
        Ok(query) => match query.service {
            Service::Wandb => offer(&query).await,
            Service::Axiom => events::offer(&query),
        },
        Err(_) => Offer { text: Fault::BAD_MESSAGE.to_owned(), failed: true, ..Offer::default() },
    };
    encoded(&offer)
}

/// Fetches runs by their ids and gives what [`Fetched`] holds, as postcard bytes. `progress` is called with what is
/// being fetched, runs done, and bytes.
#[wasm_bindgen]
pub async fn fetch_runs(query: Vec<u8>, runs: Vec<u8>, progress: Function) -> Vec<u8> {
    CANCEL.replace(CancelToken::default());
    let mut fetched = Fetched::default();
    if let (Ok(query), Ok(runs)) =
        (postcard::from_bytes::<ServerQuery>(&query), postcard::from_bytes::<Vec<String>>(&runs))
    {
        match query.service {
            Service::Wandb => fetch(&query, &runs, &progress, &mut fetched).await,
            Service::Axiom => {
                let cancel = CANCEL.with_borrow(Clone::clone);
                let tell = |events: u64| tell(&progress, &format!("{events} events"), 0, 0);
                events::fetch(&query, cancel, tell, &mut fetched).await;
            }
        }
    }
    fetched.finish()
}

/// Looks at the runs that were still going, and gives those that changed, as [`fetch_runs`] does.
#[wasm_bindgen]
pub async fn poll_runs() -> Vec<u8> {
    let mut fetched = Fetched::default();
    held::look(&mut fetched).await;
    fetched.finish()
}

/// Fetches what is left of a run: the metrics that did not come, its tables, and the list of its files and artifacts.
/// Gives it as [`fetch_runs`] does.
#[wasm_bindgen]
pub async fn fetch_rest(run: String, progress: Function) -> Vec<u8> {
    CANCEL.replace(CancelToken::default());
    let mut fetched = Fetched::default();
    match held::query_of(&run) {
        Some(query) => rest(&query, &run, &progress, &mut fetched).await,
        None => "The run is no longer connected to its server: connect again.".clone_into(&mut fetched.fault),
    }
    fetched.finish()
}

/// Stops fetching; what came is kept.
#[wasm_bindgen]
pub fn stop_fetching() {
    CANCEL.with_borrow(CancelToken::cancel);
}

/// Forgets the runs that are followed or not ended, and with them the key.
#[wasm_bindgen]
pub fn forget_servers() {
    stop_fetching();
    held::clear();
}

/// What came of fetching: pieces of runs, how many still go on, and what went wrong.
#[derive(Default)]
pub struct Fetched {
    /// One for each run.
    pub outcomes: Vec<FileOutcome>,
    /// What went wrong, for the user; empty when nothing did.
    pub fault: String,
}

impl Fetched {
    /// Adds a run as far as it came.
    pub fn add(&mut self, download: &Download) {
        let (fragment, problems) = download.fragment();
        self.add_piece(fragment, problems);
    }

    fn add_piece(&mut self, piece: Fragment, problems: Vec<Problem>) {
        let fragments = vec![piece];
        self.outcomes.push(FileOutcome { fragments, problems, taken_for: FileFormat::WandbApi, is_elsewhere: false });
    }

    fn finish(self) -> Vec<u8> {
        encoded(&(self.outcomes, held::going(), self.fault))
    }
}

async fn offer(query: &ServerQuery) -> Offer {
    let reference = match reference(query) {
        Ok(reference) => reference,
        Err(text) => return Offer { text, failed: true, ..Offer::default() },
    };
    let Some(project) = reference.project.clone() else {
        return projects(query, &reference).await;
    };
    // Not trimmed, so that what is wrong is said at its place.
    let typed = query.fields.get(QueryField::Query as usize).map_or("", String::as_str);
    let choice = match Choice::read(typed) {
        Ok(choice) => choice,
        Err(error) => return Offer { fault: Some((error.at as u32, error.what)), ..Offer::default() },
    };
    let selection = Selection { order: order(query), ..reference.selection() };
    let most = query.field(QueryField::Count).parse().unwrap_or(OFFERED);
    let client = client(query, &reference, CancelToken::default());
    match choice.runs(&client, (&reference.entity, &project), &selection, most).await {
        Ok(chosen) => {
            let mut text = choice.says(&selection);
            if chosen.runs.is_empty() {
                text.push_str(" No run is left: choose less strictly.");
            } else if chosen.is_cut {
                text.push_str(" There may be more: choose more strictly to see them.");
            }
            let runs = chosen.runs.into_iter().map(row).collect();
            Offer { text, runs, is_open: choice.is_open(), ..Offer::default() }
        }
        Err(error) => failed(&error, &reference),
    }
}

fn row(run: RunInfo) -> OfferRow {
    let mut detail = vec![run.state, format!("{} rows", run.rows)];
    let minute = |seconds: f64| rfc3339(seconds).chars().take(16).collect::<String>().replace('T', " ");
    detail.extend(run.created_at.map(minute));
    detail.extend((!run.tags.is_empty()).then(|| run.tags.join(", ")));
    OfferRow { id: run.id, name: run.name, detail: detail.join(" · ") }
}

/// An entity without a project: which projects it has.
async fn projects(query: &ServerQuery, reference: &Reference) -> Offer {
    match client(query, reference, CancelToken::default()).list_projects(&reference.entity, None).await {
        Ok(page) => {
            let names: Vec<String> =
                page.entries.iter().map(|project| format!("{}/{}", project.entity, project.name)).collect();
            let text = format!("Which project? {} has {}.", reference.entity, names.join(", "));
            Offer { text, failed: true, ..Offer::default() }
        }
        Err(error) => failed(&error, reference),
    }
}

async fn fetch(query: &ServerQuery, runs: &[String], progress: &Function, fetched: &mut Fetched) {
    let Ok(reference) = reference(query) else { return };
    let Some(project) = reference.project.clone() else { return };
    let mut done = 0;
    for wave in runs.chunks(AT_ONCE) {
        if CANCEL.with_borrow(CancelToken::is_cancelled) {
            break;
        }
        tell(progress, &wave.join(", "), done, 0);
        let places =
            wave.iter().map(|id| RunRef { entity: reference.entity.clone(), project: project.clone(), id: id.clone() });
        let downloads = join_all(places.map(|place| one(query, &reference, place))).await;
        for (id, (download, error)) in wave.iter().zip(downloads) {
            done += 1;
            let was_stopped = error == Some(ApiError::Cancelled);
            if let Some(error) = error.filter(|_| !was_stopped) {
                fetched.fault = format!("{id}: {}", said(&error));
            }
            // Of a run that was stopped at its name there is nothing to show.
            let came = |download: &Download| !was_stopped || download.progress().rows > 0;
            let Some(download) = download.filter(came) else { continue };
            tell(progress, id, done, download.progress().bytes);
            fetched.add(&download);
            held::keep(download, query, &reference);
        }
    }
}

/// Goes on from what is kept of the run, so that nothing is asked for twice.
async fn rest(query: &ServerQuery, id: &str, progress: &Function, fetched: &mut Fetched) {
    let Ok(reference) = reference(query) else { return };
    let Some(project) = reference.project.clone() else { return };
    let place = RunRef { entity: reference.entity.clone(), project, id: id.to_owned() };
    let client = client(query, &reference, CANCEL.with_borrow(Clone::clone));
    tell(progress, id, 0, 0);
    let mut error = None;
    let download = match held::take(&place).await {
        Some(mut download) => {
            download.want_also(|_| true);
            Some(download)
        }
        None if held::is_whole(id) => None,
        None => {
            let begun = begin(&client, place.clone(), |_| true).await;
            begun.map_err(|refused| error = Some(refused)).ok()
        }
    };
    if let Some(mut download) = download {
        if !download.is_done() {
            error = download.complete(&client).await.err();
            fetched.add(&download);
        }
        held::keep(download, query, &reference);
    }
    if error.is_none() {
        let mut extras = held::take_extras(&place).unwrap_or_else(|| Extras::new(place));
        error = extras.complete(&client, |file| tell(progress, file, 0, 0)).await.err();
        fetched.add_piece(extras.fragment(), Vec::new());
        held::keep_extras(extras);
    }
    if let Some(error) = error.filter(|error| *error != ApiError::Cancelled) {
        fetched.fault = said(&error);
    }
}

/// One run, as far as it came, and what stopped it.
async fn one(query: &ServerQuery, reference: &Reference, place: RunRef) -> (Option<Download>, Option<ApiError>) {
    let client = client(query, reference, CANCEL.with_borrow(Clone::clone));
    let wanted = Wanted::default();
    match begin(&client, place, move |key| wanted.has(key)).await {
        Ok(mut download) => {
            let error = download.complete(&client).await.err();
            (Some(download), error)
        }
        Err(error) => (None, Some(error)),
    }
}

async fn begin(
    client: &Client<Fetch>,
    place: RunRef,
    is_wanted: impl Fn(&str) -> bool + 'static,
) -> Result<Download, ApiError> {
    let options = Options { system: true, console_lines: CONSOLE_LINES, parquet: true };
    Download::begin(client, place, options, is_wanted).await
}

fn reference(query: &ServerQuery) -> Result<Reference, String> {
    let mut reference = Reference::parse(query.field(QueryField::Address)).map_err(|error| error.to_string())?;
    let server = query.field(QueryField::Server);
    if !server.is_empty() {
        reference = reference.with_base_url(server);
    }
    Ok(reference)
}

/// A client of the server that the query names.
pub fn client(query: &ServerQuery, reference: &Reference, cancel: CancelToken) -> Client<Fetch> {
    let session = HttpSession::new(Fetch, seed()).with_cancel(cancel);
    Client::new(session, &reference.base_url, ApiKey::new(query.field(QueryField::Key)))
}

fn order(query: &ServerQuery) -> Order {
    match query.field(QueryField::Order) {
        "" | "newest" => Order::Newest,
        metric => match metric.strip_prefix('-') {
            Some(metric) => Order::Lowest(metric.to_owned()),
            None => Order::Highest(metric.to_owned()),
        },
    }
}

/// What went wrong and what to do.
pub fn said(error: &ApiError) -> String {
    format!("{error} {}", error.remedy())
}

/// What went wrong and the ways that work, with scripts where they need one.
fn failed(error: &ApiError, reference: &Reference) -> Offer {
    let ApiError::Blocked { base_url } = error else {
        return Offer { text: said(error), failed: true, ..Offer::default() };
    };
    let advice = Ways::CORS.iter().map(|way| {
        let script = if way.contains("exporter") {
            exporter_script(reference)
        } else if way.contains("proxy") {
            proxy_script(base_url, &origin())
        } else {
            String::new()
        };
        ((*way).to_owned(), script)
    });
    Offer { text: error.to_string(), failed: true, advice: advice.collect(), ..Offer::default() }
}

/// Where this page lies.
fn origin() -> String {
    let origin = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("origin"));
    origin.ok().and_then(|origin| origin.as_string()).unwrap_or_default()
}

fn tell(progress: &Function, doing: &str, done: usize, bytes: u64) {
    let _ = progress.call3(
        &JsValue::UNDEFINED,
        &JsValue::from_str(doing),
        &JsValue::from(done as f64),
        &JsValue::from(bytes as f64),
    );
}

//! Runs from servers: which there are, all of one, and what is new in those that still go on.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_util::future::join_all;
use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::events;
use super::transport::{Fetch, seed};
use super::wanted::Wanted;
use crate::engine::messages::{Offer, OfferRow, QueryField, ServerQuery, Service};
use crate::ingest::{self, FileOutcome, Format};
use crate::remote::{Cancel, Key, Session, rfc3339};
use crate::run::{Run, RunState};
use crate::wandb::{
    ApiError, Client, Download, Follower, Options, Order, Reference, RunInfo, RunRef, Selection, Ways, exporter_script,
    proxy_script,
};

/// Runs that are fetched at once. Each sends a few requests at once itself, and the session bounds them all.
const AT_ONCE: usize = 2;
/// Runs that are offered when the user names no number.
const OFFERED: usize = 50;
/// Lines of the console that are fetched: a traceback and what led to it.
const CONSOLE_LINES: u32 = 400;

thread_local! {
    static FOLLOWED: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) };
    /// Runs that were fetched, by id, and how: the rest of each may be asked for.
    static KNOWN: RefCell<BTreeMap<String, ServerQuery>> = const { RefCell::new(BTreeMap::new()) };
    static CANCEL: RefCell<Cancel> = RefCell::new(Cancel::default());
}

/// A place for a run that is followed; empty while it is being looked at.
type Slot = Rc<RefCell<Option<Followed>>>;

/// A run that is still going, with what it takes to ask for more.
struct Followed {
    follower: Follower,
    client: Client<Fetch>,
}

/// Which runs there are: an [`Offer`] for a [`ServerQuery`], both as postcard bytes.
#[wasm_bindgen]
pub async fn browse(query: Vec<u8>) -> Vec<u8> {
    let offer = match postcard::from_bytes::<ServerQuery>(&query) {
        Ok(query) => match query.service {
            Service::Wandb => offer(&query).await,
            Service::Axiom => events::offer(&query),
        },
        Err(_) => Offer {
            text: "The page and its engine are of different versions: reload the page.".into(),
            failed: true,
            ..Offer::default()
        },
    };
    postcard::to_allocvec(&offer).unwrap_or_default()
}

/// Fetches runs by their ids and gives what [`Fetched`] holds, as postcard bytes. `progress` is called with what is
/// being fetched, runs done, and bytes.
#[wasm_bindgen]
pub async fn fetch_runs(query: Vec<u8>, runs: Vec<u8>, progress: Function) -> Vec<u8> {
    CANCEL.replace(Cancel::default());
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
    for slot in FOLLOWED.with_borrow(Clone::clone) {
        // Empty while another look is under way.
        let Some(mut followed) = slot.take() else { continue };
        match followed.follower.look(&followed.client).await {
            Ok(changes) if changes.is_any() => fetched.add(followed.follower.download()),
            Ok(_) => {}
            Err(error) if error.can_go_on() => {}
            Err(error) => fetched.fault = said(&error),
        }
        slot.replace(Some(followed));
    }
    FOLLOWED.with_borrow_mut(|all| {
        all.retain(|slot| slot.borrow().as_ref().is_none_or(|followed| goes_on(followed.follower.download())));
    });
    fetched.finish()
}

/// Fetches what is left of a run: the metrics that were not asked for, and its tables. Gives it as [`fetch_runs`] does.
#[wasm_bindgen]
pub async fn fetch_rest(run: String, progress: Function) -> Vec<u8> {
    CANCEL.replace(Cancel::default());
    let mut fetched = Fetched::default();
    match KNOWN.with_borrow(|known| known.get(&run).cloned()) {
        Some(query) => rest(&query, &run, &progress, &mut fetched).await,
        None => "The run is no longer connected to its server: connect again.".clone_into(&mut fetched.fault),
    }
    fetched.finish()
}

/// Stops fetching; what came is kept.
#[wasm_bindgen]
pub fn stop_fetching() {
    CANCEL.with_borrow(Cancel::cancel);
}

/// Forgets the runs that are followed, and with them the key.
#[wasm_bindgen]
pub fn forget_servers() {
    stop_fetching();
    FOLLOWED.with_borrow_mut(Vec::clear);
    KNOWN.with_borrow_mut(BTreeMap::clear);
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
    fn add(&mut self, download: &Download) {
        let (fragment, problems) = download.fragment();
        let outcome =
            FileOutcome { fragments: vec![fragment], problems, taken_for: Format::WandbApi, is_elsewhere: false };
        self.outcomes.push(outcome);
    }

    fn finish(self) -> Vec<u8> {
        let going = FOLLOWED.with_borrow(Vec::len) as u32;
        postcard::to_allocvec(&(self.outcomes, going, self.fault)).unwrap_or_default()
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
    let selection = selection(query, &reference);
    let client = client(query, &reference, Cancel::default());
    match client.select(&reference.entity, &project, &selection, (&[], &[])).await {
        Ok((runs, is_cut)) => {
            let mut text = selection.split().sentence;
            if runs.is_empty() {
                text.push_str(" No run is left: choose less strictly.");
            } else if is_cut {
                text.push_str(" There may be more: choose more strictly to see them.");
            }
            let row = |run: RunInfo| {
                let mut detail = vec![run.state.clone(), format!("{} rows", run.rows)];
                detail.extend(
                    run.created_at
                        .map(|seconds| rfc3339(seconds).chars().take(16).collect::<String>().replace('T', " ")),
                );
                detail.extend((!run.tags.is_empty()).then(|| run.tags.join(", ")));
                OfferRow { id: run.id, name: run.name, detail: detail.join(" · ") }
            };
            Offer { text, runs: runs.into_iter().map(row).collect(), ..Offer::default() }
        }
        Err(error) => failed(&error, &reference),
    }
}

/// An entity without a project: which projects it has.
async fn projects(query: &ServerQuery, reference: &Reference) -> Offer {
    match client(query, reference, Cancel::default()).list_projects(&reference.entity, None).await {
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
        if CANCEL.with_borrow(Cancel::is_cancelled) {
            break;
        }
        tell(progress, &wave.join(", "), done, 0);
        let places =
            wave.iter().map(|id| RunRef { entity: reference.entity.clone(), project: project.clone(), id: id.clone() });
        let downloads = join_all(places.map(|place| one(query, &reference, place, Wanted::default()))).await;
        for (id, (download, error)) in wave.iter().zip(downloads) {
            done += 1;
            if let Some(error) = error.filter(|error| *error != ApiError::Cancelled) {
                fetched.fault = format!("{id}: {}", said(&error));
            }
            let Some(download) = download else { continue };
            tell(progress, id, done, download.progress().bytes);
            fetched.add(&download);
            KNOWN.with_borrow_mut(|known| known.insert(id.clone(), query.clone()));
            follow(download, query, &reference);
        }
    }
}

async fn rest(query: &ServerQuery, id: &str, progress: &Function, fetched: &mut Fetched) {
    let Ok(reference) = reference(query) else { return };
    let Some(project) = reference.project.clone() else { return };
    let place = RunRef { entity: reference.entity.clone(), project, id: id.to_owned() };
    tell(progress, id, 0, 0);
    let (download, error) = one(query, &reference, place.clone(), Wanted::everything()).await;
    if let Some(error) = error.filter(|error| *error != ApiError::Cancelled) {
        fetched.fault = said(&error);
    }
    let Some(download) = download else { return };
    fetched.add(&download);
    let Some(run) = fetched.outcomes.last_mut().and_then(|outcome| outcome.fragments.first_mut()) else { return };
    if !run.run.tables.is_empty() {
        let client = client(query, &reference, CANCEL.with_borrow(Clone::clone));
        match client.tables(&place).await {
            Ok(files) => {
                for file in files {
                    tell(progress, &file.name, 0, download.progress().bytes);
                    let Ok(bytes) = client.read_file(&place, &file).await else { continue };
                    fill_table(&mut run.run, &file.name, &bytes);
                }
            }
            Err(error) => fetched.fault = said(&error),
        }
    }
    follow(download, query, &reference);
}

/// Puts a table's file into the place of the run that names it.
fn fill_table(run: &mut Run, path: &str, bytes: &[u8]) {
    let mut file = ingest::open(path, bytes.len() as u64);
    file.push(bytes);
    let read = file.finish().fragments.into_iter().flat_map(|piece| piece.run.tables);
    let content = read.filter_map(|table| table.content).next();
    if let Some(table) = run.tables.iter_mut().find(|table| table.path == path) {
        table.content = content;
    }
}

/// Follows a run that still goes on, in place of what was followed of it. Stopping a fetch does not stop that.
fn follow(download: Download, query: &ServerQuery, reference: &Reference) {
    if !goes_on(&download) {
        return;
    }
    let place = download.place().clone();
    let client = client(query, reference, Cancel::default());
    let followed = Followed { follower: Follower::new(download), client };
    FOLLOWED.with_borrow_mut(|all| {
        all.retain(|slot| slot.borrow().as_ref().is_none_or(|known| *known.follower.download().place() != place));
        all.push(Rc::new(RefCell::new(Some(followed))));
    });
}

/// One run, as far as it came, and what stopped it.
async fn one(
    query: &ServerQuery,
    reference: &Reference,
    place: RunRef,
    wanted: Wanted,
) -> (Option<Download>, Option<ApiError>) {
    let client = client(query, reference, CANCEL.with_borrow(Clone::clone));
    let options = Options { system: true, console_lines: CONSOLE_LINES, parquet: true };
    match Download::begin(&client, place, options, move |key| wanted.has(key)).await {
        Ok(mut download) => {
            let error = download.complete(&client).await.err();
            (Some(download), error)
        }
        Err(error) => (None, Some(error)),
    }
}

fn goes_on(download: &Download) -> bool {
    download.state() == RunState::Running
}

fn reference(query: &ServerQuery) -> Result<Reference, String> {
    let mut reference = Reference::parse(query.field(QueryField::Address)).map_err(|error| error.to_string())?;
    let server = query.field(QueryField::Server);
    if !server.is_empty() {
        reference = reference.with_base_url(server);
    }
    Ok(reference)
}

fn client(query: &ServerQuery, reference: &Reference, cancel: Cancel) -> Client<Fetch> {
    let session = Session::new(Fetch, seed()).with_cancel(cancel);
    Client::new(session, &reference.base_url, Key::new(query.field(QueryField::Key)))
}

fn selection(query: &ServerQuery, reference: &Reference) -> Selection {
    let list = |field: QueryField| {
        query
            .field(field)
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let text = |field: QueryField| Some(query.field(field)).filter(|text| !text.is_empty()).map(str::to_owned);
    let mut selection = reference.selection();
    selection.latest = Some(query.field(QueryField::Count).parse().unwrap_or(OFFERED));
    selection.states = list(QueryField::State);
    selection.tags = list(QueryField::Tags);
    selection.name_prefix = text(QueryField::Name);
    selection.group = text(QueryField::Group).or(selection.group);
    selection.sweep = text(QueryField::Sweep).or(selection.sweep);
    selection.order = match query.field(QueryField::Order) {
        "" | "newest" => Order::Newest,
        metric => match metric.strip_prefix('-') {
            Some(metric) => Order::Lowest(metric.to_owned()),
            None => Order::Highest(metric.to_owned()),
        },
    };
    list(QueryField::Config).iter().fold(selection, |selection, setting| selection.with_setting(setting))
}

fn said(error: &ApiError) -> String {
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

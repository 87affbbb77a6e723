//! The engine in its web worker: requests and file handles in, events and arrays of numbers out.
//!
//! A shell around [`Session`]: it reads files chunk by chunk, talks to servers, and tells the page what it works on. A panic or a lack of
//! memory stops the worker; the page notices and starts another one, so nothing here tries to go on after one. That other
//! worker names each file and run before it begins, so that the page knows what to leave out if it stops again.

mod axiom;
mod content;
mod fetched;
mod files;
mod heap;
mod hosts;
mod listing;
mod post;
mod progress;
mod servers;
mod stream;
mod transport;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::MessageEvent;

use super::downloads::Downloads;
use super::session::{PendingRun, Session};
use super::warm_up;
use content::FileContent;
use progress::{ProgressMeter, YIELD_MS, now_ms, yield_to_messages};
use rundown_http::{CancelToken, Transport};
use rundown_protocol::{
    Envelope, Event, Fault, OUT_OF_MEMORY, PANICKED, Progress, Reply, Request, VERSION, Work, decode,
};
use transport::Fetch;

/// What the tasks of the worker share. Never borrowed across an `await`.
#[derive(Clone, Default)]
struct Shared {
    session: Rc<RefCell<Session>>,
    /// Requests that the page wants stopped.
    cancelled: Rc<RefCell<BTreeSet<u32>>>,
    downloads: Downloads<Fetch>,
    /// What stops the requests to servers that are under way, by request of the page.
    asking: Rc<RefCell<BTreeMap<u32, CancelToken>>>,
    /// Files of drops that have arrived and were not noted yet, by the request that awaits them: one entry for each reading under
    /// way.
    arrived: Rc<RefCell<BTreeMap<u32, Vec<FileContent>>>>,
    /// Readings and fetches under way.
    readings: Rc<Cell<u32>>,
    /// Each file and run is named to the page before work on it begins.
    names_each: Rc<Cell<bool>>,
    /// The page has asked for runs, so that the engine need not warm up any more.
    wants_runs: Rc<Cell<bool>>,
}

/// The page asked to stop.
struct StopRequested;

/// How long the page has for itself once the engine is ready: who asks at once is not to wait for a warm-up.
const WARM_UP_AFTER_MS: u32 = 500;

/// Starts listening. Called once, by the worker's `main`.
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        // Thrown, so that it arrives as the error that ends the worker: a message might come behind it.
        let is_memory = panic.payload_as_str().is_some_and(|text| text.contains("capacity overflow"));
        wasm_bindgen::throw_str(if is_memory { OUT_OF_MEMORY } else { PANICKED });
    }));
    let shared = Shared::default();
    let listening = shared.clone();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&listening, &event));
    post::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The worker listens for as long as it lives.
    listener.forget();
    post::event(&Event::Ready { version: VERSION }, Vec::new());
    spawn_local(warm_up(shared));
}

/// Works on made-up runs until the page asks for real ones.
async fn warm_up(shared: Shared) {
    Fetch.sleep(WARM_UP_AFTER_MS).await;
    for round in 0..warm_up::ROUNDS {
        yield_to_messages().await;
        if shared.wants_runs.get() {
            return;
        }
        warm_up::round(round);
    }
}

fn receive(shared: &Shared, event: &MessageEvent) {
    let parts = Array::from(&event.data());
    let bytes = Uint8Array::new(&parts.get(0)).to_vec();
    let Ok(Envelope { id, request }) = decode(&bytes) else {
        // Without an id there is nobody to answer but request 0, which the page never uses.
        return post::answer(0, Err(Fault::UnreadableRequest), Vec::new());
    };
    let shared = shared.clone();
    // Also while the files are only on their way.
    let brings_runs = matches!(
        request,
        Request::AddFiles { .. } | Request::AddFromSite { .. } | Request::Fetch { .. } | Request::Browse(_)
    );
    shared.wants_runs.set(shared.wants_runs.get() || brings_runs);
    match request {
        Request::AddFiles { paths, formats } => spawn_local(files::add_files(shared, id, paths, formats)),
        Request::TakeFiles => shared.take_files(id, &Array::from(&parts.get(1))),
        Request::AddFromSite { url } => spawn_local(files::add_from_site(shared, id, url)),
        Request::Browse(query) => spawn_local(listing::browse(shared, id, query)),
        Request::HostsOf(query) => {
            let unnamed = hosts::unnamed(&query).unwrap_or_default();
            post::answer(id, Ok(Reply::Hosts(unnamed)), Vec::new());
        }
        Request::Fetch { query, runs } => spawn_local(servers::fetch(shared, id, query, runs)),
        Request::FetchRest { run } => spawn_local(servers::fetch_rest(shared, id, run)),
        Request::Poll => spawn_local(servers::poll(shared, id)),
        Request::ApplySettings { settings } => match shared.apply_settings(&settings) {
            Ok(()) => spawn_local(answer(shared, id, Request::ListRuns)),
            Err(fault) => post::answer(id, Err(fault), Vec::new()),
        },
        Request::RemoveRuns { runs } => {
            let ids: Vec<String> = runs.iter().filter_map(|run| shared.session.borrow().id_of(*run)).collect();
            ids.iter().for_each(|id| shared.downloads.forget(id));
            shared.session.borrow_mut().set_running(shared.downloads.running());
            shared.answer_now(id, &Request::RemoveRuns { runs });
        }
        Request::Clear => {
            shared.close_all();
            shared.answer_now(id, &Request::ListRuns);
        }
        Request::Cancel { id: other } => {
            shared.cancelled.borrow_mut().insert(other);
            shared.stop_asking(Some(other));
            post::answer(id, Ok(Reply::Done), Vec::new());
        }
        Request::NameEach => {
            shared.names_each.set(true);
            post::answer(id, Ok(Reply::Done), Vec::new());
        }
        Request::Ping => post::answer(id, Ok(Reply::Done), Vec::new()),
        request if shared.session.borrow().next_pending_for(&request).is_none() => shared.answer_now(id, &request),
        request => spawn_local(answer(shared, id, request)),
    }
}

/// Answers a request once the runs that it is about are diagnosed.
async fn answer(shared: Shared, id: u32, request: Request) {
    let next = |session: &Session| session.next_pending_for(&request);
    match shared.diagnose_pending(id, &mut ProgressMeter::new(id, 0), next).await {
        Ok(()) => shared.answer_now(id, &request),
        Err(StopRequested) => post::answer(id, Err(Fault::Cancelled), Vec::new()),
    }
}

impl Shared {
    /// Answers from what is diagnosed.
    fn answer_now(&self, id: u32, request: &Request) {
        // Charts are asked for with every frame of a zoom. Only beside a reading must the page be told that it is they
        // that are worked on.
        if !matches!(request, Request::Lines(_) | Request::Heat(_)) || self.readings.get() > 0 {
            post::progress(id, Progress { work: Work::Answering, ..Progress::default() });
        }
        let answer = self.session.borrow_mut().answer(request);
        post::answer(id, answer.reply, answer.arrays);
    }

    /// Forgets all runs, and stops what is being read and fetched.
    fn close_all(&self) {
        self.session.borrow_mut().clear();
        self.downloads.clear();
        self.stop_asking(None);
        self.cancelled.borrow_mut().extend(self.arrived.borrow().keys());
    }

    /// How often all runs were closed: what was begun before that is not added after it.
    fn clears(&self) -> u32 {
        self.session.borrow().clears()
    }

    /// Answers request `id` as cancelled if all runs were closed since `clears` was asked for; true then.
    fn was_closed(&self, id: u32, clears: u32) -> bool {
        let was_closed = self.clears() != clears;
        if was_closed {
            post::answer(id, Err(Fault::Cancelled), Vec::new());
        }
        was_closed
    }

    /// Diagnoses run after run for request `id`; lets messages in now and then.
    async fn diagnose_pending(
        &self,
        id: u32,
        meter: &mut ProgressMeter,
        mut next: impl FnMut(&Session) -> Option<PendingRun>,
    ) -> Result<(), StopRequested> {
        let mut since = now_ms();
        loop {
            self.yield_when_due(id, &mut since).await?;
            // After a pause: another request may have diagnosed it meanwhile.
            let pending = next(&self.session.borrow());
            let Some(PendingRun { number, identity, name }) = pending else { return Ok(()) };
            meter.begin_one(Work::Diagnosing { run: identity, name }, self.names_each.get());
            self.session.borrow_mut().diagnose(number);
            meter.end_run();
        }
    }

    /// Takes messages when the worker has worked for [`YIELD_MS`] since `since`; an error where the page asked to stop
    /// request `id`.
    async fn yield_when_due(&self, id: u32, since: &mut f64) -> Result<(), StopRequested> {
        if now_ms() - *since <= YIELD_MS {
            return Ok(());
        }
        yield_to_messages().await;
        if self.was_cancelled(id) {
            return Err(StopRequested);
        }
        *since = now_ms();
        Ok(())
    }

    fn apply_settings(&self, text: &str) -> Result<(), Fault> {
        self.session.borrow_mut().apply_settings(text).map_err(|error| Fault::Settings(error.to_string()))
    }

    /// True once, when the page asked to stop request `id`.
    fn was_cancelled(&self, id: u32) -> bool {
        self.cancelled.borrow_mut().remove(&id)
    }
}

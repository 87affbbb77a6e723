//! The engine in its web worker: requests and file handles in, events and arrays of numbers out.
//!
//! Only this module and [`crate::app`] know the browser. A panic stops the worker; the page notices and starts
//! another one, so nothing here tries to go on after one.

mod comparer;
mod files;
mod judge;
mod post;
mod reports;
mod servers;
mod sources;
mod verdicts;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use crate::engine::Engine;
use crate::engine::messages::{Envelope, Event, Fault, Reply, Request, encoded};

/// What the tasks of the worker share.
#[derive(Clone, Default)]
struct Shared {
    engine: Rc<RefCell<Engine>>,
    cancelled: Rc<RefCell<BTreeSet<u32>>>,
    /// The helper program, once it was needed and as long as it is well.
    sources: Rc<RefCell<Option<sources::Sources>>>,
    /// The program that writes reports, likewise.
    reports: Rc<RefCell<Option<JsValue>>>,
    /// The program that says what happened in the runs.
    judge: Rc<RefCell<Option<judge::Loading>>>,
    /// What the user set, for the judge; nothing before that.
    settings: Rc<RefCell<Vec<u8>>>,
    /// Who compares runs, once somebody asked, as long as it knows the runs as they are.
    comparer: Rc<RefCell<Option<comparer::Comparing>>>,
}

impl Shared {
    /// True once, when the page asked to stop request `id`.
    fn was_cancelled(&self, id: u32) -> bool {
        self.cancelled.borrow_mut().remove(&id)
    }

    /// True when the page asked to stop request `id`, as often as it is asked.
    fn is_cancelled(&self, id: u32) -> bool {
        self.cancelled.borrow().contains(&id)
    }

    /// The helper program, which is loaded if it is not there yet.
    async fn helper(&self) -> Result<sources::Sources, sources::Broken> {
        let known = self.sources.borrow().clone();
        if let Some(sources) = known {
            return Ok(sources);
        }
        let sources = sources::load().await?;
        *self.sources.borrow_mut() = Some(sources.clone());
        Ok(sources)
    }
}

/// Starts listening. Called once, by the worker's `main`.
pub fn start() {
    console_error_panic_hook::set_once();
    let shared = Shared::default();
    *shared.judge.borrow_mut() = Some(judge::Loading::start());
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&shared, &event));
    post::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The worker listens for as long as it lives.
    listener.forget();
    post::event(&Event::Ready, Vec::new());
}

fn receive(shared: &Shared, event: &MessageEvent) {
    let parts = Array::from(&event.data());
    let bytes = Uint8Array::new(&parts.get(0)).to_vec();
    let Ok(Envelope { id, request }) = postcard::from_bytes::<Envelope>(&bytes) else {
        // Without an id there is nobody to answer but request 0, which the page never uses.
        post::event(&Event::Reply { id: 0, reply: Err(Fault::BadMessage) }, Vec::new());
        return;
    };
    match request {
        Request::AddFiles { paths, formats } => {
            let handles = Array::from(&parts.get(1));
            let task = files::add_files(shared.clone(), id, paths, formats, handles);
            wasm_bindgen_futures::spawn_local(task);
        }
        Request::AddFromSite { url } => {
            wasm_bindgen_futures::spawn_local(files::add_from_site(shared.clone(), id, url));
        }
        Request::Browse(query) => wasm_bindgen_futures::spawn_local(servers::browse(shared.clone(), id, query)),
        Request::Fetch { query, runs } => {
            wasm_bindgen_futures::spawn_local(servers::fetch(shared.clone(), id, query, runs));
        }
        Request::FetchRest { run } => {
            wasm_bindgen_futures::spawn_local(servers::fetch_rest(shared.clone(), id, run));
        }
        Request::Report { runs, format } => {
            wasm_bindgen_futures::spawn_local(reports::write(shared.clone(), id, runs, format));
        }
        Request::Poll => wasm_bindgen_futures::spawn_local(servers::poll(shared.clone(), id)),
        Request::Cancel { id: other } => {
            shared.cancelled.borrow_mut().insert(other);
            // It may be waiting for a server.
            if let Some(sources) = shared.sources.borrow().as_ref() {
                sources.stop();
            }
            post::reply(id, Ok(Reply::Done), Vec::new());
        }
        Request::ListRuns => wasm_bindgen_futures::spawn_local(verdicts::list_runs(shared.clone(), id)),
        Request::OpenRun { run, last_steps } => {
            wasm_bindgen_futures::spawn_local(verdicts::open_run(shared.clone(), id, run, last_steps));
        }
        Request::Open(request) => {
            let request = encoded(&request);
            let question = move |all: &comparer::Comparing| all.topic(&request);
            wasm_bindgen_futures::spawn_local(comparer::ask(shared.clone(), id, question));
        }
        Request::Find { query, cursor } => {
            let question = move |all: &comparer::Comparing| all.find(&query, cursor);
            wasm_bindgen_futures::spawn_local(comparer::ask(shared.clone(), id, question));
        }
        Request::Set { settings } => wasm_bindgen_futures::spawn_local(verdicts::set(shared.clone(), id, settings)),
        Request::Clear => wasm_bindgen_futures::spawn_local(verdicts::clear(shared.clone(), id)),
        request => {
            let answer = shared.engine.borrow_mut().answer(&request);
            post::reply(id, answer.reply, answer.arrays);
        }
    }
}

//! Requests about servers: the helper program asks, and what comes is taken in like files.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use super::files::{Meter, finish};
use super::sources::{Broken, Fetched, Sources};
use super::{Shared, post};
use crate::engine::messages::{Fault, Reply, ServerQuery};
use crate::ingest::Intake;

const BROKEN: &str = "The part of the engine that talks to servers could not be loaded, or broke down. Try again.";

/// Answers request `id` with what a server has.
pub async fn browse(shared: Shared, id: u32, query: ServerQuery) {
    let offer = match shared.helper().await {
        Ok(sources) => sources.offer(&query).await,
        Err(Broken) => Err(Broken),
    };
    let reply = offer.map(Reply::Offer).map_err(|Broken| broken(&shared));
    post::reply(id, reply, Vec::new());
}

/// Fetches runs, adds them, and answers request `id`.
pub async fn fetch(shared: Shared, id: u32, query: ServerQuery, runs: Vec<String>) {
    let Ok(sources) = shared.helper().await else {
        return post::reply(id, Err(broken(&shared)), Vec::new());
    };
    let progress = watcher(&shared, &sources, id, runs.len() as u32);
    let fetched = sources.fetch(&query, &runs, progress.as_ref().unchecked_ref()).await;
    settle(shared, id, fetched).await;
}

/// Fetches what is left of a run, and answers request `id`.
pub async fn fetch_rest(shared: Shared, id: u32, run: u32) {
    let Some(run) = shared.engine.borrow().id_of(run) else {
        return post::reply(id, Err(Fault::NoSuchRun), Vec::new());
    };
    let Ok(sources) = shared.helper().await else {
        return post::reply(id, Err(broken(&shared)), Vec::new());
    };
    let progress = watcher(&shared, &sources, id, 1);
    let fetched = sources.rest(&run, progress.as_ref().unchecked_ref()).await;
    settle(shared, id, fetched).await;
}

/// Tells the page how far the helper is, and the helper when the page has enough.
fn watcher(shared: &Shared, sources: &Sources, id: u32, total: u32) -> Closure<dyn FnMut(String, f64, f64)> {
    let (shared, sources) = (shared.clone(), sources.clone());
    Closure::new(move |doing: String, done: f64, bytes: f64| {
        if shared.is_cancelled(id) {
            sources.stop();
        }
        post::fetching(id, doing, done as u32, total, bytes as u64);
    })
}

async fn settle(shared: Shared, id: u32, fetched: Result<Fetched, Broken>) {
    let cancelled = shared.was_cancelled(id);
    match fetched {
        Ok(fetched) if fetched.0.is_empty() && !fetched.2.is_empty() => {
            post::reply(id, Err(Fault::Failed(fetched.2)), Vec::new());
        }
        Ok(fetched) => take_in(shared, id, fetched, cancelled).await,
        Err(Broken) => post::reply(id, Err(broken(&shared)), Vec::new()),
    }
}

/// Looks again at runs that were still going, and answers request `id` with what is new.
pub async fn poll(shared: Shared, id: u32) {
    let fetched = match shared.helper().await {
        Ok(sources) => sources.poll().await,
        Err(Broken) => Err(Broken),
    };
    match fetched {
        Ok(fetched) => take_in(shared, id, fetched, false).await,
        Err(Broken) => post::reply(id, Err(broken(&shared)), Vec::new()),
    }
}

async fn take_in(shared: Shared, id: u32, (outcomes, going, fault): Fetched, cancelled: bool) {
    let mut meter = Meter::new(id, std::iter::empty());
    meter.cancelled = cancelled;
    let mut intake = Intake::default();
    for outcome in outcomes {
        let known = shared.engine.borrow().knows(&outcome.fragments);
        if !known {
            meter.end();
            meter.advance(outcome.fragments.iter().flat_map(|piece| &piece.run.files).map(|file| file.bytes).sum());
        }
        intake.add(outcome);
    }
    shared.engine.borrow_mut().note_going(going);
    finish(shared, id, intake, meter, fault).await;
}

/// What broke down once is not to be trusted: the next request gets a new one.
fn broken(shared: &Shared) -> Fault {
    *shared.sources.borrow_mut() = None;
    Fault::Failed(BROKEN.to_owned())
}

//! Requests for runs of servers: all of one, the rest of one, and what is new in those still running.

use std::pin::pin;

use futures_util::future::{Either, join_all, select};

use super::fetched::Fetched;
use super::files::finish;
use super::hosts::{self, reference};
use super::progress::ProgressMeter;
use super::transport::{Fetch, seed};
use super::{Shared, StopRequested, axiom, post};
use crate::metric_selection::MetricSelection;
use rundown_http::{ApiKey, CancelToken, HttpSession};
use rundown_ingest::RunAssembler;
use rundown_protocol::{Fault, Progress, QueryField, ServerQuery, Service, Work};
use rundown_wandb::{ApiError, Download, Extras, FetchOptions, Reference, RunRef, WandbClient};

/// Runs that are fetched at once. Each sends a few requests at once itself, and the session bounds them all.
const AT_ONCE: usize = 2;
/// Attempts of a request for a run: the backoff alone limits them.
const UNBOUNDED: u32 = u32::MAX;
/// Lines of the console that are fetched: a traceback and what led to it.
const CONSOLE_LINES: u32 = 400;

/// Fetches runs by their ids, adds them, and answers request `id`.
pub async fn fetch(shared: Shared, id: u32, query: ServerQuery, runs: Vec<String>) {
    let cancel = shared.begin_asking(id);
    let clears = shared.clears();
    let mut fetched = Fetched::default();
    match query.service {
        Service::Wandb => {
            let fetching = Fetching { shared: &shared, query: &query, cancel, id, total: runs.len(), clears };
            fetching.runs(&runs, &mut fetched).await;
        }
        Service::Axiom => {
            let progress = |events: u64| post_progress(id, format!("{events} events"), Vec::new(), (0, 0), 0);
            axiom::fetch(&query, cancel, progress, &mut fetched).await;
        }
    }
    settle(shared, id, clears, fetched).await;
}

/// Fetches what is left of a run, adds it, and answers request `id`.
pub async fn fetch_rest(shared: Shared, id: u32, run: u32) {
    let Some(run) = shared.session.borrow().id_of(run) else {
        return post::answer(id, Err(Fault::UnknownRun), Vec::new());
    };
    let Some(query) = shared.downloads.query_of(&run) else {
        return post::answer(id, Err(Fault::NotConnected), Vec::new());
    };
    let cancel = shared.begin_asking(id);
    let clears = shared.clears();
    let mut fetched = Fetched::default();
    Fetching { shared: &shared, query: &query, cancel, id, total: 1, clears }.rest(&run, &mut fetched).await;
    settle(shared, id, clears, fetched).await;
}

/// Polls the runs that were still running, and answers request `id` with what is new.
pub async fn poll(shared: Shared, id: u32) {
    let mut fetched = Fetched::default();
    let cancel = shared.begin_asking(id);
    let clears = shared.clears();
    // The clients of followed runs have no token of their own: dropping the poll drops their requests, and with them the
    // run whose turn it was. Only closing all runs cancels a poll, so that no run is lost which is still shown.
    let failure = {
        let polling = pin!(shared.downloads.poll(|download| fetched.add(download)));
        match select(polling, pin!(cancel.cancelled())).await {
            Either::Left((failure, _)) => failure,
            Either::Right(_) => None,
        }
    };
    shared.end_asking(id);
    if shared.was_closed(id, clears) {
        return;
    }
    fetched.fault = failure.map(|error| explained(&error)).unwrap_or_default();
    add(shared, id, fetched, Ok(())).await;
}

/// Adds what was fetched, or says what kept everything from arriving. `clears` is from before: what was fetched for runs that
/// were closed meanwhile is dropped.
async fn settle(shared: Shared, id: u32, clears: u32, mut fetched: Fetched) {
    shared.end_asking(id);
    let refusal = hosts::refusal();
    if shared.was_closed(id, clears) {
        return;
    }
    if fetched.fault.is_empty() {
        fetched.fault = refusal;
    }
    let end = if shared.was_cancelled(id) { Err(StopRequested) } else { Ok(()) };
    if fetched.outcomes.is_empty() && !fetched.fault.is_empty() {
        return post::answer(id, Err(Fault::Server(fetched.fault)), Vec::new());
    }
    add(shared, id, fetched, end).await;
}

async fn add(shared: Shared, id: u32, fetched: Fetched, end: Result<(), StopRequested>) {
    let mut meter = ProgressMeter::new(id, 0);
    let mut assembler = RunAssembler::default();
    for outcome in fetched.outcomes {
        if !shared.session.borrow().has_runs_of(&outcome.parts) {
            meter.end_file();
            meter.advance(outcome.parts.iter().flat_map(|piece| &piece.run.files).map(|file| file.bytes).sum());
        }
        assembler.add(outcome);
    }
    shared.session.borrow_mut().set_running(shared.downloads.running());
    shared.readings.update(|readings| readings + 1);
    finish(&shared, id, assembler, meter, end, fetched.fault).await;
    shared.readings.update(|readings| readings.saturating_sub(1));
}

impl Shared {
    /// What stops the requests to servers that request `id` of the page makes necessary.
    pub(super) fn begin_asking(&self, id: u32) -> CancelToken {
        let cancel = CancelToken::default();
        self.asking.borrow_mut().insert(id, cancel.clone());
        cancel
    }

    pub(super) fn end_asking(&self, id: u32) {
        self.asking.borrow_mut().remove(&id);
    }

    /// Stops the requests to servers of one request of the page, or of all.
    pub(super) fn stop_asking(&self, id: Option<u32>) {
        // Taken out first: whoever is woken may come back here.
        let tokens: Vec<CancelToken> = {
            let asking = self.asking.borrow();
            asking
                .iter()
                .filter(|(known, _)| id.is_none_or(|id| id == **known))
                .map(|(_, token)| token.clone())
                .collect()
        };
        tokens.iter().for_each(CancelToken::cancel);
    }
}

/// A fetch under way for request `id`.
struct Fetching<'a> {
    shared: &'a Shared,
    query: &'a ServerQuery,
    cancel: CancelToken,
    id: u32,
    /// Runs to fetch.
    total: usize,
    /// How often all runs had been closed before.
    clears: u32,
}

impl Fetching<'_> {
    /// Fetches runs, a few at once.
    async fn runs(&self, runs: &[String], fetched: &mut Fetched) {
        let Some((reference, project)) = self.place(fetched) else { return };
        let mut done = 0;
        for wave in runs.chunks(AT_ONCE) {
            if self.cancel.is_cancelled() {
                break;
            }
            self.progress(wave, done, 0);
            let places = wave.iter().map(|id| RunRef {
                entity: reference.entity.clone(),
                project: project.clone(),
                id: id.clone(),
            });
            let downloads = join_all(places.map(|place| self.one(&reference, place))).await;
            for (id, (download, error)) in wave.iter().zip(downloads) {
                done += 1;
                let was_stopped = error == Some(ApiError::Cancelled);
                if let Some(error) = error.filter(|_| !was_stopped) {
                    fetched.fault = format!("{id}: {}", explained(&error));
                }
                // Of a run that was stopped at its name there is nothing to show.
                let has_rows = |download: &Download| !was_stopped || download.progress().rows > 0;
                let Some(download) = download.filter(has_rows) else { continue };
                self.progress(std::slice::from_ref(id), done, download.progress().bytes);
                fetched.add(&download);
                self.keep(download, &reference);
            }
        }
    }

    /// Completes what is kept of a run, so that nothing is asked for twice.
    async fn rest(&self, id: &str, fetched: &mut Fetched) {
        let Some((reference, project)) = self.place(fetched) else { return };
        let place = RunRef { entity: reference.entity.clone(), project, id: id.to_owned() };
        let client = client(self.query, &reference, self.cancel.clone(), UNBOUNDED);
        let ids = [id.to_owned()];
        self.progress(&ids, 0, 0);
        let downloads = &self.shared.downloads;
        let mut error = None;
        // A poll under way may hold it for a while.
        let taken = match select(pin!(downloads.take(&place, &Fetch)), pin!(self.cancel.cancelled())).await {
            Either::Left((taken, _)) => taken,
            Either::Right(_) => None,
        };
        let download = match taken {
            Some(mut download) => {
                download.want_also(|_| true);
                Some(download)
            }
            None if downloads.is_whole(id) => None,
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
            self.keep(download, &reference);
        }
        if error.is_none() {
            let mut extras = downloads.take_extras(&place).unwrap_or_else(|| Extras::new(place));
            let progress = |file: &str| post_progress(self.id, file.to_owned(), ids.to_vec(), (0, 1), 0);
            error = extras.complete(&client, progress).await.err();
            fetched.add_piece(extras.part(), Vec::new());
            if self.is_open() {
                downloads.keep_extras(extras);
            }
        }
        if let Some(error) = error.filter(|error| *error != ApiError::Cancelled) {
            fetched.fault = explained(&error);
        }
    }

    /// One run, as far as it arrived, and what stopped it.
    async fn one(&self, reference: &Reference, place: RunRef) -> (Option<Download>, Option<ApiError>) {
        let client = client(self.query, reference, self.cancel.clone(), UNBOUNDED);
        let selection = MetricSelection::default();
        match begin(&client, place, move |key| selection.includes(key)).await {
            Ok(mut download) => {
                let error = download.complete(&client).await.err();
                (Some(download), error)
            }
            Err(error) => (None, Some(error)),
        }
    }

    /// The server and the project that the query names; what is wrong with it becomes the fault.
    fn place(&self, fetched: &mut Fetched) -> Option<(Reference, String)> {
        match reference(self.query) {
            Ok(reference) => {
                let project = reference.project.clone();
                if project.is_none() {
                    fetched.fault = "The address names no project: write entity/project.".to_owned();
                }
                project.map(|project| (reference, project))
            }
            Err(text) => {
                fetched.fault = text;
                None
            }
        }
    }

    /// False once all runs were closed.
    fn is_open(&self) -> bool {
        self.shared.clears() == self.clears
    }

    /// Keeps a download for following and completing. Its client is not stopped with this fetch.
    fn keep(&self, download: Download, reference: &Reference) {
        if !self.is_open() {
            return;
        }
        self.shared.downloads.keep(
            download,
            self.query,
            client(self.query, reference, CancelToken::default(), UNBOUNDED),
        );
    }

    fn progress(&self, runs: &[String], done: usize, bytes: u64) {
        post_progress(self.id, runs.join(", "), runs.to_vec(), (done, self.total), bytes);
    }
}

fn post_progress(id: u32, what: String, runs: Vec<String>, (done, total): (usize, usize), bytes: u64) {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (files_done, files_total) = (count(done), count(total));
    let work = Work::Fetching { what, runs };
    post::progress(id, Progress { work, bytes_done: bytes, files_done, files_total, ..Progress::default() });
}

async fn begin(
    client: &WandbClient<Fetch>,
    place: RunRef,
    is_wanted: impl Fn(&str) -> bool + 'static,
) -> Result<Download, ApiError> {
    let options = FetchOptions { system: true, console_lines: CONSOLE_LINES, parquet: true };
    Download::begin(client, place, options, is_wanted).await
}

/// A client of the server that the query names, and how often it tries a request.
pub(super) fn client(
    query: &ServerQuery,
    reference: &Reference,
    cancel: CancelToken,
    attempts: u32,
) -> WandbClient<Fetch> {
    let session = HttpSession::new(Fetch, seed()).with_cancel(cancel).with_max_attempts(attempts);
    WandbClient::new(session, &reference.base_url, ApiKey::new(query.field(QueryField::Key)))
}

/// What went wrong and what to do.
pub(super) fn explained(error: &ApiError) -> String {
    format!("{error} {}", error.remedy())
}

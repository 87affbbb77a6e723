//! The page's side of the engine: sends requests, matches answers, and starts the engine again when it crashes.
//!
//! The page keeps the file handles (not their bytes), so that a new engine can read everything again; what the old one
//! crashed on, a file, a run or a view, is left out and named.

use std::rc::Rc;

use futures_channel::oneshot;
use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;

use super::connection::{ActiveRead, AskError, Batch, Connection, EngineReply, Source, Then, refuse};
use super::recovery::StopReason;
use super::worker_url::{site_url, spawn_engine};
use crate::app::browser::folder_walk::NamedFile;
use crate::app::browser::timing::after;
use rundown_protocol::{FormatChoice, Progress, Reply, Request, RunList, UnexpectedReply};

/// The sample project, beside the page.
const SAMPLE: &str = "sample.tar.gz";
/// A cancelled engine that does not answer within this time is stopped and started again.
const CANCEL_PATIENCE_MS: i32 = 2_000;

/// What a reply carries.
pub trait Payload: TryFrom<Reply, Error = UnexpectedReply> + 'static {}

impl<T: TryFrom<Reply, Error = UnexpectedReply> + 'static> Payload for T {}

/// Takes a list of runs.
type OnList = Rc<dyn Fn(RunList)>;

/// The engine, as the page sees it. Copies are the same engine.
#[derive(Clone, Copy)]
pub struct Engine {
    pub(super) connection: StoredValue<Connection, LocalStorage>,
    pub(super) progress: RwSignal<Option<Progress>>,
    pub(super) notice: RwSignal<Option<String>>,
    pub(super) generation: RwSignal<u32>,
    /// Ticks without a message while a request is unanswered. Ticks are counted and not milliseconds: after a laptop has
    /// slept, the clock is far ahead although the engine slept as well.
    pub(super) silent_ticks: StoredValue<u32>,
    pub(super) is_silent: RwSignal<bool>,
    /// What takes the runs that are there while others are still being read.
    pub(super) on_list: StoredValue<Option<OnList>, LocalStorage>,
    /// When progress was last shown, in milliseconds of the page's clock.
    pub(super) shown_at: StoredValue<f64>,
}

impl Engine {
    /// Starts the engine. Call it once, at the root.
    pub fn started() -> Self {
        let engine = Self {
            connection: StoredValue::new_local(Connection::default()),
            progress: RwSignal::new(None),
            notice: RwSignal::new(None),
            generation: RwSignal::new(0),
            silent_ticks: StoredValue::new(0),
            is_silent: RwSignal::new(false),
            on_list: StoredValue::new_local(None),
            shown_at: StoredValue::new(f64::NEG_INFINITY),
        };
        engine.start();
        engine.start_watchdog();
        engine
    }

    /// Gives the runs that are there while others are still being read to `take`, a few times a second.
    pub fn on_list(self, take: impl Fn(RunList) + 'static) {
        self.on_list.set_value(Some(Rc::new(take)));
    }

    /// Asks; `then` gets the reply.
    pub fn ask(self, request: Request, then: impl FnOnce(Result<EngineReply, AskError>) + 'static) {
        self.begin(request, Box::new(then));
    }

    /// As [`Engine::ask`]; gives the number by which [`Engine::stop`] stops it.
    pub fn begin(self, request: Request, then: Then<EngineReply>) -> u32 {
        if self.connection.try_update_value(|connection| connection.is_excluded(&request)) == Some(true) {
            let what = "The engine crashed on this request. Please report it; the other views work.";
            untrack(|| then(Err(AskError::Failed(what.to_owned()))));
            return 0;
        }
        let id = self.new_id();
        self.send(id, request, then);
        id
    }

    /// As [`Engine::ask`], for what the reply carries.
    pub fn ask_for<T: Payload>(self, request: Request, then: impl FnOnce(Result<T, AskError>) + 'static) {
        self.ask(request, move |answer| then(payload(answer)));
    }

    /// Asks and waits for what the reply carries.
    ///
    /// # Errors
    /// Where there is no reply: the user stopped it, or what the engine says went wrong.
    pub async fn request<T: Payload>(self, request: Request) -> Result<T, AskError> {
        let (then, answer) = waiting();
        self.begin(request, then);
        payload(answer.await)
    }

    /// Adds runs. It begins at once, [`Engine::progress`] says how far it is, and the list that comes of it can be waited
    /// for.
    pub fn add_runs(self, source: Source) -> impl Future<Output = Result<RunList, AskError>> {
        let (then, list) = waiting();
        if let Some(batch) = self.connection.try_update_value(|connection| connection.add_batch(source)) {
            self.read_batch(batch, then);
        }
        list
    }

    /// Adds files again whose content has changed.
    pub fn add_changed_files(self, files: Vec<NamedFile>) -> impl Future<Output = Result<RunList, AskError>> {
        self.connection.try_update_value(|connection| connection.supersede(&files));
        self.add_runs(Source::Files(files))
    }

    /// Fetches what is left of a run on its server.
    pub fn fetch_rest(self, run: u32, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        // No batch: after a restart the run comes as it was first asked for.
        self.read(0, Request::FetchRest { run }, Box::new(then));
    }

    /// Reads everything once more, with a file in another format; none is the engine's own choice.
    pub fn choose_format(self, path: String, format: Option<FormatChoice>) {
        self.read_changed(|connection| {
            connection.formats.retain(|(known, _)| *known != path);
            connection.formats.extend(format.map(|format| (path, format)));
        });
    }

    /// Forgets all runs and files, until they are restored.
    pub fn clear(self, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.connection.try_update_value(Connection::forget_all);
        self.ask_for(Request::Clear, then);
    }

    /// Opens again what was forgotten last; [`Engine::generation`] grows when it is there.
    pub fn restore(self) {
        self.read_changed(Connection::restore);
    }

    /// Takes back that a run was removed; [`Engine::generation`] grows when it is there.
    pub fn restore_run(self, id: String) {
        self.read_changed(|connection| connection.restore_run(&id));
    }

    /// Reads everything once more, after a change of what there is to read.
    fn read_changed(self, change: impl FnOnce(&mut Connection)) {
        let worker_number = self.connection.try_update_value(|connection| {
            change(connection);
            connection.worker_number
        });
        self.ask(Request::Clear, move |_| self.read_all_again(worker_number.unwrap_or_default()));
    }

    /// True while files of the user's are loaded.
    pub fn has_files(self) -> bool {
        self.connection.try_update_value(|connection| connection.has_files()) == Some(true)
    }

    /// What the user added and is not forgotten, in order.
    pub fn sources(self) -> Vec<Source> {
        self.connection.try_update_value(|connection| connection.sources()).unwrap_or_default()
    }

    /// Formats that the user chose for files, by path.
    pub fn formats(self) -> Vec<(String, FormatChoice)> {
        self.connection.try_update_value(|connection| connection.formats.clone()).unwrap_or_default()
    }

    /// Takes over formats that the user chose earlier.
    pub fn set_formats(self, formats: Vec<(String, FormatChoice)>) {
        self.connection.try_update_value(|connection| connection.formats = formats);
    }

    /// Diagnoses all runs with these settings, and those to come, in this engine and the next.
    pub fn apply(self, settings: String, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.ask_for(Request::ApplySettings { settings: settings.clone() }, move |list| {
            if list.is_ok() {
                self.connection.try_update_value(|connection| connection.settings = settings);
            }
            then(list);
        });
    }

    /// How far the reading is; `None` when nothing is being read.
    pub fn progress(self) -> Signal<Option<Progress>> {
        self.progress.into()
    }

    /// Stops all readings under way. What was read by then stays for as long as this engine lives; a restarted one does
    /// not read it again.
    pub fn cancel(self) {
        let reads = self.connection.try_update_value(|connection| connection.reads.clone()).unwrap_or_default();
        for ActiveRead { request, batch } in reads {
            self.connection.try_update_value(|connection| connection.forget(batch));
            self.stop(request);
        }
    }

    /// Stops a request. An engine that does not answer is stopped itself.
    pub fn stop(self, request: u32) {
        self.ask(Request::Cancel { id: request }, |_| {});
        after(CANCEL_PATIENCE_MS, move || {
            if self.connection.try_update_value(|connection| connection.is_pending(request)) == Some(true) {
                self.restart("The engine did not stop in time and was started again.", false);
            }
        });
    }

    /// Something that the user should know about the engine.
    pub fn notice(self) -> Signal<Option<String>> {
        self.notice.into()
    }

    /// Forgets what the user should know, which they have read.
    pub fn dismiss_notice(self) {
        self.notice.set(None);
    }

    /// Grows when a restarted engine has read everything again: views ask again.
    pub fn generation(self) -> Signal<u32> {
        self.generation.into()
    }

    pub(super) fn read_batch(self, batch: Batch, then: Then<RunList>) {
        match batch.source {
            Source::Files(files) => {
                let (id, then) = self.begin_reading(batch.id, then);
                self.offer_files(id, files, then);
            }
            Source::Server(query, runs) => {
                self.read(batch.id, Request::Fetch { query, runs }, then);
            }
            // Their numbers are those of this engine.
            Source::Removed(ids) => self.ask_for(Request::ListRuns, move |list: Result<RunList, _>| match list {
                Ok(list) => {
                    let runs = list.runs.iter().filter(|row| ids.contains(&row.id)).map(|row| row.run).collect();
                    self.ask_for(Request::RemoveRuns { runs }, then);
                }
                failed => then(failed),
            }),
            Source::Sample => match site_url(SAMPLE) {
                Ok(url) => self.read(batch.id, Request::AddFromSite { url }, then),
                Err(_) => {
                    then(Err(AskError::Failed("The address of the sample project could not be made.".to_owned())));
                }
            },
        }
    }

    fn read(self, batch: u32, request: Request, then: Then<RunList>) {
        let (id, then) = self.begin_reading(batch, then);
        self.send(id, request, then);
    }

    /// The number of a request that reads, and what is done with its answer.
    fn begin_reading(self, batch: u32, then: Then<RunList>) -> (u32, Then<EngineReply>) {
        let id = self.new_id();
        self.change_reads(|reads| reads.push(ActiveRead { request: id, batch }));
        let done = move |answer| {
            self.change_reads(|reads| reads.retain(|read| read.request != id));
            then(payload(answer));
        };
        (id, Box::new(done))
    }

    /// Changes which requests are reading. The progress that is shown is that of the oldest, which begins anew with another one.
    fn change_reads(self, change: impl FnOnce(&mut Vec<ActiveRead>)) {
        let shown = self.connection.try_update_value(|connection| {
            let oldest = |reads: &[ActiveRead]| reads.first().map(|read| read.request);
            let before = oldest(&connection.reads);
            change(&mut connection.reads);
            let after = oldest(&connection.reads);
            (after != before || after.is_none()).then(|| after.map(|_| Progress::default()))
        });
        if let Some(progress) = shown.flatten() {
            self.progress.set(progress);
        }
    }

    fn new_id(self) -> u32 {
        self.connection.try_update_value(Connection::new_id).unwrap_or_default()
    }

    fn send(self, id: u32, request: Request, then: Then<EngineReply>) {
        let refused = self.connection.try_update_value(|connection| connection.send(id, request, then));
        if let Some(then) = refused.flatten() {
            untrack(|| refuse(then));
        }
    }

    /// Starts a worker and listens to it.
    pub(super) fn start(self) {
        let Ok(worker) = spawn_engine() else {
            let what = "The engine could not be started: this browser blocks web workers on this page.";
            self.notice.set(Some(what.to_owned()));
            return;
        };
        let _ = use_event_listener(worker.clone(), ev::message, move |event| self.receive(&event));
        let _ = use_event_listener(worker.clone(), ev::error, move |event| {
            event.prevent_default();
            self.restart(StopReason::of(&event.message()).sentence(), true);
        });
        self.connection.try_update_value(|connection| connection.attach(worker));
    }
}

fn payload<T: Payload>(answer: Result<EngineReply, AskError>) -> Result<T, AskError> {
    Ok(T::try_from(answer?.0)?)
}

/// What is done with an answer, and the answer to be waited for.
fn waiting<T: 'static>() -> (Then<T>, impl Future<Output = Result<T, AskError>>) {
    let (sender, receiver) = oneshot::channel();
    let then = move |answer| {
        // Whoever waits may be gone.
        let _ = sender.send(answer);
    };
    (Box::new(then), async { receiver.await.unwrap_or(Err(AskError::Cancelled)) })
}

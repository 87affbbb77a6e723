//! The page's side of the engine: sends requests, matches replies, and starts the engine again when it dies.
//!
//! The page keeps the file handles (not their bytes), so that a new engine can read everything again; the file that
//! the old one died of is left out and named.

use std::fmt;

use js_sys::{Array, Float64Array, Uint8Array};
use wasm_bindgen::JsCast;
use web_sys::{File, MessageEvent, Worker};

use super::dom::{later, listen};
use super::reactive::{Derived, State, untrack};
use super::worker_url::{site_url, spawn_engine};
use crate::engine::messages::{Envelope, Event, Fault, Progress, Reply, Request, RunList, ServerQuery};

/// The sample project, beside the page.
const SAMPLE: &str = "sample.tar.gz";
/// A cancelled engine that does not answer within this time is stopped and started again.
const CANCEL_PATIENCE_MS: i32 = 2_000;
/// Engines that may die of what the user added last before the page gives up on it.
const RESTARTS: u32 = 8;

/// A reply and the arrays that it names.
pub type Answer = (Reply, Vec<Vec<f64>>);

/// What is done with the reply. Functions, not futures: each place that awaits costs the page a kilobyte.
type Then<T> = Box<dyn FnOnce(Result<T, AskError>)>;

/// Why there is no reply, for the user.
#[derive(Debug, Clone, PartialEq)]
pub enum AskError {
    /// The user stopped it.
    Cancelled,
    /// What went wrong and what to do.
    Failed(String),
}

impl fmt::Display for AskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Cancelled => out.write_str("Stopped."),
            AskError::Failed(what) => out.write_str(what),
        }
    }
}

impl From<Fault> for AskError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Cancelled => AskError::Cancelled,
            Fault::NoSuchRun => AskError::Failed("That run is no longer loaded.".to_owned()),
            Fault::BadMessage => AskError::Failed(Fault::BAD_MESSAGE.to_owned()),
            Fault::Failed(what) => AskError::Failed(what),
        }
    }
}

/// The engine, as the page sees it. Copies are the same engine.
#[derive(Clone, Copy)]
pub struct Engine {
    link: State<Link>,
    progress: State<Option<Progress>>,
    notice: State<Option<String>>,
    generation: State<u32>,
}

impl Engine {
    /// Starts the engine. Call it once, at the root.
    pub fn started() -> Self {
        let engine = Self {
            link: State::new(Link::default()),
            progress: State::new(None),
            notice: State::new(None),
            generation: State::new(0),
        };
        engine.start();
        engine
    }

    /// Asks; `then` gets the reply.
    pub fn ask(self, request: Request, then: impl FnOnce(Result<Answer, AskError>) + 'static) {
        let id = self.new_id();
        self.send(id, request, Vec::new(), Box::new(then));
    }

    /// Adds files; [`Engine::progress`] says how far it is.
    pub fn add_files(self, files: Vec<(String, File)>, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.add(Source::Files(files), Box::new(then));
    }

    /// Adds the sample project.
    pub fn add_sample(self, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.add(Source::Sample, Box::new(then));
    }

    /// Fetches runs that a server offered.
    pub fn add_fetched(
        self,
        query: ServerQuery,
        runs: Vec<String>,
        then: impl FnOnce(Result<RunList, AskError>) + 'static,
    ) {
        self.add(Source::Server(query, runs), Box::new(then));
    }

    /// Fetches what is left of a run on its server.
    pub fn fetch_rest(self, run: u32, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        // No batch: after a restart the run comes as it was first asked for.
        self.read(0, Request::FetchRest { run }, Vec::new(), Box::new(then));
    }

    /// Looks again at the fetched runs that were still going.
    pub fn poll(self, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.ask(Request::Poll, move |answer| then(run_list(answer)));
    }

    /// Reads everything once more, with a file taken for another format; an empty one is the engine's own choice.
    pub fn take_for(self, path: String, format: String) {
        let life = self.link.quietly(|link| {
            link.formats.retain(|(known, _)| *known != path);
            if !format.is_empty() {
                link.formats.push((path, format));
            }
            link.life
        });
        self.ask(Request::Clear, move |_| self.read_again(life.unwrap_or_default(), 0));
    }

    /// Forgets all runs and files.
    pub fn clear(self, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.link.quietly(|link| link.batches.clear());
        self.ask(Request::Clear, move |answer| then(run_list(answer)));
    }

    /// Judges all runs by these settings, and those that come, in this engine and the next.
    pub fn apply(self, settings: String, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.ask(Request::Set { settings: settings.clone() }, move |answer| {
            let list = run_list(answer);
            if list.is_ok() {
                self.link.quietly(|link| link.settings = settings);
            }
            then(list);
        });
    }

    /// The run list as it stands.
    pub fn list(self, then: impl FnOnce(Result<RunList, AskError>) + 'static) {
        self.ask(Request::ListRuns, move |answer| then(run_list(answer)));
    }

    /// How far the reading is; `None` when nothing is being read.
    pub fn progress(self) -> Derived<Option<Progress>> {
        self.progress.read_only()
    }

    /// Stops the reading under way. What was read by then stays for as long as this engine lives; a restarted one does
    /// not read it again.
    pub fn cancel(self) {
        let Some(Reading { request, batch }) = self.link.quietly(|link| link.reading).flatten() else { return };
        self.link.quietly(|link| link.batches.retain(|known| known.id != batch));
        self.ask(Request::Cancel { id: request }, |_| {});
        later(CANCEL_PATIENCE_MS, move || {
            if self.link.quietly(|link| link.is_pending(request)) == Some(true) {
                self.restart("The engine did not stop in time and was started again.", false);
            }
        });
    }

    /// Something that the user should know about the engine.
    pub fn notice(self) -> Derived<Option<String>> {
        self.notice.read_only()
    }

    /// Grows when a restarted engine has read everything again: views ask again.
    pub fn generation(self) -> Derived<u32> {
        self.generation.read_only()
    }

    fn add(self, source: Source, then: Then<RunList>) {
        let batch = self.link.quietly(|link| link.keep(source));
        if let Some(batch) = batch {
            self.read_batch(batch, then);
        }
    }

    fn read_batch(self, batch: Batch, then: Then<RunList>) {
        match batch.source {
            Source::Files(files) => {
                let (paths, handles) = files.into_iter().unzip();
                self.read(batch.id, Request::AddFiles { paths, formats: self.formats() }, handles, then);
            }
            Source::Server(query, runs) => {
                self.read(batch.id, Request::Fetch { query, runs }, Vec::new(), then);
            }
            Source::Sample => match site_url(SAMPLE) {
                Ok(url) => self.read(batch.id, Request::AddFromSite { url }, Vec::new(), then),
                Err(_) => {
                    then(Err(AskError::Failed("The address of the sample project could not be made.".to_owned())));
                }
            },
        }
    }

    fn read(self, batch: u32, request: Request, files: Vec<File>, then: Then<RunList>) {
        self.progress.set(Some(Progress::default()));
        let id = self.new_id();
        self.link.quietly(|link| link.reading = Some(Reading { request: id, batch }));
        let done = move |answer| {
            let is_last = self.link.quietly(|link| {
                // A later reading may have begun: then it is the one under way.
                let is_last = link.reading.is_none_or(|reading| reading.request == id);
                if is_last {
                    link.reading = None;
                }
                is_last
            });
            if is_last == Some(true) {
                self.progress.set(None);
            }
            then(run_list(answer));
        };
        self.send(id, request, files, Box::new(done));
    }

    fn formats(self) -> Vec<(String, String)> {
        self.link.quietly(|link| link.formats.clone()).unwrap_or_default()
    }

    fn new_id(self) -> u32 {
        self.link.quietly(Link::new_id).unwrap_or_default()
    }

    fn send(self, id: u32, request: Request, files: Vec<File>, then: Then<Answer>) {
        let refused = self.link.quietly(|link| {
            link.pending.push((id, then));
            link.post(id, request, files)
        });
        if let Some(then) = refused.flatten() {
            untrack(|| refuse(then));
        }
    }

    /// Starts a worker and listens to it.
    fn start(self) {
        let Ok(worker) = spawn_engine() else {
            let what = "The engine could not be started: this browser blocks web workers on this page.";
            self.notice.set(Some(what.to_owned()));
            return;
        };
        listen(worker.as_ref(), "message", Box::new(move |event| self.receive(event.unchecked_ref())));
        listen(
            &worker,
            "error",
            Box::new(move |event| {
                event.prevent_default();
                self.restart("The engine stopped unexpectedly and was started again.", true);
            }),
        );
        self.link.quietly(|link| link.worker = Some(worker));
    }

    fn receive(self, event: &MessageEvent) {
        let parts = Array::from(&event.data());
        let bytes = Uint8Array::new(&parts.get(0)).to_vec();
        let Some(event) = Event::from_bytes(&bytes) else { return };
        match event {
            Event::Ready => {
                for then in self.link.quietly(Link::ready).unwrap_or_default() {
                    refuse(then);
                }
            }
            Event::Progress { id, progress } => {
                let reading = self.link.quietly(|link| link.reading).flatten();
                if reading.is_some_and(|reading| reading.request == id) {
                    self.progress.set(Some(progress));
                }
            }
            Event::Reply { id, reply } => {
                let numbers = Array::from(&parts.get(1));
                let arrays = numbers.iter().map(|array| Float64Array::new(&array).to_vec()).collect();
                if let Some(then) = self.link.quietly(|link| link.take_pending(id)).flatten() {
                    then(reply.map(|reply| (reply, arrays)).map_err(AskError::from));
                }
            }
        }
    }

    /// Replaces a dead engine by a new one that reads everything again, but for the file that the old one died of.
    fn restart(self, why: &str, died: bool) {
        let culprit = self.progress.get_untracked().map(|progress| progress.doing);
        let culprit = culprit.filter(|path| !path.is_empty());
        let stopped = self.link.quietly(|link| link.stop(culprit.as_deref(), died));
        let Some(Stopped { pending, left_out, deaths, life }) = stopped else { return };
        self.progress.set(None);
        let mut notice = why.to_owned();
        if let Some(path) = culprit.filter(|_| left_out) {
            notice = format!("{notice} It was reading {path}, which is now left out.");
        }
        for (_, then) in pending {
            then(Err(AskError::Failed(notice.clone())));
        }
        if deaths > RESTARTS {
            self.notice.set(Some(format!("{notice} It stopped too often: reload the page and add fewer files.")));
            return;
        }
        self.notice.set(Some(notice));
        self.start();
        let settings = self.link.quietly(|link| link.settings.clone()).unwrap_or_default();
        if !settings.is_empty() {
            self.apply(settings, |_| {});
        }
        self.read_again(life, 0);
    }

    /// Reads what the user added once more, batch after batch behind the one named, so that each run gets the number
    /// that it had. A batch that fails or is cancelled costs itself alone; an engine that dies meanwhile starts over.
    fn read_again(self, life: u32, after: u32) {
        if self.link.quietly(|link| link.life) != Some(life) {
            return;
        }
        match self.link.quietly(|link| link.batches.iter().find(|batch| batch.id > after).cloned()).flatten() {
            Some(batch) => {
                let id = batch.id;
                self.read_batch(batch, Box::new(move |_| self.read_again(life, id)));
            }
            None => self.generation.update(|generation| *generation += 1),
        }
    }
}

/// What was added at once, numbered in order from 1.
#[derive(Clone)]
struct Batch {
    id: u32,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Files(Vec<(String, File)>),
    Server(ServerQuery, Vec<String>),
    Sample,
}

/// The request that is reading, and the batch that it reads.
#[derive(Clone, Copy)]
struct Reading {
    request: u32,
    batch: u32,
}

/// What belongs to one worker, and what outlives it.
#[derive(Default)]
struct Link {
    worker: Option<Worker>,
    /// A message that reaches a worker before it listens is lost, so messages wait for [`Event::Ready`].
    listening: bool,
    waiting: Vec<(u32, Request, Vec<File>)>,
    last_id: u32,
    pending: Vec<(u32, Then<Answer>)>,
    reading: Option<Reading>,
    /// What the user added, in order.
    batches: Vec<Batch>,
    last_batch: u32,
    /// What the user takes files for, by path.
    formats: Vec<(String, String)>,
    /// What the user set.
    settings: String,
    /// Grows with each engine that is stopped.
    life: u32,
    deaths: u32,
}

/// What a worker leaves behind.
struct Stopped {
    pending: Vec<(u32, Then<Answer>)>,
    left_out: bool,
    deaths: u32,
    life: u32,
}

impl Link {
    /// Remembers what the user added, for the next engine.
    fn keep(&mut self, source: Source) -> Batch {
        self.last_batch += 1;
        self.deaths = 0;
        let batch = Batch { id: self.last_batch, source };
        self.batches.push(batch.clone());
        batch
    }

    fn new_id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    fn is_pending(&self, id: u32) -> bool {
        self.pending.iter().any(|(waiting, _)| *waiting == id)
    }

    fn take_pending(&mut self, id: u32) -> Option<Then<Answer>> {
        let place = self.pending.iter().position(|(waiting, _)| *waiting == id)?;
        Some(self.pending.swap_remove(place).1)
    }

    /// Posts what waited; what was to be done with the replies that will not come.
    fn ready(&mut self) -> Vec<Then<Answer>> {
        self.listening = true;
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().filter_map(|(id, request, files)| self.post(id, request, files)).collect()
    }

    /// Posts a request; what was to be done with its reply when that is impossible.
    fn post(&mut self, id: u32, request: Request, files: Vec<File>) -> Option<Then<Answer>> {
        if self.worker.is_some() && !self.listening {
            self.waiting.push((id, request, files));
            return None;
        }
        let posted = self.worker.as_ref().and_then(|worker| {
            let bytes = postcard::to_allocvec(&Envelope { id, request }).ok()?;
            let bytes = Uint8Array::from(bytes.as_slice());
            let handles: Array = files.iter().collect();
            worker.post_message(&Array::of2(&bytes, &handles)).ok()
        });
        if posted.is_some() { None } else { self.take_pending(id) }
    }

    fn stop(&mut self, culprit: Option<&str>, died: bool) -> Stopped {
        if let Some(worker) = self.worker.take() {
            worker.terminate();
        }
        self.listening = false;
        self.waiting.clear();
        self.reading = None;
        self.deaths += u32::from(died);
        let mut left_out = false;
        for batch in &mut self.batches {
            let Source::Files(files) = &mut batch.source else { continue };
            let before = files.len();
            files.retain(|(name, _)| culprit != Some(name));
            left_out |= files.len() < before;
        }
        self.life += 1;
        Stopped { pending: std::mem::take(&mut self.pending), left_out, deaths: self.deaths, life: self.life }
    }
}

fn refuse(then: Then<Answer>) {
    then(Err(AskError::Failed("The engine is not running: reload the page.".to_owned())));
}

fn run_list(answer: Result<Answer, AskError>) -> Result<RunList, AskError> {
    match answer? {
        (Reply::Runs(list), _) => Ok(list),
        _ => Err(AskError::Failed("The engine answered something else: reload the page.".to_owned())),
    }
}

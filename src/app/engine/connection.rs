//! The connection to one worker: requests that wait for answers, and what the user added, which outlives the worker.

use std::collections::BTreeMap;
use std::fmt;

use js_sys::{Array, Uint8Array};
use web_sys::Worker;

use super::recovery::{Culprit, WorkLog};
use crate::app::browser::added_file::AddedFile;
use crate::app::browser::folder_walk::NamedFile;
use rundown_protocol::{
    Envelope, Fault, FormatChoice, Reply, Request, RunIdentity, ServerQuery, UnexpectedReply, encode,
};

/// A reply and the arrays that it names.
pub type EngineReply = (Reply, Vec<Vec<f64>>);

/// What is done with the reply.
pub type Then<T> = Box<dyn FnOnce(Result<T, AskError>)>;

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

impl From<UnexpectedReply> for AskError {
    fn from(unexpected: UnexpectedReply) -> Self {
        AskError::Failed(unexpected.to_string())
    }
}

impl From<Fault> for AskError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Cancelled => AskError::Cancelled,
            fault => AskError::Failed(fault.to_string()),
        }
    }
}

/// What was added at once, numbered in order from 1.
#[derive(Clone)]
pub struct Batch {
    /// Its number.
    pub id: u32,
    /// What was added.
    pub source: Source,
}

/// Where runs come from.
#[derive(Clone)]
pub enum Source {
    /// Files with their paths.
    Files(Vec<NamedFile>),
    /// Runs of a server, by their ids there.
    Server(ServerQuery, Vec<String>),
    /// The sample project.
    Sample,
    /// Nothing: the runs with these ids were removed then.
    Removed(Vec<String>),
}

/// A request that is reading, and the batch that it reads.
#[derive(Clone, Copy)]
pub struct ActiveRead {
    /// The request.
    pub request: u32,
    /// The batch; 0 for none.
    pub batch: u32,
}

/// What an earlier engine crashed on.
#[derive(Clone, Default)]
pub struct Exclusions {
    /// Files that are not read again.
    pub files: Vec<String>,
    /// Runs that are not diagnosed again.
    pub runs: Vec<RunIdentity>,
    /// Questions that are not asked again until something is added.
    questions: Vec<Request>,
}

/// Contents of files beside a message: handles, lists of arrays of bytes whose buffers are transferred, or null for a file that
/// could not be opened.
#[derive(Default)]
pub struct Contents {
    /// One for each file.
    pub values: Array,
    /// The buffers among them.
    pub transferred: Array,
}

/// What belongs to one worker, and what outlives it.
#[derive(Default)]
pub struct Connection {
    worker: Option<Worker>,
    /// Requests wait until the worker says that it is up, and of which version.
    is_listening: bool,
    waiting: Vec<(u32, Request)>,
    last_id: u32,
    pending: Vec<Pending>,
    /// The files of each request until the engine says which of them it needs.
    pub offered: BTreeMap<u32, Vec<AddedFile>>,
    /// The requests that are reading, oldest first.
    pub reads: Vec<ActiveRead>,
    /// What the engine is at.
    pub work: WorkLog,
    batches: Vec<Batch>,
    /// What was forgotten last, for one restoring.
    forgotten: (Vec<Batch>, Exclusions),
    last_batch: u32,
    /// Formats that the user chose for files, by path.
    pub formats: Vec<(String, FormatChoice)>,
    /// Settings that the user applied.
    pub settings: String,
    /// What the next engine leaves out.
    pub excluded: Exclusions,
    /// Number of the present worker: grows with each that is stopped.
    pub worker_number: u32,
    crashes: u32,
    /// An engine has crashed since the page was opened: the ones after it name each file and run before work on it begins.
    pub names_each: bool,
}

/// A request without its answer.
struct Pending {
    id: u32,
    /// Kept of questions, which may be the one that an engine crashes on.
    question: Option<Request>,
    then: Then<EngineReply>,
}

/// What a worker leaves behind.
pub struct Stopped {
    /// What was to be done with the replies that will not come.
    pub pending: Vec<Then<EngineReply>>,
    /// What the engine crashed on.
    pub culprit: Culprit,
    /// Crashes since the user last added something.
    pub crashes: u32,
    /// Number of the next worker.
    pub worker_number: u32,
}

impl Connection {
    /// Takes over a new worker.
    pub fn attach(&mut self, worker: Worker) {
        self.worker = Some(worker);
    }

    /// Adds what the user added to the batches, which are for this engine and the next.
    pub fn add_batch(&mut self, source: Source) -> Batch {
        self.last_batch += 1;
        self.crashes = 0;
        self.excluded.questions.clear();
        let batch = Batch { id: self.last_batch, source };
        self.batches.push(batch.clone());
        batch
    }

    /// Forgets one batch.
    pub fn forget(&mut self, batch: u32) {
        self.batches.retain(|kept| kept.id != batch);
    }

    /// Forgets everything that was added, until it is restored or something else is forgotten.
    pub fn forget_all(&mut self) {
        if !self.batches.is_empty() {
            self.forgotten = (std::mem::take(&mut self.batches), std::mem::take(&mut self.excluded));
        }
    }

    /// Brings back what was forgotten last, before what was added since.
    pub fn restore(&mut self) {
        let (batches, excluded) = std::mem::take(&mut self.forgotten);
        self.batches.splice(0..0, batches);
        self.excluded.files.extend(excluded.files);
        self.excluded.runs.extend(excluded.runs);
        self.excluded.questions.extend(excluded.questions);
    }

    /// Takes back that a run was removed.
    pub fn restore_run(&mut self, id: &str) {
        for batch in &mut self.batches {
            if let Source::Removed(ids) = &mut batch.source {
                ids.retain(|removed| removed != id);
            }
        }
        self.batches.retain(|batch| !matches!(&batch.source, Source::Removed(ids) if ids.is_empty()));
    }

    /// Forgets files of earlier batches that come again with other content.
    pub fn supersede(&mut self, files: &[NamedFile]) {
        for batch in &mut self.batches {
            if let Source::Files(kept) = &mut batch.source {
                kept.retain(|(path, _)| !files.iter().any(|(changed, _)| changed == path));
            }
        }
        self.batches.retain(|batch| !matches!(&batch.source, Source::Files(files) if files.is_empty()));
    }

    /// What was added, in order.
    pub fn sources(&self) -> Vec<Source> {
        self.batches.iter().map(|batch| batch.source.clone()).collect()
    }

    /// The first batch behind the one of this number.
    pub fn batch_after(&self, id: u32) -> Option<Batch> {
        self.batches.iter().find(|batch| batch.id > id).cloned()
    }

    /// A number for a request.
    pub fn new_id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    /// True while this request has no answer.
    pub fn is_pending(&self, id: u32) -> bool {
        self.pending.iter().any(|pending| pending.id == id)
    }

    /// True for a question that an engine crashed on.
    pub fn is_excluded(&self, question: &Request) -> bool {
        self.excluded.questions.contains(question)
    }

    /// Posts a request, now or once the worker is up. Gives back `then` where that is impossible.
    pub fn send(&mut self, id: u32, request: Request, then: Then<EngineReply>) -> Option<Then<EngineReply>> {
        let question = request.is_question().then(|| request.clone());
        self.pending.push(Pending { id, question, then });
        self.post(id, request, Contents::default())
    }

    /// True while a worker is on its way up: what is posted to it has to wait.
    fn is_starting(&self) -> bool {
        self.worker.is_some() && !self.is_listening
    }

    /// True while files of the user's are kept.
    pub fn has_files(&self) -> bool {
        self.batches.iter().any(|batch| matches!(batch.source, Source::Files(_)))
    }

    /// True while the worker is up and a request has no answer.
    pub fn has_pending(&self) -> bool {
        self.is_listening && !self.pending.is_empty()
    }

    /// Takes out what is to be done with the answer to a request.
    pub fn take_pending(&mut self, id: u32) -> Option<Then<EngineReply>> {
        self.work.end(id);
        let index = self.pending.iter().position(|pending| pending.id == id)?;
        Some(self.pending.remove(index).then)
    }

    /// Posts what waited; gives back what was to be done with replies that will not come.
    pub fn ready(&mut self) -> Vec<Then<EngineReply>> {
        self.is_listening = true;
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().filter_map(|(id, request)| self.post(id, request, Contents::default())).collect()
    }

    /// Ends the worker. What it crashed on is left out from now on, if that is known; nothing is of one that was stopped on
    /// purpose.
    pub fn stop(&mut self, has_crashed: bool) -> Stopped {
        if let Some(worker) = self.worker.take() {
            worker.terminate();
        }
        let culprit = if has_crashed && self.is_listening { self.culprit() } else { Culprit::Unknown };
        self.exclude(&culprit);
        self.is_listening = false;
        self.waiting.clear();
        self.offered.clear();
        self.reads.clear();
        self.work = WorkLog::default();
        self.crashes += u32::from(has_crashed);
        self.names_each |= has_crashed;
        self.worker_number += 1;
        let pending = std::mem::take(&mut self.pending).into_iter().map(|pending| pending.then).collect();
        Stopped { pending, culprit, crashes: self.crashes, worker_number: self.worker_number }
    }

    fn culprit(&self) -> Culprit {
        let oldest = self.pending.iter().find(|pending| pending.question.is_some()).map(|pending| pending.id);
        let culprit = self.work.culprit(|request| self.batch_of(request) != 0, oldest);
        // The first engine names a file or a run now and then, so that it may be at a later one.
        let is_known = self.names_each || !matches!(culprit, Culprit::File(_) | Culprit::Run(..));
        if is_known { culprit } else { Culprit::Unknown }
    }

    /// The batch that a request reads; 0 for none.
    fn batch_of(&self, request: u32) -> u32 {
        self.reads.iter().find(|read| read.request == request).map_or(0, |read| read.batch)
    }

    fn exclude(&mut self, culprit: &Culprit) {
        match culprit {
            Culprit::File(path) => {
                self.excluded.files.push(path.clone());
                for batch in &mut self.batches {
                    if let Source::Files(files) = &mut batch.source {
                        files.retain(|(name, _)| name != path);
                    }
                }
                // The sample is one file, which has no handle here.
                let read = self.work.last().map_or(0, |request| self.batch_of(request));
                self.batches.retain(|batch| batch.id != read || !matches!(batch.source, Source::Sample));
            }
            Culprit::ServerRuns(ids) => {
                for batch in &mut self.batches {
                    if let Source::Server(_, runs) = &mut batch.source {
                        runs.retain(|run| !ids.contains(run));
                    }
                }
            }
            Culprit::Run(run, _) => self.excluded.runs.push(run.clone()),
            Culprit::Added(request) => self.forget(self.batch_of(*request)),
            Culprit::Question(id) => {
                let asked = self.pending.iter().find(|pending| pending.id == *id);
                self.excluded.questions.extend(asked.and_then(|pending| pending.question.clone()));
            }
            Culprit::Unknown => {}
        }
    }

    /// Posts a request; gives back what was to be done with its reply when that is impossible. Contents of files go beside
    /// it, for which the worker has asked, and so is up.
    pub fn post(&mut self, id: u32, request: Request, contents: Contents) -> Option<Then<EngineReply>> {
        if self.is_starting() {
            self.waiting.push((id, request));
            return None;
        }
        let posted = self.worker.as_ref().and_then(|worker| {
            let bytes = Uint8Array::from(encode(&Envelope { id, request }).ok()?.as_slice());
            let message = Array::of2(&bytes, &contents.values);
            worker.post_message_with_transfer(&message, &contents.transferred).ok()
        });
        if posted.is_some() { None } else { self.take_pending(id) }
    }
}

/// Refuses a request that no engine takes.
pub fn refuse(then: Then<EngineReply>) {
    then(Err(AskError::Failed("The engine is not running: reload the page.".to_owned())));
}

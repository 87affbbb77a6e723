//! Reading dropped files in slices: the next slice is on its way while one is parsed.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

use super::sources::Foreign;
use super::{Shared, post, verdicts};
use crate::engine::messages::{Fault, Listing, Progress};
use crate::ingest::{self, FileOutcome, Intake, OpenFile, Place, Problem, Weight};

/// Bytes a slice: large enough that the cost of a slice vanishes, small enough to hold two.
const SLICE_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// Milliseconds between two progress events.
const PROGRESS_MS: f64 = 60.0;
/// Milliseconds of diagnosis before the worker looks for messages.
const BREATH_MS: f64 = 25.0;

/// Reads files whose handles are `File` objects, one for each path, and answers request `id`.
pub async fn add_files(shared: Shared, id: u32, paths: Vec<String>, formats: Vec<(String, String)>, handles: Array) {
    let files: Vec<(String, Blob)> = paths
        .into_iter()
        .zip(handles.iter())
        .filter_map(|(path, handle)| Some((path, handle.dyn_into::<Blob>().ok()?)))
        .collect();
    read_all(shared, id, &files, &formats).await;
}

/// Fetches a file of this site and reads it as if it had been dropped.
pub async fn add_from_site(shared: Shared, id: u32, url: String) {
    let content = match fetch(&url).await {
        Ok(content) => content,
        Err(what) => return post::reply(id, Err(Fault::Failed(what)), Vec::new()),
    };
    let name = url.rsplit('/').next().unwrap_or(&url).split('?').next().unwrap_or_default().to_owned();
    read_all(shared, id, &[(name, content)], &[]).await;
}

/// Reads contents of files one after the other, and answers request `id`.
async fn read_all(shared: Shared, id: u32, files: &[(String, Blob)], formats: &[(String, String)]) {
    let mut meter = Meter::new(id, files.iter().map(|(_, content)| content.size() as u64));
    let mut intake = Intake::default();
    for (path, content) in files {
        let told = formats.iter().find(|(known, _)| known == path).map_or("", |(_, format)| format.as_str());
        match read_file(&shared, id, (path, told), content, &mut meter).await {
            Ok(outcome) => {
                shared.engine.borrow_mut().note_files([(path.clone(), outcome.taken_for)]);
                intake.add(outcome);
            }
            Err(Stopped) => break,
        }
        meter.end();
    }
    finish(shared, id, intake, meter, String::new()).await;
}

struct Stopped;

async fn read_file(
    shared: &Shared,
    id: u32,
    (path, told): (&str, &str),
    content: &Blob,
    meter: &mut Meter,
) -> Result<FileOutcome, Stopped> {
    if told.is_empty() {
        let before = meter.progress.bytes_done;
        let here = Reader::Here(Box::new(ingest::open(path, content.size() as u64)));
        let outcome = read_with(here, shared, id, path, content, meter).await?;
        if !outcome.is_elsewhere {
            return Ok(outcome);
        }
        meter.progress.bytes_done = before;
    }
    match Reader::elsewhere(shared, path, content.size(), told).await {
        Ok(reader) => read_with(reader, shared, id, path, content, meter).await,
        Err(outcome) => Ok(*outcome),
    }
}

/// Pushes a file through a reader, slice by slice.
async fn read_with(
    mut reader: Reader,
    shared: &Shared,
    id: u32,
    path: &str,
    content: &Blob,
    meter: &mut Meter,
) -> Result<FileOutcome, Stopped> {
    let size = content.size();
    if !reader.wants_bytes() {
        meter.advance(size as u64);
        return Ok(reader.finish(shared, path));
    }
    meter.begin(path);
    let mut at = 0.0;
    let mut next = slice(content, at, size);
    while let Some(promise) = next.take() {
        let arrived = JsFuture::from(promise).await;
        if shared.was_cancelled(id) {
            meter.cancelled = true;
            return Err(Stopped);
        }
        let Ok(buffer) = arrived else {
            let mut outcome = reader.finish(shared, path);
            outcome.problems.push(unreadable(path, at));
            return Ok(outcome);
        };
        if !reader.wants_bytes() {
            meter.advance((size - at) as u64);
            break;
        }
        at += SLICE_BYTES;
        next = slice(content, at, size);
        let bytes = Uint8Array::new(&buffer);
        meter.advance(u64::from(bytes.length()));
        reader.push(&bytes);
    }
    Ok(reader.finish(shared, path))
}

/// Who reads a file: this program, or the helper.
enum Reader {
    Here(Box<OpenFile>),
    There(Foreign),
    /// The helper broke down.
    Broken,
}

impl Reader {
    /// A reader in the helper program, which is loaded if it is not there yet; else what to say of the file.
    async fn elsewhere(shared: &Shared, path: &str, size: f64, told: &str) -> Result<Self, Box<FileOutcome>> {
        let Ok(sources) = shared.helper().await else {
            let what = "The reader for this format could not be loaded from this site.";
            return Err(lost(path, what, "Check the connection and drop the file again."));
        };
        Ok(Foreign::open(&sources, path, size, told).map_or(Reader::Broken, Reader::There))
    }

    fn wants_bytes(&self) -> bool {
        match self {
            Reader::Here(open) => open.wants_bytes(),
            Reader::There(foreign) => foreign.wants_bytes().unwrap_or(false),
            Reader::Broken => false,
        }
    }

    fn push(&mut self, bytes: &Uint8Array) {
        match self {
            Reader::Here(open) => open.push(&bytes.to_vec()),
            Reader::There(foreign) => {
                if foreign.push(bytes).is_err() {
                    *self = Reader::Broken;
                }
            }
            Reader::Broken => {}
        }
    }

    fn finish(self, shared: &Shared, path: &str) -> FileOutcome {
        let outcome = match self {
            Reader::Here(open) => return open.finish(),
            Reader::There(foreign) => foreign.finish().ok(),
            Reader::Broken => None,
        };
        outcome.unwrap_or_else(|| {
            // What broke down once is not to be trusted: the next file gets a new one.
            *shared.sources.borrow_mut() = None;
            let what = "The reader for this format broke down on this file.";
            *lost(path, what, "Please report it: no file should do that.")
        })
    }
}

fn lost(path: &str, what: &str, remedy: &str) -> Box<FileOutcome> {
    let problem = Problem::new(path, Place::File, Weight::Lost, what, remedy);
    Box::new(FileOutcome { problems: vec![problem], ..FileOutcome::default() })
}

fn unreadable(path: &str, at: f64) -> Problem {
    Problem {
        file: path.to_owned(),
        place: Place::Byte(at as u64),
        weight: Weight::Partial,
        what: "The browser could not read the file from here on: it was changed, moved or locked.".to_owned(),
        remedy: "Drop it again.".to_owned(),
    }
}

/// Starts reading the bytes from `at`; `None` past the end.
fn slice(content: &Blob, at: f64, size: f64) -> Option<Promise> {
    if at >= size {
        return None;
    }
    let part = content.slice_with_f64_and_f64(at, (at + SLICE_BYTES).min(size)).ok()?;
    Some(part.array_buffer())
}

/// Joins the pieces, diagnoses run after run, and answers. A `fault` is what went wrong on the way to what came.
pub async fn finish(shared: Shared, id: u32, intake: Intake, mut meter: Meter, fault: String) {
    shared.engine.borrow_mut().take_in(intake, meter.progress.files_done, meter.progress.bytes_done);
    let read_at = now_ms();
    let mut since = read_at;
    let judge = shared.judged(async |name: &str| {
        if now_ms() - since > BREATH_MS {
            meter.say(name);
            breathe().await;
            if shared.was_cancelled(id) {
                meter.cancelled = true;
            }
            since = now_ms();
        }
    });
    let judge = judge.await;
    if meter.cancelled {
        return post::reply(id, Err(Fault::Cancelled), Vec::new());
    }
    let (read_ms, diagnose_ms) = (read_at - meter.started_at, now_ms() - read_at);
    let listing = Listing { read_ms, diagnose_ms, fault, ..shared.engine.borrow().listing() };
    verdicts::answer(id, judge.and_then(|judge| shared.listed(&judge, &listing)));
}

/// Lets the worker take waiting messages.
async fn breathe() {
    let promise = Promise::new(&mut |resolve, _| {
        let _ = post::scope().set_timeout_with_callback(&resolve);
    });
    let _ = JsFuture::from(promise).await;
}

async fn fetch(url: &str) -> Result<Blob, String> {
    let failed = || format!("{url} could not be fetched: check the connection and try again.");
    let response = JsFuture::from(post::scope().fetch_with_str(url)).await.map_err(|_| failed())?;
    let response: Response = response.dyn_into().map_err(|_| failed())?;
    if !response.ok() {
        return Err(format!("{url} answered {}: the page may be incomplete on this server.", response.status()));
    }
    let body = response.blob().map_err(|_| failed())?;
    let content = JsFuture::from(body).await.map_err(|_| failed())?;
    content.dyn_into().map_err(|_| failed())
}

/// Counts bytes and files, and tells the page now and then.
pub struct Meter {
    id: u32,
    progress: Progress,
    started_at: f64,
    said_at: f64,
    /// The user stopped it.
    pub cancelled: bool,
}

impl Meter {
    /// A meter for request `id`, which reads files of these sizes in bytes.
    pub fn new(id: u32, sizes: impl ExactSizeIterator<Item = u64>) -> Self {
        let files_total = sizes.len() as u32;
        let progress = Progress { bytes_total: sizes.sum(), files_total, ..Progress::default() };
        Self { id, progress, started_at: now_ms(), said_at: f64::NEG_INFINITY, cancelled: false }
    }

    /// Names the file before it is read: should the engine die of it, the page knows which one to leave out.
    fn begin(&mut self, path: &str) {
        path.clone_into(&mut self.progress.doing);
        self.tell();
    }

    /// Counts bytes.
    pub fn advance(&mut self, bytes: u64) {
        self.progress.bytes_done += bytes;
        if now_ms() - self.said_at > PROGRESS_MS {
            self.tell();
        }
    }

    /// Counts a file.
    pub fn end(&mut self) {
        self.progress.files_done += 1;
    }

    fn say(&mut self, doing: &str) {
        doing.clone_into(&mut self.progress.doing);
        self.tell();
    }

    fn tell(&mut self) {
        self.said_at = now_ms();
        post::progress(self.id, self.progress.clone());
    }
}

fn now_ms() -> f64 {
    post::scope().performance().map_or(0.0, |clock| clock.now())
}

//! Reading dropped files as they arrive, chunk by chunk.

use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

use super::content::{FileContent, Unreadable};
use super::progress::{ListPace, ProgressMeter, now_ms, wait_for_messages};
use super::{Shared, StopRequested, heap, post};
use crate::session::{Reading, Session, planted};
use rundown_ingest::{self as ingest, FileOutcome, OpenFile, Place, Problem, RunAssembler, Weight};
use rundown_protocol::{Event, Fault, FormatChoice, Reply, RunList, Work};

/// Asks for the files whose content is needed, reads them as they arrive, and answers request `id`.
pub async fn add_files(shared: Shared, id: u32, paths: Vec<String>, formats: Vec<(String, FormatChoice)>) {
    let files = DroppedFiles::new(&paths, &formats);
    let wanted = files.wanted.iter().filter_map(|place| u32::try_from(*place).ok()).collect();
    post::event(&Event::Wanted { id, files: wanted }, Vec::new());
    read_all(&shared, id, files, Vec::new()).await;
}

/// Fetches a file of this site and reads it as if it had been dropped.
pub async fn add_from_site(shared: Shared, id: u32, url: String) {
    // A stop is noted from here on, and seen once the file has arrived.
    shared.arrived.borrow_mut().insert(id, Vec::new());
    let content = fetch(&url).await;
    let content = if shared.was_cancelled(id) { Err(Fault::Cancelled) } else { content };
    match content {
        Ok(content) => {
            let name = url.rsplit('/').next().unwrap_or(&url).split('?').next().unwrap_or(&url).to_owned();
            read_all(&shared, id, DroppedFiles::new(&[name], &[]), vec![FileContent::Handle(content)]).await;
        }
        Err(fault) => {
            shared.arrived.borrow_mut().remove(&id);
            post::answer(id, Err(fault), Vec::new());
        }
    }
}

/// Files that are added together.
struct DroppedFiles<'d> {
    paths: Vec<&'d str>,
    formats: &'d [(String, FormatChoice)],
    /// Places of the files whose content is needed, in the order in which they arrive.
    wanted: Vec<usize>,
    /// The files that have arrived and are not read yet, by place.
    contents: Vec<Option<FileContent>>,
    /// How many have arrived.
    arrived: usize,
}

impl<'d> DroppedFiles<'d> {
    #[inline(never)]
    fn new(paths: &'d [String], formats: &'d [(String, FormatChoice)]) -> Self {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let contents = paths.iter().map(|_| None).collect();
        let mut files = Self { paths, formats, wanted: Vec::new(), contents, arrived: 0 };
        let is_wanted = |path: &str| files.format(path).is_some() || ingest::open(path, 1).wants_bytes();
        files.wanted = (0..).zip(&files.paths).filter(|(_, path)| is_wanted(path)).map(|(place, _)| place).collect();
        files
    }

    /// The format that the user chose for a file; none for the engine's own choice.
    fn format(&self, path: &str) -> Option<FormatChoice> {
        self.formats.iter().find(|(known, _)| known == path).map(|(_, format)| *format)
    }
}

/// Reads files one after the other, and answers request `id`. Runs that are whole are diagnosed and listed meanwhile.
/// `arrived` are those of the wanted files that are here.
async fn read_all(shared: &Shared, id: u32, mut files: DroppedFiles<'_>, arrived: Vec<FileContent>) {
    heap::reserve();
    shared.readings.update(|readings| readings + 1);
    shared.arrived.borrow_mut().insert(id, arrived);
    let mut meter = ProgressMeter::new(id, files.paths.len());
    let mut reading = shared.session.borrow().begin_reading(id, &files.paths);
    let clears = shared.clears();
    let end = read_files(shared, id, &mut files, &mut reading, &mut meter).await;
    // Else what was read belongs to runs that were closed meanwhile.
    if !shared.was_closed(id, clears) {
        meter.begin(Work::Joining);
        shared.session.borrow_mut().end_reading(reading);
        diagnose_and_answer(shared, id, meter, end, String::new()).await;
    }
    shared.arrived.borrow_mut().remove(&id);
    shared.readings.update(|readings| readings.saturating_sub(1));
}

/// Reads the files of a drop as they arrive, until the last.
async fn read_files(
    shared: &Shared,
    id: u32,
    files: &mut DroppedFiles<'_>,
    reading: &mut Reading,
    meter: &mut ProgressMeter,
) -> Result<(), StopRequested> {
    let mut pace = ListPace::new();
    let mut since = now_ms();
    let unread = (0..files.paths.len()).filter(|place| files.wanted.binary_search(place).is_err());
    unread.for_each(|place| reading.note_arrival(place, 0));
    loop {
        shared.note_arrivals(id, files, reading, meter);
        let Some(place) = reading.next_file() else {
            if !reading.awaits_files() {
                return Ok(());
            }
            wait_for_messages().await;
            if shared.was_cancelled(id) {
                return Err(StopRequested);
            }
            continue;
        };
        let Some(path) = files.paths.get(place).copied() else { continue };
        let content = files.contents.get_mut(place).and_then(Option::take);
        let source = FileSource { path, format: files.format(path), content };
        let size = source.size();
        let outcome = read_file(shared, id, source, reading, meter, &mut pace).await?;
        shared.session.borrow_mut().note_file(path, size, &outcome);
        reading.add(place, outcome);
        meter.end_file();
        list_early(shared, id, reading, meter, &mut pace).await?;
        shared.yield_when_due(id, &mut since).await?;
    }
}

impl Shared {
    /// Takes files of a drop from the page. Those of a reading that has ended are let go.
    pub(super) fn take_files(&self, id: u32, contents: &Array) {
        if let Some(arrived) = self.arrived.borrow_mut().get_mut(&id) {
            arrived.extend(contents.iter().map(FileContent::of));
        }
    }

    /// Notes the files of a drop that arrived since the last call.
    #[inline(never)]
    fn note_arrivals(&self, id: u32, files: &mut DroppedFiles<'_>, reading: &mut Reading, meter: &mut ProgressMeter) {
        let arrived = self.arrived.borrow_mut().get_mut(&id).map(std::mem::take).unwrap_or_default();
        let places = files.wanted.get(files.arrived..).unwrap_or_default();
        for (place, content) in places.iter().zip(arrived) {
            let bytes = content.size();
            reading.note_arrival(*place, bytes);
            meter.expect(bytes, reading.awaits_files());
            if let Some(kept) = files.contents.get_mut(*place) {
                *kept = Some(content);
            }
            files.arrived += 1;
        }
    }
}

/// Diagnoses the runs that became whole with the last file, and sends the list so far now and then.
async fn list_early(
    shared: &Shared,
    id: u32,
    reading: &mut Reading,
    meter: &mut ProgressMeter,
    pace: &mut ListPace,
) -> Result<(), StopRequested> {
    let mut whole = shared.session.borrow_mut().add_whole_runs(reading);
    if whole.is_empty() {
        return Ok(());
    }
    shared.diagnose_pending(id, meter, |_| whole.pop()).await?;
    pace.note_runs();
    send_list(shared, id, pace);
    Ok(())
}

/// Sends the list so far, when it is time.
fn send_list(shared: &Shared, id: u32, pace: &mut ListPace) {
    pace.send(|| {
        let list = shared.session.borrow_mut().run_list();
        post::event(&Event::Runs { id, list }, Vec::new());
    });
}

/// A file that is to be read.
struct FileSource<'f> {
    path: &'f str,
    /// That the user chose; none for the engine's own choice.
    format: Option<FormatChoice>,
    /// `None` where it is not needed.
    content: Option<FileContent>,
}

impl FileSource<'_> {
    /// In bytes.
    fn size(&self) -> u64 {
        self.content.as_ref().map_or(0, FileContent::size)
    }
}

/// Pushes a file through its reader, chunk by chunk; lists the runs of those before it meanwhile.
async fn read_file(
    shared: &Shared,
    id: u32,
    source: FileSource<'_>,
    reading: &Reading,
    meter: &mut ProgressMeter,
    pace: &mut ListPace,
) -> Result<FileOutcome, StopRequested> {
    let size = source.size();
    let FileSource { path, format, content } = source;
    let mut file = shared.session.borrow_mut().open_file(reading.budget(), path, size, format);
    // A file that is gone or could not be opened has no size, as an empty one: only reading tells them apart.
    let Some(content) = content.filter(|_| file.wants_bytes() || size == 0) else {
        meter.advance(size);
        return Ok(file.finish());
    };
    meter.begin_one(Work::Reading { file: path.to_owned() }, shared.names_each.get());
    let mut at = 0;
    let mut since = now_ms();
    let mut chunks = content.into_chunks();
    loop {
        let arrived = chunks.next().await;
        if shared.was_cancelled(id) {
            return Err(StopRequested);
        }
        let bytes = match arrived {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(file.finish()),
            Err(Unreadable) => {
                // Of a file that gave nothing its reader would say that it is empty.
                let mut outcome = if at > 0 { file.finish() } else { FileOutcome::default() };
                outcome.problems.push(unreadable(path, at));
                return Ok(outcome);
            }
        };
        if !file.wants_bytes() {
            meter.advance(size.saturating_sub(at));
            return Ok(file.finish());
        }
        let length = u64::from(bytes.length());
        at += length;
        meter.advance(length);
        planted::panic_in_reader(path);
        file.begin(&bytes.to_vec());
        unpack(shared, id, &mut file, &mut since).await?;
        // A chunk that was there already lets no message in.
        shared.yield_when_due(id, &mut since).await?;
        // Runs of files before this one do not wait for its end.
        send_list(shared, id, pace);
    }
}

/// Reads what an archive was given, and takes messages meanwhile: a chunk may unpack to gigabytes.
async fn unpack(shared: &Shared, id: u32, file: &mut OpenFile, since: &mut f64) -> Result<(), StopRequested> {
    while file.work() {
        shared.yield_when_due(id, since).await?;
    }
    Ok(())
}

#[inline(never)]
fn unreadable(path: &str, at: u64) -> Problem {
    let part = if at > 0 { " from here on" } else { "" };
    Problem {
        file: path.to_owned(),
        place: Place::Byte(at),
        weight: if at > 0 { Weight::Partial } else { Weight::Lost },
        what: format!("The browser could not read the file{part}: it was changed, moved or locked."),
        remedy: "Drop it again.".to_owned(),
    }
}

/// Joins what was fetched, diagnoses run after run, and answers. `fault` is what went wrong on the way, for the user.
pub async fn finish(
    shared: &Shared,
    id: u32,
    assembler: RunAssembler,
    mut meter: ProgressMeter,
    end: Result<(), StopRequested>,
    fault: String,
) {
    meter.begin(Work::Joining);
    let (runs, bytes) = (meter.progress().files_done, meter.progress().bytes_done);
    shared.session.borrow_mut().add(assembler, runs, bytes);
    diagnose_and_answer(shared, id, meter, end, fault).await;
}

/// Diagnoses what waits for it, and answers with the list.
async fn diagnose_and_answer(
    shared: &Shared,
    id: u32,
    mut meter: ProgressMeter,
    end: Result<(), StopRequested>,
    fault: String,
) {
    let read_ms = meter.elapsed_ms();
    meter.count_runs(shared.session.borrow().diagnosed());
    let diagnosed = match end {
        Ok(()) => shared.diagnose_pending(id, &mut meter, Session::next_pending).await,
        Err(StopRequested) => Err(StopRequested),
    };
    let answer = match diagnosed {
        Err(StopRequested) => Err(Fault::Cancelled),
        Ok(()) => {
            meter.begin(Work::Answering);
            let list = shared.session.borrow_mut().run_list();
            Ok(Reply::Runs(RunList { read_ms, fault, ..list }))
        }
    };
    post::answer(id, answer, Vec::new());
}

/// A file of this site.
async fn fetch(url: &str) -> Result<Blob, Fault> {
    let failed = |status| Fault::SiteFile { url: url.to_owned(), status };
    let response = gloo_net::http::Request::get(url).send().await.map_err(|_| failed(None))?;
    if !response.ok() {
        return Err(failed(Some(response.status())));
    }
    let body = Response::from(response).blob().map_err(|_| failed(None))?;
    let content = JsFuture::from(body).await.map_err(|_| failed(None))?;
    content.dyn_into().map_err(|_| failed(None))
}

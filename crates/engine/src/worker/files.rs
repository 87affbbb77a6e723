//! Reading dropped files in slices: the next slice is on its way while one is parsed.

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

use super::progress::{ListPace, ProgressMeter, YIELD_MS, now_ms, yield_to_messages};
use super::read_ahead::ReadAhead;
use super::{NamedFile, Shared, StopRequested, post};
use crate::session::{Reading, Session, planted};
use rundown_ingest::{FileOutcome, OpenFile, Place, Problem, RunAssembler, Weight};
use rundown_protocol::{Event, Fault, Reply, RunList, Work};

/// Bytes a slice: large enough that the cost of a slice vanishes, small enough to hold two.
const SLICE_BYTES: f64 = 4.0 * 1024.0 * 1024.0;

/// Reads files, and answers request `id`.
pub async fn add_files(shared: Shared, id: u32, files: Vec<NamedFile>, formats: Vec<(String, String)>) {
    read_all(shared, id, &files, &formats).await;
}

/// Fetches a file of this site and reads it as if it had been dropped.
pub async fn add_from_site(shared: Shared, id: u32, url: String) {
    match fetch(&url).await {
        Ok(content) => {
            let name = url.rsplit('/').next().unwrap_or(&url).split('?').next().unwrap_or(&url).to_owned();
            read_all(shared, id, &[(name, content)], &[]).await;
        }
        Err(fault) => post::answer(id, Err(fault), Vec::new()),
    }
}

/// Reads files one after the other, and answers request `id`. Runs that are whole are diagnosed and listed meanwhile.
async fn read_all(shared: Shared, id: u32, files: &[NamedFile], formats: &[(String, String)]) {
    shared.readings.update(|readings| readings + 1);
    let mut meter = ProgressMeter::new(id, files.iter().map(|(_, content)| content.size() as u64));
    let mut pace = ListPace::new();
    let sizes: Vec<(&str, u64)> = files.iter().map(|(path, content)| (path.as_str(), content.size() as u64)).collect();
    let mut reading = shared.session.borrow().begin_reading(id, &sizes);
    let clears = shared.session.borrow().clears();
    let mut end = Ok(());
    let mut ahead = ReadAhead::default();
    while end.is_ok()
        && let Some(place) = reading.next_file()
    {
        ahead.fill(&reading, files);
        let Some((path, content)) = files.get(place) else { continue };
        let format = formats.iter().find(|(known, _)| known == path).map_or("", |(_, format)| format.as_str());
        let source = FileSource { path, format, content, begun: ahead.take(place) };
        let read = read_file(&shared, id, source, &reading, &mut meter, &mut pace).await;
        end = match read {
            Ok(outcome) => {
                shared.session.borrow_mut().note_file(path, content.size() as u64, &outcome);
                reading.add(place, outcome);
                meter.end_file();
                list_early(&shared, id, &mut reading, &meter, &mut pace).await
            }
            Err(StopRequested) => Err(StopRequested),
        };
    }
    if shared.session.borrow().clears() == clears {
        meter.begin(Work::Joining);
        shared.session.borrow_mut().end_reading(reading);
        diagnose_and_answer(&shared, id, meter, end, String::new()).await;
    } else {
        // What was read belongs to runs that were closed meanwhile.
        post::answer(id, Err(Fault::Cancelled), Vec::new());
    }
    shared.readings.update(|readings| readings.saturating_sub(1));
}

/// Diagnoses the runs that became whole with the last file, and sends the list so far now and then.
async fn list_early(
    shared: &Shared,
    id: u32,
    reading: &mut Reading,
    meter: &ProgressMeter,
    pace: &mut ListPace,
) -> Result<(), StopRequested> {
    let mut whole = shared.session.borrow_mut().add_whole_runs(reading);
    if whole.is_empty() {
        return Ok(());
    }
    shared.diagnose_pending(id, meter.progress().clone(), |_| whole.pop()).await?;
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
    /// That the user chose; empty for the engine's own choice.
    format: &'f str,
    content: &'f Blob,
    /// Its first slice, when that is on its way.
    begun: Option<JsFuture>,
}

/// Pushes a file through its reader, slice by slice; lists the runs of those before it meanwhile.
async fn read_file(
    shared: &Shared,
    id: u32,
    FileSource { path, format, content, begun }: FileSource<'_>,
    reading: &Reading,
    meter: &mut ProgressMeter,
    pace: &mut ListPace,
) -> Result<FileOutcome, StopRequested> {
    let size = content.size();
    let mut file = shared.session.borrow_mut().open_file(reading.budget(), path, size as u64, format);
    if !file.wants_bytes() {
        meter.advance(size as u64);
        return Ok(file.finish());
    }
    meter.begin(Work::Reading { file: path.to_owned() });
    let mut at = 0.0;
    let mut next = begun.or_else(|| slice(content, at, size));
    while let Some(promise) = next.take() {
        let arrived = promise.await;
        if shared.was_cancelled(id) {
            return Err(StopRequested);
        }
        let Ok(buffer) = arrived else {
            // Of a file that gave nothing its reader would say that it is empty.
            let mut outcome = if at > 0.0 { file.finish() } else { FileOutcome::default() };
            outcome.problems.push(unreadable(path, at));
            return Ok(outcome);
        };
        if !file.wants_bytes() {
            meter.advance((size - at) as u64);
            break;
        }
        at += SLICE_BYTES;
        next = slice(content, at, size);
        let bytes = Uint8Array::new(&buffer);
        meter.advance(u64::from(bytes.length()));
        planted::panic_in_reader(path);
        file.begin(&bytes.to_vec());
        unpack(shared, id, &mut file).await?;
        // Runs of files before this one do not wait for its end.
        send_list(shared, id, pace);
    }
    Ok(file.finish())
}

/// Reads what an archive was given, and takes messages meanwhile: a slice may unpack to gigabytes.
async fn unpack(shared: &Shared, id: u32, file: &mut OpenFile) -> Result<(), StopRequested> {
    let mut since = now_ms();
    while file.work() {
        if now_ms() - since > YIELD_MS {
            yield_to_messages().await;
            if shared.was_cancelled(id) {
                return Err(StopRequested);
            }
            since = now_ms();
        }
    }
    Ok(())
}

fn unreadable(path: &str, at: f64) -> Problem {
    Problem {
        file: path.to_owned(),
        place: Place::Byte(at as u64),
        weight: if at > 0.0 { Weight::Partial } else { Weight::Lost },
        what: "The browser could not read the file from here on: it was changed, moved or locked.".to_owned(),
        remedy: "Drop it again.".to_owned(),
    }
}

/// Starts reading the bytes from `at`; `None` past the end.
fn slice(content: &Blob, at: f64, size: f64) -> Option<JsFuture> {
    if at >= size {
        return None;
    }
    let part = content.slice_with_f64_and_f64(at, (at + SLICE_BYTES).min(size)).ok()?;
    Some(JsFuture::from(part.array_buffer()))
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
        Ok(()) => shared.diagnose_pending(id, meter.progress().clone(), Session::next_pending).await,
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

//! Runs that are shown while the files of a drop are read: in the end the lists and the reports on the corpus and on the
//! real logs are those of all files joined at once.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use rundown::engine::session::Session;
use rundown::ingest::RunAssembler;
use rundown::protocol::{Reply, ReportFormat, Request, RunList};

mod support;

use support::{corpus, dropped, read, real_logs};

/// Bytes of a slice, and of the largest file that is read here.
const SLICE: usize = 4 << 20;

fn diagnose_all(session: &mut Session) {
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
}

/// The session after a drop, and how many runs were listed before its last file was read.
fn read_early(files: &[(String, PathBuf)]) -> (Session, usize) {
    let mut session = Session::default();
    let size = |file: &Path| std::fs::metadata(file).unwrap().len();
    let sizes: Vec<(&str, u64)> = files.iter().map(|(path, file)| (path.as_str(), size(file))).collect();
    let mut reading = session.begin_reading(1, &sizes);
    while let Some(place) = reading.next_file() {
        let (path, file) = &files[place];
        reading.add(place, read(path, &std::fs::read(file).unwrap(), SLICE));
        for whole in session.add_whole_runs(&mut reading) {
            session.diagnose(whole.number);
        }
    }
    let early = session.run_list().runs.len();
    session.end_reading(reading);
    diagnose_all(&mut session);
    (session, early)
}

fn read_at_once(files: &[(String, PathBuf)]) -> Session {
    let mut session = Session::default();
    let mut assembler = RunAssembler::default();
    for (path, file) in files {
        assembler.add(read(path, &std::fs::read(file).unwrap(), SLICE));
    }
    session.add(assembler, 0, 0);
    diagnose_all(&mut session);
    session
}

/// The list without the numbers of runs, which follow the order of reading.
fn list(session: &mut Session) -> RunList {
    let mut list = session.run_list();
    list.runs.iter_mut().for_each(|row| row.run = 0);
    list
}

fn report(session: &mut Session, format: ReportFormat) -> String {
    match session.answer(&Request::Report { runs: Vec::new(), format, hides_names: false }).reply {
        Ok(Reply::Report(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// Checks a drop; how many runs were listed early.
fn check(folder: &Path) -> usize {
    let files = dropped(folder);
    let (mut early, shown) = read_early(&files);
    let mut at_once = read_at_once(&files);
    let folder = folder.display();
    assert_eq!(format!("{:?}", list(&mut early)), format!("{:?}", list(&mut at_once)), "{folder}");
    for format in [ReportFormat::Json, ReportFormat::Markdown] {
        assert!(report(&mut early, format) == report(&mut at_once, format), "{folder}: {format:?} differs");
    }
    let (runs, diagnoses) = (list(&mut early).runs.len(), early.statistics().diagnoses as usize);
    eprintln!("{folder}: {shown} of {runs} runs early, {diagnoses} diagnoses");
    assert!(diagnoses <= runs + runs / 4 + 1, "{folder}: {diagnoses} diagnoses of {runs} runs");
    shown
}

#[test]
fn the_corpus_ends_the_same() {
    let mut shown = 0;
    for name in ["public-logs", "wandb-files", "systems", "tiny-grpo"] {
        let Some(folder) = corpus(name) else { return };
        shown += check(&folder);
    }
    assert!(shown > 30, "{shown} runs early");
}

#[test]
fn the_real_logs_end_the_same() {
    let Some(folder) = real_logs() else { return };
    check(&folder);
}

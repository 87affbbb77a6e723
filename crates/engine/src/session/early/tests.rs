//! Runs that are shown while files are read, beside the same files joined at once.

use std::path::{Path, PathBuf};

use crate::session::{Session, Statistics};
use rundown_ingest::RunAssembler;
use rundown_protocol::{Reply, ReportFormat, Request, RunList};

/// Reads a drop file by file; `shown` hears of the list after each file that brought whole runs.
fn read_early(session: &mut Session, files: &[(String, Vec<u8>)], shown: impl FnMut(RunList)) {
    read_arriving(session, files, files.len(), shown);
}

/// The same, of files that come one by one where those before them have been read, after the first so many.
fn read_arriving(session: &mut Session, files: &[(String, Vec<u8>)], first: usize, mut shown: impl FnMut(RunList)) {
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut reading = session.begin_reading(7, &paths);
    let mut coming = files.iter().enumerate();
    coming.by_ref().take(first).for_each(|(place, (_, bytes))| reading.note_arrival(place, bytes.len() as u64));
    loop {
        let Some(place) = reading.next_file() else {
            let Some((place, (_, bytes))) = coming.next() else { break };
            assert!(reading.awaits_files());
            reading.note_arrival(place, bytes.len() as u64);
            continue;
        };
        let (path, bytes) = &files[place];
        let mut file = session.open_file(&rundown_ingest::Budget::default(), path, bytes.len() as u64, None);
        file.push(bytes);
        let outcome = file.finish();
        session.note_file(path, bytes.len() as u64, &outcome);
        reading.add(place, outcome);
        let whole = session.add_whole_runs(&mut reading);
        whole.iter().for_each(|run| session.diagnose(run.number));
        if !whole.is_empty() {
            shown(session.run_list());
        }
    }
    session.end_reading(reading);
    diagnose_all(session);
}

fn read_at_once(session: &mut Session, files: &[(String, Vec<u8>)]) {
    let mut assembler = RunAssembler::default();
    for (path, bytes) in files {
        let mut file = session.open_file(&rundown_ingest::Budget::default(), path, bytes.len() as u64, None);
        file.push(bytes);
        let outcome = file.finish();
        session.note_file(path, bytes.len() as u64, &outcome);
        assembler.add(outcome);
    }
    session.add(assembler, 0, 0);
    diagnose_all(session);
}

fn diagnose_all(session: &mut Session) {
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
}

/// The list without the numbers, which follow the order of reading, and the reports on all runs.
fn everything(session: &mut Session) -> Vec<String> {
    let mut list = session.run_list();
    list.runs.iter_mut().for_each(|row| row.run = 0);
    let mut texts = vec![format!("{list:#?}")];
    for format in [ReportFormat::Json, ReportFormat::Markdown, ReportFormat::Html, ReportFormat::Runs] {
        let Ok(Reply::Report(text)) =
            session.answer(&Request::Report { runs: Vec::new(), format, hides_names: false }).reply
        else {
            panic!("no report")
        };
        texts.push(text);
    }
    texts
}

fn table(rows: u32, level: f64) -> Vec<u8> {
    let row = |step: u32| format!("{step},{},{},NaN\n", level + f64::from(step) / 500.0, 0.01);
    format!("step,eval/accuracy,kl,odd\n{}", (0..rows).map(row).collect::<String>()).into_bytes()
}

/// Many tables; the one in the middle is the longest and comes last.
fn sweep() -> Vec<(String, Vec<u8>)> {
    let rows = |run: u32| if run == 7 { 400 } else { 40 + run };
    (0..15).map(|run| (format!("sweep/{run:02}.csv"), table(rows(run), f64::from(run % 5) / 10.0))).collect()
}

fn folder(name: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut waiting: Vec<PathBuf> = vec![root.join(name)];
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let shown = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            files.push((shown, std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

fn assert_same(files: &[(String, Vec<u8>)], what: &str) -> Statistics {
    let (mut early, mut at_once) = (Session::default(), Session::default());
    read_early(&mut early, files, |list| assert!(list.is_partial));
    read_at_once(&mut at_once, files);
    let (early_texts, texts) = (everything(&mut early), everything(&mut at_once));
    for (one, other) in early_texts.iter().zip(&texts) {
        assert!(one == other, "{what}: {}", first_difference(one, other));
    }
    assert_eq!(early.statistics().files_decoded, at_once.statistics().files_decoded);
    for first in [0, 3] {
        let mut arriving = Session::default();
        read_arriving(&mut arriving, files, first, |_| {});
        let arriving = everything(&mut arriving);
        for (one, other) in arriving.iter().zip(&texts) {
            assert!(one == other, "{what}, the first {first}: {}", first_difference(one, other));
        }
    }
    early.statistics()
}

fn first_difference(one: &str, other: &str) -> String {
    let mut lines = one.lines().zip(other.lines());
    lines.find(|(one, other)| one != other).map_or_else(String::new, |(one, other)| format!("{one}\n{other}"))
}

#[test]
fn runs_are_listed_before_all_files_are_read_and_the_end_is_the_same() {
    let files = sweep();
    let mut session = Session::default();
    let mut counts = Vec::new();
    read_early(&mut session, &files, |list| counts.push((list.runs.len(), list.files, list.is_partial)));
    let expected: Vec<_> = (1..15).map(|count| (count, count as u32, true)).collect();
    assert_eq!(counts, expected);
    let list = session.run_list();
    assert_eq!((list.runs.len(), list.files, list.is_partial), (15, 15, false));
    assert_eq!(session.statistics(), Statistics { files_decoded: 15, diagnoses: 15, partial_diagnoses: 0 });
    assert_same(&files, "a sweep");
}

#[test]
fn files_of_one_name_are_told_apart_without_another_diagnosis() {
    let files: Vec<_> = (0..4).map(|run| (format!("out/seed{run}/curve.csv"), table(40 + run, 0.1))).collect();
    let mut session = Session::default();
    read_early(&mut session, &files, |_| {});
    let mut names: Vec<String> = session.run_list().runs.into_iter().map(|row| row.name).collect();
    names.sort();
    assert_eq!(names, ["seed0", "seed1", "seed2", "seed3"]);
    assert_eq!(session.statistics(), Statistics { files_decoded: 4, diagnoses: 4, partial_diagnoses: 0 });
    assert_same(&files, "files of one name");
}

#[test]
fn small_files_are_read_first_and_files_that_come_late_when_they_are_there() {
    let files = sweep();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut reading = Session::default().begin_reading(1, &paths);
    [(4, 300), (1, 100), (2, 200)].into_iter().for_each(|(place, bytes)| reading.note_arrival(place, bytes));
    assert_eq!(reading.next_file(), Some(1));
    reading.note_arrival(3, 10);
    assert_eq!([reading.next_file(), reading.next_file(), reading.next_file()], [Some(3), Some(2), Some(4)]);
    assert_eq!(reading.next_file(), None);
    assert!(reading.awaits_files());
}

#[test]
fn what_was_opened_early_keeps_its_number() {
    let mut session = Session::default();
    let mut last = RunList::default();
    read_early(&mut session, &sweep(), |list| last = list);
    let whole = session.run_list();
    for row in &last.runs {
        assert!(whole.runs.iter().any(|other| (other.run, &other.id) == (row.run, &row.id)), "{}", row.name);
    }
    assert!(session.run_list().news.is_empty());
}

#[test]
fn a_run_that_a_later_file_adds_to_is_diagnosed_again() {
    let mut files = sweep();
    let log: String = (0..600).map(|step| format!("step {step} loss {}\n", 1.0 / f64::from(step + 1))).collect();
    // A copy of a table in another folder is no run, and the log is of none of the tables.
    files.push(("other/copy.csv".to_owned(), files[3].1.clone()));
    files.push(("other/z.log".to_owned(), log.into_bytes()));
    assert_same(&files, "with others");
}

#[test]
fn a_drop_beside_loaded_runs_ends_the_same() {
    let files = sweep();
    let (first, second) = files.split_at(6);
    let (mut early, mut at_once) = (Session::default(), Session::default());
    // The last one of the first drop has grown.
    let mut second = second.to_vec();
    second.push((first[5].0.clone(), table(90, 0.0)));
    for drop in [first.to_vec(), second] {
        read_early(&mut early, &drop, |_| {});
        read_at_once(&mut at_once, &drop);
    }
    assert_eq!(everything(&mut early), everything(&mut at_once));
    assert_eq!(early.statistics().diagnoses, at_once.statistics().diagnoses);
}

#[test]
fn what_is_closed_while_it_is_read_is_gone() {
    let mut session = Session::default();
    let files = sweep();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut reading = session.begin_reading(1, &paths);
    assert_eq!(reading.next_file(), None, "no file is there");
    files.iter().enumerate().for_each(|(place, (_, bytes))| reading.note_arrival(place, bytes.len() as u64));
    let place = reading.next_file().unwrap();
    let mut file = session.open_file(&rundown_ingest::Budget::default(), &files[place].0, 1, None);
    file.push(&files[place].1);
    reading.add(place, file.finish());
    let clears = session.clears();
    assert_eq!(session.add_whole_runs(&mut reading).len(), 1);
    session.clear();
    assert!(session.run_list().runs.is_empty() && session.clears() != clears);
}

#[test]
fn a_run_that_is_removed_while_others_are_read_stays_removed() {
    let mut session = Session::default();
    let files = sweep();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut reading = session.begin_reading(1, &paths);
    files.iter().enumerate().for_each(|(place, (_, bytes))| reading.note_arrival(place, bytes.len() as u64));
    let mut removed = None;
    while let Some(place) = reading.next_file() {
        let mut file = session.open_file(&rundown_ingest::Budget::default(), &files[place].0, 1, None);
        file.push(&files[place].1);
        reading.add(place, file.finish());
        let whole = session.add_whole_runs(&mut reading);
        if removed.is_none() {
            session.remove(&[whole[0].number]);
            removed = Some(whole[0].identity.id.clone());
        }
    }
    session.end_reading(reading);
    diagnose_all(&mut session);
    let list = session.run_list();
    assert_eq!(list.runs.len(), files.len() - 1);
    assert!(list.runs.iter().all(|row| Some(&row.id) != removed.as_ref()), "{removed:?} is there again");
    read_early(&mut session, &files, |_| {});
    assert_eq!(session.run_list().runs.len(), files.len(), "its file, added again, brings it back");
}

#[test]
fn a_file_that_is_read_again_counts_once() {
    let mut session = Session::default();
    for rows in [40, 50, 60] {
        read_early(&mut session, &[("a.csv".to_owned(), table(rows, 0.1))], |_| {});
    }
    let list = session.run_list();
    assert_eq!((list.files, list.read), (1, rundown_present::files_read(1, 0, table(60, 0.1).len() as u64)));
}

#[test]
fn every_fixture_ends_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert_same(&folder(&name), &name);
    }
    assert_same(&folder(""), "all of them");
}

#[test]
fn a_query_gives_numbers_in_their_order() {
    let files = sweep();
    let mut session = Session::default();
    read_early(&mut session, &files, |_| ());
    let request = Request::Find { query: "summary.kl > 0".to_owned(), cursor: 0 };
    let Ok(Reply::Matches(found)) = session.answer(&request).reply else { panic!("no matches") };
    assert_eq!(found.runs.len(), files.len());
    assert!(found.runs.is_sorted(), "{:?}", found.runs);
}

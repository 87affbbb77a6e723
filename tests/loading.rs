//! Runs that are shown while the files of a drop are read: in the end the lists and the reports on the corpus and on the
//! real logs are those of all files joined at once, as the terminal joins them, in whatever order they were dropped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use rundown_content::Scale;
use rundown_diagnose::{Diagnosis, Rulebook, diagnose};
use rundown_engine::session::Session;
use rundown_ingest::RunAssembler;
use rundown_protocol::{
    ChartFormat, ExportRequest, LinesRequest, Reply, ReportFormat, Request, RunList, SeriesRef, Smoothing, XAxis,
};
use rundown_report::{Format, write};

mod support;

use support::{corpus, dropped, read, real_logs};

/// Bytes of a slice, and of the largest file that is read here.
const SLICE: usize = 4 << 20;
const SVG: ChartFormat = ChartFormat::Svg { width: 640, height: 360, scale: Scale::Linear, dark: false };

fn diagnose_all(session: &mut Session) {
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
}

/// The session after a drop, and how many runs were listed before its last file was read.
fn read_early(files: &[(String, PathBuf)]) -> (Session, usize) {
    let mut session = Session::default();
    let size = |file: &Path| std::fs::metadata(file).unwrap().len();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut reading = session.begin_reading(1, &paths);
    files.iter().enumerate().for_each(|(place, (_, file))| reading.note_arrival(place, size(file)));
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

/// What is written of a drop, by what it is: the list, reports in every format, and charts of each run.
fn outputs(session: &mut Session) -> Vec<(String, String)> {
    let rows = session.run_list().runs;
    let mut written = vec![("list".to_owned(), format!("{:?}", list(session)))];
    for format in [ReportFormat::Markdown, ReportFormat::Json, ReportFormat::Runs, ReportFormat::Html] {
        written.push((format!("{format:?}"), report(session, format)));
    }
    for row in rows {
        for key in charted(session, row.run) {
            for format in [ChartFormat::Csv, SVG] {
                let lines = whole(SeriesRef { run: row.run, key: key.clone() });
                let request = ExportRequest { title: key.clone(), lines, format, hides_names: false };
                let Ok(Reply::Report(text)) = session.answer(&Request::ExportChart(request)).reply else {
                    panic!("{}: no chart of {key}", row.name)
                };
                written.push((format!("{} {key} {format:?}", row.name), text));
            }
        }
    }
    written
}

/// One line over all its steps.
fn whole(series: SeriesRef) -> LinesRequest {
    let (x, smoothing) = (XAxis::default(), Smoothing::default());
    LinesRequest { series: vec![series], x, window: None, width_px: 640, smoothing, group: None, band: false }
}

/// Some metrics of a run.
fn charted(session: &mut Session, run: u32) -> Vec<String> {
    let Ok(Reply::Metrics(list)) = session.answer(&Request::ListMetrics { runs: vec![run] }).reply else {
        panic!("no metrics")
    };
    list.sections.iter().filter_map(|section| section.metrics.first()).map(|row| row.key.clone()).take(3).collect()
}

/// The reports as the terminal writes them.
fn of_terminal(files: &[(String, PathBuf)]) -> [(&'static str, String); 3] {
    let mut assembler = RunAssembler::default();
    for (path, file) in files {
        assembler.add(read(path, &std::fs::read(file).unwrap(), SLICE));
    }
    let runs = assembler.assemble(Vec::new()).runs;
    let diagnoses: Vec<Diagnosis> = runs.iter().map(|run| diagnose(run, &Rulebook::default())).collect();
    let judged: Vec<_> = runs.iter().zip(&diagnoses).collect();
    [("Markdown", Format::Markdown), ("Json", Format::Json), ("Html", Format::Html)]
        .map(|(name, format)| (name, write(&judged, format)))
}

/// The files as dropped, from the last to the first, and mixed.
fn orders(files: &[(String, PathBuf)]) -> [Vec<(String, PathBuf)>; 3] {
    let reversed = files.iter().rev().cloned().collect();
    let mut mixed: Vec<(String, PathBuf)> = files.to_vec();
    mixed.sort_by_key(|(path, _)| path.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte)));
    [files.to_vec(), reversed, mixed]
}

/// Checks a drop in three orders, and gives the number of texts that were compared.
fn check_orders(folder: &Path) -> usize {
    let orders = orders(&dropped(folder));
    let shown = folder.display();
    let first = outputs(&mut read_early(&orders[0]).0);
    for (order, files) in orders.iter().enumerate() {
        for (name, text) in of_terminal(files) {
            let of_session = &first.iter().find(|(what, _)| what == name).unwrap().1;
            assert!(&text == of_session, "{shown}: {name} of the terminal differs, order {order}");
        }
    }
    for (order, files) in orders.iter().enumerate().skip(1) {
        let again = outputs(&mut read_early(files).0);
        assert_eq!(first.len(), again.len(), "{shown}, order {order}");
        for ((what, text), (_, again)) in first.iter().zip(&again) {
            assert!(text == again, "{shown}: {what} differs, order {order}");
        }
    }
    let texts = (first.len() * 3) + 9;
    println!("{{\"folder\":{:?},\"orders\":3,\"texts\":{texts}}}", folder.file_name().unwrap_or_default());
    texts
}

#[test]
fn every_order_of_dropping_writes_the_same() {
    for name in ["public-logs", "wandb-files", "systems", "tiny-grpo"] {
        let Some(folder) = corpus(name) else { return };
        assert!(check_orders(&folder) > 20);
    }
}

/// Files of which each is a part of a run, or says something of several.
fn side_by_side() -> Vec<(String, String)> {
    let value = |step: u32| f64::from(step * step % 17) / 7.0;
    let table = |metric: &str, factor: f64| {
        let rows: String = (1..=20).map(|step| format!("{step},{}\n", factor * value(step))).collect();
        format!("step,{metric}\n{rows}")
    };
    let log: String = (1..=20).map(|step| format!("step {step}: reward={:.2} lr=1e-6\n", value(step))).collect();
    let state = |rows: u32| {
        let entries: Vec<String> =
            (1..=rows).map(|step| format!("{{\"step\": {step}, \"reward\": {}}}", 9.0 * value(step))).collect();
        format!("{{\"is_world_process_zero\": true, \"log_history\": [{}]}}", entries.join(", "))
    };
    let files = [
        ("parts/rewards.csv", table("reward", 1.0)),
        ("parts/losses.csv", table("loss", 2.0)),
        ("parts/eval.jsonl", "{\"step\": 10, \"accuracy\": 0.5}\n{\"step\": 20, \"accuracy\": 0.6}\n".to_owned()),
        ("parts/config.json", "{\"learning_rate\": 1e-6}".to_owned()),
        ("log/metrics.csv", table("reward", 1.0)),
        ("log/train.log", log.clone()),
        ("sweep/a.csv", table("reward", 1.0)),
        ("sweep/b.csv", table("reward", 3.0)),
        ("sweep/a.log", log),
        ("sweep/config.yaml", "learning_rate: 1e-6\n".to_owned()),
        ("copies/trainer_state.json", state(5)),
        ("copies/trainer_state_20.json", state(20)),
        ("copies/trainer_state_10.json", state(10)),
        ("copies/training_state.json", "{\"step\": 20, \"best_reward\": 0.5}".to_owned()),
    ];
    files.map(|(name, text)| (name.to_owned(), text)).into()
}

#[test]
fn files_side_by_side_are_the_same_runs_in_every_order() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("side_by_side");
    for (name, text) in side_by_side() {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    assert!(check_orders(&folder) > 20);
    let (mut session, _) = read_early(&dropped(&folder));
    assert_eq!(session.run_list().runs.len(), 5);
}

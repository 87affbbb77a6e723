//! One small file of every format, cut at every byte and with one bit flipped in every byte: nothing panics, the slices
//! do not matter, every record before the damage is there, and the damage is told in a few words.
//!
//! The usual test takes a part of the bytes; `every_byte` takes all, and prints a line of JSON for each format.

use std::time::Instant;

use rundown_diagnose::{Rulebook, diagnose};
use rundown_ingest::FileOutcome;
use rundown_report::{Format, Secrets, run_export, write};
use rundown_run::Run;

use crate::support::archives::{gzip, tar, zip};
use crate::support::read;
use crate::wandb_file::WandbFile;

/// Problems that one damage may give: what was lost, and that nothing is left to read.
const MAX_PROBLEMS: usize = 3;
/// Bytes of a file that the usual test damages.
const PLACES: usize = 160;

/// A file of one format.
struct Sample {
    path: &'static str,
    bytes: Vec<u8>,
    /// Offsets behind which one row more stands in the file; none where rows cannot be told before the end.
    rows: Vec<usize>,
    /// The format has an end, so that a cut is known as one.
    has_end: bool,
}

/// Where each line ends, but for the first `header` ones.
fn line_ends(bytes: &[u8], header: usize) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
    ends.skip(header).collect()
}

fn text(path: &'static str, text: String, header: usize) -> Sample {
    let bytes = text.into_bytes();
    Sample { path, rows: line_ends(&bytes, header), bytes, has_end: false }
}

fn fixture(path: &'static str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn steps() -> impl Iterator<Item = (u32, f64)> {
    (1..=8).map(|step| (step, 2.0 - f64::from(step) / 7.0))
}

fn table() -> String {
    let rows: String = steps().map(|(step, loss)| format!("{step},{loss:.4},{}\n", step * 3)).collect();
    format!("step,train/loss,reward\n{rows}")
}

fn json_rows() -> Vec<String> {
    steps().map(|(step, loss)| format!("{{\"step\": {step}, \"loss\": {loss:.4}, \"reward\": {}}}", step * 3)).collect()
}

fn run() -> Run {
    read("a.csv", table().as_bytes(), 100).parts.remove(0).run
}

fn wandb_rows(count: usize) -> WandbFile {
    let mut file = WandbFile::new("ab12cd34", "amber");
    for (step, loss) in steps().take(count) {
        file.row(u64::from(step), &[("loss", loss), ("reward", f64::from(step) * 3.0)]);
    }
    file
}

fn wandb() -> Sample {
    let rows = (1..=8).map(|count| wandb_rows(count).unfinished().len()).collect();
    Sample { path: "run-ab12cd34.wandb", bytes: wandb_rows(8).finish(0), rows, has_end: false }
}

fn tensorboard() -> Sample {
    let bytes = fixture("tensorboard/plain/events.out.tfevents.1790000000.host.1.0");
    Sample { path: "plain/events.out.tfevents.1790000000.host.1.0", bytes, rows: Vec::new(), has_end: false }
}

fn whole(path: &'static str, bytes: Vec<u8>) -> Sample {
    Sample { path, bytes, rows: Vec::new(), has_end: true }
}

fn samples() -> Vec<Sample> {
    let table = table();
    let lines = json_rows();
    let state =
        format!("{{\"is_world_process_zero\": true, \"log_history\": [\n{}\n], \"max_steps\": 8}}", lines.join(",\n"));
    let log: String = steps()
        .map(|(step, loss)| format!("step:{step} - actor/loss:{loss:.4} - critic/rewards/mean:{step}\n"))
        .collect();
    let events: String = steps()
        .map(|(step, loss)| {
            format!("{{\"_time\": \"2026-11-01T00:00:{step:02}Z\", \"event\": \"step\", \"step\": {step}, \"loss\": {loss:.4}}}\n")
        })
        .collect();
    let metric: String = steps().map(|(step, loss)| format!("179000000{step}000 {loss:.4} {step}\n")).collect();
    let cells = format!(
        "{{\"nbformat\": 4, \"cells\": [{{\"cell_type\": \"code\", \"outputs\": [{{\"output_type\": \"stream\", \"text\": {}}}]}}]}}",
        serde_json::to_string(&log).unwrap()
    );
    let run = run();
    let diagnosis = diagnose(&run, &Rulebook::default());
    let report = write(&[(&run, &diagnosis)], Format::Json);
    let list = format!("[{}]", lines.join(","));
    // A row ends with the comma behind it.
    let state_rows = line_ends(state.as_bytes(), 1).into_iter().take(7).collect();
    vec![
        wandb(),
        tensorboard(),
        text("a.csv", table.clone(), 1),
        text("a.jsonl", lines.join("\n") + "\n", 0),
        text("train.log", log, 0),
        // An event counts for all others, such as the share of errors.
        Sample { rows: Vec::new(), ..text("axiom.ndjson", events, 0) },
        text("mlruns/1/85f108641cc84cbdb8bdc531dc0f21f5/metrics/loss", metric, 0),
        Sample { path: "trainer_state.json", bytes: state.into_bytes(), rows: state_rows, has_end: true },
        whole("list.json", list.into_bytes()),
        text("x/files/config.yaml", "lr:\n  value: 0.1\nsteps:\n  value: 8\nmodel:\n  value: a/b\n".to_owned(), 9),
        whole("histories.parquet", fixture("parquet/histories.parquet")),
        Sample {
            has_end: false,
            ..whole("run-abcdefgh.swanlab", fixture("swanlab/run-20261121_120000-abcdefgh/run-abcdefgh.swanlab"))
        },
        whole("a.ipynb", cells.into_bytes()),
        whole("export.json", run_export(&run, &[], Secrets::Keep).unwrap().into_bytes()),
        whole("report.json", report.into_bytes()),
        whole("a.zip", zip(&[("x/a.csv", table.as_bytes()), ("x/b.csv", table.as_bytes())])),
        whole("piped.zip", fixture("zip/piped.zip")),
        whole("a.tar", tar(&[("x/a.csv", table.as_bytes()), ("x/b.csv", table.as_bytes())], false)),
        whole("a.csv.gz", gzip(table.as_bytes())),
        whole("a.tar.gz", gzip(&tar(&[("x/a.csv", table.as_bytes())], true))),
    ]
}

/// The points of the first rows, by metric and step.
fn points(run: Option<&Run>, rows: usize) -> Vec<(&str, u64, u64)> {
    let Some(run) = run else { return Vec::new() };
    let mut points = Vec::new();
    for (key, column) in &run.columns {
        for (row, value) in column.points().filter(|(row, _)| (*row as usize) < rows) {
            points.push((key.as_str(), run.row_steps[row as usize].to_bits(), value.to_bits()));
        }
    }
    points
}

fn first(outcome: &FileOutcome) -> Option<&Run> {
    outcome.parts.first().map(|part| &part.run)
}

/// What came of a format.
#[derive(Default)]
struct Counts {
    cuts: usize,
    flips: usize,
    most_problems: usize,
}

/// Damages a file at every `step`th byte.
fn damage(sample: &Sample, step: usize) -> Counts {
    let Sample { path, bytes, rows, has_end } = sample;
    let good = read(path, bytes, bytes.len());
    assert!(good.problems.is_empty() && !good.parts.is_empty(), "{path}: {:?}", good.problems);
    let mut counts = Counts::default();
    let mut check = |damaged: &[u8], at: usize, what: &str| {
        let outcome = read(path, damaged, damaged.len().max(1));
        let sliced = read(path, damaged, 7);
        assert_eq!(format!("{outcome:?}"), format!("{sliced:?}"), "{path}: {what} at {at}: slices");
        assert!(outcome.problems.len() <= MAX_PROBLEMS, "{path}: {what} at {at}: {:#?}", outcome.problems);
        counts.most_problems = counts.most_problems.max(outcome.problems.len());
        let before = rows.iter().filter(|end| **end <= at).count();
        let expected = points(first(&good), before);
        let kept = points(first(&outcome), usize::MAX);
        for point in &expected {
            assert!(kept.contains(point), "{path}: {what} at {at}: {point:?} is lost: {:?}", outcome.problems);
        }
        outcome
    };
    for at in (0..bytes.len()).step_by(step) {
        let outcome = check(&bytes[..at], at, "cut");
        let is_less = format!("{:?}", outcome.parts.len()) != format!("{:?}", good.parts.len())
            || points(first(&outcome), usize::MAX) != points(first(&good), usize::MAX);
        assert!(!*has_end || !is_less || !outcome.problems.is_empty(), "{path}: cut at {at} without a word");
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at * 5 % 8);
        check(&flipped, at, "flipped");
    }
    let places = bytes.len().div_ceil(step);
    Counts { cuts: places, flips: places, ..counts }
}

#[test]
fn damage_costs_what_follows_it_and_is_told() {
    // Every format is tried, also behind one that fails.
    let fails = |sample: &Sample| {
        let damage = || damage(sample, (sample.bytes.len() / PLACES).max(1));
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(damage)).is_err()
    };
    let failed: Vec<&str> = samples().iter().filter(|sample| fails(sample)).map(|sample| sample.path).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// For `make hardening`: all bytes, and a line of JSON for each format.
#[test]
#[ignore = "takes minutes"]
fn every_byte() {
    for sample in samples() {
        let began = Instant::now();
        let Counts { cuts, flips, most_problems } = damage(&sample, 1);
        println!(
            "{{\"table\": \"every byte\", \"file\": \"{}\", \"bytes\": {}, \"cuts\": {cuts}, \"flips\": {flips}, \
             \"most_problems\": {most_problems}, \"seconds\": {:.1}}}",
            sample.path,
            sample.bytes.len(),
            began.elapsed().as_secs_f64()
        );
    }
}

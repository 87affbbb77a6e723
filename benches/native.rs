//! How fast the engine is natively, beside a peer in the same run where there is one. Prints, never asserts.
//!
//! Run through `make bench`, which adds the browser's numbers. Corpus: `RUNDOWN_CORPUS`. With `RUNDOWN_BENCH` set, only
//! the readers whose line in the table contains it are measured.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rundown_diagnose::{Rulebook, diagnose};
use rundown_ingest::{RunAssembler, open};
use rundown_plot::decimate;
use rundown_run::Run;
use rundown_vocabulary::Concept;

mod messages;
mod readers;
mod support;
#[path = "../tests/support/wandb_file.rs"]
mod wandb_file;

/// As the browser reads.
const SLICE: usize = 4 << 20;

fn main() -> std::io::Result<()> {
    if std::env::var_os("RUNDOWN_BENCH").is_some() {
        return readers::table();
    }
    println!("{:<44} {:>14} {:>14}", "native", "measured", "budget");
    if let Some(files) = support::corpus_runs() {
        corpus_runs(&files);
    }
    diagnoses();
    synthetic_file();
    redraw();
    messages::table();
    readers::table()
}

fn corpus_runs(files: &[PathBuf]) {
    let contents: Vec<(String, Vec<u8>)> = files
        .iter()
        .filter_map(|path| Some((path.to_string_lossy().into_owned(), std::fs::read(path).ok()?)))
        .collect();
    let bytes: usize = contents.iter().map(|(_, content)| content.len()).sum();
    let (took, runs) = best_of(3, || read(&contents));
    let rate = |took: Duration| bytes as f64 / 1e6 / took.as_secs_f64();
    line(
        &format!(".wandb ingest, {} corpus files, {:.0} MB", files.len(), bytes as f64 / 1e6),
        &mb_s(rate(took)),
        ">= 100 MB/s",
    );
    match readers::peers::seconds("wandb", files) {
        Some(seconds) => {
            let took = Duration::from_secs_f64(seconds);
            line("  the same files, wandb's own reader (Python)", &mb_s(rate(took)), "");
        }
        None => line("  the same files, wandb's own reader (Python)", "not installed", ""),
    }
    let rulebook = Rulebook::default();
    let (took, _) = best_of(3, || runs.iter().map(|run| diagnose(run, &rulebook)).collect::<Vec<_>>());
    line(&format!("diagnosis of {} runs", runs.len()), &ms(took), "100 runs <= 1 s");
}

/// Runs that log everything under names that the checks know.
fn diagnoses() {
    let rulebook = Rulebook::default();
    for (runs, steps, metrics, budget) in [(1, 5_000, 60, "<= 20 ms"), (100, 1_000, 40, "<= 1 s in wasm")] {
        let runs: Vec<Run> = (0..runs).map(|seed| known_metrics(steps, metrics, seed)).collect();
        let (took, _) = best_of(3, || runs.iter().map(|run| diagnose(run, &rulebook)).collect::<Vec<_>>());
        line(&format!("diagnosis, {} x {steps} steps x {metrics} metrics", runs.len()), &ms(took), budget);
    }
}

/// A run with so many metrics under plain names, each a slow drift with noise that remembers the step before.
fn known_metrics(steps: u32, metrics: usize, seed: usize) -> Run {
    let keys = Concept::ALL.iter().map(|concept| concept.plain_key()).filter(|key| !key.contains('{'));
    let keys: Vec<&str> = keys.take(metrics).collect();
    let mut run = Run::default();
    let mut noise = vec![0.0; keys.len()];
    for step in 0..steps {
        let row = run.push_row(f64::from(step), f64::from(step) * 30.0);
        for (place, (key, noise)) in keys.iter().zip(&mut noise).enumerate() {
            *noise = 0.7 * *noise + wave((step as usize * 61 + place) * 7 + seed) - 0.5;
            let drift = f64::from(step) / f64::from(steps) * if place % 2 == 0 { 0.3 } else { -0.2 };
            run.push_value(key, row, 0.5 + drift + 0.05 * *noise);
        }
    }
    run.choose_axis();
    run
}

fn synthetic_file() {
    let keys: Vec<String> = (0..40).map(|key| format!("train/metric_{key}")).collect();
    let mut file = wandb_file::WandbFile::new("synthetic", "synthetic");
    for step in 0..100_000_u64 {
        let values: Vec<(&str, f64)> =
            keys.iter().enumerate().map(|(key, name)| (name.as_str(), wave(step as usize * 41 + key))).collect();
        file.row(step, &values);
    }
    let content = vec![("run-synthetic.wandb".to_owned(), file.finish(0))];
    let bytes = content.iter().map(|(_, content)| content.len()).sum::<usize>() as f64 / 1e6;
    let (took, _) = best_of(3, || read(&content));
    line(&format!(".wandb ingest, 4,000,000 values, {bytes:.0} MB"), &mb_s(bytes / took.as_secs_f64()), ">= 100 MB/s");
}

fn redraw() {
    for points in [166_650, 1_000_000] {
        let x: Vec<f64> = (0..points).map(|index| index as f64).collect();
        let y: Vec<f64> = (0..points).map(wave).collect();
        let (took, _) = best_of(9, || decimate(&x, &y, None, 1_200));
        line(&format!("decimate {points} points to 1200 px"), &ms(took), "");
    }
}

fn read(contents: &[(String, Vec<u8>)]) -> Vec<Run> {
    let mut assembler = RunAssembler::default();
    for (path, content) in contents {
        let mut file = open(path, content.len() as u64);
        content.chunks(SLICE).for_each(|slice| file.push(slice));
        assembler.add(file.finish());
    }
    assembler.assemble(Vec::new()).runs
}

fn best_of<T>(times: u32, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut once = || {
        let start = Instant::now();
        let result = std::hint::black_box(work());
        (start.elapsed(), result)
    };
    let mut best = once();
    for _ in 1..times {
        let next = once();
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

/// A rough curve that needs all its digits.
fn wave(index: usize) -> f64 {
    let phase = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    phase as f64 / (1_u64 << 53) as f64 + index as f64 * 1e-7
}

fn line(what: &str, measured: &str, budget: &str) {
    println!("{what:<44} {measured:>14} {budget:>14}");
}

fn mb_s(rate: f64) -> String {
    format!("{rate:.0} MB/s")
}

fn ms(took: Duration) -> String {
    format!("{:.2} ms", took.as_secs_f64() * 1e3)
}

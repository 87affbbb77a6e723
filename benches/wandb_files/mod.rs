//! `.wandb` files: those of the labelled runs beside W&B's own reader, and synthetic ones of several sizes.

use std::path::PathBuf;

use rundown_ingest::{RunAssembler, open};
use rundown_run::Run;

use crate::support::measurements::{Measurement, Measurements, Peer, ROUNDS, Scaling, Unit};
use crate::synthetic::{self, METRICS};
use crate::{milliseconds, readers, support};

/// As the browser reads.
const SLICE: usize = 4 << 20;
/// The design's limit natively, in MB/s.
const BUDGET: f64 = 250.0;

/// A file as it would be dropped.
type NamedContent = (String, Vec<u8>);

/// Measures both.
pub fn measure(measurements: &mut Measurements) -> std::io::Result<()> {
    measurements.begin(
        "`.wandb` files",
        "Natively, on one core. W&B's own reader decodes the records and leaves the numbers as text.",
    );
    if let Some(files) = support::corpus_runs() {
        corpus_runs(&files, measurements);
    }
    let mut points = Vec::new();
    for rows in [6_250, 25_000, 100_000] {
        let content = vec![synthetic_run(rows)];
        let megabytes = megabytes(&content);
        let times: Vec<f64> = (0..ROUNDS).map(|_| milliseconds(|| read(&content))).collect();
        points.push((megabytes, times.iter().copied().fold(f64::INFINITY, f64::min)));
        if rows == 100_000 {
            let rates = times.iter().map(|time| megabytes / time * 1e3).collect();
            let what = format!("one file of {} values, {megabytes:.0} MB", rows * METRICS);
            measurements.record(Measurement::new(what, Unit::MegabytesPerSecond, rates).at_least(BUDGET));
        }
    }
    measurements.record_scaling(Scaling { what: "`.wandb`".to_owned(), size: "MB".to_owned(), points });
    Ok(())
}

fn corpus_runs(files: &[PathBuf], measurements: &mut Measurements) {
    let contents: Vec<NamedContent> = files
        .iter()
        .filter_map(|path| Some((path.to_string_lossy().into_owned(), std::fs::read(path).ok()?)))
        .collect();
    let megabytes = megabytes(&contents);
    let what = format!("{} files of real runs, {megabytes:.0} MB", files.len());
    let mut measurement = Measurement::new(what, Unit::MegabytesPerSecond, Vec::new()).at_least(BUDGET);
    for _ in 0..ROUNDS {
        measurement.ours.push(megabytes / milliseconds(|| read(&contents)) * 1e3);
        let Some(peer) = readers::peers::read("wandb", files) else { continue };
        if measurement.peers.is_empty() {
            measurement.peers.push(Peer { name: peer.name, values: Vec::new() });
        }
        measurement.peers.iter_mut().for_each(|kept| kept.values.push(megabytes / peer.seconds));
    }
    measurements.record(measurement);
}

fn synthetic_run(rows: u64) -> NamedContent {
    let mut content = Vec::new();
    let _ = synthetic::wandb_file(&mut content, METRICS, |written, _| written == rows);
    ("run-synthetic.wandb".to_owned(), content)
}

fn read(contents: &[NamedContent]) -> Vec<Run> {
    let mut assembler = RunAssembler::default();
    for (path, content) in contents {
        let mut file = open(path, content.len() as u64);
        content.chunks(SLICE).for_each(|slice| file.push(slice));
        assembler.add(file.finish());
    }
    assembler.assemble(Vec::new()).runs
}

fn megabytes(contents: &[NamedContent]) -> f64 {
    contents.iter().map(|(_, content)| content.len()).sum::<usize>() as f64 / 1e6
}

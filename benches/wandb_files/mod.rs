//! `.wandb` files: those of the labelled runs beside W&B's own reader, and synthetic ones of several sizes.

use std::path::PathBuf;

use rundown_ingest::{RunAssembler, open};
use rundown_run::Run;

use crate::support::figures::{Figure, Figures, Peer, ROUNDS, Scaling, Unit};
use crate::{milliseconds, readers, support, wandb_file, wave};

/// As the browser reads.
const SLICE: usize = 4 << 20;
/// The design's limit natively, in MB/s.
const BUDGET: f64 = 250.0;
const METRICS: usize = 40;

/// A file as it would be dropped.
type NamedContent = (String, Vec<u8>);

/// Measures both.
pub fn measure(figures: &mut Figures) {
    figures.begin(
        "`.wandb` files",
        "Natively, on one core. W&B's own reader decodes the records and leaves the numbers as text.",
    );
    if let Some(files) = support::corpus_runs() {
        corpus_runs(&files, figures);
    }
    let mut points = Vec::new();
    for rows in [6_250, 25_000, 100_000] {
        let content = vec![synthetic(rows)];
        let megabytes = megabytes(&content);
        let times: Vec<f64> = (0..ROUNDS).map(|_| milliseconds(|| read(&content))).collect();
        points.push((megabytes, times.iter().copied().fold(f64::INFINITY, f64::min)));
        if rows == 100_000 {
            let rates = times.iter().map(|time| megabytes / time * 1e3).collect();
            let what = format!("one file of {} values, {megabytes:.0} MB", rows * METRICS);
            figures.record(Figure::new(what, Unit::MegabytesPerSecond, rates).at_least(BUDGET));
        }
    }
    figures.record_scaling(Scaling { what: "`.wandb`".to_owned(), size: "MB".to_owned(), points });
}

fn corpus_runs(files: &[PathBuf], figures: &mut Figures) {
    let contents: Vec<NamedContent> = files
        .iter()
        .filter_map(|path| Some((path.to_string_lossy().into_owned(), std::fs::read(path).ok()?)))
        .collect();
    let megabytes = megabytes(&contents);
    let what = format!("{} files of real runs, {megabytes:.0} MB", files.len());
    let mut figure = Figure::new(what, Unit::MegabytesPerSecond, Vec::new()).at_least(BUDGET);
    for _ in 0..ROUNDS {
        figure.ours.push(megabytes / milliseconds(|| read(&contents)) * 1e3);
        let Some(peer) = readers::peers::read("wandb", files) else { continue };
        if figure.peers.is_empty() {
            figure.peers.push(Peer { name: peer.name, values: Vec::new() });
        }
        figure.peers.iter_mut().for_each(|kept| kept.values.push(megabytes / peer.seconds));
    }
    figures.record(figure);
}

fn synthetic(rows: usize) -> NamedContent {
    let keys: Vec<String> = (0..METRICS).map(|key| format!("train/metric_{key}")).collect();
    let mut file = wandb_file::WandbFile::new("synthetic", "synthetic");
    for step in 0..rows {
        let values: Vec<(&str, f64)> =
            keys.iter().enumerate().map(|(key, name)| (name.as_str(), wave(step * 41 + key))).collect();
        file.row(step as u64, &values);
    }
    ("run-synthetic.wandb".to_owned(), file.finish(0))
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

//! A gigabyte in the browser: a file of that size through the page's own file input, and what it cost in memory.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::figures::{Figure, Figures, ROUNDS, Unit};
use crate::page::{Page, dist};
use crate::wandb_file::WandbFile;

mod memory;

/// Size of the file.
const BYTES: u64 = 1_000_000_000;
/// Metrics in each row: a run of TRL has about as many.
const METRICS: u64 = 40;

/// Writes the file, reads it in the browser, deletes it.
pub async fn measure(folder: &Path, figures: &mut Figures) -> Outcome {
    figures.begin("A `.wandb` file of 1 GB", "Memory is that of the page's process, its peak over what it was before.");
    let (path, rows) = write(folder)?;
    let outcome = read(&path, rows, figures).await;
    std::fs::remove_file(&path)?;
    outcome
}

async fn read(path: &Path, rows: u64, figures: &mut Figures) -> Outcome {
    let (mut rates, mut longest, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    // The metrics, and the step and the time of each row.
    let columns = (rows * (METRICS + 2) * 8) as f64 / 1e6;
    for _ in 0..ROUNDS {
        let page = Page::open("bench", dist(), "").await?;
        let before = memory::peak_of_renderers();
        let read = crate::read(&page, &[path.to_owned()], 1).await?;
        rates.push(BYTES as f64 / 1e3 / read.all);
        longest.push(read.longest);
        memory.extend(before.zip(memory::peak_of_renderers()).map(|(before, peak)| (peak - before) / columns));
    }
    let rate = Figure::new("file to verdict", Unit::MegabytesPerSecond, rates);
    figures.record(rate.at_least(150.0));
    figures.record(Figure::new("longest task of the page", Unit::Milliseconds, longest).at_most(50.0));
    let what = format!("memory, over the {columns:.0} MB of its columns");
    figures.record(Figure::new(what, Unit::Times, memory).at_most(2.0));
    Ok(())
}

/// A run of as many rows as fit, and their number. It is never in memory as a whole.
fn write(folder: &Path) -> Outcome<(PathBuf, u64)> {
    let path = folder.join("run-large.wandb");
    let mut out = BufWriter::new(File::create(&path)?);
    let keys: Vec<String> = (0..METRICS).map(|key| format!("train/metric_{key}")).collect();
    let mut file = WandbFile::new("large", "large");
    let (mut rows, mut written) = (0, 0);
    while written < BYTES {
        let values: Vec<(&str, f64)> =
            (0..).zip(&keys).map(|(key, name)| (name.as_str(), value(rows * 41 + key))).collect();
        file.row(rows, &values);
        let blocks = file.take_blocks();
        written += blocks.len() as u64;
        out.write_all(&blocks)?;
        rows += 1;
    }
    out.write_all(&file.finish(0))?;
    out.flush()?;
    Ok((path, rows))
}

/// A number that needs all its digits.
fn value(index: u64) -> f64 {
    (index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64
}

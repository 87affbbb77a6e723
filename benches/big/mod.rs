//! A gigabyte in the browser: a file of that size through the page's own file input, and what it cost in memory.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::measurements::{Measurement, Measurements, ROUNDS, Unit};
use crate::page::Page;
use crate::renderers;
use crate::synthetic::{METRICS, wandb_file};

/// Size of the file.
const BYTES: u64 = 1_000_000_000;

/// Writes the file, reads it in the browser, deletes it.
pub async fn measure(folder: &Path, measurements: &mut Measurements) -> Outcome {
    measurements
        .begin("A `.wandb` file of 1 GB", "Memory is that of the page's process, its peak over what it was before.");
    let (path, rows) = write(folder)?;
    let outcome = read(&path, rows, measurements).await;
    std::fs::remove_file(&path)?;
    outcome
}

async fn read(path: &Path, rows: u64, measurements: &mut Measurements) -> Outcome {
    let (mut rates, mut longest, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    // The metrics, and the step and the time of each row.
    let columns = (rows * (METRICS + 2) * 8) as f64 / 1e6;
    for _ in 0..ROUNDS {
        let page = Page::open_in_new_browser().await?;
        let before = renderers::peak_memory();
        let read = crate::read(&page, &[path.to_owned()], 1).await?;
        rates.push(BYTES as f64 / 1e3 / read.all);
        longest.push(read.longest);
        memory.extend(before.zip(renderers::peak_memory()).map(|(before, peak)| (peak - before) / columns));
    }
    let rate = Measurement::new("file to verdict", Unit::MegabytesPerSecond, rates);
    measurements.record(rate.at_least(150.0));
    measurements.record(Measurement::new("longest task of the page", Unit::Milliseconds, longest).at_most(50.0));
    let what = format!("memory, over the {columns:.0} MB of its columns");
    measurements.record(Measurement::new(what, Unit::Times, memory).at_most(2.0));
    Ok(())
}

/// A run of as many rows as fit, and their number.
fn write(folder: &Path) -> Outcome<(PathBuf, u64)> {
    let path = folder.join("run-large.wandb");
    let rows = wandb_file(BufWriter::new(File::create(&path)?), METRICS, |_, written| written >= BYTES)?;
    Ok((path, rows))
}

//! A gigabyte in the browser: a file of that size through the page's own file input, and what it cost in memory.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::line;
use crate::page::{Page, dist};
use crate::wandb_file::WandbFile;

mod memory;

/// Size of the file.
const BYTES: u64 = 1_000_000_000;
/// Metrics in each row: a run of TRL has about as many.
const METRICS: u64 = 40;

/// Writes the file, reads it in the browser, deletes it.
pub async fn measure(folder: &Path) -> Outcome {
    let (path, rows) = write(folder)?;
    let outcome = read(&path, rows).await;
    std::fs::remove_file(&path)?;
    outcome
}

async fn read(path: &Path, rows: u64) -> Outcome {
    let page = Page::open("bench", dist(), "").await?;
    let before = memory::peak_of_renderers();
    let read = crate::read(&page, &[path.to_owned()], 1).await?;
    let peak = memory::peak_of_renderers();
    line("one .wandb file of 1 GB, file to verdict", &format!("{:.1} s", read.all / 1e3), "");
    line(
        "  bytes through ingest, diagnosis and list",
        &format!("{:.0} MB/s", BYTES as f64 / 1e3 / read.all),
        ">= 100 MB/s",
    );
    line("  longest task of the main thread", &format!("{:.0} ms", read.longest), "<= 50 ms");
    // The metrics, and the step and the time of each row.
    let columns = (rows * (METRICS + 2) * 8) as f64 / 1e6;
    line("  f64 columns kept", &format!("{columns:.0} MB"), "");
    let (Some(before), Some(peak)) = (before, peak) else {
        line("  peak memory of the page's process", "unknown here", "");
        return Ok(());
    };
    line("  peak memory of the page's process", &format!("{peak:.0} MB"), "");
    line("    of it before the file was chosen", &format!("{before:.0} MB"), "");
    line("    what the file added, over its columns", &format!("{:.2}x", (peak - before) / columns), "<= 2x");
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

//! Synthetic curves, and a `.wandb` file of them of any size.
//!
//! Numbers need all their digits, as those of real runs do: short ones would flatter every reader.

use std::io::{self, Write};

use crate::wandb_file::WandbFile;

/// Metrics of a row: a run of TRL has about as many.
pub const METRICS: u64 = 40;

/// Uniform noise on a line that rises slowly.
pub fn wave(index: u64) -> f64 {
    let phase = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    phase as f64 / (1_u64 << 53) as f64 + index as f64 * 1e-7
}

/// The value of a metric in a row.
pub fn value(row: u64, metric: u64) -> f64 {
    wave(row * 41 + metric)
}

/// Writes a `.wandb` file of one run that is never in memory as a whole.
///
/// Rows are written until `is_enough(rows, bytes)`. Returns their number.
///
/// # Errors
/// Where the output fails.
pub fn wandb_file(mut out: impl Write, metrics: u64, is_enough: impl Fn(u64, u64) -> bool) -> io::Result<u64> {
    let keys: Vec<String> = (0..metrics).map(|metric| format!("train/metric_{metric}")).collect();
    let mut file = WandbFile::new("synthetic", "synthetic");
    let (mut rows, mut written) = (0, 0);
    while !is_enough(rows, written) {
        let values: Vec<(&str, f64)> =
            (0..).zip(&keys).map(|(metric, name)| (name.as_str(), value(rows, metric))).collect();
        file.row(rows, &values);
        let blocks = file.take_blocks();
        written += blocks.len() as u64;
        out.write_all(&blocks)?;
        rows += 1;
    }
    out.write_all(&file.finish(0))?;
    out.flush()?;
    Ok(rows)
}

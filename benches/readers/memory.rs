//! The most memory that each reader takes, from `/proc`. Each reads in a process of its own: what an earlier reading left
//! behind would hide what the next one takes.

use std::io;
use std::path::Path;
use std::process::Command;

use super::{files_of, read_slices};
use crate::support::process_status::field;

/// Names the input that a process is to read, and nothing else.
const INPUT: &str = "RUNDOWN_BENCH_MEMORY";
/// Bytes that the browser hands over at once.
const SLICE: usize = 256 << 10;

/// Reads the input that the environment names, prints what that took, and is true; false where none is named.
///
/// # Errors
/// Where the input cannot be read.
pub fn read_named() -> io::Result<bool> {
    let Some(path) = std::env::var_os(INPUT) else { return Ok(false) };
    let files = files_of(Path::new(&path));
    let kibibytes = |name: &str| field(std::process::id(), name).unwrap_or(f64::NAN);
    let before = kibibytes("VmRSS:");
    let ingested = read_slices(&files, SLICE)?;
    let peak = (kibibytes("VmHWM:") - before) * 1024.0;
    let values: usize = ingested
        .runs
        .iter()
        .map(|run| run.columns.values().map(|column| column.len()).sum::<usize>() + 2 * run.row_steps.len())
        .sum();
    println!("{}", peak / (values * size_of::<f64>()) as f64);
    Ok(true)
}

/// The peak of the memory that reading an input takes, over that of its values, steps and times as 64-bit floats. `None`
/// where there is no `/proc`.
pub fn peak(path: &Path) -> Option<f64> {
    let output = Command::new(std::env::current_exe().ok()?).env(INPUT, path).output().ok()?;
    let ratio: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    ratio.is_finite().then_some(ratio)
}

//! How fast the engine is natively, beside a peer in the same run where there is one. Prints, never asserts.
//!
//! Run through `make bench`, which adds the browser's numbers and writes `docs/performance.md`. Corpus: `RUNDOWN_CORPUS`.
//! With `RUNDOWN_BENCH` set, only the readers whose name contains it are measured, and nothing is kept.

use std::time::{Duration, Instant};

mod comparing;
mod diagnosis;
mod messages;
mod readers;
mod support;
#[path = "../tests/support/wandb_file.rs"]
mod wandb_file;
mod wandb_files;

use support::figures::Figures;

fn main() -> std::io::Result<()> {
    let mut figures = Figures::default();
    if std::env::var_os("RUNDOWN_BENCH").is_some() {
        return readers::measure(&mut figures);
    }
    readers::measure(&mut figures)?;
    wandb_files::measure(&mut figures);
    diagnosis::measure(&mut figures);
    comparing::measure(&mut figures);
    messages::measure(&mut figures);
    figures.save("native")
}

/// How long some work took, in milliseconds.
fn milliseconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    let took: Duration = start.elapsed();
    took.as_secs_f64() * 1e3
}

/// A rough curve that needs all its digits.
fn wave(index: usize) -> f64 {
    let phase = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    phase as f64 / (1_u64 << 53) as f64 + index as f64 * 1e-7
}

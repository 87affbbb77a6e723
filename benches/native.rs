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
#[path = "support/synthetic.rs"]
mod synthetic;
#[path = "../tests/support/wandb_file.rs"]
mod wandb_file;
mod wandb_files;

use support::measurements::Measurements;

fn main() -> std::io::Result<()> {
    let mut measurements = Measurements::default();
    if std::env::var_os("RUNDOWN_BENCH").is_some() {
        return readers::measure(&mut measurements);
    }
    readers::measure(&mut measurements)?;
    wandb_files::measure(&mut measurements);
    diagnosis::measure(&mut measurements);
    comparing::measure(&mut measurements);
    messages::measure(&mut measurements);
    measurements.save("native")
}

/// How long some work took, in milliseconds.
fn milliseconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    let took: Duration = start.elapsed();
    took.as_secs_f64() * 1e3
}

//! How fast the engine is natively, beside a peer in the same run where there is one. Prints, never asserts.
//!
//! Run through `make bench`, which adds the browser's numbers and writes `docs/performance.md`. Corpus: `RUNDOWN_CORPUS`.
//! With `RUNDOWN_BENCH` set to something else than a part, only the readers whose name contains it are measured, and nothing
//! is kept.

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

use support::measurements::{Measurements, is_benchmark};

/// As the terminal's program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures a part.
type Part = fn(&mut Measurements) -> std::io::Result<()>;

/// The parts; `RUNDOWN_BENCH` names the one that is to be measured alone.
const PARTS: [(&str, Part); 5] = [
    ("readers", readers::measure),
    ("wandb", wandb_files::measure),
    ("diagnosis", diagnosis::measure),
    ("views", comparing::measure),
    ("messages", messages::measure),
];

fn main() -> std::io::Result<()> {
    if !is_benchmark() {
        return Ok(());
    }
    let asked = std::env::var("RUNDOWN_BENCH").ok();
    let is_part = |name: &str| PARTS.iter().any(|(part, _)| *part == name);
    if asked.as_deref().is_some_and(|asked| !is_part(asked)) {
        return readers::measure(&mut Measurements::default());
    }
    for (_, measure) in PARTS.iter().filter(|(part, _)| asked.as_deref().is_none_or(|asked| asked == *part)) {
        let mut measurements = Measurements::default();
        measure(&mut measurements)?;
        measurements.save("native")?;
    }
    Ok(())
}

/// How long some work took, in milliseconds.
fn milliseconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    let took: Duration = start.elapsed();
    took.as_secs_f64() * 1e3
}

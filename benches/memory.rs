//! The most memory that each reader takes, counted in its allocations. Prints, never asserts.
//!
//! A program of its own, as counting costs time. Run through `make bench`.

use std::alloc::System;

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};

#[allow(dead_code, reason = "the other benchmark measures how long reading takes")]
mod readers;
mod support;
#[path = "support/synthetic.rs"]
#[allow(dead_code, reason = "each benchmark uses a part of this")]
mod synthetic;
#[path = "../tests/support/wandb_file.rs"]
#[allow(dead_code, reason = "each benchmark uses a part of this")]
mod wandb_file;

use support::measurements::{Measurements, is_benchmark};

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> std::io::Result<()> {
    if !is_benchmark() {
        return Ok(());
    }
    let mut measurements = Measurements::default();
    readers::measure_memory(&mut measurements, |read| {
        ALLOCATOR.reset_peak_memory();
        let ingested = read()?;
        let peak = ALLOCATOR.get_peak_memory();
        Ok((ingested, peak))
    })?;
    measurements.save("memory")
}

//! Runs a fuzz target on one input and measures what memory it took.
//!
//! The properties stand in [`properties`] and are ordinary functions, so that `tests/fuzz.rs` runs the seeds and every
//! past find as tests, without libFuzzer.

use peak_alloc::PeakAlloc;

pub mod properties;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Checks the properties of the target `name` on one input.
///
/// # Panics
/// Where a property does not hold, and for an unknown name.
pub fn check(name: &str, input: &[u8]) {
    let target = properties::target(name).expect("a known target");
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    (target.check)(input);
    let peak = MEMORY.peak_usage().saturating_sub(before);
    let limit = target.memory_limit(input.len());
    assert!(peak <= limit, "{peak} bytes of memory for an input of {}: the limit is {limit}", input.len());
}

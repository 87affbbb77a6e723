//! Checks of time, failures and memory.

pub mod error_rate_high;
pub mod low_overlap;
pub mod memory_creep;
pub mod rollout_bound;
pub mod rollout_failures;
pub mod rollout_slow;
pub mod step_time_outliers;
pub mod throughput_regression;
pub mod trainer_bound;
pub mod volume_reload_slow;

/// Lost time, in seconds of the whole run, below which there is no warning: runs of small models take minutes, on shared machines.
const NEGLIGIBLE_LOSS: f64 = 60.0;

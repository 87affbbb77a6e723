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

/// Seconds that a run may lose in all without a warning: runs of small models are over in minutes, and share their machine.
const FEW_SECONDS: f64 = 60.0;

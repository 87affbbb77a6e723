//! Checks of power laws of compute.

pub mod compute_per_step_uneven;
pub mod power_law_fit;
pub mod scaling_saturated;

//! Checks of the difference between the sampling and the training policy.

pub mod sampler_mismatch;
pub mod staleness;

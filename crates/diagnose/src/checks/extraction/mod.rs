//! Checks of how outputs are parsed.

pub mod empty_responses;
pub mod extraction_rate_low;
pub mod partial_responses;

//! Checks of response lengths.

pub mod end_token_missing;
pub mod length_collapse;
pub mod length_explosion;
pub mod length_pinned_at_cap;
pub mod length_reward_coupling;
pub mod truncation;

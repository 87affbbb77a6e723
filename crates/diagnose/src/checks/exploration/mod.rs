//! Checks of the entropy.

pub mod entropy_collapse;
pub mod entropy_collapsed_at_start;
pub mod entropy_explosion;

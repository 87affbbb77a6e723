//! Checks of how far and how fast the policy moves.

pub mod clip_fraction_high;
pub mod kl_blow_up;
pub mod kl_drift;
pub mod kl_spikes;
pub mod kl_without_reward;
pub mod ratio_drift;
pub mod reference_mismatch;
pub mod too_aggressive;
pub mod too_conservative;

//! Checks of gradients, loss, learning rate and critic.

pub mod critic_failure;
pub mod gradient_dying;
pub mod gradient_norm_high;
pub mod gradient_spikes;
pub mod learning_rate_too_high;
pub mod learning_rate_zero;
pub mod loss_divergence;
pub mod loss_spikes;
pub mod warmup_missing;

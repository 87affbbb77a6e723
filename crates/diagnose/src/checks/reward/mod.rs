//! Checks of the reward, its parts and the groups that it is compared in.

pub mod format_only_policy;
pub mod invalid_outputs_rising;
pub mod penalised_reward_falling;
pub mod proxy_only_gain;
pub mod reward_break;
pub mod reward_component_dead;
pub mod reward_hacking;
pub mod reward_spread_growing;
pub mod reward_unstable;
pub mod zero_variance_groups;

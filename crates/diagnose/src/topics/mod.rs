//! What the metrics of one topic say together (phases of a step, a league, a cache), and the threshold rules that checks
//! of several topics follow. All read the prepared run; a check decides what a measurement means.

pub(crate) mod abrupt_fall;
pub(crate) mod bottleneck;
pub(crate) mod cache;
pub(crate) mod constant_end;
pub(crate) mod data_shift;
pub(crate) mod drop_from_peak;
pub(crate) mod end_token;
pub(crate) mod error_texts;
pub(crate) mod event_rates;
pub(crate) mod follows_rate;
pub(crate) mod kl_penalty;
pub(crate) mod league;
pub(crate) mod parts_in_use;
pub(crate) mod responses;
pub(crate) mod reward_parts;
pub(crate) mod reward_swings;
pub(crate) mod rollout_capacity;
pub(crate) mod scaling;
pub(crate) mod spike_cluster;
pub(crate) mod step_phases;
pub(crate) mod step_work;
pub(crate) mod threshold_rule;
pub(crate) mod time_cost;
pub(crate) mod update_size;

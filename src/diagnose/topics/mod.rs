//! What the metrics of one topic say together (phases of a step, a league, a cache), and the threshold rules that checks
//! of several topics follow. All read the prepared run; a check decides what a measurement means.

pub(in crate::diagnose) mod bottleneck;
pub(in crate::diagnose) mod cache;
pub(in crate::diagnose) mod data_shift;
pub(in crate::diagnose) mod drop_from_peak;
pub(in crate::diagnose) mod error_texts;
pub(in crate::diagnose) mod event_rates;
pub(in crate::diagnose) mod league;
pub(in crate::diagnose) mod responses;
pub(in crate::diagnose) mod reward_parts;
pub(in crate::diagnose) mod reward_swings;
pub(in crate::diagnose) mod rollout_capacity;
pub(in crate::diagnose) mod scaling;
pub(in crate::diagnose) mod spike_cluster;
pub(in crate::diagnose) mod step_phases;
pub(in crate::diagnose) mod threshold_rule;
pub(in crate::diagnose) mod update_size;

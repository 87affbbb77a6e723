//! Measurements that checks share: levels and their noise, onsets, growth, thresholds that last, and what the metrics of
//! one topic say together. Pure functions over metric series; a check decides what a measurement means.

pub(in crate::diagnose) mod bottleneck;
pub(in crate::diagnose) mod cache;
pub(in crate::diagnose) mod criteria;
pub(in crate::diagnose) mod drop_from_peak;
pub(in crate::diagnose) mod duplicates;
pub(in crate::diagnose) mod event_rates;
pub(in crate::diagnose) mod growth;
pub(in crate::diagnose) mod hinge;
pub(in crate::diagnose) mod kl;
pub(in crate::diagnose) mod league;
pub(in crate::diagnose) mod level;
pub(in crate::diagnose) mod noise;
pub(in crate::diagnose) mod onset;
pub(in crate::diagnose) mod prefix_lengths;
pub(in crate::diagnose) mod responses;
pub(in crate::diagnose) mod reward_parts;
pub(in crate::diagnose) mod reward_swings;
pub(in crate::diagnose) mod rise_onset;
pub(in crate::diagnose) mod scaling;
pub(in crate::diagnose) mod series;
pub(in crate::diagnose) mod step_phases;
pub(in crate::diagnose) mod task_count;
pub(in crate::diagnose) mod threshold_rule;
pub(in crate::diagnose) mod update_size;
pub(in crate::diagnose) mod zero_variance;

//! Measurements of a metric series: levels and their noise, onsets, growth. Pure functions; a check decides what a
//! measurement means.

pub(in crate::diagnose) mod criteria;
pub(in crate::diagnose) mod duplicates;
pub(in crate::diagnose) mod growth;
pub(in crate::diagnose) mod hinge;
pub(in crate::diagnose) mod level;
pub(in crate::diagnose) mod noise;
pub(in crate::diagnose) mod onset;
pub(in crate::diagnose) mod prefix_lengths;
pub(in crate::diagnose) mod rise_onset;
pub(in crate::diagnose) mod series;
pub(in crate::diagnose) mod start_to_end;
pub(in crate::diagnose) mod task_count;

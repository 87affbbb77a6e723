//! Measurements of a metric series: levels and their noise, onsets, growth. Pure functions; a check decides what a
//! measurement means.

pub(crate) mod criteria;
pub(crate) mod extremes;
pub(crate) mod few_points;
pub(crate) mod growth;
pub(crate) mod hinge;
pub(crate) mod increase_onset;
pub(crate) mod level;
pub(crate) mod log_start;
pub(crate) mod loss_weight;
pub(crate) mod matched;
pub(crate) mod noise;
pub(crate) mod onset;
pub(crate) mod prefix_lengths;
pub(crate) mod schedule_peak;
pub(crate) mod series;
pub(crate) mod start_to_end;
pub(crate) mod task_count;
pub(crate) mod trend;
pub(crate) mod warmup_end;
pub(crate) mod win_rate;
pub(crate) mod window_noise;

/// 97.5 % quantile of the standard normal distribution: half of a 95 % interval in standard errors.
pub const Z_95: f64 = 1.96;
/// Standard errors of a change, or of a fall from a level, whose place was picked from many: one more than of one that was not. Ours.
pub(crate) const Z_PICKED: f64 = 4.0;
/// p below which no sentence calls a change noise; the usual one, and weaker than what the rulebook asks of learning.
pub(crate) const SIGNIFICANT: f64 = 0.05;

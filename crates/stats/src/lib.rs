//! Statistics for training curves: autocorrelated, sparse, rounded, restarted. Pure functions over slices.
//!
//! The distributions are statrs'; the tests around them are own code where the choice of the test matters: trends are
//! corrected for autocorrelation, which is 0.9 and more in the curves of a training run, and every estimate is robust
//! against the spikes that it has to report. A module whose subject a crate has says why that crate is not used.
//!
//! Functions return `None` on too little data. Removing non-finite values is the caller's duty; where they slip
//! through, a result may be NaN, but nothing panics or hangs. Logarithms and powers come from `libm`, and what statrs
//! computes is rounded, so that a native build and wasm decide alike.

mod aggregate;
mod align;
mod autocorrelation;
mod bins;
mod blocks;
mod change;
mod compact_sort;
mod correlation;
mod denominator;
mod describe;
mod distributions;
mod fit;
mod forest;
#[cfg(test)]
mod golden;
mod groups;
mod league;
mod median_interval;
mod multiple;
mod proportion;
mod random;
mod shape;
mod smooth;
mod spikes;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trend;

pub use aggregate::{
    IntervalEstimate, MANY_SCORES, OrderedSample, bootstrap_gain, bootstrap_improvement, draw_counts, gain_of_many,
    improvement_of_many, iqm, iqm_of_many, stratified_bootstrap,
};
pub use align::{forward_fill, interpolated};
pub use autocorrelation::{effective_size, lag1};
pub use bins::{Bins, quantile_bins, quantile_bins_of_sorted};
pub use blocks::block_means;
pub use change::{ChangePoint, single_change};
pub use compact_sort::{CompactCollect, CompactSort};
pub use correlation::{level_ranks, pearson, pearson_interval, ranks, spearman, spearman_interval};
pub use denominator::common_denominator;
pub use describe::{
    ascending, difference_sigma, differences, is_middle_by_logarithm, mad_sigma, mean, median, median_of, quantile,
    sigma_of_mad, std_dev,
};
pub use distributions::{normal_sf, student_quantile};
pub use fit::{
    Crossing, FitError, LeastSquares, OffsetPower, PowerLaw, SaturatingPower, Sigmoid, aicc, fit_offset_power,
    fit_power_law, fit_saturating_power, fit_sigmoid, least_squares,
};
pub use forest::{Feature, Forest, Importance, MAX_FEATURES, forest};
pub use groups::{
    Dominance, KruskalWallis, dominance, fisher_p, groups_depend, kruskal_wallis, least_p, rank_tests, within_blocks,
};
pub use league::{Pairing, Rating, Ratings, bradley_terry, elo_error, expected_score};
pub use median_interval::{MedianInterval, median_interval};
pub use multiple::{benjamini_hochberg, holm};
pub use proportion::{excess_of_best, two_proportion_z, wilson};
pub use random::SplitMix64;
pub use shape::{Shape, shape};
pub use smooth::{
    TimeWeightedAverage, ema, ema_reach, gaussian, gaussian_reach, running_mean, running_medians,
    running_medians_beyond, running_residuals, time_weighted_ema,
};
pub use spikes::{SPIKE_NEIGHBOURS, SPIKE_RATIO, SPIKE_SIGMAS, densest, episodes, hampel_log};
pub use trend::{TheilSen, mann_kendall, mann_kendall_corrected, theil_sen};

//! Statistics for training curves: autocorrelated, sparse, rounded, restarted. Pure functions over slices.
//!
//! They are our own because the choices matter more than the code: every test corrects for autocorrelation, which
//! is 0.9 and more in the curves of a training run, and every estimate survives the spikes that it has to report.
//! Functions return `None` on too little data. Removing non-finite values is the caller's duty; where they slip
//! through, a result may be NaN, but nothing panics or hangs. All logarithms and tails come from the `libm` crate,
//! so that a native build and wasm agree bit for bit.

mod aggregate;
mod association;
mod autocorrelation;
mod bins;
mod bradley_terry;
mod change;
mod contingency;
mod correlation;
mod correlation_interval;
mod describe;
mod distributions;
mod effect;
mod elo;
mod fit;
mod forest;
mod groups;
mod held;
mod inversions;
mod median_interval;
mod multiple;
mod pair_slopes;
mod proportion;
mod random;
mod rank_tests;
mod shape;
mod smooth;
mod spikes;
#[cfg(test)]
pub(crate) mod testing;
mod trend;
mod window;

pub use aggregate::{Aggregate, Resampled, bootstrap_gain, bootstrap_improvement, iqm, stratified_bootstrap};
pub use autocorrelation::{effective_size, lag1};
pub use bins::{Bins, quantile_bins};
pub use bradley_terry::{Pairing, Rating, Ratings, bradley_terry};
pub use change::{ChangePoint, single_change};
pub use contingency::groups_depend;
pub use correlation::{pearson, ranks, spearman};
pub use correlation_interval::{pearson_interval, spearman_interval};
pub use describe::{difference_sigma, mad_sigma, mean, median, quantile, std_dev};
pub use distributions::normal_sf;
pub use effect::{Dominance, dominance};
pub use elo::{elo_error, expected_score};
pub use fit::{
    LeastSquares, OffsetPower, PowerLaw, SaturatingPower, Sigmoid, Unfit, aicc, fit_offset_power, fit_power_law,
    fit_saturating_power, fit_sigmoid, least_squares,
};
pub use forest::{Feature, Forest, Importance, MOST_FEATURES, forest};
pub use groups::{KruskalWallis, kruskal_wallis};
pub use held::held;
pub use median_interval::{MedianInterval, median_interval};
pub use multiple::{benjamini_hochberg, holm};
pub use proportion::{excess_of_best, two_proportion_z, wilson};
pub use random::SplitMix64;
pub use rank_tests::{RankTests, rank_tests, within_blocks};
pub use shape::{Shape, shape};
pub use smooth::{running_mean, time_weighted_ema};
pub use spikes::{Hampel, episodes, hampel_log};
pub use trend::{MannKendall, TheilSen, mann_kendall, mann_kendall_corrected, theil_sen};
pub use window::{running_medians, running_medians_beyond};

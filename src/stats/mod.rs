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
mod bootstrap;
mod bradley_terry;
mod change;
mod change_interval;
mod contingency;
mod correlation;
mod correlation_interval;
mod cusum;
mod describe;
mod distributions;
mod effect;
mod elo;
mod fit;
mod forest;
mod groups;
mod held;
mod inversions;
mod lead_lag;
mod median_interval;
mod multiple;
mod pair_slopes;
mod partial;
mod periodicity;
mod proportion;
mod random;
mod rank_tests;
mod shape;
mod smooth;
mod spike_episodes;
mod spikes;
#[cfg(test)]
pub(crate) mod testing;
mod trend;
mod window;

pub use aggregate::{
    Aggregate, bootstrap_gain, bootstrap_improvement, iqm, optimality_gap, probability_of_improvement,
    stratified_bootstrap,
};
pub use association::{Association, correlation_of_changes, effective_pairs, kendall, spearman_test};
pub use autocorrelation::{autocorrelation, effective_size, lag1};
pub use bins::{Bins, quantile_bins};
pub use bootstrap::{Resampled, block_length, bootstrap_difference, bootstrap_mean};
pub use bradley_terry::{Pairing, Rating, Ratings, bradley_terry};
pub use change::{ChangePoint, default_penalty, pelt, single_change};
pub use change_interval::{LocatedChange, locate, located_changes};
pub use contingency::groups_depend;
pub use correlation::{pearson, ranks, spearman};
pub use correlation_interval::{pearson_interval, spearman_interval};
pub use cusum::{Cusum, CusumAlarm, CusumRule, Side, average_run_length, cusum};
pub use describe::{difference_sigma, mad, mad_sigma, mean, median, quantile, std_dev};
pub use distributions::{binomial_sf, chi_square_sf, normal_p, normal_sf, student_p, student_quantile};
pub use effect::{Dominance, dominance, median_shift};
pub use elo::{ELO_PER_LOGIT, elo_error, expected_score, games_needed, rating_difference};
pub use fit::{
    EntropyLaw, LeastSquares, Line, OffsetPower, PowerLaw, SaturatingPower, Sigmoid, Unfit, aicc, entropy_law,
    fit_line, fit_offset_power, fit_power_law, fit_saturating_power, fit_sigmoid, least_squares,
};
pub use forest::{Feature, Forest, Importance, MOST_FEATURES, forest};
pub use groups::{KruskalWallis, kruskal_wallis};
pub use held::held;
pub use lead_lag::{LagCorrelation, LeadLag, lead_lag};
pub use median_interval::{MedianInterval, median_interval};
pub use multiple::{benjamini_hochberg, benjamini_yekutieli, holm};
pub use partial::partial_spearman;
pub use periodicity::{Period, periodic, periods};
pub use proportion::{excess_of_best, mcnemar_exact, p_of_best, tasks_needed, two_proportion_z, wilson};
pub use random::SplitMix64;
pub use rank_tests::{RankTests, rank_tests, within_blocks};
pub use shape::{Shape, shape};
pub use smooth::{ema, gaussian, running_mean, time_weighted_ema};
pub use spike_episodes::{Ending, SpikeEpisode, spike_episodes};
pub use spikes::{Hampel, episodes, hampel, hampel_log, trailing_spikes};
pub use trend::{
    MannKendall, TheilSen, mann_kendall, mann_kendall_corrected, mann_kendall_hamed_rao, theil_sen, theil_sen_corrected,
};
pub use window::{running_medians, running_medians_beyond};

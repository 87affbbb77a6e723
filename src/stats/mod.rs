//! Statistics for training curves: autocorrelated, sparse, rounded, restarted. Pure functions over slices.
//!
//! They are our own because the choices matter more than the code: every test corrects for autocorrelation, which
//! is 0.9 and more in the curves of a training run, and every estimate survives the spikes that it has to report.
//! Functions return `None` on too little data. Removing non-finite values is the caller's duty; where they slip
//! through, a result may be NaN, but nothing panics or hangs. All logarithms and tails come from the `libm` crate,
//! so that a native build and wasm agree bit for bit.

mod autocorrelation;
mod change;
mod correlation;
mod describe;
mod inversions;
mod pair_slopes;
mod proportion;
mod smooth;
mod spikes;
#[cfg(test)]
pub(crate) mod testing;
mod trend;

pub use autocorrelation::{autocorrelation, effective_size, lag1};
pub use change::{ChangePoint, default_penalty, pelt, single_change};
pub use correlation::{pearson, ranks, spearman};
pub use describe::{difference_sigma, mad, mad_sigma, mean, median, quantile, std_dev};
pub use proportion::{normal_sf, two_proportion_z, wilson};
pub use smooth::{ema, gaussian, running_mean, time_weighted_ema};
pub use spikes::{Hampel, episodes, hampel, hampel_log};
pub use trend::{MannKendall, TheilSen, mann_kendall, mann_kendall_corrected, theil_sen};

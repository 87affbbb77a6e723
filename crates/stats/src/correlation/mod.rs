//! Correlation of two columns: coefficients, their significance and their intervals.

mod coefficients;
mod interval;
mod test;

pub use coefficients::{level_ranks, pearson, ranks, spearman};
pub use interval::{pearson_interval, spearman_interval};
pub(super) use test::{p_of_r, spearman_test};

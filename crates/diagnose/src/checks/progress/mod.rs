//! Checks of whether the task is learned.

pub mod delayed_lift_off;
pub mod gain_not_established;
pub mod no_learning;
pub mod overfitting;
pub mod plateau;
pub mod regression_from_peak;

//! Checks of the data and of the process that logged it.

pub mod duplicate_run;
pub mod histograms_missing;
pub mod insufficient_data;
pub mod metric_not_computed;
pub mod no_metrics;
pub mod nonfinite_values;
pub mod restarted_with_overlap;
pub mod rubric_not_logged;
pub mod run_crashed;
pub mod sampled_history;
pub mod stalled;

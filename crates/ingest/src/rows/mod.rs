//! Metrics by row, as several formats hold them: collecting columns, aligning points that came without rows, finding
//! the step and the time among the names of a row, points of several runs.

pub(crate) mod closing_row;
pub(crate) mod columns;
mod count_texts;
pub(crate) mod counting;
pub(crate) mod counts;
pub(crate) mod frame_gaps;
pub(crate) mod labels;
pub(crate) mod long_rows;
pub(crate) mod media;
pub(crate) mod metric_rows;
pub(crate) mod metric_words;
pub(crate) mod names;
pub(crate) mod plan;
pub(crate) mod points;
pub(crate) mod read_progress;
mod repeated_rows;
pub(crate) mod reward_group;
pub(crate) mod run_fields;
pub(crate) mod sampled;
pub(crate) mod settle;
pub(crate) mod step_rows;
pub(crate) mod sums;
pub mod wandb_media;
mod worded_step;

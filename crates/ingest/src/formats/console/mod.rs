//! Console output: what a person saw ([`Console`]), and the metrics that trainers print into it.
//!
//! Console logs have no common format. Lines of five families are read, each in a file of its own: dictionaries of
//! Python ([`dicts`], printed by the Hugging Face Trainer), verl's lines ([`verl`]), tables ([`tables`]), metrics
//! behind progress bars ([`bar_rows`]) and lines that repeat with numbers under the same words ([`repeated`]). Everything else in
//! a log is text, of which a run keeps the end.

mod bar_rows;
mod boxes;
mod command;
mod counts;
mod dicts;
mod ending;
mod file;
mod head_settings;
mod jobs;
mod kaggle;
mod labelled;
mod line_times;
mod log_starts;
mod metrics;
mod progress;
mod repeated;
mod sample_labels;
mod screen;
mod segments;
mod settings;
mod tables;
mod verl;
mod wrapped_dicts;
mod wrapped_pairs;
mod wrapped_verl;

pub(crate) use command::script as script_settings;
pub(crate) use file::{ConsoleFileReader, has_training_name, holds_rows, is_container_log, is_log_name, is_page_name};
pub(crate) use head_settings::{GROUP_SIZE, changed_group};
pub(crate) use kaggle::is_kaggle_log;
pub(crate) use metrics::{LogMetrics, OuterEvaluations};
pub(crate) use progress::clock_seconds;
pub(crate) use screen::Console;
pub(crate) use segments::Segments;

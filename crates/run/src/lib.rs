//! What a run *is*: columns of numbers, config, state, logs. No I/O, no diagnosis.
//!
//! All other crates use these types, which hold no more of a run's source than the provenance that a reader must be
//! shown.

mod append;
mod axis;
mod clock;
mod column;
mod config;
mod counter;
mod events;
mod final_values;
mod histogram;
mod list;
mod media;
mod pairs;
mod record;
mod reorder;
mod row_numbers;
mod run_name;
mod same;
mod sampled_series;
mod sampling;
mod series;
mod source;
mod tail;
mod time;
mod tracker;
mod warning;

pub use axis::{AxisReason, PLANNED_STEPS_KEYS, Restart, STEP_KEYS, StepAxis};
pub use column::{Band, Column};
pub use config::{Config, ConfigKeys, ConfigValue};
pub use events::{ERROR_TEXTS, ErrorText, EventLabel, EventLog, LABEL_NAMES, LabelMean, Sighting};
pub use histogram::Histogram;
pub use media::{Artifact, Log, LogLine, LoggedCell, LoggedTable, Stream, TableFile, exception, frame};
pub use record::add_new;
pub use record::{Ending, MetricRule, Run, RunState};
pub use row_numbers::RowNumbers;
pub use run_name::{MONTHS, without_mark};
pub use sampling::{Sampling, Thinning};
pub use series::{Series, sort_points};
pub use source::{FileFormat, SourceFile};
pub use time::{day_start, iso_seconds};
pub use tracker::{Tracking, TrackingSign};
pub use warning::{ExportedWarning, RunWarning};

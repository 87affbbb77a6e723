//! Several runs side by side: which are selected, what came of them, how they differ, and whether that is more than
//! chance.
//!
//! All of it works on [`Entry`]s, which are made of diagnosed runs or read back from JSON reports. Functions take
//! references, so that a selection of runs is compared without copying it.

mod band;
mod baseline;
mod best_config;
mod config_diff;
mod contrast;
mod copies;
mod entry;
mod experiments;
pub mod facts;
mod from_report;
mod groups;
mod outcome;
mod parameters;
mod pareto;
mod query_fields;
mod ranking;
mod recommend;
mod reported;
mod roles;
mod sample;
mod signals;
mod slices;
mod summary;
mod target;
#[cfg(test)]
pub(crate) mod testing;

pub use band::{Band, band};
pub use baseline::{Difference, against_baseline, difference};
pub use best_config::{BestConfig, BestValue, Origin, best_config, same_config};
pub use config_diff::{ConfigDiff, DiffRow, config_diff};
pub use contrast::{Claim, Contrast, GroupLevel, LEAST_RUNS, contrasts, group_level, group_levels};
pub use copies::copies;
pub use entry::{Entry, Found, TRACE_POINTS, Trace};
pub use experiments::{Experiment, Source, experiments};
pub use from_report::{ReportError, ReportedRuns, direction_name, is_report, read_report, read_reported_run};
pub use groups::{Group, Grouping, group_by, name_prefix};
pub use outcome::{Best, Metric, Noise, Outcome, outcome, primary_metric};
pub use parameters::{Constant, Dropped, Kind, Level, Near, Parameter, Parameters, Why, parameters};
pub use pareto::{Cost, Weighed, pareto};
pub use ranking::{Ranked, ranking};
pub use recommend::{Advice, advise};
pub use reported::reported_analysis;
pub use roles::{Role, role_of};
pub use sample::{LeftOut, Sample, Target, sample, uneven};
pub use signals::{
    Bin, Doubt, Estimate, FEWEST_RUNS, Importance, LEVEL, NoImportance, Signal, Signals, Strength, rewarded_by,
    signals, signals_of,
};
pub use slices::{Slice, slices};
pub use target::{Reach, common_target, reach};

use crate::diagnose::Diagnosis;
use crate::run::Run;

/// A run and what was said of it.
pub type Judged<'a> = (&'a Run, &'a Diagnosis);

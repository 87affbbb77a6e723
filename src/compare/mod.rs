//! Several runs side by side: the order of the run list and the measure that they share.

mod best_config;
mod entry;
pub mod facts;
mod leaderboard;
mod measure;
mod ranking;
mod experiments;
mod parameters;
mod recommend;
mod sample;
mod signals;
mod slices;
#[cfg(test)]
mod testing;

pub use best_config::{BestConfig, BestValue, Origin, best_config, same_config};
pub use entry::{Entry, Found, TRACE_POINTS, Trace};
pub use experiments::{Experiment, Source, experiments};
pub use leaderboard::{LeaderboardRow, leaderboard, list_order};
pub use measure::{Measure, shared_measure};
pub use ranking::{EntryRow, SharedMetric, ranked, shared_metric};
pub use parameters::{Constant, Dropped, Kind, Level, Near, Parameter, Parameters, Why, parameters};
pub use recommend::{Advice, advise};
pub use sample::{LeftOut, Sample, Target, sample};
pub use signals::{
    Bin, Estimate, FEWEST_RUNS, Importance, LEVEL, NoImportance, Signal, Signals, Strength, signals, signals_of,
};
pub use slices::{Slice, slices};

use crate::diagnose::Diagnosis;
use crate::run::Run;

/// A run and what was said of it.
pub type Judged<'a> = (&'a Run, &'a Diagnosis);

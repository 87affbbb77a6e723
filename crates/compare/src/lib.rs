//! Several runs side by side: which are selected, their outcomes, how they differ, and whether that is more than
//! chance.
//!
//! All of it works on [`RunSummary`]s, which are made of diagnosed runs or read back from JSON reports. Functions take
//! references, so that a selection of runs is compared without copying it.

mod band;
mod baseline;
mod best_config;
mod config_diff;
mod contrast;
mod copies;
mod effects;
mod experiments;
pub mod facts;
mod groups;
mod last_values;
mod matched_runs;
mod outcome;
mod parameters;
mod pareto;
mod query_fields;
mod ranking;
mod recommendations;
mod reported;
mod run_summary;
mod sample;
mod settings;
mod target;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trace;

pub use band::{CurveBand, band, iqm_curve, iqm_interval};
pub use baseline::{Difference, difference, is_shown_alike, is_sure, is_sure_lead, of_both};
pub use best_config::{BestConfig, BestValue, NoBestConfig, ValueOrigin, best_config};
pub use config_diff::{ConfigDiff, ConfigDiffRow, config_diff, joined_rows};
pub use contrast::{
    ContrastClaim, GroupContrast, GroupLevel, MAX_COMPARED_GROUPS, MIN_RUNS_OF_GROUP, contrasts, group_level,
    group_levels,
};
pub use copies::copies;
pub use effects::{
    Confounding, Effect, EffectAnalysis, EffectBin, Estimate, FailingValues, FailureCount, FailureEffect, MatchedBest,
    NoImportance, SIGNIFICANCE, Strength, comparable, differing_part, effects_of, failure_effects, rewarded_by,
};
pub use experiments::{Experiment, ExperimentReason, ExperimentText, StopRule, experiments};
pub use groups::{Grouping, RunGroup, group_by, name_prefix};
pub use matched_runs::{MatchedRuns, matched_runs};
pub use outcome::{BestCheckpoint, Metric, RunOutcome, longer_side, outcome, primary_metric};
pub use parameters::{
    ConstantSetting, CorrelatedSetting, ExcludedSetting, ExclusionReason, MIN_RUNS_FOR_EFFECTS, Parameter,
    ParameterKind, ParameterLevel, Parameters, parameters,
};
pub use pareto::{CostMeasure, MIN_ROWS_ON_FRONT, ParetoPoint, pareto};
pub use ranking::{RankedRun, ranking};
pub use recommendations::{Recommendations, advise};
pub use reported::{reported_analysis, reported_summary};
pub use run_summary::{ConflictSummary, FindingSummary, RunSummary};
pub use sample::{ExcludedRuns, RunExclusion, RunSample, Target, sample, uneven};
pub use settings::{KeyPlaces, SettingColumn, SettingRole, names_tasks, role_of, setting_columns};
pub use target::{CommonTarget, StepsToTarget, common_target};
pub use trace::{Sparkline, TRACE_POINTS, Trace, tail_points};

use rundown_diagnose::Diagnosis;
use rundown_run::Run;

/// A run and its diagnosis.
pub type DiagnosedRun<'a> = (&'a Run, &'a Diagnosis);

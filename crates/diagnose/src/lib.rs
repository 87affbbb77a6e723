//! From a run to findings: one file per check, a verdict, root causes above consequences.
//!
//! A check never guesses: without its metric it is *skipped* and names the key that would enable it; when all is
//! well it is *quiet* and keeps the numbers that made it so.
//!
//! ```
//! use rundown_diagnose::{Rulebook, Verdict, diagnose};
//! use rundown_run::Run;
//!
//! let mut run = Run::default();
//! for step in 0..100_u32 {
//!     let row = run.push_row(f64::from(step), f64::NAN);
//!     let noise = f64::from(step * 37 % 11) / 100.0;
//!     run.push_value("train/reward", row, 0.5 + f64::from(step) / 200.0 + noise);
//! }
//! run.choose_axis();
//! let diagnosis = diagnose(&run, &Rulebook::default());
//! assert_eq!(diagnosis.verdict, Verdict::Good);
//! assert_eq!(diagnosis.headline.to_string(), "Healthy: train/reward rose from 0.57 to 0.996");
//! ```

mod advice;
mod causes;
mod check;
pub mod checks;
mod code;
mod conflicts;
mod context;
mod cost;
mod diagnosis;
mod explanations;
mod finding;
mod kl;
mod learning;
mod live;
mod measure;
mod need;
mod quiet;
mod rulebook;
pub mod samples;
mod settings;
mod signals;
mod summary;
mod topics;
mod verdict;
mod zero_variance;

pub use advice::setting_changes;
pub use check::{Check, Outcome};
pub use code::{Code, Group};
pub use context::Context;
pub use cost::{Cost, CostAfterFinding, Price, Spent, tokens_so_far};
pub use diagnosis::{Diagnosis, Movement, Skipped, Verdict};
pub use finding::{
    Action, ActionKind, Cause, Change, Evidence, Finding, Limit, Relation, SettingName, SettingValue, Severity,
};
pub use learning::{Learning, LearningState};
pub use live::{By, Flap, Probe, Watch, mark_first_alarms, prefix, watch};
pub use measure::Z_95;
pub use measure::level::LevelChange;
pub use measure::log_start::{LateStart, late_start, missing_steps};
pub use measure::series::{Fifth, MetricSeries};
pub use measure::trend::Trend;
pub use measure::win_rate::{EndRate, games_in_summary, is_pool, opponent_of_rate};
pub use need::Need;
pub use quiet::{Quiet, QuietReason, by_interest};
pub use rulebook::{Rulebook, Threshold};
pub use settings::{Hyperparameter, Setting, Usual, hyperparameter_of, setting, settings_of, usual_of};
pub use signals::Signals;
pub use topics::event_rates::are_outcomes;
pub use verdict::{Options, diagnose, diagnose_with};

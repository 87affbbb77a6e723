//! What comparisons of leagues, scaling, pipelines and rewards need of a run beside its curves.
//!
//! Made while the run is there, because later only [`super::RunSummary`]s are: small numbers and thinned lines. A run that
//! logged none of a kind has none of it. Whole curves of ratings, rewards and criteria are in the summary's traces.

mod cache_use;
mod compute_budget;
mod curve;
mod event_groups;
mod games;
mod health;
mod league;
mod league_learning;
mod league_signs;
mod league_standing;
mod nullable;
mod pipeline;
mod player_role;
mod rates;
mod rating_trend;
mod rewards;
mod scaling;
mod scaling_curves;

pub use cache_use::{CacheCounts, CacheUse};
pub use compute_budget::{ComputeBudget, ComputeNeed, RewardTarget};
pub use curve::ThinnedLine;
pub use event_groups::{EngineUse, FailureKind, GroupExtraction, GroupFailures};
pub use games::{BradleyTerry, Player, WinRate};
pub use health::{Health, MissedTarget, PipelineHealth, Target};
pub use league::{League, RatedAgent, RatingLevel};
pub use league_learning::{LeagueLearning, LearningReason, LearningSignal};
pub use league_signs::{LeagueSign, LeagueSigns};
pub use league_standing::{EloGain, GainBasis, LeagueStanding, UnexpectedWinRate, standings};
pub use pipeline::{DurationSpread, Pipeline};
pub use player_role::PlayerRole;
pub use rates::ShareEstimate;
pub use rating_trend::{GameMetric, RatingTrend};
pub use rewards::{CriterionSummary, DistributionOverSteps, FinalScore, RewardSummary};
pub use scaling::{ComputeKind, OffsetLaw, PowerLawFit, Scaling, StepEvenness};
pub use scaling_curves::{Ceiling, ExpectedGain};

pub use rundown_diagnose::Z_95;

//! What comparisons of leagues, scaling, pipelines and rewards need of a run beside its curves.
//!
//! Made while the run is there, because later only [`super::Entry`]s are: small numbers and thinned lines. A run that
//! logged none of a kind has none of it. Whole curves of ratings, rewards and criteria are in the entry's traces.

mod curve;
mod games;
mod league;
mod league_signs;
mod league_standing;
mod nullable;
mod pipeline;
mod rates;
mod rewards;
mod scaling;
mod scaling_curves;

pub use curve::Line;
pub use games::{BradleyTerry, Player, WinRate};
pub use league::{League, Level, Rated, Role};
pub use league_signs::{Sign, Signs};
pub use league_standing::{Against, Gain, Standing, Surprise, standings};
pub use pipeline::{Cache, Pipeline, Spread};
pub use rates::Rate;
pub use rewards::{CriterionSummary, DistributionOverSteps, FinalScore, Rewards};
pub use scaling::{ComputeKind, Evenness, Law, OffsetLaw, Scaling};
pub use scaling_curves::{Ceiling, Expected};

/// 97.5 % quantile of the standard normal distribution: half of a 95 % interval in standard errors.
pub const Z_95: f64 = 1.96;

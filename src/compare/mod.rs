//! Several runs side by side: the order of the run list and the measure that they share.

mod entry;
mod leaderboard;
mod measure;
pub mod query;
#[cfg(test)]
mod testing;

pub use entry::{Entry, Found, TRACE_POINTS, Trace};
pub use leaderboard::{LeaderboardRow, leaderboard, list_order};
pub use measure::{Measure, shared_measure};

use crate::diagnose::Diagnosis;
use crate::run::Run;

/// A run and what was said of it.
pub type Judged<'a> = (&'a Run, &'a Diagnosis);

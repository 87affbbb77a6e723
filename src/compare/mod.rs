//! Several runs side by side: the order of the run list and the measure that they share.

mod leaderboard;
mod measure;
#[cfg(test)]
mod testing;

pub use leaderboard::{LeaderboardRow, leaderboard, list_order};
pub use measure::{Measure, shared_measure};

use crate::diagnose::Diagnosis;
use crate::run::Run;

/// A run and what was said of it.
pub type Judged<'a> = (&'a Run, &'a Diagnosis);

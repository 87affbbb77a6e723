//! A league among those of other runs.

use crate::compare::RunSummary;
use crate::compare::facts::{League, Standing};

/// A league with its run and its place among the others.
pub(super) struct RankedLeague<'a> {
    /// The run.
    pub summary: &'a RunSummary,
    /// Its league.
    pub league: &'a League,
    /// Its gains.
    pub standing: Standing,
}

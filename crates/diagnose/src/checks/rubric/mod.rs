//! Checks of rubric criteria.

pub mod criterion_regressed;
pub mod criterion_stuck;

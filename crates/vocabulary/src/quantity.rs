//! What a metric measures, whatever its key: runs of different frameworks log one quantity under different keys.

use super::{Concept, Direction, Scale, Unit};

/// What a metric measures. Numbers of one quantity can be compared as they were logged.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// The concept.
    pub concept: Concept,
    /// Name of the reward function or of the evaluation, where the key holds one.
    pub name: Option<String>,
    /// Unit of its values, once they are scaled.
    pub unit: Unit,
    /// What turns the logged values into that unit.
    pub scale: Scale,
    /// Which way is better.
    pub direction: Direction,
}

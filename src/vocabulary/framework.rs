//! Which trainer wrote a run.

use serde::{Deserialize, Serialize};

/// A training framework whose metric names are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Framework {
    /// TRL, and what keeps its names: Unsloth, Axolotl, ms-swift, verifiers.
    Trl,
    /// verl, and what keeps its names: Search-R1, TinyZero, RAGEN, rllm on verl.
    Verl,
    /// Names of no known trainer: keys are bound by their words alone.
    #[default]
    Unknown,
}

impl Framework {
    /// The name to show.
    pub fn as_str(self) -> &'static str {
        match self {
            Framework::Trl => "TRL",
            Framework::Verl => "verl",
            Framework::Unknown => "unknown",
        }
    }
}

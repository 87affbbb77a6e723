//! Which metrics runs have.

use serde::{Deserialize, Serialize};

/// What was logged under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MetricKind {
    /// A number at a step: drawn as a line.
    #[default]
    Numbers,
    /// A histogram at a step: drawn as a heat map.
    Histograms,
}

/// Every metric that one of the asked runs has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricList {
    /// Sections by prefix, what a person looks for first.
    pub sections: Vec<MetricSection>,
    /// Keys of the lines that are looked at first, such as the evaluation, the reward and the KL; a few.
    pub first: Vec<String>,
    /// Of the keys in `first`: those under which other asked runs log the same quantity.
    pub equivalents: Vec<EquivalentKey>,
    /// What the server of the first run has besides, in words; empty when nothing.
    pub rest: String,
}

/// Runs that log a quantity under a key of their own, as another framework names it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EquivalentKey {
    /// The key of other runs, such as `train/reward`.
    pub key: String,
    /// The key of these runs, such as `critic/rewards/mean`.
    pub own_key: String,
    /// These runs.
    pub runs: Vec<u32>,
}

/// Metrics that share a prefix.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricSection {
    /// Prefix, such as `train/completions`, or `metrics` for keys without one.
    pub name: String,
    /// The metrics: those of concepts that are looked at first, then by key.
    pub metrics: Vec<MetricRow>,
}

/// One metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricRow {
    /// Key.
    pub key: String,
    /// What was logged. Of histograms there is no last value.
    pub kind: MetricKind,
    /// Last finite value of the first run that has one.
    pub last: Option<f64>,
    /// True when every value of all runs is the same: such charts are folded away.
    pub constant: bool,
    /// How many of the asked runs have it.
    pub runs: u32,
    /// Its unit, such as `nats/token`; empty when unknown or without one.
    pub unit: String,
    /// What it is, such as `entropy`; empty when unknown.
    pub about: String,
}

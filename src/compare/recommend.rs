//! Everything about what next in one answer: signals, experiments, and the best default config.

use super::sample::{Target, sample};
use super::{BestConfig, Entry, Experiment, Signals, best_config, experiments, parameters, signals_of};

/// What the settings did, what to run next, and what to use meanwhile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Advice {
    /// What the settings did.
    pub signals: Signals,
    /// Three to six experiments, the most useful first.
    pub experiments: Vec<Experiment>,
    /// The suggested default, or why there is none.
    pub best_config: BestConfig,
}

/// Reads signals, experiments and the best default config from runs and an outcome. The same runs give the same answer.
pub fn advise(entries: &[&Entry], target: &Target<'_>) -> Advice {
    let sample = sample(entries, target);
    let signals = signals_of(parameters(entries), &sample, target);
    let experiments = experiments(entries, target, &signals, &sample);
    let best_config = best_config(entries, target, &signals, &sample);
    Advice { signals, experiments, best_config }
}

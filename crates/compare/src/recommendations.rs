//! Everything about what next in one answer: signals, experiments, and the best default config.

use super::sample::{RunSample, Target, sample};
use super::{
    BestConfig, EffectAnalysis, Experiment, FailureEffect, RunSummary, best_config, effects_of, experiments,
    failure_effects, parameters,
};

/// What the settings did, what to run next, and what to use meanwhile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recommendations {
    /// The runs that were compared.
    pub sample: RunSample,
    /// What the settings did.
    pub analysis: EffectAnalysis,
    /// The setting that goes with each finding, where one does.
    pub failures: Vec<FailureEffect>,
    /// Three to six experiments, the most useful first.
    pub experiments: Vec<Experiment>,
    /// The suggested default, or why there is none.
    pub best_config: BestConfig,
}

/// Reads signals, experiments and the best default config from runs and an outcome. The same runs give the same answer.
pub fn advise(summaries: &[&RunSummary], target: &Target<'_>) -> Recommendations {
    let sample = sample(summaries, target);
    let found = parameters(summaries);
    let failures = failure_effects(summaries, &found.varying);
    let analysis = effects_of(found, &sample, target);
    let experiments = experiments(summaries, target, &analysis, &sample);
    let best_config = best_config(summaries, target, &analysis, &sample);
    Recommendations { sample, analysis, failures, experiments, best_config }
}

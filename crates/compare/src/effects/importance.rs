//! Which parameters a forest needs to predict the outcome, shown only where it predicts anything.

use super::EffectAnalysis;
use crate::ParameterKind;
use crate::sample::RunSample;
use rundown_stats::{Feature, MAX_FEATURES, SplitMix64, forest};

/// Out-of-bag R² below which no importances are given: a forest that does not predict has none (ours).
const LEAST_R2: f64 = 0.1;
/// Fewest runs, and runs for each parameter.
const MIN_RUNS: usize = 10;
const MIN_RUNS_PER_PARAMETER: usize = 3;

/// Why there are no importances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoImportance {
    /// Fewer runs than needed.
    TooFewRuns {
        /// The fewest that are needed.
        needed: usize,
    },
    /// The forest predicts runs that it did not see no better than their mean.
    NothingLearned {
        /// Its out-of-bag R².
        r2: f64,
    },
    /// More parameters than a forest can handle, or none.
    Parameters,
}

/// Adds importances to the effects, or the reason why there are none.
pub(super) fn measure(result: &mut EffectAnalysis, sample: &RunSample, random: &mut SplitMix64) {
    let parameters = result.effects.len();
    let needed = MIN_RUNS.max(MIN_RUNS_PER_PARAMETER * parameters);
    if parameters == 0 || parameters > MAX_FEATURES {
        result.no_importance = Some(NoImportance::Parameters);
        return;
    }
    if sample.runs.len() < needed {
        result.no_importance = Some(NoImportance::TooFewRuns { needed });
        return;
    }
    let values: Vec<(Vec<f64>, bool)> = result
        .effects
        .iter()
        .map(|effect| {
            let parameter = &effect.parameter;
            let place = |run: &usize| match parameter.level_of(*run) {
                Some(level) if parameter.is_ordered() => parameter.place(level),
                Some(level) => level as f64,
                None => f64::NAN,
            };
            (sample.runs.iter().map(place).collect(), parameter.kind == ParameterKind::Category)
        })
        .collect();
    let features: Vec<Feature<'_>> =
        values.iter().map(|(values, is_category)| Feature { values, is_category: *is_category }).collect();
    let Some(found) = forest(&features, &sample.values, random) else {
        result.no_importance = Some(NoImportance::NothingLearned { r2: 0.0 });
        return;
    };
    if found.oob_r2.is_nan() || found.oob_r2 < LEAST_R2 {
        result.no_importance = Some(NoImportance::NothingLearned { r2: found.oob_r2 });
        return;
    }
    result.forest_r2 = Some(found.oob_r2);
    for (effect, importance) in result.effects.iter_mut().zip(found.importances) {
        // A parameter that nobody could split by has none.
        let has_runs = sample.runs.iter().any(|run| effect.parameter.level_of(*run).is_some());
        effect.importance = has_runs.then_some(importance);
    }
}

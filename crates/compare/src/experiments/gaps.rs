//! Experiments that close gaps in the evidence: no evaluation, no repeated seed, a setting that nobody varied.

use super::{CurrentSetting, Experiment, ExperimentContext, ExperimentReason, ExperimentText, StopRule};
use crate::matched_runs::fingerprint;
use crate::parameters::written;
use crate::{MIN_RUNS_OF_GROUP, Parameter, RunSummary, Trace};
use rundown_diagnose::setting_changes::with_common_digits;
use rundown_diagnose::{Hyperparameter, SettingName, setting};
use rundown_vocabulary::Concept;

/// Runs of one config from which on its outcome is more than a single draw; a difference to another config takes
/// [`MIN_RUNS_OF_GROUP`] of each.
const ENOUGH_REPEATS: usize = 3;

/// The gain of a value that nobody tried.
const UNKNOWN_GAIN: &str = "Unknown: its values were not compared.";

/// A setting that usually matters, the values to try, and why.
struct UntestedSetting {
    hyperparameter: Hyperparameter,
    to: fn(f64) -> Vec<f64>,
    otherwise: &'static str,
    text: ExperimentText,
}

/// In the order in which they usually matter.
static UNTESTED_SETTINGS: [UntestedSetting; 5] = [
    UntestedSetting {
        hyperparameter: Hyperparameter::LearningRate,
        to: |value| vec![with_common_digits(3.0 * value), with_common_digits(value / 3.0)],
        otherwise: "three times as much, and a third",
        text: ExperimentText {
            hypothesis: "The best learning rate is rarely the first that is tried.",
            watch: "KL and gradient norm over the first 50 steps",
            expected: UNKNOWN_GAIN,
            risk: "With too high a rate the policy collapses: stop early.",
        },
    },
    UntestedSetting {
        hyperparameter: Hyperparameter::KlCoefficient,
        to: |value| vec![if value > 0.0 { 0.0 } else { 0.001 }],
        otherwise: "0.001",
        text: ExperimentText {
            hypothesis: "Whether a KL penalty helps or hinders is not known: DAPO trains without one, verl uses 0.001.",
            watch: "KL to the reference, and the outcome at equal KL",
            expected: UNKNOWN_GAIN,
            risk: "Drift without it, underfitting with too much.",
        },
    },
    UntestedSetting {
        hyperparameter: Hyperparameter::Generations,
        to: |value| vec![2.0 * value],
        otherwise: "twice as many",
        text: ExperimentText {
            hypothesis: "Larger groups have both right and wrong answers more often, and steadier advantages.",
            watch: "share of zero-variance groups, and time per step",
            expected: UNKNOWN_GAIN,
            risk: "Twice the sampling cost.",
        },
    },
    UntestedSetting {
        hyperparameter: Hyperparameter::ClipHigh,
        to: |value| vec![if value < 0.28 { 0.28 } else { 0.2 }],
        otherwise: "0.28",
        text: ExperimentText {
            hypothesis: "With a higher upper clip range rare tokens can gain probability, and entropy lasts longer.",
            watch: "entropy",
            expected: UNKNOWN_GAIN,
            risk: "Slower exploitation.",
        },
    },
    UntestedSetting {
        hyperparameter: Hyperparameter::Temperature,
        to: |value| vec![if value < 1.0 { 1.0 } else { 0.8 }],
        otherwise: "1.0",
        text: ExperimentText {
            hypothesis: "The diversity of the responses decides how many groups have both right and wrong answers.",
            watch: "entropy and reward spread",
            expected: UNKNOWN_GAIN,
            risk: "Sampler and trainer disagree on log-probabilities if the trainer does not apply it as well.",
        },
    },
];

/// No evaluation on held-out tasks: nothing else can be trusted without one. In games and control the return of an episode
/// is the outcome itself.
pub(super) fn evaluation(context: &ExperimentContext<'_>) -> Option<Experiment> {
    if context.summaries.iter().all(|summary| summary.acts_in_environment) {
        return None;
    }
    let measured =
        |trace: &Trace| matches!(trace.concept, Concept::Evaluation | Concept::ReferenceElo | Concept::WinRate);
    if context.summaries.iter().any(|summary| summary.traces.iter().any(measured)) {
        return None;
    }
    Some(Experiment {
        reason: ExperimentReason::NoEvaluation,
        change: SettingName::Words("evaluation".to_owned()),
        words: "evaluation on held-out tasks".to_owned(),
        from: "none".to_owned(),
        to: vec!["every 10 to 20 steps, on 200 tasks or more".to_owned()],
        stop: StopRule::RunsAlong,
        score: 1.0,
    })
}

/// The best config was run once or twice: what it leads by may be luck.
pub(super) fn repetition(context: &ExperimentContext<'_>) -> Option<Experiment> {
    if context.has_no_config() {
        return None;
    }
    let (best, summary, value) = context.best()?;
    let varied: Vec<Parameter> = context.analysis.effects.iter().map(|effect| effect.parameter.clone()).collect();
    let wanted = fingerprint(&varied, best);
    let same = |run: &usize| fingerprint(&varied, *run) == wanted;
    let repeated = context.sample.runs.iter().filter(|run| same(run)).count();
    if repeated >= ENOUGH_REPEATS {
        return None;
    }
    let next = context.eligible.iter().find(|(run, _)| !same(run));
    let lead = next.map(|(run, other)| {
        let name = context.summaries.get(*run).map_or_else(String::new, |summary| summary.name_or_id().to_owned());
        (name, (value - other).abs())
    });
    let change = context.current(Hyperparameter::Seed).name;
    Some(Experiment {
        reason: ExperimentReason::FewRepeats {
            run: summary.name_or_id().to_owned(),
            outcome: value,
            repeats: repeated,
            lead,
        },
        change,
        words: "seed".to_owned(),
        from: String::new(),
        to: vec![format!("{} more seeds", MIN_RUNS_OF_GROUP - repeated)],
        stop: StopRule::FullLength,
        score: 0.7,
    })
}

/// Hyperparameters that all runs share, the more important first.
pub(super) fn untested(context: &ExperimentContext<'_>) -> Vec<Experiment> {
    if context.has_no_config() {
        return Vec::new();
    }
    let unvaried = UNTESTED_SETTINGS.iter().filter(|untested| {
        context.applies(untested.hyperparameter) && context.effect_of(untested.hyperparameter).is_none()
    });
    let named = |untested: &&'static UntestedSetting| {
        // Joined with another parameter it was varied, though not by itself.
        let keys = context.analysis.effects.iter().flat_map(|effect| &effect.parameter.same);
        keys.filter_map(|key| rundown_diagnose::hyperparameter_of(key))
            .all(|hyperparameter| hyperparameter != untested.hyperparameter)
    };
    unvaried.filter(named).enumerate().map(|(rank, untested)| untested_experiment(context, untested, rank)).collect()
}

fn untested_experiment(context: &ExperimentContext<'_>, untested: &'static UntestedSetting, rank: usize) -> Experiment {
    let CurrentSetting { name: change, text: from, value, .. } = context.current(untested.hyperparameter);
    let recorded = context.summaries.iter().filter_map(|summary| setting(&summary.config, untested.hyperparameter));
    let (recorded, having) = recorded.fold((0, 0), |(recorded, having), found| {
        (recorded + 1, having + usize::from(found.text == from || found.value == value))
    });
    let to = if value.is_finite() {
        (untested.to)(value)
            .into_iter()
            .map(|to| written(to, untested.hyperparameter == Hyperparameter::LearningRate))
            .collect()
    } else {
        vec![untested.otherwise.to_owned()]
    };
    Experiment {
        reason: ExperimentReason::NeverVaried {
            having,
            recorded,
            runs: context.summaries.len(),
            is_logged: is_logged(context.summaries, untested.hyperparameter),
            text: &untested.text,
        },
        change,
        words: untested.hyperparameter.words().to_owned(),
        from,
        to,
        stop: context.stop_rule_of(Some(untested.hyperparameter)),
        score: 0.4 - 0.05 * rank as f64,
    }
}

/// True where a run logs the setting as a metric: `train/learning_rate`.
fn is_logged(summaries: &[&RunSummary], hyperparameter: Hyperparameter) -> bool {
    let names = |key: &String| {
        let name = key.rsplit('/').next().unwrap_or(key);
        rundown_diagnose::hyperparameter_of(name) == Some(hyperparameter)
    };
    summaries.iter().any(|summary| summary.last.keys().any(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_is_logged_by_a_schedule_is_known_to_be_set() {
        let mut run = RunSummary::default();
        assert!(!is_logged(&[&run], Hyperparameter::LearningRate));
        for key in ["train/learning_rate", "actor/lr"] {
            run.last = [(key.to_owned(), 1e-6)].into();
            assert!(is_logged(&[&run], Hyperparameter::LearningRate), "{key}");
        }
        assert!(!is_logged(&[&run], Hyperparameter::Temperature));
    }
}

//! Experiments with settings that usually matter and that nobody varied.

use super::{CurrentSetting, Experiment, ExperimentContext, ExperimentReason, ExperimentText};
use crate::parameters::written;
use crate::{RunSummary, Trace};
use rundown_diagnose::setting_changes::with_common_digits;
use rundown_diagnose::{Hyperparameter, hyperparameter_of, setting};
use rundown_vocabulary::{Concept, Framework};

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

/// An experiment for each setting that no run varied, the more important first.
pub(super) fn experiments(context: &ExperimentContext<'_>) -> Vec<Experiment> {
    if context.has_no_config() {
        return Vec::new();
    }
    let unvaried = UNTESTED_SETTINGS.iter().filter(|untested| {
        context.applies(untested.hyperparameter) && context.effect_of(untested.hyperparameter).is_none()
    });
    let named = |untested: &&'static UntestedSetting| {
        // Joined with another parameter it was varied, though not by itself.
        let keys = context.analysis.effects.iter().flat_map(|effect| &effect.parameter.same);
        keys.filter_map(|key| hyperparameter_of(key)).all(|hyperparameter| hyperparameter != untested.hyperparameter)
    };
    let ranked = unvaried.filter(named).enumerate();
    ranked.filter_map(|(rank, untested)| untested_experiment(context, untested, rank)).collect()
}

/// `None` where the term of a coefficient is off in the best run and on in others, or on with a weight that no file tells.
fn untested_experiment(
    context: &ExperimentContext<'_>,
    untested: &'static UntestedSetting,
    rank: usize,
) -> Option<Experiment> {
    let is_off = is_switched_off(context, untested.hyperparameter);
    // The coefficient alone would do nothing.
    let hyperparameter = if is_off { Hyperparameter::KlInLoss } else { untested.hyperparameter };
    if is_off && context.effect_of(hyperparameter).is_some() {
        return None;
    }
    let CurrentSetting { name: change, text: from, value, .. } = context.current(hyperparameter);
    let is_on = || context.base_run().is_some_and(shows_kl_term);
    if hyperparameter == Hyperparameter::KlCoefficient && from.is_empty() && is_on() {
        return None;
    }
    let recorded = context.summaries.iter().filter_map(|summary| setting(&summary.config, hyperparameter));
    let (recorded, having) = recorded.fold((0, 0), |(recorded, having), found| {
        (recorded + 1, having + usize::from(found.text == from || found.value == value))
    });
    let to = if value.is_finite() {
        (untested.to)(value)
            .into_iter()
            .map(|to| written(to, hyperparameter == Hyperparameter::LearningRate))
            .map(|to| if is_off { format!("true, with a coefficient of {to}") } else { to })
            .collect()
    } else {
        vec![untested.otherwise.to_owned()]
    };
    Some(Experiment {
        reason: ExperimentReason::NeverVaried {
            having,
            recorded,
            runs: context.summaries.len(),
            is_logged: is_logged(context.summaries, hyperparameter),
            text: &untested.text,
        },
        change,
        words: hyperparameter.words().to_owned(),
        from,
        to,
        stop: context.stop_rule_of(Some(hyperparameter)),
        score: 0.4 - 0.05 * rank as f64,
    })
}

/// True for the coefficient of a KL term that the best run's config switches off.
fn is_switched_off(context: &ExperimentContext<'_>, hyperparameter: Hyperparameter) -> bool {
    hyperparameter == Hyperparameter::KlCoefficient
        && context.current(hyperparameter).text.is_empty()
        && context.current(Hyperparameter::KlInLoss).value == 0.0
        && context.current(Hyperparameter::KlInReward).value != 1.0
}

/// True where the log shows that a KL term is on: TRL's GRPO, which ms-swift builds on, logs the KL to the reference only with `beta` > 0.
fn shows_kl_term(summary: &RunSummary) -> bool {
    let is_above_zero = |trace: &Trace| trace.values.iter().any(|value| *value > 0.0);
    matches!(summary.framework, Framework::Trl | Framework::MsSwift)
        && summary.traces_of(Concept::KlToReference).any(is_above_zero)
}

/// True where a run logs the setting as a metric: `train/learning_rate`.
fn is_logged(summaries: &[&RunSummary], hyperparameter: Hyperparameter) -> bool {
    let names = |key: &String| hyperparameter_of(key.rsplit('/').next().unwrap_or(key)) == Some(hyperparameter);
    summaries.iter().any(|summary| summary.last.keys().any(names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refs, summary};
    use crate::{Target, advise};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::Direction;

    const RATE: (&str, ConfigValue) = ("learning_rate", ConfigValue::Number(1e-6));

    #[test]
    fn a_term_that_is_off_is_tried_with_its_switch() {
        let of_run = |is_on: bool| {
            let switch = ("actor_rollout_ref.actor.use_kl_loss", ConfigValue::Bool(is_on));
            summary(&[RATE, switch, ("actor_rollout_ref.actor.kl_loss_coef", ConfigValue::Number(0.001))])
        };
        let tried = |runs: &[RunSummary]| {
            let values: Vec<Option<f64>> = [0.5, 0.4].map(Some).into_iter().take(runs.len()).collect();
            let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &values };
            let experiments = advise(&refs(runs), &target).experiments.into_iter();
            let of_kl = experiments.filter(|experiment| experiment.change.as_str().contains("kl_"));
            of_kl.map(|experiment| (experiment.from, experiment.to.concat())).collect::<Vec<_>>()
        };
        let off = tried(&[of_run(false), of_run(false)]);
        assert_eq!(off, [("false".to_owned(), "true, with a coefficient of 0.001".to_owned())]);
        assert_eq!(tried(&[of_run(true)]), [("0.001".to_owned(), "0".to_owned())]);
    }

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

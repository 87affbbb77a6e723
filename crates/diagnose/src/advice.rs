//! Causes and actions that several checks share: what the config says, and which hyperparameter to turn by how much.
//!
//! Sizes are those of published recipes (DAPO, TRL and verl documentation).

use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::{Hyperparameter, Setting};
use crate::{Action, ActionKind, Cause, Code, Finding, SettingName, Severity};
use rundown_format::rich_text::{number, step};
use rundown_format::{RichText, rich, short};

/// A cause from a setting: its value, whether that is unusual, and why it could explain the finding.
pub(crate) fn cause(setting: &Setting, why: &str) -> Cause {
    let mut why = RichText::from(why);
    if let (false, Some((low, high))) = (setting.remark.is_empty(), setting.usual) {
        let remark = setting.remark.as_str();
        why.append(rich!(" Unusual ({}): {} to {} is common.", remark, number(low), number(high)));
    }
    Cause { config: setting.key.clone(), value: setting.text.clone(), why }
}

/// Causes of a finding among the settings of `hyperparameters` that the run has.
fn causes(context: &Context<'_>, code: Code, hyperparameters: &[(Hyperparameter, &str)]) -> Vec<Cause> {
    let found = |(hyperparameter, why): &(Hyperparameter, &str)| {
        context.setting(*hyperparameter).filter(|setting| explains(code, setting)).map(|setting| cause(&setting, why))
    };
    hyperparameters.iter().filter_map(found).collect()
}

/// False for a value on the side on which it cannot bring the finding about, such as a temperature of 1 for answers that
/// are too much alike.
fn explains(code: Code, setting: &Setting) -> bool {
    let value = setting.value;
    match (setting.hyperparameter, code) {
        // One update per batch is the fewest there can be: it explains no harm.
        (Hyperparameter::UpdatesPerBatch, _) => value > 1.0,
        (Hyperparameter::Temperature, Code::EntropyExplosion) => value > 1.0,
        (
            Hyperparameter::Temperature,
            Code::ZeroVarianceGroups | Code::GradientDying | Code::EntropyCollapse | Code::EntropyCollapsedAtStart,
        ) => value < 1.0,
        // Only a mean over each response favours long wrong answers (Dr. GRPO): verl's and TRL's words for it.
        (Hyperparameter::LossAggregation, _) => setting.text == "seq-mean-token-mean",
        (Hyperparameter::LossType, Code::LengthExplosion) => setting.text == "grpo",
        // As high as DAPO has it, the clip holds nothing back.
        (Hyperparameter::ClipHigh, Code::EntropyCollapse) => value < 0.28,
        _ => true,
    }
}

/// Advice that is not a setting.
pub(crate) fn advice(change: impl Into<RichText>, effect: &str, risk: &str, watch: &str) -> Action {
    action(ActionKind::Do(change.into()), effect, risk, watch)
}

/// An action with its texts.
pub(crate) fn action(kind: ActionKind, effect: &str, risk: &str, watch: &str) -> Action {
    Action { kind, effect: effect.to_owned(), risk: risk.to_owned(), watch: watch.to_owned() }
}

/// Advice for a run whose first evaluation is its best: none of its checkpoints is worth keeping.
pub(crate) fn start_again() -> Action {
    let change = "Start again from the initial weights: no later evaluation is better than the first";
    advice(change, "undoes the damage", "loses all steps", "the evaluation stays above its first value")
}

/// What a finding says beside its numbers: written once for a check, filled in from the run.
pub(crate) struct FindingTexts {
    /// Settings that could explain it, the likeliest first, and why.
    pub causes: &'static [(Hyperparameter, &'static str)],
    /// What to try, by impact and risk.
    pub actions: &'static [Advice],
    /// The competing explanation.
    pub alternative: &'static str,
    /// The check that would show the finding wrong.
    pub refute: &'static str,
    /// Where the rule and the advice come from.
    pub references: &'static [&'static str],
}

/// One thing to try.
pub(crate) enum Advice {
    /// Turn a hyperparameter; what to watch.
    Change(&'static Turn, &'static str),
    /// Set a switch that frameworks keep under these keys.
    Set {
        /// Keys under which frameworks keep it, in words after the last `|` for a run that has none of them.
        keys: &'static [&'static str],
        /// The switch in words, for a run whose config has none of the keys.
        words: &'static str,
        /// The value to set.
        to: &'static str,
        /// Expected effect, risk, and what to watch.
        texts: [&'static str; 3],
    },
    /// Something that is no setting: change, effect, risk, what to watch.
    Do([&'static str; 4]),
    /// Back to a checkpoint before the onset, or to the initial weights where no evaluation was better than the first.
    GoBack,
}

/// A hyperparameter and where to turn it. Each action turns one hyperparameter, so that its effect can be told.
pub(crate) struct Turn {
    pub hyperparameter: Hyperparameter,
    /// The value to try, from the present one and the usual range.
    pub to: fn(f64, Option<(f64, f64)>) -> f64,
    /// The value to try where the present one is unknown.
    pub otherwise: &'static str,
    pub effect: &'static str,
    pub risk: &'static str,
}

impl Turn {
    /// The action for a run; `from` stays empty where its config does not have the setting.
    pub(crate) fn action(&self, context: &Context<'_>, watch: &str) -> Action {
        let setting = context.setting(self.hyperparameter);
        let target = setting.as_ref().map_or(f64::NAN, |setting| (self.to)(setting.value, setting.usual));
        let to = if target.is_finite() { short(target) } else { self.otherwise.to_owned() };
        let change = match setting {
            Some(setting) => ActionKind::Set { setting: SettingName::Key(setting.key), from: Some(setting.text), to },
            None => {
                ActionKind::Set { setting: SettingName::Words(self.hyperparameter.words().to_owned()), from: None, to }
            }
        };
        action(change, self.effect, self.risk, watch)
    }
}

impl Advice {
    fn action(&self, context: &Context<'_>, onset: Option<f64>) -> Option<Action> {
        match self {
            // A hyperparameter at its stop cannot be turned further.
            Advice::Change(turn, watch) => {
                Some(turn.action(context, watch)).filter(|action| action.kind.changes_anything())
            }
            Advice::Do([change, effect, risk, watch]) => Some(advice(*change, effect, risk, watch)),
            Advice::Set { keys, words, to, texts: [effect, risk, watch] } => {
                let config = &context.run.config;
                let known = keys.iter().find_map(|key| Some((*key, config.get(key)?.to_string())));
                let (setting, from) = match known {
                    Some((key, value)) => (SettingName::Key(key.to_owned()), Some(value)),
                    None => (SettingName::Words((*words).to_owned()), None),
                };
                Some(action(ActionKind::Set { setting, from, to: (*to).to_owned() }, effect, risk, watch))
            }
            Advice::GoBack if context.starts_best() => Some(start_again()),
            Advice::GoBack => onset.map(|onset| {
                let change = rich!("Go back to a checkpoint before step {}", step(onset));
                let effect = "keeps what was learned until then";
                advice(change, effect, "loses the steps since", "the evaluation of that checkpoint")
            }),
        }
    }
}

impl FindingTexts {
    /// Fills these texts into a finding whose onset is known.
    pub(crate) fn fill(&self, context: &Context<'_>, finding: &mut Finding) {
        finding.causes = causes(context, finding.code, self.causes);
        finding.actions = context.actions(self.actions, finding.onset);
        finding.alternative = self.alternative.into();
        finding.refute = self.refute.into();
        finding.references = self.references.iter().map(|reference| (*reference).to_owned()).collect();
    }
}

impl Context<'_> {
    /// What to try in this run.
    pub(crate) fn actions(&self, advice: &[Advice], onset: Option<f64>) -> Vec<Action> {
        advice.iter().filter_map(|advice| advice.action(self, onset)).collect()
    }

    /// A finding with its texts; the check adds numbers, metrics and confidence.
    pub(crate) fn finding(
        &self,
        code: Code,
        severity: Severity,
        title: impl Into<RichText>,
        onset: Option<f64>,
        texts: &FindingTexts,
    ) -> Finding {
        let mut finding = Finding::new(code, severity, title);
        finding.onset = onset;
        finding.end = Some(self.last_step()).filter(|step| step.is_finite());
        texts.fill(self, &mut finding);
        finding
    }
}

/// Puts the metrics that show a finding, the most informative first, and how each of them moved.
pub(crate) fn show(finding: &mut Finding, signals: &[Option<&MetricSeries<'_>>]) {
    for signal in signals.iter().flatten() {
        if finding.metrics.iter().all(|key| key != signal.key()) {
            finding.metrics.push(signal.key().to_owned());
            finding.trend.push(signal.trend());
        }
    }
}

/// To a third, or to the usual maximum when it is far above it.
pub(crate) const LOWER_LEARNING_RATE: Turn = Turn {
    hyperparameter: Hyperparameter::LearningRate,
    to: |value, usual| match usual {
        Some((_, high)) if value > 3.0 * high => high,
        _ => value / 3.0,
    },
    otherwise: "a third",
    effect: "smaller policy updates, tamer gradients",
    risk: "slower learning",
};

/// Threefold, or to twice the usual minimum when it is far below it.
pub(crate) const RAISE_LEARNING_RATE: Turn = Turn {
    hyperparameter: Hyperparameter::LearningRate,
    to: |value, usual| match usual {
        Some((low, _)) if 3.0 * value < low => 2.0 * low,
        _ => 3.0 * value,
    },
    otherwise: "three times as much",
    effect: "the policy moves within 50 steps",
    risk: "instability",
};

/// Fivefold; from zero to 0.01.
pub(crate) const RAISE_KL_COEFFICIENT: Turn = Turn {
    hyperparameter: Hyperparameter::KlCoefficient,
    to: |value, _| if value <= 0.0 { 0.01 } else { (5.0 * value).min(value.max(0.1)) },
    otherwise: "0.01",
    effect: "holds the policy near the reference",
    risk: "underfits above 0.1",
};

/// To a fifth.
pub(crate) const LOWER_KL_COEFFICIENT: Turn = Turn {
    hyperparameter: Hyperparameter::KlCoefficient,
    to: |value, _| if value > 0.5 { 0.04 } else { value / 5.0 },
    otherwise: "a fifth",
    effect: "lets the policy move",
    risk: "drift away from the reference",
};

/// As DAPO does.
pub(crate) const CLIP_HIGHER: Turn = Turn {
    hyperparameter: Hyperparameter::ClipHigh,
    to: |value, _| if value < 0.28 { 0.28 } else { 0.35 },
    otherwise: "0.28",
    effect: "rare tokens can gain probability; in DAPO a later plateau",
    risk: "slower exploitation",
};

/// To sixteen, then twofold.
pub(crate) const MORE_RESPONSES: Turn = Turn {
    hyperparameter: Hyperparameter::Generations,
    to: |value, _| if value < 16.0 { 16.0 } else { 2.0 * value },
    otherwise: "16",
    effect: "more groups with both right and wrong answers, steadier advantages",
    risk: "more sampling per step",
};

/// By half.
pub(crate) const LONGER_RESPONSES: Turn = Turn {
    hyperparameter: Hyperparameter::MaxResponse,
    to: |value, _| (1.5 * value).round(),
    otherwise: "half as much again",
    effect: "answers that are cut off now can end",
    risk: "more memory and time per step",
};

/// To half, no further down than 0.2, and to that where nothing was cut.
pub(crate) const LOWER_MAX_GRAD_NORM: Turn = Turn {
    hyperparameter: Hyperparameter::MaxGradNorm,
    to: |value, _| match value {
        value if value > 1.0 => 1.0,
        value if value > 0.0 => (0.5 * value).max(value.min(0.2)),
        _ => 0.2,
    },
    otherwise: "0.5",
    effect: "single batches move the weights less",
    risk: "slower learning where every step is clipped",
};

/// To one.
pub(crate) const TEMPERATURE_ONE: Turn = Turn {
    hyperparameter: Hyperparameter::Temperature,
    to: |value, _| if value < 1.0 { 1.0 } else { value + 0.1 },
    otherwise: "1.0",
    effect: "more varied responses within a group",
    risk: "more wrong answers at first",
};

/// To half, at least one.
pub(crate) const FEWER_UPDATES: Turn = Turn {
    hyperparameter: Hyperparameter::UpdatesPerBatch,
    to: |value, _| (0.5 * value).floor().max(1.0),
    otherwise: "1",
    effect: "the policy stays close to the one that sampled",
    risk: "fewer updates per sampled response",
};

/// Twofold.
pub(crate) const MORE_UPDATES: Turn = Turn {
    hyperparameter: Hyperparameter::UpdatesPerBatch,
    to: |value, _| 2.0 * value,
    otherwise: "2",
    effect: "two updates from each batch",
    risk: "off-policy samples",
};

/// Twofold.
pub(crate) const LARGER_BATCH: Turn = Turn {
    hyperparameter: Hyperparameter::Batch,
    to: |value, _| 2.0 * value,
    otherwise: "twice as many prompts",
    effect: "less noise in the gradient",
    risk: "more sampling per step",
};

/// To twenty steps at least.
pub(crate) const WARM_UP: Turn = Turn {
    hyperparameter: Hyperparameter::Warmup,
    to: |value, _| if value < 20.0 { 20.0 } else { 2.0 * value },
    otherwise: "20",
    effect: "small first updates, while the optimiser's averages settle",
    risk: "a few slower steps",
};

/// To zero.
pub(crate) const NO_ENTROPY_BONUS: Turn = Turn {
    hyperparameter: Hyperparameter::EntropyCoefficient,
    to: |_, _| 0.0,
    otherwise: "0",
    effect: "nothing rewards randomness any more",
    risk: "entropy may fall faster",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rulebook;
    use crate::checks::testing::{Synthetic, change};
    use rundown_vocabulary::bind;

    const TEXTS: FindingTexts = FindingTexts {
        causes: &[(Hyperparameter::LearningRate, "Too large."), (Hyperparameter::UpdatesPerBatch, "Too many.")],
        actions: &[Advice::Change(&LOWER_LEARNING_RATE, ""), Advice::Change(&FEWER_UPDATES, "")],
        alternative: "",
        refute: "",
        references: &[],
    };

    fn told(run: Synthetic) -> Finding {
        let run = run.build();
        let (bindings, book) = (bind(&run), Rulebook::default());
        Context::new(&run, &bindings, &book).finding(
            Code::RegressionFromPeak,
            Severity::Warning,
            String::new(),
            None,
            &TEXTS,
        )
    }

    #[test]
    fn nothing_is_turned_the_other_way_beyond_its_stop() {
        let to = |turn: &Turn, value| (turn.to)(value, None);
        let lower = [4.0, 1.0, 0.3, 0.1, 0.0].map(|value| to(&LOWER_MAX_GRAD_NORM, value));
        assert_eq!(lower, [1.0, 0.5, 0.2, 0.1, 0.2]);
        assert_eq!([0.0, 0.01, 0.05, 0.5].map(|value| to(&RAISE_KL_COEFFICIENT, value)), [0.01, 0.05, 0.1, 0.5]);
    }

    #[test]
    fn a_logged_rate_stands_in_for_a_missing_setting() {
        let rate = || Synthetic::healthy(100).every("train/learning_rate", 1, |t| 3e-6 * (1.0 - t));
        let finding = told(rate());
        let action = finding.actions.first().unwrap();
        assert_eq!(change(action), ("train/learning_rate".to_owned(), "3e-6".to_owned(), "1e-6".to_owned()));
        assert_eq!(finding.causes.first().unwrap().config, "train/learning_rate");
        assert_eq!(told(rate().config("learning_rate", 3e-5)).causes.first().unwrap().config, "learning_rate");
    }

    #[test]
    fn one_update_per_batch_is_no_cause_and_cannot_be_fewer() {
        let updates = |count: f64| told(Synthetic::healthy(100).config("num_iterations", count));
        assert!(updates(1.0).causes.is_empty());
        assert!(updates(1.0).actions.iter().all(|action| change(action).0 != "num_iterations"));
        assert_eq!(updates(4.0).causes.len(), 1);
        assert_eq!(change(updates(4.0).actions.last().unwrap()).2, "2");
    }

    #[test]
    fn a_value_on_the_harmless_side_is_no_cause() {
        let explained = |code, hyperparameter, value| {
            let run = Synthetic::healthy(100).config(hyperparameter, value).build();
            let (bindings, book) = (bind(&run), Rulebook::default());
            let context = Context::new(&run, &bindings, &book);
            causes(&context, code, &[(Hyperparameter::Temperature, ""), (Hyperparameter::ClipHigh, "")]).len()
        };
        assert_eq!(explained(Code::EntropyCollapse, "temperature", 1.0), 0);
        assert_eq!(explained(Code::EntropyCollapse, "temperature", 0.7), 1);
        assert_eq!(explained(Code::EntropyExplosion, "temperature", 1.3), 1);
        assert_eq!(explained(Code::EntropyCollapse, "epsilon_high", 0.28), 0);
        assert_eq!(explained(Code::EntropyCollapse, "epsilon_high", 0.2), 1);
    }
}

//! Causes and actions that several checks share: what the config says, and which hyperparameter to turn by how much.
//!
//! Sizes are those of published recipes (DAPO, TRL and verl documentation).

mod causes;
pub(crate) mod damage;
pub(crate) mod direction;
mod fewer_updates;
mod go_back;
pub(crate) mod resume;
pub mod setting_changes;
mod whole_groups;

pub(crate) use causes::FROM_STRONG_KL_TERM;
use causes::causes;
use go_back::may_have_checkpoint;
pub(crate) use go_back::{Return, go_back, go_back_to_best, missing_before};
pub(crate) use setting_changes::*;

use crate::context::Context;
use crate::settings::{self, Hyperparameter};
use crate::{Action, ActionKind, Code, Finding, SettingName, SettingValue, Severity};
use fewer_updates::fewer_updates;
use rundown_format::RichText;
use rundown_run::ConfigValue;

/// Advice that is not a setting.
pub(crate) fn advice(change: impl Into<RichText>, effect: &str, risk: &str, watch: &str) -> Action {
    action(ActionKind::Do(change.into()), effect, risk, watch)
}

pub(crate) fn to_do([change, effect, risk, watch]: &[&'static str; 4]) -> Action {
    advice(*change, effect, risk, watch)
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
    /// Change a hyperparameter; what to watch.
    Change(&'static SettingChange, &'static str),
    /// Set a switch that frameworks keep under these keys.
    Set {
        /// Keys under which frameworks keep it.
        keys: &'static [&'static str],
        /// The switch in words, for a run whose config has none of the keys.
        words: &'static str,
        /// The value to set.
        to: NewValue,
        /// Expected effect, risk, and what to watch.
        texts: [&'static str; 3],
    },
    /// Fewer optimiser updates from each batch: fewer epochs, or larger mini-batches; what to watch.
    FewerUpdates(&'static str),
    /// A loss that does not divide by the length of each response, where the config says that it does; what to watch.
    NoLengthBias(&'static str),
    /// Something that is no setting: change, effect, risk, what to watch.
    Do([&'static str; 4]),
    /// The same for a run that stopped: where a checkpoint may be there to go on from, and where its settings wrote none yet.
    Resume { saved: [&'static str; 4], unsaved: [&'static str; 4] },
    /// The same that makes sense for a language model alone: it names prompts, tokens or responses.
    OfLanguage([&'static str; 4]),
    /// The same that makes sense in games and control alone.
    OfEnvironment([&'static str; 4]),
    /// Back to a checkpoint before the onset, or to the initial weights where no evaluation was better than the first.
    GoBack,
}

/// The value to give a setting.
#[derive(Clone, Copy)]
pub(crate) enum NewValue {
    /// A number, which some configs already have in another notation.
    Number(f64),
    /// A switch, or words relative to the present value: `a third of its value`.
    Text(&'static str),
}

impl From<NewValue> for SettingValue {
    fn from(value: NewValue) -> Self {
        match value {
            NewValue::Number(number) => number.into(),
            NewValue::Text(text) => text.into(),
        }
    }
}

/// Against a KL that is there before the policy has moved.
pub(crate) const SAME_REFERENCE: [&str; 4] = [
    "Load the reference from the same weights, adapter and precision as the policy, with dropout off",
    "KL near 0 at the first step",
    "none",
    "KL at the first step below 0.001",
];

impl Advice {
    fn action(&self, context: &Context<'_>, onset: Option<f64>) -> Option<Action> {
        match self {
            // A hyperparameter at its limit cannot be changed further.
            Advice::Change(change, watch) => Some(change.action(context, watch))
                .filter(|action| action.kind.changes_anything() && change.can_help(context)),
            Advice::FewerUpdates(watch) => fewer_updates(context, watch),
            Advice::NoLengthBias(watch) => without_length_bias(context, watch),
            Advice::Do(texts) => Some(to_do(texts)),
            Advice::Resume { saved, unsaved } => {
                Some(to_do(if may_have_checkpoint(context) { saved } else { unsaved }))
            }
            Advice::OfLanguage(texts) => Some(texts).filter(|_| !context.acts_in_environment()).map(to_do),
            Advice::OfEnvironment(texts) => Some(texts).filter(|_| context.acts_in_environment()).map(to_do),
            Advice::Set { keys, words, to, texts: [effect, risk, watch] } => {
                let config = &context.run.config;
                // A key that holds nothing was replaced by another one.
                let holds = |key: &&&str| config.get(key).is_some_and(|value| *value != ConfigValue::Null);
                let key = keys.iter().find(holds).or_else(|| keys.iter().find(|key| config.get(key).is_some()));
                let known = key.and_then(|key| Some((*key, settings::value_of(config.get(key)?))));
                let (setting, from) = match known {
                    Some((key, value)) => (SettingName::Key(key.to_owned()), Some(value)),
                    None => (SettingName::Words((*words).to_owned()), None),
                };
                Some(action(ActionKind::Set { setting, from, to: (*to).into() }, effect, risk, watch))
            }
            Advice::GoBack if context.starts_best() => Some(start_again()),
            // Before the first steps there is no checkpoint.
            Advice::GoBack => onset
                .filter(|onset| context.has_checkpoint_before(*onset))
                .map(|onset| go_back(context, onset, &go_back::BEFORE_HARM)),
        }
    }
}

/// What TRL and verl call a mean over each response, and the loss without its bias (Dr. GRPO, arXiv 2503.20783).
const LENGTH_BIASED: [(Hyperparameter, &str, &str); 2] = [
    (Hyperparameter::LossType, "grpo", "dr_grpo"),
    (Hyperparameter::LossAggregation, "seq-mean-token-mean", "seq-mean-token-sum-norm"),
];

fn without_length_bias(context: &Context<'_>, watch: &str) -> Option<Action> {
    LENGTH_BIASED.iter().find_map(|(hyperparameter, biased, to)| {
        let setting = context.setting(*hyperparameter).filter(|setting| setting.text == *biased)?;
        let kind = ActionKind::Set {
            setting: SettingName::Key(setting.key.clone()),
            from: Some(setting.into()),
            to: (*to).into(),
        };
        let risk = "changes the scale of the loss: the learning rate may need tuning";
        Some(action(kind, "long wrong answers are no longer favoured", risk, watch))
    })
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
    pub(crate) fn actions<'t>(&self, advice: impl IntoIterator<Item = &'t Advice>, onset: Option<f64>) -> Vec<Action> {
        // Where there is no checkpoint the advice is to start again. It comes last: it does not remove the cause.
        let has_no_checkpoint = |advice: &&Advice| {
            let is_late = |onset| missing_before(self, onset).is_some() && !self.starts_best();
            matches!(advice, Advice::GoBack) && onset.is_some_and(is_late)
        };
        let (last, first): (Vec<_>, Vec<_>) = advice.into_iter().partition(has_no_checkpoint);
        first.into_iter().chain(last).filter_map(|advice| advice.action(self, onset)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, within};

    const TEXTS: FindingTexts = FindingTexts {
        causes: &[(Hyperparameter::LearningRate, "Too large."), (Hyperparameter::EpochsPerBatch, "Too many.")],
        actions: &[Advice::Change(&LOWER_LEARNING_RATE, ""), Advice::Change(&FEWER_EPOCHS_PER_BATCH, "")],
        alternative: "",
        refute: "",
        references: &[],
    };

    fn finding_of(run: Synthetic) -> Finding {
        within(&run.build(), |context| {
            context.finding(Code::RegressionFromPeak, Severity::Warning, String::new(), None, &TEXTS)
        })
    }

    #[test]
    fn a_value_beyond_the_advised_one_is_left_as_it_is() {
        let to = |change: &SettingChange, value| (change.to)(value, None);
        let lower = [4.0, 1.0, 0.3, 0.1, 0.0].map(|value| to(&LOWER_MAX_GRAD_NORM, value));
        assert_eq!(lower, [1.0, 0.5, 0.2, 0.1, 0.2]);
        assert_eq!([0.0, 0.01, 0.05, 0.5].map(|value| to(&RAISE_KL_COEFFICIENT, value)), [0.01, 0.05, 0.1, 0.5]);
    }

    #[test]
    fn values_are_those_that_people_try_or_words_where_the_present_one_is_unknown() {
        let text = |change: &SettingChange, present| change.new_value(present, None).text;
        assert_eq!(text(&LOWER_LEARNING_RATE, 5e-6), "1.5e-6");
        assert_eq!([8.0, 1.0].map(|lag| text(&SHORTER_LAG, lag)), ["4", "0"]);
        assert_eq!(text(&SHORTER_LAG, f64::NAN), "half its value");
        assert!(text(&RAISE_KL_COEFFICIENT, f64::NAN).starts_with("five times"));
        assert_eq!([0.2, 0.28, 5.0, 3e-4].map(|clip| text(&CLIP_HIGHER, clip)), ["0.28", "0.35", "5", "5e-4"]);
    }

    #[test]
    fn a_loss_is_changed_only_where_it_divides_by_the_length() {
        let advised = |key: &str, value: &str| {
            let mut run = Synthetic::healthy(100);
            run.run.config.insert(key, rundown_run::ConfigValue::Text(value.to_owned()));
            let actions = within(&run.build(), |context| context.actions(&[Advice::NoLengthBias("")], None));
            actions.first().map(|action| change(action).2)
        };
        assert_eq!(advised("loss_type", "grpo").as_deref(), Some("dr_grpo"));
        assert_eq!(advised("loss_type", "dapo"), None);
        let verl = "actor_rollout_ref.actor.loss_agg_mode";
        assert_eq!(advised(verl, "seq-mean-token-mean").as_deref(), Some("seq-mean-token-sum-norm"));
        assert_eq!(advised(verl, "token-mean"), None);
    }

    #[test]
    fn a_logged_rate_stands_in_for_a_missing_setting() {
        let rate = || Synthetic::healthy(100).every("train/learning_rate", 1, |t| 3e-6 * (1.0 - t));
        let finding = finding_of(rate());
        let action = finding.actions.first().unwrap();
        assert_eq!(change(action), ("learning rate".to_owned(), "3e-6".to_owned(), "1e-6".to_owned()));
        assert_eq!(finding.causes.first().unwrap().config, "train/learning_rate");
        assert_eq!(finding_of(rate().config("learning_rate", 3e-5)).causes.first().unwrap().config, "learning_rate");
    }

    #[test]
    fn a_limit_that_the_log_shows_stands_in_for_a_missing_setting() {
        let longest = |t: f64| if ((100.0 * t).round() as u32).is_multiple_of(3) { 250.0 } else { 256.0 };
        let mut run = Synthetic::healthy(100).every("train/completions/max_length", 1, longest);
        run.run.config = rundown_run::Config::default();
        let longer = [Advice::Change(&LONGER_RESPONSES, "")];
        let actions = within(&run.build(), |context| context.actions(&longer, None));
        assert_eq!(change(&actions[0]), ("max completion length".to_owned(), "256".to_owned(), "384".to_owned()));
    }

    #[test]
    fn one_update_per_batch_is_no_cause_and_cannot_be_fewer() {
        let updates = |count: f64| finding_of(Synthetic::healthy(100).config("num_iterations", count));
        assert!(updates(1.0).causes.is_empty());
        assert!(updates(1.0).actions.iter().all(|action| change(action).0 != "num_iterations"));
        assert_eq!(updates(4.0).causes.len(), 1);
        assert_eq!(change(updates(4.0).actions.last().unwrap()).2, "2");
    }

    #[test]
    fn what_can_have_no_effect_is_not_advised() {
        const LOWER: FindingTexts = FindingTexts {
            actions: &[Advice::Change(&LOWER_KL_COEFFICIENT, ""), Advice::Change(&LOWER_MAX_GRAD_NORM, "")],
            ..TEXTS
        };
        let advised = |run: Synthetic| {
            let actions = within(&run.build(), |context| context.actions(LOWER.actions, None));
            actions.iter().map(|action| change(action).0).collect::<Vec<_>>()
        };
        let large = || Synthetic::healthy(100).noisy("train/grad_norm", 0.1, |_| 3.0);
        assert_eq!(advised(large()), ["KL coefficient", "max gradient norm"]);
        assert_eq!(advised(large().without("train/kl")), ["max gradient norm"], "no KL term is known");
        let mut off = large().config("kl_loss_coef", 0.1);
        off.run.config.insert("use_kl_loss", rundown_run::ConfigValue::Bool(false));
        assert_eq!(advised(off), ["max gradient norm"]);
        let mut to_hold = large().config("kl_loss_coef", 0.001);
        to_hold.run.config.insert("use_kl_loss", rundown_run::ConfigValue::Bool(false));
        let raise = [Advice::Change(&RAISE_KL_COEFFICIENT, "")];
        let actions = within(&to_hold.build(), |context| context.actions(&raise, None));
        let (key, from, to) = change(&actions[0]);
        assert_eq!((key.as_str(), from.as_str()), ("use_kl_loss", "false"));
        assert_eq!(to, "true, with a coefficient of 0.01");
        let small = Synthetic::healthy(100).noisy("train/grad_norm", 0.001, |_| 0.02);
        assert_eq!(advised(small.config("max_grad_norm", 1.0)), ["KL coefficient"]);
        let wider = |(share, kl): (f64, f64)| {
            let run = Synthetic::healthy(100).every("train/clip_ratio/region_mean", 1, move |_| share);
            let run = run.noisy("approx_kl", 1e-4, move |_| kl).build();
            within(&run, |context| context.actions(&[Advice::Change(&CLIP_HIGHER, "")], None)).len()
        };
        assert_eq!(
            [(0.0, 0.001), (0.01, 0.001)].map(wider),
            [0, 1],
            "no ratio is clipped where a batch makes one update"
        );
        assert_eq!(wider((0.01, 0.1)), 0, "its updates go too far already");
        let longer = |last: f64| {
            let run =
                Synthetic::healthy(100).every("eval/accuracy", 20, move |t| if t < 0.3 { 0.2 } else { last }).build();
            within(&run, |context| context.actions(&[Advice::Change(&LONGER_RESPONSES, "")], None)).len()
        };
        assert_eq!([0.0, 0.1].map(longer), [0, 1], "the policy solves nothing any more");
    }

    #[test]
    fn remedies_for_language_models_are_not_given_to_other_policies() {
        const ANY: FindingTexts = FindingTexts {
            actions: &[
                Advice::OfLanguage(["Read responses", "", "", ""]),
                Advice::OfEnvironment(["Watch an episode", "", "", ""]),
                Advice::Change(&MORE_RESPONSES, ""),
                Advice::Change(&RAISE_KL_COEFFICIENT, ""),
                Advice::Change(&LOWER_LEARNING_RATE, ""),
            ],
            ..TEXTS
        };
        let advised = |run: rundown_run::Run| {
            let actions = within(&run, |context| context.actions(ANY.actions, None));
            actions.iter().map(|action| change(action).0).collect::<Vec<_>>()
        };
        let of_episodes = |key: &str| {
            let mut run = Synthetic::new(100).noisy(key, 1.0, |t| 20.0 * t);
            run.run.config = rundown_run::Config::default();
            run
        };
        let control = ["Watch an episode", "learning rate"];
        assert_eq!(advised(of_episodes("rollout/ep_rew_mean").build()), control);
        assert_eq!(advised(of_episodes("episode_reward").build()), control);
        let language = ["Read responses", "responses per prompt", "KL coefficient", "learning rate"];
        assert_eq!(advised(of_episodes("reward").build()), language);
        let with_responses = of_episodes("episode_reward").noisy("completions/mean_length", 1.0, |_| 100.0);
        assert_eq!(advised(with_responses.build()), language);
    }

    #[test]
    fn a_value_on_the_harmless_side_is_no_cause() {
        let explained = |code, hyperparameter, value| {
            let run = Synthetic::healthy(100).config(hyperparameter, value).build();
            let settings = [(Hyperparameter::Temperature, ""), (Hyperparameter::ClipHigh, "")];
            within(&run, |context| causes(context, code, &settings)).len()
        };
        assert_eq!(explained(Code::EntropyCollapse, "temperature", 1.0), 0);
        assert_eq!(explained(Code::EntropyCollapse, "temperature", 0.7), 1);
        assert_eq!(explained(Code::EntropyExplosion, "temperature", 1.3), 1);
        assert_eq!(explained(Code::EntropyCollapse, "epsilon_high", 0.28), 0);
        assert_eq!(explained(Code::EntropyCollapse, "epsilon_high", 0.2), 1);
    }
}

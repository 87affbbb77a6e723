//! The settings that explain what a run does, under the names of each framework, with what is usual.

mod advantages;
mod checkpoints;
mod continued;
mod hyperparameter;
mod minibatches;
mod of_names;
mod returns;
mod usual;

use crate::SettingValue;
use advantages::has_critic;
pub(super) use advantages::{critic_free, estimator};
pub(super) use checkpoints::{kept_last, saved_every};
pub(super) use continued::continued_from;
pub use hyperparameter::Hyperparameter;
use hyperparameter::SettingKind;
pub(super) use minibatches::minibatches;
use of_names::{is_plausible, word_of_name};
pub(super) use returns::{has_raw_advantages, last_part, learns_from_replay};
use rundown_format::{learning_rate, short};
use rundown_run::{Config, ConfigValue};
pub use usual::Usual;
pub(super) use usual::is_of_language_model;

/// A setting as a run has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Which setting.
    pub hyperparameter: Hyperparameter,
    /// The key as the run has it.
    pub key: String,
    /// Its number; 0 or 1 for a switch, NaN for a word or a list.
    pub value: f64,
    /// The value as text, such as `1e-3`, `true` or `dapo`.
    pub text: String,
    /// What is unusual about it, such as `10× usual`; empty when nothing is.
    pub remark: String,
    /// Lowest and highest usual value, where one is known.
    pub usual: Option<(f64, f64)>,
}

/// A setting as it acts in a run, beside the others.
pub(super) struct ActingSetting {
    /// The setting.
    pub setting: Setting,
    /// Updates that it splits a batch into, if it does: its value does not tell that by itself.
    pub updates: Option<f64>,
}

/// From so many on, `num_iterations` are the steps of the run and not the epochs over a batch.
const MAX_EPOCHS_PER_BATCH: f64 = 20.0;

/// Settings that some projects nest in sections of their own: the end of their key is enough to know them.
const TELLING: [(Hyperparameter, &str); 14] = [
    (Hyperparameter::LearningRate, "learning_rate"),
    (Hyperparameter::Generations, "num_generations"),
    (Hyperparameter::MaxResponse, "max_completion_length"),
    (Hyperparameter::MaxPrompt, "max_prompt_length"),
    (Hyperparameter::MaxGradNorm, "max_grad_norm"),
    (Hyperparameter::WarmupRatio, "warmup_ratio"),
    (Hyperparameter::KlCoefficient, "init_kl_coef"),
    (Hyperparameter::KlCoefficient, "kl_coef"),
    (Hyperparameter::KlCoefficient, "kl_loss_coef"),
    (Hyperparameter::KlCoefficient, "kl_coeff"),
    (Hyperparameter::KlCoefficient, "kl_coefficient"),
    (Hyperparameter::KlCoefficient, "kl_beta"),
    (Hyperparameter::KlCoefficient, "kl_penalty.coef"),
    (Hyperparameter::KlCoefficient, "kl_penalty.coeff"),
];

/// Sections that are not about the policy in training.
const OTHER_SECTIONS: [&str; 12] = [
    "critic", "value", "eval", "val", "validation", "test", "ref", "reward", "reward_model", "teacher", "draft", "sft",
];

impl From<Setting> for SettingValue {
    fn from(setting: Setting) -> Self {
        Self { text: setting.text, number: Some(setting.value).filter(|number| number.is_finite()) }
    }
}

/// A value of the config as an action shows it. YAML reads `1e-6` as text.
pub(super) fn value_of(value: &ConfigValue) -> SettingValue {
    let number = match value {
        ConfigValue::Number(number) => Some(*number),
        ConfigValue::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    SettingValue { text: value.to_string(), number }
}

/// The setting of a run, if its config has it.
pub fn setting(config: &Config, hyperparameter: Hyperparameter) -> Option<Setting> {
    let exact = hyperparameter.keys().iter().find_map(|key| {
        let value = config.get(key)?;
        let (number, text) = read(hyperparameter.kind(), value)?;
        meant(hyperparameter, key, number, config).then_some((*key, number, text))
    });
    let (key, value, text) = exact.or_else(|| nested(config, hyperparameter))?;
    // Learning rates are written as powers, whatever their size.
    let is_rate = matches!(hyperparameter, Hyperparameter::LearningRate | Hyperparameter::CriticLearningRate)
        && value > 0.0
        && value < 0.01;
    let text = if is_rate { learning_rate(value) } else { text };
    Some(described(config, hyperparameter, key, value, text))
}

/// A setting that no config names, as the run logged it.
pub(super) fn logged(config: &Config, hyperparameter: Hyperparameter, key: &str, value: f64) -> Setting {
    described(config, hyperparameter, key, value, learning_rate(value))
}

/// The same setting beside what is usual of a policy that acts in an environment.
pub(super) fn in_environment(setting: Setting) -> Setting {
    let Some(usual) = usual::of_environment(setting.hyperparameter) else { return setting };
    Setting { remark: usual::remark(setting.value, usual.range), usual: Some(usual.range), ..setting }
}

/// A setting beside what is usual.
fn described(config: &Config, hyperparameter: Hyperparameter, key: &str, value: f64, text: String) -> Setting {
    let usual = usual::of(hyperparameter, config).map(|usual| usual.range);
    let remark = usual.map_or_else(String::new, |usual| usual::remark(value, usual));
    Setting { hyperparameter, key: key.to_owned(), value, text, remark, usual }
}

/// True where the config holds a value for a term that it switches off, such as a KL coefficient with `use_kl_loss=False`.
pub(super) fn is_switched_off(config: &Config, hyperparameter: Hyperparameter) -> bool {
    let is_off = |key: &&str| {
        let number = config.get(key).and_then(|value| read(hyperparameter.kind(), value)).map(|(number, _)| number);
        number.is_some_and(|number| !meant(hyperparameter, key, number, config))
    };
    setting(config, hyperparameter).is_none() && hyperparameter.keys().iter().any(is_off)
}

/// Those of `hyperparameters` that the config has, in their order.
pub fn settings_of(config: &Config, hyperparameters: &[Hyperparameter]) -> Vec<Setting> {
    hyperparameters.iter().filter_map(|hyperparameter| setting(config, *hyperparameter)).collect()
}

/// The setting that a key stands for, whatever the framework; `None` for the key of no known setting.
pub fn hyperparameter_of(key: &str) -> Option<Hyperparameter> {
    let key = word_of_name(key).unwrap_or(key);
    let exact = Hyperparameter::ALL.iter().copied().find(|hyperparameter| hyperparameter.keys().contains(&key));
    let is_told = |(known, name): &&(Hyperparameter, &str)| is_nested(key, name, *known);
    exact.or_else(|| TELLING.iter().find(is_told).map(|(hyperparameter, _)| *hyperparameter))
}

/// True for a key that ends in a name, in a section that is not about something else than the policy in training. A KL in the reward
/// is that of the policy.
fn is_nested(key: &str, name: &str, hyperparameter: Hyperparameter) -> bool {
    let Some(section) = key.strip_suffix(name).and_then(|before| before.strip_suffix('.')) else { return false };
    let is_kl = hyperparameter == Hyperparameter::KlCoefficient;
    section.split('.').all(|part| !OTHER_SECTIONS.contains(&part) || is_kl && part == "reward")
}

/// The usual range of a setting in a run with this config, with its source.
pub fn usual_of(config: &Config, hyperparameter: Hyperparameter) -> Option<Usual> {
    usual::of(hyperparameter, config)
}

/// The first of `keys` that holds a number, a text that is one, or a switch (0 or 1).
pub(super) fn number<'k>(config: &Config, keys: &[&'k str]) -> Option<(&'k str, f64)> {
    keys.iter().find_map(|key| {
        let (number, _) = read(SettingKind::Word, config.get(key)?)?;
        number.is_finite().then_some((*key, number))
    })
}

/// True or false, if the value of `key` is a switch, whether written as such or as text.
pub(super) fn switch(config: &Config, key: &str) -> Option<bool> {
    config.get(key)?.as_switch()
}

/// The text of a setting.
pub(super) fn word(config: &Config, hyperparameter: Hyperparameter) -> Option<String> {
    setting(config, hyperparameter).map(|setting| setting.text)
}

/// Whether the run trains adapters, as far as its config tells.
pub(super) fn uses_lora(config: &Config) -> Option<bool> {
    // AReaL keeps a rank whether or not it is used.
    let wording = ["use_lora", "use_peft", "actor.use_lora"].iter().find_map(|key| switch(config, key));
    wording.or_else(|| number(config, Hyperparameter::LoraRank.keys()).map(|(_, rank)| rank > 0.0))
}

/// A value as number and text. YAML reads `1e-6` as text, and logs write `True`.
fn read(kind: SettingKind, value: &ConfigValue) -> Option<(f64, String)> {
    let number = match value {
        ConfigValue::Number(number) => *number,
        ConfigValue::Bool(on) if kind == SettingKind::Word => f64::from(u8::from(*on)),
        ConfigValue::Text(text) if kind == SettingKind::Word && text.eq_ignore_ascii_case("true") => 1.0,
        ConfigValue::Text(text) if kind == SettingKind::Word && text.eq_ignore_ascii_case("false") => 0.0,
        ConfigValue::Text(text) => text.trim().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    match (kind, number.is_finite()) {
        (SettingKind::Word, true) if !matches!(value, ConfigValue::Number(_)) => Some((number, value.to_string())),
        (_, true) => Some((number, short(number))),
        (SettingKind::Word, false) if *value != ConfigValue::Null => Some((number, value.to_string())),
        _ => None,
    }
}

/// A setting by the end of its key, in the outermost section that has it, or by the name of the run.
fn nested(config: &Config, hyperparameter: Hyperparameter) -> Option<(&str, f64, String)> {
    let names = || TELLING.iter().filter(|(known, _)| *known == hyperparameter).map(|(_, name)| *name);
    let is_of_name = |key: &str| word_of_name(key).is_some_and(|word| hyperparameter.keys().contains(&word));
    config
        .iter()
        .filter(|(key, _)| names().any(|name| is_nested(key, name, hyperparameter)) || is_of_name(key))
        .filter_map(|(key, value)| read(hyperparameter.kind(), value).map(|(number, text)| (key, number, text)))
        .filter(|(key, number, _)| {
            meant(hyperparameter, key, *number, config) && is_plausible(config, hyperparameter, key, *number)
        })
        .min_by_key(|(key, _, _)| key.split('.').count())
}

/// False for a value that switches the setting off, leaves it to the framework, or belongs to a part that is off.
fn meant(hyperparameter: Hyperparameter, key: &str, value: f64, config: &Config) -> bool {
    let off = |key: &str| switch(config, key) == Some(false);
    let on = |key: &str| switch(config, key) == Some(true);
    match (hyperparameter, key) {
        // verl keeps a coefficient in the config whether or not it is used. Before `use_kl_in_reward` the one in the
        // reward was used where the one in the loss was not.
        (_, "actor_rollout_ref.actor.kl_loss_coef") => !off("actor_rollout_ref.actor.use_kl_loss"),
        (_, "algorithm.kl_ctrl.kl_coef") => match switch(config, "algorithm.use_kl_in_reward") {
            Some(used) => used,
            None => !on("actor_rollout_ref.actor.use_kl_loss"),
        },
        (_, "trainer.algorithm.kl_loss_coef") => {
            !(off("trainer.algorithm.use_kl_loss") && off("trainer.algorithm.use_kl_in_reward"))
        }
        (_, "kl_loss_coef") => !off("use_kl_loss"),
        (_, "trainer.algorithm.entropy_loss_coef") => !off("trainer.algorithm.use_entropy_loss"),
        (_, "policy.megatron_cfg.optimizer.lr" | "policy.megatron_cfg.scheduler.lr_warmup_iters") => {
            on("policy.megatron_cfg.enabled")
        }
        (_, "grpo.async_grpo.max_trajectory_age_steps") => !off("grpo.async_grpo.enabled"),
        (_, "train.async_queue_size") => !off("train.async_enable"),
        // Search-R1 has two numbers of responses; forks for agents leave one of them at 1.
        (_, "actor_rollout_ref.rollout.n_agent") => value > 1.0 || config.get("actor_rollout_ref.rollout.n").is_none(),
        // Beside a batch size, which TRL does not have, it is what an engine generates at a time.
        (Hyperparameter::Batch, "generation_batch_size") => value > 0.0 && config.get("batch_size").is_none(),
        // Larger numbers are those of steps, or of all rollouts.
        (Hyperparameter::Generations, "num_rollouts" | "n_rollouts") => (2.0..=64.0).contains(&value),
        // Without a critic its settings are those of nothing.
        (Hyperparameter::CriticLearningRate, _) => value > 0.0 && !critic_free(config),
        (Hyperparameter::CriticWarmup, _) => value >= 0.0 && !critic_free(config),
        // Custom training loops use these names for the number of steps, and for passes over the data.
        (Hyperparameter::EpochsPerBatch, "num_iterations") => value < MAX_EPOCHS_PER_BATCH,
        (Hyperparameter::EpochsPerBatch, "n_epochs") => config.get("n_steps").is_some(),
        // Beside the steps of all environments it is the length of a rollout in each (CleanRL, ikostrikov's PPO).
        (Hyperparameter::PlannedSteps, "num_steps")
            if ["total_timesteps", "num_envs", "num_env_steps"].iter().any(|key| config.get(key).is_some()) =>
        {
            false
        }
        // NeMo-RL plans a million steps where it plans none.
        (Hyperparameter::PlannedSteps, _) => value > 0.0 && value < 1e6,
        (
            Hyperparameter::MaxResponse
            | Hyperparameter::MaxPrompt
            | Hyperparameter::Batch
            | Hyperparameter::Generations
            | Hyperparameter::ModelContext,
            _,
        ) => value > 0.0,
        (Hyperparameter::TopK, _) => value > 0.0,
        (Hyperparameter::Warmup, _) => value == 0.0 || value >= 1.0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(pairs: &[(&str, f64)]) -> Config {
        let mut config = Config::default();
        for (key, value) in pairs {
            config.insert(*key, ConfigValue::Number(*value));
        }
        config
    }

    #[test]
    fn a_setting_is_found_under_each_framework() {
        let trl = setting(&config(&[("learning_rate", 1e-3)]), Hyperparameter::LearningRate).unwrap();
        assert_eq!((trl.key.as_str(), trl.text.as_str()), ("learning_rate", "1e-3"));
        assert_eq!(trl.remark, "10× usual");
        let verl =
            setting(&config(&[("actor_rollout_ref.actor.optim.lr", 1e-6)]), Hyperparameter::LearningRate).unwrap();
        assert_eq!(verl.remark, "");
        let tiny = setting(&config(&[("learning_rate", 1e-7)]), Hyperparameter::LearningRate).unwrap();
        assert_eq!(tiny.remark, "1/5 of usual");
        for key in ["actor.adam.lr", "policy.optimizer.kwargs.lr", "trainer.optim.lr", "actor.optimizer.lr", "lr"] {
            assert_eq!(
                setting(&config(&[(key, 1e-6)]), Hyperparameter::LearningRate).map(|found| found.key),
                Some(key.into())
            );
        }
    }

    #[test]
    fn a_project_may_nest_its_settings() {
        let nested =
            config(&[("critic.learning_rate", 1e-5), ("run.args.learning_rate", 2e-6), ("eval.learning_rate", 9.0)]);
        assert_eq!(setting(&nested, Hyperparameter::LearningRate).map(|found| found.value), Some(2e-6));
        let named = config(&[("run_name.group_size", 16.0)]);
        assert_eq!(setting(&named, Hyperparameter::Generations).map(|found| found.value), Some(16.0));
        assert_eq!(setting(&config(&[("env.max_steps", 3.0)]), Hyperparameter::PlannedSteps), None);
        assert_eq!(setting(&config(&[("my_learning_rate", 3.0)]), Hyperparameter::LearningRate), None);
    }

    #[test]
    fn a_key_tells_its_setting() {
        assert_eq!(hyperparameter_of("actor.adam.lr"), Some(Hyperparameter::LearningRate));
        assert_eq!(hyperparameter_of("run.args.learning_rate"), Some(Hyperparameter::LearningRate));
        assert_eq!(hyperparameter_of("run_name.group_size"), Some(Hyperparameter::Generations));
        assert_eq!((hyperparameter_of("critic.learning_rate"), hyperparameter_of("dropout")), (None, None));
        for key in ["advantage.reward.kl_coeff", "kl_penalty.coeff", "algorithm.kl_penalty.coef", "kl_coefficient"] {
            assert_eq!(hyperparameter_of(key), Some(Hyperparameter::KlCoefficient), "{key}");
            assert!(setting(&config(&[(key, 0.1)]), Hyperparameter::KlCoefficient).is_some(), "{key}");
        }
        assert_eq!((hyperparameter_of("critic.kl_coeff"), hyperparameter_of("reward.learning_rate")), (None, None));
    }

    #[test]
    fn numbers_in_text_count_and_words_are_kept() {
        let mut config = Config::default();
        config.insert("lr", ConfigValue::Text("2e-6".to_owned()));
        config.insert("loss_type", ConfigValue::Text("dapo".to_owned()));
        config.insert("mask_truncated_completions", ConfigValue::Bool(true));
        config.insert("reward_weights", ConfigValue::List(vec![ConfigValue::Number(1.0), ConfigValue::Number(0.5)]));
        config.insert("epsilon_high", ConfigValue::Null);
        assert_eq!(setting(&config, Hyperparameter::LearningRate).map(|found| found.value), Some(2e-6));
        let text = |hyperparameter| setting(&config, hyperparameter).map(|found| found.text).unwrap_or_default();
        assert_eq!(text(Hyperparameter::LossType), "dapo");
        assert_eq!(text(Hyperparameter::RewardWeights), "[1, 0.5]");
        assert_eq!(text(Hyperparameter::MaskTruncated), "true");
        assert_eq!(setting(&config, Hyperparameter::MaskTruncated).map(|found| found.value), Some(1.0));
        assert_eq!(setting(&config, Hyperparameter::ClipHigh), None);
    }

    #[test]
    fn a_coefficient_that_is_switched_off_does_not_count() {
        let mut config = config(&[("actor_rollout_ref.actor.kl_loss_coef", 0.001)]);
        assert!(setting(&config, Hyperparameter::KlCoefficient).is_some());
        config.insert("actor_rollout_ref.actor.use_kl_loss", ConfigValue::Bool(false));
        assert_eq!(setting(&config, Hyperparameter::KlCoefficient), None);
        assert_eq!(setting(&self::config(&[("max_steps", -1.0)]), Hyperparameter::PlannedSteps), None);
        let of_rollouts = self::config(&[("num_steps", 128.0), ("total_timesteps", 5e5)]);
        assert_eq!(setting(&of_rollouts, Hyperparameter::PlannedSteps), None);
        // Old verl: the KL goes into the reward unless it is in the loss.
        config.insert("algorithm.kl_ctrl.kl_coef", ConfigValue::Number(0.01));
        assert_eq!(setting(&config, Hyperparameter::KlCoefficient).map(|found| found.value), Some(0.01));
        assert!(!is_switched_off(&config, Hyperparameter::KlCoefficient));
        config.insert("algorithm.use_kl_in_reward", ConfigValue::Bool(false));
        assert_eq!(setting(&config, Hyperparameter::KlCoefficient), None);
        assert!(is_switched_off(&config, Hyperparameter::KlCoefficient));
        assert!(!is_switched_off(&Config::default(), Hyperparameter::KlCoefficient));
    }

    #[test]
    fn a_loop_of_its_own_has_plain_names_for_its_batches() {
        let own = config(&[("generation_batch_size", 64.0), ("batch_size", 128.0), ("ppo_clip_eps", 0.2)]);
        assert_eq!(setting(&own, Hyperparameter::Batch).map(|found| found.value), Some(128.0));
        assert_eq!(setting(&own, Hyperparameter::ClipLow).map(|found| found.value), Some(0.2));
        let trl = config(&[("generation_batch_size", 64.0), ("per_device_train_batch_size", 8.0)]);
        assert_eq!(setting(&trl, Hyperparameter::Batch).map(|found| found.value), Some(64.0));
        let sampled = config(&[("num_samples_per_prompt", 4.0)]);
        assert_eq!(setting(&sampled, Hyperparameter::Generations).map(|found| found.value), Some(4.0));
    }

    #[test]
    fn an_agent_fork_samples_in_its_environment() {
        let fork = config(&[("actor_rollout_ref.rollout.n", 1.0), ("env.rollout.n", 4.0)]);
        assert_eq!(setting(&fork, Hyperparameter::Generations).map(|found| found.value), Some(4.0));
        let search = config(&[("actor_rollout_ref.rollout.n", 1.0), ("actor_rollout_ref.rollout.n_agent", 5.0)]);
        assert_eq!(setting(&search, Hyperparameter::Generations).map(|found| found.value), Some(5.0));
    }

    #[test]
    fn a_critic_that_is_not_trained_has_no_settings() {
        let mut config = config(&[("critic.optim.lr", 1e-5)]);
        assert!(setting(&config, Hyperparameter::CriticLearningRate).is_some());
        config.insert("algorithm.adv_estimator", ConfigValue::Text("grpo".to_owned()));
        assert_eq!(setting(&config, Hyperparameter::CriticLearningRate), None);
    }
}

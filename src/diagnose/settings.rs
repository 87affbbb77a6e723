//! The settings that explain what a run does, under the names of each framework, with what is usual.

use crate::diagnose::text::{num, short_power};
use crate::run::{Config, ConfigValue};

/// A setting that matters for a diagnosis, whatever a framework calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Knob {
    /// Learning rate of the actor.
    LearningRate,
    /// Weight of the KL to the reference.
    KlCoefficient,
    /// Responses per prompt.
    Generations,
    /// Sampling temperature.
    Temperature,
    /// Upper clip range.
    ClipHigh,
    /// Clip range (lower, or both).
    ClipLow,
    /// Longest response in tokens.
    MaxResponse,
    /// Gradient norm to clip at.
    MaxGradNorm,
    /// Optimiser updates per rollout batch.
    UpdatesPerBatch,
    /// Prompts or samples per step.
    Batch,
    /// Steps that the run was to take.
    PlannedSteps,
    /// Weight of the entropy bonus.
    EntropyCoefficient,
    /// Steps of warm-up.
    Warmup,
}

/// A setting as a run has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Which setting.
    pub knob: Knob,
    /// The key as the run has it.
    pub key: String,
    /// Its number.
    pub value: f64,
    /// The number as text, such as `1e-3`.
    pub text: String,
    /// What is unusual about it, such as `10× usual`; empty when nothing is.
    pub remark: String,
    /// Lowest and highest usual value, where one is known.
    pub usual: Option<(f64, f64)>,
}

impl Knob {
    /// Settings in the order in which a report lists them.
    pub const IMPORTANT: [Knob; 7] = [
        Knob::LearningRate,
        Knob::KlCoefficient,
        Knob::Generations,
        Knob::MaxResponse,
        Knob::Temperature,
        Knob::MaxGradNorm,
        Knob::Batch,
    ];

    /// Keys under which frameworks keep it, the more telling first.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Knob::LearningRate => {
                &["learning_rate", "actor_rollout_ref.actor.optim.lr", "actor_learning_rate", "optim.lr", "lr"]
            }
            Knob::KlCoefficient => &[
                "beta",
                "actor_rollout_ref.actor.kl_loss_coef",
                "algorithm.kl_ctrl.kl_coef",
                "kl_coef",
                "kl_beta",
                "init_kl_coef",
            ],
            Knob::Generations => &[
                "num_generations",
                "actor_rollout_ref.rollout.n",
                "actor_rollout_ref.rollout.n_agent",
                "n_samples_per_prompt",
                "samples_per_group",
                "group_size",
            ],
            Knob::Temperature => &["temperature", "actor_rollout_ref.rollout.temperature"],
            Knob::ClipHigh => &["epsilon_high", "actor_rollout_ref.actor.clip_ratio_high"],
            Knob::ClipLow => &[
                "epsilon",
                "actor_rollout_ref.actor.clip_ratio",
                "actor_rollout_ref.actor.clip_ratio_low",
                "cliprange",
            ],
            Knob::MaxResponse => &[
                "max_completion_length",
                "data.max_response_length",
                "actor_rollout_ref.rollout.response_length",
                "response_length",
                "max_new_tokens",
            ],
            Knob::MaxGradNorm => &["max_grad_norm", "actor_rollout_ref.actor.grad_clip", "clip_grad_norm"],
            Knob::UpdatesPerBatch => &["num_iterations", "actor_rollout_ref.actor.ppo_epochs", "num_ppo_epochs"],
            Knob::Batch => {
                &["generation_batch_size", "data.train_batch_size", "per_device_train_batch_size", "batch_size"]
            }
            Knob::PlannedSteps => {
                &["max_steps", "trainer.total_training_steps", "total_training_steps", "total_steps", "num_steps"]
            }
            Knob::EntropyCoefficient => &["entropy_coef", "actor_rollout_ref.actor.entropy_coeff"],
            Knob::Warmup => &["warmup_steps", "actor_rollout_ref.actor.optim.lr_warmup_steps"],
        }
    }

    /// Lowest and highest usual value.
    ///
    /// Sources, published recipes (DeepSeekMath, DAPO, TRL, Search-R1, tinker cookbook): learning rate 5e-7 to 3e-6 for full fine-tuning, 5e-6 to 1e-4 for
    /// LoRA; KL coefficient 0 (DAPO, TRL since 0.19) to 0.05 (learned reward models), above 0.1 underfits; at least
    /// 4 responses per prompt; gradient clipping 0.1 to 1.
    fn usual(self, lora: Option<bool>) -> Option<(f64, f64)> {
        match (self, lora) {
            (Knob::LearningRate, Some(true)) => Some((5e-6, 1e-4)),
            (Knob::LearningRate, Some(false) | None) => Some((5e-7, 1e-4)),
            (Knob::KlCoefficient, _) => Some((0.0, 0.1)),
            (Knob::Generations, _) => Some((4.0, 64.0)),
            (Knob::Temperature, _) => Some((0.6, 1.2)),
            (Knob::MaxGradNorm, _) => Some((0.05, 1.0)),
            _ => None,
        }
    }
}

/// The setting of a run, if its config has it as a number.
pub fn setting(config: &Config, knob: Knob) -> Option<Setting> {
    let (key, value) = numbers(config, knob.keys()).find(|(key, value)| meant(knob, key, *value, config))?;
    let usual = knob.usual(uses_lora(config));
    let remark = usual.map_or_else(String::new, |usual| remark(value, usual));
    // Learning rates are written as powers, whatever their size.
    let text = if knob == Knob::LearningRate && value > 0.0 && value < 0.01 { short_power(value) } else { num(value) };
    Some(Setting { knob, key: key.to_owned(), value, text, remark, usual })
}

/// The settings that a report names first, in order.
pub fn important_settings(config: &Config) -> Vec<Setting> {
    Knob::IMPORTANT.iter().filter_map(|knob| setting(config, *knob)).collect()
}

fn numbers<'k>(config: &Config, keys: &'k [&'k str]) -> impl Iterator<Item = (&'k str, f64)> {
    keys.iter().filter_map(|key| match config.get(key)? {
        ConfigValue::Number(value) if value.is_finite() => Some((*key, *value)),
        // YAML reads `1e-6` as text.
        ConfigValue::Text(text) => {
            text.trim().parse().ok().filter(|value: &f64| value.is_finite()).map(|value| (*key, value))
        }
        _ => None,
    })
}

/// False for a value that switches the setting off or leaves it to the framework.
fn meant(knob: Knob, key: &str, value: f64, config: &Config) -> bool {
    let off = |switch: &str| matches!(config.get(switch), Some(ConfigValue::Bool(false)));
    match (knob, key) {
        // verl keeps a coefficient in the config whether or not it is used.
        (Knob::KlCoefficient, "actor_rollout_ref.actor.kl_loss_coef") => !off("actor_rollout_ref.actor.use_kl_loss"),
        (Knob::KlCoefficient, "algorithm.kl_ctrl.kl_coef") => !off("algorithm.use_kl_in_reward"),
        (Knob::PlannedSteps | Knob::MaxResponse | Knob::Batch | Knob::Generations, _) => value > 0.0,
        (Knob::Warmup, _) => value >= 0.0,
        _ => true,
    }
}

/// Whether the run trains adapters, as far as its config tells.
fn uses_lora(config: &Config) -> Option<bool> {
    let keys = ["lora_rank", "lora_r", "peft_config.r", "actor_rollout_ref.model.lora_rank", "model.lora_rank"];
    numbers(config, &keys).map(|(_, rank)| rank > 0.0).next().or(
        match config.get("use_lora").or(config.get("use_peft")) {
            Some(ConfigValue::Bool(used)) => Some(*used),
            _ => None,
        },
    )
}

fn remark(value: f64, (low, high): (f64, f64)) -> String {
    let times = |factor: f64| if factor < 10.0 { num((10.0 * factor).round() / 10.0) } else { format!("{factor:.0}") };
    // A hair of tolerance: configs hold 0.1 + 0.2.
    if high > 0.0 && value > high * 1.000_001 {
        return format!("{}× usual", times(value / high));
    }
    if value > 0.0 && low > 0.0 && value < low * 0.999_999 {
        return format!("1/{} of usual", times(low / value));
    }
    String::new()
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
        let trl = setting(&config(&[("learning_rate", 1e-3)]), Knob::LearningRate).unwrap();
        assert_eq!((trl.key.as_str(), trl.text.as_str()), ("learning_rate", "1e-3"));
        assert_eq!(trl.remark, "10× usual");
        let verl = setting(&config(&[("actor_rollout_ref.actor.optim.lr", 1e-6)]), Knob::LearningRate).unwrap();
        assert_eq!(verl.remark, "");
        let tiny = setting(&config(&[("learning_rate", 1e-7)]), Knob::LearningRate).unwrap();
        assert_eq!(tiny.remark, "1/5 of usual");
    }

    #[test]
    fn numbers_in_text_count() {
        let mut config = Config::default();
        config.insert("lr", ConfigValue::Text("2e-6".to_owned()));
        assert_eq!(setting(&config, Knob::LearningRate).map(|found| found.value), Some(2e-6));
    }

    #[test]
    fn a_coefficient_that_is_switched_off_does_not_count() {
        let mut config = config(&[("actor_rollout_ref.actor.kl_loss_coef", 0.001)]);
        assert!(setting(&config, Knob::KlCoefficient).is_some());
        config.insert("actor_rollout_ref.actor.use_kl_loss", ConfigValue::Bool(false));
        assert_eq!(setting(&config, Knob::KlCoefficient), None);
        assert_eq!(setting(&self::config(&[("max_steps", -1.0)]), Knob::PlannedSteps), None);
    }

    #[test]
    fn adapters_have_their_own_usual_range() {
        let lora = config(&[("learning_rate", 1e-6), ("lora_rank", 16.0)]);
        assert_eq!(setting(&lora, Knob::LearningRate).map(|found| found.remark), Some("1/5 of usual".to_owned()));
    }
}

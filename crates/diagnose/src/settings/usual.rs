//! What is usual for a setting, and from where on a value is far outside of it.

use super::hyperparameter::Hyperparameter;
use super::{has_critic, number, uses_lora, word};
use rundown_format::short;
use rundown_run::Config;

/// The usual range of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usual {
    /// Lowest and highest usual value.
    pub range: (f64, f64),
    /// Values beyond these are far outside: published recipes do not come near them.
    pub far: (f64, f64),
    /// Where the range comes from.
    pub source: &'static str,
}

const fn usual(low: f64, high: f64, far: (f64, f64), source: &'static str) -> Option<Usual> {
    Some(Usual { range: (low, high), far, source })
}

/// Settings that loops for games and control have (Stable-Baselines3, CleanRL, ManiSkill).
const OF_ENVIRONMENT: [&str; 6] = ["env_id", "env_name", "gym_id", "n_envs", "num_envs", "total_timesteps"];
/// Settings of PPO in such loops. Two of them are needed, and no number of responses per prompt: other loops have single ones too.
const OF_PPO: [&str; 6] = ["clip_coef", "ent_coef", "n_epochs", "n_steps", "nminibatches", "update_epochs"];
/// Beginnings of words in the keys of settings that only language models have. Only the beginning counts: `exploration` contains
/// `lora`. Not `token` alone, which is also that of an account.
const LANGUAGE_MODEL_WORDS: [&str; 9] =
    ["answer", "completion", "lora", "prompt", "qlora", "response", "tokeniz", "tokens", "vllm"];
/// Settings that name a model, as those of language models mostly do.
const MODEL_NAMES: [&str; 2] = ["model_name", "model.path"];

/// The usual range of a setting in a run with this config; `None` where nothing can be said of it.
pub(super) fn of(hyperparameter: Hyperparameter, config: &Config) -> Option<Usual> {
    // Looked up for each setting of ten thousand runs: what few settings need comes second.
    if let Some(usual) = of_environment(hyperparameter)
        && acts_in_environment(config)
    {
        return Some(usual);
    }
    match hyperparameter {
        Hyperparameter::LearningRate => learning_rate(config),
        Hyperparameter::CriticLearningRate => {
            usual(2e-6, 5e-5, (2e-7, 5e-4), "defaults: 1e-5 in verl, 9e-6 in OpenRLHF, 5e-6 in SkyRL")
        }
        Hyperparameter::KlCoefficient => usual(
            0.0,
            0.1,
            (0.0, 0.5),
            "0 in DAPO and TRL since 0.19, 0.001 in verl, up to 0.05 with learned reward models; runs underfit above 0.1",
        ),
        // With a critic one response a prompt is enough.
        Hyperparameter::Generations if has_critic(config) => None,
        Hyperparameter::Generations => {
            usual(4.0, 64.0, (0.0, 256.0), "8 in TRL, 5 in Search-R1, 16 in DAPO and NeMo-RL")
        }
        Hyperparameter::Temperature => usual(0.6, 1.2, (0.3, 1.5), "0.9 to 1.0 in TRL, verl, NeMo-RL and SkyRL"),
        Hyperparameter::ClipLow | Hyperparameter::ClipHigh => clip(config),
        Hyperparameter::MaxGradNorm => {
            usual(0.05, 1.0, (0.005, 20.0), "1.0 in TRL, verl, OpenRLHF and NeMo-RL; 0.1 in Unsloth")
        }
        Hyperparameter::EpochsPerBatch => {
            usual(1.0, 4.0, (0.0, 8.0), "1 in TRL and verl; gradients grew with 4 in TRL issue 2980")
        }
        Hyperparameter::EntropyCoefficient => usual(0.0, 0.01, (-0.02, 0.05), "0 in TRL and verl, 0.001 in Search-R1"),
        Hyperparameter::WarmupRatio => {
            usual(0.0, 0.3, (0.0, 0.5), "0.03 in OpenRLHF, 0.285 in Search-R1's first scripts")
        }
        Hyperparameter::AsyncLag => usual(0.0, 8.0, (0.0, 16.0), "4 in SkyRL, 8 in prime-rl and open-instruct"),
        Hyperparameter::WeightDecay => usual(0.0, 0.1, (0.0, 0.3), "0.01 in verl and NeMo-RL, 0.1 in tunix"),
        Hyperparameter::TopP => usual(0.9, 1.0, (0.5, 1.0), "1.0 in TRL, verl and OpenRLHF, 0.95 in Search-R1"),
        Hyperparameter::Discount | Hyperparameter::Lambda => {
            usual(0.9, 1.0, (0.8, 1.0), "1.0 in verl and OpenRLHF, 0.95 in tunix and TRL")
        }
        _ => None,
    }
}

/// The usual range of a setting of a small policy that acts in an environment, where it differs from that of a language
/// model.
pub(super) fn of_environment(hyperparameter: Hyperparameter) -> Option<Usual> {
    match hyperparameter {
        Hyperparameter::LearningRate | Hyperparameter::CriticLearningRate => {
            usual(3e-5, 1e-3, (1e-6, 1e-2), "3e-4 in Stable-Baselines3's PPO, 7e-4 in its A2C, 2.5e-4 in CleanRL")
        }
        Hyperparameter::EpochsPerBatch => usual(3.0, 20.0, (1.0, 80.0), "10 in Stable-Baselines3, 4 in CleanRL"),
        Hyperparameter::EntropyCoefficient => {
            usual(0.0, 0.02, (-0.02, 0.2), "0 in Stable-Baselines3, 0.01 in CleanRL and its tuned Atari settings")
        }
        _ => None,
    }
}

fn acts_in_environment(config: &Config) -> bool {
    let known = |keys: &[&str]| keys.iter().filter(|key| config.get(key).is_some()).count();
    let is_ppo = || known(&OF_PPO) > 1 && number(config, Hyperparameter::Generations.keys()).is_none();
    (known(&OF_ENVIRONMENT) > 0 || is_ppo())
        && !config.iter().any(|(key, _)| MODEL_NAMES.iter().any(|name| key.contains(name)))
        && !is_of_language_model(config)
}

/// True for a config with settings that only language models have.
pub(crate) fn is_of_language_model(config: &Config) -> bool {
    let is_one = |word: &str| LANGUAGE_MODEL_WORDS.iter().any(|known| word.starts_with(known));
    config.iter().any(|(key, _)| key.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_one))
}

/// Full fine-tuning 5e-7 to 3e-6 in published recipes, up to 2e-5 in the frameworks' examples; adapters 5e-6 to 1e-4.
/// Small models take larger ones, so that without a word on adapters both ranges are usual.
fn learning_rate(config: &Config) -> Option<Usual> {
    match uses_lora(config) {
        Some(true) => usual(5e-6, 1e-4, (3e-7, 1e-3), "LoRA: 1e-5 to 4e-5 in the tinker cookbook, 5e-6 in Unsloth"),
        Some(false) => usual(
            5e-7,
            2e-5,
            (5e-8, 2e-4),
            "full fine-tuning: 1e-6 in TRL, verl and OpenRLHF, 5e-6 in NeMo-RL, 1e-5 in torchtune",
        ),
        None => usual(5e-7, 1e-4, (5e-8, 1e-3), "1e-6 for full fine-tuning in TRL and verl, to 1e-4 with LoRA"),
    }
}

/// Clip ranges of ratios of single tokens. Ratios of sequences (GSPO) have others, and CISPO clips weights.
fn clip(config: &Config) -> Option<Usual> {
    let loss = word(config, Hyperparameter::LossType).unwrap_or_default().to_ascii_lowercase();
    let other = ["gspo", "cispo", "sapo", "vespo", "luspo", "gpg"].iter().any(|name| loss.contains(name));
    let by_sequence = config.get("importance_sampling_level").is_some_and(|level| level.to_string() == "sequence");
    let estimator = word(config, Hyperparameter::AdvantageEstimator).unwrap_or_default();
    if other || by_sequence || ["gspo", "cispo"].contains(&estimator.as_str()) {
        return None;
    }
    // tunix and NeMo-RL write CISPO as a switch of its own.
    if number(config, &["loss_fn.use_cispo"]).is_some_and(|(_, on)| on > 0.0) {
        return None;
    }
    usual(0.1, 0.4, (0.01, 1.0), "0.2 in PPO and TRL, 0.28 for the upper one in DAPO")
}

/// How far a value is outside of the usual range, in words; empty within.
pub(super) fn remark(value: f64, (low, high): (f64, f64)) -> String {
    let times =
        |factor: f64| if factor < 10.0 { short((10.0 * factor).round() / 10.0) } else { format!("{factor:.0}") };
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
    use crate::settings::setting;
    use rundown_run::ConfigValue;

    #[test]
    fn a_small_policy_has_other_learning_rates_than_a_language_model() {
        let highest = |keys: &[&str]| {
            let mut config = Config::default();
            keys.iter().for_each(|key| config.insert(*key, ConfigValue::Number(1.0)));
            of(Hyperparameter::LearningRate, &config).map(|usual| usual.range.1)
        };
        assert_eq!(highest(&["env_id", "num_envs", "gamma"]), Some(1e-3));
        assert_eq!(highest(&["env_name", "max_new_tokens"]), Some(1e-4));
        assert_eq!(highest(&["gamma"]), Some(1e-4));
        assert_eq!(highest(&["env_id", "exploration_fraction", "hub_token"]), Some(1e-3));
    }

    #[test]
    fn adapters_and_ratios_of_sequences_have_their_own_usual_ranges() {
        let config = |pairs: &[(&str, f64)]| {
            let mut config = Config::default();
            pairs.iter().for_each(|(key, value)| config.insert(*key, ConfigValue::Number(*value)));
            config
        };
        let lora = setting(&config(&[("learning_rate", 1e-6), ("lora_rank", 16.0)]), Hyperparameter::LearningRate);
        assert_eq!(lora.map(|found| found.remark).as_deref(), Some("1/5 of usual"));
        let mut gspo = config(&[("epsilon", 3e-4)]);
        assert!(of(Hyperparameter::ClipLow, &gspo).is_some());
        gspo.insert("importance_sampling_level", ConfigValue::Text("sequence".to_owned()));
        assert_eq!(of(Hyperparameter::ClipLow, &gspo), None);
    }
}

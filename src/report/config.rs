//! Which settings of a run a reader wants to see first.

use super::redact_setting;
use crate::order::Arrange;
use crate::run::{Config, ConfigValue};

/// Last parts of the keys that decide how a GRPO or PPO run goes, in reading order: model, algorithm, step size,
/// trust region, sampling, batch, duration. TRL's and verl's names.
const IMPORTANT: [&str; 62] = [
    "model_name_or_path",
    "_name_or_path",
    "model_name",
    "model.path",
    "base_model",
    "adv_estimator",
    "loss_type",
    "loss_agg_mode",
    "scale_rewards",
    "norm_adv_by_std_in_grpo",
    "reward_weights",
    "beta",
    "init_kl_coef",
    "use_kl_loss",
    "kl_loss_coef",
    "kl_loss_type",
    "use_kl_in_reward",
    "kl_coef",
    "entropy_coeff",
    "learning_rate",
    "optim.lr",
    "lr",
    "lr_scheduler_type",
    "warmup_steps",
    "warmup_ratio",
    "lr_warmup_steps",
    "lr_warmup_steps_ratio",
    "weight_decay",
    "max_grad_norm",
    "grad_clip",
    "epsilon",
    "epsilon_high",
    "clip_ratio",
    "clip_ratio_low",
    "clip_ratio_high",
    "cliprange",
    "state_masking",
    "num_generations",
    "rollout.n",
    "temperature",
    "top_p",
    "max_prompt_length",
    "max_completion_length",
    "max_response_length",
    "mask_truncated_completions",
    "per_device_train_batch_size",
    "gradient_accumulation_steps",
    "train_batch_size",
    "ppo_mini_batch_size",
    "steps_per_generation",
    "num_iterations",
    "ppo_epochs",
    "num_train_epochs",
    "total_epochs",
    "max_steps",
    "total_training_steps",
    "gamma",
    "lam",
    "use_vllm",
    "bf16",
    "use_lora",
    "seed",
];

/// Longest value that is shown, in characters.
const LONGEST_VALUE: usize = 120;

/// Key and value of the settings to show first, secrets redacted. Settings that are null are left out.
pub fn important_settings(config: &Config) -> Vec<(String, String)> {
    let mut ranked: Vec<(usize, &str, &ConfigValue)> = config
        .iter()
        .filter(|(_, value)| !matches!(value, ConfigValue::Null))
        .filter_map(|(key, value)| Some((importance(key)?, key, value)))
        .collect();
    ranked.arrange_by_key(|(rank, key, _)| (*rank, *key));
    ranked.into_iter().map(|(_, key, value)| (key.to_owned(), shortened(redact_setting(key, value)))).collect()
}

fn importance(key: &str) -> Option<usize> {
    IMPORTANT.iter().position(|name| match key.strip_suffix(name) {
        Some(before) => before.is_empty() || before.ends_with(['.', '/']),
        None => false,
    })
}

fn shortened(value: String) -> String {
    match value.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn important_ones_in_reading_order() {
        let mut config = Config::default();
        config.insert("seed", ConfigValue::Number(1.0));
        config.insert("actor_rollout_ref.actor.optim.lr", ConfigValue::Number(1e-6));
        config.insert("critic.optim.lr", ConfigValue::Number(1e-5));
        config.insert("alpha_beta", ConfigValue::Number(0.9));
        config.insert("beta", ConfigValue::Null);
        config.insert("model.path", ConfigValue::Text("m".repeat(500)));
        let shown = important_settings(&config);
        let keys: Vec<&str> = shown.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["model.path", "actor_rollout_ref.actor.optim.lr", "critic.optim.lr", "seed"]);
        assert_eq!(shown[0].1.chars().count(), LONGEST_VALUE + 1);
        assert_eq!(shown[1].1, "1e-6");
    }
}

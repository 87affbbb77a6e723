//! Names of the settings of a training, as configs have them and as scripts print them for people.
//!
//! A log is full of names with numbers, so that only known ones are taken for settings there.

use std::borrow::Cow;

/// Settings that are no metrics, under the names that frameworks and scripts have for them.
const SETTINGS: [&str; 39] = [
    "batch_size", "epochs", "eval_steps", "generation_batch_size", "gradient_accumulation_steps", "group_size",
    "importance_sampling_level", "kl_coef", "kl_loss_coef", "logging_steps", "lora_alpha", "lora_dropout", "lora_r",
    "lora_rank", "lr_scheduler_type", "mask_truncated_completions", "max_completion_length", "max_grad_norm",
    "max_new_tokens", "max_prompt_length", "max_seq_length", "max_steps", "mini_batch_size", "n_samples_per_prompt",
    "num_epochs", "num_generations", "num_iterations", "num_train_epochs", "per_device_eval_batch_size",
    "per_device_train_batch_size", "ppo_epochs", "ppo_mini_batch_size", "rollout_batch_size", "save_steps",
    "steps_per_generation", "target_kl", "train_batch_size", "warmup_ratio", "warmup_steps",
];
/// Settings that a loop may also print beside its metrics.
const ALSO_METRICS: [&str; 16] = [
    "beta", "clip_range", "cliprange", "entropy_coef", "epsilon", "epsilon_high", "gamma", "lam", "learning_rate",
    "loss_type", "lr", "seed", "temperature", "top_k", "top_p", "weight_decay",
];
/// Settings that name a model or the data.
pub(crate) const MODELS_AND_DATA: [&str; 6] =
    ["base_model", "dataset", "model", "model_id", "model_name", "model_name_or_path"];
/// Further settings whose values are names, or which a line of pairs does not print.
const NAMES: [&str; 4] = ["batch", "optimizer", "rank", "task"];
/// Keys that the checks know, each with other names that scripts print for it; lower case, with `_` between words.
const KEY_SYNONYMS: [(&str, &[&str]); 22] = [
    ("beta", &["β"]),
    ("batch_size", &["prompts_per_batch", "prompts_per_step", "num_prompts_per_step"]),
    ("cliprange", &["clip_range", "clip_epsilon", "clip_eps", "clip_ratio", "ppo_clip", "ppo_clip_range"]),
    ("critic_learning_rate", &["critic_lr", "value_lr"]),
    ("entropy_coef", &["entropy_coefficient", "entropy_bonus", "entropy_weight"]),
    (
        "gradient_accumulation_steps",
        &["gradient_accumulation", "grad_accumulation", "grad_accum", "grad_accum_steps", "accumulation_steps"],
    ),
    ("kl_coef", &["kl_coefficient", "kl_coeff", "kl_weight", "kl_beta", "kl_penalty_coef", "kl_penalty_coefficient"]),
    ("lam", &["gae_lambda", "lambda"]),
    ("learning_rate", &["actor_learning_rate", "actor_lr", "policy_lr", "policy_learning_rate"]),
    ("lora_rank", &["lora_r"]),
    (
        "max_completion_length",
        &[
            "max_completion", "max_completion_tokens", "max_gen_len", "max_gen_length", "max_gen_tokens",
            "max_generation_length", "max_output_tokens", "max_response_length", "max_response_tokens",
        ],
    ),
    (
        "max_grad_norm",
        &["clip_grad_norm", "grad_clip", "gradient_clip", "gradient_clipping", "max_gradient_norm", "grad_norm_clip"],
    ),
    ("max_prompt_length", &["max_prompt_tokens"]),
    (
        "max_steps",
        &[
            "max_train_steps", "max_training_steps", "num_steps", "num_train_steps", "num_training_steps",
            "total_optimization_steps", "total_steps", "total_train_steps", "total_training_steps", "training_steps",
        ],
    ),
    ("model_name", &["model", "policy_model", "actor_model", "model_path"]),
    // Beside the name of a banner it may be the path of a copy.
    ("model_name_or_path", &["loading_model"]),
    (
        "num_generations",
        &[
            "completions_per_prompt", "completions_per_question", "generations_per_prompt", "num_rollouts_per_prompt",
            "num_samples_per_prompt", "responses_per_prompt", "rollouts_per_example", "rollouts_per_prompt",
            "samples_per_group", "samples_per_prompt", "samples_per_question",
        ],
    ),
    ("num_iterations", &["grpo_iterations", "updates_per_batch", "inner_epochs"]),
    ("num_train_epochs", &["epochs", "num_epochs", "total_epochs", "training_epochs", "train_epochs"]),
    (
        "per_device_train_batch_size",
        &["batch_size_per_device", "instantaneous_batch_size_per_device", "per_device_batch_size"],
    ),
    ("seed", &["random_seed"]),
    ("temperature", &["sampling_temperature", "rollout_temperature", "generation_temperature"]),
];
/// Further settings whose values are words.
const WORD_SETTINGS: [&str; 3] = ["loss_type", "lr_scheduler_type", "optimizer"];

/// Words in the names of settings that each process of a job has of its own, without plural or number.
const OF_PROCESS: [&str; 10] =
    ["device", "gpu", "index", "node", "pid", "port", "rank", "runtime", "time", "timestamp"];

/// True for a name that may be that of a setting of one process, such as `local_rank`. Known settings are those of the training,
/// as the rank of adapters is, and so is what counts for each device: `micro_batch_size_per_gpu`.
pub(crate) fn is_of_process(name: &str) -> bool {
    let is_end = |letter: char| letter.is_ascii_digit() || letter == 's';
    let mut before = "";
    !is_no_metric(name)
        && name.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
            let is_counted_for = std::mem::replace(&mut before, word) == "per";
            !is_counted_for && OF_PROCESS.contains(&word.trim_end_matches(is_end))
        })
}

/// True for the name of a setting of a training.
pub(crate) fn is_setting_name(name: &str) -> bool {
    is_no_metric(name) || is_also_metric(name) || MODELS_AND_DATA.contains(&name) || NAMES.contains(&name)
}

/// True for a setting that no loop prints as a metric.
pub(crate) fn is_no_metric(name: &str) -> bool {
    SETTINGS.contains(&name)
}

/// True for a setting that a loop may also print beside its metrics.
pub(crate) fn is_also_metric(name: &str) -> bool {
    ALSO_METRICS.contains(&name)
}

/// True for a setting whose value is a word.
pub(crate) fn has_word(name: &str) -> bool {
    MODELS_AND_DATA.contains(&name) || WORD_SETTINGS.contains(&name)
}

/// The key of a setting that a script printed under this name, such as `KL coef`, `Rollouts per prompt` or
/// `actor.optim.lr`; `None` for the name of anything else.
pub(crate) fn setting_key(label: &str) -> Option<Cow<'_, str>> {
    // The size of a group, as papers on GRPO write it.
    if label == "G" {
        return Some(Cow::Borrowed("num_generations"));
    }
    let last = label.rsplit('.').next().unwrap_or(label);
    if last.len() < label.len() {
        return is_setting_name(last).then_some(Cow::Borrowed(label));
    }
    let words = label.split([' ', '_', '-']).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    if let Some((key, _)) = KEY_SYNONYMS.iter().find(|(_, spelled)| spelled.contains(&name.as_str())) {
        return Some(Cow::Borrowed(key));
    }
    is_setting_name(&name).then_some(Cow::Owned(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_people_are_those_of_keys() {
        let of = |label| setting_key(label).map(Cow::into_owned);
        for (label, key) in [
            ("KL coef", "kl_coef"),
            ("Max completion", "max_completion_length"),
            ("Rollouts per prompt", "num_generations"),
            ("LR", "lr"),
            ("Learning rate", "learning_rate"),
            ("Gradient Accumulation steps", "gradient_accumulation_steps"),
            ("actor.optim.lr", "actor.optim.lr"),
            ("G", "num_generations"),
            ("β", "beta"),
        ] {
            assert_eq!(of(label).as_deref(), Some(key), "{label}");
        }
        for label in ["", "reward", "KL", "actor.kl", "learning", "Total batch"] {
            assert_eq!(of(label), None, "{label}");
        }
    }

    #[test]
    fn settings_of_a_process_are_told_by_whole_words() {
        for name in
            ["local_rank", "rank", "rank0", "master_port", "gpu_ids", "num_gpus", "gpu_0", "timestamp", "start_time"]
        {
            assert!(is_of_process(name), "{name}");
        }
        let of_training = ["lora_rank", "per_device_train_batch_size", "importance_sampling_level"];
        for name in of_training.into_iter().chain(["micro_batch_size_per_gpu", "total_timesteps", "seed"]) {
            assert!(!is_of_process(name), "{name}");
        }
    }

    #[test]
    fn no_name_is_spelled_for_two_keys() {
        let mut names: Vec<&str> = KEY_SYNONYMS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}

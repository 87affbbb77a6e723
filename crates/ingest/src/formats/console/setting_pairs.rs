//! Settings that a script prints on one line, as in `GRPO: num_generations=4, max_steps=75, lr=3e-06`.
//!
//! Metrics are printed in the same way, so that all pairs of the line must be known settings of a training, and one of
//! them a setting that no loop prints as a metric.

use crate::syntax::json::Json;
use crate::syntax::python;

/// Fewest pairs of a line.
const FEWEST: usize = 3;
/// Longest line looked at, in bytes.
const MAX_LINE: usize = 2_000;
/// Words that may stand before the first pair.
const MAX_TITLE: usize = 6;

/// Settings that are no metrics, under the names that frameworks and scripts have for them.
const SETTINGS: [&str; 26] = [
    "batch_size",
    "epochs",
    "generation_batch_size",
    "gradient_accumulation_steps",
    "group_size",
    "kl_coef",
    "logging_steps",
    "lora_alpha",
    "lora_dropout",
    "lora_r",
    "lora_rank",
    "lr_scheduler_type",
    "max_completion_length",
    "max_grad_norm",
    "max_new_tokens",
    "max_prompt_length",
    "max_seq_length",
    "max_steps",
    "num_epochs",
    "num_generations",
    "num_iterations",
    "num_train_epochs",
    "per_device_train_batch_size",
    "save_steps",
    "warmup_ratio",
    "warmup_steps",
];
/// Settings that a loop may also print beside its metrics.
const ALSO_METRICS: [&str; 13] = [
    "beta",
    "clip_range",
    "entropy_coef",
    "epsilon",
    "epsilon_high",
    "gamma",
    "learning_rate",
    "loss_type",
    "lr",
    "seed",
    "temperature",
    "top_p",
    "weight_decay",
];
/// Settings whose values are names, or which a line of pairs does not print.
const NAMES: [&str; 7] = ["base_model", "batch", "dataset", "model", "model_name", "rank", "task"];

/// True for the name of a setting of a training.
pub(crate) fn is_setting_name(name: &str) -> bool {
    [&SETTINGS[..], &ALSO_METRICS, &NAMES].iter().any(|names| names.contains(&name))
}

/// The settings of a line; none of any other line.
pub(super) fn pairs(line: &str) -> Option<Vec<(String, Json)>> {
    if line.len() > MAX_LINE || memchr::memchr_iter(b'=', line.as_bytes()).take(FEWEST).count() < FEWEST {
        return None;
    }
    let mut words = line.split([',', ';', '|', ' ', '\t']).filter(|word| !word.is_empty()).peekable();
    for _ in 0..MAX_TITLE {
        words.next_if(|word| !word.contains('='));
    }
    let found: Vec<(String, Json)> = words.map(pair).collect::<Option<_>>()?;
    let is_setting = found.iter().any(|(key, _)| SETTINGS.contains(&key.as_str()));
    (is_setting && found.len() >= FEWEST).then_some(found)
}

/// A known setting with a literal value.
fn pair(word: &str) -> Option<(String, Json)> {
    let (key, value) = word.split_once('=')?;
    if !SETTINGS.contains(&key) && !ALSO_METRICS.contains(&key) {
        return None;
    }
    Some((key.to_owned(), python::literal(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Vec<String>> {
        let found = pairs(line)?;
        Some(found.into_iter().map(|(key, value)| format!("{key}={}", value.into_config_value())).collect())
    }

    #[test]
    fn a_line_of_settings_is_read() {
        let line = "GRPO: num_generations=8, max_steps=60, lr=2e-06, beta=0.01, loss_type='dapo'";
        let expected = ["num_generations=8", "max_steps=60", "lr=2e-6", "beta=0.01", "loss_type=dapo"];
        assert_eq!(of(line).as_deref(), Some(expected.map(str::to_owned).as_slice()));
        assert!(of("config | batch_size=8 | lr=1e-5 | seed=1").is_some());
    }

    #[test]
    fn lines_of_metrics_and_of_other_settings_are_none() {
        for line in [
            "lr=1e-6, beta=0.04, temperature=1.0",
            "step=1, max_steps=60, lr=1e-6, loss=0.5",
            "max_steps=60, lr=1e-6",
            "max_steps=60, lr=f(1), beta=0.1",
            "max_steps=60, lr=rate, beta=0.1",
            "a b c d e f g max_steps=60, lr=1, beta=0.1",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}

//! Whether the policy goes on from an earlier training, by its settings.

use super::last_part;
use rundown_run::{Config, ConfigValue};

/// Beginnings and parts of keys whose value is an adapter or a checkpoint that training starts from.
const STARTS: [&str; 10] = [
    "resume", "init_adapter", "init_from", "initial_checkpoint", "init_checkpoint", "load_adapter", "load_lora",
    "start_from", "warm_start", "warmstart",
];
/// What an adapter of a supervised stage is called, beside one of [`PLACES`].
const SUPERVISED: &str = "sft";
const PLACES: [&str; 4] = ["adapter", "checkpoint", "lora", "path"];
/// Values that name no file; verl's `resume_mode` is one of these where it does not resume for sure.
const NONE: [&str; 10] = ["", "none", "null", "false", "no", "off", "true", "auto", "disable", "never"];

/// The key of the setting that names an earlier adapter or checkpoint of the policy, such as `resume_adapter` or `sft_adapter_path`.
/// None where no setting does, or where it may be what the run writes (`adapter_path` of MLX).
pub(crate) fn continued_from(config: &Config) -> Option<&str> {
    config.iter().find(|(key, value)| is_start(key) && is_place(value)).map(|(key, _)| key)
}

fn is_start(key: &str) -> bool {
    let name = last_part(key).to_ascii_lowercase();
    STARTS.iter().any(|start| name.starts_with(start))
        || name.starts_with(SUPERVISED) && PLACES.iter().any(|place| name.contains(place))
}

fn is_place(value: &ConfigValue) -> bool {
    matches!(value, ConfigValue::Text(text) if !NONE.contains(&text.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_to_start_from_is_named() {
        let found = |key: &str, value: ConfigValue| {
            let mut config = Config::default();
            config.insert(key, value);
            continued_from(&config).is_some()
        };
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        assert!(found("resume_adapter", text("models/exp3")) && found("train.sft_adapter_path", text("out/sft")));
        assert!(found("init_from", text("out/ckpt-200")));
        assert!(!found("resume_from_checkpoint", ConfigValue::Null) && !found("resume_mode", text("auto")));
        assert!(!found("resume_adapter_file", text("None")) && !found("adapter_path", text("adapters")));
        assert!(!found("sft_epochs", text("3")) && !found("resume", ConfigValue::Bool(true)));
    }
}

//! The settings of a run that a reader wants to see first, as rows of a table; and values of settings without secrets.

use rundown_diagnose::{Hyperparameter, Setting, settings_of};
use rundown_format::number;
use rundown_format::redact::{REDACTED, cut, is_secret_number, redact, redact_setting};
use rundown_run::{Config, ConfigValue};

/// Longest value that is shown, in characters.
const LONGEST_VALUE: usize = 120;
/// Characters of a number that somebody drew and did not choose.
const LONG_NUMBER: usize = 9;

/// A known setting as a report shows it.
pub struct SettingRow {
    /// What it is, in words.
    pub what: &'static str,
    /// The key as the run has it.
    pub key: String,
    /// Its value without secrets, shortened.
    pub value: String,
    /// What is unusual about it; empty when nothing is.
    pub remark: String,
}

/// The known settings, in reading order, without those that another one makes idle.
pub fn setting_rows(config: &Config) -> Vec<SettingRow> {
    let settings = settings_of(config, Hyperparameter::ALL);
    let has_steps =
        settings.iter().any(|setting| setting.hyperparameter == Hyperparameter::PlannedSteps && setting.value > 0.0);
    let is_off = |key: &str| config.get(key) == Some(&ConfigValue::Bool(false));
    let is_idle = |hyperparameter: Hyperparameter| match hyperparameter {
        // Trainers stop at the number of steps, whatever the number of epochs.
        Hyperparameter::Epochs => has_steps,
        Hyperparameter::ImportanceCorrection => is_off("use_vllm"),
        _ => false,
    };
    settings
        .into_iter()
        .filter(|setting| !is_idle(setting.hyperparameter))
        .map(|setting| row(config, setting))
        .collect()
}

/// The value of a setting without its secrets; see [`redact_setting`].
pub fn redact_config_value(key: &str, value: &ConfigValue) -> String {
    match value {
        ConfigValue::Number(number) if is_secret_number(key, *number) => REDACTED.to_owned(),
        ConfigValue::Text(text) => redact_setting(key, text),
        ConfigValue::List(values) if !values.is_empty() => redact_setting(key, &value.to_string()),
        _ => redact(&value.to_string()).into_owned(),
    }
}

/// The value of any setting without its secrets, shortened.
pub fn setting_value(key: &str, value: &ConfigValue) -> String {
    cut(&redact_config_value(key, value), LONGEST_VALUE).into_owned()
}

/// A value without secrets; a number that was drawn with four digits, as nobody reads sixteen.
pub fn shown_setting(key: &str, value: &ConfigValue) -> String {
    let text = redact_config_value(key, value);
    match value {
        ConfigValue::Number(drawn) if drawn.fract() != 0.0 && text.len() > LONG_NUMBER && text == value.to_string() => {
            number(*drawn)
        }
        _ => text,
    }
}

fn row(config: &Config, setting: Setting) -> SettingRow {
    // Words are shown as the run has them, so that what is secret by its key or form is seen.
    let value = if setting.value.is_finite() { None } else { config.get(&setting.key).cloned() };
    let value = setting_value(&setting.key, &value.unwrap_or(ConfigValue::Text(setting.text)));
    let remark = match (setting.remark.is_empty(), setting.usual) {
        (false, Some((low, high))) => format!("{}: {} to {}", setting.remark, number(low), number(high)),
        _ => String::new(),
    };
    SettingRow { what: setting.hyperparameter.words(), key: setting.key, value, remark }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ones_in_reading_order() {
        let mut config = Config::default();
        config.insert("seed", ConfigValue::Number(1.0));
        config.insert("actor_rollout_ref.actor.optim.lr", ConfigValue::Number(1e-3));
        config.insert("critic.optim.lr", ConfigValue::Number(1e-5));
        config.insert("alpha_beta", ConfigValue::Number(0.9));
        config.insert("beta", ConfigValue::Null);
        config.insert("model.path", ConfigValue::Text("m".repeat(500)));
        let shown = setting_rows(&config);
        let keys: Vec<&str> = shown.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(keys, ["model.path", "actor_rollout_ref.actor.optim.lr", "critic.optim.lr", "seed"]);
        assert_eq!(shown[0].value.chars().count(), LONGEST_VALUE + 1);
        assert_eq!((shown[1].value.as_str(), shown[1].remark.as_str()), ("1e-3", "10× usual: 5e-7 to 1e-4"));
        assert_eq!(shown[1].what, "learning rate");
    }

    #[test]
    fn values_of_every_kind_are_redacted_by_their_key() {
        let text = |value: &str| ConfigValue::Text(value.to_owned());
        for (key, value, expected) in [
            ("my_password", ConfigValue::Number(1234.0), REDACTED),
            ("some_key", ConfigValue::List(vec![text("abc")]), REDACTED),
            ("some_key", ConfigValue::List(Vec::new()), "[]"),
            ("hub_token", text("abc"), REDACTED),
            ("hub_token", ConfigValue::Null, "null"),
            ("push_token", ConfigValue::Bool(true), "true"),
            ("learning_rate", ConfigValue::Number(1e-5), "1e-5"),
        ] {
            assert_eq!(redact_config_value(key, &value), expected);
        }
    }

    #[test]
    fn a_secret_in_a_word_is_redacted() {
        let mut config = Config::default();
        config.insert("model_name_or_path", ConfigValue::Text("https://me:0123456789abcdef@host/model".to_owned()));
        assert!(!setting_rows(&config)[0].value.contains("0123456789abcdef"));
    }
}

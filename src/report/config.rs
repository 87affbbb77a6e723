//! The settings of a run that a reader wants to see first, as rows of a table.

use super::numbers::number;
use super::redact_setting;
use crate::diagnose::{Knob, Setting, settings_of};
use crate::run::{Config, ConfigValue};

/// Longest value that is shown, in characters.
const LONGEST_VALUE: usize = 120;

/// Key, value and what is unusual about it, of the settings that Rundown knows; secrets redacted.
pub(super) fn setting_rows(config: &Config) -> Vec<[String; 3]> {
    settings_of(config, Knob::ALL).into_iter().map(|setting| row(config, setting)).collect()
}

fn row(config: &Config, setting: Setting) -> [String; 3] {
    // Words are shown as the run has them, so that what is secret by its key or form is seen.
    let value = if setting.value.is_finite() { None } else { config.get(&setting.key).cloned() };
    let value = redact_setting(&setting.key, &value.unwrap_or(ConfigValue::Text(setting.text)));
    let remark = match (setting.remark.is_empty(), setting.usual) {
        (false, Some((low, high))) => format!("{}: {} to {}", setting.remark, number(low), number(high)),
        _ => String::new(),
    };
    [setting.key, shortened(value), remark]
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
    fn known_ones_in_reading_order() {
        let mut config = Config::default();
        config.insert("seed", ConfigValue::Number(1.0));
        config.insert("actor_rollout_ref.actor.optim.lr", ConfigValue::Number(1e-3));
        config.insert("critic.optim.lr", ConfigValue::Number(1e-5));
        config.insert("alpha_beta", ConfigValue::Number(0.9));
        config.insert("beta", ConfigValue::Null);
        config.insert("model.path", ConfigValue::Text("m".repeat(500)));
        let shown = setting_rows(&config);
        let keys: Vec<&str> = shown.iter().map(|[key, ..]| key.as_str()).collect();
        assert_eq!(keys, ["model.path", "actor_rollout_ref.actor.optim.lr", "critic.optim.lr", "seed"]);
        assert_eq!(shown[0][1].chars().count(), LONGEST_VALUE + 1);
        assert_eq!(shown[1][1..], ["1e-3".to_owned(), "10× usual: 5e-7 to 1e-4".to_owned()]);
    }

    #[test]
    fn a_secret_in_a_word_is_redacted() {
        let mut config = Config::default();
        config.insert("model_name_or_path", ConfigValue::Text("https://me:0123456789abcdef@host/model".to_owned()));
        assert!(!setting_rows(&config)[0][1].contains("0123456789abcdef"));
    }
}

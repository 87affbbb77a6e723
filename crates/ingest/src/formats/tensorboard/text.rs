//! Settings in texts: the Hugging Face Trainer writes its arguments as JSON, CleanRL its own as a Markdown table.

use crate::rows::run_fields::setting;
use crate::syntax::json::{Json, flatten_into};
use rundown_run::Config;

/// Longest text looked at.
const MAX_TEXT: usize = 1 << 20;

/// Adds the settings that a text holds; any other text is passed over.
pub(super) fn settings(tag: &str, text: &[u8], config: &mut Config) {
    let tag = tag.strip_suffix("/text_summary").unwrap_or(tag);
    let text = String::from_utf8_lossy(text.get(..MAX_TEXT.min(text.len())).unwrap_or_default());
    let text = text.trim().trim_start_matches("```json").trim_matches('`').trim();
    if text.starts_with('{') {
        if let Ok(json) = Json::parse(text.as_bytes()) {
            let prefix = if matches!(tag, "args" | "config" | "hparams" | "hyperparameters") { "" } else { tag };
            flatten_into(config, prefix, json);
        }
    } else if text.starts_with('|') {
        table(text, config);
    }
}

/// `|param|value|`, a line of dashes, then one setting a line.
fn table(text: &str, config: &mut Config) {
    let mut lines = text.lines().map(str::trim);
    let cells = |line: &str| -> Option<(String, String)> {
        let (key, value) = line.strip_prefix('|')?.strip_suffix('|')?.split_once('|')?;
        (!value.contains('|')).then(|| (key.trim().to_owned(), value.trim().to_owned()))
    };
    let (Some(_), Some((rule, _))) = (lines.next().and_then(cells), lines.next().and_then(cells)) else { return };
    if rule.is_empty() || !rule.chars().all(|mark| matches!(mark, '-' | ':')) {
        return;
    }
    for (key, value) in lines.filter_map(cells) {
        config.insert(key, setting(&value));
    }
}

#[cfg(test)]
mod tests {
    use rundown_run::ConfigValue;

    use super::*;

    #[test]
    fn arguments_are_settings_and_other_text_is_none() {
        let mut config = Config::default();
        settings("args/text_summary", br#"{"learning_rate": 1e-5, "beta": 0.0}"#, &mut config);
        settings("model_config/text_summary", br#"{"hidden_size": 64}"#, &mut config);
        settings("hyperparameters/text_summary", b"|param|value|\n|-|-|\n|seed|1|\n|cuda|True|", &mut config);
        settings("notes", b"a | b", &mut config);
        settings("table", b"| a | b |", &mut config);
        settings("broken", b"{oops", &mut config);
        let keys: Vec<_> = config.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["beta", "cuda", "learning_rate", "model_config.hidden_size", "seed"]);
        assert_eq!(config.get("cuda"), Some(&ConfigValue::Bool(true)));
    }
}

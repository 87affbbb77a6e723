//! Writes into a text of settings what one metric stands for, and leaves everything else as it was written.

use serde_json::{Map, Value};

/// The text with `meaning` for the metric `key` in place of what it said before. Comments and order stay.
///
/// A text that is no settings comes back with the line added: applying it says what is wrong.
pub fn with_metric(text: &str, key: &str, meaning: &str) -> String {
    if text.trim_start().starts_with('{') {
        return in_json(text, key, meaning).unwrap_or_else(|| text.to_owned());
    }
    // A quoted string of JSON is one of TOML too.
    let name = Value::from(key).to_string();
    let line = format!("{name} = {}", Value::from(meaning));
    let mut lines: Vec<&str> = text.lines().collect();
    let Some(table) = lines.iter().position(|line| line.trim() == "[metrics]") else {
        let before = text.trim_end();
        let gap = if before.is_empty() { "" } else { "\n\n" };
        return format!("{before}{gap}[metrics]\n{line}\n");
    };
    let is_header = |line: &&str| line.trim_start().starts_with('[');
    let end = lines.iter().skip(table + 1).position(is_header).map_or(lines.len(), |place| table + 1 + place);
    let is_old = |line: &str| line.split_once('=').is_some_and(|(old, _)| old.trim() == name || old.trim() == key);
    let old = lines.iter().take(end).skip(table + 1).position(|line| is_old(line));
    match old.and_then(|place| lines.get_mut(table + 1 + place)) {
        Some(old) => *old = &line,
        None => lines.insert(table + 1, &line),
    }
    lines.join("\n") + "\n"
}

fn in_json(text: &str, key: &str, meaning: &str) -> Option<String> {
    let mut settings: Value = serde_json::from_str(text).ok()?;
    let metrics = settings.as_object_mut()?.entry("metrics").or_insert_with(|| Value::Object(Map::new()));
    metrics.as_object_mut()?.insert(key.to_owned(), Value::from(meaning));
    serde_json::to_string_pretty(&settings).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn meaning(text: &str, key: &str) -> Option<String> {
        let settings = Settings::parse(text).unwrap();
        let choice = settings.options.choices.iter().find(|choice| choice.key == key)?;
        choice.concept.map(|concept| format!("{} {:?}", concept.name(), choice.direction))
    }

    #[test]
    fn a_metric_is_added_and_replaced() {
        for text in
            ["", "gpus = 8 # all\n", "[metrics]\na = \"none\"\n\n[rulebook]\nkl_warning = 0.8\n", "{\"gpus\": 8}"]
        {
            let once = with_metric(text, "my/score \"q\"", "reward:up");
            assert_eq!(meaning(&once, "my/score \"q\"").unwrap(), "reward Some(Up)", "{once}");
            let twice = with_metric(&once, "my/score \"q\"", "evaluation:down");
            assert_eq!(meaning(&twice, "my/score \"q\"").unwrap(), "evaluation Some(Down)", "{twice}");
        }
    }

    #[test]
    fn the_rest_stays_as_it_was_written() {
        let text = "gpus = 8 # all\n[metrics]\n# mine\nscore = \"none\"\n[rulebook]\nkl_warning = 0.8\n";
        let expected = "gpus = 8 # all\n[metrics]\n# mine\n\"score\" = \"reward\"\n[rulebook]\nkl_warning = 0.8\n";
        assert_eq!(with_metric(text, "score", "reward"), expected);
        assert_eq!(with_metric("{ broken", "score", "reward"), "{ broken");
    }
}

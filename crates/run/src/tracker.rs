//! What a console log shows of the experiment tracker: started, switched off, offline, without a key, failed.
//!
//! Readers and checks ask the same question (is this a run whose metrics were never tracked?), so it is answered here.

use super::{Config, Log};
use rundown_format::redact::cut;

/// Characters of a message that are kept.
const MAX_QUOTED_CHARS: usize = 120;

/// What happened to tracking. The order is that of precedence where a log shows several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tracking {
    /// Off by an option, a setting or an environment variable.
    Disabled,
    /// No API key was configured.
    NoKey,
    /// W&B wrote to a local folder alone.
    Offline,
    /// The W&B client was started.
    Started,
    /// The W&B client reported an error, and never that it was started.
    Failed,
}

/// A place that shows what happened to tracking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackingSign {
    /// What it shows.
    pub tracking: Tracking,
    /// Line of the log, from 1; `None` for a setting.
    pub line: Option<u64>,
    /// The words that show it: an option with its value, or a message, shortened.
    pub text: String,
}

/// Words that stand one behind the other, in lower case, `-` for `_`, without signs around them; what they show; and
/// whether the rest of the line belongs to the message.
type Phrase = (&'static [&'static str], Tracking, bool);

const TRACKING_PHRASES: [Phrase; 24] = [
    (&["no-wandb"], Tracking::Disabled, false),
    (&["report-to", "none"], Tracking::Disabled, false),
    (&["wandb-mode", "disabled"], Tracking::Disabled, false),
    (&["wandb-disabled", "true"], Tracking::Disabled, false),
    (&["wandb-disabled", "1"], Tracking::Disabled, false),
    (&["use-wandb", "false"], Tracking::Disabled, false),
    (&["w&b", "disabled"], Tracking::Disabled, true),
    (&["wandb", "disabled"], Tracking::Disabled, true),
    (&["w&b", "logging", "disabled"], Tracking::Disabled, true),
    (&["wandb", "logging", "disabled"], Tracking::Disabled, true),
    (&["api-key", "not", "configured"], Tracking::NoKey, true),
    (&["no", "api", "key", "configured"], Tracking::NoKey, true),
    (&["wandb-api-key", "not", "set"], Tracking::NoKey, true),
    (&["wandb-api-key", "is", "not", "set"], Tracking::NoKey, true),
    (&["wandb-api-key", "not", "found"], Tracking::NoKey, true),
    (&["wandb-mode", "offline"], Tracking::Offline, false),
    (&["wandb-mode", "dryrun"], Tracking::Offline, false),
    (&["syncing", "is", "set", "to", "offline"], Tracking::Offline, true),
    (&["w&b", "initialized"], Tracking::Started, true),
    (&["wandb", "initialized"], Tracking::Started, true),
    (&["tracking", "run", "with", "wandb"], Tracking::Started, true),
    (&["wandb", "syncing", "run"], Tracking::Started, true),
    (&["view", "run", "at"], Tracking::Started, true),
    (&["wandb", "error"], Tracking::Failed, true),
];

/// Lines that tell how an option is used, not that it is set.
const USAGE_SIGNS: [&str; 4] = ["usage:", "[--", "to disable", "to turn o"];

impl Log {
    /// What the log shows of tracking, with the line that shows it. Where its lines show several states, the first of
    /// [`Tracking`] counts.
    pub fn tracking(&self) -> Option<TrackingSign> {
        let signs = self.lines.iter().zip(self.dropped + 1..).filter_map(|(line, number)| {
            let (tracking, text) = shown(&line.text)?;
            Some(TrackingSign { tracking, line: Some(number), text })
        });
        // The first of several equal ones.
        signs.min_by_key(|sign| sign.tracking)
    }
}

impl Config {
    /// What a setting shows of tracking, such as `report_to: none`.
    pub fn tracking(&self) -> Option<TrackingSign> {
        self.iter().find_map(|(key, value)| {
            let (tracking, _) = shown(&format!("{} = {value}", key.replace("wandb.", "wandb_")))?;
            Some(TrackingSign { tracking, line: None, text: format!("{key}: {value}") })
        })
    }

    /// Begins the keys of settings that only the name of a run states, such as `run_name.group_size`.
    pub const OF_NAME: &str = "run_name.";

    /// verl's setting of where metrics go.
    pub const LOGGERS: &str = "trainer.logger";

    /// True where the loggers of verl are named and the console is none of them: its log has no row of metrics then.
    pub fn hides_metrics(&self) -> bool {
        // Values that name no logger.
        const NO_LOGGERS: [&str; 6] = ["", "[]", "false", "none", "null", "true"];
        let loggers = self.get(Self::LOGGERS).map(|loggers| loggers.to_string().to_ascii_lowercase());
        loggers.is_some_and(|loggers| !loggers.contains("console") && !NO_LOGGERS.contains(&loggers.as_str()))
    }
}

/// What one line shows, with the words that show it.
fn shown(line: &str) -> Option<(Tracking, String)> {
    let words = words(line);
    let normal: Vec<String> = words.iter().map(|(_, word)| word.to_lowercase().replace('_', "-")).collect();
    let (phrase, place) = TRACKING_PHRASES.iter().find_map(|phrase| {
        let place = normal.windows(phrase.0.len()).position(|window| window == phrase.0)?;
        Some((phrase, place))
    })?;
    let (expected, tracking, is_message) = *phrase;
    let behind = normal.get(place + expected.len()).map(String::as_str);
    let lower = line.to_lowercase();
    if matches!(behind, Some("false" | "0")) || USAGE_SIGNS.iter().any(|words| lower.contains(words)) {
        return None;
    }
    let (start, _) = words.get(place)?;
    let (last, word) = words.get(place + expected.len() - 1)?;
    if !is_message {
        let dashes = line.get(..*start).unwrap_or_default().bytes().rev().take_while(|byte| *byte == b'-').count();
        let option = line.get(start - dashes..last + word.len()).unwrap_or_default();
        return Some((tracking, option.replace(['\'', '"', '[', ']', '`'], "")));
    }
    let text = line.get(*start..).unwrap_or_default().trim();
    Some((tracking, cut(text, MAX_QUOTED_CHARS).into_owned()))
}

/// The words of a line with the places where they begin: what stands between blanks, quotes, brackets, `=`, `:` and
/// `.`, without dashes before it.
fn words(line: &str) -> Vec<(usize, &str)> {
    let is_between = |letter: char| letter.is_whitespace() || "'\"`[](){}=:,;.".contains(letter);
    let parts = line.split(is_between);
    let mut found = Vec::new();
    let mut at = 0;
    for part in parts {
        let word = part.trim_start_matches('-');
        if !word.is_empty() {
            found.push((at + part.len() - word.len(), word));
        }
        // Every separator but a blank of Unicode is one byte.
        at += part.len() + line.get(at + part.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConfigValue, LogLine, Stream};

    fn of(lines: &[&str]) -> Option<(Tracking, u64, String)> {
        let mut log = Log::default();
        lines.iter().for_each(|text| log.push(LogLine { stream: Stream::File, text: (*text).to_owned() }));
        log.tracking().map(|sign| (sign.tracking, sign.line.unwrap(), sign.text))
    }

    #[test]
    fn a_log_shows_why_nothing_is_tracked() {
        let cases = [
            ("python train_grpo.py --num-steps 100 --no-wandb", Tracking::Disabled, "--no-wandb"),
            ("+ WANDB_MODE=disabled python train.py", Tracking::Disabled, "WANDB_MODE=disabled"),
            ("report_to=['none'],", Tracking::Disabled, "report_to=none"),
            ("wandb: W&B disabled due to login timeout.", Tracking::Disabled, "W&B disabled due to login timeout."),
            ("export WANDB_MODE=offline", Tracking::Offline, "WANDB_MODE=offline"),
            (
                "wandb.errors.UsageError: api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
                Tracking::NoKey,
                "api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
            ),
            (
                "wandb: ERROR Network error (ConnectionError)",
                Tracking::Failed,
                "wandb: ERROR Network error (ConnectionError)",
            ),
            (
                "(Task pid=1) wandb: Tracking run with wandb version 0.19.9",
                Tracking::Started,
                "Tracking run with wandb version 0.19.9",
            ),
            ("INFO W&B initialized: my-project/x", Tracking::Started, "W&B initialized: my-project/x"),
        ];
        for (line, tracking, text) in cases {
            assert_eq!(of(&["loading", line]), Some((tracking, 2, text.to_owned())), "{line}");
        }
    }

    #[test]
    fn instructions_and_options_that_are_off_show_nothing() {
        for line in [
            "usage: train_grpo.py [-h] [--no-wandb] [--num-steps N]",
            "  --no-wandb   Use this to disable W&B.",
            "no_wandb: False",
            "wandb: Run `wandb offline` to turn off syncing.",
            "use_wandb: True",
            "report_to=['wandb']",
            "reading wandb_logs/x.txt",
        ] {
            assert_eq!(of(&[line]), None, "{line}");
        }
    }

    #[test]
    fn of_several_states_the_one_that_explains_counts() {
        let started = "wandb: Tracking run with wandb version 0.19.9";
        let offline = "wandb: W&B syncing is set to `offline` in this directory.";
        assert_eq!(of(&[started, offline]).unwrap().0, Tracking::Offline);
        let error = "wandb: ERROR Failed to sample metric: Not Supported";
        assert_eq!(of(&[started, error]).unwrap().0, Tracking::Started);
    }

    #[test]
    fn settings_show_it_too() {
        let of = |key: &str, value: ConfigValue| {
            let mut config = Config::default();
            config.insert(key, value);
            config.tracking().map(|sign| (sign.tracking, sign.text))
        };
        let text = |word: &str| ConfigValue::Text(word.to_owned());
        assert_eq!(of("report_to", text("none")), Some((Tracking::Disabled, "report_to: none".to_owned())));
        assert_eq!(of("wandb.mode", text("offline")).unwrap().0, Tracking::Offline);
        assert_eq!(of("no_wandb", ConfigValue::Bool(true)).unwrap().0, Tracking::Disabled);
        assert_eq!(of("no_wandb", ConfigValue::Bool(false)), None);
        assert_eq!(of("report_to", ConfigValue::List(vec![text("wandb")])), None);
    }

    #[test]
    fn loggers_without_the_console_leave_the_log_without_metrics() {
        let hides = |loggers: &[&str]| {
            let mut config = Config::default();
            let list = loggers.iter().map(|logger| ConfigValue::Text((*logger).to_owned())).collect();
            config.insert(Config::LOGGERS, ConfigValue::List(list));
            config.hides_metrics()
        };
        assert!(hides(&["wandb"]) && !hides(&["console", "wandb"]) && !Config::default().hides_metrics());
        for none in [ConfigValue::Null, ConfigValue::Bool(true), ConfigValue::Text("False".to_owned())] {
            let mut config = Config::default();
            config.insert(Config::LOGGERS, none);
            assert!(!config.hides_metrics());
        }
    }
}

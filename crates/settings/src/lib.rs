//! What a user may set: what metrics stand for, the thresholds of the checks, what a GPU costs.
//!
//! One text for the page and the terminal, in TOML or JSON, so that it can be kept beside the runs and shared:
//! `docs/settings.md`.

mod edit;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use rundown_diagnose::{Options, Rulebook, Threshold};
use rundown_vocabulary::Override;

pub use edit::with_metric;

/// Name of a rulebook in which the user changed something and gave no name.
const EDITED: &str = "edited";
/// Most bytes of a text that is read. What is set fits in a hundredth of it.
const LONGEST: usize = 1 << 20;

/// Everything that a user may set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// What the checks compare with.
    pub rulebook: Rulebook,
    /// What metrics stand for, and what a GPU costs.
    pub options: Options,
}

/// Why a text of settings can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsError {
    /// It is neither TOML nor JSON, or has an entry that there is not; where, as line from 1, and what.
    Text(Option<usize>, String),
    /// A metric does not get what stands behind it: its key, and why.
    Metric(String, String),
    /// There is no threshold of that name.
    NoThreshold(String),
    /// A number is not finite, or negative where that means nothing: its name.
    Number(String),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Text(Some(line), what) => write!(out, "Line {line}: {what}."),
            SettingsError::Text(None, what) => write!(out, "{what}."),
            SettingsError::Metric(key, what) => write!(out, "The metric {key}: {what}. Names stand below."),
            SettingsError::NoThreshold(name) => {
                write!(out, "There is no threshold {name} in the rulebook. Names stand below.")
            }
            SettingsError::Number(name) => {
                write!(out, "{name} needs a finite number, not less than 0 for a price or GPUs.")
            }
        }
    }
}

impl std::error::Error for SettingsError {}

impl Settings {
    /// Reads TOML, or JSON where the text begins with a brace. What is not set keeps its default; an empty text sets
    /// nothing.
    ///
    /// # Errors
    /// Says what can't be used, and in which line where that is known. Nothing is set in part.
    pub fn parse(text: &str) -> Result<Settings, SettingsError> {
        if text.len() > LONGEST {
            return Err(SettingsError::Text(None, "This is far too long for settings".to_owned()));
        }
        let written: SettingsText = if text.trim_start().starts_with('{') {
            serde_json::from_str(text)
                .map_err(|error| SettingsError::Text(Some(error.line()), lower_sentence(&error.to_string())))?
        } else {
            toml::from_str(text).map_err(|error| {
                let line = error.span().map(|span| line_of(text, span.start));
                SettingsError::Text(line, lower_sentence(error.message()))
            })?
        };
        written.settings()
    }
}

/// The text as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SettingsText {
    price_per_gpu_hour: Option<f64>,
    gpus: Option<f64>,
    metrics: BTreeMap<String, String>,
    rulebook: RulebookText,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RulebookText {
    name: Option<String>,
    version: Option<u32>,
    #[serde(flatten)]
    thresholds: BTreeMap<String, ThresholdText>,
}

/// A number alone, or with its unit and source.
#[derive(Deserialize)]
#[serde(untagged)]
enum ThresholdText {
    Value(f64),
    Whole {
        value: f64,
        unit: Option<String>,
        #[serde(default)]
        source: String,
    },
}

impl SettingsText {
    fn settings(self) -> Result<Settings, SettingsError> {
        let mut settings = Settings::default();
        settings.options.price.per_gpu_hour = amount("price_per_gpu_hour", self.price_per_gpu_hour)?;
        settings.options.price.gpus = amount("gpus", self.gpus)?;
        for (key, meaning) in self.metrics {
            let choice = Override::of(&key, &meaning);
            settings.options.choices.set(choice.map_err(|what| SettingsError::Metric(key, what))?);
        }
        let RulebookText { name, version, thresholds } = self.rulebook;
        let book = &mut settings.rulebook;
        for (name, written) in thresholds {
            let Some(threshold) = book.threshold_mut(&name) else { return Err(SettingsError::NoThreshold(name)) };
            let before = threshold.clone();
            *threshold = written.over(before);
            if !threshold.value.is_finite() {
                return Err(SettingsError::Number(name));
            }
        }
        let is_edited = *book != Rulebook::default();
        book.name = name.unwrap_or_else(|| if is_edited { EDITED.to_owned() } else { book.name.clone() });
        book.version = version.or(book.version);
        Ok(settings)
    }
}

impl ThresholdText {
    /// The threshold, with what is not written taken from the one before. Whoever changes the number takes its source
    /// away: an empty one is shown as the user's.
    fn over(self, before: Threshold) -> Threshold {
        match self {
            ThresholdText::Value(value) if value == before.value => before,
            ThresholdText::Value(value) => Threshold { value, source: Cow::Borrowed(""), ..before },
            ThresholdText::Whole { value, unit, source } => {
                Threshold { value, unit: unit.map_or(before.unit, Cow::Owned), source: Cow::Owned(source) }
            }
        }
    }
}

fn amount(name: &str, value: Option<f64>) -> Result<Option<f64>, SettingsError> {
    match value {
        Some(value) if !value.is_finite() || value < 0.0 => Err(SettingsError::Number(name.to_owned())),
        value => Ok(value),
    }
}

/// Line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count()
}

/// The first line of a parser's message, as it stands within a sentence.
fn lower_sentence(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_vocabulary::{Concept, Unit};

    const TOML: &str = r#"
        price_per_gpu_hour = 2.5
        gpus = 8 # all of them

        [metrics]
        my_score = "evaluation"
        "actor/kl=x" = "kl_to_reference:nats_per_sequence"
        odd = "none"

        [rulebook]
        kl_warning = 0.8
        kl_critical = { value = 3, source = "our runs of May" }
    "#;

    #[test]
    fn toml_and_json_say_the_same() {
        let settings = Settings::parse(TOML).unwrap();
        let price = settings.options.price;
        assert_eq!((price.per_gpu_hour, price.gpus), (Some(2.5), Some(8.0)));
        let choices: Vec<_> = settings.options.choices.iter().map(|c| (c.key.as_str(), c.concept, c.unit)).collect();
        let kl = ("actor/kl=x", Some(Concept::KlToReference), Some(Unit::NatsPerSequence));
        assert_eq!(choices, [kl, ("my_score", Some(Concept::Evaluation), None), ("odd", None, None)]);
        assert_eq!((settings.rulebook.kl_warning().value, settings.rulebook.kl_warning().source.as_ref()), (0.8, ""));
        assert_eq!(
            (settings.rulebook.kl_critical().value, settings.rulebook.kl_critical().source.as_ref()),
            (3.0, "our runs of May")
        );
        assert_eq!(settings.rulebook.title(), "edited 1");
        let json = r#"{"price_per_gpu_hour": 2.5, "gpus": 8, "metrics": {"my_score": "evaluation", "odd": "none",
            "actor/kl=x": "kl_to_reference:nats_per_sequence"}, "rulebook": {"kl_warning": 0.8,
            "kl_critical": {"value": 3.0, "source": "our runs of May"}}}"#;
        assert_eq!(Settings::parse(json).unwrap(), settings);
    }

    #[test]
    fn nothing_set_is_the_default() {
        for text in ["", "# nothing", "{}", "[rulebook]\nkl_warning = 0.5"] {
            assert_eq!(Settings::parse(text).unwrap(), Settings::default(), "{text}");
        }
        let named = Settings::parse("[rulebook]\nname = \"ours\"\nversion = 3").unwrap();
        assert_eq!(named.rulebook.title(), "ours 3");
    }

    #[test]
    fn what_can_not_be_used_is_reported() {
        let wording = |text: &str| Settings::parse(text).unwrap_err().to_string();
        assert!(
            wording("gpus = 1\nprice = 3").starts_with("Line 2: unknown field `price`"),
            "{}",
            wording("gpus = 1\nprice = 3")
        );
        assert!(wording("gpus = 1\n[metrics").starts_with("Line 2: "), "{}", wording("gpus = 1\n[metrics"));
        assert!(wording("{\"gpus\": }").starts_with("Line 1: "));
        assert!(wording("[rulebook]\nkl = 3").contains("no threshold kl in"));
        assert!(
            wording("[rulebook]\nkl_warning = \"a\"").starts_with("Line 2: ")
                || !wording("[rulebook]\nkl_warning = \"a\"").is_empty()
        );
        assert!(wording("[rulebook]\nkl_warning = nan").contains("kl_warning needs a finite number"));
        assert!(wording("gpus = -1").contains("gpus needs"));
        assert!(wording("[metrics]\na = \"charm\"").contains("The metric a: there is no concept charm"));
        assert!(wording("[metrics]\n\"\" = \"reward\"").contains("needs a key"));
        assert!(wording(&" ".repeat(LONGEST + 1)).contains("too long"));
    }
}

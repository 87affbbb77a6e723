//! Contradictions within a config: settings that do not do what they say, as the frameworks' own code has it.
//!
//! A rule is a function from the run to a [`Conflict`]. It reads the keys of one framework (or of several that mean
//! the same by them), and keeps quiet where a key is missing: what is not in the config is not guessed. A warning is
//! only for a setting that surely does nothing, or that surely spoils the training; the rest are notes.

mod checkpoints;
mod groups;
mod kl;
mod loss;
mod schedule;

use super::context::Context;
use super::settings::{self, Hyperparameter, Setting};
use super::{SettingValue, Severity};
use rundown_format::RichText;
use rundown_run::{Config, ConfigValue};

/// One contradiction.
pub(super) struct Conflict {
    /// A warning or a note.
    pub severity: Severity,
    /// What contradicts what, in one sentence without its full stop.
    pub title: RichText,
    /// The keys that contradict each other, the one to change first.
    pub keys: Vec<String>,
    /// What happens instead, with the code that makes it so.
    pub why: &'static str,
    /// The value to give the first key.
    pub to: SettingValue,
    /// What that changes.
    pub effect: &'static str,
    /// Where the code or the documentation says so.
    pub reference: &'static str,
    /// Where it begins, if not with the run.
    pub onset: Option<f64>,
}

type ConflictRule = fn(&RuleInput<'_>) -> Option<Conflict>;

const RULES: &[&[ConflictRule]] = &[groups::RULES, loss::RULES, kl::RULES, schedule::RULES, checkpoints::RULES];

/// Every contradiction of a run, warnings first.
pub(super) fn conflicts(context: &Context<'_>) -> Vec<Conflict> {
    let look = RuleInput { context, config: &context.run.config };
    let found: Vec<Conflict> = RULES.iter().flat_map(|rules| rules.iter()).filter_map(|rule| rule(&look)).collect();
    let (mut warnings, notes): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|conflict| conflict.severity > Severity::Note);
    warnings.extend(notes);
    warnings
}

/// Number of rules, as a quiet check says it.
pub(super) fn rules() -> usize {
    RULES.iter().map(|rules| rules.len()).sum()
}

/// A run as the rules see it.
struct RuleInput<'a> {
    context: &'a Context<'a>,
    config: &'a Config,
}

impl RuleInput<'_> {
    fn number(&self, key: &str) -> Option<f64> {
        settings::number(self.config, &[key]).map(|(_, value)| value)
    }

    fn switch(&self, key: &str) -> Option<bool> {
        settings::switch(self.config, key)
    }

    fn on(&self, key: &str) -> bool {
        self.switch(key) == Some(true)
    }

    /// A word in lower case; `None` also for the text "None".
    fn word(&self, key: &str) -> Option<String> {
        match self.config.get(key).filter(|value| value.is_set())? {
            ConfigValue::Text(text) => Some(text.to_ascii_lowercase()),
            _ => None,
        }
    }

    fn hyperparameter(&self, hyperparameter: Hyperparameter) -> Option<Setting> {
        settings::setting(self.config, hyperparameter)
    }

    fn has(&self, key: &str) -> bool {
        self.config.get(key).is_some()
    }
}

fn keys(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

//! What a condition looks at, and its value in a run.

use std::borrow::Cow;
use std::fmt;

use super::Entry;
use crate::run::{Config, ConfigValue};

/// What a condition looks at.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Field {
    /// What a run is.
    Property(Property),
    /// A setting.
    Config(String),
    /// The last value of a metric.
    Summary(String),
    /// A setting, else the last value of a metric.
    Either(String),
}

/// What a run is, apart from its settings and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Name,
    Id,
    State,
    Tags,
    Group,
    JobType,
    Sweep,
    Project,
    Notes,
    Framework,
    Verdict,
    Finding,
    Created,
    Steps,
    Points,
    Hours,
    Tokens,
    Cost,
}

/// Properties by their names; the first name of each is the one that is suggested.
pub(super) const PROPERTIES: [(&str, Property); 28] = [
    ("name", Property::Name),
    ("id", Property::Id),
    ("state", Property::State),
    ("tags", Property::Tags),
    ("group", Property::Group),
    ("job_type", Property::JobType),
    ("sweep", Property::Sweep),
    ("project", Property::Project),
    ("notes", Property::Notes),
    ("framework", Property::Framework),
    ("verdict", Property::Verdict),
    ("finding", Property::Finding),
    ("created", Property::Created),
    ("steps", Property::Steps),
    ("points", Property::Points),
    ("hours", Property::Hours),
    ("tokens", Property::Tokens),
    ("cost", Property::Cost),
    // What W&B calls them, and other forms.
    ("display_name", Property::Name),
    ("displayName", Property::Name),
    ("run_id", Property::Id),
    ("tag", Property::Tags),
    ("jobType", Property::JobType),
    ("findings", Property::Finding),
    ("created_at", Property::Created),
    ("createdAt", Property::Created),
    ("started", Property::Created),
    ("started_at", Property::Created),
];

/// How many of [`PROPERTIES`] are suggested.
pub(super) const SUGGESTED: usize = 18;

const CONFIG: &str = "config.";
const SUMMARY: [&str; 2] = ["summary.", "summary_metrics."];

impl Field {
    /// What a key stands for.
    pub(super) fn of(key: &str) -> Self {
        if let Some((_, property)) = PROPERTIES.iter().find(|(name, _)| *name == key) {
            return Self::Property(*property);
        }
        if let Some(rest) = key.strip_prefix(CONFIG) {
            return Self::Config(rest.to_owned());
        }
        match SUMMARY.iter().find_map(|prefix| key.strip_prefix(prefix)) {
            Some(rest) => Self::Summary(rest.to_owned()),
            None => Self::Either(key.to_owned()),
        }
    }

    /// The value in a run.
    pub(super) fn held<'e>(&self, entry: &'e Entry) -> Held<'e> {
        match self {
            Field::Property(property) => property.held(entry),
            Field::Config(key) => setting(&entry.config, key),
            Field::Summary(key) => metric(entry, key),
            Field::Either(key) => match (entry.config.get(key), entry.last.contains_key(key)) {
                (Some(value), _) => Held::Value(Cow::Borrowed(value)),
                (None, true) => metric(entry, key),
                (None, false) => setting(&entry.config, key),
            },
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Property(property) => {
                let name = PROPERTIES.iter().find(|(_, known)| known == property);
                out.write_str(name.map_or("", |(name, _)| name))
            }
            Field::Config(key) => write!(out, "config.{key}"),
            Field::Summary(key) => write!(out, "summary.{key}"),
            Field::Either(key) => out.write_str(key),
        }
    }
}

impl Property {
    /// True for one whose values are words of Rundown, which are compared in lower case.
    pub(super) fn is_word(self) -> bool {
        matches!(self, Property::State | Property::Framework | Property::Verdict | Property::Finding)
    }

    fn held(self, entry: &Entry) -> Held<'_> {
        let texts = |texts: &mut dyn Iterator<Item = String>| {
            let items: Vec<ConfigValue> = texts.map(ConfigValue::Text).collect();
            if items.is_empty() { None } else { Some(ConfigValue::List(items)) }
        };
        let text = |text: &Option<String>| text.clone().map(ConfigValue::Text);
        let number = |number: Option<f64>| number.filter(|number| !number.is_nan()).map(ConfigValue::Number);
        let value = match self {
            Property::Name => Some(ConfigValue::Text(entry.name.clone())),
            Property::Id => Some(ConfigValue::Text(entry.id.clone())),
            Property::State => Some(ConfigValue::Text(entry.state.as_str().to_owned())),
            Property::Tags => texts(&mut entry.tags.iter().cloned()),
            Property::Group => text(&entry.group),
            Property::JobType => text(&entry.job_type),
            Property::Sweep => text(&entry.sweep),
            Property::Project => text(&entry.project),
            Property::Notes => text(&entry.notes),
            Property::Framework => Some(ConfigValue::Text(entry.framework.as_str().to_ascii_lowercase())),
            Property::Verdict => Some(ConfigValue::Text(entry.verdict.as_str().to_owned())),
            Property::Finding => texts(&mut entry.findings.iter().map(|found| found.code.as_str().to_owned())),
            Property::Created => number(entry.started_at),
            Property::Steps => number(entry.steps.map(|(_, last)| last)),
            Property::Points => number(Some(entry.points as f64)),
            Property::Hours => number(entry.spent.hours),
            Property::Tokens => number(entry.spent.tokens),
            Property::Cost => number(entry.spent.money),
        };
        value.map_or(Held::Missing, |value| Held::Value(Cow::Owned(value)))
    }
}

/// What a run has under a key.
pub(super) enum Held<'e> {
    /// Nothing.
    Missing,
    /// Settings that are nested under the key, but no value of its own.
    Section,
    /// A value.
    Value(Cow<'e, ConfigValue>),
}

fn metric<'e>(entry: &'e Entry, key: &str) -> Held<'e> {
    entry.last.get(key).map_or(Held::Missing, |value| Held::Value(Cow::Owned(ConfigValue::Number(*value))))
}

/// A setting by its whole key, or by the end of it where only one key, or one value, is meant.
fn setting<'e>(config: &'e Config, key: &str) -> Held<'e> {
    if let Some(value) = config.get(key) {
        return Held::Value(Cow::Borrowed(value));
    }
    let mut found: Option<&ConfigValue> = None;
    let mut is_ambiguous = false;
    for (name, value) in config.iter() {
        if name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')) {
            return Held::Section;
        }
        if name.strip_suffix(key).is_some_and(|before| before.ends_with(['.', '/'])) {
            is_ambiguous |= found.is_some_and(|found| found != value);
            found = Some(value);
        }
    }
    match found {
        Some(value) if !is_ambiguous => Held::Value(Cow::Borrowed(value)),
        _ => Held::Missing,
    }
}

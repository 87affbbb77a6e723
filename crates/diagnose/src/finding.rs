//! Findings: what a check reports, with its evidence, causes and remedies.

use rundown_format::{RichText, named_enum, quantity, short};
use std::borrow::Cow;

use crate::measure::series::MetricSeries;
use crate::measure::trend::Trend;
use crate::{Code, Threshold};

named_enum! {
    as_str
    /// How bad a finding is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Worth knowing; never changes the verdict.
        Note = "note",
        /// Act on it: the run is at least bad, unless it learned and was only slow, or learned in spite of a setting.
        /// A stall that is over makes no run bad.
        Warning = "warning",
        /// Stop or roll back: the run is ugly.
        Critical = "critical",
    }
}

/// One finding of one check.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Stable name of what was found.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One plain sentence with its key numbers, such as "KL jumped from 0.05 to 6.1 at step 31".
    pub title: RichText,
    /// One to three sentences that say what happened and why it matters.
    pub detail: RichText,
    /// Keys of the metrics that show it, the most informative first. The evidence chart draws the first two.
    pub metrics: Vec<String>,
    /// Step at which it began.
    pub onset: Option<f64>,
    /// Step at which it ended, or the last step while it lasts.
    pub end: Option<f64>,
    /// Step at which a run that is watched while it goes on would first have had it; only where that was asked for.
    pub first_alarm: Option<f64>,
    /// The numbers that it rests on.
    pub evidence: Vec<Evidence>,
    /// First, middle and last value of the metrics, in the order of `metrics`.
    pub trend: Vec<Trend>,
    /// Config values that could explain it.
    pub causes: Vec<Cause>,
    /// What to try, best first.
    pub actions: Vec<Action>,
    /// The competing explanation.
    pub alternative: RichText,
    /// The check that would show the finding wrong.
    pub refute: RichText,
    /// Findings that explain this one.
    pub explained_by: Vec<Code>,
    /// Where the rule and the advice come from.
    pub references: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
}

impl Finding {
    /// A finding with its essentials; the rest is filled in by the check.
    pub fn new(code: Code, severity: Severity, title: impl Into<RichText>) -> Self {
        Self {
            code,
            severity,
            title: title.into(),
            detail: RichText::default(),
            metrics: Vec::new(),
            onset: None,
            end: None,
            first_alarm: None,
            evidence: Vec::new(),
            trend: Vec::new(),
            causes: Vec::new(),
            actions: Vec::new(),
            alternative: RichText::default(),
            refute: RichText::default(),
            explained_by: Vec::new(),
            references: Vec::new(),
            confidence: 0.5,
        }
    }

    /// True where it leaves open whether the task is learned: too little was logged, or the reward rises by form alone.
    pub fn leaves_open(&self) -> bool {
        matches!(self.code, Code::InsufficientData | Code::ProxyOnlyGain)
    }
}

impl Finding {
    /// The same finding with its detail, the metrics that show it (those that there are, the most informative first) and
    /// how they moved, its numbers and how sure it is.
    pub(crate) fn supported_by<'s>(
        mut self,
        detail: impl Into<RichText>,
        signals: &[impl Copy + Into<Option<&'s MetricSeries<'s>>>],
        evidence: Vec<Evidence>,
        confidence: f64,
    ) -> Self {
        self.detail = detail.into();
        self.show(signals);
        self.evidence = evidence;
        self.confidence = confidence;
        self
    }

    /// Takes away the limits that its numbers do not meet: another condition made it, and they would seem to speak against it.
    pub(crate) fn keep_met_limits(&mut self) {
        for number in &mut self.evidence {
            if number.is_met() == Some(false) {
                number.limit = None;
            }
        }
    }

    /// Adds metrics that show it, and how each of them moved.
    pub(crate) fn show<'s>(&mut self, signals: &[impl Copy + Into<Option<&'s MetricSeries<'s>>>]) {
        for signal in signals.iter().filter_map(|signal| (*signal).into()) {
            if self.metrics.iter().all(|key| key != signal.key()) {
                self.metrics.push(signal.key().to_owned());
                self.trend.push(signal.trend());
            }
        }
    }
}

/// One number of the arithmetic that a finding shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// What the number is, in words.
    pub name: RichText,
    /// The number.
    pub value: f64,
    /// Its unit: `nats/token`, `steps`, `of the groups`, or empty for a plain number. The limit has the same one.
    pub unit: Cow<'static, str>,
    /// What it is compared with; `None` for a number shown for context.
    pub limit: Option<Limit>,
    /// The change whose size it is: below 0 there was none. `None` for any other number.
    pub change: Option<Change>,
}

/// A change whose size is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// From less to more.
    Rise,
    /// From more to less.
    Fall,
}

/// A limit that a number is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The side of the limit that speaks for the finding.
    pub relation: Relation,
    /// The limit, in the unit of the number.
    pub value: f64,
    /// Where it comes from.
    pub source: Cow<'static, str>,
}

named_enum! {
    as_str
    /// The side of a limit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Relation {
        /// At it, or above.
        Above = "above",
        /// Below it.
        Below = "below",
        /// Anything but it.
        Unequal = "unequal",
    }
}

impl Relation {
    /// Its mathematical sign.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Above => "≥",
            Relation::Below => "<",
            Relation::Unequal => "≠",
        }
    }
}

impl Limit {
    /// The limit and its unit, as a table shows them: `> 0.2 nats/token`.
    pub fn with_unit(&self, unit: &str) -> String {
        format!("{} {}", self.relation.sign(), quantity(self.value, unit))
    }

    /// The limit of what speaks for the finding above a threshold.
    pub fn above(threshold: &Threshold) -> Self {
        Self::new(Relation::Above, threshold)
    }

    /// The limit that a threshold of the rulebook is.
    pub fn new(relation: Relation, threshold: &Threshold) -> Self {
        let source = if threshold.source.is_empty() { EDITED.into() } else { threshold.source.clone() };
        Self { relation, value: threshold.value, source }
    }

    /// True for a value on the side of the limit that speaks for the finding; false for NaN.
    pub fn is_met_by(&self, value: f64) -> bool {
        match self.relation {
            Relation::Above => value >= self.value,
            Relation::Below => value < self.value,
            Relation::Unequal => value.is_finite() && value != self.value,
        }
    }
}

impl Evidence {
    /// A number shown for context.
    pub fn new(name: impl Into<RichText>, value: f64, unit: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), value, unit: unit.into(), limit: None, change: None }
    }

    /// The same number as the size of a change.
    pub fn of(self, change: Change) -> Self {
        Self { change: Some(change), ..self }
    }

    /// The change, where the number says that there was none.
    pub fn missing_change(&self) -> Option<Change> {
        self.change.filter(|_| self.value <= 0.0)
    }

    /// The same number, which speaks for the finding above a threshold.
    pub fn above(self, threshold: &Threshold) -> Self {
        self.compared(Relation::Above, threshold)
    }

    /// The same number, which speaks for the finding below a threshold.
    pub fn below(self, threshold: &Threshold) -> Self {
        self.compared(Relation::Below, threshold)
    }

    /// The same number beside a threshold, whose unit it takes where it has none of its own.
    pub fn compared(mut self, relation: Relation, threshold: &Threshold) -> Self {
        if self.unit.is_empty() {
            self.unit.clone_from(&threshold.unit);
        }
        self.limit = Some(Limit::new(relation, threshold));
        self
    }

    /// The same number beside a limit that is no threshold of the rulebook.
    pub fn limited(mut self, relation: Relation, value: f64, source: impl Into<Cow<'static, str>>) -> Self {
        self.limit = Some(Limit { relation, value, source: source.into() });
        self
    }

    /// Whether the number speaks for the finding; `None` without a limit.
    pub fn is_met(&self) -> Option<bool> {
        self.limit.as_ref().map(|limit| limit.is_met_by(self.value))
    }
}

/// For a finding that no metric shows.
pub(crate) const NO_METRICS: &[&MetricSeries<'_>] = &[];

/// Source of a threshold that the user has changed.
const EDITED: &str = "edited by the user";

/// A config value that could explain a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Config key as the run has it.
    pub config: String,
    /// Its value.
    pub value: String,
    /// Why it could explain the finding; says when the value is unusual.
    pub why: RichText,
}

/// One thing to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// What to change.
    pub kind: ActionKind,
    /// Expected effect.
    pub effect: String,
    /// What it may cost.
    pub risk: String,
    /// The metric and level that will show whether it worked.
    pub watch: String,
}

/// What an action changes.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionKind {
    /// A setting.
    Set {
        /// Which one.
        setting: SettingName,
        /// Its present value, where it is known.
        from: Option<SettingValue>,
        /// The value to try.
        to: SettingValue,
    },
    /// Something that is no setting.
    Do(RichText),
}

/// How a setting is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingName {
    /// By its key in the run's config, or the key of the metric that logs it.
    Key(String),
    /// In words, where the config has no such key.
    Words(String),
}

impl SettingName {
    /// The key or the words.
    pub fn as_str(&self) -> &str {
        match self {
            SettingName::Key(name) | SettingName::Words(name) => name,
        }
    }
}

/// The value of a setting, present or to try.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingValue {
    /// As it is written: `5e-6`, `true`, `a third`.
    pub text: String,
    /// Its number; `None` for words and switches.
    pub number: Option<f64>,
}

impl SettingValue {
    /// True for the same number, in whatever notation, or the same words.
    fn equals(&self, other: &Self) -> bool {
        match (self.number, other.number) {
            (Some(number), Some(other)) => number == other,
            _ => self.text == other.text,
        }
    }
}

impl From<&str> for SettingValue {
    fn from(words: &str) -> Self {
        Self { text: words.to_owned(), number: None }
    }
}

impl From<String> for SettingValue {
    fn from(words: String) -> Self {
        Self { text: words, number: None }
    }
}

impl From<f64> for SettingValue {
    fn from(number: f64) -> Self {
        Self { text: short(number), number: Some(number) }
    }
}

impl ActionKind {
    /// False for a setting that already has the value to try.
    pub fn changes_anything(&self) -> bool {
        match self {
            ActionKind::Set { from, to, .. } => from.as_ref().is_none_or(|from| !from.equals(to)),
            ActionKind::Do(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_another_notation_is_the_same_setting() {
        let set = |from: SettingValue, to: SettingValue| {
            ActionKind::Set { setting: SettingName::Words(String::new()), from: Some(from), to }.changes_anything()
        };
        let written = |text: &str, number: Option<f64>| SettingValue { text: text.to_owned(), number };
        assert!(!set(written("1.0", Some(1.0)), 1.0.into()));
        assert!(set(written("0.95", Some(0.95)), 1.0.into()));
        assert!(!set("true".into(), "true".into()));
        assert!(set(written("1", Some(1.0)), "half as many".into()));
    }
}

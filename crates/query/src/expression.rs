//! The syntax tree of a query.

use std::fmt;

use super::fields::RunProperty;
use super::pattern::TextPattern;
use super::value::QueryValue;

/// A part of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// Conjunction.
    All(Vec<Expression>),
    /// Disjunction.
    Any(Vec<Expression>),
    /// Negation.
    Not(Box<Expression>),
    /// Name, id, a tag or the group contains this text; lower case.
    Search(String),
    /// A condition on one key.
    Predicate(Predicate),
}

impl Expression {
    /// Calls `visit` with every predicate, in order.
    pub(super) fn each_predicate(&self, visit: &mut dyn FnMut(&Predicate)) {
        match self {
            Expression::All(parts) | Expression::Any(parts) => {
                parts.iter().for_each(|part| part.each_predicate(visit));
            }
            Expression::Not(part) => part.each_predicate(visit),
            Expression::Search(_) => {}
            Expression::Predicate(predicate) => visit(predicate),
        }
    }

    /// Appends the keys that it asks for, as they are written in a query, each once.
    pub fn collect_keys(&self, keys: &mut Vec<String>) {
        let key = match self {
            Expression::All(parts) | Expression::Any(parts) => {
                return parts.iter().for_each(|part| part.collect_keys(keys));
            }
            Expression::Not(part) => return part.collect_keys(keys),
            Expression::Search(text) => format!("the words \"{text}\""),
            Expression::Predicate(predicate) => predicate.key.to_string(),
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
}

/// A key, an operator and a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// The key.
    pub key: QueryKey,
    /// The operator.
    pub operator: Operator,
    /// The value: a list for [`Operator::In`] and [`Operator::NotIn`], Unix seconds for a time, null beside a pattern.
    pub value: QueryValue<'static>,
    /// The pattern of [`Operator::Matches`] and [`Operator::NotMatches`].
    pub pattern: Option<TextPattern>,
}

/// The key of a predicate.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryKey {
    /// A property of the run.
    Property(RunProperty),
    /// `config.KEY`: a setting.
    Setting(String),
    /// `summary.KEY`: the last value of a metric.
    Metric(String),
    /// Any other key: a setting, else the last value of a metric.
    SettingOrMetric(String),
}

impl QueryKey {
    /// The key that a text stands for.
    pub(super) fn parse(text: &str) -> Self {
        if let Some(property) = RunProperty::named(text) {
            return Self::Property(property);
        }
        if let Some(rest) = text.strip_prefix("config.") {
            return Self::Setting(rest.to_owned());
        }
        // `summary_metrics` is W&B's name.
        match ["summary.", "summary_metrics."].iter().find_map(|prefix| text.strip_prefix(prefix)) {
            Some(rest) => Self::Metric(rest.to_owned()),
            None => Self::SettingOrMetric(text.to_owned()),
        }
    }

    /// True for a property that only a loaded run has.
    pub(super) fn needs_loading(&self) -> bool {
        matches!(self, QueryKey::Property(property) if property.needs_loading())
    }
}

impl fmt::Display for QueryKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryKey::Property(property) => out.write_str(property.name()),
            QueryKey::Setting(key) => write!(out, "config.{key}"),
            QueryKey::Metric(key) => write!(out, "summary.{key}"),
            QueryKey::SettingOrMetric(key) => out.write_str(key),
        }
    }
}

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
    NotMatches,
    In,
    NotIn,
    Contains,
    NotContains,
}

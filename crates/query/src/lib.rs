//! The language in which runs are selected: `config.use_lora == true AND summary.eval/accuracy > 0.8`.
//!
//! A condition is a key, an operator and a value; conditions are joined by `AND`, `OR`, `NOT` and parentheses (also
//! `&&`, `||`, `!`, in any letter case), and two that stand side by side must both hold. A word alone is searched for
//! in name, id, tags and group, as in any search box; `-word` must not be found.
//!
//! Keys: `config.KEY`, `summary.KEY` (last values of metrics), the properties of a run ([`RunProperty`]), and any
//! other key, which is looked up in the config, then among the metrics. A config key may be given by its end
//! (`config.lr` for `actor.optim.lr`) where only one key ends so. Quotes or backticks keep odd keys together.
//! Operators: `==` `!=` `<` `<=` `>` `>=` `~` (a regular expression matches) `!~` `in [..]` `not in` `contains`.
//!
//! As in MongoDB, which the W&B server follows, a condition holds for a list when it holds for one of its items.
//! A key that is missing, or null, satisfies `== null`, and `!=` and `not in` with anything else, and no other
//! condition.
//!
//! A query is evaluated over the trait [`RunFields`]: loaded runs and rows of a server's list implement it where they
//! are defined. A row answers [`FieldLookup::Unknown`] for what only loading the run shows.

mod complete;
mod cursor;
mod evaluate;
mod expression;
mod fields;
mod parse;
mod pattern;
mod requirements;
mod token;
mod unknown;
mod value;

pub use complete::{CompletionIndex, Suggestion, SuggestionKind, complete};
pub use expression::{Expression, Operator, Predicate, QueryKey};
pub use fields::{FieldLookup, RunFields, RunProperty};
pub use pattern::TextPattern;
pub use value::QueryValue;
pub use value::parse_number;

/// A selection of runs, parsed from a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// `None` selects every run.
    root: Option<Expression>,
}

/// A syntax error in a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {}: {what}", at + 1)]
pub struct QueryError {
    /// Index of the character at which the error is, from 0; the number of characters for the end.
    pub at: usize,
    /// One sentence: what is wrong, and what to write instead.
    pub what: String,
}

impl QueryError {
    fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

impl Query {
    /// Parses a query. An empty text selects every run.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }

    /// True when it selects the run.
    pub fn matches(&self, run: &impl RunFields) -> bool {
        self.evaluate(run) == Some(true)
    }

    /// False when it cannot select the run, whatever its unknown fields are.
    pub fn may_match(&self, row: &impl RunFields) -> bool {
        self.evaluate(row) != Some(false)
    }

    /// Whether it selects the run; `None` while that depends on an unknown field.
    fn evaluate(&self, run: &impl RunFields) -> Option<bool> {
        self.root.as_ref().map_or(Some(true), |root| evaluate::evaluate(root, run))
    }

    /// True when it selects every run.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The keys that it asks for, as they are written in a query, each once, in order: `state`,
    /// `config.learning_rate`.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        if let Some(root) = &self.root {
            root.collect_keys(&mut keys);
        }
        keys
    }

    /// The parts that must all hold, for a translation that takes some of them.
    pub fn conjuncts(&self) -> &[Expression] {
        match &self.root {
            None => &[],
            Some(Expression::All(parts)) => parts,
            Some(root) => std::slice::from_ref(root),
        }
    }

    /// The query that selects where all parts hold.
    pub fn all_of(mut parts: Vec<Expression>) -> Self {
        let root = if parts.len() > 1 { Some(Expression::All(parts)) } else { parts.pop() };
        Self { root }
    }
}

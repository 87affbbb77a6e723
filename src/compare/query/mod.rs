//! The language in which runs are selected: `config.use_lora == true AND summary.eval/accuracy > 0.8`.
//!
//! A condition is a key, an operator and a value; conditions are joined by `AND`, `OR`, `NOT` and parentheses (also
//! `&&`, `||`, `!`, in any letter case), and two that stand side by side must both hold. A word alone is searched for
//! in name, id, tags and group, as in any search box; `-word` must not be found.
//!
//! Keys: `config.KEY`, `summary.KEY` (last values of metrics), what a run is (`name`, `id`, `state`, `tags`, `group`,
//! `job_type`, `sweep`, `project`, `notes`, `framework`, `verdict`, `finding`, `created`, `steps`, `points`, `hours`,
//! `tokens`, `cost`), and any other key, which is looked for in the config, then among the metrics. A config key may
//! be given by its end (`config.lr` for `actor.optim.lr`) where only one key ends so. Quotes or backticks keep odd
//! keys together. Operators: `==` `!=` `<` `<=` `>` `>=` `~` (a regular expression is found) `!~` `in [..]` `not in`
//! `contains`.
//!
//! As in MongoDB, which the W&B server follows, a condition holds for a list when it holds for one of its items.
//! A key that is missing, or null, satisfies `== null`, and `!=` and `not in` with anything else, and no other
//! condition.

mod complete;
mod cursor;
mod field;
mod listed;
mod matches;
mod parse;
mod pattern;
mod server;
mod token;

use std::fmt;

use super::Entry;
use crate::run::ConfigValue;
pub use complete::{Suggestion, SuggestionKind, Words, complete};
use field::Field;
use pattern::Pattern;
pub use server::{ServerFilter, to_wandb_filter};

/// A selection of runs, read from a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// `None` selects everything.
    root: Option<Node>,
}

/// What is wrong with the text of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// The character at which it is wrong, from 0; the number of characters for "at the end".
    pub at: usize,
    /// One plain sentence.
    pub what: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "character {}: {}", self.at + 1, self.what)
    }
}

impl std::error::Error for QueryError {}

impl QueryError {
    fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

impl Query {
    /// Reads a query. An empty text selects everything.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }

    /// True when it selects the run.
    pub fn matches(&self, entry: &Entry) -> bool {
        self.root.as_ref().is_none_or(|root| matches::holds(root, entry))
    }

    /// True when it selects everything.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// What it asks of a run, as it is written in a query, each once, in order: `state`, `config.learning_rate`.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        if let Some(root) = &self.root {
            root.collect_keys(&mut keys);
        }
        keys
    }
}

/// A part of a query.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// All of them hold.
    All(Vec<Node>),
    /// One of them holds.
    Any(Vec<Node>),
    /// It does not hold.
    Not(Box<Node>),
    /// The text stands in name, id, tags or group; lower case.
    Search(String),
    /// A condition.
    Test(Test),
}

impl Node {
    fn collect_keys(&self, keys: &mut Vec<String>) {
        let key = match self {
            Node::All(parts) | Node::Any(parts) => return parts.iter().for_each(|part| part.collect_keys(keys)),
            Node::Not(part) => return part.collect_keys(keys),
            Node::Search(text) => format!("the words \"{text}\""),
            Node::Test(test) => test.field.to_string(),
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
}

/// A key, an operator and a value.
#[derive(Debug, Clone, PartialEq)]
struct Test {
    field: Field,
    how: How,
    /// A list for [`How::In`] and [`How::NotIn`]; seconds for a time.
    value: ConfigValue,
    /// For [`How::Finds`] and [`How::FindsNot`].
    pattern: Option<Pattern>,
}

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Finds,
    FindsNot,
    In,
    NotIn,
    Contains,
    ContainsNot,
}

#[cfg(test)]
mod tests;

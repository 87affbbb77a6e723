//! Completion: suggests keys, operators and values while a query is typed.

use std::collections::{BTreeMap, BTreeSet};

use super::Operator;
use super::fields::{FieldLookup, RunFields, RunProperty};
use super::token::{QueryToken, TokenKind, tokens};
use super::value::QueryValue;

/// Most suggestions.
const MAX_SUGGESTIONS: usize = 30;
/// Most values remembered per key.
const MAX_VALUES: usize = 50;
/// Most bytes of a value that is suggested.
const MAX_VALUE_BYTES: usize = 80;

/// Properties whose values are suggested.
const SUGGESTED_VALUES: [RunProperty; 10] = [
    RunProperty::State,
    RunProperty::Verdict,
    RunProperty::Framework,
    RunProperty::Name,
    RunProperty::Group,
    RunProperty::JobType,
    RunProperty::Sweep,
    RunProperty::Project,
    RunProperty::Tags,
    RunProperty::Finding,
];

/// The keys and values of a set of runs, for completion. Values of settings may be secrets: whoever shows them redacts
/// them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompletionIndex {
    keys: BTreeMap<String, KeyUsage>,
}

/// How runs use a key.
#[derive(Debug, Clone, Default, PartialEq)]
struct KeyUsage {
    /// Number of runs that have it.
    runs: usize,
    /// Its values, as literals of the language, with the number of runs.
    values: BTreeMap<String, usize>,
    is_list: bool,
}

/// A suggestion of what to type next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Index of the first character that it replaces.
    pub start: usize,
    /// Index after the last character that it replaces.
    pub end: usize,
    /// The replacement.
    pub text: String,
    /// What it is.
    pub kind: SuggestionKind,
    /// Runs that have this key or value; 0 for operators and connectives.
    pub runs: usize,
}

/// What a suggestion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionKind {
    /// A key.
    Key,
    /// An operator.
    Operator,
    /// A value that a run has.
    Value,
    /// `AND`, `OR`, `NOT`.
    Connective,
}

impl CompletionIndex {
    /// The keys and values of these runs.
    pub fn new<'r, R: RunFields + 'r>(runs: impl IntoIterator<Item = &'r R>) -> Self {
        let mut index = Self::default();
        for run in runs {
            for key in run.setting_keys() {
                if let Some(value) = run.setting(key) {
                    index.add(&format!("config.{key}"), &value);
                }
            }
            for key in run.metric_keys() {
                index.usage(&format!("summary.{key}")).runs += 1;
            }
            for property in SUGGESTED_VALUES {
                match run.property(property) {
                    FieldLookup::Found(QueryValue::List(items)) => index.add_items(property.name(), &items),
                    FieldLookup::Found(value) => index.add(property.name(), &value),
                    FieldLookup::Unknown | FieldLookup::Missing | FieldLookup::Section => {}
                }
            }
        }
        index
    }

    /// Its keys, ascending: properties of runs by name, `config.` settings and `summary.` metrics.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// True when a run has the key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// True when there is no key.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn usage(&mut self, key: &str) -> &mut KeyUsage {
        self.keys.entry(key.to_owned()).or_default()
    }

    fn add(&mut self, key: &str, value: &QueryValue<'_>) {
        let usage = self.usage(key);
        usage.runs += 1;
        usage.is_list |= matches!(value, QueryValue::List(_));
        usage.count(value.literal());
    }

    /// Adds the items of a list as values of their own, each once per run.
    fn add_items(&mut self, key: &str, items: &[QueryValue<'_>]) {
        let usage = self.usage(key);
        usage.runs += 1;
        usage.is_list = true;
        let literals: BTreeSet<String> = items.iter().map(QueryValue::literal).collect();
        literals.into_iter().for_each(|literal| usage.count(literal));
    }
}

impl KeyUsage {
    fn count(&mut self, literal: String) {
        if let Some(runs) = self.values.get_mut(&literal) {
            *runs += 1;
        } else if self.values.len() < MAX_VALUES && literal.len() <= MAX_VALUE_BYTES {
            self.values.insert(literal, 1);
        }
    }
}

/// Suggestions for a cursor after `cursor` characters of `text`, the best first.
pub fn complete(text: &str, cursor: usize, index: &CompletionIndex) -> Vec<Suggestion> {
    let before: String = text.chars().take(cursor).collect();
    let cursor = before.chars().count();
    let (mut tokens, _) = tokens(&before);
    // The token that touches the cursor is still being typed.
    let typed = match tokens.last() {
        Some(QueryToken { kind, end, .. }) if *end == cursor && kind.text().is_some() => tokens.pop(),
        Some(QueryToken { kind: TokenKind::Pattern { .. }, end, .. }) if *end == cursor => return Vec::new(),
        _ => None,
    };
    let start = typed.as_ref().map_or(cursor, |token| token.at);
    let part = typed.as_ref().and_then(|token| token.kind.text()).unwrap_or_default();
    let mut suggestions = Suggestions { start, end: cursor, part: part.to_ascii_lowercase(), found: Vec::new() };
    match expected(&tokens) {
        ExpectedToken::Key => {
            suggestions.keys(index);
            suggestions.add("NOT ", SuggestionKind::Connective, 0);
        }
        ExpectedToken::Operator(key) => {
            suggestions.operators(index.keys.get(key));
            suggestions.connectives();
        }
        ExpectedToken::Value(key) => suggestions.values(index, key),
        ExpectedToken::Connective => suggestions.connectives(),
        ExpectedToken::Nothing => {}
    }
    suggestions.in_order()
}

/// What may follow some tokens.
enum ExpectedToken<'t> {
    Key,
    Operator(&'t str),
    Value(&'t str),
    Connective,
    /// A regular expression, for which there are no suggestions.
    Nothing,
}

fn expected(tokens: &[QueryToken]) -> ExpectedToken<'_> {
    let mut state = ExpectedToken::Key;
    let mut key = "";
    let mut is_list = false;
    for QueryToken { kind, .. } in tokens {
        let is_connective = matches!(kind, TokenKind::And | TokenKind::Or) || kind.is("and") || kind.is("or");
        state = match (state, kind) {
            (ExpectedToken::Key, kind) if kind.is("not") || is_connective => ExpectedToken::Key,
            (ExpectedToken::Key, TokenKind::Word(text) | TokenKind::Quoted(text) | TokenKind::Key(text)) => {
                key = text;
                ExpectedToken::Operator(text)
            }
            (ExpectedToken::Operator(_), TokenKind::Operator(Operator::Matches | Operator::NotMatches)) => {
                ExpectedToken::Nothing
            }
            (ExpectedToken::Operator(_), TokenKind::Operator(_)) => ExpectedToken::Value(key),
            (ExpectedToken::Operator(_), kind) if kind.is("in") || kind.is("contains") => ExpectedToken::Value(key),
            (ExpectedToken::Operator(_), kind) if kind.is("not") => ExpectedToken::Operator(key),
            (ExpectedToken::Operator(_) | ExpectedToken::Connective | ExpectedToken::Nothing, _) if is_connective => {
                ExpectedToken::Key
            }
            (
                ExpectedToken::Operator(_) | ExpectedToken::Connective,
                TokenKind::Word(text) | TokenKind::Quoted(text) | TokenKind::Key(text),
            ) => {
                key = text;
                ExpectedToken::Operator(text)
            }
            (ExpectedToken::Value(_), TokenKind::Open | TokenKind::OpenList) => {
                is_list = true;
                ExpectedToken::Value(key)
            }
            (ExpectedToken::Value(_) | ExpectedToken::Connective, TokenKind::Close | TokenKind::CloseList) => {
                is_list = false;
                ExpectedToken::Connective
            }
            (ExpectedToken::Connective, TokenKind::Comma) if is_list => ExpectedToken::Value(key),
            (ExpectedToken::Value(_), _) => ExpectedToken::Connective,
            (ExpectedToken::Nothing, _) => ExpectedToken::Connective,
            (ExpectedToken::Operator(_), TokenKind::Close) => ExpectedToken::Connective,
            (state, _) => state,
        };
    }
    state
}

/// Collects the suggestions for a partly typed token.
struct Suggestions {
    start: usize,
    end: usize,
    /// The part that was typed, in lower case.
    part: String,
    /// Suggestions with their rank; the lower, the better.
    found: Vec<(usize, Suggestion)>,
}

impl Suggestions {
    /// Rank of a text: 0 when it starts with what was typed, 1 when one of its parts does, 2 when it contains it.
    fn rank(&self, text: &str) -> Option<usize> {
        let text = text.trim_matches(['"', '`', ' ']).to_ascii_lowercase();
        let part = self.part.as_str();
        if text.starts_with(part) {
            return Some(0);
        }
        let starts_part = text.split(['.', '/', '_', '-', ' ']).any(|word| word.starts_with(part));
        let is_behind = || {
            text.match_indices(part).any(|(at, _)| text.get(..at).is_some_and(|before| before.ends_with(['.', '/'])))
        };
        match starts_part || is_behind() {
            true => Some(1),
            false if text.contains(part) => Some(2),
            false => None,
        }
    }

    fn add(&mut self, text: &str, kind: SuggestionKind, runs: usize) {
        if let Some(rank) = self.rank(text) {
            let suggestion = Suggestion { start: self.start, end: self.end, text: text.to_owned(), kind, runs };
            self.found.push((rank, suggestion));
        }
    }

    fn keys(&mut self, index: &CompletionIndex) {
        for name in RunProperty::ALL.iter().map(|property| property.name()) {
            let runs = index.keys.get(name).map_or(0, |usage| usage.runs);
            self.add(name, SuggestionKind::Key, runs);
        }
        for (key, usage) in &index.keys {
            if key.starts_with("config.") || key.starts_with("summary.") {
                self.add(&key_literal(key), SuggestionKind::Key, usage.runs);
            }
        }
    }

    fn operators(&mut self, usage: Option<&KeyUsage>) {
        let is_list = usage.is_some_and(|usage| usage.is_list);
        let usual: &[&str] = if is_list { &["contains "] } else { &[] };
        for operator in usual.iter().chain(&["== ", "!= ", "> ", ">= ", "< ", "<= ", "in [", "not in [", "~ /"]) {
            self.add(operator, SuggestionKind::Operator, 0);
        }
        if !is_list {
            self.add("contains ", SuggestionKind::Operator, 0);
        }
    }

    fn connectives(&mut self) {
        for connective in ["AND ", "OR "] {
            self.add(connective, SuggestionKind::Connective, 0);
        }
    }

    fn values(&mut self, index: &CompletionIndex, key: &str) {
        let ways = [key.to_owned(), format!("config.{key}")];
        let Some(usage) = ways.iter().find_map(|way| index.keys.get(way)) else { return };
        for (value, runs) in &usage.values {
            self.add(value, SuggestionKind::Value, *runs);
        }
        self.add("null", SuggestionKind::Value, 0);
    }

    fn in_order(mut self) -> Vec<Suggestion> {
        // Operators stay in their usual order.
        self.found.sort_by(|(a_rank, a), (b_rank, b)| a_rank.cmp(b_rank).then(b.runs.cmp(&a.runs)));
        self.found.truncate(MAX_SUGGESTIONS);
        self.found.into_iter().map(|(_, suggestion)| suggestion).collect()
    }
}

/// A key as it is written in a query: in backticks where it has other characters than plain ones.
pub(super) fn key_literal(key: &str) -> String {
    let is_plain =
        |character: char| character.is_alphanumeric() || matches!(character, '.' | '/' | '_' | '-' | '@' | ':');
    if key.chars().all(is_plain) { key.to_owned() } else { format!("`{key}`") }
}

//! What could stand next while a query is typed.

use std::collections::BTreeMap;

use super::field::{PROPERTIES, SUGGESTED};
use super::token::{Kind, Token, tokens};
use super::{Entry, How};
use crate::run::ConfigValue;

/// Most suggestions.
const MOST: usize = 30;
/// Most values that are kept of a key.
const MOST_VALUES: usize = 50;
/// Longer values are not suggested.
const LONGEST_VALUE: usize = 80;

/// Keys and values of runs, for completion. Values of settings may be secrets: whoever shows them redacts them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words {
    keys: BTreeMap<String, Seen>,
}

/// What was seen under a key.
#[derive(Debug, Clone, Default, PartialEq)]
struct Seen {
    runs: usize,
    values: BTreeMap<String, usize>,
    is_list: bool,
}

/// Something that could stand next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// First character that it replaces.
    pub start: usize,
    /// The character behind the last one.
    pub end: usize,
    /// What to put there.
    pub text: String,
    /// What it is.
    pub kind: SuggestionKind,
    /// Runs that have this key or value; 0 where that means nothing.
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
    Joint,
}

impl Words {
    /// The words of these runs.
    pub fn of(entries: &[&Entry]) -> Self {
        let mut words = Self::default();
        let config = |key: &str| ["config.", key].concat();
        for entry in entries {
            for (key, value) in entry.config.iter() {
                words.see(&config(key), std::slice::from_ref(value));
            }
            for key in entry.last.keys() {
                words.see(&["summary.", key].concat(), &[]);
            }
            let text = |text: &str| ConfigValue::Text(text.to_owned());
            for (key, value) in [
                ("state", Some(entry.state.as_str())),
                ("verdict", Some(entry.verdict.as_str())),
                ("framework", Some(entry.framework.as_str())),
                ("name", Some(entry.name.as_str())),
                ("group", entry.group.as_deref()),
                ("job_type", entry.job_type.as_deref()),
                ("sweep", entry.sweep.as_deref()),
                ("project", entry.project.as_deref()),
            ] {
                if let Some(value) = value {
                    words.see(key, &[text(value)]);
                }
            }
            let tags: Vec<ConfigValue> = entry.tags.iter().map(|tag| text(tag)).collect();
            words.see_list("tags", &tags);
            let mut codes: Vec<&str> = entry.findings.iter().map(|found| found.code.as_str()).collect();
            codes.sort();
            codes.dedup();
            let codes: Vec<ConfigValue> = codes.into_iter().map(text).collect();
            words.see_list("finding", &codes);
        }
        words
    }

    fn see_list(&mut self, key: &str, values: &[ConfigValue]) {
        self.see(key, values);
        if let Some(seen) = self.keys.get_mut(key) {
            seen.is_list = true;
        }
    }

    fn see(&mut self, key: &str, values: &[ConfigValue]) {
        let seen = match self.keys.get_mut(key) {
            Some(seen) => seen,
            None => self.keys.entry(key.to_owned()).or_default(),
        };
        seen.runs += 1;
        for value in values {
            let written = written(value);
            let kept = seen.values.len();
            match seen.values.get_mut(&written) {
                Some(count) => *count += 1,
                None if kept < MOST_VALUES && written.len() <= LONGEST_VALUE => {
                    seen.values.insert(written, 1);
                }
                None => {}
            }
            seen.is_list |= matches!(value, ConfigValue::List(_));
        }
    }
}

/// What to suggest with the cursor behind `cursor` characters of `text`: keys, operators, or values, the best first.
pub fn complete(text: &str, cursor: usize, words: &Words) -> Vec<Suggestion> {
    let before: String = text.chars().take(cursor).collect();
    let cursor = before.chars().count();
    let (mut tokens, _) = tokens(&before);
    // What touches the cursor is still being typed.
    let typed = match tokens.last() {
        Some(Token { kind, end, .. }) if *end == cursor && kind.text().is_some() => tokens.pop(),
        Some(Token { kind: Kind::Pattern { .. }, end, .. }) if *end == cursor => return Vec::new(),
        _ => None,
    };
    let start = typed.as_ref().map_or(cursor, |token| token.at);
    let part = typed.as_ref().and_then(|token| token.kind.text()).unwrap_or_default();
    let mut wanted = Wanted { start, end: cursor, part: part.to_ascii_lowercase(), found: Vec::new() };
    match expected(&tokens) {
        Expected::Key => {
            wanted.keys(words);
            wanted.add("NOT ", SuggestionKind::Joint, 0);
        }
        Expected::Operator(key) => {
            wanted.operators(words.keys.get(key));
            wanted.joints();
        }
        Expected::Value(key) => wanted.values(words, key),
        Expected::Joint => wanted.joints(),
        Expected::Nothing => {}
    }
    wanted.in_order()
}

/// What may stand behind some tokens.
enum Expected<'t> {
    Key,
    Operator(&'t str),
    Value(&'t str),
    Joint,
    /// A regular expression, which nobody can guess.
    Nothing,
}

fn expected(tokens: &[Token]) -> Expected<'_> {
    let mut state = Expected::Key;
    let mut key = "";
    let mut is_list = false;
    for Token { kind, .. } in tokens {
        let is_joint = matches!(kind, Kind::And | Kind::Or) || kind.is("and") || kind.is("or");
        state = match (state, kind) {
            (Expected::Key, kind) if kind.is("not") || is_joint => Expected::Key,
            (Expected::Key, Kind::Word(text) | Kind::Quoted(text) | Kind::Key(text)) => {
                key = text;
                Expected::Operator(text)
            }
            (Expected::Operator(_), Kind::Compare(How::Finds | How::FindsNot)) => Expected::Nothing,
            (Expected::Operator(_), Kind::Compare(_)) => Expected::Value(key),
            (Expected::Operator(_), kind) if kind.is("in") || kind.is("contains") => Expected::Value(key),
            (Expected::Operator(_), kind) if kind.is("not") => Expected::Operator(key),
            (Expected::Operator(_) | Expected::Joint | Expected::Nothing, _) if is_joint => Expected::Key,
            (Expected::Operator(_) | Expected::Joint, Kind::Word(text) | Kind::Quoted(text) | Kind::Key(text)) => {
                key = text;
                Expected::Operator(text)
            }
            (Expected::Value(_), Kind::Open | Kind::OpenList) => {
                is_list = true;
                Expected::Value(key)
            }
            (Expected::Value(_) | Expected::Joint, Kind::Close | Kind::CloseList) => {
                is_list = false;
                Expected::Joint
            }
            (Expected::Joint, Kind::Comma) if is_list => Expected::Value(key),
            (Expected::Value(_), _) => Expected::Joint,
            (Expected::Nothing, _) => Expected::Joint,
            (Expected::Operator(_), Kind::Close) => Expected::Joint,
            (state, _) => state,
        };
    }
    state
}

/// Collects suggestions for a part of a word.
struct Wanted {
    start: usize,
    end: usize,
    /// What was typed of it, in lower case.
    part: String,
    /// With their rank: the less, the better.
    found: Vec<(usize, Suggestion)>,
}

impl Wanted {
    /// How well a text fits what was typed: its start, the start of one of its parts, anywhere; `None` not at all.
    fn fit(&self, text: &str) -> Option<usize> {
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
        if let Some(rank) = self.fit(text) {
            let suggestion = Suggestion { start: self.start, end: self.end, text: text.to_owned(), kind, runs };
            self.found.push((rank, suggestion));
        }
    }

    fn keys(&mut self, words: &Words) {
        for (name, _) in PROPERTIES.iter().take(SUGGESTED) {
            let runs = words.keys.get(*name).map_or(0, |seen| seen.runs);
            self.add(name, SuggestionKind::Key, runs);
        }
        for (key, seen) in &words.keys {
            if key.starts_with("config.") || key.starts_with("summary.") {
                self.add(&written_key(key), SuggestionKind::Key, seen.runs);
            }
        }
    }

    fn operators(&mut self, seen: Option<&Seen>) {
        let is_list = seen.is_some_and(|seen| seen.is_list);
        let usual: &[&str] = if is_list { &["contains "] } else { &[] };
        for operator in usual.iter().chain(&["== ", "!= ", "> ", ">= ", "< ", "<= ", "in [", "not in [", "~ /"]) {
            self.add(operator, SuggestionKind::Operator, 0);
        }
        if !is_list {
            self.add("contains ", SuggestionKind::Operator, 0);
        }
    }

    fn joints(&mut self) {
        for joint in ["AND ", "OR "] {
            self.add(joint, SuggestionKind::Joint, 0);
        }
    }

    fn values(&mut self, words: &Words, key: &str) {
        let ways = [key.to_owned(), ["config.", key].concat()];
        let Some(seen) = ways.iter().find_map(|way| words.keys.get(way)) else { return };
        for (value, runs) in &seen.values {
            self.add(value, SuggestionKind::Value, *runs);
        }
        self.add("null", SuggestionKind::Value, 0);
    }

    fn in_order(mut self) -> Vec<Suggestion> {
        // Operators stay in their usual order.
        self.found.sort_by(|(a_rank, a), (b_rank, b)| a_rank.cmp(b_rank).then(b.runs.cmp(&a.runs)));
        self.found.truncate(MOST);
        self.found.into_iter().map(|(_, suggestion)| suggestion).collect()
    }
}

/// A key as it is typed: between backticks where it has odd characters.
fn written_key(key: &str) -> String {
    let is_plain =
        |character: char| character.is_alphanumeric() || matches!(character, '.' | '/' | '_' | '-' | '@' | ':');
    if key.chars().all(is_plain) { key.to_owned() } else { ["`", key, "`"].concat() }
}

/// A value as it is typed: texts between quotes.
fn written(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Text(text) => ["\"", &text.replace('\\', "\\\\").replace('"', "\\\""), "\""].concat(),
        ConfigValue::List(values) => ["[", &values.iter().map(written).collect::<Vec<_>>().join(", "), "]"].concat(),
        other => other.to_string(),
    }
}

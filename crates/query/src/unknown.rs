//! Keys in a query that no run has, and what may have been meant.

use super::complete::key_literal;
use super::expression::QueryKey;
use super::{CompletionIndex, Query, RunProperty};

/// Of so many letters one may be wrong for a key to be near.
const LETTERS: usize = 3;
/// Prefixes of the keys of an index.
const SECTIONS: [&str; 2] = ["config.", "summary."];

impl Query {
    /// The keys in the query that no run of an index has, each once and in order, with the nearest key that there is, as
    /// it is written in a query; empty where none is near. Nothing where there are no runs.
    pub fn unknown_keys(&self, index: &CompletionIndex) -> Vec<(String, String)> {
        let mut unknown: Vec<(String, String)> = Vec::new();
        let Some(root) = self.root.as_ref().filter(|_| !index.is_empty()) else { return unknown };
        root.each_predicate(&mut |predicate| {
            let key = predicate.key.to_string();
            if !exists(&predicate.key, index) && unknown.iter().all(|(other, _)| *other != key) {
                let near = nearest(&predicate.key, index);
                unknown.push((key, near));
            }
        });
        unknown
    }
}

/// True when a run has the key: a setting also by the end of its key, or as a section of settings.
fn exists(key: &QueryKey, index: &CompletionIndex) -> bool {
    match key {
        QueryKey::Property(_) => true,
        QueryKey::Setting(key) => has_setting(key, index),
        QueryKey::Metric(key) => index.has(&format!("summary.{key}")),
        QueryKey::SettingOrMetric(key) => has_setting(key, index) || index.has(&format!("summary.{key}")),
    }
}

fn has_setting(key: &str, index: &CompletionIndex) -> bool {
    let mut settings = index.keys().filter_map(|known| known.strip_prefix("config."));
    settings.any(|known| {
        let is_section = || known.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        let is_end = || known.strip_suffix(key).is_some_and(|before| before.ends_with(['.', '/']));
        known == key || is_section() || is_end()
    })
}

/// The key that is the fewest letters away; of equally near ones one of the same section, then the first.
fn nearest(key: &QueryKey, index: &CompletionIndex) -> String {
    let (section, wanted) = match key {
        QueryKey::Property(_) => return String::new(),
        QueryKey::Setting(key) => ("config.", key),
        QueryKey::Metric(key) => ("summary.", key),
        QueryKey::SettingOrMetric(key) => ("", key),
    };
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let most = wanted.len().div_ceil(LETTERS);
    let mut best: Option<(usize, String)> = None;
    let mut consider = |letters: &str, written: &dyn Fn() -> String, is_elsewhere: bool| {
        let Some(limit) = best.as_ref().map_or(Some(2 * most + 1), |(cost, _)| cost.checked_sub(1)) else { return };
        let cost = 2 * distance(&wanted, letters, limit / 2) + usize::from(is_elsewhere);
        if cost <= limit {
            best = Some((cost, written()));
        }
    };
    for known in index.keys() {
        let Some((prefix, bare)) = SECTIONS.iter().find_map(|prefix| Some((*prefix, known.strip_prefix(prefix)?)))
        else {
            continue;
        };
        // Who wrote no section gets none.
        let written = || key_literal(if section.is_empty() { bare } else { known });
        let is_elsewhere = !section.is_empty() && section != prefix;
        consider(bare, &written, is_elsewhere);
        // A setting may be given by the end of its key.
        if let Some((_, end)) = bare.rsplit_once('.').filter(|_| prefix == "config.") {
            consider(end, &written, true);
        }
    }
    if section.is_empty() {
        let names = RunProperty::ALL.iter().map(|property| property.name());
        names.for_each(|name| consider(name, &|| name.to_owned(), false));
    }
    best.map(|(_, key)| key).unwrap_or_default()
}

/// Letters to insert, to leave out or to replace between two texts, whatever their case (Levenshtein); `most + 1` where
/// they are more.
fn distance(wanted: &[char], other: &str, most: usize) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    if wanted.len().abs_diff(other.len()) > most {
        return most + 1;
    }
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in wanted.iter().enumerate() {
        let mut current = vec![row + 1];
        let mut left = row + 1;
        for ((other, diagonal), above) in other.iter().zip(&before).zip(before.iter().skip(1)) {
            left = (diagonal + usize::from(letter != other)).min(left + 1).min(above + 1);
            current.push(left);
        }
        before = current;
    }
    before.last().copied().unwrap_or(0).min(most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_letters() {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        for (a, b, expected) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 2), ("é", "e", 1)]
        {
            assert_eq!(distance(&letters(a), b, 9), expected, "{a} {b}");
            assert_eq!(distance(&letters(b), a, 9), expected, "{b} {a}");
        }
        assert_eq!(distance(&letters("kitten"), "sitting", 1), 2);
    }
}

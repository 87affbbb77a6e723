//! Which phrases and characters changed their frequency between two sets of texts.

use rundown_stats::CompactCollect as _;
use rundown_stats::CompactSort as _;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of each text that are looked at: a phrase that matters comes early, or again and again.
const MAX_BYTES: usize = 1_000;
/// Smallest change of the share of texts that counts.
const MIN_CHANGE: f64 = 0.25;
/// Smallest change in standard errors.
const MIN_Z: f64 = 3.0;
/// Phrases reported.
const REPORTED: usize = 8;

/// A phrase, or a single character, and the share of texts that hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// One to three words, or one character that is no letter or digit.
    pub text: String,
    /// Share of the texts before.
    pub before: f64,
    /// Share of the texts after.
    pub after: f64,
}

/// The phrases whose share of texts changed most, the largest change first.
///
/// A phrase within a longer one that changed as much is left out.
pub fn changed(before: &[&str], after: &[&str]) -> Vec<Phrase> {
    let counts = [count(before), count(after)];
    let [first, second] = &counts;
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).compact_collect();
    let (n, m) = (before.len().max(1) as f64, after.len().max(1) as f64);
    let share =
        |counts: &BTreeMap<String, u32>, name: &String, of: f64| f64::from(counts.get(name).copied().unwrap_or(0)) / of;
    let mut phrases: Vec<Phrase> = names
        .into_iter()
        .map(|name| Phrase { text: name.clone(), before: share(first, name, n), after: share(second, name, m) })
        .filter(|phrase| is_large(phrase, n, m))
        .collect();
    let size = |phrase: &Phrase| (phrase.after - phrase.before).abs();
    // Equal changes: the longer phrase first, since it says more.
    phrases.compact_sort_by(|a, b| {
        size(b).total_cmp(&size(a)).then(b.text.len().cmp(&a.text.len())).then(a.text.cmp(&b.text))
    });
    let mut kept: Vec<Phrase> = Vec::new();
    for phrase in phrases {
        let within = |other: &Phrase| other.text.contains(&phrase.text) && size(other) >= size(&phrase) - 0.05;
        if kept.len() < REPORTED && !kept.iter().any(within) {
            kept.push(phrase);
        }
    }
    kept
}

/// Two-proportion test with half a text added to each count, so that never against always is finite.
fn is_large(phrase: &Phrase, n: f64, m: f64) -> bool {
    let delta = phrase.after - phrase.before;
    let pooled = (phrase.before * n + phrase.after * m + 0.5) / (n + m + 1.0);
    let error = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt();
    delta.abs() >= MIN_CHANGE && delta.abs() >= MIN_Z * error
}

/// In how many texts each phrase is.
fn count(texts: &[&str]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for text in texts {
        for phrase in phrases(text) {
            *counts.entry(phrase).or_default() += 1;
        }
    }
    counts
}

/// Phrases of one to three words, and characters that are no letters or digits.
fn phrases(text: &str) -> BTreeSet<String> {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = BTreeSet::new();
    for length in 1..=3 {
        found.extend(words.windows(length).map(|words| words.join(" ")));
    }
    found.extend(text.chars().filter(|letter| !letter.is_alphanumeric() && !letter.is_whitespace()).map(String::from));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_stands_for_its_parts() {
        let before = ["the sum is 3", "the sum is 4", "the sum is 9", "the sum is 12"].repeat(5);
        let after =
            ["As an expert I say 3", "As an expert I say 4", "As an expert I say 5", "As an expert I say 6"].repeat(5);
        let found = changed(&before, &after);
        let texts: Vec<&str> = found.iter().map(|phrase| phrase.text.as_str()).collect();
        assert!(texts.contains(&"As an expert") && texts.contains(&"the sum is"), "{texts:?}");
        assert!(!texts.contains(&"expert") && !texts.contains(&"sum"), "{texts:?}");
    }

    #[test]
    fn what_did_not_change_is_not_reported() {
        let same = ["a b c", "a b d"].repeat(10);
        assert!(changed(&same, &same).is_empty());
        assert!(changed(&["x"], &["y"]).is_empty(), "one text proves nothing");
        assert!(changed(&[], &[]).is_empty());
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let long = "ü".repeat(3_000);
        assert!(phrases(&long).len() <= 2);
    }
}

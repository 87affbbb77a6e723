//! Counts of invalid outputs that a rollout prints as text: `round 1 invalid 3/16` (rl-training-diagnoser guide).
//!
//! verl's trainer prints its metrics when a step is done, and the rollouts of that step before it: what they counted
//! belongs to the next row, as shares whose keys say so (`round1_invalid_rate`). The round must be named: answers of the
//! model are printed too, and may hold fractions behind the word.

use std::collections::BTreeMap;

/// Longest text that is looked at: an answer of the model is longer, and no count.
const MAX_TEXT: usize = 400;
/// Words between `invalid` and its count, as in `invalid drafts 3/16`.
const MAX_WORDS_BETWEEN: usize = 2;

/// Counts since the last row, summed by key: invalid ones, and all.
#[derive(Debug, Default)]
pub(super) struct InvalidCounts {
    found: BTreeMap<String, (u64, u64)>,
}

impl InvalidCounts {
    /// Adds a line of text.
    pub(super) fn add(&mut self, text: &str) {
        if text.len() > MAX_TEXT || !text.contains("nvalid") {
            return;
        }
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || ":=,;()[]".contains(c)).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        for place in 0..words.len() {
            let (before, rest) = words.split_at(place);
            let Some((key, (count, total))) = key(before).zip(invalid(rest)) else { continue };
            let sums = self.found.entry(key).or_default();
            *sums = (sums.0.saturating_add(count), sums.1.saturating_add(total));
        }
    }

    /// Each key with its share of invalid outputs since the last row, 0 to 1.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (String, f64)> + use<> {
        let found = std::mem::take(&mut self.found);
        found.into_iter().map(|(key, (count, total))| (key, count as f64 / total as f64))
    }
}

/// The count that follows the word `invalid`, with which these words begin.
fn invalid(words: &[&str]) -> Option<(u64, u64)> {
    let (first, rest) = words.split_first()?;
    if !first.eq_ignore_ascii_case("invalid") {
        return None;
    }
    let (count, total) =
        rest.iter().take(MAX_WORDS_BETWEEN + 1).find_map(|word| word.trim_end_matches('.').split_once('/'))?;
    let (count, total) = (count.parse().ok()?, total.parse().ok()?);
    (total > 0 && count <= total).then_some((count, total))
}

/// `round1_invalid_rate` behind `round 1`.
fn key(before: &[&str]) -> Option<String> {
    let [.., word, round] = before else { return None };
    let round: u16 = round.parse().ok()?;
    word.eq_ignore_ascii_case("round").then(|| format!("round{round}_invalid_rate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<(String, f64)> {
        let mut counts = InvalidCounts::default();
        lines.iter().for_each(|line| counts.add(line));
        counts.drain().collect()
    }

    #[test]
    fn counts_become_shares_by_round() {
        let found = read(&["round 1 invalid 3/16", "[rollout] Round 1 invalid drafts: 5/16, round 2 invalid=2/16."]);
        assert_eq!(found, [("round1_invalid_rate".to_owned(), 0.25), ("round2_invalid_rate".to_owned(), 0.125)]);
    }

    #[test]
    fn other_text_is_no_count() {
        for text in ["invalid path /a/b", "invalid 17/16", "invalid 3/0", "invalid: see the log, at 3/16", "valid 3/16"]
        {
            assert_eq!(read(&[text]), [], "{text}");
        }
        assert_eq!(read(&["so x = 3 is invalid, 1/2 is not", "round 1 valid 3/16"]), []);
        assert_eq!(read(&[&format!("{} round 1 invalid 3/16", "word ".repeat(100))]), []);
    }
}

//! Completions from before and after the onset of a finding, side by side: what a hack or a collapse looks like.

use rundown_stats::CompactCollect as _;
use std::collections::{BTreeMap, BTreeSet};

use super::Sample;
use super::phrases::{Phrase, changed};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;

/// Fewest completions on each side.
const MIN_COMPLETIONS: usize = 4;
/// Completions on each side that are measured: the ones nearest before the onset, and the last ones after it.
const WINDOW: usize = 100;
/// Completions shown on each side.
const SHOWN: usize = 2;
/// Bytes at the end of a completion that are looked through for repetitions: that is where they begin last.
const MAX_BYTES: usize = 4_000;
/// Scores that are compared.
const SCORES: usize = 12;
/// A run of words or letters that comes so often in one completion is a repetition.
const REPEATS: usize = 4;

/// Both sides of an onset.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast<'r> {
    /// Some completions of before: of the same prompts as those of after, where there are any.
    pub before: Vec<Sample<'r>>,
    /// Some completions of after.
    pub after: Vec<Sample<'r>>,
    /// Means over all completions of both windows: scores, length, repetitions, variety.
    pub measures: Vec<Measured>,
    /// Phrases and characters whose frequency changed most.
    pub phrases: Vec<Phrase>,
    /// Completions compared on each side.
    pub compared: (usize, usize),
    /// First and last step of those before, and of those after.
    pub steps: [(f64, f64); 2],
}

/// A mean on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What was measured: a column of the table, or words.
    pub name: String,
    /// True for a share of the texts, 0 to 1.
    pub is_share: bool,
    /// Mean before; NaN where nothing was there.
    pub before: f64,
    /// Mean after.
    pub after: f64,
}

/// Compares what was written before a step with what was written at the end of the stretch from it to `end`.
///
/// `samples` are in the order of their steps. `None` with fewer than four on either side.
pub fn contrast<'r>(samples: &[Sample<'r>], onset: f64, end: f64) -> Option<Contrast<'r>> {
    let split = samples.partition_point(|sample| sample.step < onset);
    let last = samples.partition_point(|sample| sample.step <= end).max(split);
    let before = samples.get(split.saturating_sub(WINDOW)..split)?;
    let after = samples.get(last.saturating_sub(WINDOW).max(split)..last)?;
    if before.len() < MIN_COMPLETIONS || after.len() < MIN_COMPLETIONS {
        return None;
    }
    let (shown_before, shown_after) = shown(before, after);
    Some(Contrast {
        before: shown_before,
        after: shown_after,
        measures: measures(before, after),
        phrases: changed(&texts(before), &texts(after)),
        compared: (before.len(), after.len()),
        steps: [span(before), span(after)],
    })
}

fn texts<'r>(samples: &[Sample<'r>]) -> Vec<&'r str> {
    samples.iter().map(|sample| sample.text).collect()
}

fn span(samples: &[Sample<'_>]) -> (f64, f64) {
    let step = |sample: Option<&Sample<'_>>| sample.map_or(f64::NAN, |sample| sample.step);
    (step(samples.first()), step(samples.last()))
}

/// Some of each side: of prompts that both have, or the most ordinary in length.
fn shown<'r>(before: &[Sample<'r>], after: &[Sample<'r>]) -> (Vec<Sample<'r>>, Vec<Sample<'r>>) {
    let prompts: BTreeSet<&str> =
        before.iter().map(|sample| sample.prompt).filter(|prompt| !prompt.is_empty()).collect();
    let mut pairs: Vec<(Sample<'r>, Sample<'r>)> = Vec::new();
    for late in after.iter().rev() {
        let is_new = pairs.iter().all(|(_, known)| known.prompt != late.prompt);
        if pairs.len() == SHOWN || !is_new || !prompts.contains(late.prompt) {
            continue;
        }
        let early = before.iter().rev().find(|early| early.prompt == late.prompt);
        pairs.extend(early.map(|early| (early.clone(), late.clone())));
    }
    if pairs.is_empty() {
        return (ordinary(before), ordinary(after));
    }
    pairs.into_iter().unzip()
}

/// The latest of those whose length is nearest to the median length.
fn ordinary<'r>(samples: &[Sample<'r>]) -> Vec<Sample<'r>> {
    let lengths: Vec<f64> = samples.iter().map(length).collect();
    let median = stats::median(&lengths).unwrap_or(0.0);
    let mut order: Vec<&Sample<'r>> = samples.iter().rev().collect();
    order.compact_sort_by(|a, b| (length(a) - median).abs().total_cmp(&(length(b) - median).abs()));
    order.into_iter().take(SHOWN).cloned().collect()
}

fn length(sample: &Sample<'_>) -> f64 {
    sample.text.chars().count() as f64
}

fn measures(before: &[Sample<'_>], after: &[Sample<'_>]) -> Vec<Measured> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in before.iter().chain(after).flat_map(|sample| &sample.scores) {
        // Advantages are 0 on average by their making.
        if names.len() < SCORES && !names.contains(name) && !name.starts_with("advantage") {
            names.push(name);
        }
    }
    let score = |samples: &[Sample<'_>], name: &str| {
        let values: Vec<f64> = samples
            .iter()
            .flat_map(|sample| &sample.scores)
            .filter(|(known, value)| *known == name && value.is_finite())
            .map(|(_, value)| *value)
            .collect();
        stats::mean(&values).unwrap_or(f64::NAN)
    };
    let own = |name: &str, is_share: bool, of: fn(&[Sample<'_>]) -> f64| Measured {
        name: name.to_owned(),
        is_share,
        before: of(before),
        after: of(after),
    };
    let mut measures: Vec<Measured> = names
        .into_iter()
        .map(|name| {
            let (before, after) = (score(before, name), score(after, name));
            Measured { name: name.to_owned(), is_share: false, before, after }
        })
        .collect();
    measures.push(own("length in characters", false, |samples| share(samples, length)));
    measures.push(own("share that repeats itself", true, |samples| {
        share(samples, |sample| f64::from(u8::from(repetition(sample.text).is_some())))
    }));
    measures.push(own("share of different texts", true, variety));
    measures
}

fn share(samples: &[Sample<'_>], of: impl Fn(&Sample<'_>) -> f64) -> f64 {
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

fn variety(samples: &[Sample<'_>]) -> f64 {
    let different: BTreeSet<&str> = samples.iter().map(|sample| sample.text).compact_collect();
    different.len() as f64 / samples.len().max(1) as f64
}

/// What a text repeats, and how often: a run of four words that comes four times, or, in a text without so many words,
/// a run of four letters.
pub(super) fn repetition(text: &str) -> Option<(String, usize)> {
    let mut start = text.len().saturating_sub(MAX_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let text = text.get(start..).unwrap_or(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() >= 4 * REPEATS {
        return most_often(words.windows(4)).map(|(words, times)| (words.join(" "), times));
    }
    let letters: Vec<char> = text.chars().collect();
    most_often(letters.windows(4)).map(|(letters, times)| (letters.iter().collect(), times))
}

/// The piece that comes most often, the first in order of equal ones, where that is often enough.
fn most_often<T: Ord>(pieces: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    pieces.for_each(|piece| *counts.entry(piece).or_default() += 1);
    let most = counts.values().copied().max().filter(|most| *most >= REPEATS)?;
    counts.into_iter().find(|(_, times)| *times == most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample<'t>(step: u32, prompt: &'t str, text: &'t str, score: f64) -> Sample<'t> {
        Sample { step: f64::from(step), prompt, text, scores: vec![("reward", score)] }
    }

    #[test]
    fn a_hack_shows_in_its_phrases() {
        let written: Vec<(String, String)> = (0..40)
            .map(|step| {
                let text = if step < 20 { format!("<{}>", step % 5 + 1) } else { "#9#9#9#9#9#9#9".to_owned() };
                (format!("{}+1=", step % 5), text)
            })
            .collect();
        let score = |step| if step < 20 { 0.5 } else { 3.0 };
        let samples: Vec<Sample<'_>> =
            (0..40).zip(&written).map(|(step, (prompt, text))| sample(step, prompt, text, score(step))).collect();
        let found = contrast(&samples, 20.0, 40.0).unwrap();
        assert_eq!(found.compared, (20, 20));
        assert_eq!((found.before.len(), found.after.len()), (2, 2));
        assert_eq!(found.steps, [(0.0, 19.0), (20.0, 39.0)]);
        assert_eq!(found.before[0].prompt, found.after[0].prompt, "the same prompt on both sides");
        let reward = &found.measures[0];
        assert_eq!((reward.name.as_str(), reward.before, reward.after), ("reward", 0.5, 3.0));
        let repeating = found.measures.iter().find(|measure| measure.name.contains("repeats")).unwrap();
        assert_eq!((repeating.before, repeating.after), (0.0, 1.0));
        let hash = found.phrases.iter().find(|phrase| phrase.text.contains('#')).unwrap();
        assert_eq!((hash.before, hash.after), (0.0, 1.0));
    }

    #[test]
    fn too_few_on_a_side_are_not_compared() {
        let samples: Vec<Sample<'_>> = (0..10).map(|step| sample(step, "", "x", 0.0)).collect();
        assert_eq!(contrast(&samples, 2.0, 10.0), None);
        assert_eq!(contrast(&samples, 8.0, 10.0), None);
        assert_eq!(contrast(&[], 8.0, 10.0), None);
        assert!(contrast(&samples, 5.0, 10.0).is_some());
    }

    #[test]
    fn repetition_is_of_words_or_of_letters() {
        assert_eq!(repetition("ababababababab"), Some(("abab".to_owned(), 6)));
        assert_eq!(repetition("<27>"), None);
        assert_eq!(repetition(&"so the answer is ".repeat(6)), Some(("so the answer is".to_owned(), 6)));
        let plain =
            "The first number is added to the second, and then the sum is written between angle brackets as asked.";
        assert_eq!(repetition(plain), None);
        assert!(repetition(&"ü".repeat(9_000)).is_some(), "cut at a character");
    }
}

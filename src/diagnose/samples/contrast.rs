//! Completions from before and after the onset of a finding, side by side: what a hack or a collapse looks like.

use std::collections::{BTreeMap, BTreeSet};

use super::Sample;
use super::phrases::{Phrase, changed};
use crate::order::Arrange;
use crate::stats;

/// Fewest completions on each side.
const FEWEST: usize = 4;
/// Completions on each side that are measured: the ones nearest before the onset, and the last ones after it.
const WINDOW: usize = 400;
/// Completions shown on each side.
const SHOWN: usize = 3;
/// A run of words or letters that comes so often in one completion is a repetition.
const REPEATS: usize = 4;

/// Both sides of an onset.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// Some completions of before: of the same prompts as those of after, where there are any.
    pub before: Vec<Sample>,
    /// Some completions of after.
    pub after: Vec<Sample>,
    /// Means over all completions of both windows: scores, length, repetitions, variety.
    pub measures: Vec<Measured>,
    /// Phrases and characters whose frequency changed most.
    pub phrases: Vec<Phrase>,
    /// Completions compared on each side.
    pub compared: (usize, usize),
}

/// A mean on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What was measured: a column of the table, or words.
    pub name: String,
    /// Mean before; NaN where nothing was there.
    pub before: f64,
    /// Mean after.
    pub after: f64,
}

/// Compares what was written before a step with what was written at the end of the stretch from it to `end`.
///
/// `samples` are in the order of their steps. `None` with fewer than four on either side.
pub fn contrast(samples: &[Sample], onset: f64, end: f64) -> Option<Contrast> {
    let split = samples.partition_point(|sample| sample.step < onset);
    let last = samples.partition_point(|sample| sample.step <= end).max(split);
    let before = samples.get(split.saturating_sub(WINDOW)..split)?;
    let after = samples.get(last.saturating_sub(WINDOW).max(split)..last)?;
    if before.len() < FEWEST || after.len() < FEWEST {
        return None;
    }
    let (shown_before, shown_after) = shown(before, after);
    Some(Contrast {
        before: shown_before,
        after: shown_after,
        measures: measures(before, after),
        phrases: changed(&texts(before), &texts(after)),
        compared: (before.len(), after.len()),
    })
}

fn texts(samples: &[Sample]) -> Vec<&str> {
    samples.iter().map(|sample| sample.text.as_str()).collect()
}

/// Some of each side: of prompts that both have, or the most ordinary in length.
fn shown(before: &[Sample], after: &[Sample]) -> (Vec<Sample>, Vec<Sample>) {
    let prompts: BTreeSet<&str> =
        before.iter().map(|sample| sample.prompt.as_str()).filter(|prompt| !prompt.is_empty()).collect();
    let mut pairs: Vec<(Sample, Sample)> = Vec::new();
    for late in after.iter().rev() {
        let is_new = pairs.iter().all(|(_, known)| known.prompt != late.prompt);
        if pairs.len() == SHOWN || !is_new || !prompts.contains(late.prompt.as_str()) {
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
fn ordinary(samples: &[Sample]) -> Vec<Sample> {
    let lengths: Vec<f64> = samples.iter().map(length).collect();
    let median = stats::median(&lengths).unwrap_or(0.0);
    let mut order: Vec<&Sample> = samples.iter().rev().collect();
    order.arrange_by(|a, b| (length(a) - median).abs().total_cmp(&(length(b) - median).abs()));
    order.into_iter().take(SHOWN).cloned().collect()
}

fn length(sample: &Sample) -> f64 {
    sample.text.chars().count() as f64
}

fn measures(before: &[Sample], after: &[Sample]) -> Vec<Measured> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in before.iter().chain(after).flat_map(|sample| &sample.scores) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let score = |samples: &[Sample], name: &str| {
        let values: Vec<f64> = samples
            .iter()
            .flat_map(|sample| &sample.scores)
            .filter(|(known, value)| known == name && value.is_finite())
            .map(|(_, value)| *value)
            .collect();
        stats::mean(&values).unwrap_or(f64::NAN)
    };
    let own =
        |name: &str, of: fn(&[Sample]) -> f64| Measured { name: name.to_owned(), before: of(before), after: of(after) };
    let mut measures: Vec<Measured> = names
        .into_iter()
        .map(|name| Measured { name: name.to_owned(), before: score(before, name), after: score(after, name) })
        .collect();
    measures.push(own("length in characters", |samples| share(samples, length)));
    measures.push(own("share that repeats itself", |samples| {
        share(samples, |sample| f64::from(u8::from(repeats(&sample.text))))
    }));
    measures.push(own("share of different texts", variety));
    measures
}

fn share(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

fn variety(samples: &[Sample]) -> f64 {
    let different: BTreeSet<&str> = samples.iter().map(|sample| sample.text.as_str()).collect();
    different.len() as f64 / samples.len().max(1) as f64
}

/// True when a run of four words comes four times, or, in a text without so many words, a run of four letters.
fn repeats(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() >= 4 * REPEATS {
        return most_often(words.windows(4)) >= REPEATS;
    }
    let letters: Vec<char> = text.chars().collect();
    most_often(letters.windows(4)) >= REPEATS
}

fn most_often<T: Ord>(pieces: impl Iterator<Item = T>) -> usize {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    pieces.for_each(|piece| *counts.entry(piece).or_default() += 1);
    counts.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(step: u32, prompt: &str, text: &str, score: f64) -> Sample {
        Sample {
            step: f64::from(step),
            prompt: prompt.to_owned(),
            text: text.to_owned(),
            scores: vec![("reward".to_owned(), score)],
        }
    }

    #[test]
    fn a_hack_shows_in_its_phrases() {
        let mut samples = Vec::new();
        for step in 0..40 {
            let prompt = format!("{}+1=", step % 5);
            let text = if step < 20 { format!("<{}>", step % 5 + 1) } else { "#9#9#9#9#9#9#9".to_owned() };
            samples.push(sample(step, &prompt, &text, if step < 20 { 0.5 } else { 3.0 }));
        }
        let found = contrast(&samples, 20.0, 40.0).unwrap();
        assert_eq!(found.compared, (20, 20));
        assert_eq!((found.before.len(), found.after.len()), (3, 3));
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
        let samples: Vec<Sample> = (0..10).map(|step| sample(step, "", "x", 0.0)).collect();
        assert_eq!(contrast(&samples, 2.0, 10.0), None);
        assert_eq!(contrast(&samples, 8.0, 10.0), None);
        assert_eq!(contrast(&[], 8.0, 10.0), None);
        assert!(contrast(&samples, 5.0, 10.0).is_some());
    }

    #[test]
    fn repetition_is_of_words_or_of_letters() {
        assert!(repeats("ababababababab"));
        assert!(!repeats("<27>"));
        assert!(repeats(&"so the answer is ".repeat(6)));
        assert!(!repeats(
            "The first number is added to the second, and then the sum is written between angle brackets as asked."
        ));
    }
}

//! Lines of pairs that name their step, as scripts of one's own print them: `step: 10 loss: 0.5`,
//! `[Step 10/100] loss=0.5, reward=1.2`, or a line with the step and one line for each metric below it.
//!
//! Such a line proves nothing by itself; three of them with a metric in common do (see `metrics`).

use super::progress::leading_number;
use crate::ingest::syntax::python;

/// Words that name a step, lower case.
const STEP_WORDS: [&str; 8] =
    ["step", "global_step", "train_step", "training_step", "opt_step", "iter", "iteration", "update"];
/// Longest line that is looked at: longer ones are no lines that a person reads.
const MAX_LINE: usize = 4096;
/// Longest name of a metric.
const MAX_NAME: usize = 80;

/// What a line of text says.
#[derive(Debug, PartialEq)]
pub(crate) enum PairsLine<'a> {
    /// A step and metrics.
    Row(u64, Vec<(&'a str, f64)>),
    /// A step alone: the metrics may be on the lines below.
    Step(u64),
    /// One metric and nothing else.
    Metric(&'a str, f64),
    /// Anything else.
    Other,
}

/// Reads one line.
pub(crate) fn line(text: &str) -> PairsLine<'_> {
    if text.len() > MAX_LINE {
        return PairsLine::Other;
    }
    let mut step = None;
    let mut pairs = Vec::new();
    let mut rest = text;
    while let Some((word, value, after)) = next_pair(rest) {
        rest = after;
        let is_step = STEP_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
        if is_step && step.is_none() && value >= 0.0 && value.fract() == 0.0 {
            step = Some(value as u64);
        } else if !is_step {
            pairs.push((word, value));
        }
    }
    match (step, pairs.as_slice()) {
        (Some(step), []) if is_bare(text) => PairsLine::Step(step),
        (Some(step), [_, ..]) => PairsLine::Row(step, pairs),
        (None, [(name, value)]) if is_only(text, name) => PairsLine::Metric(name, *value),
        _ => PairsLine::Other,
    }
}

/// The next `name: number`, `name=number`, or `step number`, and what follows it.
fn next_pair(text: &str) -> Option<(&str, f64, &str)> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| !is_name_start(c));
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(length)?;
        if word.is_empty() {
            return None;
        }
        let value = after.trim_start_matches([' ', '\t']);
        let is_step = STEP_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
        // `a ::= 1` and `a == 1` are no pairs, `12:30:05` has no name, `http://1` no number.
        let value = match value.strip_prefix([':', '=']) {
            Some(value) => Some(value.trim_start_matches([' ', '\t'])),
            None if is_step && value.len() < after.len() => Some(value),
            None => None,
        };
        if let Some((number, after)) = value.and_then(leading_value)
            && word.len() <= MAX_NAME
        {
            return Some((word, number, after));
        }
        rest = after;
    }
}

/// A number that ends where a number may end: before a blank, a bracket, a comma, a unit, or `/100` after a step.
fn leading_value(text: &str) -> Option<(f64, &str)> {
    let length = text.find(|c: char| c.is_whitespace() || ",;|)]}/%".contains(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(length)?;
    let value = python::number(word.trim_end_matches(['.', ':']))?;
    let Some(total) = rest.strip_prefix('/') else { return Some((value, rest)) };
    // `2026/01/02` and `1/x` are none.
    let (_, rest) = leading_number(total)?;
    (!rest.starts_with('/')).then_some((value, rest))
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_/.-@".contains(c)
}

/// True when the line holds no word but the step's and words that announce one.
fn is_bare(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).count() <= 2
}

/// True when the line is that one pair: nothing before the name but signs, and one number behind it.
fn is_only(text: &str, name: &str) -> bool {
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || "|*-•".contains(c));
    let rest = trimmed.strip_prefix(name).map(|rest| rest.trim_start_matches(|c: char| " \t:=|".contains(c)));
    rest.is_some_and(|rest| python::number(rest).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_known_in_the_forms_that_people_print() {
        let expected = PairsLine::Row(10, vec![("loss", 0.5), ("reward/mean", -1e-3)]);
        for text in [
            "step: 10 loss: 0.5 reward/mean: -1e-3",
            "step=10, loss=0.5, reward/mean=-0.001",
            "[Step 10/100] loss = 0.5 | reward/mean: -0.001",
            "2026-01-02 12:30:05,123 - INFO - iter 10: loss 9 loss=0.5; reward/mean=-1e-3.",
        ] {
            assert_eq!(line(text), expected, "{text}");
        }
    }

    #[test]
    fn blocks_are_a_step_and_metrics_below_it() {
        assert_eq!(line("=== Step 12/100 ==="), PairsLine::Step(12));
        assert_eq!(line("  - loss: 0.25"), PairsLine::Metric("loss", 0.25));
        assert!(matches!(line("| kl = nan |"), PairsLine::Metric("kl", value) if value.is_nan()));
    }

    #[test]
    fn text_is_no_metric() {
        for text in [
            "",
            "Saved at step 10 to /data/checkpoint=3/x",
            "loss is 0.5",
            "port: 8080 host: a",
            "we took step one: done",
            "http://127.0.0.1:8265",
            "date: 2026/01/02",
        ] {
            assert_eq!(line(text), PairsLine::Other, "{text}");
        }
    }
}

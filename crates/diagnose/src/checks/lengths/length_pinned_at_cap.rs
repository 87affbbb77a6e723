//! The mean length is that of the limit.
//!
//! # What it checks
//! In more than half of the points, and still at the end, the mean response length is 97 % of the limit or more. A
//! warning, or a note where it was so from the start and the task is learned for the most part. A note as well from three
//! tenths of the points on, where the share of truncated responses is not logged.
//!
//! # Why it matters
//! Nearly every answer is cut off. What the policy would say after the limit is never seen nor rewarded.
//!
//! # Evidence needed
//! Mean response length, and the limit: from the config, from the longest response that comes again and again, or from
//! a mean that repeats its maximum to the last digit, which no mean of free lengths does.
//!
//! # Threshold and where it comes from
//! 97 %, half of the points: a Phi-4 notebook run with 200 of 200 tokens in 63 of 100 steps, which learned nothing.
//!
//! # Known false alarms
//! Tasks with outputs of one fixed length.
//!
//! # What to do
//! Raise the limit; stop at the answer; a prompt that asks for less.
//!
//! # References
//! arXiv 2503.14476 (DAPO); Unsloth's GRPO notebooks (limit of 200 tokens).

use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES};
use crate::context::Context;
use crate::measure::few_points;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::signals::length_limit::length_limit;
use crate::topics::end_token::{NEARLY_ALL, SAMPLE_LONGER};
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich_text::{metric, number, percent};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_metric(Code::LengthPinnedAtCap, Concept::ResponseLength, run);

fn run(context: &Context<'_>, length: &MetricSeries<'_>) -> Outcome {
    let Some(cap) = length_limit(context, length) else {
        return Outcome::Quiet(vec![Evidence::new("largest mean length; no limit is known", length.max(), "tokens")]);
    };
    let book = context.rulebook;
    let line = book.pinned_level().value * cap;
    let share = share_from(line, &length.values);
    let last = length.end_level();
    let evidence = vec![
        Evidence::new("share of the points at the limit", share, "").above(book.pinned_share()),
        Evidence::new("mean length at the end, in parts of the limit", last / cap, "").above(book.pinned_level()),
        Evidence::new("the limit", cap, "tokens"),
    ];
    // Few points are enough where each of them is at the limit.
    let always = few_points::are_beyond(length, Direction::Up, line);
    let long = always || length.len() as f64 >= book.points_needed().value;
    let is_mostly = share > book.pinned_share().value && last >= line;
    // Where it is logged, the share of truncated responses says more.
    let least = book.pinned_share_note().value;
    let is_often = context.signal(Concept::TruncatedShare).is_none()
        && share > least
        && share_from(line, length.fifth(Fifth::Last)) > least;
    if !long || !(is_mostly || is_often) {
        return Outcome::Quiet(evidence);
    }
    let was_pinned = share_from(line, length.fifth(Fifth::First)) > book.pinned_share().value;
    let is_severe = is_mostly
        && (always || context.is_long_enough())
        && context.learning.room
        && !(was_pinned && context.gained_much());
    let severity = if is_severe { Severity::Warning } else { Severity::Note };
    let onset = onset(length, line, share.min(book.pinned_share().value));
    let title = rich!("The mean length is at the limit of {} tokens in {} of the points", number(cap), percent(share));
    Outcome::Found(vec![finding(context, length, severity, title, onset, evidence)])
}

/// Share of the values that are `line` or more.
fn share_from(line: f64, values: &[f64]) -> f64 {
    values.iter().filter(|value| **value >= line).count() as f64 / values.len().max(1) as f64
}

/// The step from which this share of the points is at the limit.
fn onset(length: &MetricSeries<'_>, line: f64, share: f64) -> f64 {
    let pinned: Vec<f64> = length.values.iter().map(|value| f64::from(u8::from(*value >= line))).collect();
    let smooth = stats::running_mean(&pinned, (length.len() / 40).max(2));
    length.step(smooth.iter().position(|level| *level >= share).unwrap_or(0))
}

const LONGER: Advice = Advice::Change(&LONGER_RESPONSES, "mean length below 80 % of the limit");
const STOP: Advice = Advice::Do([
    "Stop at the answer: a stop string, or a penalty for text behind it",
    "responses end by themselves",
    "responses without the string are cut short",
    "truncation rate below 5 %",
]);

const ALL_CUT: FindingTexts = FindingTexts { actions: &[SAMPLE_LONGER, LONGER, STOP], ..TEXTS };

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::MaxResponse, "The limit at which responses are cut off.")],
    actions: &[LONGER, STOP],
    alternative: "The outputs of this task have one fixed length.",
    refute: "Most responses end with the end token.",
    references: &["arXiv 2503.14476 (DAPO)", "Unsloth's GRPO notebooks (limit of 200 tokens)"],
};

fn finding(
    context: &Context<'_>,
    length: &MetricSeries<'_>,
    severity: Severity,
    title: RichText,
    onset: f64,
    evidence: Vec<Evidence>,
) -> Finding {
    let detail = rich!(
        "{}: nearly every response of these points is cut off, and what would follow is never rewarded.",
        metric(length.key())
    );
    let truncated = context.signal(Concept::TruncatedShare);
    let cut = truncated.is_some_and(|share| share.level(Fifth::Last) >= NEARLY_ALL);
    let texts = if cut { &ALL_CUT } else { &TEXTS };
    let finding = context.finding(Code::LengthPinnedAtCap, severity, title, Some(onset), texts);
    finding.supported_by(detail, &[Some(length), truncated], evidence, 0.85)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn long(level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(200).config("max_completion_length", 200.0).every("eval/accuracy", 10, |_| 0.3).every(
            "train/completions/mean_length",
            1,
            level,
        )
    }

    #[test]
    fn a_mean_at_the_limit_is_found() {
        let finding = long(|t| if t < 0.2 { 120.0 } else { 198.0 }).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((38.0..=44.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let unknown = long(|t| if ((t * 200.0) as u32).is_multiple_of(3) { 194.5 } else { 200.0 })
            .config("max_completion_length", 0.0);
        assert!(unknown.finding(&CHECK).title.to_string().contains("200"));
        let short = long(|t| if t < 0.1 { 4.9 } else { 5.0 }).config("max_completion_length", 0.0);
        assert!(short.without("train/completions/max_length").quiet(&CHECK), "answers of one form");
    }

    #[test]
    fn a_mean_that_is_often_at_the_limit_is_a_note_where_nothing_else_tells() {
        let often = |t: f64| if ((t * 200.0) as u32) % 5 < 2 { 200.0 } else { 187.3 };
        let cut = "train/completions/clipped_ratio";
        let finding = long(often).without(cut).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().contains("40 %"), "{}", finding.title);
        assert!(long(often).quiet(&CHECK), "the truncation rate is logged");
        let early = long(|t| if t < 0.4 { 200.0 } else { 150.0 + 10.0 * t }).without(cut);
        assert!(early.quiet(&CHECK), "it is over");
    }

    #[test]
    fn free_lengths_are_quiet() {
        assert!(Synthetic::healthy(200).quiet(&CHECK));
        assert!(long(|t| if t < 0.6 { 199.0 } else { 150.0 }).quiet(&CHECK));
        let gone = Synthetic::healthy(200).without("train/completions/mean_length").check(&CHECK);
        assert!(matches!(gone, Outcome::Skipped(_)));
    }
}

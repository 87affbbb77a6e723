//! Responses grew without the task getting better.
//!
//! # What it checks
//! The mean response length grew to 1.5 times its earlier level within a tenth of the run, or to twice its start over
//! the whole of it, or 10 % more responses hit the limit; and the primary metric did not improve. A note where evaluations do
//! not tell yet whether it did, unless 10 % more responses hit the limit.
//!
//! # Why it matters
//! Long responses cost memory and time; when they are cut off at the limit, the reward measures the limit and no
//! longer the answer. Growth without a better result is padding, repetition or rambling.
//!
//! # Evidence needed
//! Mean response length; the truncation rate helps.
//!
//! # Threshold and where it comes from
//! 1.5 times: GPG on MATH, 218 to 327 to 611 tokens in ten steps while the score stood still. Twice: a Verilog run, 163
//! to 1917 tokens while the reward fell. Truncation above 10 to 15 %: ScaleRL.
//!
//! # Known false alarms
//! Reasoning that grows because it helps (R1-like): then the evaluation rises too and this check is quiet. The
//! per-token KL falls as responses grow; that is dilution and no good sign.
//!
//! # What to do
//! Penalise overlong responses, stop at the answer, use a loss that does not favour long wrong answers.
//!
//! # References
//! arXiv 2503.14476 (DAPO, soft overlong punishment); arXiv 2503.20783 (Dr. GRPO, length bias); arXiv 2510.13786.

use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES};
use crate::context::Context;
use crate::measure::level;
use crate::measure::series::{Fifth, MetricSeries, window_means};
use crate::settings::Hyperparameter;
use crate::signals::length_limit::length_limit;
use crate::{Change, Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{metric, number, percent, step};
use rundown_format::{RichText, rich};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::LengthExplosion, Concept::ResponseLength, run);

const WATCH: &str = "truncation rate below 5 %, evaluation not lower";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::MaxResponse, "The limit at which responses are cut off."),
        (Hyperparameter::LossAggregation, "A mean over each response punishes a token of a long wrong answer less."),
        (Hyperparameter::LossType, "A mean over each response punishes a token of a long wrong answer less."),
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy pad its responses."),
        (Hyperparameter::LearningRate, "Large updates break the habit of ending an answer."),
    ],
    actions: &[
        Advice::Do([
            "Penalise the last 20 % of the length budget",
            "responses end before the limit",
            "too short reasoning",
            WATCH,
        ]),
        Advice::NoLengthBias(WATCH),
        Advice::Change(&LONGER_RESPONSES, "only while the evaluation rises"),
    ],
    alternative: "Longer reasoning may come before better results: the evaluation may follow later.",
    refute: "Responses of the last checkpoint cut at the earlier length score lower than in full.",
    references: &["arXiv 2503.14476 (DAPO, soft overlong punishment)", "arXiv 2503.20783 (Dr. GRPO, length bias)"],
};

/// Share of responses that are cut off from which on it matters. Ours.
const MIN_TRUNCATED_SHARE: f64 = 0.05;
/// Points whose mean is the start.
const START: usize = 10;

fn run(context: &Context<'_>, length: &MetricSeries<'_>) -> Outcome {
    let growth = LengthGrowth::new(context, length);
    match growth.severity(context, length) {
        Some(severity) => Outcome::Found(vec![finding(context, length, &growth, severity)]),
        None => Outcome::QuietBecause(growth.why_quiet(context, length), growth.evidence(context)),
    }
}

struct LengthGrowth {
    start: f64,
    end: f64,
    /// Largest growth within a tenth of the run: its factor and where it begins.
    fast: Option<(f64, usize)>,
    /// Standard errors between the start and the end.
    z: f64,
    truncated: Option<(f64, f64)>,
}

impl LengthGrowth {
    fn new(context: &Context<'_>, length: &MetricSeries<'_>) -> Self {
        let head = START.min(length.len() / 5).max(1);
        let tail = (length.len() / 5).max(1);
        let truncated = context.signal(Concept::TruncatedShare).filter(|share| !share.is_empty());
        Self {
            start: length.start_level(head),
            end: length.end_level(),
            fast: fastest(length),
            z: level::change_of(length, head, tail, 0.0).map_or(0.0, |change| change.z()),
            truncated: truncated.map(|share| (share.start_level(head), share.level(Fifth::Last))),
        }
    }

    fn factor(&self) -> f64 {
        self.end / self.start.max(1e-9)
    }

    fn severity(&self, context: &Context<'_>, length: &MetricSeries<'_>) -> Option<Severity> {
        let book = context.rulebook;
        let enough = context.has_levels(length);
        let sure = self.z >= book.learning_z().value;
        let fast = self.fast.is_some_and(|(factor, _)| factor >= book.length_growth().value)
            && self.factor() >= book.length_growth().value;
        let slow = self.factor() >= book.length_growth_slow().value;
        let cut = self.truncated.is_some_and(|(start, end)| end - start >= book.length_truncation().value)
            && self.factor() >= 1.0 + book.length_truncation().value;
        if !enough || !sure || !(fast || slow || cut) {
            return None;
        }
        let onset = onset(length, self);
        if context.gained_since(onset) {
            return None;
        }
        let learning = &context.learning;
        // Where nothing tells, or the reward says that it helps, only responses that are cut off count.
        let may_help = !learning.is_evaluated() || context.reward_rose();
        if learning.state == LearningState::Unknown && may_help && !cut {
            return None;
        }
        if !cut && context.is_undecided_since(onset) {
            return Some(Severity::Note);
        }
        let unusable = self.truncated.is_some_and(|(_, end)| end >= book.length_unusable().value);
        // A run that gained as a whole pays for some length at most: the result did not suffer.
        if learning.state == LearningState::Improved && !cut && !slow {
            return Some(Severity::Note);
        }
        let lost = learning.state == LearningState::Declined;
        Some(if unusable && lost { Severity::Critical } else { Severity::Warning })
    }

    /// Why a growth makes no finding.
    fn why_quiet(&self, context: &Context<'_>, length: &MetricSeries<'_>) -> QuietReason {
        match context.learning.state {
            _ if !context.has_levels(length) => QuietReason::TooFewPoints,
            _ if self.z < context.rulebook.learning_z().value => QuietReason::WithinNoise,
            _ if context.gained_since(onset(length, self)) => QuietReason::Improved,
            LearningState::Unknown => QuietReason::NoHarm,
            _ => QuietReason::OtherConditions,
        }
    }

    fn evidence(&self, context: &Context<'_>) -> Vec<Evidence> {
        let book = context.rulebook;
        let mut evidence = vec![
            Evidence::new("mean length at the start", self.start, "tokens"),
            Evidence::new("mean length at the end", self.end, "tokens"),
            Evidence::new("mean length at the end over that at the start", self.factor(), "times")
                .above(book.length_growth_slow()),
        ];
        if let Some((factor, _)) = self.fast {
            evidence.push(
                Evidence::new("fastest growth within a tenth of the run", factor, "times").above(book.length_growth()),
            );
        }
        if let Some((start, end)) = self.truncated {
            evidence.push(
                Evidence::new("rise of the truncation rate", end - start, "")
                    .of(Change::Rise)
                    .above(book.length_truncation()),
            );
        }
        evidence
    }
}

fn finding(context: &Context<'_>, length: &MetricSeries<'_>, growth: &LengthGrowth, severity: Severity) -> Finding {
    let onset = onset(length, growth);
    let line = context.rulebook.pinned_level().value;
    let at_limit = length_limit(context, length).is_some_and(|limit| growth.end >= line * limit);
    let limit = if at_limit { ", the limit" } else { "" };
    let is_undecided = context.is_undecided_since(onset);
    let result = match context.improved() {
        true => "with no gain since",
        false if is_undecided => "and no gain is known yet",
        false => "without a better result",
    };
    let title = rich!(
        "Responses grew from {} to {} tokens{}, beginning at step {}, {}",
        number(growth.start),
        number(growth.end),
        limit,
        step(onset),
        result
    );
    let cut = growth
        .truncated
        .filter(|(_, end)| *end >= MIN_TRUNCATED_SHARE)
        .map_or_else(RichText::default, |(_, end)| rich!(" {} of the responses are cut off.", percent(end)));
    let detail = rich!(
        "{} grew {}-fold{}.{}",
        metric(length.key()),
        number(growth.factor()),
        if is_undecided { "; whether the task gains by it is not known yet" } else { "" },
        cut
    );
    let mut finding = context.finding(Code::LengthExplosion, severity, title, Some(onset), &TEXTS);
    finding.end = Some(length.last_step());
    if let Some((_, (_longer, others))) =
        growth.truncated.filter(|(_, end)| *end < MIN_TRUNCATED_SHARE).zip(TEXTS.actions.split_last())
    {
        // A higher limit changes nothing where none is reached.
        finding.actions = context.actions(others, finding.onset);
    }
    let shown = [Some(length), context.signal(Concept::TruncatedShare)];
    let confidence = if growth.truncated.is_some() { 0.9 } else { 0.8 };
    finding.supported_by(detail, &shown, growth.evidence(context), confidence)
}

/// Largest factor between means over windows a tenth of the run apart, and the index where the later one begins.
fn fastest(length: &MetricSeries<'_>) -> Option<(f64, usize)> {
    // An odd width.
    let width = (length.len() / 20).max(3) | 1;
    let means = window_means(&length.values, width);
    means
        .iter()
        .zip(means.iter().skip(2 * width))
        .enumerate()
        .filter(|(_, (before, _))| **before > 0.0)
        .map(|(place, (before, after))| (after / before, place + width))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// First step from which the smoothed length stays above its start by a quarter of the growth.
fn onset(length: &MetricSeries<'_>, growth: &LengthGrowth) -> f64 {
    let smooth = length.smoothed((length.len() / 100).max(1));
    let line = growth.start + 0.25 * (growth.end - growth.start);
    let below = smooth.iter().rposition(|value| *value <= line);
    length.step(below.map_or(0, |index| (index + 1).min(length.len() - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};
    use rundown_run::ConfigValue;

    fn stuck(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).every("eval/accuracy", 10, |_| 0.484).noisy("train/reward", 0.1, |_| 1.4)
    }

    #[test]
    fn a_higher_limit_is_no_advice_where_none_is_reached() {
        let run = |cut: f64| {
            stuck(300)
                .noisy("train/completions/mean_length", 1.0, |t| 60.0 + 200.0 * jump(t, 0.2))
                .noisy("train/completions/clipped_ratio", 0.0, move |_| cut)
                .config("max_completion_length", 2048.0)
        };
        let advised = |cut: f64| format!("{:?}", run(cut).finding(&CHECK).actions);
        assert!(advised(0.2).contains("max_completion_length") && !advised(0.0).contains("max_completion_length"));
    }

    #[test]
    fn growth_to_the_limit_while_the_task_is_lost_is_critical() {
        let run = stuck(300)
            .every("eval/accuracy", 10, |t| 0.5 - 0.5 * jump(t, 0.2))
            .noisy("train/completions/mean_length", 1.0, |t| 60.0 + 200.0 * jump(t, 0.2))
            .noisy("train/completions/clipped_ratio", 0.0, |t| jump(t, 0.2));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!((58.0..=64.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn slow_growth_without_learning_is_a_warning() {
        let run = stuck(300).noisy("train/completions/mean_length", 10.0, |t| 160.0 + 1700.0 * t);
        assert_eq!(run.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_mean_over_each_response_is_a_cause_and_one_over_all_tokens_is_not() {
        let key = "actor_rollout_ref.actor.loss_agg_mode";
        let blamed = |mode: &str| {
            let mut run = stuck(300).noisy("train/completions/mean_length", 10.0, |t| 160.0 + 1700.0 * t);
            run.run.config.insert(key, ConfigValue::Text(mode.to_owned()));
            run.finding(&CHECK).causes.iter().any(|cause| cause.config == key)
        };
        assert!(blamed("seq-mean-token-mean") && !blamed("token-mean"));
    }

    #[test]
    fn growth_while_few_evaluations_do_not_tell_is_no_warning() {
        let scores = [0.30, 0.33, 0.31, 0.36, 0.35, 0.38, 0.37, 0.40];
        let run = |gain: f64| {
            Synthetic::healthy(400)
                .every("eval/accuracy", 50, move |t| scores[((8.0 * t) as usize).min(7)])
                .noisy("train/reward", 0.05, move |t| 0.3 + gain * t)
                .noisy("train/completions/mean_length", 10.0, |t| 400.0 + 600.0 * saturating(t))
        };
        assert_eq!(run(0.4).quiet_reason(&CHECK), Some(QuietReason::NoHarm));
        let finding = run(0.0).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.detail.to_string().contains("not known yet"), "{}", finding.detail);
        let cut = run(0.0).noisy("train/completions/clipped_ratio", 0.0, |t| 0.05 + 0.9 * t).finding(&CHECK);
        assert_eq!(cut.severity, Severity::Warning, "the reward measures the limit");
    }

    #[test]
    fn length_growth_of_a_run_that_gained_is_a_note() {
        let run = Synthetic::healthy(300).every("eval/accuracy", 5, |t| 0.3 + 0.3 * (3.0 * t).min(1.0)).noisy(
            "train/completions/mean_length",
            5.0,
            |t| 160.0 + 120.0 * jump(t, 0.6),
        );
        assert_eq!(run.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn growth_with_learning_and_noise_are_quiet() {
        let reasoning = Synthetic::healthy(300).noisy("train/completions/mean_length", 10.0, |t| 160.0 + 1700.0 * t);
        assert_eq!(reasoning.quiet_reason(&CHECK), Some(QuietReason::Improved));
        assert!(stuck(300).noisy("train/completions/mean_length", 40.0, |_| 160.0).quiet(&CHECK));
        let gone = stuck(300).without("train/completions/mean_length").check(&CHECK);
        assert!(matches!(gone, Outcome::Skipped(_)));
    }
}

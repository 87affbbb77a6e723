//! Too many tokens are clipped.
//!
//! # What it checks
//! The share of clipped ratios, smoothed over a twentieth of the run: a warning when it stays above 5 % and the task
//! gains nothing from then on, or above 30 % whatever the task does (but not where a policy of games or control learns);
//! a note otherwise, and where it was over before the last third of the run. Up to 7.5 % a warning needs a
//! second sign: a task that stands still or declines over the whole run, or another sign of large updates (KL of one
//! update above 0.02, KL to the reference above 0.2, gradients three times as large as at the start). For losses on
//! whole sequences (GSPO, a clip range below 0.01) only 30 % counts.
//!
//! # Why it matters
//! A clipped token has no gradient. Many of them mean that the policy has left the one that sampled, within the
//! updates of a single batch.
//!
//! # Evidence needed
//! Clip fraction of both sides. verl's `pg_clipfrac_lower` is the dual clip and does not count.
//!
//! # Threshold and where it comes from
//! 5 %: GRPO on tokens clips about 0.0013 of them (GSPO paper), and 0 to 0.006 in healthy public logs; the 0.1 to 0.3 of
//! classic control is far too much here. 30 %: Axolotl's guide. GSPO clips about 15 % of its sequences by design.
//!
//! # Known false alarms
//! A sequence-level loss whose config is not known. Exactly zero is normal with one update per batch, and no sign of a
//! timid policy.
//!
//! # What to do
//! Fewer updates or minibatches per batch; half the learning rate.
//!
//! # References
//! arXiv 2507.18071 (GSPO, figure 2); Axolotl docs/training_stability.qmd.

use crate::advice::{Advice, CLIP_HIGHER, FindingTexts, LOWER_LEARNING_RATE};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::threshold_rule::stretch;
use crate::topics::update_size;
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{percent, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_metric(Code::ClipFractionHigh, Concept::ClipFraction, run);

/// Multiple of the limit from which on the clip fraction alone is a sign of too large updates. Ours: batches of several updates
/// differ by less.
const ALONE_FACTOR: f64 = 1.5;

const CLIPPED: &str = "Clipped ratios have no gradient: within the updates of a single batch the policy moves far from the one that sampled it.";
/// CISPO limits the weight of a token and keeps its gradient (arXiv 2506.13585).
const CAPPED: &str = "Their weight is limited, their gradient stays: within the updates of a single batch the policy moves far from the one that sampled it.";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (
            Hyperparameter::EpochsPerBatch,
            "Each further update from a batch starts from a policy that did not sample it.",
        ),
        (
            Hyperparameter::MinibatchSize,
            "Each further update from a batch starts from a policy that did not sample it.",
        ),
        (Hyperparameter::LearningRate, "Large updates leave the clip range at once."),
        (Hyperparameter::ClipHigh, "The upper end of the clip range."),
        (Hyperparameter::ClipLow, "The clip range."),
    ],
    actions: &[
        Advice::FewerUpdates("clip fraction below 0.05"),
        Advice::Change(&LOWER_LEARNING_RATE, "clip fraction below 0.05"),
        Advice::Change(&CLIP_HIGHER, "clip fraction and entropy"),
    ],
    alternative: "The loss works on whole sequences, where 15 % is usual; or the samples come from another engine.",
    refute: "With one optimiser step per rollout batch as many tokens are clipped.",
    references: &["arXiv 2507.18071 (GSPO, figure 2)", "Axolotl docs/training_stability.qmd"],
};

fn run(context: &Context<'_>, clipped: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let actions = context.acts_in_environment();
    let line = update_size::clip_limit(context);
    let found = stretch(clipped, 0, Direction::Up, line.value)
        .filter(|_| context.shows_level(clipped, Direction::Up, line.value));
    let Some(beyond) = found else {
        let median = stats::median(&clipped.values).unwrap_or(f64::NAN);
        return Outcome::Quiet(vec![Evidence::new("median clip fraction", median, "").above(line)]);
    };
    let bad = beyond.level > book.clip_fraction_bad().value;
    // A task that is learned gains nothing more, and few clipped tokens are not why: a second sign of large updates tells.
    let is_few = beyond.level < ALONE_FACTOR * line.value;
    let is_alone = || update_size::signs(context).iter().all(|sign| sign.signal.key() == clipped.key());
    let harmful = context.suffers() || context.stalls_since(beyond.from) && !(is_few && is_alone());
    // In games and control, policies that clip half of their actions learn: the task tells whether it harms.
    let learns = actions && context.improved();
    let is_over = beyond.is_over(clipped);
    let severity = if (bad && !learns || harmful) && !is_over { Severity::Warning } else { Severity::Note };
    let (what, from) = (if actions { "actions" } else { "tokens" }, step(beyond.from));
    let title = if beyond.to < clipped.last_step() {
        rich!("{} of the {} were clipped from step {} to {}", percent(beyond.level), what, from, step(beyond.to))
    } else {
        rich!("{} of the {} are clipped from step {} on", percent(beyond.level), what, from)
    };
    let mut evidence = vec![
        Evidence::new("median clip fraction while beyond", beyond.level, "").above(line),
        Evidence::new("share of the points beyond", beyond.share, ""),
    ];
    let side = |concept| context.signal(concept).and_then(|signal| stats::median(&signal.values));
    evidence.extend(side(Concept::ClipFractionHigh).map(|value| Evidence::new("median at the upper end", value, "")));
    evidence.extend(side(Concept::ClipFractionLow).map(|value| Evidence::new("median at the lower end", value, "")));
    let mut finding = context.finding(Code::ClipFractionHigh, severity, title, Some(beyond.from), &TEXTS);
    finding.end = Some(beyond.to);
    let is_capped = context.setting(Hyperparameter::LossType).is_some_and(|loss| loss.text.contains("cispo"));
    let detail = if is_capped { CAPPED } else { CLIPPED };
    let update = context.signal(Concept::KlToSampler);
    let shown: Vec<_> = std::iter::once(clipped).chain(update).collect();
    Outcome::Found(vec![finding.supported_by(detail, &shown, evidence, 0.75)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    const KEY: &str = "train/clip_ratio/region_mean";

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_lasting_share_is_found_where_it_begins() {
        let finding = flat(300).noisy(KEY, 0.01, |t| 0.004 + 0.12 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((148.0..=154.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert_eq!(Synthetic::healthy(300).noisy(KEY, 0.01, |_| 0.1).finding(&CHECK).severity, Severity::Note);
        assert_eq!(Synthetic::healthy(300).noisy(KEY, 0.02, |_| 0.4).finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn some_clipped_tokens_alone_are_a_note_where_the_task_was_learned_before() {
        let run = || {
            Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 0.05, |t| 1.4 + 0.7 * (1.0 - libm::exp(-20.0 * t)))
                .noisy(KEY, 0.002, |t| 0.004 + 0.057 * jump(t, 0.5))
        };
        assert_eq!(run().without("train/kl").finding(&CHECK).severity, Severity::Note);
        let many = run().noisy(KEY, 0.002, |t| 0.004 + 0.1 * jump(t, 0.5));
        assert_eq!(many.finding(&CHECK).severity, Severity::Warning, "nothing was gained since");
        let far = run().noisy("approx_kl", 0.002, |t| 0.005 + 0.03 * jump(t, 0.5));
        assert_eq!(far.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn clipping_that_is_over_is_a_note_with_its_end() {
        let run = flat(300).noisy(KEY, 0.01, |t| 0.004 + 0.37 * (jump(t, 0.2) - jump(t, 0.4)));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().contains("were clipped from step"), "{}", finding.title);
        let late = flat(300).noisy(KEY, 0.01, |t| 0.004 + 0.37 * (jump(t, 0.5) - jump(t, 0.9)));
        assert_eq!(late.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn usual_shares_and_sequence_losses_are_quiet() {
        assert!(flat(300).noisy(KEY, 0.002, |_| 0.004).quiet(&CHECK));
        assert!(flat(300).noisy(KEY, 0.0, |_| 0.0).quiet(&CHECK));
        assert!(flat(300).noisy(KEY, 0.02, |_| 0.15).config("epsilon", 3e-4).quiet(&CHECK));
        assert!(flat(300).noisy(KEY, 0.0, |t| if (0.3..0.33).contains(&t) { 0.3 } else { 0.001 }).quiet(&CHECK));
    }

    #[test]
    fn without_a_clip_fraction_it_is_skipped() {
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_tenth_of_the_actions_is_usual_in_games() {
        let run = |clipped: f64, gain: f64| {
            let mut run = Synthetic::new(300)
                .noisy("rollout/ep_rew_mean", 5.0, move |t| 500.0 + gain * t)
                .noisy("train/value_loss", 0.5, |_| 8.0)
                .noisy("train/clip_fraction", 0.01, move |_| clipped);
            run.run.config = rundown_run::Config::default();
            run
        };
        assert!(run(0.1, 400.0).quiet(&CHECK));
        let learning = run(0.45, 400.0).finding(&CHECK);
        assert!(learning.title.to_string().contains("of the actions"), "{}", learning.title);
        assert_eq!(learning.severity, Severity::Note);
        assert_eq!(run(0.45, -400.0).finding(&CHECK).severity, Severity::Warning);
        let of_language = run(0.45, 400.0).config("answers_per_prompt", 4.0).finding(&CHECK).title;
        assert!(!of_language.to_string().contains("of the actions"), "a language model by its settings");
    }
}

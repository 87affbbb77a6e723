//! The critic predicts worse than a constant.
//!
//! # What it checks
//! The explained variance of the critic, after the first tenth of the run: below 0 and lasting to the end, or for most
//! of the run. Beside it, the share of clipped value predictions above 30 %. A warning when the task does not improve,
//! a note when it does.
//!
//! # Why it matters
//! Advantages are returns less what the critic expected. A critic that is worse than the mean return adds noise to
//! every advantage, so that PPO learns slower than without one.
//!
//! # Evidence needed
//! Explained variance or value clip fraction, of PPO with a critic.
//!
//! # Threshold and where it comes from
//! Explained variance = 1 - Var(return - value) / Var(return): 0 is a constant. Healthy critics reach 0.5 to 0.8; a
//! public PPO run started at -0.65 and was at 0.6 within the first twentieth, so a bad start is left out.
//!
//! # Known false alarms
//! Returns that are all alike (a solved task) have no variance to explain.
//!
//! # What to do
//! Train the critic alone for 10 to 50 steps, raise its learning rate, or use GRPO, which needs none.
//!
//! # References
//! verl critic (vf_explained_var); Schulman, notes on explained variance.

use crate::diagnose::advice::{Advice, LARGER_BATCH, Words};
use crate::diagnose::bound::{Stretch, stretch};
use crate::diagnose::context::Context;
use crate::diagnose::settings::Knob;
use crate::diagnose::signal::Signal;
use crate::diagnose::text::{num, percent, step};
use crate::diagnose::{Check, Code, Evidence, Outcome, Severity};
use crate::stats;
use crate::vocabulary::{Concept, Direction};

/// The check.
pub const CHECK: Check = Check { code: Code::CriticFailure, run };

/// Share of the points in which a new critic may be wrong.
const NEW: f64 = 0.1;
/// Share of the points that is most of the run.
const MOST: f64 = 0.5;

const WORDS: Words = Words {
    causes: &[
        (Knob::LearningRate, "The policy may move faster than the critic can follow."),
        (Knob::Batch, "Small batches have noisy returns."),
    ],
    actions: &[
        Advice::Set {
            keys: &["trainer.critic_warmup"],
            words: "steps of training the critic alone",
            to: "20",
            texts: [
                "the critic knows the returns before the policy moves",
                "20 steps without progress",
                "explained variance above 0.3",
            ],
        },
        Advice::Set {
            keys: &["critic.optim.lr", "critic_learning_rate", "vf_lr"],
            words: "learning rate of the critic",
            to: "five times as much",
            texts: ["the critic follows the policy", "a noisier critic", "explained variance above 0.3"],
        },
        Advice::Set {
            keys: &["algorithm.lam", "lam", "gae_lambda"],
            words: "GAE lambda",
            to: "1.0",
            texts: ["returns no longer rest on the critic", "more variance", "explained variance above 0.3"],
        },
        Advice::Turn(&LARGER_BATCH, "explained variance above 0.3"),
    ],
    alternative: "The returns have almost no variance, so that nothing can be explained.",
    refute: "The spread of the returns is as large as at the start.",
    references: &["verl, critic/vf_explained_var"],
};

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let explained = context.signal(Concept::ExplainedVariance);
    let clipped = context.signal(Concept::ValueClipFraction);
    if explained.is_none() && clipped.is_none() {
        return Outcome::Skipped(context.need(&[Concept::ExplainedVariance]));
    }
    let below = explained.and_then(|signal| lasting(context, signal, Direction::Down, book.explained_variance().value));
    let beyond = clipped.and_then(|signal| lasting(context, signal, Direction::Up, book.value_clip().value));
    let level = |signal: &Signal<'_>, found: Option<Stretch>| {
        found.map_or(stats::median(&signal.values).unwrap_or(f64::NAN), |found| found.level)
    };
    let mut evidence = Vec::new();
    if let Some(signal) = explained {
        let value = level(signal, below);
        evidence.push(Evidence::new("explained variance", value, "").against(book.explained_variance().under()));
    }
    if let Some(signal) = clipped {
        let value = level(signal, beyond);
        evidence.push(Evidence::new("clipped value predictions", value, "").against(book.value_clip().over()));
    }
    let Some(found) = below.or(beyond) else { return Outcome::Quiet(evidence) };
    let title = match below {
        Some(below) => format!(
            "The critic is worse than a constant from step {} on: explained variance {}",
            step(below.from),
            num(below.level)
        ),
        None => {
            format!(
                "{} of the critic's predictions are clipped from step {} on",
                percent(found.level),
                step(found.from)
            )
        }
    };
    let severity = if context.suffers() { Severity::Warning } else { Severity::Note };
    let finding = context.finding(Code::CriticFailure, severity, title, Some(found.from), &WORDS);
    let detail = "Its predictions add noise to every advantage instead of taking some away.";
    let shown: Vec<&Signal<'_>> =
        explained.into_iter().chain(clipped).chain(context.signal(Concept::ValueLoss)).collect();
    Outcome::Found(vec![finding.shown(detail, &shown, evidence, 0.75)])
}

/// A stretch after the start that holds to the end, or is most of the run.
fn lasting(context: &Context<'_>, signal: &Signal<'_>, wrong: Direction, line: f64) -> Option<Stretch> {
    let new = (NEW * signal.len() as f64) as usize;
    stretch(signal, new, wrong, line).filter(|found| (found.holds || found.share >= MOST) && context.can_judge(signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::{Synthetic, jump, rise};

    const KEY: &str = "critic/explained_variance";

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_critic_that_fails_is_found() {
        let finding = flat(300).noisy(KEY, 0.1, |t| 0.6 - 1.1 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((148.0..=154.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let learning = Synthetic::healthy(300).noisy(KEY, 0.1, |_| -0.4);
        assert_eq!(learning.finding(&CHECK).severity, Severity::Note);
        let clipped = flat(300).noisy("value_clip_fraction", 0.02, |_| 0.5);
        assert!(clipped.finding(&CHECK).title.starts_with("50 %"));
    }

    #[test]
    fn a_bad_start_is_quiet() {
        assert!(flat(300).noisy(KEY, 0.05, |t| -0.6 + 1.3 * rise(4.0 * t)).quiet(&CHECK));
        assert!(matches!(flat(300).check(&CHECK), Outcome::Skipped(_)));
    }
}

//! The score rises while the reward after penalties falls: the penalties outgrow the gain.
//!
//! # What it checks
//! Two rewards are logged, before and after penalties (verl: `critic/score/mean` and `critic/rewards/mean`). The first
//! rose beyond its noise and the second fell from its peak beyond its noise, by a fifth at the least. It is critical where
//! three more signals moved with it: KL, entropy, length, invalid outputs, advantages, gradient norm.
//!
//! # Why it matters
//! The optimiser follows the reward after penalties. A score that rises beside it looks like success, while the policy
//! leaves the reference, gets shorter and surer, and its outputs lose their form: one collapse with several signs.
//!
//! # Evidence needed
//! Two metrics of the reward. KL, entropy, response length, the share of invalid outputs, advantages and gradient norm
//! say how far it has gone.
//!
//! # Threshold and where it comes from
//! A fifth of the peak: a KL penalty of usual weight costs less. Three signs: each of them alone has harmless causes.
//!
//! # Known false alarms
//! A weight of the penalty that is raised on purpose lowers the reward after it; the KL then falls as well.
//!
//! # What to do
//! Go back to a checkpoint before the onset; bound the KL; read outputs of the last steps.
//!
//! # References
//! The rl-training-diagnoser guide (Search-R1: score up, rewards and advantages down); verl ray_trainer.py
//! (apply_kl_penalty).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::measure::level::LevelChange;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::signal_change;
use crate::settings::Hyperparameter;
use crate::topics::drop_from_peak::drop_from_peak;
use crate::topics::kl_penalty::is_after_penalties;
use crate::{Change, Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich_text::{metric, number, percent};
use rundown_format::{RichText, rich};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::PenalisedRewardFalling, Concept::Reward, run);

/// Points of the start of a signal that grows.
const START_POINTS: usize = 3;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (
            Hyperparameter::KlCoefficient,
            "A weak KL term lets the policy leave the reference until the penalty is large.",
        ),
        (Hyperparameter::LearningRate, "Large updates leave the reference within few steps."),
    ],
    actions: &[
        Advice::GoBack,
        Advice::Change(&RAISE_KL_COEFFICIENT, "the reward after penalties rises with the score"),
        Advice::Change(&LOWER_LEARNING_RATE, "the KL grows no faster than the score"),
        Advice::Do([
            "Read outputs of the last steps beside those of the first",
            "shows whether the score is earned or gamed",
            "none",
            "the share of invalid outputs",
        ]),
    ],
    alternative: "The weight of a penalty was raised during the run, and the policy is as good as its score says.",
    refute: "The weight of a penalty was raised at that step, which is enough to explain the fall.",
    references: &["rl-training-diagnoser guide", "verl ray_trainer.py (apply_kl_penalty)"],
};

fn run(context: &Context<'_>, score: &MetricSeries<'_>) -> Outcome {
    let others = context.signals(Concept::Reward).iter().filter(|other| is_after_penalties(score.key(), other.key()));
    let others = others.filter(|other| context.has_enough_points(other));
    let falls = others.filter_map(|other| Some((other, drop_from_peak(other)?)));
    let Some((penalised, fall)) = falls.max_by(|a, b| a.1.z.total_cmp(&b.1.z)) else {
        return Outcome::Quiet(Vec::new());
    };
    let Some(gain) = signal_change(score) else { return Outcome::Quiet(Vec::new()) };
    let book = context.rulebook;
    let lost = fall.lost() / fall.peak.abs().max(f64::MIN_POSITIVE);
    let mut evidence = vec![
        Evidence::new("rise of the score", gain.z(), "SE").of(Change::Rise).above(book.learning_z()),
        Evidence::new("fall of the reward after penalties", fall.z, "SE").of(Change::Fall).above(book.learning_z()),
        Evidence::new("share of its peak that the reward after penalties lost", lost, "").above(book.penalised_fall()),
    ];
    // A score that falls as well is a regression, whatever the penalties are.
    let score_falls = drop_from_peak(score).is_some_and(|fall| fall.z >= book.learning_z().value);
    if score_falls {
        return Outcome::Quiet(evidence);
    }
    if evidence.iter().any(|evidence| evidence.is_met() != Some(true)) {
        return Outcome::Quiet(evidence);
    }
    let signs = signs(context);
    let joint = book.joint_signs();
    evidence.push(Evidence::new("signals that moved with it", signs.len() as f64, "").above(joint));
    evidence.extend(signs.iter().map(|sign| sign.evidence.clone()));
    let severity = if signs.len() as f64 > joint.value { Severity::Critical } else { Severity::Warning };
    let title = rich!(
        "{} rose from {} to {} while {} fell by {} from its peak",
        metric(score.key()),
        number(gain.first),
        number(gain.last),
        metric(penalised.key()),
        percent(lost)
    );
    let finding = context.finding(CHECK.code, severity, title, Some(fall.onset), &TEXTS);
    let shown: Vec<&MetricSeries<'_>> =
        [score, penalised].into_iter().chain(signs.iter().map(|sign| sign.signal)).collect();
    Outcome::Found(vec![finding.supported_by(detail(&signs), &shown, evidence, 0.85)])
}

/// A signal that moves in such a collapse.
struct Sign<'s, 'a> {
    signal: &'s MetricSeries<'a>,
    words: RichText,
    evidence: Evidence,
}

/// How a signal moves in such a collapse, by how much at the least, and what that is called.
enum Movement {
    /// To so many times its start.
    Grows(f64),
    /// By so large a part of its start.
    Shrinks(f64),
    /// By so much.
    Rises(f64),
}

/// The signals that moved beyond their noise and far enough.
fn signs<'s, 'a>(context: &'s Context<'a>) -> Vec<Sign<'s, 'a>> {
    let length = match context.signal(Concept::ResponseLength) {
        Some(_) => Concept::ResponseLength,
        None => Concept::GlobalSequenceLength,
    };
    let movements = [
        (Concept::KlToReference, Movement::Grows(10.0)),
        (Concept::Entropy, Movement::Shrinks(0.5)),
        (length, Movement::Shrinks(0.3)),
        (Concept::AdvantageMean, Movement::Shrinks(0.5)),
        (Concept::InvalidOutputs, Movement::Rises(context.rulebook.invalid_rise().value)),
        (Concept::GradientNorm, Movement::Grows(3.0)),
    ];
    movements.iter().filter_map(|(concept, movement)| sign(context, *concept, movement)).collect()
}

fn sign<'s, 'a>(context: &'s Context<'a>, concept: Concept, movement: &Movement) -> Option<Sign<'s, 'a>> {
    let change = |signal: &MetricSeries<'_>| signal_change(signal).filter(|change| is_sure(context, change));
    // Of several, such as the invalid outputs of each round, the one that moved most.
    let moved = context.signals(concept).iter().filter_map(|signal| Some((signal, change(signal)?)));
    let (signal, change) = moved.max_by(|a, b| a.1.delta().abs().total_cmp(&b.1.delta().abs()))?;
    let (name, size, is_far) = match movement {
        Movement::Grows(times) => {
            // What grows many times over has grown within the points of a level.
            let start = signal.start_level(START_POINTS);
            let grown = change.last / start.abs().max(f64::MIN_POSITIVE);
            ("times its start", grown, start >= 0.0 && grown >= *times)
        }
        Movement::Shrinks(part) => {
            let lost = -change.delta() / change.first.abs().max(f64::MIN_POSITIVE);
            ("lost of its start", lost, lost >= *part)
        }
        Movement::Rises(by) => ("rise", change.delta(), change.delta() >= *by),
    };
    let words = rich!("{} went from {} to {}", metric(signal.key()), number(change.first), number(change.last));
    let evidence = Evidence::new(rich!("{}, {}", concept.words(), name), size, "");
    is_far.then_some(Sign { signal, words, evidence })
}

fn is_sure(context: &Context<'_>, change: &LevelChange) -> bool {
    change.z().abs() >= context.rulebook.learning_z().value
}

fn detail(signs: &[Sign<'_, '_>]) -> RichText {
    let mut detail =
        rich!("The optimiser follows the reward after penalties, so the rise of the score is not a success.");
    if !signs.is_empty() {
        let moved = RichText::joined(signs.iter().map(|sign| sign.words.clone()), ", ", " and ");
        detail.append(rich!(" In the same run {}.", moved));
    }
    detail
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    fn verl(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).without("train/reward").without("eval/accuracy").noisy(
            "critic/score/mean",
            0.02,
            |t| 0.3 + 0.25 * saturating(t),
        )
    }

    #[test]
    fn a_penalty_that_outgrows_the_score_is_found() {
        let run = verl(200).noisy("critic/rewards/mean", 0.02, |t| 0.29 - 0.2 * saturating(t));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.title.to_string().contains("critic/rewards/mean fell by"), "{}", finding.title);
    }

    #[test]
    fn with_other_signs_it_is_a_collapse() {
        let run = verl(200)
            .noisy("critic/rewards/mean", 0.02, |t| 0.29 - 0.2 * saturating(t))
            .without("train/kl")
            .noisy("actor/kl_loss", 0.0002, |t| 0.001 + 0.1 * saturating(t))
            .without("train/entropy")
            .noisy("actor/entropy", 0.01, |t| 0.8 - 0.55 * saturating(t))
            .noisy("env/invalid_draft_ratio", 0.02, |t| 0.11 + 0.43 * saturating(t));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical, "{:?}", finding.evidence);
        assert!(finding.detail.to_string().contains("actor/entropy"), "{}", finding.detail);
    }

    #[test]
    fn rewards_that_rise_together_are_quiet() {
        let run = verl(200).noisy("critic/rewards/mean", 0.02, |t| 0.29 + 0.2 * saturating(t));
        assert!(run.quiet(&CHECK));
        assert!(Synthetic::healthy(200).quiet(&CHECK));
        let others = Synthetic::healthy(200).noisy("env/reward", 0.02, |t| 0.5 - 0.3 * saturating(t));
        assert!(others.quiet(&CHECK), "another reward is none after penalties");
    }
}

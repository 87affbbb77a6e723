//! The reward goes with the length of the responses.
//!
//! # What it checks
//! Longer responses score higher: across steps (rank correlation above 0.5) and from step to step (four standard errors),
//! while responses grew by a fifth and the evaluation did not get better. Or wrong answers became longer than right ones
//! by a fifth more than at the start.
//!
//! # Why it matters
//! A reward that pays for length is paid by padding. A loss that divides by length forgives long wrong answers, and
//! they grow.
//!
//! # Evidence needed
//! Reward and mean response length over 60 points; or the mean lengths of right and of wrong answers.
//!
//! # Threshold and where it comes from
//! 0.5: length exploits across steps. Two curves that rise always agree, so the changes from step to step have to agree
//! as well; they are noisier, and only their significance counts.
//!
//! # Known false alarms
//! Reasoning that grows because it helps: then the evaluation rises and this check is quiet; without an evaluation it is
//! a note. Hard prompts need longer responses, which makes the correlation negative and is not checked.
//!
//! # What to do
//! Take length out of the reward; a loss that does not divide by length; penalise what follows the answer.
//!
//! # References
//! arXiv 2503.20783 (Dr. GRPO, length bias); arXiv 2503.14476 (DAPO, token-level loss).

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::level;
use crate::measure::matched::matched;
use crate::measure::onset;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Fewest neighbours on each side that make the level around a point.
const LOCAL: usize = 8;

pub const CHECK: Check = Check::of_run(Code::LengthRewardCoupling, run);

fn run(context: &Context<'_>) -> Outcome {
    let lengths = context.signal(Concept::IncorrectLength).zip(context.signal(Concept::CorrectLength));
    let pair = context.signal(Concept::Reward).zip(context.signal(Concept::ResponseLength));
    if pair.is_none() && lengths.is_none() {
        return Outcome::Skipped(context.need(&[Concept::Reward, Concept::ResponseLength]));
    }
    let mut evidence = Vec::new();
    if let Some((wrong, right)) = lengths
        && let Some(gap) = LengthGap::of(wrong, right)
    {
        evidence.extend(gap.evidence(context));
        if gap.is_found(context) {
            return Outcome::Found(vec![of_gap(context, wrong, right, &gap, evidence)]);
        }
    }
    if let Some((reward, length)) = pair
        && let Some(coupling) = Coupling::of(reward, length)
    {
        evidence.extend(coupling.evidence(context));
        if coupling.is_found(context, length) {
            return Outcome::Found(vec![of_coupling(context, reward, length, &coupling, evidence)]);
        }
    }
    Outcome::Quiet(evidence)
}

/// Rank correlation of two series without trend, and its distance from 0 in standard errors, for as many points as
/// are independent of each other.
fn moves_with(x: &[f64], y: &[f64]) -> Option<(f64, f64)> {
    let together = stats::spearman(x, y)?;
    // Changes of independent values have a correlation of -0.5 with the next: what both share is counted once.
    let shared = stats::lag1(x).unwrap_or(0.0) * stats::lag1(y).unwrap_or(0.0);
    let effective = (x.len() as f64 * (1.0 - shared) / (1.0 + shared)).max(4.0);
    Some((together, libm::atanh(together.clamp(-0.999_999, 0.999_999)) * (effective - 3.0).sqrt()))
}

/// How reward and length change together from step to step.
struct Coupling {
    /// Rank correlation of the levels.
    rho: f64,
    /// That of the changes, and its distance from 0 in standard errors.
    changes: f64,
    z: f64,
    /// Length at the start and at the end.
    first: f64,
    last: f64,
    grows: f64,
    points: usize,
}

impl Coupling {
    fn of(reward: &MetricSeries<'_>, length: &MetricSeries<'_>) -> Option<Self> {
        let [_, rewards, lengths] = matched(reward, length);
        let rho = stats::spearman(&rewards, &lengths)?;
        // What lengths do over several steps hardly shows between two neighbours.
        let width = (rewards.len() / 20).max(LOCAL);
        let around = |values: &[f64]| stats::running_residuals(values, width);
        let by_change = moves_with(&stats::differences(&rewards), &stats::differences(&lengths))?;
        let by_level = moves_with(&around(&rewards), &around(&lengths))?;
        let (together, z) = if by_level.1 > by_change.1 { by_level } else { by_change };
        let head = 10.min(lengths.len() / 5).max(1);
        let change = level::change(&lengths, head, (lengths.len() / 5).max(1), 0.0)?;
        Some(Self {
            rho,
            changes: together,
            z,
            first: change.first,
            last: change.last,
            grows: change.z(),
            points: lengths.len(),
        })
    }

    fn growth(&self) -> f64 {
        level::ratio(self.last, self.first)
    }

    fn is_found(&self, context: &Context<'_>, length: &MetricSeries<'_>) -> bool {
        let book = context.rulebook;
        self.points as f64 >= book.conservative_points().value
            && self.rho >= book.coupling_rho().value
            && self.z >= book.coupling_z().value
            && self.growth() >= book.coupling_growth().value
            && self.grows >= book.learning_z().value
            && self.last - self.first > 2.0 * length.quantum()
            && !context.is_learned()
    }

    fn evidence(&self, context: &Context<'_>) -> [Evidence; 4] {
        let book = context.rulebook;
        [
            Evidence::new("rank correlation of reward and length", self.rho, "").above(book.coupling_rho()),
            Evidence::new("rank correlation of their changes within a twentieth of the run", self.changes, ""),
            Evidence::new("distance of the rank correlation from 0", self.z, "SE").above(book.coupling_z()),
            Evidence::new("growth of the length", self.growth(), "times").above(book.coupling_growth()),
        ]
    }
}

/// Lengths of wrong answers against those of right ones.
struct LengthGap {
    first: f64,
    last: f64,
    z: f64,
    onset: f64,
    points: usize,
}

impl LengthGap {
    fn of(wrong: &MetricSeries<'_>, right: &MetricSeries<'_>) -> Option<Self> {
        let [steps, wrong, right] = matched(wrong, right);
        let lengths = steps.iter().zip(wrong.iter().zip(right.iter()));
        // 0 where a batch has no answer of the kind.
        let known = lengths.filter(|(_, (wrong, right))| **wrong > 0.0 && **right > 0.0);
        let (steps, ratios): (Vec<f64>, Vec<f64>) = known.map(|(step, (wrong, right))| (*step, wrong / right)).unzip();
        let head = 10.min(ratios.len() / 5).max(1);
        let change = level::change(&ratios, head, (ratios.len() / 5).max(1), 0.0)?;
        let place = onset::of_change(&ratios, 0, change.first, change.last).min(ratios.len().saturating_sub(1));
        let onset = steps.get(place).copied().unwrap_or(f64::NAN);
        Some(Self { first: change.first, last: change.last, z: change.z(), onset, points: ratios.len() })
    }

    fn is_found(&self, context: &Context<'_>) -> bool {
        let book = context.rulebook;
        let growth = book.coupling_growth().value;
        self.points as f64 >= book.conservative_points().value
            && self.last >= growth
            && self.last >= growth * self.first
            && self.z >= book.learning_z().value
    }

    fn evidence(&self, context: &Context<'_>) -> [Evidence; 2] {
        let growth = context.rulebook.coupling_growth();
        [
            Evidence::new("length of wrong answers against right ones, at the start", self.first, "times"),
            Evidence::new("length of wrong answers against right ones, at the end", self.last, "times").above(growth),
        ]
    }
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::MaxResponse, "Limits how long responses can grow."),
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy pad its responses."),
    ],
    actions: &[
        Advice::Do([
            "Take length out of the reward, or pay for it only in right answers",
            "padding no longer raises the reward",
            "shorter reasoning",
            "rank correlation of reward and length below 0.3",
        ]),
        Advice::NoLengthBias("length of wrong answers against right ones"),
    ],
    alternative: "Longer reasoning is what solves the task; an evaluation will show it.",
    refute: "Answers cut at their earlier length score lower on held-out tasks.",
    references: &["arXiv 2503.20783 (Dr. GRPO, length bias)", "arXiv 2503.14476 (DAPO, token-level loss)"],
};

fn severity(context: &Context<'_>) -> Severity {
    match context.learning.state {
        LearningState::Flat | LearningState::Declined if context.learning.is_evaluated() => Severity::Warning,
        _ => Severity::Note,
    }
}

fn of_coupling(
    context: &Context<'_>,
    reward: &MetricSeries<'_>,
    length: &MetricSeries<'_>,
    coupling: &Coupling,
    evidence: Vec<Evidence>,
) -> Finding {
    let place = onset::of_change(&length.values, 0, length.start_level(10), length.level(Fifth::Last));
    let onset = length.step(place.min(length.len() - 1));
    let title = rich!(
        "Longer responses score higher (rank correlation {}), and they grew from {} to {} tokens",
        number(coupling.rho),
        number(coupling.first.round()),
        number(coupling.last.round())
    );
    let finding = context.finding(Code::LengthRewardCoupling, severity(context), title, Some(onset), &TEXTS);
    let detail = "The reward pays for length, and no evaluation shows that the task gains by it.";
    finding.supported_by(detail, &[Some(length), Some(reward), context.evaluation()], evidence, 0.7)
}

fn of_gap(
    context: &Context<'_>,
    wrong: &MetricSeries<'_>,
    right: &MetricSeries<'_>,
    gap: &LengthGap,
    evidence: Vec<Evidence>,
) -> Finding {
    let title = rich!(
        "Wrong answers went from {} to {} times the length of right ones, beginning at step {}",
        number(gap.first),
        number(gap.last),
        step(gap.onset)
    );
    let finding = context.finding(Code::LengthRewardCoupling, severity(context), title, Some(gap.onset), &TEXTS);
    let detail = "A loss that divides by length forgives long wrong answers, and they grow.";
    finding.supported_by(detail, &[Some(wrong), Some(right)], evidence, 0.75)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};
    use rundown_run::Run;
    use rundown_stats::testing::white;

    /// Lengths that grow with noise, and a reward that follows them by `weight`.
    fn paid(weight: f64, evaluation: f64) -> Run {
        let mut run = Synthetic::healthy(300).without("train/reward").without("train/completions/mean_length");
        run = run.every("eval/accuracy", 10, |t| 0.3 + evaluation * t);
        let mut run = run.build();
        for (row, (noise, other)) in white(1, 300).iter().zip(white(2, 300)).enumerate() {
            let length = 100.0 + 0.4 * row as f64 + 5.0 * noise;
            run.push_value("train/completions/mean_length", row as u32, length);
            run.push_value("train/reward", row as u32, weight * length + other);
        }
        run
    }

    fn check(run: &Run) -> Outcome {
        within(run, |context| CHECK.outcome(context))
    }

    #[test]
    fn a_reward_that_pays_for_length_is_found() {
        assert!(matches!(check(&paid(0.5, 0.0)), Outcome::Found(found) if found[0].severity == Severity::Warning));
    }

    #[test]
    fn two_rising_curves_and_reasoning_that_helps_are_quiet() {
        assert!(matches!(check(&paid(0.02, 0.0)), Outcome::Quiet(_)));
        assert!(matches!(check(&paid(0.5, 0.5)), Outcome::Quiet(_)));
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(matches!(Synthetic::new(300).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn wrong_answers_that_grow_are_found() {
        let run = Synthetic::healthy(300).noisy("response_length/correct", 3.0, |_| 100.0).noisy(
            "response_length/incorrect",
            3.0,
            |t| 105.0 + 100.0 * (t - 0.5).max(0.0),
        );
        let finding = run.finding(&CHECK);
        assert!(finding.title.to_string().contains("Wrong answers"), "{}", finding.title);
        assert!((140.0..=165.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn batches_without_right_answers_have_no_length_of_them() {
        let run = Synthetic::healthy(300).noisy("response_length/incorrect", 3.0, |_| 900.0).noisy(
            "response_length/correct",
            0.0,
            |t| if t > 0.8 && (t * 300.0).round() % 4.0 > 0.0 { 0.0 } else { 800.0 },
        );
        assert!(run.quiet(&CHECK));
    }
}

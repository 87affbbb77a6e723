//! Nothing was learned.
//!
//! # What it checks
//! The primary metric ended where it began, and was measured well enough to rule out a gain that matters. A measure
//! that got worse is `regression_from_peak`. A note in the first half of a run that still goes on, and where the metric was at its
//! ceiling from the first step on.
//!
//! # Why it matters
//! It is the one thing that a training run is for. Other findings say why: a policy that does not move,
//! zero-variance groups, a reward that is gamed.
//!
//! # Evidence needed
//! Ten evaluations, or 60 points of the reward; 30 where they are all the same and not 0.
//!
//! # Threshold and where it comes from
//! Eight points of a share, or one standard deviation of a step of a reward, are ruled out with 95 %. Below that a run
//! is not called flat but undecided.
//!
//! # Known false alarms
//! A sparse reward before its lift-off is flat and may still rise: see `delayed_lift_off`.
//!
//! # What to do
//! Follow the finding that explains it. Without one: check with a few prompts that right answers score higher than wrong
//! ones, then raise the learning rate.
//!
//! # References
//! arXiv 2402.03300 (GRPO).

use crate::advice::{Advice, FindingTexts, MORE_RESPONSES, RAISE_LEARNING_RATE};
use crate::context::Context;
use crate::learning::gain_is_ruled_out;
use crate::measure::Z_95;
use crate::measure::series::{Fifth, MetricSeries};
use crate::measure::start_to_end::signal_change;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich_text::number;
use rundown_format::{RichText, rich};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::NoLearning, run);

fn run(context: &Context<'_>) -> Outcome {
    let learning = &context.learning;
    if learning.measure.is_none() {
        return Outcome::Skipped(context.need(&[Concept::Evaluation, Concept::Reward]));
    }
    let is_solved = context.starts_solved();
    if is_solved && context.is_long_enough() {
        return Outcome::Found(vec![solved(context)]);
    }
    // As for the verdict: a measure that is known to be flat needs no more points than follow the warm-up.
    let is_warm = context.points_after_warmup() as f64 >= context.rulebook.points_after_warmup().value;
    if learning.state == LearningState::Flat && learning.room && is_warm && !is_solved {
        return Outcome::Found(vec![finding(context)]);
    }
    Outcome::Quiet(evidence(context))
}

/// The largest gain that is possible within the error of the two levels, and whether a larger one may be called ruled out: not where
/// the noise could hide one that matters. The line through all points is not used: it may allow less than the levels show.
fn possible_gain(context: &Context<'_>) -> Option<(f64, bool)> {
    let signal = context.measure()?;
    let change = signal_change(signal)?;
    let gain = (signal.binding.direction.sign() * change.delta() + Z_95 * change.error).max(0.0);
    // A score has no more to gain than what it lacks to 1.
    let is_score = signal.is_score();
    let size = if is_score { change.first.min(1.0 - change.first) } else { change.first };
    let is_large = size > 0.0 && gain >= LARGE_PART * size;
    // Where the reward decided, the evaluation itself may not rule out anything.
    Some((gain, !is_large && gain_is_ruled_out(context, signal, &change)))
}

fn evidence(context: &Context<'_>) -> Vec<Evidence> {
    let learning = &context.learning;
    vec![
        Evidence::new("primary metric at the start", learning.first, ""),
        Evidence::new("primary metric at the end", learning.last, ""),
        Evidence::new("p of so large a change by noise", learning.p, ""),
        Evidence::new("points of the primary metric", learning.points as f64, ""),
    ]
}

/// Part of its start, or of what a score lacks to 1, that nobody would call a gain that does not matter. Ours.
const LARGE_PART: f64 = 0.2;
const WATCH_GROUPS: &str = "share of groups with both right and wrong answers";
const SCORE_BY_HAND: Advice = Advice::OfLanguage([
    "Score a right and a wrong answer by hand with the reward function",
    "shows whether the reward pays for what is right",
    "none",
    "two different rewards",
]);

const COMPARE_POLICIES: Advice = Advice::OfEnvironment([
    "Compare the rewards of a random policy and of a scripted or human one",
    "shows whether the reward pays for the task, and how seldom chance earns it",
    "none",
    "two different rewards",
]);
const LARGER_GROUPS: Advice = Advice::Change(&MORE_RESPONSES, WATCH_GROUPS);
const FEW_RESPONSES: (Hyperparameter, &str) =
    (Hyperparameter::Generations, "Few responses per prompt seldom hold both right and wrong answers.");

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Sets how far one update moves the policy."),
        (Hyperparameter::KlCoefficient, "Pulls the policy back to the reference."),
        FEW_RESPONSES,
    ],
    actions: &[
        SCORE_BY_HAND,
        COMPARE_POLICIES,
        Advice::Change(&RAISE_LEARNING_RATE, "the primary metric above its start within 100 steps"),
        LARGER_GROUPS,
    ],
    alternative: "The task is out of reach for this model, or what is measured is not what is trained.",
    refute: "The last checkpoint solves more held-out tasks than the first.",
    references: &["arXiv 2402.03300 (GRPO)"],
};

/// Where no reward differs there is no gradient: neither the size of the updates nor the KL term holds the policy.
const NO_GRADIENT: FindingTexts =
    FindingTexts { causes: &[FEW_RESPONSES], actions: &[SCORE_BY_HAND, COMPARE_POLICIES, LARGER_GROUPS], ..TEXTS };

/// For a policy that moves: larger updates would take it further the wrong way.
const MOVED: &[Advice] = &[SCORE_BY_HAND, LARGER_GROUPS];

/// True when the policy has left the reference, its training reward rose at some time, or the task seems to get worse.
fn has_moved(context: &Context<'_>) -> bool {
    // A signed estimate may be as far below 0.
    let far = |kl: MetricSeries<'_>| kl.level(Fifth::Last).abs() > context.rulebook.conservative_kl().value;
    let kl = || context.kl_per_token().or_else(|| context.least_kl_per_token().map(|(kl, _)| kl));
    context.hinted_change() < 0.0 || kl().is_some_and(far) || context.reward_ever_rose()
}

/// True where most groups of the run have zero variance: without a gradient no learning rate moves the policy.
fn has_no_gradient(context: &Context<'_>) -> bool {
    context.zero_variance_share().is_some_and(|share| share >= context.rulebook.zero_variance_lost().value)
}

fn finding(context: &Context<'_>) -> Finding {
    let learning = &context.learning;
    let key = context.measure_key();
    let is_constant = context.measure().is_some_and(MetricSeries::is_constant);
    let title = if is_constant {
        rich!("{} is {} in all {} points", key, number(learning.last), learning.points)
    } else {
        let sign = learning.measure.as_ref().map_or(1.0, |measure| measure.direction.sign());
        let is_higher = sign * (learning.last - learning.first) > 0.0;
        let result = if is_higher { "gained nothing beyond its noise" } else { "did not get better" };
        rich!("{} {}: {} at the start, {} at the end", key, result, number(learning.first), number(learning.last))
    };
    let severity = if context.is_mostly_done() { Severity::Warning } else { Severity::Note };
    let texts = if is_constant || has_no_gradient(context) { &NO_GRADIENT } else { &TEXTS };
    let mut finding = context.finding(Code::NoLearning, severity, title, None, texts);
    if has_moved(context) {
        finding.actions = context.actions(MOVED, None);
    }
    let detail = match possible_gain(context) {
        // An evaluation is not what is trained on.
        _ if is_constant && learning.is_evaluated() => "No update has changed it.".into(),
        _ if is_constant => "It is the same whatever the policy answers: nothing can be learned from it.".into(),
        Some((gain, false)) => rich!("No gain is established; the noise could hide one of up to {}.", number(gain)),
        Some((gain, true)) => {
            rich!("The data rule out a gain of more than {}: more steps of the same will not help.", number(gain))
        }
        None => RichText::default(),
    };
    supported(context, finding, detail)
}

/// The finding with its detail, and what shows it.
fn supported(context: &Context<'_>, finding: Finding, detail: RichText) -> Finding {
    let shown = [context.measure(), context.signal(Concept::Reward), context.signal(Concept::ZeroVarianceGroups)];
    let confidence = if context.learning.is_evaluated() { 0.9 } else { 0.75 };
    finding.supported_by(detail, &shown, evidence(context), confidence)
}

const SOLVED: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::OfLanguage([
            "Train on prompts that the initial model solves in 20 to 80 % of its tries",
            "groups with both right and wrong answers, which alone have a gradient",
            "fewer prompts",
            WATCH_GROUPS,
        ]),
        Advice::OfEnvironment([
            "Train on a harder task, or start from an untrained policy",
            "leaves something to learn",
            "more steps",
            "a return that rises",
        ]),
    ],
    alternative: "The reward pays for every answer, and the task is not solved.",
    refute: "A held-out task of the same kind that the last checkpoint solves and the initial weights do not.",
    references: &["arXiv 2503.14476 (DAPO: prompts that are always solved give no gradient)"],
};

/// The note on a metric that had no room for a gain.
fn solved(context: &Context<'_>) -> Finding {
    let learning = &context.learning;
    let title = rich!(
        "{} is at its ceiling from the first step on: {} at the start, {} at the end",
        context.measure_key(),
        number(learning.first),
        number(learning.last)
    );
    let finding = context.finding(Code::NoLearning, Severity::Note, title, None, &SOLVED);
    supported(
        context,
        finding,
        "The metric had no room to rise: this run does not show whether its settings work.".into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, within};

    #[test]
    fn a_gain_that_the_noise_could_hide_is_not_ruled_out() {
        let run = |level: f64, noise: f64| {
            let noisy = move |t: f64| level + 3.0 * noise * libm::sin(7919.0 * t);
            Synthetic::new(100).every("train/reward", 1, noisy).finding(&CHECK).detail.to_string()
        };
        assert!(run(0.3, 0.25).contains("could hide"), "{}", run(0.3, 0.25));
        assert!(run(3.0, 0.25).contains("rule out"), "{}", run(3.0, 0.25));
        assert!(run(1.5, 0.2).contains("could hide"), "a fifth of the start: {}", run(1.5, 0.2));
        assert!(run(0.85, 0.05).contains("could hide"), "half of what it lacks to 1: {}", run(0.85, 0.05));
        // The reward stands still, and 20 evaluations alone do not tell.
        let of_both = Synthetic::new(100).every("train/reward", 1, |t| 3.0 + 0.75 * libm::sin(7919.0 * t)).every(
            "eval/accuracy",
            5,
            |t| 0.5 + 0.12 * libm::sin(47.0 * t),
        );
        let detail = of_both.finding(&CHECK).detail.to_string();
        assert!(detail.contains("could hide"), "{detail}");
    }

    #[test]
    fn the_possible_gain_is_one_of_the_levels_that_are_shown() {
        // The line through all points falls, and allows less than the levels do.
        let run = Synthetic::new(100).every("train/reward", 1, |t| {
            let early = if (0.1..0.4).contains(&t) { 3.5 } else { 3.0 };
            early + 0.75 * libm::sin(7919.0 * t)
        });
        within(&run.build(), |context| {
            let change = signal_change(context.measure().unwrap()).unwrap();
            assert!(possible_gain(context).unwrap().0 > change.delta() + 1.9 * change.error);
        });
    }

    #[test]
    fn a_flat_measure_is_found_over_the_whole_run() {
        let flat = Synthetic::healthy(300).without("eval/accuracy").noisy("train/reward", 0.1, |_| 0.5);
        let finding = flat.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, None));
    }

    #[test]
    fn a_ceiling_from_the_start_is_a_note_and_learning_and_too_little_data_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let solved = Synthetic::healthy(300).without("eval/accuracy").noisy("train/reward", 0.0, |_| 0.99);
        assert_eq!(solved.finding(&CHECK).severity, Severity::Note);
        let warming = Synthetic::healthy(60).without("eval/accuracy").noisy("train/reward", 0.1, |_| 0.5).every(
            "train/learning_rate",
            1,
            |t| 1e-5 * t,
        );
        assert!(warming.quiet(&CHECK));
        assert!(matches!(Synthetic::new(100).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_run_that_had_nothing_to_learn_is_undecided() {
        let run = |first: f64, until: f64| {
            let run = Synthetic::healthy(300).without("eval/accuracy");
            let run = run.noisy("train/reward", 0.005, move |t| if t < until { first } else { 0.97 }).build();
            crate::diagnose(&run, &crate::Rulebook::default())
        };
        let solved = run(0.97, 1.0);
        assert_eq!(solved.verdict, crate::Verdict::Undecided, "{:?}", solved.findings);
        let headline = solved.headline.to_string();
        assert!(headline.starts_with("Nothing was left to learn: train/reward is 0.9"), "{headline}");
        assert_eq!(run(0.4, 0.2).verdict, crate::Verdict::Good);
        assert_eq!(run(0.75, 0.01).verdict, crate::Verdict::Good, "it was learned within three steps");
    }

    #[test]
    fn a_reward_that_never_changes_teaches_nothing() {
        let constant =
            |level: f64| Synthetic::healthy(50).without("eval/accuracy").noisy("train/reward", 0.0, move |_| level);
        let finding = constant(32.5).finding(&CHECK);
        assert!(finding.title.to_string().contains("is 32.5 in all 50 points"), "{}", finding.title);
        assert!(constant(0.0).quiet(&CHECK), "it may still be found");
        let mut zero = Synthetic::new(50).noisy("train/reward", 0.0, |_| 0.0);
        zero.run.config = rundown_run::Config::default();
        let headline = crate::diagnose(&zero.build(), &crate::Rulebook::default()).headline.to_string();
        assert_eq!(headline, "train/reward is 0 in all 50 points");
        assert_eq!(constant(1.0).finding(&CHECK).severity, Severity::Note, "nothing is left to learn");
        let evaluated = Synthetic::new(300).noisy("train/reward", 0.1, |_| 0.5).every("eval/accuracy", 10, |_| 0.25);
        assert_eq!(evaluated.finding(&CHECK).detail.to_string(), "No update has changed it.");
    }

    #[test]
    fn what_the_verdict_calls_no_learning_is_a_finding() {
        let zeros = |points| Synthetic::new(points).every("eval/accuracy", 1, |_| 0.0);
        let diagnosis = crate::diagnose(&zeros(22).build(), &crate::Rulebook::default());
        assert_eq!(diagnosis.verdict, crate::Verdict::Bad, "{}", diagnosis.headline);
        assert_eq!(zeros(22).finding(&CHECK).severity, Severity::Warning);
        assert!(zeros(15).quiet(&CHECK), "too little data");
    }

    #[test]
    fn a_policy_that_moves_gets_no_advice_to_move_faster() {
        let run = |kl: f64| {
            Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 0.1, |_| 0.5)
                .noisy("train/kl", 0.001, move |t| kl * t)
                .config("learning_rate", 1e-6)
                .finding(&CHECK)
        };
        let faster = |finding: &Finding| finding.actions.iter().any(|action| change(action).0 == "learning_rate");
        assert!(faster(&run(0.002)) && !faster(&run(0.4)));
        assert!(!faster(&run(-0.4)), "a signed estimate");
        let alike = |share: f64| {
            let run = Synthetic::healthy(300).without("eval/accuracy").without("train/kl");
            let run = run.noisy("train/reward", 0.1, |_| 0.5).config("learning_rate", 1e-6);
            run.noisy("train/frac_reward_zero_std", 0.01, move |_| share).finding(&CHECK)
        };
        assert!(faster(&alike(0.2)) && !faster(&alike(0.97)), "nothing to learn from, however large the steps");
        let blames_rate = |finding: &Finding| finding.causes.iter().any(|cause| cause.config == "learning_rate");
        assert!(blames_rate(&alike(0.2)) && !blames_rate(&alike(0.97)));
        let scores = [0.2, 0.08, 0.16, 0.12, 0.08, 0.12, 0.08, 0.04, 0.04, 0.04];
        let falling = Synthetic::new(300)
            .every("eval/accuracy", 30, move |t| scores.get((t * 10.0).round() as usize).copied().unwrap_or(0.04))
            .noisy("train/reward", 0.3, |_| 0.5)
            .config("learning_rate", 1e-6);
        assert!(!faster(&falling.finding(&CHECK)), "it gets worse");
    }
}

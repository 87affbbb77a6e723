//! Groups whose rewards are all equal: no advantage, no gradient.
//!
//! # What it checks
//! The share of groups without any spread of reward, over the last fifth and over the whole run. Critical when no group
//! in the median step of the run has any and the task was not learned; a warning from 80 % over the last fifth; a note
//! when the task was learned and the groups are alike because they are right.
//!
//! # Why it matters
//! GRPO learns from differences within a group. A group of equal rewards costs its generation and teaches nothing.
//!
//! # Evidence needed
//! The share of zero-variance groups (TRL 0.18 and later). Without it, a reward that is only ever right or wrong and
//! the number of responses per prompt give a lower bound, `p^G + (1-p)^G`; or steps in which every group is alike can
//! be told from the largest advantage (verl) or the spread of the reward (older TRL).
//!
//! # Threshold and where it comes from
//! 80 %: Axolotl's guide on training stability. 70 %, which other monitors use, where only the lower bound is known.
//! Measured: a FinQA run wasted 58 % of its steps.
//!
//! # Known false alarms
//! Success: when nearly every answer is right, groups must be alike. That is a note, with the advice to stop or to
//! take harder prompts. Batches of very few groups reach 100 % by chance.
//!
//! # What to do
//! Too easy: filter prompts that are always solved. Too hard: easier prompts, partial credit, check the parser. In
//! both cases more responses per prompt.
//!
//! # References
//! arXiv 2503.14476 (DAPO, dynamic sampling); Axolotl docs/training_stability.qmd.

use crate::advice::{Advice, FindingTexts, MORE_RESPONSES};
use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::zero_variance::Basis;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity, Threshold};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// The check.
pub const CHECK: Check = Check { code: Code::ZeroVarianceGroups, run };

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::Generations, "Few responses per prompt are more often all alike."),
        (Hyperparameter::Temperature, "Little randomness makes responses alike."),
    ],
    // By the cause, like the alternative; and how many responses would refute it depends on how many were taken.
    actions: &[],
    alternative: "The reward function ignores the answer.",
    refute: "",
    references: &["arXiv 2503.14476 (DAPO, dynamic sampling)", "Axolotl docs/training_stability.qmd"],
};

const WATCH: &str = "share of zero-variance groups below 0.5";
const FILTER: Advice = Advice::Do([
    "Drop groups without variance and sample others",
    "every group teaches",
    "more generation per step",
    WATCH,
]);
const HARDER: Advice =
    Advice::Do(["Drop prompts that are solved nine times in ten", "the rest still teaches", "fewer prompts", WATCH]);
const EASIER: Advice = Advice::Do([
    "Add easier prompts or partial credit",
    "some answers of a group score higher",
    "another distribution",
    WATCH,
]);
const VERIFIER: Advice = Advice::Do([
    "Score a right and a wrong answer by hand with the reward function",
    "shows whether the reward can tell them apart",
    "none",
    "two different rewards",
]);
const LARGER: Advice = Advice::Change(&MORE_RESPONSES, WATCH);

fn run(context: &Context<'_>) -> Outcome {
    let Some((share, basis)) = context.zero_variance() else {
        return Outcome::Skipped(context.need(&[Concept::ZeroStdGroups]));
    };
    let what = match basis {
        Basis::Logged => "groups without variance",
        Basis::WholeSteps => "steps in which all groups are alike",
        Basis::Estimated => "groups without variance (at least, by the mean of a binary reward)",
    };
    let book = context.rulebook;
    let line = line(context, *basis);
    let last = share.level(Fifth::Last);
    let median = stats::median(&share.values).unwrap_or(0.0);
    let evidence = vec![
        Evidence::new(rich!("share of {}, last fifth", what), last, "").above(line),
        Evidence::new(rich!("share of {}, median step", what), median, "").above(book.zero_variance_critical()),
    ];
    let throughout = median >= book.zero_variance_critical().value && context.learning.state != LearningState::Improved;
    let period = match (last < line.value, throughout) {
        (false, _) => Period::LastFifth,
        (true, true) => Period::Run,
        (true, false) => return Outcome::Quiet(evidence),
    };
    if (share.len() as f64) < book.points_needed().value {
        return Outcome::Quiet(evidence);
    }
    let severity = match context.learning.state {
        LearningState::Improved => Severity::Note,
        // Prompts that were too easy from the start taught nothing; those that became so were learned.
        _ if !context.learning.room && stats::median(share.fifth(Fifth::First)) >= Some(line.value) => {
            Severity::Warning
        }
        _ if !context.learning.room => Severity::Note,
        _ if median >= book.zero_variance_critical().value => Severity::Critical,
        _ => Severity::Warning,
    };
    let mut finding = finding(context, (share, *basis), period, severity, evidence);
    finding.confidence = if *basis == Basis::Logged { 0.95 } else { 0.75 };
    Outcome::Found(vec![finding])
}

/// A lower bound needs to show less.
fn line<'r>(context: &Context<'r>, basis: Basis) -> &'r Threshold {
    match basis {
        Basis::Estimated => context.rulebook.zero_variance_estimated(),
        Basis::Logged | Basis::WholeSteps => context.rulebook.zero_variance_warning(),
    }
}

/// Over which steps the groups are alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Period {
    /// In the last fifth, whatever came before.
    LastFifth,
    /// In most steps of the run, though not so many of the last fifth.
    Run,
}

/// Why groups are alike: the two have opposite cures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlikeCause {
    TooEasy,
    TooHard,
    Constant,
    Unclear,
}

fn cause(context: &Context<'_>) -> AlikeCause {
    let Some(reward) = context.signal(Concept::Reward) else { return AlikeCause::Unclear };
    if reward.is_constant() {
        return AlikeCause::Constant;
    }
    // A score has its own ends; another reward at least those that were seen.
    let scored = reward.min() >= 0.0 && reward.max() <= 1.0;
    let (low, high) = if scored { (0.0, 1.0) } else { (reward.min(), reward.max()) };
    let place = (reward.level(Fifth::Last) - low) / (high - low);
    // Above 70 % of the range the answers are alike because they are right, below 30 % because they are wrong.
    match place {
        place if place > 0.7 => AlikeCause::TooEasy,
        place if place < 0.3 => AlikeCause::TooHard,
        _ => AlikeCause::Unclear,
    }
}

fn finding(
    context: &Context<'_>,
    (share, basis): (&MetricSeries<'_>, Basis),
    period: Period,
    severity: Severity,
    evidence: Vec<Evidence>,
) -> Finding {
    let cause = cause(context);
    let level = match period {
        Period::LastFifth => share.level(Fifth::Last),
        Period::Run => stats::mean(&share.values).unwrap_or(f64::NAN),
    };
    let onset = match period {
        Period::LastFifth => onset(share, line(context, basis).value),
        Period::Run => share.step(0),
    };
    let why = match cause {
        AlikeCause::TooEasy => "the answers score alike near the top of the reward",
        AlikeCause::TooHard => "the answers score alike near the bottom of the reward",
        AlikeCause::Constant => "the reward is constant",
        AlikeCause::Unclear => "the answers of a group score alike",
    };
    let least = if basis == Basis::Estimated { "At least " } else { "" };
    let title = match (basis, period) {
        (Basis::WholeSteps, Period::Run) => {
            rich!("In {} of the steps of the run no group has any variance: {}", percent(level), why)
        }
        (_, Period::Run) => rich!("{}{} of the groups of the run have no variance: {}", least, percent(level), why),
        (_, Period::LastFifth) => {
            rich!("{}{} of the groups have no variance from step {} on: {}", least, percent(level), step(onset), why)
        }
    };
    let mut finding = Finding::new(Code::ZeroVarianceGroups, severity, title);
    finding.detail = match severity {
        Severity::Note => "The task is learned and the groups agree because they are right. Further steps on these prompts teach little.".into(),
        _ => rich!("A group of equal rewards has no advantage and no gradient: {} of the generation is wasted.", percent(level)),
    };
    finding.metrics.push(share.key().to_owned());
    finding.metrics.extend(context.signal(Concept::Reward).map(|signal| signal.key().to_owned()));
    finding.onset = Some(onset);
    finding.end = Some(share.last_step());
    finding.evidence = evidence;
    if let Some(norm) = context.signal(Concept::GradientNorm) {
        let dead = norm.values.iter().filter(|value| **value < 1e-6).count() as f64 / norm.len().max(1) as f64;
        finding.evidence.push(Evidence::new("share of steps without any gradient", dead, ""));
    }
    if let Some(reward) = context.signal(Concept::Reward) {
        finding.evidence.push(Evidence::new("reward of the last fifth", reward.level(Fifth::Last), ""));
    }
    finding.metrics.dedup();
    finding.trend = finding.metrics.iter().filter_map(|key| context.signal_of(key)).map(MetricSeries::trend).collect();
    TEXTS.fill(context, &mut finding);
    finding.actions = context.actions(advice(cause), finding.onset);
    match cause {
        AlikeCause::TooEasy => {
            finding.alternative =
                "The reward saturates below a perfect answer: groups agree on a shortcut, not on the solution.".into();
        }
        AlikeCause::TooHard => {
            finding.alternative = "The parser rejects right answers, so that all score alike.".into();
        }
        AlikeCause::Constant | AlikeCause::Unclear => {}
    }
    finding.refute = rich!(
        "Scores of {} responses to one prompt, sampled from the last checkpoint, differ from each other.",
        context
            .setting(Hyperparameter::Generations)
            .map_or_else(|| number(16.0), |setting| number(2.0 * setting.value))
    );
    finding
}

fn advice(cause: AlikeCause) -> &'static [Advice] {
    match cause {
        AlikeCause::TooEasy => &[HARDER, FILTER, LARGER],
        AlikeCause::TooHard => &[VERIFIER, EASIER, LARGER],
        AlikeCause::Constant => &[VERIFIER],
        AlikeCause::Unclear => &[FILTER, LARGER, VERIFIER],
    }
}

/// First step from which the smoothed share stays up.
fn onset(share: &MetricSeries<'_>, threshold: f64) -> f64 {
    let smooth = share.smoothed((share.len() / 40).max(2));
    let below = smooth.iter().rposition(|value| *value < threshold);
    share.step(below.map_or(0, |index| (index + 1).min(share.len() - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    #[test]
    fn a_constant_reward_is_critical() {
        let run = Synthetic::healthy(300)
            .noisy("train/reward", 0.0, |_| 1.0)
            .every("eval/accuracy", 10, |_| 0.484)
            .noisy("train/frac_reward_zero_std", 0.0, |_| 1.0);
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert_eq!(finding.onset, Some(1.0));
        assert!(finding.title.to_string().contains("constant"), "{}", finding.title);
    }

    #[test]
    fn a_share_that_rises_without_learning_is_a_warning() {
        let run = Synthetic::healthy(300).every("eval/accuracy", 10, |_| 0.484).noisy(
            "train/frac_reward_zero_std",
            0.01,
            |t| 0.2 + 0.7 * jump(t, 0.6),
        );
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((170.0..=195.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn success_is_a_note_and_a_usual_share_is_quiet() {
        let solved = Synthetic::healthy(300).noisy("train/frac_reward_zero_std", 0.01, |t| 0.97 * t.min(0.5) * 2.0);
        assert_eq!(solved.finding(&CHECK).severity, Severity::Note);
        assert!(Synthetic::healthy(300).quiet(&CHECK));
    }

    #[test]
    fn without_the_share_the_largest_advantage_tells() {
        let base = || Synthetic::healthy(300).without("train/frac_reward_zero_std").every("eval/accuracy", 10, |_| 0.3);
        let dead = base().noisy("critic/advantages/max", 0.0, |t| if t > 0.2 { 0.0 } else { 1.5 });
        assert_eq!(dead.finding(&CHECK).confidence, 0.75);
        assert!(base().noisy("critic/advantages/max", 0.1, |_| 1.5).quiet(&CHECK));
        assert!(matches!(base().check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn most_steps_of_the_run_count_though_fewer_of_the_last_fifth() {
        let run = |alike: usize| {
            Synthetic::healthy(300).without("train/frac_reward_zero_std").every("eval/accuracy", 10, |_| 0.3).noisy(
                "train/reward_std",
                0.0,
                move |t| if (t * 300.0) as usize % 12 < alike { 0.0 } else { 0.3 },
            )
        };
        let finding = run(7).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Critical, Some(1.0)));
        assert!(finding.title.to_string().contains("of the steps of the run"), "{}", finding.title);
        assert!(run(5).quiet(&CHECK));
    }

    #[test]
    fn a_critic_needs_no_groups() {
        let run = || Synthetic::new(300).noisy("train/reward", 0.1, |_| 0.5).noisy("train/reward_std", 0.0, |_| 0.0);
        assert!(matches!(run().check(&CHECK), Outcome::Found(_)));
        let critic = run().noisy("train/value_loss", 0.01, |_| 0.2);
        assert!(matches!(critic.check(&CHECK), Outcome::Skipped(_)));
        assert!(matches!(run().config("num_generations", 1.0).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn prompts_that_were_too_easy_from_the_start_are_a_warning() {
        let run = |share: fn(f64) -> f64| {
            Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 0.005, |_| 0.97)
                .noisy("train/frac_reward_zero_std", 0.01, share)
                .finding(&CHECK)
                .severity
        };
        assert_eq!(run(|_| 0.88), Severity::Warning);
        assert_eq!(run(|t| 0.5 + 0.45 * (2.0 * t).min(1.0)), Severity::Note);
    }
}

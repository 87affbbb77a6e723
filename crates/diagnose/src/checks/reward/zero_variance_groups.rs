//! Zero-variance groups, whose rewards are all equal: no advantage, no gradient.
//!
//! # What it checks
//! The share of zero-variance groups, over the last fifth and over the whole run. Critical when all groups in the
//! median step of the run are such, at least 80 % of all groups (of the run or of its second half, less the
//! binomial error of so many steps) are, and the task was not learned; a warning from 80 % over the last fifth, or
//! where all groups of most steps are, or where most later steps have one reward and one length as well
//! (`same_answer`); a note when the reward rose and the groups have zero variance since, unless that is near its
//! bottom and no evaluation rose.
//!
//! The cause is told by where the reward stands between its ends: 0 and 1 for a score, else those that were logged,
//! or levels that lie far apart; where nearly every response is cut off at the length limit, that is the cause.
//! Where the reward functions of the task are 0 in every row, no answer is right.
//!
//! # Why it matters
//! GRPO learns from differences within a group. A group of equal rewards costs its generation and teaches nothing.
//!
//! # Evidence needed
//! The share of zero-variance groups (TRL 0.18 and later). Without it, a reward that is only ever right or wrong
//! and the number of responses per prompt give a lower bound, `p^G + (1-p)^G`; or steps in which all groups have
//! zero variance can be told from the largest advantage (verl), the spread of the advantages, or that of the reward
//! (older TRL).
//!
//! # Threshold and where it comes from
//! 80 %: Axolotl's guide on training stability. 70 %, which other monitors use, where only the lower bound is
//! known. With one group a step each step is a single draw, 0 or 1, and the median step is 1 as soon as half of
//! them are: a FinQA run wasted 59 % of its steps so, and learned from the others. That is a warning.
//!
//! # Known false alarms
//! On-policy distillation has no reward by design: where the KL to the teacher moves and the reward is constant,
//! the check is quiet. Success: when nearly every answer is right, groups must be alike. That is a note, with the
//! advice to stop or to take harder prompts. Dynamic sampling leaves zero-variance groups out and samples others: a
//! logged share is then what their generation costs, and a note. Batches of very few groups reach 100 % by chance:
//! the share over all steps counts, no single step.
//!
//! # What to do
//! Too easy: filter prompts that are always solved. Too hard: easier prompts, partial credit, check the parser. In
//! both cases more responses per prompt.
//!
//! # References
//! arXiv 2503.14476 (DAPO, dynamic sampling); Axolotl docs/training_stability.qmd.

mod alike_cause;
mod same_answer;

use self::alike_cause::{AlikeCause, cause};
use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES, MORE_RESPONSES};
use crate::context::Context;
use crate::measure::Z_95;
use crate::measure::onset::lasts_from;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::{Hyperparameter, usual_of};
use crate::zero_variance::{Basis, MAJORITY};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity, Threshold};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, Framework};

pub const CHECK: Check = Check::of_run(Code::ZeroVarianceGroups, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::Generations, "Few responses per prompt are more often all alike."),
        (Hyperparameter::Temperature, "A low temperature makes responses alike."),
    ],
    // By the cause, like the alternative; and how many responses would refute it depends on how many were taken.
    actions: &[],
    alternative: "The reward function ignores the answer.",
    refute: "",
    references: &["arXiv 2503.14476 (DAPO, dynamic sampling)", "Axolotl docs/training_stability.qmd"],
};

/// Share that is printed as 100 %.
const NEARLY_WHOLE: f64 = 0.995;
/// Share of groups from which on too few others are left to be sampled instead. Ours: of twenty prompts one.
const NEARLY_ALL_GROUPS: f64 = 0.95;
/// First points by which groups agreed before anything was learned, or did not.
const FIRST_STEPS: usize = 3;

const WATCH: &str = "share of zero-variance groups below 0.5";
const FILTER: Advice = Advice::Do([
    "Drop zero-variance groups and sample others",
    "every group gives a gradient",
    "more generation per step",
    WATCH,
]);
const HARDER: Advice = Advice::Do([
    "Drop prompts that are solved nine times in ten",
    "the remaining prompts still give a signal",
    "fewer prompts",
    WATCH,
]);
const EASIER: Advice = Advice::Do([
    "Add easier prompts or partial credit",
    "some responses of a group score higher",
    "shifts the training distribution",
    WATCH,
]);
const VERIFIER: Advice = Advice::Do([
    "Score a right and a wrong answer by hand with the reward function",
    "shows whether the reward can tell them apart",
    "none",
    "two different rewards",
]);
const LONGER: Advice = Advice::Change(&LONGER_RESPONSES, WATCH);
const LARGER: Advice = Advice::Change(&MORE_RESPONSES, WATCH);

fn run(context: &Context<'_>) -> Outcome {
    if let Some(teacher) = context.distillation() {
        let levels = [("KL to the teacher, first fifth", Fifth::First), ("KL to the teacher, last fifth", Fifth::Last)];
        return Outcome::Quiet(levels.map(|(name, fifth)| Evidence::new(name, teacher.level(fifth), "")).to_vec());
    }
    let Some((share, basis)) = context.zero_variance() else {
        return Outcome::Skipped(context.need(&[Concept::ZeroVarianceGroups]));
    };
    let what = match basis {
        Basis::Logged => "zero-variance groups",
        Basis::WholeSteps => "steps in which all groups have zero variance",
        Basis::Estimated => "zero-variance groups (at least, by the mean of a binary reward)",
    };
    let book = context.rulebook;
    let line = line(context, *basis);
    let last = share.level(Fifth::Last);
    let median = stats::median(&share.values).unwrap_or(0.0);
    let second_half = share.values.get(share.len() / 2..).unwrap_or_default();
    let steps_of_row = steps_of_row(context, share);
    let of_run = share_at_least(&share.values, steps_of_row);
    let lost = of_run.max(share_at_least(second_half, steps_of_row));
    let evidence = vec![
        Evidence::new(rich!("share of {}, last fifth", what), last, "").above(line),
        Evidence::new(rich!("share of {}, median step", what), median, "").above(book.zero_variance_critical()),
        Evidence::new(rich!("share of {}, at least", what), lost, "").above(book.zero_variance_lost()),
    ];
    let is_whole = median >= book.zero_variance_critical().value;
    let throughout = is_whole && of_run > MAJORITY && context.learning.state != LearningState::Improved;
    // A policy may have learned what there is within its first steps.
    let begin = share.values.get(..FIRST_STEPS.min(share.len())).unwrap_or(&[]);
    let from_start = [begin, share.fifth(Fifth::First)].iter().all(|part| stats::median(part) >= Some(line.value));
    let level = stats::mean(&share.values).unwrap_or(0.0);
    let period = match (last < line.value || !is_lasting(share, *basis), throughout) {
        // What falls below the line in between began no later for it.
        (false, _) if from_start && level >= line.value => Period::Run,
        (false, _) => Period::LastFifth,
        (true, true) => Period::Run,
        (true, false) => {
            let quiet = match last < line.value {
                true => Outcome::Quiet(evidence),
                false => Outcome::QuietBecause(QuietReason::TooFewPoints, evidence),
            };
            return same_answer::finding(context, share).map_or(quiet, |found| Outcome::Found(vec![found]));
        }
    };
    // Few points are enough where even the lower end of their interval is most of the groups.
    let is_short = (share.len() as f64) < book.points_needed().value;
    let is_sure = is_whole && lost >= book.zero_variance_lost().value;
    let is_shown = || context.shows_level(share, Direction::Up, book.zero_variance_critical().value);
    if is_short && !is_sure && !is_shown() {
        let points = Evidence::new("points of the share", share.len() as f64, "").below(book.points_needed());
        let evidence = evidence.into_iter().chain([points]).collect();
        return Outcome::QuietBecause(QuietReason::TooFewPoints, evidence);
    }
    let cause = cause(context, share);
    let severity = match context.learning.state {
        _ if are_replaced(context, share, *basis) => Severity::Note,
        // What was gained is little where nearly all responses are still wrong, unless held-out tasks tell of the gain: then
        // groups without variance are a cost.
        LearningState::Improved
            if matches!(cause, AlikeCause::TooHard | AlikeCause::NeverRight) && !context.learning.is_evaluated() =>
        {
            Severity::Warning
        }
        // Groups that agreed from the start have taught next to nothing.
        LearningState::Improved if is_whole && from_start => Severity::Warning,
        LearningState::Improved => Severity::Note,
        // Prompts that were too easy from the start taught nothing; those that became so were learned.
        _ if !context.learning.room && from_start => Severity::Warning,
        _ if !context.learning.room => Severity::Note,
        _ if is_sure && !is_short => Severity::Critical,
        _ => Severity::Warning,
    };
    let mut finding = finding(context, (share, *basis), (period, cause), severity, evidence);
    finding.confidence = if *basis == Basis::Logged { 0.95 } else { 0.75 };
    Outcome::Found(vec![finding])
}

/// Lower end of the 95 % interval (Wilson) of the mean share: groups of a step have one policy and often one prompt, so
/// a step counts as one draw. Each value is that of so many steps.
fn share_at_least(shares: &[f64], steps_of_row: f64) -> f64 {
    let steps = steps_of_row * shares.len() as f64;
    let lost = steps_of_row * shares.iter().sum::<f64>();
    stats::wilson(lost.clamp(0.0, steps), steps, Z_95).map_or(0.0, |(low, _)| low)
}

/// How many steps a row is known to be the mean of: a row of TRL is the mean over the steps since the one before, and a mean of 1 leaves
/// none of them below 1. Rows of other trainers may be of a single step.
fn steps_of_row(context: &Context<'_>, share: &MetricSeries<'_>) -> f64 {
    let is_whole = share.min() >= 1.0 && context.bindings.framework == Framework::Trl;
    // Of a single row the distance is not a number, and not larger than 1.
    let apart = (share.last_step() - share.step(0)) / (share.len() as f64 - 1.0);
    if is_whole { apart.max(1.0) } else { 1.0 }
}

/// False where some steps of the last fifth had a gradient and the others are too few to be surely more than half of all: five of
/// six steps are 44 to 97 %.
fn is_lasting(share: &MetricSeries<'_>, basis: Basis) -> bool {
    let last = share.fifth(Fifth::Last);
    basis != Basis::WholeSteps || share.level(Fifth::Last) >= 1.0 || share_at_least(last, 1.0) > MAJORITY
}

/// True where the logged share is of groups that dynamic sampling leaves out, so that no update lacks a gradient. Where
/// most steps have no others, nothing can have taken their place.
fn are_replaced(context: &Context<'_>, share: &MetricSeries<'_>, basis: Basis) -> bool {
    let sampling = context.setting(Hyperparameter::FilterGroups);
    basis == Basis::Logged
        && stats::median(&share.values) < Some(context.rulebook.zero_variance_critical().value)
        && sampling.is_some_and(|sampling| sampling.value != 0.0 && !sampling.text.eq_ignore_ascii_case("none"))
}

/// A lower bound needs to show less.
fn line<'r>(context: &Context<'r>, basis: Basis) -> &'r Threshold {
    match basis {
        Basis::Estimated => context.rulebook.zero_variance_estimated(),
        Basis::Logged | Basis::WholeSteps => context.rulebook.zero_variance_warning(),
    }
}

/// Over which steps the groups have zero variance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Period {
    /// In the last fifth, whatever came before.
    LastFifth,
    /// In most steps of the run: from its start on, or though not in so many of the last fifth.
    Run,
}

fn finding(
    context: &Context<'_>,
    (share, basis): (&MetricSeries<'_>, Basis),
    (period, cause): (Period, AlikeCause),
    severity: Severity,
    evidence: Vec<Evidence>,
) -> Finding {
    let level = match period {
        Period::LastFifth => share.level(Fifth::Last),
        Period::Run => stats::mean(&share.values).unwrap_or(f64::NAN),
    };
    let onset = match period {
        Period::LastFifth => onset(share, line(context, basis).value),
        Period::Run => share.step(0),
    };
    let why = match cause {
        AlikeCause::TooEasy => "the responses score alike near the top of the reward",
        AlikeCause::TooHard => "the responses score alike near the bottom of the reward",
        AlikeCause::NeverRight => "no response scores on the task",
        AlikeCause::Constant => "the reward is constant",
        AlikeCause::CutOff => "nearly every response is cut off",
        AlikeCause::OneValue => "the reward is the same in most steps",
        AlikeCause::Unclear => "the responses of a group score alike",
    };
    let least = if basis == Basis::Estimated && level < NEARLY_WHOLE { "At least " } else { "" };
    let title = match (basis, period) {
        (Basis::WholeSteps, Period::Run) => {
            rich!("In {} of the steps of the run no group has any variance: {}", percent(level), why)
        }
        (_, Period::Run) => rich!("{}{} of the groups of the run have zero variance: {}", least, percent(level), why),
        (_, Period::LastFifth) => {
            rich!("{}{} of the groups have zero variance from step {} on: {}", least, percent(level), step(onset), why)
        }
    };
    let mut finding = context.finding(Code::ZeroVarianceGroups, severity, title, Some(onset), &TEXTS);
    let are_replaced = are_replaced(context, share, basis);
    finding.detail = match severity {
        _ if are_replaced => rich!("Dynamic sampling leaves such groups out of the batch: {} of the generation is spent on them.", percent(level)),
        // The level of the reward alone does not tell: it may saturate below a right answer.
        Severity::Note if context.learning.is_evaluated() && (cause == AlikeCause::TooEasy || !context.learning.room) => "The task is learned: the groups have zero variance because their answers are right. Further steps on these prompts teach little.".into(),
        Severity::Note => rich!(
            "At the level that the reward has reached the responses of a group score alike. Further steps on these prompts teach little{}.",
            if context.learning.is_evaluated() {
                ", though the evaluation still has room"
            } else {
                "; an evaluation tells whether the answers are right or only earn a part of the reward"
            }
        ),
        _ => rich!("A group of equal rewards has no advantage and no gradient: {} of the generation is wasted.", percent(level)),
    };
    finding.end = Some(share.last_step());
    finding.evidence = evidence;
    if let Some(norm) = context.signal(Concept::GradientNorm) {
        let dead = norm.values.iter().filter(|value| **value < 1e-6).count() as f64 / norm.len().max(1) as f64;
        finding.evidence.push(Evidence::new("share of steps without any gradient", dead, ""));
    }
    if let Some(reward) = context.signal(Concept::Reward) {
        finding.evidence.push(Evidence::new("reward of the last fifth", reward.level(Fifth::Last), ""));
    }
    for signal in context.signal_of(share.key()).into_iter().chain(context.signal(Concept::Reward)) {
        if !finding.metrics.iter().any(|key| key == signal.key()) {
            finding.metrics.push(signal.key().to_owned());
            finding.trend.push(signal.trend());
        }
    }
    // Where nearly all groups agree, dynamic sampling finds no others.
    let may_filter = !are_replaced && level < NEARLY_ALL_GROUPS;
    finding.actions = context.actions(advice(cause, may_filter, has_few_responses(context)), finding.onset);
    match cause {
        AlikeCause::TooEasy => {
            finding.alternative =
                "The reward saturates below a perfect answer: groups agree on a shortcut, not on the solution.".into();
        }
        AlikeCause::TooHard | AlikeCause::NeverRight => {
            finding.alternative = "The parser rejects right answers, so that all score alike.".into();
        }
        // The limit is what is to be changed; where it has a finding, this one follows from it.
        AlikeCause::CutOff => finding.explained_by = vec![Code::LengthPinnedAtCap, Code::Truncation],
        AlikeCause::Constant | AlikeCause::OneValue | AlikeCause::Unclear => {}
    }
    // Neither the size of a group nor the temperature makes the responses to all prompts score alike.
    if matches!(cause, AlikeCause::Constant | AlikeCause::CutOff) {
        finding.causes.clear();
    }
    finding.refute = rich!(
        "Scores of {} responses to one prompt, sampled from the last checkpoint, differ from each other.",
        context
            .setting(Hyperparameter::Generations)
            .map_or_else(|| number(16.0), |setting| number(2.0 * setting.value))
    );
    finding
}

/// True where a group has fewer responses than is usual: two of them score alike in half of the groups or more, whatever the prompt.
fn has_few_responses(context: &Context<'_>) -> bool {
    let usual = usual_of(&context.run.config, Hyperparameter::Generations);
    let responses = context.setting(Hyperparameter::Generations);
    usual.zip(responses).is_some_and(|(usual, responses)| responses.value < usual.range.0)
}

fn advice(cause: AlikeCause, may_filter: bool, has_few_responses: bool) -> &'static [Advice] {
    match cause {
        AlikeCause::TooEasy if has_few_responses => &[LARGER, HARDER],
        AlikeCause::Unclear | AlikeCause::OneValue if has_few_responses => &[LARGER, VERIFIER],
        AlikeCause::TooEasy if may_filter => &[HARDER, FILTER, LARGER],
        AlikeCause::TooEasy => &[HARDER, LARGER],
        AlikeCause::TooHard | AlikeCause::NeverRight => &[VERIFIER, EASIER, LARGER],
        AlikeCause::Constant => &[VERIFIER],
        AlikeCause::CutOff => &[LONGER, VERIFIER],
        AlikeCause::OneValue if may_filter => &[VERIFIER, FILTER, LARGER],
        AlikeCause::OneValue => &[VERIFIER, LARGER],
        AlikeCause::Unclear if may_filter => &[FILTER, LARGER, VERIFIER],
        AlikeCause::Unclear => &[LARGER, VERIFIER],
    }
}

/// First step from which the smoothed share is up, but for a fifth of the points: a level at the threshold passes it again
/// and again.
fn onset(share: &MetricSeries<'_>, threshold: f64) -> f64 {
    let smooth = share.smoothed((share.len() / 40).max(2));
    let is_up: Vec<bool> = smooth.iter().map(|value| *value >= threshold).collect();
    share.step(lasts_from(&is_up, |up, all| 5 * up >= 4 * all).unwrap_or(share.len() - 1))
}

#[cfg(test)]
mod tests;

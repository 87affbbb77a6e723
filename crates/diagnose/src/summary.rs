//! The verdict in words: a headline, and one paragraph.

use crate::context::Context;
use crate::learning::points_of_levels;
use crate::measure::series::{Fifth, MetricSeries};
use crate::measure::{SIGNIFICANT, Z_95, level};
use crate::settings::{Hyperparameter, settings_of};
use crate::topics::drop_from_peak::drop_from_peak;
use crate::topics::reward_parts::fell_or_rose;
use crate::topics::time_cost::leaves_policy_unharmed;
use crate::{Code, Finding, LearningState, Severity, Verdict};
use rundown_format::rich_text::{metric, number, setting_key, step, tabular};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

/// Points that make a level before the first evaluation: of the fewest of which the noise is known roughly.
const LEVEL: usize = 3;

/// The main point in plain words.
#[inline(never)]
pub(crate) fn headline(context: &Context<'_>, verdict: Verdict, findings: &[Finding]) -> RichText {
    let (beside, others): (Vec<&Finding>, Vec<&Finding>) = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .partition(|finding| leaves_policy_unharmed(context, finding));
    if let Some(finding) = others.first().filter(|finding| !is_of_learning(context, finding)) {
        return of_finding(context, finding);
    }
    // What became of the task says more than how long it took and what was set, where that is known.
    let is_told = !others.is_empty() || verdict != Verdict::Bad || context.suffers();
    match beside.first() {
        Some(finding) if !is_told => of_finding(context, finding),
        // The paragraph says which.
        Some(finding) if finding.code == Code::ConfigConflict && verdict == Verdict::Good => {
            rich!("{}, but its settings contradict each other", of_learning(context, verdict, findings))
        }
        Some(finding) if matches!(verdict, Verdict::Good | Verdict::Undecided) => {
            rich!("{}; {}", of_learning(context, verdict, findings), finding.title.clone().lower_first())
        }
        _ => of_learning(context, verdict, findings),
    }
}

/// What became of the primary metric, where no finding says more.
fn of_learning(context: &Context<'_>, verdict: Verdict, findings: &[Finding]) -> RichText {
    let learning = &context.learning;
    let measure = context.measure_key();
    let (first, last) = levels(context);
    let has_changed = matches!(learning.state, LearningState::Improved | LearningState::Declined);
    let (first, last) = match (number(first), number(last)) {
        (from, to) if has_changed && from.plain() == to.plain() => (tabular(first), tabular(last)),
        levels => levels,
    };
    match (verdict, learning.state) {
        (Verdict::Undecided, _) => match findings.iter().find(|finding| finding.leaves_open()) {
            Some(finding) if finding.code == Code::ProxyOnlyGain => {
                "The reward rises, but performance on the task does not yet".into()
            }
            Some(finding) => rich!("Too little data for a verdict: {}", finding.title.clone().lower_first()),
            None if context.starts_solved() => {
                rich!("Nothing was left to learn: {} is {} at the start and {} at the end", measure, first, last)
            }
            None if context.is_lowered_by_schedule(findings) => {
                rich!("{} went from {} to {} as the weight of one of its parts was lowered", measure, first, last)
            }
            None if learning.measure.is_none() => "Nothing that was logged measures learning".into(),
            None if learning.points > 1 && context.measure().is_some_and(MetricSeries::is_constant) => {
                rich!("{} is {} in all {} points", measure, last, learning.points)
            }
            None => {
                let mut headline = if learning.p < SIGNIFICANT {
                    let what = if context.hinted_change() < 0.0 { "a decline" } else { "learning" };
                    let change = rich!("{} went from {} to {}", measure, first, last);
                    rich!("{}: too little, or too uncertain, to count as {}", change, what)
                } else if first.plain() == last.plain() {
                    rich!("{} stays at {}", measure, last)
                } else {
                    rich!("{} only changed within its noise, from {} to {}", measure, first, last)
                };
                let trained = learned_before(context).or_else(|| learned_in_training(context));
                headline.append(trained.unwrap_or_default());
                headline
            }
        },
        (_, LearningState::Declined) if let Some(best) = learned_first(context) => {
            rich!("Learned, then regressed: {} reached {} and ended at {}", measure, number(best), last)
        }
        (_, LearningState::Declined) => {
            let verb = fell_or_rose(learning.first, learning.last);
            if context.reward_rose() {
                return rich!("Over-optimised: the reward rose while {} {} from {} to {}", measure, verb, first, last);
            }
            rich!("Got worse: {} {} from {} to {}", measure, verb, first, last)
        }
        (Verdict::Bad, LearningState::Flat) => rich!("No learning: {} was {} and is {}", measure, first, last),
        (_, LearningState::Improved) => {
            let verb = fell_or_rose(learning.first, learning.last);
            rich!("Healthy: {} {} from {} to {}", measure, verb, first, last)
        }
        _ => rich!("Healthy: {} stays near its ceiling at {}", measure, last),
    }
}

/// The best level that lasted, where half or more of what was lost since had been gained before it.
fn learned_first(context: &Context<'_>) -> Option<f64> {
    let learning = &context.learning;
    let best = drop_from_peak(context.measure()?)?.peak;
    ((best - learning.first).abs() * 2.0 >= (best - learning.last).abs()).then_some(best)
}

/// The accuracy or the reward of the training batches, where it rose beyond doubt before the first evaluation: no evaluation shows what
/// was learned by then.
fn learned_before(context: &Context<'_>) -> Option<RichText> {
    let first = context.measure().filter(|measure| measure.repeats_tasks())?.steps.first().copied()?;
    let accuracies = context.signals(Concept::Evaluation).iter().filter(|signal| !signal.repeats_tasks());
    accuracies.chain(context.signal(Concept::Reward)).find_map(|signal| {
        let before = signal.values.get(..signal.steps.partition_point(|step| *step <= first))?;
        let change = level::change(before, LEVEL, LEVEL, 0.0)?;
        let gain = signal.binding.direction.sign() * change.deviate(change.delta());
        let (from, to) = (number(change.first), number(change.last));
        let is_sure = gain >= context.rulebook.learning_z().value;
        is_sure.then(|| rich!("; before its first point {} went from {} to {}", metric(signal.key()), from, to))
    })
}

/// The accuracy of the training batches, or the part of the reward that is of the task, where it surely got better while few
/// evaluations leave that open.
fn learned_in_training(context: &Context<'_>) -> Option<RichText> {
    context.measure().filter(|measure| measure.repeats_tasks())?;
    let (signal, change) = context.gained_in_training(f64::NEG_INFINITY)?;
    let (from, to) = (number(change.first), number(change.last));
    Some(rich!("; in training, {} went from {} to {}", metric(signal.key()), from, to))
}

/// True for a finding that says no more than what the primary metric did, which is said anyway.
fn is_of_learning(context: &Context<'_>, finding: &Finding) -> bool {
    match finding.code {
        Code::NoLearning => true,
        Code::RegressionFromPeak => context.learning.state == LearningState::Declined,
        _ => false,
    }
}

fn of_finding(context: &Context<'_>, finding: &Finding) -> RichText {
    let shows = |concept| {
        let first = finding.metrics.first();
        first.is_some_and(|key| context.signals(concept).iter().any(|signal| signal.key() == key))
    };
    let words = match finding.code {
        Code::RewardHacking if shows(Concept::DetectedHacks) => "More and more responses game the reward",
        Code::InvalidOutputsRising if shows(Concept::Violations) => {
            "The policy breaks the rules of the task more often"
        }
        Code::RewardHacking if finding.severity == Severity::Critical => {
            "The policy games the reward instead of learning the task"
        }
        Code::RewardHacking => "The reward rises while performance on the task does not",
        Code::KlBlowUp if is_high_when_logged(context) => "KL to the reference is high when it is first logged",
        Code::KlBlowUp => "KL to the reference blew up",
        Code::EntropyCollapse => match context.learning.state {
            LearningState::Improved => "The policy has become nearly deterministic",
            LearningState::Unknown => "The policy stopped exploring",
            _ => "The policy stopped exploring before it had learned the task",
        },
        Code::TooConservative => "The policy does not move, and no gain is established",
        Code::ZeroVarianceGroups => "Most groups have zero variance and give no gradient",
        Code::LengthExplosion => "Responses grow without getting better",
        Code::GradientSpikes => "Gradients keep spiking",
        Code::LossSpikes => "The loss is unstable",
        Code::NonfiniteValues => "Metrics became NaN or infinite",
        Code::ProxyOnlyGain => "The reward rises, performance on the task does not",
        Code::FormatOnlyPolicy => "The policy earns the score of the format and nothing else",
        Code::RewardComponentDead => "A reward function has stopped working",
        Code::RewardUnstable => "The reward is unstable",
        Code::PenalisedRewardFalling => "The score rises while the reward after penalties falls",
        Code::InvalidOutputsRising => "More and more outputs cannot be parsed or are not allowed",
        Code::Overfitting => "The policy memorises the training prompts",
        Code::RegressionFromPeak if finding.onset.is_some_and(|onset| context.reward_rise_since(onset).is_some()) => {
            "Over-optimised: the reward went on rising while performance on the task fell from its peak"
        }
        Code::RegressionFromPeak => "The model was better earlier in the run",
        Code::LengthCollapse => "Responses shrink without getting better",
        Code::Truncation => "Responses are cut off at the length limit",
        Code::LengthPinnedAtCap => "Nearly every response runs into the length limit",
        Code::EndTokenMissing => "Complete responses are left out of the loss as truncated",
        Code::LengthRewardCoupling => "The reward pays for length",
        Code::DuplicateRun => "Two metrics hold the same numbers: one of them is a copy",
        _ => return finding.title.clone(),
    };
    words.into()
}

fn is_high_when_logged(context: &Context<'_>) -> bool {
    let limit = context.rulebook.kl_critical().value;
    context.moved().is_some_and(|moved| moved.is_high_when_logged(limit))
}

/// The verdict in one paragraph that stands below the headline, whose sentence it does not repeat.
#[inline(never)]
pub(crate) fn summary(context: &Context<'_>, verdict: Verdict, findings: &[Finding], headline: &RichText) -> RichText {
    let mut sentences: Vec<RichText> = Vec::new();
    let roots: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note && finding.explained_by.is_empty())
        .collect();
    for root in roots.iter().take(2) {
        // A headline ends with the title of a finding that it tells.
        let is_told = headline.to_string().ends_with(&root.title.clone().lower_first().to_string());
        if !is_of_learning(context, root) && !is_told && root.title != *headline {
            sentences.push(root.title.clone().sentence());
        }
        sentences.push(root.detail.clone());
    }
    sentences.push(learning(context));
    if let (Some(root), true) = (roots.first(), verdict == Verdict::Ugly) {
        sentences.extend(wasted(context, root));
    }
    let shown = |finding: &Finding| roots.iter().take(2).any(|root| root.code == finding.code);
    let others = findings.iter().filter(|finding| finding.severity > Severity::Note && !shown(finding));
    let mut names: Vec<String> = Vec::new();
    for other in others.filter(|finding| !is_of_learning(context, finding)) {
        let name = other.code.phrase();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        sentences.push(rich!("Also found: {}.", names.join(", ")));
    }
    if verdict == Verdict::Bad || verdict == Verdict::Ugly {
        sentences.extend(unusual(context, roots.first().copied()));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    RichText::joined(sentences, " ", " ")
}

/// How the primary metric moved, of which points its levels are, and the interval of the last one.
fn learning(context: &Context<'_>) -> RichText {
    let learning = &context.learning;
    let Some(measure) = learning.measure.as_ref().filter(|_| learning.is_measured()) else {
        return learning.why.clone();
    };
    if learning.first == learning.last && context.measure().is_some_and(MetricSeries::is_constant) {
        return rich!("{} is {} in all points.", metric(&measure.key), number(learning.last));
    }
    let in_table = as_in_table(context);
    if learning.state == LearningState::Unknown && in_table.is_none() {
        return learning.why.clone();
    }
    let verb = match learning.state {
        LearningState::Improved if learning.last > learning.first => "rises",
        LearningState::Declined if learning.last < learning.first => "falls",
        _ => "goes",
    };
    let (first, last) = levels(context);
    let widths = in_table.map_or(learning.level_points, |signal| {
        let width = signal.shown_points(Fifth::Last).len();
        (width, width)
    });
    let points = points_of_levels(widths, learning.points);
    let interval = learning.tasks.filter(|_| measure.unit == Unit::Share).and_then(|tasks| {
        let n = f64::from(tasks);
        let (low, high) = stats::wilson(last * n, n, Z_95)?;
        Some(rich!("{} tasks; 95 % interval {} to {}", tasks, number(low), number(high)))
    });
    let remarks = rich!(" ({})", RichText::joined([points].into_iter().chain(interval), "; ", "; "));
    let (first, last) = (number(first), number(last));
    if verb == "goes" && first.plain() == last.plain() {
        return rich!("{} stays at {}{}.", metric(&measure.key), last, remarks);
    }
    rich!("{} {} from {} to {}{}.", metric(&measure.key), verb, first, last, remarks)
}

/// The levels at the start and the end that sentences name.
fn levels(context: &Context<'_>) -> (f64, f64) {
    let learning = &context.learning;
    as_in_table(context).map_or((learning.first, learning.last), |signal| {
        (signal.shown_level(Fifth::First), signal.shown_level(Fifth::Last))
    })
}

/// The primary metric where sentences name the levels that the report's table shows: of few points without a change that shows.
/// There the levels of a test, which are of fewer points, may rise where those of the table fall.
fn as_in_table<'c, 'a>(context: &'c Context<'a>) -> Option<&'c MetricSeries<'a>> {
    let few = context.rulebook.points_needed().value;
    // What a test found is told with its own levels.
    let is_found = context.learning.p < SIGNIFICANT;
    let is_unknown = context.learning.state == LearningState::Unknown && !is_found;
    context.measure().filter(|signal| is_unknown && (signal.len() as f64) < few)
}

/// How many steps came after the onset of a critical finding.
fn wasted(context: &Context<'_>, root: &Finding) -> Option<RichText> {
    let (first, last) = context.run.step_range()?;
    let after = last - root.onset?;
    let taught = matches!(context.learning.state, LearningState::Improved | LearningState::Unknown);
    (!taught && after >= 1.0 && root.code != Code::RunCrashed).then(|| {
        rich!("The last {} of {} steps brought no gain.", step(after.round()), step((last - first).round() + 1.0))
    })
}

/// Settings out of the usual range: those that could explain the main finding, or all without one.
fn unusual(context: &Context<'_>, root: Option<&Finding>) -> Option<RichText> {
    let explains = |key: &str| root.is_none_or(|root| root.causes.iter().any(|cause| cause.config == key));
    let odd: Vec<RichText> = settings_of(&context.run.config, Hyperparameter::HEADLINE)
        .iter()
        .filter(|odd| !odd.remark.is_empty() && explains(&odd.key))
        .map(|odd| rich!("{} is {} ({})", setting_key(&odd.key), odd.text.as_str(), odd.remark.as_str()))
        .collect();
    (!odd.is_empty()).then(|| RichText::joined(odd, ", ", ", ").sentence())
}

#[cfg(test)]
mod tests;

//! The verdict in words: a headline, and one paragraph.

use super::context::Context;
use super::settings::{Knob, settings_of};
use super::text::{lower_first, num, step};
use super::{Code, Finding, LearningState, Severity, Verdict};
use crate::stats;
use crate::vocabulary::Unit;

/// 97.5 % quantile of the standard normal distribution, for 95 % intervals.
const Z_95: f64 = 1.96;

/// The main point in plain words.
pub(super) fn headline(context: &Context<'_>, verdict: Verdict, findings: &[Finding]) -> String {
    let main = findings.iter().find(|finding| finding.severity > Severity::Note);
    if let Some(finding) = main.filter(|finding| !is_of_learning(context, finding)) {
        return of_finding(finding);
    }
    let learning = &context.learning;
    let measure = learning.measure.as_ref().map_or("the measure of learning", |binding| binding.key.as_str());
    let (first, last) = (num(learning.first), num(learning.last));
    match (verdict, learning.state) {
        (Verdict::Undecided, _) => match findings.iter().find(|finding| finding.code == Code::InsufficientData) {
            Some(finding) => format!("Too little data to judge: {}", lower_first(&finding.title)),
            None if learning.measure.is_none() => "Nothing that was logged measures learning".to_owned(),
            None => format!("Not decided: {measure} moved within its noise, from {first} to {last}"),
        },
        (_, LearningState::Declined) if learning.last < learning.first => {
            format!("No learning: {measure} fell from {first} to {last}")
        }
        (_, LearningState::Declined) => {
            format!("Learned and lost again: {measure} was {} at its best and ends at {last}", num(learning.best))
        }
        (Verdict::Bad, LearningState::Flat) => format!("No learning: {measure} was {first} and is {last}"),
        (_, LearningState::Improved) => {
            let verb = if learning.last < learning.first { "fell" } else { "rose" };
            format!("Healthy: {measure} {verb} from {first} to {last}")
        }
        _ => format!("Healthy: {measure} stays near its ceiling at {last}"),
    }
}

/// True for a finding that says no more than what the measure of learning did, which is said anyway.
fn is_of_learning(context: &Context<'_>, finding: &Finding) -> bool {
    match finding.code {
        Code::NoLearning => true,
        Code::RegressionFromPeak => context.learning.state == LearningState::Declined,
        _ => false,
    }
}

fn of_finding(finding: &Finding) -> String {
    match finding.code {
        Code::RewardHacking if finding.severity == Severity::Critical => {
            "The policy games the reward instead of learning the task".to_owned()
        }
        Code::RewardHacking => "The reward rises without the task".to_owned(),
        Code::KlBlowUp => "KL to the reference ran away".to_owned(),
        Code::EntropyCollapse => "The policy stopped exploring before it had learned the task".to_owned(),
        Code::TooConservative => "The policy does not move: nothing is learned".to_owned(),
        Code::ZeroVarianceGroups => "The reward gives no signal: the answers of a group score alike".to_owned(),
        Code::LengthExplosion => "Responses grow without getting better".to_owned(),
        Code::GradientSpikes => "Gradients keep spiking".to_owned(),
        Code::NonfiniteValues => "The numbers became NaN or infinite".to_owned(),
        Code::ProxyOnlyGain => "The reward rises, the task does not".to_owned(),
        Code::FormatOnlyPolicy => "The policy earns the score of the format and nothing else".to_owned(),
        Code::RewardComponentDead => "A reward function has stopped working".to_owned(),
        Code::RewardUnstable => "The reward does not settle".to_owned(),
        Code::InvalidOutputsRising => "More and more outputs cannot be parsed".to_owned(),
        Code::Overfitting => "The training prompts are learned by heart".to_owned(),
        Code::RegressionFromPeak => "The model was better before".to_owned(),
        Code::LengthCollapse => "Answers shrink without getting better".to_owned(),
        Code::Truncation => "Answers are cut off at the length limit".to_owned(),
        Code::LengthPinnedAtCap => "Nearly every answer runs into the length limit".to_owned(),
        Code::LengthRewardCoupling => "The reward pays for length".to_owned(),
        Code::DuplicateRun => "Two metrics hold the same numbers: one of them is a copy".to_owned(),
        _ => finding.title.clone(),
    }
}

/// The verdict in one paragraph; keys stand between backticks.
pub(super) fn summary(context: &Context<'_>, verdict: Verdict, findings: &[Finding]) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let roots: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note && finding.explained_by.is_empty())
        .collect();
    for root in roots.iter().take(2) {
        if !is_of_learning(context, root) {
            sentences.push(format!("{}.", marked(root)));
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
        sentences.push(format!("Also found: {}.", names.join(", ")));
    }
    if verdict == Verdict::Bad || verdict == Verdict::Ugly {
        sentences.extend(unusual(context, roots.first().copied()));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// The title of a finding with its metric keys between backticks.
fn marked(finding: &Finding) -> String {
    let is_key = |word: &str| finding.metrics.iter().any(|key| key == word);
    let words = finding.title.split(' ').map(|word| {
        let bare = word.trim_end_matches([',', '.', ':', ';']);
        if is_key(bare) { word.replacen(bare, &format!("`{bare}`"), 1) } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// How the measure of learning moved, with the interval of its last level.
fn learning(context: &Context<'_>) -> String {
    let learning = &context.learning;
    let Some(measure) = &learning.measure else { return learning.why.clone() };
    if !learning.first.is_finite() {
        return learning.why.clone();
    }
    let verb = match learning.state {
        LearningState::Improved if learning.last > learning.first => "rises",
        LearningState::Declined if learning.last < learning.first => "falls",
        _ => "goes",
    };
    let interval = match (learning.tasks, measure.unit) {
        (Some(tasks), Unit::Share) => {
            let n = f64::from(tasks);
            stats::wilson(learning.last * n, n, Z_95).map_or_else(String::new, |(low, high)| {
                format!(" ({tasks} tasks; 95 % interval {low:.2} to {high:.2})")
            })
        }
        _ => String::new(),
    };
    format!("`{}` {verb} from {} to {}{interval}.", measure.key, num(learning.first), num(learning.last))
}

/// How many steps came after the onset of a critical finding.
fn wasted(context: &Context<'_>, root: &Finding) -> Option<String> {
    let (first, last) = context.run.step_range()?;
    let after = last - root.onset?;
    let taught = matches!(context.learning.state, LearningState::Improved | LearningState::Unknown);
    (!taught && after >= 1.0 && root.code != Code::RunCrashed).then(|| {
        format!("The last {} of {} steps taught nothing.", step(after.round()), step((last - first).round() + 1.0))
    })
}

/// Settings out of the usual range: those that could explain the main finding, or all without one.
fn unusual(context: &Context<'_>, root: Option<&Finding>) -> Option<String> {
    let explains = |key: &str| root.is_none_or(|root| root.causes.iter().any(|cause| cause.config == key));
    let odd: Vec<String> = settings_of(&context.run.config, Knob::HEADLINE)
        .iter()
        .filter(|setting| !setting.remark.is_empty() && explains(&setting.key))
        .map(|setting| format!("`{}` is {} ({})", setting.key, setting.text, setting.remark))
        .collect();
    (!odd.is_empty()).then(|| format!("{}.", odd.join(", ")))
}

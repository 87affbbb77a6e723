//! The reward fell by a step: something broke.
//!
//! # What it checks
//! One abrupt fall of the mean reward that lasts: three standard deviations of a step, most of it within three points,
//! five times as large as such falls usually are in this run, and no recovery for a while. A note where the run learned and
//! the reward came back to its level, or where the evaluation goes on improving. It counts in the last three points already
//! where two of them are lower than all before. Besides, a reward that is constant from some step to the end,
//! five points or more, and was higher before.
//!
//! # Why it matters
//! A policy changes over many updates. A reward that falls within one or two steps has another cause: a reward
//! function that fails, other data, a damaged checkpoint. All training after it follows a wrong signal.
//!
//! # Evidence needed
//! Mean reward; the rewards of single functions say which one broke.
//!
//! # Threshold and where it comes from
//! The run's own noise is the yardstick: a level is compared with the scatter around it, and the fall with all other
//! falls over three points, which have the same autocorrelation. Five robust standard deviations, so that trying
//! every step of a long run gives no alarm. Equal points stand at the end by chance once in a hundred times at most
//! (hypergeometric), so that sparse rewards give no alarm.
//!
//! # Known false alarms
//! A curriculum that moves on to harder prompts; a change of reward weights; a restart from another checkpoint. Where
//! most of the reward is left and the evaluation goes on improving beyond doubt it is a note. A reward that falls and rises
//! again and again is `reward_unstable`.
//!
//! # What to do
//! Compare the steps before and after: the reward function's log, the data, the evaluation.
//!
//! # References
//! Killick et al. 2012 (PELT, for the cost of a change of mean); prime-rl: "reward pipeline first".

use crate::advice::{FindingTexts, LOWER_LEARNING_RATE, Return, advice, go_back, missing_before};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::abrupt_fall::{AbruptFall, abrupt_fall, largest_fall};
use crate::topics::constant_end::{ConstantEnd, constant_end};
use crate::topics::parts_in_use::has_tools;
use crate::topics::{data_shift, reward_swings};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::RewardBreak, Concept::Reward, run);

/// Share of its reward that a policy keeps when the data move on to a harder stage; prompts that it hardly ever solves
/// teach nothing.
const STAGE: f64 = 0.5;

/// Words of metrics that count calls of tools, of the environment or of a judge that took too long.
const TIME_OUTS: [&str; 3] = ["timeout", "time_out", "timed_out"];
/// Part, or number, of the calls from which on time-outs of a single point count. Ours: a reward that falls by most of its level has lost more.
const COUNTED_TIME_OUTS: f64 = 0.1;

fn run(context: &Context<'_>, reward: &MetricSeries<'_>) -> Outcome {
    // What never falls has no largest fall.
    let largest = largest_fall(&reward.values).filter(|fall| fall.after < fall.before);
    match abrupt_fall(context, reward) {
        // Those are `reward_unstable`.
        Some(fall) if reward_swings::swings(context, reward) => Outcome::Quiet(fall.evidence(context)),
        Some(fall) => Outcome::Found(vec![finding(context, reward, Break::abrupt(context, reward, &fall))]),
        None => match constant_end(reward) {
            Some(end) => Outcome::Found(vec![finding(context, reward, Break::to_constant(context, reward, &end))]),
            None => Outcome::Quiet(largest.map_or_else(Vec::new, |fall| fall.evidence(context))),
        },
    }
}

/// A fall of the reward, of either kind.
struct Break {
    title: RichText,
    /// What such a fall means.
    meaning: &'static str,
    onset: f64,
    end: f64,
    before: f64,
    after: f64,
    /// Level from which on the reward has come back.
    back: f64,
    evidence: Vec<Evidence>,
    /// True where the learning rate is above the usual ones and may have destroyed the policy.
    is_rate_high: bool,
}

impl Break {
    fn abrupt(context: &Context<'_>, reward: &MetricSeries<'_>, fall: &AbruptFall) -> Self {
        let onset = reward.step(fall.index);
        Self {
            title: rich!("Reward fell from {} to {} at step {}", number(fall.before), number(fall.after), step(onset)),
            meaning: "A policy seldom changes within one step: look at the reward, the environment and the data.",
            onset,
            end: end(reward, fall),
            before: fall.before,
            after: fall.after,
            back: fall.before - fall.sigma,
            evidence: fall.evidence(context),
            is_rate_high: false,
        }
    }

    fn to_constant(context: &Context<'_>, reward: &MetricSeries<'_>, end: &ConstantEnd) -> Self {
        let rate = context.setting(Hyperparameter::LearningRate);
        let is_rate_high = rate.is_some_and(|rate| rate.usual.is_some_and(|(_, high)| rate.value > high));
        let onset = reward.step(end.index);
        let (before, after) = (end.before, end.value);
        Self {
            title: rich!(
                "Reward is {} in every step from step {} on; its mean was {} before",
                number(after),
                step(onset),
                number(before)
            ),
            meaning: "Either an update destroyed the policy, or its responses are not scored any more: read a few of them.",
            onset,
            end: reward.last_step(),
            before,
            after,
            back: before,
            evidence: end.evidence(),
            is_rate_high,
        }
    }
}

fn finding(context: &Context<'_>, reward: &MetricSeries<'_>, fall: Break) -> Finding {
    let onset = fall.onset;
    let broken = broken_component(context, onset);
    let evaluation = evaluation_around(context, onset);
    // Harder data on purpose leave most of the reward, and the policy goes on learning as the evaluation shows.
    let harmless = context.learning.is_evaluated()
        && evaluation.is_some_and(|(_, _, fell)| !fell)
        && broken.is_none()
        && fall.before > 0.0
        && fall.after >= STAGE * fall.before
        && context.surely_gained_since(onset);
    // The reward came back: the policy recovered, or the reward function was repaired.
    let end_level = reward.end_level();
    let recovered = context.learning.state == LearningState::Improved && end_level >= fall.back;
    let severity = if harmless || recovered { Severity::Note } else { Severity::Warning };
    let are_logged = !context.signals(Concept::RewardComponent).is_empty();
    let part = broken.as_ref().map_or_else(
        || if are_logged { " No single reward function explains it.".into() } else { RichText::default() },
        |broken| {
            rich!(
                " It is {}, which fell from {} to {}.",
                metric(&broken.key),
                number(broken.before),
                number(broken.after)
            )
        },
    );
    let task = match evaluation {
        Some((before, after, true)) => {
            rich!(
                " The evaluation got worse with it, from {} to {}: the policy itself was damaged.",
                number(before),
                number(after)
            )
        }
        Some((_, _, false)) if harmless => {
            " The evaluation goes on improving: the data became harder, or the reward counts in another way.".into()
        }
        Some((_, _, false)) => " The evaluation did not get worse with it: the reward changed, not the policy.".into(),
        None => RichText::default(),
    };
    let back_again = match recovered {
        true => rich!(" It rose again, to {} at the end.", number(end_level)),
        false => RichText::default(),
    };
    let late = time_outs(context, onset).unwrap_or_default();
    let detail = rich!("{}{}{}{}{}", fall.meaning, part, task, late, back_again);
    let mut evidence = fall.evidence;
    if let Some((before, after, _)) = evaluation {
        evidence.push(Evidence::new("evaluation before", before, ""));
        evidence.push(Evidence::new("evaluation after", after, ""));
    }
    let function = broken.as_ref().map_or("the reward functions", |broken| broken.key.as_str());
    let damaged = evaluation.is_some_and(|(_, _, fell)| fell);
    let tools = if has_tools(context) { " and of the tools and the environment" } else { "" };
    let verifier = advice(
        rich!("Look into the log of {}{} around step {}", function, tools, step(onset)),
        "shows a time-out, an exception that counts as 0, or other data",
        "none",
        "the reward of a known right answer",
    );
    let undamaged = Return {
        effect: "training goes on from an undamaged policy",
        watch: "reward and evaluation of that checkpoint",
    };
    let back = go_back(context, onset, &undamaged);
    let shown = [Some(reward), broken.as_ref().and_then(|broken| context.signal_of(&broken.key)), context.evaluation()];
    let confidence = if broken.is_some() || evaluation.is_some() { 0.95 } else { 0.85 };
    let texts = if fall.is_rate_high { &DESTROYED } else { &TEXTS };
    let finding = context.finding(Code::RewardBreak, severity, fall.title, Some(onset), texts);
    let mut finding = finding.supported_by(detail, &shown, evidence, confidence);
    finding.end = Some(fall.end);
    finding.actions = match evaluation {
        Some(_) if damaged && missing_before(context, onset).is_none() => vec![back, verifier],
        Some(_) if damaged => vec![verifier, back],
        // The policy is as good as before: there is nothing to go back to.
        Some(_) => vec![verifier],
        None => vec![verifier, back],
    };
    if fall.is_rate_high {
        finding.actions.insert(0, LOWER_LEARNING_RATE.action(context, "reward in the first steps"));
    }
    let before = reward.steps.partition_point(|step| *step < onset).saturating_sub(1);
    finding.refute = rich!(
        "Responses from step {} scored by today's reward function get the earlier reward.",
        step(reward.step(before))
    );
    data_shift::add_to(&mut finding, context);
    finding
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[],
    alternative: "The data moved on to harder prompts, or reward weights were changed on purpose.",
    refute: "",
    references: &["prime-rl docs: check the reward pipeline first"],
};

/// Of a reward that is constant since, beside a learning rate above the usual ones.
const DESTROYED: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::LearningRate, "Updates that large can destroy a policy within a step.")],
    alternative: "The reward function fails, and gives every response the same score.",
    ..TEXTS
};

struct Broken {
    key: String,
    before: f64,
    after: f64,
}

/// The reward function that fell most at a step, if one did by most of its level.
fn broken_component(context: &Context<'_>, onset: f64) -> Option<Broken> {
    let fell = context.signals(Concept::RewardComponent).iter().filter_map(|signal| {
        let (before, after) = around(signal, onset, 10)?;
        (before > 0.0 && after < 0.2 * before).then(|| Broken { key: signal.key().to_owned(), before, after })
    });
    fell.max_by(|a, b| (a.before - a.after).total_cmp(&(b.before - b.after)))
}

/// Time-outs that were first counted around a step: between their points before and after it, which may be far apart in an evaluation.
fn time_outs(context: &Context<'_>, onset: f64) -> Option<RichText> {
    // An episode of a game that ends at its last step is a time-out as well.
    if context.acts_in_environment() || !has_tools(context) {
        return None;
    }
    let is_named = |key: &&String| {
        let key = key.to_lowercase();
        TIME_OUTS.iter().any(|word| key.contains(word))
    };
    let begun = context.run.columns.keys().filter(is_named).filter_map(|key| {
        let series = context.run.series(key)?;
        let place = series.values.iter().position(|value| *value != 0.0)?;
        let before = *series.steps.get(place.checked_sub(1)?)?;
        let (at, value) = (*series.steps.get(place)?, *series.values.get(place)?);
        let next = series.steps.get(place + 1).copied().unwrap_or(f64::INFINITY).min(2.0 * at - before);
        let lasts = || series.values.get(place + 1).is_some_and(|later| *later > 0.0);
        (before < onset && onset <= next && (value >= COUNTED_TIME_OUTS || lasts())).then_some((key, value, at))
    });
    let (key, value, at) = begun.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(rich!(
        " {} was 0 before and is {} at step {}: calls that time out may be why.",
        metric(key),
        number(value),
        step(at)
    ))
}

/// The evaluation just before and after a step, and whether it got worse by more than its noise.
fn evaluation_around(context: &Context<'_>, onset: f64) -> Option<(f64, f64, bool)> {
    let evaluation = context.evaluation()?;
    let (before, after) = around(evaluation, onset, 3)?;
    let lost = evaluation.binding.direction.sign() * (before - after);
    Some((before, after, lost > 3.0 * evaluation.noise().point))
}

/// Means of at most `count` points on each side of a step.
fn around(signal: &MetricSeries<'_>, at: f64, count: usize) -> Option<(f64, f64)> {
    let split = signal.steps.partition_point(|step| *step < at);
    let before = stats::mean(signal.values.get(split.saturating_sub(count)..split)?)?;
    let after = stats::mean(signal.values.get(split..(split + count).min(signal.len()))?)?;
    Some((before, after))
}

/// Step at which the smoothed reward is back near its level before, or the last step.
fn end(reward: &MetricSeries<'_>, fall: &AbruptFall) -> f64 {
    let smooth = reward.smoothed(fall.width / 2);
    let line = fall.before - 0.1 * fall.size;
    let back = smooth.iter().skip(fall.index + fall.width).position(|value| *value >= line);
    back.map_or(reward.last_step(), |ahead| reward.step(fall.index + fall.width + ahead))
}

#[cfg(test)]
mod tests;

//! The run has stopped getting better.
//!
//! # What it checks
//! The primary metric rose, and then stood for 40 % of the points: a further gain of a fifth of what was gained
//! before is ruled out. Always a note: a plateau is how good runs end.
//!
//! # Why it matters
//! Steps on a plateau cost as much as those before it. A DeepSeek run on GSM8K stood from step 70 of 1119 on.
//!
//! # Evidence needed
//! An evaluation with 20 points, or a reward with 75. The reward shows it as well where the evaluation is too noisy and
//! does not rise any more.
//!
//! # Threshold and where it comes from
//! A fifth of the gain, ruled out with 95 %: by levels or by the line through all points of the plateau, whichever
//! says less. A slope that is merely not significant is no plateau. Groups have hardly any variance where half of
//! them have none, or where the spread of the rewards is below 5 % of its start and below 1 % of the range of the
//! reward; ours.
//!
//! # Known false alarms
//! A reward that has not lifted off yet is flat too: without a gain before it nothing is said. A staged curriculum may
//! go on with harder data.
//!
//! # What to do
//! Go on only where the last third of the run still rises beyond its error. Else stop, or change what holds it: harder
//! prompts where groups have zero variance, a higher temperature when entropy is spent, longer responses when they are cut off, a longer
//! decay when the learning rate is gone, a decay when it was constant, more opponents in a league.
//!
//! # References
//! arXiv 2505.22617 (three quarters of the gain come with three quarters of the entropy); the analyze-experiment guide,
//! "Performance Plateau".

mod unexplained;

use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES, TEMPERATURE_ONE};
use crate::context::Context;
use crate::learning::largest_gain;
use crate::measure::level;
use crate::measure::onset;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::topics::abrupt_fall::abrupt_fall;
use crate::topics::league::{MORE_OPPONENTS, is_league};
use crate::topics::scaling::line;
use crate::zero_variance::has_groups;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Relation, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::Plateau, run);

/// Fewest evaluations of a plateau; of a reward, the points that a run needs for the check.
const EVALUATIONS: usize = 8;
/// Learning rate, in parts of its peak, that moves nothing.
const DECAYED: f64 = 0.05;
/// Spread of the reward, in parts of that of the first fifth, that leaves hardly any differences within groups. Ours.
const SPENT_SPREAD: f64 = 0.05;
/// The same in parts of the range of the mean reward over the run: a small part of a large spread may still be differences. Ours.
const SPENT_RANGE: f64 = 0.01;
/// Learning rate, in parts of its peak, that counts as unchanged.
const CONSTANT: f64 = 0.99;

fn run(context: &Context<'_>) -> Outcome {
    let Some(signal) = context.measure() else {
        return Outcome::Skipped(context.need(&[Concept::Evaluation, Concept::Reward]));
    };
    // A reward has many more points than the evaluation, and shows a plateau that the latter is too noisy for.
    let reward = context.signal(Concept::Reward).filter(|_| context.learning.is_evaluated());
    let flat = [Some(signal), reward].into_iter().flatten().find_map(|shown| {
        let plateau = Plateau::of(context, shown).filter(|plateau| plateau.is_flat(context))?;
        // A reward that broke on the way did not stand, though it may have come back to the same level.
        let is_reward = context.signal(Concept::Reward).is_some_and(|reward| reward.key() == shown.key());
        if is_reward && abrupt_fall(context, shown).is_some_and(|fall| fall.index > plateau.start) {
            return None;
        }
        let agrees = shown.key() == signal.key() || !improves_since(context, signal, shown.step(plateau.start));
        agrees.then_some((shown, plateau))
    });
    match flat {
        Some((shown, plateau)) => Outcome::Found(vec![finding(context, shown, &plateau)]),
        None => Outcome::Quiet(vec![
            Evidence::new("primary metric at the start", context.learning.first, ""),
            Evidence::new("primary metric at the end", context.learning.last, ""),
        ]),
    }
}

struct Plateau {
    /// First point of it.
    start: usize,
    level: f64,
    /// What was gained before it.
    gain: f64,
    /// The most that can have been gained on it.
    largest_possible: f64,
    /// Standard errors by which it falls.
    falls: f64,
}

impl Plateau {
    /// The stretch at the end that stands, if it is long enough and something was gained before.
    fn of(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<Self> {
        let book = context.rulebook;
        if context.learning.state != LearningState::Improved || !context.is_long_enough() {
            return None;
        }
        let evaluated = signal.repeats_tasks();
        let least = if evaluated { EVALUATIONS } else { book.points_needed().value as usize };
        let least = least.max((book.plateau_share().value * signal.len() as f64) as usize);
        // The first points alone: a fast start is over before a tenth of the run is.
        let first = if evaluated { context.learning.first } else { signal.start_level(5) };
        let measured = evaluated || !context.learning.is_evaluated();
        let last = if measured { context.learning.last } else { signal.level(Fifth::Last) };
        let start = onset::arrival(&signal.values, first, last);
        let values = signal.values.get(start..).filter(|values| values.len() >= least)?;
        let sign = signal.binding.direction.sign();
        let third = values.len() / 3;
        let change = level::change(values, third, third, 0.0)?;
        let level = stats::mean(values)?;
        Some(Self {
            start,
            level,
            gain: sign * (level - first),
            largest_possible: largest_gain(values, &change, sign),
            falls: -sign * change.z(),
        })
    }

    fn is_flat(&self, context: &Context<'_>) -> bool {
        let book = context.rulebook;
        self.gain > 0.0
            && self.largest_possible < book.plateau_gain().value * self.gain
            && self.falls < book.learning_z().value
    }
}

/// True where the primary metric is still better at the end than at a step, or not measured often enough to tell.
fn improves_since(context: &Context<'_>, signal: &MetricSeries<'_>, since: f64) -> bool {
    let sign = signal.binding.direction.sign();
    let halves =
        level::change_of_halves(signal, since).filter(|change| change.points.0 + change.points.1 >= EVALUATIONS);
    halves.is_none_or(|change| sign * change.z() >= context.rulebook.learning_likely_z().value)
}

/// Likely cause of a plateau, as far as the metrics show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlateauCause {
    Ceiling,
    Truncation,
    ZeroVariance,
    SpentEntropy,
    DecayedRate,
    Unknown,
}

impl PlateauCause {
    fn of(context: &Context<'_>) -> Self {
        let book = context.rulebook;
        let last = |concept| context.signal(concept).map(|signal| signal.level(Fifth::Last));
        let spent = context.signal(Concept::Entropy).is_some_and(|entropy| {
            let start = entropy.start_level(5);
            start > 0.0 && entropy.level(Fifth::Last) <= (1.0 - book.entropy_drop().value) * start
        });
        if !context.learning.room {
            Self::Ceiling
        } else if last(Concept::TruncatedShare).is_some_and(|share| share >= book.truncation_warning().value) {
            Self::Truncation
        } else if last(Concept::ZeroVarianceGroups).is_some_and(|share| share >= 0.5) || is_spread_spent(context) {
            Self::ZeroVariance
        } else if spent {
            Self::SpentEntropy
        } else if final_share_of_peak(context).is_some_and(|share| share < DECAYED) {
            Self::DecayedRate
        } else {
            Self::Unknown
        }
    }

    fn detail(self, context: &Context<'_>) -> RichText {
        let text = match self {
            Self::Ceiling => "It is at its ceiling: these tasks are solved.",
            Self::Truncation => "Responses are cut off: the length limit may hold it.",
            Self::ZeroVariance => {
                "Most groups have hardly any variance, so that these prompts teach little: use harder ones."
            }
            Self::SpentEntropy => "The entropy is spent: the policy explores nothing new.",
            Self::DecayedRate => "The learning rate has decayed to almost nothing.",
            Self::Unknown => return unexplained::detail(context),
        };
        text.into()
    }

    /// Actions against it, the best first; the advice to stop or to go on follows.
    fn advice(self, context: &Context<'_>) -> Vec<Advice> {
        let mut advice = match self {
            Self::Ceiling | Self::ZeroVariance => return Vec::new(),
            Self::Truncation => vec![Advice::Change(&LONGER_RESPONSES, "truncation rate below 5 %")],
            Self::SpentEntropy => {
                vec![Advice::Change(&TEMPERATURE_ONE, "entropy rises, and the evaluation with it")]
            }
            Self::DecayedRate => vec![Advice::Do(LONGER_DECAY)],
            Self::Unknown => Vec::new(),
        };
        if is_league(context) {
            advice.push(Advice::Do(MORE_OPPONENTS));
        }
        if self == Self::Unknown && has_constant_rate(context) {
            advice.push(Advice::Do(DECAY_NOW));
        }
        advice
    }
}

/// True where the rewards of the last steps hardly differ any more, though those of the first steps did.
fn is_spread_spent(context: &Context<'_>) -> bool {
    let signals = context.signal(Concept::RewardStd).zip(context.signal(Concept::Reward));
    let has_groups = !context.acts_in_environment() && has_groups(context);
    signals.filter(|_| has_groups).is_some_and(|(spread, reward)| {
        let last = spread.median(Fifth::Last);
        last <= SPENT_SPREAD * spread.level(Fifth::First) && last <= SPENT_RANGE * (reward.max() - reward.min())
    })
}

/// The learning rate of the last fifth in parts of its peak; `None` where it was not logged.
fn final_share_of_peak(context: &Context<'_>) -> Option<f64> {
    let rate = context.signal(Concept::LearningRate).filter(|rate| rate.max() > 0.0)?;
    Some(rate.level(Fifth::Last) / rate.max())
}

/// True for a learning rate that stays at its peak as it was logged, or as the config says where it was not.
fn has_constant_rate(context: &Context<'_>) -> bool {
    final_share_of_peak(context).map_or_else(
        || context.setting(Hyperparameter::Scheduler).is_some_and(|schedule| schedule.text.starts_with("constant")),
        |share| share >= CONSTANT,
    )
}

const LONGER_DECAY: [&str; 4] = [
    "Plan the decay of the learning rate over more steps, or hold it constant",
    "late steps still move the weights",
    "noisier updates at the end",
    "the evaluation goes on rising after the step where the plateau begins",
];
const DECAY_NOW: [&str; 4] = [
    "Let the learning rate decay to a tenth from the start of the plateau on",
    "smaller steps settle where large ones move back and forth",
    "no gain where the size of the steps is not what holds it",
    "the evaluation rises while the learning rate falls",
];
const STOP: [&str; 4] = [
    "Stop here, or go on with harder tasks",
    "saves the steps that buy nothing",
    "a late gain is missed",
    "the evaluation of the checkpoint at the start of the plateau against the last one",
];
const GO_ON: [&str; 4] = [
    "Go on for half as many steps again",
    "the last third of the run still rises, slowly",
    "pays for steps that bring less than those before",
    "slope of the next third against its error",
];

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[],
    alternative: "The next stage of a curriculum, or a late lift-off, is still to come.",
    refute: "The checkpoint at the start of the plateau solves fewer held-out tasks than the last one.",
    references: &[
        "arXiv 2505.22617 (entropy is spent as the reward is gained)",
        "analyze-experiment guide (performance plateau)",
    ],
};

/// Slope of the last third of the points towards the better side, in standard errors widened for autocorrelation; NaN
/// with fewer than five points.
fn last_slope(signal: &MetricSeries<'_>) -> f64 {
    let from = signal.len() - signal.len() / 3;
    let (Some(steps), Some(values)) = (signal.steps.get(from..), signal.values.get(from..)) else { return f64::NAN };
    let sign = signal.binding.direction.sign();
    line(steps, values).map_or(f64::NAN, |line| sign * level::ratio(line.slope, line.error))
}

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, plateau: &Plateau) -> Finding {
    let onset = signal.step(plateau.start);
    let most = if plateau.largest_possible > 0.0 {
        rich!("at most {}", number(plateau.largest_possible))
    } else {
        "nothing".into()
    };
    let (key, since) = (metric(signal.key()), step(onset));
    // What surely rises has not stayed where it was, however little it gains.
    let title = if plateau.falls <= -context.rulebook.learning_z().value {
        rich!("{} has gained {} since step {}, and {} before", key, most, since, number(plateau.gain))
    } else {
        let (level, steps) = (number(plateau.level), step((signal.last_step() - onset).round()));
        rich!("{} has stayed at {} since step {}: the last {} steps gained {}", key, level, since, steps, most)
    };
    let mut finding = context.finding(Code::Plateau, Severity::Note, title, Some(onset), &TEXTS);
    let cause = PlateauCause::of(context);
    let slope = last_slope(signal);
    let goes_on = context.learning.room && slope >= context.rulebook.learning_likely_z().value;
    let mut advice = cause.advice(context);
    // More steps stand last among the remedies where something else shows.
    advice.push(Advice::Do(if goes_on { GO_ON } else { STOP }));
    finding.actions = context.actions(&advice, Some(onset));
    let evidence = vec![
        Evidence::new("level of the plateau", plateau.level, ""),
        Evidence::new("gain before the plateau", plateau.gain, ""),
        Evidence::new("largest gain on the plateau that the data leave possible", plateau.largest_possible, "")
            .limited(
                Relation::Below,
                context.rulebook.plateau_gain().value * plateau.gain,
                "a fifth of the gain before it",
            ),
        Evidence::new("points on the plateau", (signal.len() - plateau.start) as f64, ""),
        Evidence::new("slope of the last third of the run", slope, "standard errors"),
    ];
    let shown = [Some(signal), context.signal(Concept::Reward), context.signal(Concept::Entropy)];
    finding.supported_by(cause.detail(context), &shown, evidence, 0.8)
}

#[cfg(test)]
mod tests;

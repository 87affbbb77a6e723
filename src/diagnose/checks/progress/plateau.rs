//! The run has stopped getting better.
//!
//! # What it checks
//! The measure of learning rose, and then stood for 40 % of the points: a further gain of a fifth of what was gained
//! before is ruled out. Always a note: a plateau is how good runs end.
//!
//! # Why it matters
//! Steps on a plateau cost as much as those before it. A DeepSeek run on GSM8K stood from step 70 of 1119 on.
//!
//! # Evidence needed
//! An evaluation with 20 points, or a reward with 75.
//!
//! # Threshold and where it comes from
//! A fifth of the gain, ruled out with 95 %: by levels or by the line through all points of the plateau, whichever says
//! less. A plateau is not called so for a slope that is merely not significant.
//!
//! # Known false alarms
//! A reward that has not lifted off yet is flat too: without a gain before it nothing is said. A staged curriculum may
//! go on with harder data.
//!
//! # What to do
//! Stop, or change what holds it: harder prompts when groups agree, more exploration when entropy is spent, longer
//! answers when they are cut off.
//!
//! # References
//! arXiv 2505.22617 (three quarters of the gain come with three quarters of the entropy).

use crate::diagnose::advice::{Advice, FindingTexts, show};
use crate::diagnose::context::Context;
use crate::diagnose::learning::largest_gain;
use crate::diagnose::measure::level;
use crate::diagnose::measure::onset;
use crate::diagnose::measure::series::{Fifth, MetricSeries};
use crate::diagnose::{Check, Code, Evidence, Finding, LearningState, Outcome, Relation, Severity};
use crate::format::rich;
use crate::format::rich_text::{metric, number, step};
use crate::stats;
use crate::vocabulary::{Concept, Direction};

/// The check.
pub const CHECK: Check = Check { code: Code::Plateau, run };

/// Fewest evaluations of a plateau; of a reward, the points that a run needs for the check.
const EVALUATIONS: usize = 8;
/// Learning rate, in parts of its peak, that moves nothing.
const DECAYED: f64 = 0.05;

fn run(context: &Context<'_>) -> Outcome {
    let Some(signal) = context.learning.measure.as_ref().and_then(|measure| context.signal_of(&measure.key)) else {
        return Outcome::Skipped(context.need(&[Concept::Evaluation, Concept::Reward]));
    };
    match Plateau::of(context, signal).filter(|plateau| plateau.is_flat(context)) {
        Some(plateau) => Outcome::Found(vec![finding(context, signal, &plateau)]),
        None => Outcome::Quiet(vec![
            Evidence::new("measure of learning at the start", context.learning.first, ""),
            Evidence::new("measure of learning at the end", context.learning.last, ""),
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
    bound: f64,
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
        let evaluated = context.learning.is_evaluated();
        let least = if evaluated { EVALUATIONS } else { book.points_needed().value as usize };
        let least = least.max((book.plateau_share().value * signal.len() as f64) as usize);
        // The first points alone: a fast start is over before a tenth of the run is.
        let first = if evaluated { context.learning.first } else { signal.start_level(5) };
        let start = onset::arrival(&signal.values, first, context.learning.last);
        let values = signal.values.get(start..).filter(|values| values.len() >= least)?;
        let sign = if signal.binding.direction == Direction::Down { -1.0 } else { 1.0 };
        let third = values.len() / 3;
        let change = level::change(values, third, third, 0.0)?;
        let level = stats::mean(values)?;
        Some(Self {
            start,
            level,
            gain: sign * (level - first),
            bound: largest_gain(values, &change, sign),
            falls: -sign * change.z(),
        })
    }

    fn is_flat(&self, context: &Context<'_>) -> bool {
        let book = context.rulebook;
        self.gain > 0.0 && self.bound < book.plateau_gain().value * self.gain && self.falls < book.learning_z().value
    }
}

/// What holds the run where it stands, as far as its metrics tell.
fn held_by(context: &Context<'_>) -> &'static str {
    let book = context.rulebook;
    let last = |concept| context.signal(concept).map(|signal| signal.level(Fifth::Last));
    let spent = context.signal(Concept::Entropy).is_some_and(|entropy| {
        entropy.level(Fifth::Last) <= (1.0 - book.entropy_drop().value) * entropy.start_level(5)
    });
    let decayed = context
        .signal(Concept::LearningRate)
        .is_some_and(|rate| rate.level(Fifth::Last) < DECAYED * rate.max() && rate.max() > 0.0);
    if !context.learning.room {
        "It is at its ceiling: these tasks are solved."
    } else if last(Concept::TruncatedShare).is_some_and(|share| share >= book.truncation_warning().value) {
        "Answers are cut off: the length limit may hold it."
    } else if last(Concept::ZeroStdGroups).is_some_and(|share| share >= 0.5) {
        "Most groups agree, so that the prompts teach little any more: harder ones would."
    } else if spent {
        "The entropy is spent: the policy explores nothing new."
    } else if decayed {
        "The learning rate has decayed to almost nothing."
    } else {
        "None of the usual causes shows: agreement of groups, spent entropy, cut-off answers, a decayed learning rate."
    }
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Stop here, or go on with harder prompts",
        "saves the steps that buy nothing",
        "a late gain is missed",
        "the evaluation of the checkpoint at the start of the plateau against the last one",
    ])],
    alternative: "The next stage of a curriculum, or a late lift-off, is still to come.",
    refute: "The checkpoint at the start of the plateau solves fewer held-out tasks than the last one.",
    references: &["arXiv 2505.22617 (entropy is spent as the reward is gained)"],
};

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, plateau: &Plateau) -> Finding {
    let onset = signal.step(plateau.start);
    let most = if plateau.bound > 0.0 { rich!("at most {}", number(plateau.bound)) } else { "nothing".into() };
    let title = rich!(
        "{} stands at {} since step {}: the last {} steps gained {}",
        metric(signal.key()),
        number(plateau.level),
        step(onset),
        step((signal.last_step() - onset).round()),
        most
    );
    let mut finding = context.finding(Code::Plateau, Severity::Note, title, Some(onset), &TEXTS);
    finding.detail = held_by(context).into();
    finding.evidence = vec![
        Evidence::new("level of the plateau", plateau.level, ""),
        Evidence::new("gain before it", plateau.gain, ""),
        Evidence::new("largest gain on it that the data leave possible", plateau.bound, "").limited(
            Relation::Below,
            context.rulebook.plateau_gain().value * plateau.gain,
            "a fifth of the gain before it",
        ),
        Evidence::new("points of it", (signal.len() - plateau.start) as f64, ""),
    ];
    show(&mut finding, &[Some(signal), context.signal(Concept::Reward), context.signal(Concept::Entropy)]);
    finding.confidence = 0.8;
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::{Synthetic, jump};

    fn rewarded(level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(300).without("eval/accuracy").noisy("train/reward", 0.1, level)
    }

    #[test]
    fn a_plateau_is_a_note_and_begins_where_the_gain_ends() {
        let finding = rewarded(|t| 0.2 + 2.0 * t.min(0.4)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((110.0..=130.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let decayed =
            rewarded(|t| 0.2 + 2.0 * t.min(0.4)).every("train/learning_rate", 1, |t| 1e-5 * (1.0 - 2.0 * t).max(0.0));
        assert!(decayed.finding(&CHECK).detail.to_string().contains("learning rate"));
    }

    #[test]
    fn steady_gains_late_lift_off_and_no_gain_are_quiet() {
        assert!(rewarded(|t| 0.2 + t).quiet(&CHECK));
        assert!(rewarded(|t| 0.1 + 2.0 * (t - 0.6).max(0.0)).quiet(&CHECK));
        assert!(rewarded(|_| 0.5).quiet(&CHECK));
        assert!(rewarded(|t| 0.2 + jump(t, 0.9)).quiet(&CHECK));
        assert!(matches!(Synthetic::new(100).check(&CHECK), Outcome::Skipped(_)));
    }
}

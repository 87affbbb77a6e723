//! The policy gains nothing against an opponent that never changes.
//!
//! # What it checks
//! The Elo of the policy (or of its newest checkpoint) minus that of the base model, else of the mean of the fixed
//! opponents. A warning when the gain since the first rating is below what the length of the run should bring, and
//! the 95 % interval rules out twice as much. Where the primary metric did not improve either, it is enough that
//! the gain is below two standard errors, and that a good gain would have shown.
//!
//! # Why it matters
//! A league can look busy, with ratings that move and win rates near one half, while nobody gets stronger.
//!
//! # Evidence needed
//! Ratings of the policy or its checkpoints, and of a fixed opponent, at ten steps at least. The number of games gives
//! the error of a rating.
//!
//! # Threshold and where it comes from
//! The experiment-analysis guide: 20 to 50 Elo over the base model after 50 steps, 50 to 100 after 200, 100 to 200
//! after 500. The error of a rating is 400 / ln 10 / sqrt(N p (1 - p)).
//!
//! # Known false alarms
//! A policy that resumes from a strong checkpoint gains less. A base model that already beats all opponents cannot
//! be told from a better one by beating them.
//!
//! # What to do
//! Play more games against the base model before anything else. If the gain is truly nil: check that checkpoints
//! really differ, that the reward follows the game's result, and that the policy moves at all (KL). A pool in which all
//! play alike teaches nothing new: add opponents.
//!
//! # References
//! The experiment-analysis guide, "Learning Dynamics".

use crate::advice::{Advice, FindingTexts, RAISE_LEARNING_RATE};
use crate::context::Context;
use crate::measure::Z_95;
use crate::settings::Hyperparameter;
use crate::topics::league::{EloGapSeries, MORE_OPPONENTS};
use crate::{Check, Code, Evidence, LearningState, Outcome, Relation, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::EloStagnant, run);

/// Standard errors of a gain that is seen, and of a good one that would have shown.
const SEEN: f64 = 2.0;
const SHOWS: f64 = 2.5;
/// Fewest steps that should bring anything.
const STEPS: f64 = 50.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Small updates need more steps for the same gain."),
        (Hyperparameter::KlCoefficient, "A strong KL term keeps the policy at the base model's level."),
    ],
    actions: &[
        Advice::Do([
            "Play 400 games of the last checkpoint against the base model",
            "tells a gain of 35 Elo from none",
            "time",
            "win rate above 55 %",
        ]),
        Advice::Do([
            "Compare the reward with the result of the game",
            "shows whether the reward is about winning",
            "none",
            "reward of won games above that of lost ones",
        ]),
        Advice::Change(&RAISE_LEARNING_RATE, "Elo gap to the base model after 50 steps"),
        Advice::Do(MORE_OPPONENTS),
    ],
    alternative: "The gain is real but smaller than the games can show.",
    refute: "The last checkpoint beats the base model in more than 55 % of 400 games.",
    references: &["experiment-analysis guide (expected gain over the base model)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(gap) = EloGapSeries::of(context) else {
        return Outcome::Skipped(context.need(&[Concept::Elo, Concept::ReferenceElo]));
    };
    let (Some(from), Some(to)) = (gap.steps.first().copied(), gap.steps.last().copied()) else {
        return Outcome::Quiet(Vec::new());
    };
    let gain = gap.end(2 * gap.width()) - gap.first();
    let (least, highest) = (expected(context, to - from), gain + Z_95 * gap.error);
    let mut evidence = vec![
        Evidence::new("gain since the first rating", gain, "Elo").limited(
            Relation::Below,
            least,
            "experiment-analysis guide, for as many steps",
        ),
        Evidence::new("upper end of the gain's 95 % interval", highest, "Elo").limited(
            Relation::Below,
            2.0 * least,
            "twice the least gain",
        ),
        Evidence::new("standard error of the gap", gap.error, "Elo"),
        Evidence::new("highest level that lasted", gap.peak().1, "Elo"),
    ];
    let ruled_out = gain < least && highest < 2.0 * least;
    // Where nothing else shows learning either, it is enough that the gain does not show and a good one would have.
    let unseen = gain < SEEN * gap.error && gain + gap.error < 2.0 * least && 2.0 * least >= SHOWS * gap.error;
    // The training reward of a league is no measure of strength: opponents change with the policy.
    let learned = context.learning.is_evaluated() && context.learning.state == LearningState::Improved;
    let flat = ruled_out || (unseen && !learned);
    // A gap that rose and fell again is another story, told by `elo_gap_shrinking`.
    if !flat || to - from < STEPS || gap.fall(context).is_some() {
        evidence.truncate(3);
        return Outcome::Quiet(evidence);
    }
    let title = rich!(
        "No gain against {} beyond its error: {} ± {} Elo after {} steps",
        gap.against,
        number(gain.round()),
        number((Z_95 * gap.error).round()),
        step(to - from)
    );
    let finding = context.finding(CHECK.code, Severity::Warning, title, Some(from), &TEXTS);
    let detail = rich!("A run of this length should gain {} Elo or more.", number(least.round()));
    Outcome::Found(vec![finding.supported_by(detail, &gap.signals, evidence, 0.75)])
}

/// Least gain over the base model that so many steps should bring, between the figures of the guide.
fn expected(context: &Context<'_>, steps: f64) -> f64 {
    let book = context.rulebook;
    let marks =
        [(50.0, book.elo_gain_50().value), (200.0, book.elo_gain_200().value), (500.0, book.elo_gain_500().value)];
    let [first, middle, last] = marks;
    let between = |a: (f64, f64), b: (f64, f64)| a.1 + (b.1 - a.1) * ((steps - a.0) / (b.0 - a.0)).clamp(0.0, 1.0);
    if steps <= middle.0 { between(first, middle) } else { between(middle, last) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, saturating};

    fn league(gain: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(250)
            .noisy("elo/challenger", 12.0, move |t| 1000.0 + gain(t))
            .noisy("elo/base_model", 8.0, |t| 1000.0 + 20.0 * saturating(t))
            .noisy("elo/games_played", 0.0, |t| 4000.0 * t)
    }

    #[test]
    fn a_league_without_gain_is_a_warning() {
        let finding = league(|t| 20.0 * saturating(t)).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
        assert_eq!(finding.metrics, ["elo/challenger", "elo/base_model"]);
        assert!(finding.actions.iter().any(|action| change(action).0.starts_with("Add opponents")));
    }

    #[test]
    fn a_gain_or_too_few_games_to_exclude_one_is_quiet() {
        assert!(league(|t| 300.0 * saturating(t)).quiet(&CHECK));
        let few = league(|_| 20.0).noisy("elo/games_played", 0.0, |t| 60.0 * t);
        assert!(few.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_training_reward_that_rises_is_no_gain_against_the_base_model() {
        let run = |key: &str| {
            let league = league(|_| 0.0).noisy("elo/challenger", 36.0, |t| 1000.0 + 85.0 * saturating(t));
            league.without("eval/accuracy").noisy(key, 0.02, |t| 0.2 + 0.5 * saturating(t))
        };
        assert_eq!(run("train/reward").finding(&CHECK).severity, Severity::Warning);
        assert!(run("eval/accuracy").quiet(&CHECK), "an evaluation against fixed tasks rose");
    }

    #[test]
    fn the_newest_checkpoint_stands_for_the_policy() {
        let run = Synthetic::healthy(250)
            .every("elo/adapter_v0", 5, |_| 1000.0)
            .every("elo/adapter_v100", 5, |t| 1000.0 + 200.0 * t)
            .every("elo/base_model", 5, |_| 1000.0);
        assert!(run.quiet(&CHECK));
    }
}

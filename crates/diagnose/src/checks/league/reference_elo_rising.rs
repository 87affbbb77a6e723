//! Opponents that never change gain Elo: the policy loses to them.
//!
//! # What it checks
//! The mean Elo of the fixed opponents. Among themselves they are zero-sum, so only games against the policy and its
//! checkpoints move the mean, once ratings have settled. A warning when it ends above its lowest lasting level by
//! three standard errors and by more than 20 Elo, and the gap of the policy does not say the contrary.
//!
//! # Why it matters
//! They do not learn. When they rise, the league got weaker.
//!
//! # Evidence needed
//! Ratings of fixed opponents (`base_model`, bots) at ten steps at least.
//!
//! # Threshold and where it comes from
//! The experiment-analysis guide: a base model or a bot that rises is a bad sign; within 20 is slight.
//!
//! # Known false alarms
//! One opponent alone may rise because weaker ones fall; that is why the mean is taken. When only one is rated, its
//! first tenth, in which ratings settle, is not counted.
//!
//! # What to do
//! As for a shrinking gap, under which this finding is put where both are there.
//!
//! # References
//! The experiment-analysis guide, "Learning Signal (Fixed Reference Analysis)".

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE};
use crate::context::Context;
use crate::measure::onset;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::league::{EloGapSeries, games_each, mean_reference, rating_error};
use crate::{Change, Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::ReferenceEloRising, run);

/// Fewest ratings.
const RATINGS: usize = 10;
/// Part of the ratings in which they settle.
const SETTLING: f64 = 0.1;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::LearningRate, "Large updates undo what was learned.")],
    actions: &[
        Advice::Do([
            "Play the last checkpoint against each fixed opponent, 400 games",
            "names the opponent that the policy lost to",
            "time",
            "win rate against each",
        ]),
        Advice::GoBack,
        Advice::Change(&LOWER_LEARNING_RATE, "Elo of the fixed opponents"),
    ],
    alternative: "Newcomers with inherited ratings brought points into the pool.",
    refute: "The last checkpoint beats each fixed opponent as often as earlier ones did.",
    references: &["experiment-analysis guide (base model and bots: declining is good, rising is bad)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let references = context.signals(Concept::ReferenceElo);
    let longest = references.iter().max_by_key(|signal| signal.len()).filter(|signal| !signal.is_empty());
    let Some(first) = longest else { return Outcome::Skipped(context.need(&[Concept::ReferenceElo])) };
    let Some(means) = mean_reference(context, &first.steps) else {
        return Outcome::Skipped(context.need(&[Concept::ReferenceElo]));
    };
    let settled = (SETTLING * means.len() as f64) as usize;
    let points: Vec<(f64, f64)> =
        first.steps.iter().copied().zip(means).skip(settled).filter(|(_, mean)| mean.is_finite()).collect();
    let values: Vec<f64> = points.iter().map(|(_, mean)| *mean).collect();
    let width = (values.len() / 10).max(3);
    let levels = stats::running_mean(&values, width / 2);
    let lowest = levels.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    let last = values.get(values.len().saturating_sub(width)..).and_then(stats::mean);
    let (Some((place, low)), Some(last)) = (lowest, last) else { return Outcome::Quiet(Vec::new()) };
    let increase = last - low;
    let error = error(context, &values, references.len());
    let book = context.rulebook;
    let evidence = vec![
        Evidence::new("rise of the mean from its lowest level", increase, "Elo")
            .of(Change::Rise)
            .above(book.elo_change()),
        Evidence::new("the rise in standard errors", increase / error, "").of(Change::Rise).above(book.elo_z()),
        Evidence::new("mean of the fixed opponents at the end", last, "Elo"),
    ];
    let increases = increase > book.elo_change().value && increase >= book.elo_z().value * error;
    let contradicted =
        EloGapSeries::of(context).is_some_and(|gap| gap.fall(context).is_none() && gap.last() > gap.first() + increase);
    if !increases || contradicted || values.len() < RATINGS {
        return Outcome::Quiet(evidence);
    }
    let place = onset::of_change(&values, place, *low, last);
    let onset = points.get(place).or(points.last()).map_or(f64::NAN, |(step, _)| *step);
    let title = rich!(
        "Fixed opponents gained {} Elo since step {}: the policy loses to them",
        number(increase.round()),
        step(onset)
    );
    let shown: Vec<&MetricSeries<'_>> = references.iter().filter(|signal| !signal.is_empty()).take(4).collect();
    let finding = context.finding(CHECK.code, Severity::Warning, title, Some(onset), &TEXTS);
    let detail = "They never change, so they rise only when the policy and its checkpoints play worse.";
    Outcome::Found(vec![finding.supported_by(detail, &shown, evidence, 0.7)])
}

/// Standard error of the mean rating of the references: from their games, and from the scatter of the mean.
fn error(context: &Context<'_>, values: &[f64], references: usize) -> f64 {
    let of_games = games_each(context).map_or(0.0, |games| rating_error(games * references as f64));
    let scatter = stats::running_residuals(values, (values.len() / 6).max(2));
    of_games.max(stats::std_dev(&scatter).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    fn pool(bots: impl Fn(f64) -> f64 + Copy) -> Synthetic {
        Synthetic::healthy(250)
            .noisy("elo/base_model", 6.0, move |t| 1000.0 + bots(t))
            .noisy("elo/random_bot", 6.0, move |t| 900.0 + bots(t))
            .noisy("elo/games_played", 0.0, |t| 4000.0 * t)
    }

    #[test]
    fn opponents_that_rise_again_are_found_where_they_turn() {
        let finding = pool(|t| if t < 0.5 { -160.0 * t } else { 200.0 * t - 180.0 }).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((115.0..=135.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn opponents_that_fall_or_change_places_are_quiet() {
        assert!(pool(|t| -120.0 * saturating(t)).quiet(&CHECK));
        let settling = pool(|_| 0.0).noisy("elo/base_model", 6.0, |t| 1000.0 + 60.0 * saturating(t)).noisy(
            "elo/random_bot",
            6.0,
            |t| 1000.0 - 60.0 * saturating(t),
        );
        assert!(settling.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}

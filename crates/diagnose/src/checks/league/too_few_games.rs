//! Too few games were played for the ratings to show a usual gain.
//!
//! # What it checks
//! The standard error of a difference of two ratings, from the mean number of games of an agent. A note above 50 Elo.
//!
//! # Why it matters
//! A gain of 50 Elo is what 200 steps should bring. With 50 games an agent, chance alone gives as much.
//!
//! # Evidence needed
//! The number of games, and ratings of more than one agent.
//!
//! # Threshold and where it comes from
//! The error of a rating is 400 / ln 10 / sqrt(N p (1 - p)) Elo: 17 for 400 games at even chances, and 1.4 times as
//! much for a difference. 50 Elo: the gain to be expected after 200 steps (experiment-analysis guide).
//!
//! # Known false alarms
//! Games are taken as spread evenly over agents. A policy that plays most of them is known better.
//!
//! # What to do
//! Play more games of the policy against the base model; games between old checkpoints tell little.
//!
//! # References
//! The experiment-analysis guide; Elo's logistic model.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::league::{games_each, rating_error};
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::number;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::TooFewGames, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Play more games of the policy against the base model",
        "400 games tell a gain of 35 Elo from none",
        "time",
        "standard error of the gap below 25 Elo",
    ])],
    alternative: "The policy plays most of the games, so its own rating is known better.",
    refute: "The policy and the base model played 200 games each.",
    references: &["error of a rating: 400 / ln 10 / sqrt(N p (1 - p))"],
};

fn run(context: &Context<'_>) -> Outcome {
    let rated = context.signal(Concept::Elo).or(context.signal(Concept::ReferenceElo));
    let counted = context.signals(Concept::Games).iter().find(|signal| signal.binding.name.is_none());
    let (Some(_), Some(counted), Some(games)) = (rated, counted, games_each(context)) else {
        return Outcome::Skipped(context.need(&[Concept::Elo, Concept::Games]));
    };
    let limit = context.rulebook.elo_error();
    let error = std::f64::consts::SQRT_2 * rating_error(games);
    let evidence = vec![
        Evidence::new("standard error of a difference of ratings", error, "Elo").above(limit),
        Evidence::new("games of an agent, on average", games, ""),
        Evidence::new("games in all", counted.max(), ""),
    ];
    if error <= limit.value {
        return Outcome::Quiet(evidence);
    }
    let title = rich!(
        "{} games an agent: ratings are known to ± {} Elo only",
        number(games.round()),
        number((1.96 * error).round())
    );
    let shown: [&MetricSeries<'_>; 1] = [counted];
    let finding = context.finding(CHECK.code, Severity::Note, title, Some(counted.step(0)), &TEXTS);
    Outcome::Found(vec![finding.supported_by(
        "A usual gain is within the error of the ratings.",
        &shown,
        evidence,
        0.8,
    )])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn league(games: f64) -> Synthetic {
        Synthetic::healthy(200)
            .noisy("elo/challenger", 10.0, |_| 1000.0)
            .noisy("elo/base_model", 10.0, |_| 1000.0)
            .noisy("elo/games_played", 0.0, move |t| games * t)
    }

    #[test]
    fn few_games_are_noted_and_many_are_quiet() {
        assert_eq!(league(40.0).finding(&CHECK).severity, Severity::Note);
        assert!(league(1500.0).quiet(&CHECK));
        let three = league(45.0).noisy("elo/adapter_v10", 10.0, |_| 1000.0).finding(&CHECK);
        let each = three.evidence.iter().find(|evidence| evidence.unit.is_empty()).unwrap().value;
        assert!(
            (each - 2.0 * 45.0 * 199.0 / 200.0 / 3.0).abs() < 0.01,
            "the policy, a checkpoint and the base: {each}"
        );
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}

//! The league has no opponent that never changes, so it cannot show progress.
//!
//! # What it checks
//! Whether ratings or win rates are logged over the steps, and none of them is of or against a fixed opponent: the base
//! model, a bot, a named player. A single win rate at the end says how strong the policy is, not that it became so. A
//! note: the run may be fine, but the league does not say.
//!
//! # Why it matters
//! Against a pool that learns as well, a policy wins about half of its games however strong it becomes. In a closed
//! pool Elo is zero-sum.
//!
//! # Evidence needed
//! Ratings of agents, or win rates.
//!
//! # Threshold and where it comes from
//! None. The experiment-analysis guide: a win rate against a dynamic league is meaningless, use fixed references.
//!
//! # Known false alarms
//! A fixed opponent whose name does not say so. Bind its key by hand.
//!
//! # What to do
//! Keep the base model and the first checkpoints in the pool, and never train or replace them.
//!
//! # References
//! The experiment-analysis guide, "Learning Signal (Fixed Reference Analysis)".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::measure::win_rate::is_pool;
use crate::topics::league::MORE_OPPONENTS;
use crate::{Check, Code, Evidence, Outcome, Relation, Severity};
use rundown_format::rich;
use rundown_format::rich_text::metric;
use rundown_stats as stats;
use rundown_vocabulary::{Agent, Concept, agent};

pub const CHECK: Check = Check::of_run(Code::OnlyMovingOpponents, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Keep the base model in the pool and log its rating as elo/base_model",
            "the difference to it measures progress",
            "some games are spent on it",
            "Elo gap to the base model",
        ]),
        Advice::Do(MORE_OPPONENTS),
    ],
    alternative: "An opponent is fixed, and its name does not say so.",
    refute: "One of the rated agents is never trained nor replaced.",
    references: &["experiment-analysis guide (win rate against a dynamic league is meaningless)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let mut moving: Vec<&MetricSeries<'_>> = Vec::new();
    let mut fixed = context.signals(Concept::ReferenceElo).iter().filter(|signal| !signal.is_empty()).count();
    for signal in context.signals(Concept::WinRate).iter().filter(|signal| !signal.is_empty()) {
        if is_moving(signal) {
            moving.push(signal);
        } else {
            fixed += 1;
        }
    }
    fixed += usize::from(context.signal(Concept::EloGap).is_some());
    moving.extend(context.signals(Concept::Elo).iter().filter(|signal| !signal.is_empty()));
    if moving.is_empty() && fixed == 0 {
        return Outcome::Skipped(context.need(&[Concept::Elo]));
    }
    let shown = Evidence::new("ratings and win rates against fixed opponents", fixed as f64, "").limited(
        Relation::Below,
        1.0,
        "no fixed opponent",
    );
    let Some(first) = moving.first().filter(|_| fixed == 0) else { return Outcome::Quiet(vec![shown]) };
    let mut evidence = vec![shown];
    if first.binding.concept == Concept::WinRate {
        let mean = stats::mean(&first.values).unwrap_or(f64::NAN);
        evidence.push(Evidence::new(rich!("mean of {}", metric(first.key())), mean, ""));
    }
    let title = "No opponent of the league stays the same: its ratings cannot show progress".to_owned();
    let finding = context.finding(CHECK.code, Severity::Note, title, Some(first.step(0)), &TEXTS);
    let detail = "Against a pool that learns too, a policy wins about half of its games however strong it becomes.";
    moving.truncate(3);
    Outcome::Found(vec![finding.supported_by(detail, &moving, evidence, 0.8)])
}

/// True for a win rate against the pool, or against a state of the policy itself.
fn is_moving(signal: &MetricSeries<'_>) -> bool {
    let Some(name) = &signal.binding.name else { return true };
    is_pool(name) || matches!(agent(name), Agent::Policy | Agent::Checkpoint(_) | Agent::Best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};

    #[test]
    fn a_league_without_an_anchor_is_noted() {
        let run = Synthetic::healthy(200).noisy("elo/challenger", 10.0, |t| 1000.0 + 200.0 * t).noisy(
            "elo/win_rate",
            0.05,
            |_| 0.5,
        );
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.actions.iter().any(|action| change(action).0.starts_with("Add opponents")));
    }

    #[test]
    fn one_fixed_opponent_is_enough() {
        let rated =
            Synthetic::healthy(200).noisy("elo/challenger", 10.0, |_| 1000.0).noisy("elo/random_bot", 9.0, |_| 800.0);
        assert!(rated.quiet(&CHECK));
        let mut last = Synthetic::healthy(200).noisy("elo/challenger", 10.0, |_| 1000.0);
        last.run.summary.insert("eval/vs_random_bot/win_rate", rundown_run::ConfigValue::Number(0.9));
        assert_eq!(last.finding(&CHECK).severity, Severity::Note, "one number at the end shows no progress");
        assert!(Synthetic::healthy(200).every("eval/vs_stockfish/win_rate", 10, |t| 0.3 * t).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}

//! The policy loses to one of its fixed opponents.
//!
//! # What it checks
//! The win rate against each named opponent at the end: a note when its whole 95 % interval (Wilson) lies below one
//! half. Without the number of games, the rates of several evaluations must agree instead.
//!
//! # Why it matters
//! A good mean hides an opponent that has found a weakness: leagues have cycles.
//!
//! # Evidence needed
//! Win rates against named opponents, as metrics, in the run's summary, or as a logged table with the columns
//! `opponent`, `win_rate` and `games`.
//!
//! # Threshold and where it comes from
//! One half: even strength in games of two. In games of more players an even share is less than that.
//!
//! # Known false alarms
//! An opponent that is meant to be stronger, and games with more than two players.
//!
//! # What to do
//! Read games that were lost to that opponent; give it more weight among the training opponents.
//!
//! # References
//! The analyze-experiment guide, "Evaluation Results".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::measure::win_rate::{EndRate, games_in_summary, opponent_of_rate};
use crate::{Check, Code, Evidence, Finding, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent};
use rundown_run::{ConfigValue, LoggedCell};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::WeakAgainstOpponent, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Read ten games that were lost to this opponent",
            "shows what it exploits",
            "none",
            "win rate against it",
        ]),
        Advice::Do([
            "Give this opponent more weight among the training opponents",
            "the policy meets the weakness more often",
            "less practice against the others",
            "win rate against each opponent",
        ]),
    ],
    alternative: "The opponent is stronger by design, or more than two play.",
    refute: "The win rate of an earlier checkpoint against it is lower still.",
    references: &["analyze-experiment guide (win rate by opponent)"],
};

/// A win rate at the end of a run.
struct Rate {
    opponent: String,
    share: f64,
    /// Interval of the share; `None` where neither games nor several evaluations give one.
    interval: Option<(f64, f64)>,
    key: String,
}

fn run(context: &Context<'_>) -> Outcome {
    let mut rates: Vec<Rate> =
        context.signals(Concept::WinRate).iter().filter_map(|signal| logged(context, signal)).collect();
    summarised(context, &mut rates);
    if rates.is_empty() {
        return Outcome::Skipped(context.need(&[Concept::WinRate]));
    }
    let even = context.rulebook.win_rate_even();
    let (weak, others): (Vec<Rate>, Vec<Rate>) =
        rates.into_iter().partition(|rate| rate.interval.is_some_and(|(_, high)| high < even.value));
    if weak.is_empty() {
        let shown =
            |rate: &Rate| Evidence::new(rich!("win rate against {}", &rate.opponent), rate.share, "").below(even);
        return Outcome::QuietBecause(QuietReason::WithinNoise, others.iter().map(shown).collect());
    }
    Outcome::Found(weak.iter().map(|rate| finding(context, rate)).collect())
}

fn finding(context: &Context<'_>, rate: &Rate) -> Finding {
    let (low, high) = rate.interval.unwrap_or((f64::NAN, f64::NAN));
    let title = rich!(
        "Wins {} against {} (95 % interval {} to {})",
        percent(rate.share),
        &rate.opponent,
        number(low),
        number(high)
    );
    let signal = context.signal_of(&rate.key);
    let onset = signal.map(|signal| signal.step(0));
    let finding = context.finding(CHECK.code, Severity::Note, title, onset, &TEXTS);
    let evidence = vec![
        Evidence::new("win rate", rate.share, ""),
        Evidence::new("upper end of the win rate's 95 % interval", high, "").below(context.rulebook.win_rate_even()),
    ];
    finding.supported_by("Its whole interval lies below one half.", &[signal], evidence, 0.7)
}

/// The last fifth of a logged win rate. A win rate against the pool has no name and is not checked.
fn logged(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<Rate> {
    let opponent = signal.binding.name.clone()?;
    let named = |other: &&MetricSeries<'_>| other.binding.name.as_ref() == Some(&opponent);
    let games = context.signals(Concept::Games).iter().find(named);
    let EndRate { share, interval, .. } = EndRate::logged(&signal.values, games.map(|games| &*games.values))?;
    Some(Rate { opponent, share, interval, key: signal.key().to_owned() })
}

/// Win rates that stand in the summary or in a table only.
fn summarised(context: &Context<'_>, rates: &mut Vec<Rate>) {
    for (key, value) in context.run.summary.iter() {
        let Some(opponent) = opponent_of_rate(key) else { continue };
        let ConfigValue::Number(share) = value else { continue };
        if (0.0..=1.0).contains(share) && rates.iter().all(|rate| rate.opponent != opponent) {
            // From the summary beside its win rate, or from the last logged table that has them.
            let games = games_in_summary(context.run, key).or_else(|| tabulated(context, opponent));
            let interval = EndRate::counted(*share, games).interval;
            rates.push(Rate { opponent: opponent.to_owned(), share: *share, interval, key: key.to_owned() });
        }
    }
}

/// Games against an opponent, from the last logged table that has them.
fn tabulated(context: &Context<'_>, opponent: &str) -> Option<f64> {
    context.run.tables.iter().rev().find_map(|file| {
        let table = file.content.as_ref()?;
        let column = |name: &str| table.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        let (who, games) = (column("opponent")?, column("games")?);
        let row =
            table.rows.iter().find(|row| matches!(row.get(who), Some(LoggedCell::Text(name)) if name == opponent))?;
        match row.get(games)? {
            LoggedCell::Number(games) => Some(*games),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    const KEY: &str = "eval/vs_greedy_bot/win_rate";

    fn with_games(rate: f64, games: f64) -> Synthetic {
        Synthetic::healthy(200).every(KEY, 20, move |_| rate).every("eval/vs_greedy_bot/games", 20, move |_| games)
    }

    #[test]
    fn a_rate_below_one_half_needs_its_games() {
        let finding = with_games(0.3, 64.0).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().contains("greedy_bot"), "{}", finding.title);
        assert_eq!(with_games(0.44, 32.0).quiet_reason(&CHECK), Some(QuietReason::WithinNoise));
        assert!(with_games(0.9, 64.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_running_total_of_games_counts_each_game_once() {
        // Two evaluations of 32 games at the end: 0.44 of 64 is within chance, of 600 it would not be.
        let running = Synthetic::healthy(200)
            .every(KEY, 20, |_| 0.44)
            .every("eval/vs_greedy_bot/games", 20, |t| 32.0 * (10.0 * t).round() + 32.0);
        assert!(running.quiet(&CHECK));
    }

    #[test]
    fn a_summary_without_games_is_not_assessed() {
        let mut run = Synthetic::healthy(200);
        run.run.summary.insert(KEY, ConfigValue::Number(0.3));
        assert!(run.quiet(&CHECK));
        let mut run = Synthetic::healthy(200);
        run.run.summary.insert(KEY, ConfigValue::Number(0.1));
        run.run.summary.insert("eval/vs_greedy_bot/games", ConfigValue::Number(64.0));
        assert!(run.finding(&CHECK).title.to_string().contains("10 %"));
    }
}

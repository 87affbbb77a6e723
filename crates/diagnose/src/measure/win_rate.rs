//! Win rates at the end of a run, and how many games are behind them: for the check of weak opponents and for
//! comparisons alike, so that both give a rate the same interval.

use crate::measure::Z_95;
use rundown_run::Run;
use rundown_stats as stats;

/// Fewest evaluations that stand in for a number of games.
const EVALUATIONS: usize = 5;
/// What the number of games beside a win rate is called.
const GAMES: [&str; 4] = ["games", "num_games", "games_played", "n_games"];
/// Words in the name of an opponent that is a pool.
const POOLS: [&str; 7] = ["league", "pool", "past", "self", "opponent", "gatekeeper", "previous"];

/// A win rate at the end of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndRate {
    /// Share of games won.
    pub share: f64,
    /// Games that it was counted from, where they are logged.
    pub games: Option<f64>,
    /// 95 % interval: Wilson's where games are counted, else from the scatter of five evaluations and more.
    pub interval: Option<(f64, f64)>,
}

impl EndRate {
    /// Of a logged win rate: the mean of the last fifth of its values. `counts` are the games as they were logged, of
    /// each evaluation or as a running total. `None` without any value.
    pub fn logged(shares: &[f64], counts: Option<&[f64]>) -> Option<Self> {
        let evaluations = (shares.len() / 5).max(1);
        let last = shares.get(shares.len().saturating_sub(evaluations)..)?;
        let share = stats::mean(last)?;
        match counts.and_then(|counts| games_of_last(counts, evaluations)) {
            Some(games) => Some(Self::counted(share, Some(games))),
            None => Some(Self { share, games: None, interval: scattered(share, last) }),
        }
    }

    /// Of a single number.
    pub fn counted(share: f64, games: Option<f64>) -> Self {
        let interval = games.and_then(|games| stats::wilson((share * games).clamp(0.0, games.max(0.0)), games, Z_95));
        Self { share, games, interval }
    }
}

/// Games of the last evaluations: the growth of a running total since then, else the usual number of each.
fn games_of_last(counts: &[f64], evaluations: usize) -> Option<f64> {
    let (first, last) = (counts.first()?, counts.last()?);
    if counts.is_sorted() && last > first {
        return Some(last - counts.iter().rev().nth(evaluations).copied().unwrap_or(0.0));
    }
    let ending = counts.get(counts.len().saturating_sub((counts.len() / 5).max(1))..)?;
    Some(stats::mean(ending)? * evaluations as f64)
}

/// The interval that the scatter of evaluations gives; those that follow each other are not independent.
fn scattered(share: f64, values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < EVALUATIONS {
        return None;
    }
    let half = Z_95 * stats::std_dev(values)? / stats::effective_size(values).max(1.0).sqrt();
    Some(((share - half).max(0.0), (share + half).min(1.0)))
}

/// The opponent that a key such as `eval/vs_{opponent}/win_rate` names.
pub fn opponent_of_rate(key: &str) -> Option<&str> {
    let (head, last) = key.rsplit_once('/')?;
    let named = head.rsplit('/').next()?.strip_prefix("vs_")?;
    matches!(last, "win_rate" | "winrate").then_some(named)
}

/// Games that stand in the summary beside a win rate.
pub fn games_in_summary(run: &Run, key: &str) -> Option<f64> {
    let (group, _) = key.rsplit_once('/')?;
    GAMES.iter().find_map(|name| run.summary.get(&format!("{group}/{name}"))?.as_number())
}

/// True for the name of an opponent that is a pool, which changes as the policy does.
pub fn is_pool(opponent: &str) -> bool {
    POOLS.iter().any(|word| opponent.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_those_of_the_last_evaluations_however_they_are_counted() {
        let shares = [0.5; 10];
        let running: Vec<f64> = (1..=10).map(|evaluation| 50.0 * f64::from(evaluation)).collect();
        let total = EndRate::logged(&shares, Some(&running)).unwrap();
        assert_eq!(total, EndRate::logged(&shares, Some(&[50.0; 10])).unwrap());
        assert_eq!((total.games, total.interval), (Some(100.0), stats::wilson(50.0, 100.0, Z_95)));
        assert_eq!(EndRate::logged(&shares, None).map(|rate| (rate.games, rate.interval)), Some((None, None)));
        assert_eq!(EndRate::logged(&[], None), None);
    }

    #[test]
    fn keys_name_opponents() {
        assert_eq!(opponent_of_rate("eval/vs_greedy_bot/win_rate"), Some("greedy_bot"));
        assert_eq!(opponent_of_rate("elo/win_rate"), None);
        assert!(is_pool("past_selves") && !is_pool("greedy_bot"));
    }
}

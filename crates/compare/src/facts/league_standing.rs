//! Which league is really better: gains against opponents that never change, with their errors.
//!
//! Two leagues are on one scale only where they were measured against the same opponents. The best checkpoint was picked
//! from many, so part of its lead is luck: a gain counts as shown when it stands out by more than that.

use super::Z_95;
use super::games::WinRate;
use super::league::{League, RatedAgent, RatingLevel};
use super::player_role::PlayerRole;
use rundown_stats as stats;
use rundown_stats::CompactSort as _;

/// Points of win rate by which a rate has to exceed what Elo predicts, beside its interval.
const BEYOND_ELO: f64 = 0.1;
/// Games below which a win rate is too unsure to name an opponent by.
pub const MIN_GAMES: f64 = 50.0;
/// Win rate from which an opponent that is beaten far more often than all others is named.
const BEATEN_WIN_RATE: f64 = 0.9;

/// What gains are measured against.
#[derive(Debug, Clone, PartialEq)]
pub enum GainBasis {
    /// The base model of each league.
    Base,
    /// The mean of the fixed opponents of these names, which all leagues have.
    Shared(Vec<String>),
    /// Each league's own: its base model, else the mean of its fixed opponents. Not one scale.
    Own,
}

/// A gain in Elo points.
#[derive(Debug, Clone, PartialEq)]
pub struct EloGain {
    /// Name of the agent that gained.
    pub who: String,
    /// Elo points above the reference.
    pub value: f64,
    /// Standard error, where games or ratings give one.
    pub error: Option<f64>,
    /// Agents that it was picked from; 1 for one that was not picked.
    pub looks: usize,
}

/// The standing of a league among others.
#[derive(Debug, Clone, PartialEq)]
pub struct LeagueStanding {
    /// Index into the summaries that were given.
    pub index: usize,
    /// The strongest of policy and checkpoints at the end; `None` without a fixed reference.
    pub best: Option<EloGain>,
    /// The policy as it is now.
    pub now: Option<EloGain>,
}

/// A win rate that the ratings do not explain.
#[derive(Debug, Clone, PartialEq)]
pub struct UnexpectedWinRate {
    /// Against whom.
    pub opponent: String,
    /// Share of games won.
    pub share: f64,
    /// What the difference of the ratings predicts; `None` where the opponent only stands out among the others.
    pub expected: Option<f64>,
}

impl GainBasis {
    /// In words, for "Elo above …".
    pub fn words(&self) -> &'static str {
        match self {
            GainBasis::Base => "the base model",
            GainBasis::Shared(_) => "the mean of the fixed opponents that all leagues share",
            GainBasis::Own => "its own fixed opponents",
        }
    }
}

impl EloGain {
    /// Half of its 95 % interval; NaN where no error is known.
    pub fn half(&self) -> f64 {
        RatingLevel { value: self.value, error: self.error }.half()
    }

    /// True when it is above 0 beyond its error and the selection bias of the best.
    pub fn is_shown(&self) -> bool {
        let Some(error) = self.error else { return false };
        self.value > Z_95 * error + stats::excess_of_best(error, self.looks as f64)
    }
}

/// The leagues of some runs, the best first, and what they are measured against. Runs without a league are left out;
/// those without a fixed reference come last.
pub fn standings<'l>(leagues: impl IntoIterator<Item = Option<&'l League>>) -> (GainBasis, Vec<LeagueStanding>) {
    let leagues: Vec<(usize, &League)> =
        leagues.into_iter().enumerate().filter_map(|(index, league)| Some((index, league?))).collect();
    let against = common(&leagues);
    let mut standings: Vec<LeagueStanding> = leagues
        .iter()
        .map(|(index, league)| LeagueStanding {
            index: *index,
            best: best(league, &against),
            now: now(league, &against),
        })
        .collect();
    let value = |standing: &LeagueStanding| standing.best.as_ref().map_or(f64::NEG_INFINITY, |gain| gain.value);
    standings.compact_sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.index.cmp(&b.index)));
    (against, standings)
}

/// What all leagues with a rated policy and fixed opponents have in common.
fn common(leagues: &[(usize, &League)]) -> GainBasis {
    let rated = || leagues.iter().map(|(_, league)| *league).filter(|league| league.fixed().next().is_some());
    let is_logged = leagues.iter().any(|(_, league)| league.logged_gap.is_some());
    if rated().all(|league| league.fixed().any(|agent| agent.role == PlayerRole::Base)) && !is_logged {
        return GainBasis::Base;
    }
    let Some(first) = rated().next() else { return GainBasis::Own };
    let everywhere = |name: &str| rated().all(|league| league.fixed().any(|agent| agent.name == name));
    let names: Vec<String> =
        first.fixed().filter(|agent| everywhere(&agent.name)).map(|agent| agent.name.clone()).collect();
    if names.is_empty() || is_logged { GainBasis::Own } else { GainBasis::Shared(names) }
}

/// Level of the reference of a league.
fn reference(league: &League, against: &GainBasis) -> Option<RatingLevel> {
    let base = || league.fixed().find(|agent| agent.role == PlayerRole::Base).map(|agent| agent.last);
    match against {
        GainBasis::Base => base(),
        GainBasis::Shared(names) => mean(league.fixed().filter(|agent| names.contains(&agent.name))),
        GainBasis::Own => base().or_else(|| mean(league.fixed())),
    }
}

/// Mean of several levels.
fn mean<'a>(agents: impl Iterator<Item = &'a RatedAgent>) -> Option<RatingLevel> {
    let (mut sum, mut squares, mut count) = (0.0, Some(0.0), 0.0);
    for agent in agents {
        sum += agent.last.value;
        squares = squares.zip(agent.last.error).map(|(squares, error)| squares + error * error);
        count += 1.0;
    }
    (count > 0.0).then(|| RatingLevel { value: sum / count, error: squares.map(|squares| squares.sqrt() / count) })
}

fn gain(agent: &RatedAgent, reference: RatingLevel, looks: usize) -> EloGain {
    let error = agent.last.error.zip(reference.error).map(|(one, other)| (one * one + other * other).sqrt());
    EloGain { who: agent.name.clone(), value: agent.last.value - reference.value, error, looks }
}

fn best(league: &League, against: &GainBasis) -> Option<EloGain> {
    let Some(reference) = reference(league, against) else { return now(league, against) };
    let ours = || league.now().into_iter().filter(|now| now.role == PlayerRole::Policy).chain(league.checkpoints());
    let looks = league.checkpoints().count().max(1) + league.left_out as usize;
    // A checkpoint before the policy itself, which is often the newest of them.
    let strongest = ours().reduce(|best, agent| {
        let is_named = best.role == PlayerRole::Policy && agent.last.value == best.last.value;
        if agent.last.value > best.last.value || is_named { agent } else { best }
    })?;
    Some(gain(strongest, reference, looks))
}

fn now(league: &League, against: &GainBasis) -> Option<EloGain> {
    match (league.now(), reference(league, against), league.logged_gap) {
        (Some(now), Some(reference), _) => Some(gain(now, reference, 1)),
        (_, _, Some(gap)) => {
            Some(EloGain { who: "the policy".to_owned(), value: gap.value, error: gap.error, looks: 1 })
        }
        _ => None,
    }
}

/// True for a rate that rose in training by more than its error: one that was as high from the start tells of the
/// opponent and not of what was learned.
fn rose_in_training(rate: &WinRate, (low, high): (f64, f64)) -> bool {
    rate.start.is_some_and(|start| rate.share - start > (high - low) / 2.0)
}

impl League {
    /// Fixed opponents whose win rates the ratings do not explain: beaten far more often than predicted, or than all other
    /// fixed opponents (points won from them may be an exploit and not skill), or far less often. Whole intervals decide,
    /// of [`MIN_GAMES`] games where they are counted; an exploit must have been learned, so the rate must have risen.
    pub fn surprises(&self) -> Vec<UnexpectedWinRate> {
        let rates = || self.win_rates.iter().filter(|rate| rate.role.is_fixed());
        let policy = self.now().map(|now| now.last.value);
        let rated = |name: &str| self.fixed().find(|agent| agent.name == name).map(|agent| agent.last.value);
        let mut found = Vec::new();
        for rate in rates() {
            let Some((low, high)) = rate.interval else { continue };
            if rate.games.is_some_and(|games| games < MIN_GAMES) {
                continue;
            }
            let expected = policy.zip(rated(&rate.opponent)).map(|(own, other)| stats::expected_score(own - other));
            let is_off = expected.is_some_and(|expected| {
                let outside = low > expected || high < expected;
                outside && (rate.share - expected).abs() > BEYOND_ELO
            });
            let mut others = rates().filter(|other| other.opponent != rate.opponent).peekable();
            let is_apart = expected.is_none()
                && rate.share >= BEATEN_WIN_RATE
                && others.peek().is_some()
                && others.all(|other| other.interval.map_or(other.share, |(_, high)| high) < low);
            let is_below = is_off && expected.is_some_and(|expected| rate.share < expected);
            if is_below || (is_off || is_apart) && rose_in_training(rate, (low, high)) {
                found.push(UnexpectedWinRate { opponent: rate.opponent.clone(), share: rate.share, expected });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(name: &str, elo: f64, error: f64) -> RatedAgent {
        RatedAgent {
            name: name.to_owned(),
            key: format!("elo/{name}"),
            role: PlayerRole::of(name),
            first: 1000.0,
            last: RatingLevel { value: elo, error: Some(error) },
            best: (elo, 0.0),
            points: 10,
            ..RatedAgent::default()
        }
    }

    fn league_of(agents: &[(&str, f64)]) -> League {
        let agents = agents.iter().map(|(name, elo)| rated(name, *elo, 20.0)).collect();
        League { agents, ..League::default() }
    }

    #[test]
    fn the_greatest_gain_against_the_base_model_leads() {
        let strong = league_of(&[("challenger", 1300.0), ("adapter_v9", 1350.0), ("base_model", 1000.0)]);
        // Higher ratings, but its base model rose as well.
        let inflated = league_of(&[("challenger", 1500.0), ("adapter_v9", 1400.0), ("base_model", 1450.0)]);
        let moving = league_of(&[("challenger", 2000.0), ("adapter_v9", 1900.0)]);
        let (against, standings) = standings([Some(&moving), Some(&inflated), Some(&strong), None]);
        assert_eq!(against, GainBasis::Base);
        assert_eq!(standings.iter().map(|standing| standing.index).collect::<Vec<_>>(), [2, 1, 0]);
        let best = standings[0].best.as_ref().unwrap();
        assert_eq!((best.who.as_str(), best.value), ("adapter_v9", 350.0));
        assert!((best.half() - Z_95 * 800.0_f64.sqrt()).abs() < 1e-9 && best.is_shown());
        assert_eq!(standings[0].now.as_ref().unwrap().value, 300.0);
        assert_eq!(standings[2].best, None);
    }

    #[test]
    fn shared_bots_stand_in_for_a_base_model() {
        let first = league_of(&[("policy", 1200.0), ("chaos_bot", 900.0), ("random_bot", 700.0)]);
        let second = league_of(&[("policy", 1200.0), ("chaos_bot", 1000.0), ("greedy_bot", 1500.0)]);
        let (against, ranked) = standings([Some(&second), Some(&first)]);
        assert_eq!(against, GainBasis::Shared(vec!["chaos_bot".to_owned()]));
        assert_eq!(ranked[0].best.as_ref().unwrap().value, 300.0);
        let third = league_of(&[("policy", 1200.0), ("stockfish", 3000.0)]);
        assert_eq!(standings([Some(&first), Some(&third)]).0, GainBasis::Own);
    }

    #[test]
    fn the_best_of_many_needs_more() {
        let gain = |looks| EloGain { who: String::new(), value: 60.0, error: Some(25.0), looks };
        assert!(gain(1).is_shown() && !gain(10).is_shown());
        assert!(!EloGain { error: None, ..gain(1) }.is_shown());
    }

    #[test]
    fn a_bot_beaten_beyond_its_rating_is_named() {
        let rate = |opponent: &str, share: f64, low: f64| WinRate {
            opponent: opponent.to_owned(),
            role: PlayerRole::Fixed,
            share,
            games: Some(100.0),
            interval: Some((low, share + 0.02)),
            start: Some(0.4),
        };
        let mut league = league_of(&[("policy", 1000.0), ("chaos_bot", 1000.0), ("defensive_bot", 600.0)]);
        league.win_rates =
            vec![rate("chaos_bot", 0.8, 0.7), rate("defensive_bot", 0.93, 0.9), rate("random_bot", 0.99, 0.96)];
        let found = league.surprises();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].opponent.as_str(), found[0].expected), ("chaos_bot", Some(0.5)));
        assert_eq!((found[1].opponent.as_str(), found[1].expected), ("random_bot", None));
        // A rate that was as high from the start, or that rests on a handful of games, is no new evidence.
        let weak = WinRate { start: Some(0.78), ..rate("chaos_bot", 0.8, 0.7) };
        league.win_rates = vec![weak.clone(), WinRate { games: Some(12.0), start: Some(0.1), ..weak }];
        assert_eq!(league.surprises(), []);
        league.win_rates = vec![rate("defensive_bot", 0.5, 0.4)];
        assert!(league.surprises()[0].expected.unwrap() > 0.9, "the ratings promise more than the games show");
    }
}

//! The table of good and bad signs of the experiment-analysis guide, filled with a run's numbers.
//!
//! Its rows are kept as the guide has them. A sign that its errors do not carry is unclear, for ratings wander.

use super::Z_95;
use super::league::{League, RatedAgent};
use super::league_standing::EloGain;
use super::player_role::PlayerRole;
use rundown_diagnose::Rulebook;

/// Whether a number is as it is in a league that learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeagueSign {
    /// As it is when a policy learns.
    Good,
    /// As it is when it does not.
    Bad,
    /// Within its error, or not logged.
    Unclear,
}

/// The signs of one league; `None` where it lacks what they are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct LeagueSigns {
    /// First rating of the base model, its level at the end, and its sign: falling is good.
    pub base: Option<(f64, f64, LeagueSign)>,
    /// The same for the mean of the other fixed opponents.
    pub bots: Option<(f64, f64, LeagueSign)>,
    /// The gap between best checkpoint and reference, and whether it is shown: growing is good.
    pub gap: Option<(f64, LeagueSign)>,
    /// Older checkpoints that ended more than 20 Elo below their peak, and how many there are: most is good.
    pub older: Option<(usize, usize, LeagueSign)>,
    /// Typical and largest KL: stable below 0.1 is good, spikes above 0.2 are bad, where the rulebook was not edited.
    pub kl: Option<(f64, f64, LeagueSign)>,
}

impl LeagueSign {
    /// The word that a table shows for it.
    pub fn words(self) -> &'static str {
        match self {
            LeagueSign::Good => "good",
            LeagueSign::Bad => "bad",
            LeagueSign::Unclear => "unclear",
        }
    }

    /// Of a fall that is good.
    fn of_fall(fall: f64, error: f64, slight: f64) -> Self {
        if error.is_nan() || fall.abs() <= (Z_95 * error).max(slight) {
            LeagueSign::Unclear
        } else if fall > 0.0 {
            LeagueSign::Good
        } else {
            LeagueSign::Bad
        }
    }
}

impl LeagueSigns {
    /// The signs of a league whose best checkpoint and policy gained this much.
    pub fn of(league: &League, best: Option<&EloGain>, now: Option<&EloGain>) -> Self {
        let base = league.fixed().find(|agent| agent.role == PlayerRole::Base);
        let bots: Vec<&RatedAgent> = league.fixed().filter(|agent| agent.role == PlayerRole::Fixed).collect();
        let (book, slight) = (&league.rulebook, league.rulebook.elo_change().value);
        Self {
            base: base.map(|base| moved(&[base], slight)),
            bots: (!bots.is_empty()).then(|| moved(&bots, slight)),
            gap: best.map(|best| (best.value, of_gap(best, now, slight))),
            older: older(league, slight),
            kl: league.kl.map(|(typical, largest)| (typical, largest, of_kl(typical, largest, book))),
        }
    }
}

/// Mean first rating, mean level at the end, and the sign of the fall in between.
fn moved(agents: &[&RatedAgent], slight: f64) -> (f64, f64, LeagueSign) {
    let count = agents.len() as f64;
    let first = agents.iter().map(|agent| agent.first).sum::<f64>() / count;
    let last = agents.iter().map(|agent| agent.last.value).sum::<f64>() / count;
    let squares: f64 = agents.iter().map(|agent| agent.last.error.map_or(f64::NAN, |error| error * error)).sum();
    (first, last, LeagueSign::of_fall(first - last, squares.sqrt() / count, slight))
}

/// A gap that is shown is good, unless the policy lost half of it again; one that is surely below zero is bad.
fn of_gap(best: &EloGain, now: Option<&EloGain>, slight: f64) -> LeagueSign {
    let lost = now.is_some_and(|now| best.value - now.value > (0.5 * best.value).max(slight));
    let below = now.is_some_and(|now| now.value < -now.half());
    match (best.is_shown(), lost || below) {
        (_, true) => LeagueSign::Bad,
        (true, false) => LeagueSign::Good,
        (false, false) => LeagueSign::Unclear,
    }
}

fn older(league: &League, slight: f64) -> Option<(usize, usize, LeagueSign)> {
    let (mut fallen, mut all) = (0, 0);
    for agent in league.checkpoints().skip(1) {
        all += 1;
        fallen += usize::from(agent.best.0 - agent.last.value > slight);
    }
    let sign = if 2 * fallen > all { LeagueSign::Good } else { LeagueSign::Unclear };
    (all >= 2).then_some((fallen, all, sign))
}

fn of_kl(typical: f64, largest: f64, book: &Rulebook) -> LeagueSign {
    if largest > book.kl_watch().value || typical > book.kl_stable().value { LeagueSign::Bad } else { LeagueSign::Good }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::RatingLevel;

    fn rated(name: &str, first: f64, best: f64, last: f64) -> RatedAgent {
        RatedAgent {
            name: name.to_owned(),
            key: String::new(),
            role: PlayerRole::of(name),
            first,
            last: RatingLevel { value: last, error: Some(15.0) },
            best: (best, 1.0),
            points: 40,
            ..RatedAgent::default()
        }
    }

    #[test]
    fn a_learning_league_has_good_signs() {
        let league = League {
            agents: vec![
                rated("adapter_v30", 1100.0, 1300.0, 1290.0),
                rated("adapter_v20", 1100.0, 1250.0, 1200.0),
                rated("adapter_v10", 1000.0, 1150.0, 1100.0),
                rated("base_model", 1000.0, 1010.0, 900.0),
                rated("chaos_bot", 1000.0, 1000.0, 990.0),
            ],
            kl: Some((0.03, 0.4)),
            ..League::default()
        };
        let gain = EloGain { who: String::new(), value: 390.0, error: Some(20.0), looks: 3 };
        let signs = LeagueSigns::of(&league, Some(&gain), Some(&gain));
        assert_eq!(signs.base, Some((1000.0, 900.0, LeagueSign::Good)));
        assert_eq!(signs.bots.unwrap().2, LeagueSign::Unclear);
        assert_eq!((signs.gap.unwrap().1, signs.older), (LeagueSign::Good, Some((2, 2, LeagueSign::Good))));
        assert_eq!(signs.kl.unwrap().2, LeagueSign::Bad);
        let mut lenient = league.clone();
        lenient.rulebook.threshold_mut("kl_watch").unwrap().value = 0.5;
        assert_eq!(LeagueSigns::of(&lenient, Some(&gain), Some(&gain)).kl.unwrap().2, LeagueSign::Good);
        let lost = EloGain { value: 50.0, ..gain.clone() };
        assert_eq!(LeagueSigns::of(&league, Some(&gain), Some(&lost)).gap.unwrap().1, LeagueSign::Bad);
    }
}

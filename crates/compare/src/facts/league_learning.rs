//! Whether a league shows that its policy learns, and why.
//!
//! The experiment-analysis guide counts checkpoints that decline. In a closed pool ratings are zero-sum, so here the gap
//! to opponents that never change decides, and the checkpoints that declined are reported beside it.

use super::league::League;
use super::league_signs::{LeagueSign, LeagueSigns};
use super::league_standing::{EloGain, LeagueStanding};
use rundown_format::named_enum;

named_enum! {
    as_str
    /// Whether the policy learns.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LearningSignal {
        /// It gained on opponents that never change, and kept it.
        Yes = "yes",
        /// It gained nothing, or lost it again.
        No = "no",
        /// Too little is logged to decide.
        Unclear = "unclear",
    }
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LearningReason {
    /// The gain is beyond its error.
    GainShown,
    /// Half of the gain is gone again.
    GainLost,
    /// The policy is surely below the reference.
    BelowReference,
    /// The gain is within its error.
    WithinError,
    /// Neither games nor enough ratings give the error of the gain.
    ErrorUnknown,
    /// No opponent stays the same.
    NoFixedOpponent,
}

/// The learning signal of one league.
#[derive(Debug, Clone, PartialEq)]
pub struct LeagueLearning {
    /// Yes, no or unclear.
    pub signal: LearningSignal,
    /// Why.
    pub reason: LearningReason,
    /// The gain of the best checkpoint.
    pub best: Option<EloGain>,
    /// The gain of the policy now.
    pub now: Option<EloGain>,
    /// Elo that the fixed opponents lost in all.
    pub lost: Option<f64>,
}

impl LeagueLearning {
    /// The signal of a league by its standing among others.
    pub fn of(league: &League, standing: &LeagueStanding) -> Self {
        let (best, now) = (standing.best.as_ref(), standing.now.as_ref());
        let sign = LeagueSigns::of(league, best, now).gap.map(|(_, sign)| sign);
        let below = now.is_some_and(|now| now.value < -now.half());
        let (signal, reason) = match (sign, best.and_then(|best| best.error)) {
            (None, _) => (LearningSignal::Unclear, LearningReason::NoFixedOpponent),
            (Some(LeagueSign::Good), _) => (LearningSignal::Yes, LearningReason::GainShown),
            (Some(LeagueSign::Bad), _) if below => (LearningSignal::No, LearningReason::BelowReference),
            (Some(_), None) => (LearningSignal::Unclear, LearningReason::ErrorUnknown),
            (Some(LeagueSign::Bad), _) => (LearningSignal::No, LearningReason::GainLost),
            (Some(LeagueSign::Unclear), _) => (LearningSignal::No, LearningReason::WithinError),
        };
        Self { signal, reason, best: best.cloned(), now: now.cloned(), lost: league.lost_by_fixed() }
    }
}

impl League {
    /// Elo that the rated fixed opponents lost in all, from the first rating of each to its level at the end; below 0
    /// where they gained. `None` without one.
    pub fn lost_by_fixed(&self) -> Option<f64> {
        self.fixed().next()?;
        Some(self.fixed().map(|agent| agent.first - agent.last.value).sum())
    }

    /// The base model's rating at the end, where it is rated.
    pub fn base_elo(&self) -> Option<f64> {
        let base = self.fixed().find(|agent| agent.role == super::PlayerRole::Base);
        base.map(|base| base.last.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{PlayerRole, RatedAgent, RatingLevel, standings};

    fn rated(name: &str, first: f64, last: f64) -> RatedAgent {
        RatedAgent {
            name: name.to_owned(),
            role: PlayerRole::of(name),
            first,
            last: RatingLevel { value: last, error: Some(15.0) },
            best: (first.max(last), 1.0),
            points: 40,
            ..RatedAgent::default()
        }
    }

    fn learning(agents: Vec<RatedAgent>) -> (LearningSignal, LearningReason, Option<f64>) {
        let league = League { agents, ..League::default() };
        let (_, found) = standings([Some(&league)]);
        let learning = LeagueLearning::of(&league, &found[0]);
        (learning.signal, learning.reason, learning.lost)
    }

    #[test]
    fn the_gain_on_fixed_opponents_decides() {
        let base = || rated("base_model", 1000.0, 900.0);
        let bot = || rated("chaos_bot", 1010.0, 970.0);
        let gained = learning(vec![rated("challenger", 1000.0, 1200.0), base(), bot()]);
        assert_eq!(gained, (LearningSignal::Yes, LearningReason::GainShown, Some(140.0)));
        let still = learning(vec![rated("challenger", 1000.0, 905.0), base()]);
        assert_eq!((still.0, still.1), (LearningSignal::No, LearningReason::WithinError));
        let lost = learning(vec![rated("challenger", 1000.0, 920.0), rated("adapter_v9", 1000.0, 1200.0), base()]);
        assert_eq!((lost.0, lost.1), (LearningSignal::No, LearningReason::GainLost));
        let below = learning(vec![rated("challenger", 1000.0, 700.0), base()]);
        assert_eq!((below.0, below.1), (LearningSignal::No, LearningReason::BelowReference));
        let moving = learning(vec![rated("challenger", 1000.0, 1200.0), rated("adapter_v9", 1000.0, 1100.0)]);
        assert_eq!(moving, (LearningSignal::Unclear, LearningReason::NoFixedOpponent, None));
    }
}

//! A league among those of other runs, and its learning signal in words.

use super::parts::key_span;
use rundown_compare::RunSummary;
use rundown_compare::facts::{EloGain, GainBasis, League, LeagueLearning, LeagueStanding, LearningReason, standings};
use rundown_format::{RichText, number, plus_minus, rich};

/// A league with its run and its place among the others.
pub(super) struct RankedLeague<'a> {
    /// The run.
    pub summary: &'a RunSummary,
    /// Its league.
    pub league: &'a League,
    /// Its gains.
    pub standing: LeagueStanding,
}

/// The leagues of these runs, the best first, and what their gains are measured against.
pub(super) fn ranked<'a>(summaries: &[&'a RunSummary]) -> (GainBasis, Vec<RankedLeague<'a>>) {
    let (against, found) = standings(summaries.iter().map(|summary| summary.league.as_ref()));
    let placed = found.into_iter().filter_map(|standing| {
        let summary = *summaries.get(standing.index)?;
        Some(RankedLeague { summary, league: summary.league.as_ref()?, standing })
    });
    (against, placed.collect())
}

impl RankedLeague<'_> {
    /// `yes, because adapter_v40 is 432 ± 70 Elo above the base model; …`.
    pub(super) fn learning(&self, against: &GainBasis) -> RichText {
        let learning = LeagueLearning::of(self.league, &self.standing);
        let stands = |gain: &Option<EloGain>| match gain {
            Some(gain) => {
                let height = plus_minus(gain.value, gain.half());
                rich!("{} is {} Elo above {}", key_span(&gain.who), height, against.words())
            }
            None => "nothing is rated".into(),
        };
        let why = match learning.reason {
            LearningReason::GainShown => stands(&learning.best),
            LearningReason::GainLost => {
                rich!("{}, but the policy lost much of that: {}", stands(&learning.best), stands(&learning.now))
            }
            LearningReason::BelowReference => stands(&learning.now),
            LearningReason::WithinError => rich!("{}, which is within the error", stands(&learning.best)),
            LearningReason::ErrorUnknown => rich!("{}, with an unknown error", stands(&learning.best)),
            LearningReason::NoFixedOpponent => "no rated opponent stays the same".into(),
        };
        let mut words = rich!("{}, because {}", learning.signal.as_str(), why);
        if let Some(lost) = learning.lost {
            let moved = if lost < 0.0 { "gained" } else { "lost" };
            words.append(rich!("; the fixed opponents {} {} Elo in all", moved, number(lost.abs().round())));
        }
        words
    }
}

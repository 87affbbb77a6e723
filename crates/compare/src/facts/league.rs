//! Who plays in a run's league and how strong they are: ratings, win rates, games.
//!
//! Elo is relative, and in a closed pool zero-sum. Only the difference to an opponent that never changes means
//! progress, so every agent has a role, and gains are made of these ([`super::league_standing`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Z_95;
use super::curve::MetricPoints;
use super::games::{BradleyTerry, WinRate, fitted, win_rates};
use super::nullable;
use super::player_role::PlayerRole;
use super::rating_trend::{GameMetric, RatingTrend, game_metrics, is_past_peak, scatter};
use crate::DiagnosedRun;
use rundown_diagnose::Rulebook;
use rundown_stats as stats;
use rundown_vocabulary::{Agent, Binding, Concept, agent};

/// Most agents that are kept: the fixed ones first, then the policy and the strongest checkpoints.
const MAX_AGENTS: usize = 64;
/// Part of the ratings that makes a level, and the fewest of them.
const LEVEL_WINDOW: (f64, usize) = (0.1, 3);

/// A league as comparisons see it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct League {
    /// Agents with an Elo rating: the policy, its checkpoints from the newest on, the base model, other fixed ones.
    /// Their trajectories are in the summary's traces.
    pub agents: Vec<RatedAgent>,
    /// Agents left out for their number.
    pub left_out: u32,
    /// Games played in all, where they are counted.
    pub games: Option<f64>,
    /// Elo gap to a fixed reference as the run logs it itself, without its ratings.
    pub logged_gap: Option<RatingLevel>,
    /// Win rates against named opponents.
    pub win_rates: Vec<WinRate>,
    /// Ratings from game counts, where these are logged.
    pub fit: Option<BradleyTerry>,
    /// Metrics of games that are no ratings (`game/*`, `placement/*`).
    #[serde(default)]
    pub game_metrics: Vec<GameMetric>,
    /// Typical and largest KL to the reference.
    #[serde(deserialize_with = "nullable::read")]
    pub kl: Option<(f64, f64)>,
    /// The rulebook of the diagnosis; the built-in one for a run of which only the report is there.
    #[serde(skip)]
    pub rulebook: Rulebook,
}

/// An agent with an Elo rating.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RatedAgent {
    /// Its name, such as `adapter_v40`.
    pub name: String,
    /// Metric key of its rating.
    pub key: String,
    /// What it is.
    pub role: PlayerRole,
    /// First rating.
    #[serde(deserialize_with = "nullable::read")]
    pub first: f64,
    /// Level at the end: mean of the last tenth of its ratings, three at least.
    pub last: RatingLevel,
    /// Highest rating and its step.
    #[serde(deserialize_with = "nullable::read")]
    pub best: (f64, f64),
    /// Number of ratings.
    pub points: u32,
    /// Where the ratings go: rising or falling by more than [`Rulebook::elo_change`].
    #[serde(default)]
    pub course: RatingTrend,
}

/// A measured level in its unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RatingLevel {
    /// The value.
    #[serde(deserialize_with = "nullable::read")]
    pub value: f64,
    /// Standard error, where games or ratings give one.
    pub error: Option<f64>,
}

impl RatingLevel {
    /// Half of its 95 % interval; NaN where no error is known.
    pub fn half(&self) -> f64 {
        self.error.map_or(f64::NAN, |error| Z_95 * error)
    }
}

impl League {
    /// The league of a run; `None` without ratings and win rates. `last` holds the last value of every metric.
    pub fn of((run, diagnosis): DiagnosedRun<'_>, last: &BTreeMap<String, f64>) -> Option<Self> {
        let bindings = &diagnosis.bindings;
        let rated = || {
            let all = bindings.all(Concept::Elo).iter().chain(bindings.all(Concept::ReferenceElo));
            // The best of a league is picked after the fact: it can only rise.
            all.filter(|binding| binding.name.as_deref().map_or(Agent::Policy, agent) != Agent::Best)
        };
        let curves: Vec<(&Binding, MetricPoints)> =
            rated().filter_map(|binding| Some((binding, MetricPoints::of(run, binding)?))).collect();
        let counted = bindings.all(Concept::Games).iter().find(|binding| binding.name.is_none());
        let counted = counted.and_then(|binding| MetricPoints::of(run, binding)).map(|games| games.max());
        // Each game has two players.
        let slight = diagnosis.rulebook.elo_change().value;
        let each = counted.filter(|_| curves.len() >= 2).map(|games| 2.0 * games / curves.len() as f64);
        let mut agents: Vec<RatedAgent> =
            curves.iter().map(|(binding, curve)| rating(binding, curve, each, slight)).collect();
        let left_out = shorten(&mut agents);
        let win_rates = win_rates(run, diagnosis);
        let (fit, met) = fitted(run, last, &win_rates).map_or((None, None), |(fit, games)| (Some(fit), Some(games)));
        let gap = if agents.is_empty() { MetricPoints::primary(run, diagnosis, Concept::EloGap) } else { None };
        if agents.is_empty() && win_rates.is_empty() && gap.is_none() && fit.is_none() {
            return None;
        }
        let kl = MetricPoints::primary(run, diagnosis, Concept::KlToReference).map(|kl| (kl.median(), kl.max()));
        let logged_gap = gap.map(|gap| level(&gap, None));
        let game_metrics = game_metrics(run);
        let rulebook = diagnosis.rulebook.clone();
        Some(Self { agents, left_out, games: counted.or(met), logged_gap, win_rates, fit, game_metrics, kl, rulebook })
    }

    /// The policy as it is now: by its own rating, else its newest checkpoint.
    pub fn now(&self) -> Option<&RatedAgent> {
        self.agents.iter().find(|agent| agent.role == PlayerRole::Policy).or_else(|| self.checkpoints().next())
    }

    /// Checkpoints, the newest first.
    pub fn checkpoints(&self) -> impl Iterator<Item = &RatedAgent> {
        self.agents.iter().filter(|agent| matches!(agent.role, PlayerRole::Checkpoint(_)))
    }

    /// Rated opponents that never change, the base model first.
    pub fn fixed(&self) -> impl Iterator<Item = &RatedAgent> {
        self.agents.iter().filter(|agent| agent.role.is_fixed())
    }

    /// True when every logged opponent changes: then neither ratings nor win rates show progress.
    pub fn only_moving(&self) -> bool {
        let fixed_rate = self.win_rates.iter().any(|rate| rate.role.is_fixed());
        self.fixed().next().is_none() && !fixed_rate && self.logged_gap.is_none()
    }
}

fn rating(binding: &Binding, curve: &MetricPoints, games: Option<f64>, slight: f64) -> RatedAgent {
    let name = binding.name.clone().unwrap_or_else(|| "policy".to_owned());
    let role = binding.name.as_deref().map_or(PlayerRole::Policy, PlayerRole::of);
    let role = match (binding.concept, role) {
        // The user's own choice of what a key stands for goes before its name.
        (Concept::ReferenceElo, PlayerRole::Policy | PlayerRole::Moving) => PlayerRole::Fixed,
        (Concept::Elo, PlayerRole::Moving) => PlayerRole::Policy,
        (_, role) => role,
    };
    let mut best = (curve.first(), curve.steps.first().copied().unwrap_or(f64::NAN));
    for (value, step) in curve.values.iter().zip(&curve.steps) {
        best = if *value > best.0 { (*value, *step) } else { best };
    }
    let points = u32::try_from(curve.values.len()).unwrap_or(u32::MAX);
    let last = level(curve, games);
    let fell = is_past_peak(best.0, last.value, last.error, curve.values.len());
    RatedAgent {
        name,
        key: curve.key.clone(),
        role,
        first: curve.first(),
        last,
        best,
        points,
        course: match RatingTrend::of(&curve.values, (curve.first(), last.value), last.error, slight) {
            RatingTrend::Flat | RatingTrend::Rising if fell => RatingTrend::PastPeak,
            course => course,
        },
    }
}

/// The level at the end. Its error is the larger of [`stats::elo_error`] of the number of games at even chances and
/// the scatter of the ratings around their own course.
fn level(curve: &MetricPoints, games: Option<f64>) -> RatingLevel {
    let value = stats::mean(curve.end(LEVEL_WINDOW.0, LEVEL_WINDOW.1)).unwrap_or(f64::NAN);
    let by_games = games.and_then(|games| stats::elo_error(games, 0.0));
    RatingLevel { value, error: by_games.into_iter().chain(scatter(&curve.values)).reduce(f64::max) }
}

/// Keeps the fixed agents and the strongest others, in their order; returns how many are gone.
fn shorten(agents: &mut Vec<RatedAgent>) -> u32 {
    let many = agents.len().saturating_sub(MAX_AGENTS);
    if many == 0 {
        return 0;
    }
    let strength = |agent: &RatedAgent| match agent.role {
        PlayerRole::Policy | PlayerRole::Base => f64::INFINITY,
        PlayerRole::Fixed => 1e300,
        PlayerRole::Checkpoint(_) | PlayerRole::Moving => agent.last.value,
    };
    let mut all: Vec<f64> = agents.iter().map(strength).collect();
    all.sort_by(f64::total_cmp);
    let least = all.get(many).copied().unwrap_or(f64::NEG_INFINITY);
    agents.retain(|agent| strength(agent) >= least);
    agents.truncate(MAX_AGENTS);
    u32::try_from(many).unwrap_or(u32::MAX)
}

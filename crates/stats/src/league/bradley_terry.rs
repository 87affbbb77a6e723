//! The Bradley-Terry model of games, fitted by maximum likelihood: all games at once, in any order, on a scale that a
//! fixed player anchors. An Elo that is updated game by game depends on the order and drifts with the pool.
//!
//! No crate fits it: skillratings 0.29 has Elo, Glicko, TrueSkill and other ratings that are updated game by game.

use super::elo::ELO_PER_LOGIT;
use crate::compact_sort::CompactSort as _;
use crate::distributions::chi_square_sf;

/// Games of a virtual draw between each player and the anchor, half of which each side scores: without it a player that
/// won every game would have no finite rating.
const VIRTUAL_GAMES: f64 = 0.5;

/// Players above this number get no standard errors, whose cost is the cube of it.
const MAX_WITH_ERRORS: usize = 200;

/// Relative change of a strength below which the iteration has converged, and the most work it may do, in visits to a
/// pairing.
const CONVERGED_CHANGE: f64 = 1e-12;
const MAX_VISITS: usize = 20_000_000;

/// What two players did against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pairing {
    /// One player, by index.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// Points of `a`: wins plus half of the draws.
    pub score: f64,
    /// Games played.
    pub games: f64,
}

/// A player's place on the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Elo points above the anchor, which has 0.
    pub elo: f64,
    /// Standard error of that in Elo points; 0 for the anchor. `None` with more than 200 players.
    pub error: Option<f64>,
    /// Games that the player played, without the virtual one.
    pub games: f64,
}

/// Ratings of all players.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// By player index.
    pub players: Vec<Rating>,
    /// p of what the ratings leave unexplained (their deviance, by chi-square; rough below about five games a pair) if
    /// one scale explains all games: small where some beat each other in a circle. 1 without degrees of freedom, which
    /// are the pairs that met minus the ratings to choose.
    pub p: f64,
}

/// Bradley and Terry's model by Hunter's MM iteration (2004): strength s_i <- W_i / sum n_ij / (s_i + s_j), draws count
/// half, and half a virtual game, drawn, is added between each player and the `anchor`.
///
/// Errors come from the inverse Hessian with the anchor held, which equals that of the pseudo-inverse for differences
/// from the anchor. Pairings that name a player beyond `players`, the same player twice, or a score that is no part of
/// the games are left out; the same pair may occur several times. `None` without players or with an anchor that is no player.
pub fn bradley_terry(players: usize, pairings: &[Pairing], anchor: usize) -> Option<Ratings> {
    if anchor >= players {
        return None;
    }
    let played = merged(players, pairings);
    let mut all = played.clone();
    let rest = (0..players).filter(|player| *player != anchor);
    all.extend(rest.map(|a| Pairing { a, b: anchor, score: VIRTUAL_GAMES / 2.0, games: VIRTUAL_GAMES }));
    let strengths = strengths(players, &all, anchor);
    let errors = errors(&strengths, &all, anchor);
    let mut games = vec![0.0; players];
    for pairing in &played {
        add(&mut games, pairing.a, pairing.games);
        add(&mut games, pairing.b, pairing.games);
    }
    let ratings = strengths.iter().zip(&games).enumerate().map(|(player, (strength, games))| Rating {
        elo: ELO_PER_LOGIT * libm::log(*strength),
        error: errors.as_ref().and_then(|errors| errors.get(player).copied()),
        games: *games,
    });
    let met = games.iter().filter(|games| **games > 0.0).count();
    let degrees = (played.len() + 1).saturating_sub(met.max(1));
    let deviance = played.iter().map(|pairing| surprise(pairing, &strengths)).sum::<f64>().max(0.0);
    let p = if degrees == 0 { 1.0 } else { chi_square_sf(deviance, degrees as f64) };
    Some(Ratings { players: ratings.collect(), p })
}

/// Each pair that met once, the lower index first.
fn merged(players: usize, pairings: &[Pairing]) -> Vec<Pairing> {
    let sensible = |pairing: &&Pairing| {
        pairing.a.max(pairing.b) < players
            && pairing.a != pairing.b
            && pairing.games > 0.0
            && pairing.games < 1e15
            && (0.0..=pairing.games).contains(&pairing.score)
    };
    let ordered = |pairing: &Pairing| {
        let Pairing { a, b, score, games } = *pairing;
        if a < b { *pairing } else { Pairing { a: b, b: a, score: games - score, games } }
    };
    let mut sorted: Vec<Pairing> = pairings.iter().filter(sensible).map(ordered).collect();
    sorted.compact_sort_by_key(|pairing| (pairing.a, pairing.b));
    sorted
        .chunk_by(|one, other| (one.a, one.b) == (other.a, other.b))
        .filter_map(|same| {
            let first = *same.first()?;
            let score = same.iter().map(|pairing| pairing.score).sum();
            Some(Pairing { score, games: same.iter().map(|pairing| pairing.games).sum(), ..first })
        })
        .collect()
}

/// The strengths, 1 for the anchor.
fn strengths(players: usize, pairings: &[Pairing], anchor: usize) -> Vec<f64> {
    let mut scores = vec![0.0; players];
    for pairing in pairings {
        add(&mut scores, pairing.a, pairing.score);
        add(&mut scores, pairing.b, pairing.games - pairing.score);
    }
    let mut strengths = vec![1.0; players];
    let rounds = (MAX_VISITS / pairings.len().max(1)).clamp(50, 20_000);
    for _ in 0..rounds {
        let mut weights = vec![0.0; players];
        for pairing in pairings {
            let weight = pairing.games / (at(&strengths, pairing.a) + at(&strengths, pairing.b));
            add(&mut weights, pairing.a, weight);
            add(&mut weights, pairing.b, weight);
        }
        let mut change: f64 = 0.0;
        // The scale is free: holding the anchor at 1 divides all by its new strength.
        let unit = at(&scores, anchor) / at(&weights, anchor);
        for ((strength, score), weight) in strengths.iter_mut().zip(&scores).zip(&weights) {
            let next = score / weight / unit;
            // A player without games, and a pool without any, stay where they are.
            if next.is_finite() && next > 0.0 {
                change = change.max((next / *strength - 1.0).abs());
                *strength = next;
            }
        }
        if change < CONVERGED_CHANGE {
            break;
        }
    }
    strengths
}

/// Standard errors in Elo points.
fn errors(strengths: &[f64], pairings: &[Pairing], anchor: usize) -> Option<Vec<f64>> {
    let size = strengths.len();
    if size > MAX_WITH_ERRORS {
        return None;
    }
    let mut information = vec![vec![0.0; size]; size];
    for pairing in pairings {
        let (a, b) = (at(strengths, pairing.a), at(strengths, pairing.b));
        let weight = pairing.games * (a / (a + b)) * (b / (a + b));
        for (row, column, value) in [
            (pairing.a, pairing.a, weight),
            (pairing.b, pairing.b, weight),
            (pairing.a, pairing.b, -weight),
            (pairing.b, pairing.a, -weight),
        ] {
            if let Some(row) = information.get_mut(row) {
                add(row, column, value);
            }
        }
    }
    // The anchor does not move: its row becomes that of the unit matrix.
    for (index, row) in information.iter_mut().enumerate() {
        for (column, value) in row.iter_mut().enumerate() {
            if index == anchor || column == anchor {
                *value = if index == column { 1.0 } else { 0.0 };
            }
        }
    }
    let variances = inverse_diagonal(&information)?;
    let error = |(player, variance): (usize, f64)| if player == anchor { 0.0 } else { ELO_PER_LOGIT * variance.sqrt() };
    Some(variances.into_iter().enumerate().map(error).collect())
}

/// Diagonal of the inverse of a symmetric positive matrix: with A = L L', the squared lengths of the columns of L^-1.
fn inverse_diagonal(matrix: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for row in matrix {
        let mut found: Vec<f64> = Vec::with_capacity(matrix.len());
        for (above, entry) in lower.iter().zip(row) {
            let substituted: f64 = found.iter().zip(above).map(|(a, b)| a * b).sum();
            found.push((entry - substituted) / above.last()?);
        }
        let square = row.get(lower.len())? - found.iter().map(|value| value * value).sum::<f64>();
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        found.push(square.sqrt());
        lower.push(found);
    }
    let solve = |column: usize| {
        let mut solution: Vec<f64> = Vec::with_capacity(lower.len());
        for (index, row) in lower.iter().enumerate() {
            let unit = if index == column { 1.0 } else { 0.0 };
            let substituted: f64 = solution.iter().zip(row).map(|(a, b)| a * b).sum();
            solution.push((unit - substituted) / row.last()?);
        }
        Some(solution.iter().map(|value| value * value).sum())
    };
    (0..matrix.len()).map(solve).collect()
}

/// Deviance of one pair: 2 sum observed ln(observed / expected).
fn surprise(pairing: &Pairing, strengths: &[f64]) -> f64 {
    let (a, b) = (at(strengths, pairing.a), at(strengths, pairing.b));
    let term = |observed: f64, expected: f64| {
        if observed > 0.0 { observed * libm::log(observed / expected) } else { 0.0 }
    };
    let expected = pairing.games * a / (a + b);
    2.0 * (term(pairing.score, expected) + term(pairing.games - pairing.score, pairing.games - expected))
}

fn at(values: &[f64], index: usize) -> f64 {
    values.get(index).copied().unwrap_or(0.0)
}

fn add(values: &mut [f64], index: usize, amount: f64) {
    if let Some(value) = values.get_mut(index) {
        *value += amount;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SplitMix64, elo_error, expected_score};
    use proptest::prelude::*;

    fn pairing(a: usize, b: usize, score: f64, games: f64) -> Pairing {
        Pairing { a, b, score, games }
    }

    #[test]
    fn one_pair_is_its_score() {
        let ratings = bradley_terry(2, &[pairing(0, 1, 600.0, 1000.0)], 1).unwrap();
        let [player, anchor] = ratings.players[..] else { panic!() };
        assert!(
            (player.elo - 70.4).abs() < 0.1 && (player.error.unwrap() - elo_error(1000.0, 70.4).unwrap()).abs() < 0.05
        );
        assert_eq!((anchor.elo, anchor.error, anchor.games), (0.0, Some(0.0), 1000.0));
        assert_eq!(ratings.p, 1.0);
    }

    #[test]
    fn ratings_are_recovered() {
        let truth = [0.0, 50.0, 120.0, -80.0, 200.0];
        let mut random = SplitMix64::new(3);
        let mut games = Vec::new();
        for a in 0..5 {
            for b in 0..a {
                let won = (0..400).filter(|_| random.uniform() < expected_score(truth[a] - truth[b])).count();
                games.push(pairing(a, b, won as f64, 400.0));
            }
        }
        let ratings = bradley_terry(5, &games, 0).unwrap();
        for (player, truth) in ratings.players.iter().zip(truth) {
            assert!((player.elo - truth).abs() <= 4.0 * player.error.unwrap() + 1e-9, "{player:?} against {truth}");
        }
        assert!(ratings.p > 0.001, "{ratings:?}");
    }

    #[test]
    fn a_circle_is_no_scale() {
        let games = [pairing(0, 1, 80.0, 100.0), pairing(1, 2, 80.0, 100.0), pairing(2, 0, 80.0, 100.0)];
        let ratings = bradley_terry(3, &games, 0).unwrap();
        assert!(ratings.players.iter().all(|player| player.elo.abs() < 1e-6));
        assert!(ratings.p < 1e-6, "{ratings:?}");
    }

    #[test]
    fn who_never_lost_and_who_never_played_have_ratings() {
        let ratings = bradley_terry(3, &[pairing(0, 1, 0.0, 20.0)], 0).unwrap();
        let [_, winner, idle] = ratings.players[..] else { panic!() };
        assert!(winner.elo > 300.0 && winner.elo.is_finite() && winner.error.unwrap() > 100.0, "{winner:?}");
        assert!((idle.elo).abs() < 1e-9 && idle.error.unwrap() > 300.0 && idle.games == 0.0, "{idle:?}");
    }

    #[test]
    fn nonsense_is_left_out() {
        let odd =
            [pairing(0, 0, 1.0, 2.0), pairing(0, 9, 1.0, 2.0), pairing(0, 1, 3.0, 2.0), pairing(1, 0, f64::NAN, 2.0)];
        let ratings = bradley_terry(2, &odd, 0).unwrap();
        assert!(ratings.players.iter().all(|player| player.elo == 0.0 && player.games == 0.0));
        assert_eq!(bradley_terry(0, &[], 0), None);
        assert_eq!(bradley_terry(2, &[], 2), None);
        assert!(bradley_terry(1, &[], 0).is_some());
    }

    #[test]
    fn pairs_may_come_in_parts_and_either_way() {
        let parts = [pairing(0, 1, 3.0, 5.0), pairing(1, 0, 4.0, 5.0)];
        assert_eq!(bradley_terry(2, &parts, 0), bradley_terry(2, &[pairing(0, 1, 4.0, 10.0)], 0));
    }

    proptest! {
        #[test]
        fn never_panics(games in prop::collection::vec((0_usize..5, 0_usize..5, prop::num::f64::ANY, prop::num::f64::ANY), 0..12)) {
            let games: Vec<Pairing> = games.into_iter().map(|(a, b, score, games)| pairing(a, b, score, games)).collect();
            let _ = bradley_terry(4, &games, 1);
        }
    }
}

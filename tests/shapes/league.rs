//! Elo and opponents, under the names of own leagues.

use rundown_diagnose::{Code, Severity};

use crate::case::{Case, Log};
use crate::curve::{Curve, level};
use crate::file::Format;
use crate::frameworks::{areal, own, tinker};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        elo_stagnant(),
        reference_elo_rising(),
        elo_gap_shrinking(),
        only_moving_opponents(),
        too_few_games(),
        weak_against_opponent(),
    ]
}

fn rating(level_of: f64) -> Curve {
    level(level_of).noise(6.0).every(5)
}

/// A league beside AReaL: the learner against the model that it was made from.
fn league(steps: usize) -> Log {
    areal(steps)
        .with("league/elo/learner", rating(1000.0).saturates(1290.0, steps / 3))
        .with("league/elo/sft_init", rating(1000.0).saturates(870.0, steps / 3))
        .with("league/elo/greedy_bot", rating(1000.0).saturates(910.0, steps / 3))
        .with("elo/total_games", level(60.0).summed().every(5))
}

/// The learner wins a little in the first fifth, and then no more: 15 points after 500 steps.
fn elo_stagnant() -> Case {
    Case::new(Code::EloStagnant, Severity::Warning, league(500))
        .fault("league/elo/learner", |_| rating(1000.0).saturates(1008.0, 40))
        .fault("league/elo/sft_init", |_| rating(1000.0).saturates(993.0, 40))
        .fault("league/elo/greedy_bot", |_| rating(1000.0))
}

/// A league that logs only its fixed opponents: they lose up to two thirds of the run and win all back at once.
fn reference_elo_rising() -> Case {
    let run = own(300)
        .with("elo/random_player", rating(1000.0).saturates(820.0, 90))
        .with("elo/heuristic_v1", rating(1000.0).saturates(900.0, 90))
        .with("elo/stockfish", rating(1000.0).saturates(960.0, 90));
    Case::new(Code::ReferenceEloRising, Severity::Warning, run)
        .onset(190, 215)
        .fault("elo/random_player", |elo| elo.ramp(960.0, 200, 20))
        .fault("elo/stockfish", |elo| elo.ramp(1040.0, 200, 20))
}

/// A league that logs the gap alone: 300 points ahead, and more than half of them lost in the last fifth.
fn elo_gap_shrinking() -> Case {
    let run = tinker(300).with("league/elo_gap", level(0.0).saturates(300.0, 100).noise(8.0).every(5));
    Case::new(Code::EloGapShrinking, Severity::Warning, run)
        .onset(222, 258)
        .fault("league/elo_gap", |gap| gap.ramp(120.0, 240, 20))
}

/// Self-play: ratings of the current policy and of saved states; the twin has the first model among them.
fn only_moving_opponents() -> Case {
    let run = own(260)
        .with("elo/main_agent", rating(1000.0).saturates(1200.0, 80))
        .with("elo/snapshot_50", rating(1010.0).ramp(960.0, 60, 100).logged(50, 260))
        .with("elo/initial_policy", rating(1000.0).saturates(850.0, 80));
    Case::new(Code::OnlyMovingOpponents, Severity::Note, run).but(|run| run.without("elo/initial_policy"))
}

/// One game an agent between two ratings.
fn too_few_games() -> Case {
    Case::new(Code::TooFewGames, Severity::Note, league(200)).fault("elo/total_games", |_| level(0.4).summed().every(5))
}

/// A policy that beats three opponents, and one of them no more from two thirds of the run on.
fn weak_against_opponent() -> Case {
    let wins = |share: f64| level(0.5).saturates(share, 60).of(64).every(10);
    let run = own(260)
        .written_as(Format::JsonLines)
        .with("eval/vs_greedy_bot/win_rate", wins(0.9))
        .with("eval/vs_rush_bot/win_rate", wins(0.8))
        .with("eval/vs_wall_bot/win_rate", wins(0.75))
        .with("eval/vs_wall_bot/games", level(64.0).every(10));
    Case::new(Code::WeakAgainstOpponent, Severity::Note, run)
        .fault("eval/vs_wall_bot/win_rate", |rate| rate.ramp(0.15, 170, 20))
}

//! Checks of Elo ratings and opponents.

pub mod elo_gap_shrinking;
pub mod elo_stagnant;
pub mod only_moving_opponents;
pub mod reference_elo_rising;
pub mod too_few_games;
pub mod weak_against_opponent;

//! Ratings of players from games.

mod bradley_terry;
mod elo;

pub use bradley_terry::{Pairing, Rating, Ratings, bradley_terry};
pub use elo::{elo_error, expected_score};

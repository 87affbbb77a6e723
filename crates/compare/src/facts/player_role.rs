//! The role of an agent in a league.

use serde::{Deserialize, Serialize};

use rundown_vocabulary::{Agent, agent};

/// What an agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PlayerRole {
    /// The policy under training.
    Policy,
    /// A saved state of it, with its number.
    Checkpoint(u64),
    /// The model that training started from.
    Base,
    /// Another opponent that never changes.
    Fixed,
    /// An opponent that is trained too, or may be.
    #[default]
    Moving,
}

impl PlayerRole {
    /// By the name of an agent.
    pub fn of(name: &str) -> Self {
        match agent(name) {
            Agent::Policy => PlayerRole::Policy,
            Agent::Checkpoint(version) => PlayerRole::Checkpoint(version),
            Agent::Fixed(true) => PlayerRole::Base,
            Agent::Fixed(false) => PlayerRole::Fixed,
            Agent::Best | Agent::Unknown => PlayerRole::Moving,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            PlayerRole::Policy => "policy",
            PlayerRole::Checkpoint(_) => "checkpoint",
            PlayerRole::Base => "base model",
            PlayerRole::Fixed => "fixed",
            PlayerRole::Moving => "moves",
        }
    }

    /// True for an opponent that never changes.
    pub fn is_fixed(self) -> bool {
        matches!(self, PlayerRole::Base | PlayerRole::Fixed)
    }
}

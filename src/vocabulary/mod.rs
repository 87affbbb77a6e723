//! Which metric key means what: concept ↔ key per framework and version, with unit and direction.
//!
//! The same word has different units in different trainers (KL per token or per sequence), so a check never looks
//! for a key: it asks for a [`Concept`] and gets a [`Binding`] that says which key stands for it and why.

mod agents;
mod bind;
mod binding;
mod component;
mod concept;
mod evaluation;
mod framework;
mod generic;
mod hint;
mod systems;
mod table;
mod trl;
mod verl;

pub use agents::{Agent, agent};
pub use bind::bind;
pub use binding::{Binding, Bindings};
pub use component::{RewardKind, reward_kind};
pub use concept::{Concept, Direction, Unit};
pub use framework::Framework;

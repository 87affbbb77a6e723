//! Which metric key means what: concept ↔ key per framework and version, with unit and direction.
//!
//! The same word has different units in different trainers (KL per token or per sequence), so a check never looks
//! for a key: it asks for a [`Concept`] and gets a [`Binding`] that says which key stands for it and why.

mod agents;
mod bind;
mod binding;
mod candidates;
mod component;
mod concept;
mod detect;
mod evaluation;
mod flattened;
mod framework;
mod generic;
mod held_out;
mod hint;
mod origin;
mod overrides;
mod plain_parts;
mod quantity;
mod scale;
mod score_words;
mod systems;
mod table;
mod table_index;
mod tables;
mod task_sets;

pub use agents::{Agent, agent};
pub use bind::{bind, bind_with, has_language_model_names, is_bindable};
pub use binding::{Binding, Bindings};
pub use candidates::{Candidate, candidates};
pub use component::{RewardKind, reward_kind};
pub use concept::{Concept, Direction, OF_LANGUAGE_MODELS, Unit};
pub use framework::Framework;
pub use held_out::{is_held_out, is_of_training};
pub use hint::framework_keys;
pub use overrides::{Override, Overrides};
pub use quantity::Quantity;
pub use scale::Scale;
pub use table::FrameworkKey;

//! The line that DeepSpeed logs now and then of each optimiser: `[Rank 0] step=10, skipped=0, lr=[9.65e-07, 9.65e-07], mom=[…]`.
//!
//! It counts the updates of the optimiser, and the rows of a loop mostly count batches: its learning rate belongs to the row at
//! which it stands. Of two lines with one step the second is of the critic, which DeepSpeed-Chat updates behind the actor.

use crate::formats::console::labelled::LabelledNumber;

/// Reads such lines.
#[derive(Debug, Default)]
pub(super) struct OptimiserLines {
    /// The step of the last one, as it stands.
    step: String,
}

impl OptimiserLines {
    /// The learning rate of such a line, and whether it is that of a critic.
    pub(super) fn rate(&mut self, text: &str) -> Option<(LabelledNumber<'static>, bool)> {
        let (_, rest) = text.split_once("] step=")?;
        let (step, rest) = rest.split_once(", skipped=")?;
        let (_, rates) = rest.split_once(", lr=[")?;
        let value = rates.split([',', ']']).next()?.trim().parse().ok()?;
        let is_of_critic = self.step == step;
        step.clone_into(&mut self.step);
        let name = if is_of_critic { "critic_learning_rate" } else { "lr" };
        Some((LabelledNumber { name, value, is_counter: false, total: None }, is_of_critic))
    }
}

//! The line that DeepSpeed logs now and then of each optimiser: `[Rank 0] step=10, skipped=0, lr=[9.65e-07, 9.65e-07], mom=[…]`.
//!
//! It counts the updates of the optimiser, and the rows of a loop mostly count batches: its learning rate belongs to the row at
//! which it stands. Of two lines with one step the second is of the critic, which DeepSpeed-Chat updates behind the actor.
//! A line equal to the last one, as other nodes print it, is ignored. The first one behind a row is the actor's.

use crate::formats::console::labelled::LabelledNumber;

/// Reads such lines.
#[derive(Debug, Default)]
pub(super) struct OptimiserLines {
    /// The last one from its step on; empty behind a row.
    last: String,
}

impl OptimiserLines {
    /// The learning rate of such a line, and whether it is that of a critic.
    pub(super) fn rate(&mut self, text: &str) -> Option<(LabelledNumber<'static>, bool)> {
        let (_, rest) = text.split_once("] step=")?;
        let (step, _) = rest.split_once(", skipped=")?;
        let (_, rates) = rest.split_once(", lr=[")?;
        let value = rates.split([',', ']']).next()?.trim().parse().ok()?;
        let is_of_critic = self.last.split_once(',').is_some_and(|(last, _)| last == step);
        rest.clone_into(&mut self.last);
        let name = if is_of_critic { "critic_learning_rate" } else { "lr" };
        Some((LabelledNumber { name, value, is_counter: false, total: None }, is_of_critic))
    }

    /// True for a line that is the last one again.
    pub(super) fn is_repeat(&self, text: &str) -> bool {
        !self.last.is_empty() && text.ends_with(&self.last)
    }

    /// A row was read.
    pub(super) fn row(&mut self) {
        self.last.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_line_of_a_step_is_the_critics_where_it_is_another_one_before_a_row() {
        let of = |time: u32, rate: &str| format!("[{time}] [Rank 0] step=10, skipped=0, lr=[{rate}], mom=[0.9]");
        let mut lines = OptimiserLines::default();
        let is_of_critic = |lines: &mut OptimiserLines, text: &str| lines.rate(text).map(|(_, of_critic)| of_critic);
        assert_eq!(is_of_critic(&mut lines, &of(1, "1e-6")), Some(false));
        assert!(lines.is_repeat(&of(2, "1e-6")) && !lines.is_repeat(&of(2, "2e-6")) && !lines.is_repeat("row"));
        assert_eq!(is_of_critic(&mut lines, &of(3, "2e-6")), Some(true));
        lines.row();
        assert!(!lines.is_repeat(&of(4, "2e-6")) && !lines.is_repeat(""));
        assert_eq!(is_of_critic(&mut lines, &of(4, "2e-6")), Some(false));
    }
}

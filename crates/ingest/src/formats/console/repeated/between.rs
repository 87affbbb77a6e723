//! The text between two rows of a loop, which decides whether a counter that begins again is that of another training.
//!
//! A loop that counts the batches of each epoch prints `Step 50/50` and then `Step 1/50` in one training. So does a script
//! that trains twice, but there nothing larger is counted on, or the log said that the training was complete.

use std::collections::BTreeMap;

use crate::formats::console::ending::is_training_complete;
use crate::formats::console::labelled::{CounterKind, LabelledNumber};
use crate::rows::names::is_one_of;

/// Names of what holds many steps of one training, beside those of [`CounterKind`]; lower case.
const PART_COUNTERS: [&str; 4] = ["stage", "phase", "round", "cycle"];

/// What stands between two lines with numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TextBetween {
    /// A line that the training is complete.
    is_over: bool,
    /// A counter of something larger than steps rose.
    is_next_part: bool,
}

impl TextBetween {
    /// Adds what stands behind it.
    pub(super) fn add(&mut self, later: Self) {
        self.is_over |= later.is_over;
        self.is_next_part |= later.is_next_part;
    }

    /// True where a counter that begins again is that of another training. `was_last` is true behind the last planned step.
    pub(super) fn begins_training(self, was_last: bool) -> bool {
        (self.is_over || was_last) && !self.is_next_part
    }
}

/// Reads the text between lines with numbers.
#[derive(Debug, Default)]
pub(super) struct TextBetweenReader {
    /// Last values of counters of something larger, by their names.
    larger: BTreeMap<String, f64>,
    between: TextBetween,
}

impl TextBetweenReader {
    /// Reads a line with its labelled numbers.
    pub(super) fn add(&mut self, text: &str, found: &[LabelledNumber<'_>]) {
        self.between.is_over |= is_training_complete(text);
        for number in found.iter().filter(|number| is_larger(number.name)) {
            let before = self.larger.insert(number.name.to_lowercase(), number.value);
            self.between.is_next_part |= before.is_some_and(|before| number.value > before);
        }
    }

    /// What was read since the last call.
    pub(super) fn take(&mut self) -> TextBetween {
        std::mem::take(&mut self.between)
    }
}

fn is_larger(name: &str) -> bool {
    CounterKind::of(name) == CounterKind::Coarse || is_one_of(name, &PART_COUNTERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::console::labelled::numbers;

    #[test]
    fn a_larger_counter_goes_on_and_a_complete_training_does_not() {
        let begins_training = |lines: &[&str], was_last| {
            let mut reader = TextBetweenReader::default();
            lines.iter().for_each(|line| reader.add(line, &numbers(line)));
            reader.take().begins_training(was_last)
        };
        assert!(
            begins_training(&[], true)
                && begins_training(&["Training complete"], false)
                && !begins_training(&["saved"], false)
        );
        assert!(!begins_training(&["Epoch 1/3", "saved", "--- Epoch 2/3 of the whole training begins ---"], true));
        assert!(begins_training(&["Epoch 3/3", "Epoch 1/3"], true));
    }
}

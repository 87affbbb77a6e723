//! What was begun and not ended, run by run, so that asking for the rest of a run asks for nothing twice.
//!
//! Bounded: a user who loads hundreds of runs and stops them all would fill the page's memory with halves of them.

use std::collections::VecDeque;

use super::reference::RunRef;

/// Entries kept.
const MAX_ENTRIES: usize = 32;
/// What they weigh together at most, in values: about a hundred megabytes of downloads.
const MAX_WEIGHT: usize = 4_000_000;

/// States by run, the newest at the end.
pub struct Unfinished<S> {
    entries: VecDeque<UnfinishedRun<S>>,
}

struct UnfinishedRun<S> {
    place: RunRef,
    weight: usize,
    state: S,
}

impl<S> Default for Unfinished<S> {
    fn default() -> Self {
        Self { entries: VecDeque::new() }
    }
}

impl<S> Unfinished<S> {
    /// Keeps a state in place of what was kept of its run, and drops the oldest ones when there are too many or they
    /// weigh too much. The one that is given stays whatever it weighs.
    pub fn keep(&mut self, place: RunRef, weight: usize, state: S) {
        self.take(&place);
        self.entries.push_back(UnfinishedRun { place, weight, state });
        while self.entries.len() > 1 && (self.entries.len() > MAX_ENTRIES || self.weight() > MAX_WEIGHT) {
            self.entries.pop_front();
        }
    }

    /// Takes out what was kept of a run.
    pub fn take(&mut self, place: &RunRef) -> Option<S> {
        let index = self.entries.iter().position(|entry| entry.place == *place)?;
        self.entries.remove(index).map(|entry| entry.state)
    }

    fn weight(&self) -> usize {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(id: usize) -> RunRef {
        RunRef { entity: "e".into(), project: "p".into(), id: id.to_string() }
    }

    #[test]
    fn the_newest_are_kept() {
        let mut kept = Unfinished::default();
        (0..40).for_each(|id| kept.keep(place(id), 1, id));
        kept.keep(place(20), 1, 200);
        assert_eq!((kept.take(&place(7)), kept.take(&place(8))), (None, Some(8)));
        assert_eq!((kept.take(&place(20)), kept.take(&place(20))), (Some(200), None));
    }

    #[test]
    fn a_large_one_drives_out_the_others_and_stays() {
        let mut kept = Unfinished::default();
        kept.keep(place(1), 3_000_000, 'a');
        kept.keep(place(2), 1_000_000, 'b');
        kept.keep(place(3), 1, 'c');
        assert_eq!((kept.take(&place(1)), kept.take(&place(2))), (None, Some('b')));
        kept.keep(place(4), usize::MAX, 'd');
        assert_eq!((kept.take(&place(3)), kept.take(&place(4))), (None, Some('d')));
    }
}

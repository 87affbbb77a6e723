//! Walks through dropped folders: how far they are, and which were stopped.

/// Walks through dropped folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walks {
    active: u32,
    found: usize,
    /// Grows when the user stops them: a walk that began under another number ends.
    stopped: u32,
}

impl Walks {
    /// True while a walk is under way.
    pub fn is_active(self) -> bool {
        self.active > 0
    }

    /// Files that the walks under way have found so far.
    pub fn found(self) -> usize {
        self.found
    }

    /// Notes that a walk begins; the number that says later whether it was stopped.
    pub fn begin(&mut self) -> u32 {
        self.active += 1;
        self.stopped
    }

    /// Adds the files that the walk of this number found; false, and nothing is added, where the user has stopped it.
    pub fn add(&mut self, walk: u32, found: usize) -> bool {
        let goes_on = walk == self.stopped;
        if goes_on {
            self.found += found;
        }
        goes_on
    }

    /// Notes that a walk came to its end.
    pub fn end(&mut self, walk: u32) {
        if walk != self.stopped {
            return;
        }
        self.active = self.active.saturating_sub(1);
        if self.active == 0 {
            self.found = 0;
        }
    }

    /// Stops all walks under way.
    pub fn stop(&mut self) {
        *self = Self { stopped: self.stopped.wrapping_add(1), ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_walk_counts_for_nothing() {
        let mut walks = Walks::default();
        let first = walks.begin();
        assert!(walks.add(first, 7));
        walks.stop();
        assert_eq!((walks.is_active(), walks.found()), (false, 0));
        let second = walks.begin();
        assert!(!walks.add(first, 5), "it was stopped");
        assert_eq!(walks.found(), 0);
        walks.end(first);
        assert!(walks.is_active(), "the second walk goes on");
        assert!(walks.add(second, 2));
        assert_eq!(walks.found(), 2);
        walks.end(second);
        assert_eq!((walks.is_active(), walks.found()), (false, 0));
    }
}

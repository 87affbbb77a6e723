//! Bytes that an archive was given and has not read yet.

/// A queue of bytes.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    bytes: Vec<u8>,
    start: usize,
}

impl Pending {
    /// Adds bytes behind those that wait.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        // What was read goes when it is the larger part, so that moving the rest stays linear.
        if self.start * 2 >= self.bytes.len() {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The bytes that wait.
    pub(crate) fn waiting(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// At most `count` of the bytes that wait, from the first.
    pub(crate) fn first(&self, count: usize) -> &[u8] {
        let waiting = self.waiting();
        waiting.get(..count).unwrap_or(waiting)
    }

    /// True when none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// Drops the first bytes that wait: they were read.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.bytes.len());
    }

    /// Drops all, with the memory for them.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;

    #[test]
    fn bytes_come_out_in_their_order() {
        let mut pending = Pending::default();
        let mut read = Vec::new();
        for round in 0..50_u8 {
            pending.add(&[round, round + 100, round]);
            let first = pending.first(usize::from(round % 4));
            read.extend_from_slice(first);
            let count = first.len();
            pending.consume(count);
        }
        read.extend_from_slice(pending.waiting());
        let expected: Vec<u8> = (0..50_u8).flat_map(|round| [round, round + 100, round]).collect();
        assert_eq!(read, expected);
        pending.clear();
        assert!(pending.is_empty());
    }
}

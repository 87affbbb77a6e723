//! Pushed slices cut into lines.

/// Cuts slices of any size into lines, of which one is kept at most up to a limit.
#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    /// Start of a line of which the rest is still to come.
    carry: Vec<u8>,
}

impl LineSplitter {
    /// Gives every line that ends in `bytes`, without its break, which `find_break` finds. Of one that is longer than
    /// `longest` it gives or keeps no more than tells so, one byte beyond the limit.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        longest: usize,
        find_break: impl Fn(&[u8]) -> Option<usize>,
        mut each: impl FnMut(&[u8]),
    ) {
        while let Some(length) = find_break(bytes) {
            let (line, rest) = bytes.split_at(length);
            if self.carry.is_empty() {
                each(start(line, longest + 1));
            } else {
                self.keep(line, longest);
                each(&self.carry);
                self.carry.clear();
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.keep(bytes, longest);
    }

    /// The bytes after the last line break.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.carry
    }

    /// Bytes of memory that it keeps.
    pub(crate) fn memory_use(&self) -> usize {
        self.carry.len()
    }

    fn keep(&mut self, bytes: &[u8], longest: usize) {
        let room = (longest + 1).saturating_sub(self.carry.len());
        self.carry.extend_from_slice(start(bytes, room));
    }
}

fn start(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_in_any_slices() {
        let text = b"a\n\nbcdef\nghijklmn\nlast";
        for slice in [1, 3, text.len()] {
            let mut splitter = LineSplitter::default();
            let mut lines = Vec::new();
            for part in text.chunks(slice) {
                splitter.push(part, 5, |bytes| memchr::memchr(b'\n', bytes), |line| lines.push(line.to_vec()));
            }
            assert_eq!(lines, [&b"a"[..], b"", b"bcdef", b"ghijkl"], "one byte beyond the limit");
            assert_eq!(splitter.finish(), b"last");
        }
    }
}

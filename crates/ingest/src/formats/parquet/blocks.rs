//! The bytes of a file that can only be read when it is there as a whole, in blocks that are given back as soon as
//! nothing in them will be read any more: the numbers take as much memory as the file.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a block.
const BLOCK: usize = 4 << 20;

/// The bytes of a file.
#[derive(Debug, Default)]
pub(super) struct FileBlocks {
    blocks: Vec<Block>,
    len: usize,
}

#[derive(Debug, Default)]
struct Block {
    /// Empty once the block was given back.
    bytes: Vec<u8>,
    /// Reads that are still to come.
    reads: u32,
}

impl FileBlocks {
    /// Bytes of the file.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds the next bytes of the file.
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.len.is_multiple_of(BLOCK) {
                // A small file has one block, which grows with it.
                let room = if self.blocks.is_empty() { 0 } else { BLOCK };
                self.blocks.push(Block { bytes: Vec::with_capacity(room), reads: 0 });
            }
            let room = BLOCK - self.len % BLOCK;
            let (now, later) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            if let Some(block) = self.blocks.last_mut() {
                block.bytes.extend_from_slice(now);
            }
            self.len += now.len();
            bytes = later;
        }
    }

    /// The bytes in a range, copied where they lie in several blocks. `None` where the file has not all of them, or has
    /// given some back.
    pub(super) fn range(&self, range: Range<usize>) -> Option<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.len {
            return None;
        }
        let first = range.start / BLOCK;
        let start = first * BLOCK;
        let block = self.blocks.get(first).map_or(&[][..], |block| &block.bytes);
        if range.end <= start + BLOCK {
            return block.get(range.start - start..range.end - start).map(Cow::Borrowed);
        }
        let mut whole = Vec::with_capacity(range.len());
        whole.extend_from_slice(block.get(range.start - start..)?);
        for block in self.blocks.get(first + 1..)? {
            let rest = range.len() - whole.len();
            whole.extend_from_slice(block.bytes.get(..rest.min(BLOCK).min(block.bytes.len()))?);
        }
        (whole.len() == range.len()).then_some(Cow::Owned(whole))
    }

    /// Announces a read that [`FileBlocks::release`] will end.
    pub(super) fn announce(&mut self, range: Range<usize>) {
        self.blocks_of(range).for_each(|block| block.reads = block.reads.saturating_add(1));
    }

    /// Ends a read that was announced, and gives back the blocks that no other is announced for.
    pub(super) fn release(&mut self, range: Range<usize>) {
        for block in self.blocks_of(range) {
            block.reads = block.reads.saturating_sub(1);
            if block.reads == 0 {
                block.bytes = Vec::new();
            }
        }
    }

    fn blocks_of(&mut self, range: Range<usize>) -> impl Iterator<Item = &mut Block> {
        let first = range.start / BLOCK;
        let count = range.end.div_ceil(BLOCK).saturating_sub(first);
        self.blocks.iter_mut().skip(first).take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of which no two blocks are alike.
    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|place| (place % 251) as u8).collect()
    }

    #[test]
    fn ranges_are_those_of_the_file() {
        let whole = bytes(2 * BLOCK + 1000);
        for slice in [BLOCK / 3, BLOCK, 2 * BLOCK + 7] {
            let mut blocks = FileBlocks::default();
            whole.chunks(slice).for_each(|part| blocks.push(part));
            assert_eq!(blocks.len(), whole.len());
            for range in [0..10, 5..BLOCK, BLOCK - 3..BLOCK + 3, 10..2 * BLOCK + 999, 2 * BLOCK..whole.len(), 7..7] {
                assert!(blocks.range(range.clone()).as_deref() == whole.get(range.clone()), "{range:?}");
            }
            assert_eq!(blocks.range(0..whole.len() + 1), None);
            assert_eq!(blocks.range(whole.len()..whole.len()).as_deref(), Some(&[][..]));
        }
    }

    #[test]
    fn a_block_lasts_until_its_last_read() {
        let mut blocks = FileBlocks::default();
        blocks.push(&bytes(2 * BLOCK + 1000));
        for range in [0..100, 50..BLOCK + 50, BLOCK + 50..2 * BLOCK] {
            blocks.announce(range);
        }
        blocks.release(0..100);
        assert!(blocks.range(0..BLOCK).is_some());
        blocks.release(50..BLOCK + 50);
        assert!(blocks.range(0..1).is_none() && blocks.range(BLOCK - 1..BLOCK + 1).is_none());
        assert!(blocks.range(BLOCK..2 * BLOCK + 1000).is_some());
    }
}

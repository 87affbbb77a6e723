//! The container of a `.wandb` file: a LevelDB log of 32 KiB blocks, cut into records.
//!
//! A chunk is `crc32 (u32 LE) | length (u16 LE) | type | data`, with an ordinary IEEE CRC-32 over type and data
//! (LevelDB masks a CRC-32C instead). Blocks are counted from the start of the file, its header included. After
//! damage reading goes on at the next block, as wandb's own reader does (core/pkg/leveldb/record.go).
//!
//! Own code, because no crate reads this variant: the log of `rusty-leveldb` 4.0 checks the masked CRC-32C, pulls from a
//! blocking `Read`, and ends with an error at the first damage (docs/decisions/wandb-blocks.md).

use crate::formats::damage::RecordDamage;

/// Block size, by absolute offset.
pub(crate) const BLOCK: usize = 32 * 1024;
/// `:W&B`, 0xBEE1 little endian, version 0.
pub(crate) const FILE_HEADER: [u8; 7] = [b':', b'W', b'&', b'B', 0xE1, 0xBE, 0];
/// Size of a chunk's header.
const CHUNK_HEADER: usize = 7;

/// Cuts pushed bytes into records.
#[derive(Debug, Default)]
pub(crate) struct LogBlocks {
    /// Offset of the first byte of the block that is being read.
    block_start: u64,
    /// Bytes of a block of which the rest is still to come.
    carry: Vec<u8>,
    /// The record whose first chunk has been read but not its last, and where it began.
    open: Option<u64>,
    record: Vec<u8>,
    damage: RecordDamage,
}

impl LogBlocks {
    /// Takes the next bytes of the file and hands each record that they complete to `sink`.
    ///
    /// The first bytes must be [`FILE_HEADER`]; the caller has looked at them.
    pub(crate) fn push(&mut self, mut bytes: &[u8], sink: &mut impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            if self.carry.is_empty()
                && let Some((block, rest)) = bytes.split_at_checked(BLOCK)
            {
                self.read_block(block, true, sink);
                bytes = rest;
                continue;
            }
            let missing = (BLOCK - self.carry.len()).min(bytes.len());
            let (part, rest) = bytes.split_at(missing);
            self.carry.extend_from_slice(part);
            bytes = rest;
            if self.carry.len() == BLOCK {
                let block = std::mem::take(&mut self.carry);
                self.read_block(&block, true, sink);
                self.carry = block;
                self.carry.clear();
            }
        }
    }

    /// Takes the end of the file.
    pub(crate) fn finish(mut self, sink: &mut impl FnMut(&[u8])) -> RecordDamage {
        let last = std::mem::take(&mut self.carry);
        self.read_block(&last, false, sink);
        if self.damage.torn_at.is_none() {
            self.damage.torn_at = self.open;
        }
        self.damage
    }

    fn read_block(&mut self, block: &[u8], is_whole: bool, sink: &mut impl FnMut(&[u8])) {
        let mut at = if self.block_start == 0 { FILE_HEADER.len() } else { 0 };
        while let Some(header) = block.get(at..).and_then(|rest| rest.first_chunk::<CHUNK_HEADER>()) {
            let [c0, c1, c2, c3, l0, l1, kind] = *header;
            let crc = u32::from_le_bytes([c0, c1, c2, c3]);
            let length = usize::from(u16::from_le_bytes([l0, l1]));
            if *header == [0; CHUNK_HEADER] {
                // Zero padding: nothing more was written to this block.
                break;
            }
            let start = at + CHUNK_HEADER;
            // The checksum covers the type byte too, which stands right before the data.
            let Some(checked) = block.get(start - 1..start + length) else {
                if is_whole || start + length > BLOCK {
                    self.drop_block(at);
                } else {
                    let chunk = self.block_start + at as u64;
                    self.damage.torn_at = Some(self.open.unwrap_or(chunk));
                }
                break;
            };
            if crc32fast::hash(checked) != crc {
                self.drop_block(at);
                break;
            }
            let data = block.get(start..start + length).unwrap_or_default();
            if !self.add_chunk(kind, data, at, sink) {
                self.drop_block(at);
                break;
            }
            at = start + length;
        }
        let is_cut_header = |rest: &[u8]| rest.len() < CHUNK_HEADER && rest.iter().any(|byte| *byte != 0);
        if !is_whole && block.get(at..).is_some_and(is_cut_header) {
            self.damage.torn_at = self.open.or(Some(self.block_start + at as u64));
        }
        self.block_start += BLOCK as u64;
    }

    /// False when there is no such type.
    fn add_chunk(&mut self, kind: u8, data: &[u8], at: usize, sink: &mut impl FnMut(&[u8])) -> bool {
        match kind {
            1 => {
                self.open = None;
                sink(data);
            }
            2 => {
                self.open = Some(self.block_start + at as u64);
                self.record.clear();
                self.record.extend_from_slice(data);
            }
            // A middle or a last chunk without a first belongs to a record that was lost with a broken block.
            3 | 4 if self.open.is_none() => {}
            3 => self.record.extend_from_slice(data),
            4 => {
                self.open = None;
                self.record.extend_from_slice(data);
                sink(&self.record);
            }
            _ => return false,
        }
        true
    }

    fn drop_block(&mut self, at: usize) {
        self.open = None;
        self.damage.bad.add(self.block_start + at as u64);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes records as the SDK does.
    pub(crate) fn file_of(records: &[Vec<u8>]) -> Vec<u8> {
        let mut file = FILE_HEADER.to_vec();
        for record in records {
            let mut rest = record.as_slice();
            let mut is_first = true;
            loop {
                let left = BLOCK - file.len() % BLOCK;
                if left < CHUNK_HEADER {
                    file.resize(file.len() + left, 0);
                    continue;
                }
                let (part, after) = rest.split_at(rest.len().min(left - CHUNK_HEADER));
                let is_last = after.is_empty();
                let kind = match (is_first, is_last) {
                    (true, true) => 1,
                    (true, false) => 2,
                    (false, false) => 3,
                    (false, true) => 4,
                };
                let checked = [&[kind], part].concat();
                file.extend_from_slice(&crc32fast::hash(&checked).to_le_bytes());
                file.extend_from_slice(&(part.len() as u16).to_le_bytes());
                file.extend_from_slice(&checked);
                rest = after;
                is_first = false;
                if is_last {
                    break;
                }
            }
        }
        file
    }

    fn read(file: &[u8], slice: usize) -> (Vec<Vec<u8>>, RecordDamage) {
        let mut blocks = LogBlocks::default();
        let mut records = Vec::new();
        let mut sink = |record: &[u8]| records.push(record.to_vec());
        for part in file.chunks(slice) {
            blocks.push(part, &mut sink);
        }
        let damage = blocks.finish(&mut sink);
        (records, damage)
    }

    fn samples() -> Vec<Vec<u8>> {
        (0..60_usize).map(|index| vec![index as u8; index * index * 37 % 90_000]).collect()
    }

    #[test]
    fn records_come_back_whole_whatever_the_slices() {
        let file = file_of(&samples());
        for slice in [1, 7, 4096, BLOCK - 1, BLOCK, BLOCK + 1, file.len()] {
            assert_eq!(read(&file, slice), (samples(), RecordDamage::default()), "slices of {slice}");
        }
    }

    #[test]
    fn a_cut_file_gives_every_record_before_the_cut() {
        let file = file_of(&samples());
        for cut in (7..file.len()).step_by(997) {
            let (records, damage) = read(&file[..cut], 5000);
            assert_eq!(records, samples()[..records.len()], "cut at {cut}");
            assert_eq!(damage.bad.count, 0, "cut at {cut}");
            assert!(damage.torn_at.is_none_or(|at| at <= cut as u64));
        }
        // Cut at a block boundary: no broken chunk, and still the last record is missing its end.
        let (_, damage) = read(&file[..3 * BLOCK], 5000);
        assert!(damage.torn_at.is_some());
    }

    #[test]
    fn a_flipped_byte_costs_one_block() {
        let file = file_of(&samples());
        for place in (7..file.len()).step_by(1009) {
            let mut broken = file.clone();
            broken[place] ^= 0x40;
            let (records, damage) = read(&broken, 5000);
            let lost = samples().len() - records.len();
            assert!(records.iter().all(|record| samples().contains(record)), "flipped {place}");
            // Padding is covered by no checksum, so that a flip there may do nothing.
            assert!(lost == 0 || damage.bad.count == 1, "flipped {place}: lost {lost}");
            assert!(damage.bad.first.is_none_or(|at| at <= place as u64));
        }
    }

    #[test]
    fn a_chunk_that_claims_more_than_its_block_is_damage_and_not_a_torn_tail() {
        let mut file = file_of(&[vec![1; 10]]);
        file[11..13].copy_from_slice(&u16::MAX.to_le_bytes());
        let (records, damage) = read(&file, 100);
        assert!(records.is_empty());
        assert_eq!((damage.bad.count, damage.bad.first, damage.torn_at), (1, Some(7), None));
    }
}

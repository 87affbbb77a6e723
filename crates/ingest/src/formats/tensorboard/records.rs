//! The container of an event file: TFRecord, a length and a payload with a checksum each.
//!
//! `length u64 | masked CRC-32C of it | payload | masked CRC-32C of it`, all little endian
//! (tensorflow/core/lib/io/record_writer.cc). A payload that is damaged costs itself; after a damaged length the
//! next record is searched for by its checksum.
//!
//! Own code, because `tfrecord` 0.15 pulls from a blocking `Read` and ends with an error at the first wrong checksum or
//! cut record: here bytes are pushed, and reading goes on behind damage. The checksum is the `crc` crate's.

use crate::formats::damage::RecordDamage;

/// Longest record that is read. Longer ones (graphs, videos) hold no scalar.
const MAX_RECORD: u64 = 16 << 20;
/// A length that no record has: beyond it the file is damaged, even where the checksum agrees.
const IMPOSSIBLE_LENGTH: u64 = 1 << 40;
/// CRC-32C (Castagnoli), 16 bytes at a time.
const CRC32C: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_ISCSI);
/// Length and its checksum.
const HEADER_BYTES: usize = 12;

/// Cuts pushed bytes into records.
#[derive(Debug, Default)]
pub(super) struct TfRecords {
    carry: Vec<u8>,
    /// Offset of the first byte of `carry`.
    offset: u64,
    /// Bytes still to be passed over.
    skip: u64,
    /// The next record is being searched for.
    is_lost: bool,
    damage: RecordDamage,
}

impl TfRecords {
    /// Takes the next bytes of the file and hands each record that they complete to `sink`.
    pub(super) fn push(&mut self, mut bytes: &[u8], sink: &mut impl FnMut(&[u8])) {
        if self.carry.is_empty() && self.skip > 0 {
            let skipped = self.skip.min(bytes.len() as u64);
            self.skip -= skipped;
            self.offset += skipped;
            bytes = bytes.get(skipped as usize..).unwrap_or_default();
        }
        let mut carry = std::mem::take(&mut self.carry);
        carry.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(taken) = self.parse(carry.get(at..).unwrap_or_default(), sink) {
            at += taken;
            self.offset += taken as u64;
        }
        carry.drain(..at);
        self.carry = carry;
    }

    /// Takes the end of the file.
    pub(super) fn finish(mut self) -> RecordDamage {
        if !self.carry.is_empty() || self.skip > 0 {
            self.damage.torn_at = Some(self.offset);
        }
        self.damage
    }

    /// Reads at the start of `bytes` and says how many are done with; `None` when more are needed.
    fn parse(&mut self, bytes: &[u8], sink: &mut impl FnMut(&[u8])) -> Option<usize> {
        if self.skip > 0 {
            let skipped = self.skip.min(bytes.len() as u64);
            self.skip -= skipped;
            return (skipped > 0).then_some(skipped as usize);
        }
        let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3] = *header;
        let length_bytes = [l0, l1, l2, l3, l4, l5, l6, l7];
        let length = u64::from_le_bytes(length_bytes);
        if masked_crc(&length_bytes) != u32::from_le_bytes([c0, c1, c2, c3]) || length > IMPOSSIBLE_LENGTH {
            if !self.is_lost {
                self.is_lost = true;
                self.damage.bad.add(self.offset);
            }
            return Some(1);
        }
        self.is_lost = false;
        if length > MAX_RECORD {
            self.skip = length + 4;
            return Some(HEADER_BYTES);
        }
        let (data, rest) = rest.split_at_checked(length as usize)?;
        let (crc, _) = rest.split_first_chunk::<4>()?;
        if masked_crc(data) == u32::from_le_bytes(*crc) {
            sink(data);
        } else {
            self.damage.bad.add(self.offset);
        }
        Some(HEADER_BYTES + data.len() + 4)
    }
}

/// True when the bytes begin with a record that the header's checksum confirms.
pub(super) fn is_record(head: &[u8]) -> bool {
    head.split_first_chunk::<HEADER_BYTES>().is_some_and(|(header, _)| {
        let (length, crc) = header.split_at(8);
        crc == masked_crc(length).to_le_bytes()
    })
}

/// The checksum as TFRecord stores it: turned and moved, so that a checksum of data that holds checksums stays sound.
fn masked_crc(bytes: &[u8]) -> u32 {
    CRC32C.checksum(bytes).rotate_right(15).wrapping_add(0xA282_EAD8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u64).to_le_bytes();
        [&length[..], &masked_crc(&length).to_le_bytes(), data, &masked_crc(data).to_le_bytes()].concat()
    }

    fn read(file: &[u8], slice: usize) -> (Vec<Vec<u8>>, RecordDamage) {
        let mut records = TfRecords::default();
        let mut found = Vec::new();
        for part in file.chunks(slice) {
            records.push(part, &mut |record| found.push(record.to_vec()));
        }
        (found, records.finish())
    }

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(CRC32C.checksum(b"123456789"), 0xE306_9283);
    }

    #[test]
    fn records_come_back_whatever_the_slices() {
        let samples: Vec<Vec<u8>> = (0..20).map(|index| vec![index; usize::from(index) * 13]).collect();
        let file: Vec<u8> = samples.iter().flat_map(|sample| record(sample)).collect();
        for slice in [1, 5, 12, 100, file.len()] {
            assert_eq!(read(&file, slice), (samples.clone(), RecordDamage::default()));
        }
        for cut in 0..file.len() {
            let (found, damage) = read(&file[..cut], 64);
            assert_eq!(found, samples[..found.len()]);
            assert_eq!(damage.bad.count, 0);
        }
    }

    #[test]
    fn a_flipped_byte_costs_one_record() {
        let samples: Vec<Vec<u8>> = (0..9).map(|index| vec![index; 40]).collect();
        let file: Vec<u8> = samples.iter().flat_map(|sample| record(sample)).collect();
        for place in 0..file.len() {
            let mut broken = file.clone();
            broken[place] ^= 0x10;
            let (found, damage) = read(&broken, 7);
            assert_eq!(found.len(), samples.len() - 1, "flipped {place}");
            // The last record's length is no longer known: it looks torn.
            assert!(damage.bad.count == 1 || damage.torn_at.is_some(), "flipped {place}");
        }
    }

    #[test]
    fn a_long_record_is_passed_over() {
        let length = (MAX_RECORD + 1).to_le_bytes();
        let mut file = [&length[..], &masked_crc(&length).to_le_bytes()].concat();
        file.resize(file.len() + MAX_RECORD as usize + 5, 0);
        file.extend(record(b"after"));
        assert_eq!(read(&file, 1 << 20), (vec![b"after".to_vec()], RecordDamage::default()));
    }
}

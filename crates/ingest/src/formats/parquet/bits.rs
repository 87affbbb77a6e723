//! Integers packed into bits: the run-length hybrid of levels and dictionary indices, and delta encoding.

use super::thrift::{varint, zigzag};
use super::{ParquetError, Result};

/// Reads `count` integers of `width` bits in the run-length and bit-packing hybrid.
pub(super) fn hybrid(mut data: &[u8], width: u32, count: usize) -> Result<Vec<u32>> {
    if width > 32 {
        return Err(ParquetError::Malformed);
    }
    let bytes = width.div_ceil(8) as usize;
    let mut values = Vec::new();
    while values.len() < count {
        let left = count - values.len();
        let (header, rest) = varint(data).ok_or(ParquetError::Malformed)?;
        let length = usize::try_from(header >> 1).map_err(|_| ParquetError::Malformed)?;
        if header & 1 == 0 {
            let (repeated, rest) = rest.split_at_checked(bytes).ok_or(ParquetError::Malformed)?;
            values.resize(values.len() + length.min(left), little_endian(repeated) as u32);
            data = rest;
        } else {
            // Groups of eight values; the last one may be cut short where no more values are needed.
            let whole = length.saturating_mul(8);
            let wanted = whole.min(left);
            let packed = length.saturating_mul(width as usize);
            values.reserve(wanted.min(rest.len() * 8));
            unpack(rest, width, wanted, |value| values.push(value as u32))?;
            data = rest.get(packed..).unwrap_or_default();
        }
        if length == 0 {
            return Err(ParquetError::Malformed);
        }
    }
    Ok(values)
}

/// The value of all `count` integers where one run covers them, as it does in the levels of a page without empty cells.
pub(super) fn repeated(data: &[u8], width: u32, count: usize) -> Option<u32> {
    let (header, rest) = varint(data)?;
    let covers_all = header & 1 == 0 && usize::try_from(header >> 1).is_ok_and(|length| length >= count);
    let value = rest.get(..width.div_ceil(8) as usize).filter(|_| covers_all && width <= 32)?;
    Some(little_endian(value) as u32)
}

/// Levels in the old bit-packed form: most significant bits first.
pub(super) fn old_bit_packed(data: &[u8], width: u32, count: usize) -> Result<Vec<u32>> {
    let bit = |place: usize| {
        let byte = data.get(place / 8).copied().ok_or(ParquetError::Malformed)?;
        Ok(u32::from(byte >> (7 - place % 8) & 1))
    };
    (0..count)
        .map(|index| {
            (0..width as usize).try_fold(0, |value, place| Ok(value << 1 | bit(index * width as usize + place)?))
        })
        .collect()
}

/// Reads integers in delta encoding, `count` at most, and gives what follows them.
pub(super) fn deltas(data: &[u8], count: usize) -> Result<(Vec<i64>, &[u8])> {
    let next = |data| varint(data).ok_or(ParquetError::Malformed);
    let (block, data) = next(data)?;
    let (blocks, data) = next(data)?;
    let (total, data) = next(data)?;
    let (first, mut data) = next(data)?;
    let total = usize::try_from(total).ok().filter(|total| *total <= count).ok_or(ParquetError::Malformed)?;
    let per_block = block.checked_div(blocks).unwrap_or(0);
    if per_block == 0 || per_block % 8 != 0 || block > 1 << 24 {
        return Err(ParquetError::Malformed);
    }
    let (per_block, blocks) = (per_block as usize, blocks as usize);
    let mut values = Vec::new();
    let mut value = zigzag(first);
    if total > 0 {
        values.push(value);
    }
    while values.len() < total {
        let (least, rest) = next(data)?;
        let least = zigzag(least);
        let (widths, rest) = rest.split_at_checked(blocks).ok_or(ParquetError::Malformed)?;
        data = rest;
        for width in widths {
            let wanted = per_block.min(total - values.len());
            if wanted == 0 {
                break;
            }
            if *width > 64 {
                return Err(ParquetError::Malformed);
            }
            unpack(data, u32::from(*width), wanted, |delta| {
                value = value.wrapping_add(least).wrapping_add(delta as i64);
                values.push(value);
            })?;
            data = data.get(per_block / 8 * usize::from(*width)..).unwrap_or_default();
        }
    }
    Ok((values, data))
}

/// Shows `count` integers of `width` bits (64 at most), least significant bits first.
pub(super) fn unpack(data: &[u8], width: u32, count: usize, mut show: impl FnMut(u64)) -> Result<()> {
    let bits = count.checked_mul(width as usize).ok_or(ParquetError::Malformed)?;
    let packed = data.get(..bits.div_ceil(8)).ok_or(ParquetError::Malformed)?;
    let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
    let mut at = 0;
    for _ in 0..count {
        let (byte, shift) = (at / 8, at % 8);
        let mut value = word_at(packed, byte) >> shift;
        if shift + width as usize > 64 {
            // Its upper bits are in the ninth byte.
            value |= word_at(packed, byte + 8) << (64 - shift);
        }
        show(value & mask);
        at += width as usize;
    }
    Ok(())
}

/// Eight bytes from `at` on, least significant first; zeros stand for what is missing at the end.
fn word_at(data: &[u8], at: usize) -> u64 {
    let rest = data.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => little_endian(rest),
    }
}

/// An integer of eight bytes at most.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_packed_groups_alternate() {
        // Five times 4, then the numbers 0 to 7 in 3 bits (the example of the format's own text).
        let data = [10, 4, 0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(hybrid(&data, 3, 13).unwrap(), [4, 4, 4, 4, 4, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(hybrid(&data, 3, 7).unwrap(), [4, 4, 4, 4, 4, 0, 1]);
        assert_eq!(old_bit_packed(&[0b0000_0101, 0b0011_1001, 0b0111_0111], 3, 8).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn one_run_that_covers_all_values_is_found() {
        assert_eq!((repeated(&[10, 4], 3, 5), repeated(&[10, 4], 3, 6)), (Some(4), None));
        assert_eq!((repeated(&[3, 4], 3, 5), repeated(&[10], 3, 5)), (None, None));
        assert_eq!(repeated(&[10, 1, 2], 9, 5), Some(0x201));
    }

    #[test]
    fn no_width_means_zeros() {
        assert_eq!(hybrid(&[20], 0, 10).unwrap(), [0; 10]);
    }

    #[test]
    fn what_ends_early_or_runs_in_place_is_malformed() {
        for data in [&[][..], &[10], &[3, 1], &[0, 1], &[1], &[0xFF; 11]] {
            assert!(hybrid(data, 3, 13).is_err(), "{data:?}");
        }
        assert!(hybrid(&[10, 1], 33, 5).is_err());
    }

    #[test]
    fn deltas_add_up() {
        // Block of 128 in 4 parts, five values: 7, 5, 3, 1, 2 have deltas -2, -2, -2, 1; the least is -2.
        let data = [128, 1, 4, 5, 14, 3, 2, 0, 0, 0, 0b1100_0000, 0, 0, 0, 0, 0, 0, 0, 9];
        let (values, rest) = deltas(&data, 5).unwrap();
        assert_eq!((values, rest), (vec![7, 5, 3, 1, 2], &[9][..]));
        assert!(deltas(&data, 4).is_err(), "more values than the page has");
        assert!(deltas(&data[..9], 5).is_err());
        assert!(deltas(&[128, 1, 0, 5, 14], 5).is_err(), "no parts");
    }

    #[test]
    fn wide_numbers_cross_bytes() {
        let mut seen = Vec::new();
        unpack(&[0xFF; 24], 61, 3, |value| seen.push(value)).unwrap();
        assert_eq!(seen, [u64::MAX >> 3; 3]);
        unpack(&[1, 0, 0, 0, 0, 0, 0, 0x80], 64, 1, |value| seen.push(value)).unwrap();
        assert_eq!(seen.last(), Some(&0x8000_0000_0000_0001));
    }
}

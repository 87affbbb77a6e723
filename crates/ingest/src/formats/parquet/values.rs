//! The values of a page, by how they were encoded. Numbers of every width become `f64`.

use std::rc::Rc;

use super::bits::{deltas, hybrid, unpack};
use super::schema::{Leaf, LeafMeaning, Physical};
use super::{ParquetError, Result};
use crate::budget::WHOLE_PIECE;

/// Julian day of 1 January 1970, from which old timestamps count.
const EPOCH_DAY: f64 = 2_440_588.0;

/// Decoded values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    Numbers(Vec<f64>),
    /// Equal texts of a dictionary are shared.
    Texts(Vec<Rc<str>>),
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Numbers(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }
}

/// Decodes exactly `count` values of a column.
pub(super) fn decode(
    leaf: &Leaf,
    encoding: i64,
    data: &[u8],
    count: usize,
    dictionary: Option<&Values>,
) -> Result<Values> {
    let values = match encoding {
        0 => plain(leaf, data, count)?,
        2 | 8 => {
            // A page without a value may have no byte either.
            let (width, indices) = data.split_first().unwrap_or((&0, &[]));
            let indices = hybrid(indices, u32::from(*width), count)?;
            look_up(dictionary.ok_or(ParquetError::Malformed)?, &indices)?
        }
        3 if leaf.physical == Physical::Boolean => {
            let bits = hybrid(data.get(4..).unwrap_or_default(), 1, count)?;
            Values::Numbers(bits.into_iter().map(f64::from).collect())
        }
        5 if matches!(leaf.physical, Physical::Int32 | Physical::Int64) => {
            Values::Numbers(deltas(data, count)?.0.into_iter().map(|value| number(leaf, value)).collect())
        }
        6 if leaf.physical == Physical::Bytes => {
            let (lengths, data) = deltas(data, count)?;
            of_bytes(leaf, cut(data, &lengths)?.map(Ok))?
        }
        7 if matches!(leaf.physical, Physical::Bytes | Physical::FixedBytes) => front_coded(leaf, data, count)?,
        9 => transposed(leaf, data, count)?,
        other => return Err(ParquetError::Encoding(other)),
    };
    if values.len() == count { Ok(values) } else { Err(ParquetError::Malformed) }
}

/// The values of a column of plain 64-bit floats, from where they stand; `None` for another one.
pub(super) fn plain_doubles<'d>(
    leaf: &Leaf,
    encoding: i64,
    data: &'d [u8],
    count: usize,
) -> Option<Result<impl Iterator<Item = f64> + use<'d>>> {
    let is_plain = encoding == 0 && leaf.physical == Physical::Double;
    is_plain.then(|| fixed::<8>(data, count).map(|values| values.map(f64::from_le_bytes)))
}

/// Values one after the other.
fn plain(leaf: &Leaf, data: &[u8], count: usize) -> Result<Values> {
    let numbers = match leaf.physical {
        Physical::Boolean => {
            let mut values = Vec::new();
            unpack(data, 1, count, |bit| values.push(bit as f64))?;
            values
        }
        Physical::Int32 => {
            fixed::<4>(data, count)?.map(|bytes| number(leaf, i64::from(i32::from_le_bytes(bytes)))).collect()
        }
        Physical::Int64 => fixed::<8>(data, count)?.map(|bytes| number(leaf, i64::from_le_bytes(bytes))).collect(),
        Physical::Float => fixed::<4>(data, count)?.map(|bytes| f64::from(f32::from_le_bytes(bytes))).collect(),
        Physical::Double => fixed::<8>(data, count)?.map(f64::from_le_bytes).collect(),
        Physical::Int96 => fixed::<12>(data, count)?.map(old_time).collect(),
        Physical::Bytes => return plain_bytes(leaf, data, count),
        Physical::FixedBytes => {
            let length = leaf.length.max(1);
            let whole = data.get(..count.saturating_mul(length)).ok_or(ParquetError::Malformed)?;
            whole.chunks_exact(length).map(|bytes| fixed_number(leaf, bytes)).collect()
        }
    };
    Ok(Values::Numbers(numbers))
}

/// The first `count` values of `N` bytes.
fn fixed<const N: usize>(data: &[u8], count: usize) -> Result<impl Iterator<Item = [u8; N]> + use<'_, N>> {
    let whole = data.get(..count.saturating_mul(N)).ok_or(ParquetError::Malformed)?;
    Ok(whole.as_chunks::<N>().0.iter().copied())
}

/// Byte arrays, each behind its length.
fn plain_bytes(leaf: &Leaf, mut data: &[u8], count: usize) -> Result<Values> {
    of_bytes(
        leaf,
        (0..count).map(|_| {
            let (length, rest) = data.split_first_chunk::<4>().ok_or(ParquetError::Malformed)?;
            let (text, rest) =
                rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(ParquetError::Malformed)?;
            data = rest;
            Ok(text)
        }),
    )
}

/// Each value begins with a part of the one before it.
fn front_coded(leaf: &Leaf, data: &[u8], count: usize) -> Result<Values> {
    let (shared, data) = deltas(data, count)?;
    let (lengths, data) = deltas(data, count)?;
    if shared.len() != lengths.len() {
        return Err(ParquetError::Malformed);
    }
    let mut value: Vec<u8> = Vec::new();
    // Delta encoding can repeat a long text in a few bytes.
    let mut left = WHOLE_PIECE;
    let mut numbers = Vec::new();
    let mut found = Vec::new();
    for (shared, end) in shared.into_iter().zip(cut(data, &lengths)?) {
        let shared = usize::try_from(shared).ok().filter(|shared| *shared <= value.len());
        value.truncate(shared.ok_or(ParquetError::Malformed)?);
        value.extend_from_slice(end);
        left = left.checked_sub(value.len()).ok_or(ParquetError::TooLarge)?;
        match leaf.meaning {
            LeafMeaning::Text => found.push(text(&value)),
            _ => numbers.push(fixed_number(leaf, &value)),
        }
    }
    Ok(if leaf.meaning == LeafMeaning::Text { Values::Texts(found) } else { Values::Numbers(numbers) })
}

/// All first bytes, then all second bytes, and so on.
fn transposed(leaf: &Leaf, data: &[u8], count: usize) -> Result<Values> {
    let width = match leaf.physical {
        Physical::Int32 | Physical::Float => 4,
        Physical::Int64 | Physical::Double => 8,
        Physical::FixedBytes => leaf.length,
        _ => return Err(ParquetError::Malformed),
    };
    let data = data.get(..count.saturating_mul(width)).ok_or(ParquetError::Malformed)?;
    let mut rows = vec![0; data.len()];
    if count > 0 {
        for (place, stream) in data.chunks_exact(count).enumerate() {
            for (row, byte) in rows.chunks_exact_mut(width).zip(stream) {
                if let Some(cell) = row.get_mut(place) {
                    *cell = *byte;
                }
            }
        }
    }
    plain(leaf, &rows, count)
}

/// Pieces of these lengths, one after the other.
fn cut<'d, 'l>(mut data: &'d [u8], lengths: &'l [i64]) -> Result<impl Iterator<Item = &'d [u8]> + use<'d, 'l>> {
    let total = lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(usize::try_from(*length).ok()?));
    if total.is_none_or(|total| total > data.len()) {
        return Err(ParquetError::Malformed);
    }
    Ok(lengths.iter().map(move |length| {
        let (piece, rest) = data.split_at_checked(*length as usize).unwrap_or((data, &[]));
        data = rest;
        piece
    }))
}

/// Texts, or decimals that are stored as bytes.
fn of_bytes<'d>(leaf: &Leaf, mut pieces: impl Iterator<Item = Result<&'d [u8]>>) -> Result<Values> {
    if leaf.meaning == LeafMeaning::Text {
        return Ok(Values::Texts(pieces.map(|piece| piece.map(text)).collect::<Result<_>>()?));
    }
    let numbers = pieces.try_fold(Vec::new(), |mut numbers, piece| {
        numbers.push(fixed_number(leaf, piece?));
        Ok(numbers)
    });
    numbers.map(Values::Numbers)
}

fn text(bytes: &[u8]) -> Rc<str> {
    String::from_utf8_lossy(bytes).into()
}

fn look_up(dictionary: &Values, indices: &[u32]) -> Result<Values> {
    fn pick<T: Clone + Default>(entries: &[T], indices: &[u32]) -> Result<Vec<T>> {
        // Checked before: a list of known length is made at once.
        let is_inside = indices.iter().max().is_none_or(|last| (*last as usize) < entries.len());
        let picked = indices.iter().map(|index| entries.get(*index as usize).cloned().unwrap_or_default());
        is_inside.then(|| picked.collect()).ok_or(ParquetError::Malformed)
    }
    Ok(match dictionary {
        Values::Numbers(entries) => Values::Numbers(pick(entries, indices)?),
        Values::Texts(entries) => Values::Texts(pick(entries, indices)?),
    })
}

/// What a stored integer means.
fn number(leaf: &Leaf, value: i64) -> f64 {
    match (leaf.meaning, leaf.physical) {
        (LeafMeaning::Unsigned, Physical::Int32) => f64::from(value as u32),
        (LeafMeaning::Unsigned, _) => value as u64 as f64,
        (LeafMeaning::Divided(units), Physical::Int32) => f64::from(value as i32) / units,
        (LeafMeaning::Divided(units), _) => value as f64 / units,
        (LeafMeaning::Days, _) => value as f64 * 86_400.0,
        // Delta encoding of 32 bits may run over: what counts are the lower ones.
        (_, Physical::Int32) => f64::from(value as i32),
        _ => value as f64,
    }
}

/// A decimal, big endian and signed, or a float of 16 bits.
fn fixed_number(leaf: &Leaf, bytes: &[u8]) -> f64 {
    match (leaf.meaning, bytes) {
        (LeafMeaning::Half, [low, high]) => half(u16::from_le_bytes([*low, *high])),
        (LeafMeaning::Divided(units), [first, ..]) if bytes.len() <= 16 => {
            let sign = if first & 0x80 != 0 { -1 } else { 0 };
            bytes.iter().fold(sign, |value: i128, byte| value << 8 | i128::from(*byte)) as f64 / units
        }
        // More digits than a float has: the first ones count.
        (LeafMeaning::Divided(units), [first, rest @ ..]) => {
            rest.iter().fold(f64::from(*first as i8), |value, byte| value * 256.0 + f64::from(*byte)) / units
        }
        _ => f64::NAN,
    }
}

/// An IEEE float of 16 bits.
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (bits >> 10 & 0x1F, f64::from(bits & 0x3FF) / 1024.0);
    let size = match exponent {
        0 => fraction * libm::ldexp(1.0, -14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * libm::ldexp(1.0, i32::from(exponent) - 15),
    };
    sign * size
}

/// Nanoseconds of a day, then the Julian day: Unix seconds.
fn old_time(bytes: [u8; 12]) -> f64 {
    let [n0, n1, n2, n3, n4, n5, n6, n7, d0, d1, d2, d3] = bytes;
    let nanoseconds = u64::from_le_bytes([n0, n1, n2, n3, n4, n5, n6, n7]) as f64;
    let day = f64::from(u32::from_le_bytes([d0, d1, d2, d3]));
    (day - EPOCH_DAY) * 86_400.0 + nanoseconds / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(physical: Physical, meaning: LeafMeaning, length: usize) -> Leaf {
        Leaf { name: String::new(), physical, meaning, length, max_definition: 1, max_repetition: 0 }
    }

    fn numbers(leaf: &Leaf, encoding: i64, data: &[u8], count: usize) -> Vec<f64> {
        match decode(leaf, encoding, data, count, None).unwrap() {
            Values::Numbers(numbers) => numbers,
            Values::Texts(_) => panic!("texts"),
        }
    }

    #[test]
    fn numbers_of_every_width_are_read() {
        let int = leaf(Physical::Int32, LeafMeaning::Number, 0);
        assert_eq!(numbers(&int, 0, &[0xFF; 8], 2), [-1.0, -1.0]);
        assert_eq!(numbers(&leaf(Physical::Int32, LeafMeaning::Unsigned, 0), 0, &[0xFF; 4], 1), [4_294_967_295.0]);
        let millis = leaf(Physical::Int64, LeafMeaning::Divided(1e3), 0);
        assert_eq!(numbers(&millis, 0, &1_790_000_000_500_i64.to_le_bytes(), 1), [1_790_000_000.5]);
        assert_eq!(numbers(&leaf(Physical::Boolean, LeafMeaning::Number, 0), 0, &[0b101], 3), [1.0, 0.0, 1.0]);
        let decimal = leaf(Physical::FixedBytes, LeafMeaning::Divided(100.0), 3);
        assert_eq!(numbers(&decimal, 0, &[0xFF, 0xFF, 0x85, 0, 1, 0], 2), [-1.23, 2.56]);
        assert_eq!(
            numbers(&leaf(Physical::FixedBytes, LeafMeaning::Half, 2), 0, &[0x00, 0xC1, 0, 0x7C], 2),
            [-2.5, f64::INFINITY]
        );
        let mut noon = (43_200_000_000_000_u64).to_le_bytes().to_vec();
        noon.extend_from_slice(&2_440_589_u32.to_le_bytes());
        assert_eq!(numbers(&leaf(Physical::Int96, LeafMeaning::Number, 0), 0, &noon, 1), [129_600.0]);
    }

    #[test]
    fn split_streams_come_together() {
        let double = leaf(Physical::Double, LeafMeaning::Number, 0);
        let values = [1.5_f64, -2.25, 1e300];
        let mut data = vec![0; 24];
        for (row, value) in values.iter().enumerate() {
            for (place, byte) in value.to_le_bytes().iter().enumerate() {
                data[place * 3 + row] = *byte;
            }
        }
        assert_eq!(numbers(&double, 9, &data, 3), values);
    }

    #[test]
    fn texts_are_shared_and_bounded() {
        let text = leaf(Physical::Bytes, LeafMeaning::Text, 0);
        let data = [2, 0, 0, 0, b'h', b'i', 0, 0, 0, 0];
        let Values::Texts(found) = decode(&text, 0, &data, 2, None).unwrap() else { panic!() };
        assert_eq!((&*found[0], &*found[1]), ("hi", ""));
        assert!(decode(&text, 0, &data, 3, None).is_err());
        let dictionary = Values::Texts(found);
        let Values::Texts(picked) = decode(&text, 8, &[1, 6, 0], 3, Some(&dictionary)).unwrap() else { panic!() };
        assert!(picked.iter().all(|text| &**text == "hi"));
        assert!(decode(&text, 8, &[8, 6, 9], 3, Some(&dictionary)).is_err(), "no such entry");
        assert!(decode(&text, 8, &[1, 6, 0], 3, None).is_err(), "no dictionary");
    }
}

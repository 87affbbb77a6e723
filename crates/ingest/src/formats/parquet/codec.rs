//! Unpacks pages, whatever they were packed with.

use std::borrow::Cow;
use std::io::Read;

use super::{ParquetError, Result};
use crate::budget::WHOLE_PIECE;

/// Unpacks a page that should hold `size` bytes.
pub(super) fn unpack(codec: i64, packed: &[u8], size: usize) -> Result<Cow<'_, [u8]>> {
    // Writers aim at one megabyte; one long text may be longer.
    if size > WHOLE_PIECE {
        return Err(ParquetError::TooLarge);
    }
    let unpacked = match codec {
        0 => return Ok(Cow::Borrowed(packed)),
        1 => snappy(packed, size)?,
        2 => read_all(flate2::read::MultiGzDecoder::new(packed), size)?,
        5 => hadoop_lz4(packed, size).or_else(|_| lz4(packed, size))?,
        6 => zstd(packed, size)?,
        7 => lz4(packed, size)?,
        3 => return Err(ParquetError::Codec("LZO")),
        4 => return Err(ParquetError::Codec("Brotli")),
        _ => return Err(ParquetError::Codec("an unknown method")),
    };
    // Fewer bytes than the header says are damage, also where they can be decoded.
    if unpacked.len() == size { Ok(Cow::Owned(unpacked)) } else { Err(ParquetError::Malformed) }
}

fn snappy(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    // The data says its own size first; a copy of 64 bytes takes two, so that it cannot grow more than this.
    let claimed = snap::raw::decompress_len(packed).map_err(|_| ParquetError::Malformed)?;
    if claimed != size || size > packed.len().saturating_mul(64) {
        return Err(ParquetError::Malformed);
    }
    snap::raw::Decoder::new().decompress_vec(packed).map_err(|_| ParquetError::Malformed)
}

fn zstd(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    let mut rest = packed;
    while !rest.is_empty() && unpacked.len() < size {
        let frame = ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(|_| ParquetError::Malformed)?;
        let left = (size - unpacked.len()) as u64;
        frame.take(left).read_to_end(&mut unpacked).map_err(|_| ParquetError::Malformed)?;
    }
    Ok(unpacked)
}

fn lz4(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    // A byte of LZ4 gives 255 at most: what claims more is broken.
    if size > packed.len().saturating_mul(256) {
        return Err(ParquetError::Malformed);
    }
    lz4_flex::block::decompress(packed, size).map_err(|_| ParquetError::Malformed)
}

/// Hadoop's frames: unpacked size and packed size, big endian, then a block.
fn hadoop_lz4(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    let mut rest = packed;
    while let Some(([u0, u1, u2, u3, p0, p1, p2, p3], after)) = rest.split_first_chunk::<8>() {
        let frame = u32::from_be_bytes([*u0, *u1, *u2, *u3]) as usize;
        let length = u32::from_be_bytes([*p0, *p1, *p2, *p3]) as usize;
        let (block, after) = after.split_at_checked(length).ok_or(ParquetError::Malformed)?;
        if frame > size - unpacked.len() {
            return Err(ParquetError::Malformed);
        }
        unpacked.extend_from_slice(&lz4(block, frame)?);
        rest = after;
    }
    if unpacked.len() == size { Ok(unpacked) } else { Err(ParquetError::Malformed) }
}

fn read_all(reader: impl Read, size: usize) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    reader.take(size as u64).read_to_end(&mut unpacked).map_err(|_| ParquetError::Malformed)?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let plain: Vec<u8> = (0..5000_u32).map(|number| (number % 7) as u8).collect();
        let snappy = snap::raw::Encoder::new().compress_vec(&plain).unwrap();
        let lz4 = lz4_flex::block::compress(&plain);
        let mut hadoop = (plain.len() as u32).to_be_bytes().to_vec();
        hadoop.extend_from_slice(&(lz4.len() as u32).to_be_bytes());
        hadoop.extend_from_slice(&lz4);
        for (codec, packed) in [(0, &plain), (1, &snappy), (5, &hadoop), (5, &lz4), (7, &lz4)] {
            assert_eq!(unpack(codec, packed, plain.len()).unwrap(), plain, "codec {codec}");
        }
    }

    #[test]
    fn broken_pages_are_errors() {
        for codec in [1, 2, 3, 4, 5, 6, 7, 99] {
            assert!(unpack(codec, &[0xFF; 20], 100).is_err(), "codec {codec}");
        }
        assert!(unpack(0, &[], WHOLE_PIECE + 1).is_err());
        assert!(unpack(7, &[0; 10], 100 << 20).is_err());
    }
}

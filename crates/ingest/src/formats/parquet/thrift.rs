//! As much of Thrift's compact protocol as Parquet's footer and page headers need.
//!
//! Facts: the Thrift compact protocol specification. A reader asks for the fields that it knows and skips the rest,
//! so that a newer writer's fields cost nothing.

use super::{ParquetError, Result};

/// Structures within structures that are still skipped: real ones have six levels.
const MAX_DEPTH: u8 = 32;

/// What stands in a field or in the elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThriftKind {
    /// A boolean field has its value in the field's header.
    Bool(bool),
    Byte,
    /// 16, 32 or 64 bits.
    Integer,
    Double,
    Bytes,
    List,
    Map,
    Struct,
}

/// A position in encoded bytes.
pub(super) struct Thrift<'a> {
    rest: &'a [u8],
}

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes not yet read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads a structure: `on_field` gets each field's number and kind, and must read the value or skip it.
    pub(super) fn structure(
        &mut self,
        on_field: &mut dyn FnMut(&mut Thrift<'a>, i64, ThriftKind) -> Result<()>,
    ) -> Result<()> {
        let mut last = 0_i64;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            let number = match header >> 4 {
                0 => self.integer()?,
                delta => last.checked_add(i64::from(delta)).ok_or(ParquetError::Malformed)?,
            };
            last = number;
            on_field(self, number, kind(header & 0x0F)?)?;
        }
    }

    /// Reads the head of a list: how many elements follow, of what kind.
    pub(super) fn list(&mut self) -> Result<(usize, ThriftKind)> {
        let header = self.byte()?;
        let length = match header >> 4 {
            15 => usize::try_from(self.varint()?).map_err(|_| ParquetError::Malformed)?,
            short => usize::from(short),
        };
        // Every element takes a byte at least: what claims more is broken.
        if length > self.rest.len() {
            return Err(ParquetError::Malformed);
        }
        Ok((length, kind(header & 0x0F)?))
    }

    /// Reads an integer of 16, 32 or 64 bits.
    pub(super) fn integer(&mut self) -> Result<i64> {
        Ok(zigzag(self.varint()?))
    }

    /// Reads bytes or text.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = usize::try_from(self.varint()?).map_err(|_| ParquetError::Malformed)?;
        self.take(length)
    }

    /// Passes over a value.
    pub(super) fn skip(&mut self, kind: ThriftKind) -> Result<()> {
        self.skip_within(kind, MAX_DEPTH)
    }

    fn skip_within(&mut self, kind: ThriftKind, depth: u8) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(ParquetError::Malformed)?;
        match kind {
            ThriftKind::Bool(_) => {}
            ThriftKind::Byte => _ = self.byte()?,
            ThriftKind::Integer => _ = self.varint()?,
            ThriftKind::Double => _ = self.take(8)?,
            ThriftKind::Bytes => _ = self.bytes()?,
            ThriftKind::List => {
                let (length, kind) = self.list()?;
                for _ in 0..length {
                    self.skip_element(kind, depth)?;
                }
            }
            ThriftKind::Map => {
                let length = self.varint()?;
                if length == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                for _ in 0..length {
                    self.skip_element(self::kind(kinds >> 4)?, depth)?;
                    self.skip_element(self::kind(kinds & 0x0F)?, depth)?;
                }
            }
            ThriftKind::Struct => self.structure(&mut |thrift, _, kind| thrift.skip_within(kind, depth))?,
        }
        Ok(())
    }

    /// In a list a boolean is a byte of its own.
    fn skip_element(&mut self, kind: ThriftKind, depth: u8) -> Result<()> {
        match kind {
            ThriftKind::Bool(_) => self.byte().map(|_| ()),
            kind => self.skip_within(kind, depth),
        }
    }

    fn byte(&mut self) -> Result<u8> {
        let (byte, rest) = self.rest.split_first().ok_or(ParquetError::Malformed)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn varint(&mut self) -> Result<u64> {
        let (value, rest) = varint(self.rest).ok_or(ParquetError::Malformed)?;
        self.rest = rest;
        Ok(value)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ParquetError::Malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// Reads an unsigned LEB128 number, and gives what follows it.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * index);
        if *byte < 0x80 {
            return Some((value, bytes.get(index + 1..).unwrap_or_default()));
        }
    }
    None
}

/// 0, -1, 1, -2, … from 0, 1, 2, 3, ….
pub(super) fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn kind(code: u8) -> Result<ThriftKind> {
    Ok(match code {
        1 => ThriftKind::Bool(true),
        2 => ThriftKind::Bool(false),
        3 => ThriftKind::Byte,
        4..=6 => ThriftKind::Integer,
        7 => ThriftKind::Double,
        8 => ThriftKind::Bytes,
        9 | 10 => ThriftKind::List,
        11 => ThriftKind::Map,
        12 => ThriftKind::Struct,
        _ => return Err(ParquetError::Malformed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_number_and_the_rest_is_skipped() {
        // 1: i32 150, 2: true, 3: list of two i32, 5: struct {1: "ab"}, 20 (long form): i64 -1, end.
        let bytes = [0x15, 0xAC, 0x02, 0x11, 0x19, 0x25, 2, 4, 0x2C, 0x18, 2, b'a', b'b', 0, 0x06, 40, 1, 0, 9];
        let mut thrift = Thrift::new(&bytes);
        let mut seen = Vec::new();
        thrift
            .structure(&mut |thrift, number, kind| {
                seen.push((number, kind));
                thrift.skip(kind)
            })
            .unwrap();
        let kinds = [
            (1, ThriftKind::Integer),
            (2, ThriftKind::Bool(true)),
            (3, ThriftKind::List),
            (5, ThriftKind::Struct),
            (20, ThriftKind::Integer),
        ];
        assert_eq!(seen, kinds);
        assert_eq!(thrift.rest(), [9]);
    }

    #[test]
    fn what_claims_more_than_there_is_is_malformed() {
        for bytes in [&[0x15][..], &[0x18, 5, b'a'], &[0x19, 0xF5, 0xFF, 0xFF, 0x7F], &[0x1F, 0], &[0xFC; 80]] {
            let mut thrift = Thrift::new(bytes);
            assert!(thrift.structure(&mut |thrift, _, kind| thrift.skip(kind)).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn signs_alternate() {
        assert_eq!([0, 1, 2, 3, u64::MAX].map(zigzag), [0, -1, 1, -2, i64::MIN]);
    }
}

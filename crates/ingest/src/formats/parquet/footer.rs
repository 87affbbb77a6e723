//! What a Parquet file says about itself at its end: its columns, and where the bytes of each lie.
//!
//! Field numbers: parquet.thrift of the Parquet format.

use std::ops::Range;

use super::blocks::FileBlocks;
use super::schema::{self, Element, Leaf};
use super::thrift::{Thrift, ThriftKind};
use super::{ParquetError, Result};

/// The schema's leaves and the row groups.
#[derive(Debug, Default)]
pub(super) struct Footer {
    pub(super) leaves: Vec<Leaf>,
    pub(super) groups: Vec<RowGroup>,
}

/// Rows that are stored together.
#[derive(Debug, Default)]
pub(super) struct RowGroup {
    pub(super) rows: u64,
    /// One for each leaf, in the same order.
    pub(super) chunks: Vec<Chunk>,
}

/// The bytes of one column in one row group.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chunk {
    pub(super) codec: i64,
    pub(super) start: u64,
    pub(super) length: u64,
    /// Readable only with a key.
    pub(super) is_encrypted: bool,
}

impl Footer {
    /// Reads the footer at the end of a whole file.
    pub(super) fn read(file: &FileBlocks) -> Result<Footer> {
        let footer_end = file.len().checked_sub(8).ok_or(ParquetError::Cut)?;
        let end = file.range(footer_end..file.len()).ok_or(ParquetError::Cut)?;
        let [l0, l1, l2, l3, magic @ ..] = *end.first_chunk::<8>().ok_or(ParquetError::Cut)?;
        match &magic {
            b"PAR1" => {}
            b"PARE" => return Err(ParquetError::Encrypted),
            _ => return Err(ParquetError::Cut),
        }
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let start = footer_end.checked_sub(length).ok_or(ParquetError::Malformed)?;
        let bytes = file.range(start..footer_end).ok_or(ParquetError::Malformed)?;
        let mut footer = Footer::default();
        let mut elements = Vec::new();
        Thrift::new(&bytes).structure(&mut |thrift, number, kind| {
            match (number, kind) {
                (2, ThriftKind::List) => {
                    for _ in 0..thrift.list()?.0 {
                        elements.push(Element::read(thrift)?);
                    }
                }
                (4, ThriftKind::List) => {
                    for _ in 0..thrift.list()?.0 {
                        footer.groups.push(RowGroup::read(thrift)?);
                    }
                }
                (8, ThriftKind::Struct) => return Err(ParquetError::Encrypted),
                _ => thrift.skip(kind)?,
            }
            Ok(())
        })?;
        footer.leaves = schema::leaves(elements)?;
        Ok(footer)
    }

    /// The bytes of one leaf in all row groups.
    pub(super) fn chunks(&self, leaf: usize) -> impl Iterator<Item = &Chunk> {
        self.groups.iter().filter_map(move |group| group.chunks.get(leaf))
    }
}

impl RowGroup {
    fn read(thrift: &mut Thrift<'_>) -> Result<RowGroup> {
        let mut group = RowGroup::default();
        thrift.structure(&mut |thrift, number, kind| {
            match (number, kind) {
                (1, ThriftKind::List) => {
                    for _ in 0..thrift.list()?.0 {
                        group.chunks.push(Chunk::read(thrift)?);
                    }
                }
                (3, ThriftKind::Integer) => group.rows = unsigned(thrift.integer()?)?,
                _ => thrift.skip(kind)?,
            }
            Ok(())
        })?;
        Ok(group)
    }
}

impl Chunk {
    /// Where it lies in the file; beyond the end of any where its numbers are damaged.
    pub(super) fn bytes(&self) -> Range<usize> {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        place(self.start)..place(self.start.saturating_add(self.length))
    }

    fn read(thrift: &mut Thrift<'_>) -> Result<Chunk> {
        let mut chunk = Chunk::default();
        let (mut data, mut dictionary) = (0, 0);
        thrift.structure(&mut |thrift, number, kind| match (number, kind) {
            (3, ThriftKind::Struct) => thrift.structure(&mut |thrift, number, kind| {
                match (number, kind) {
                    (4, ThriftKind::Integer) => chunk.codec = thrift.integer()?,
                    (7, ThriftKind::Integer) => chunk.length = unsigned(thrift.integer()?)?,
                    (9, ThriftKind::Integer) => data = unsigned(thrift.integer()?)?,
                    (11, ThriftKind::Integer) => dictionary = unsigned(thrift.integer()?)?,
                    _ => thrift.skip(kind)?,
                }
                Ok(())
            }),
            (8, ThriftKind::Struct) => {
                chunk.is_encrypted = true;
                thrift.skip(kind)
            }
            _ => thrift.skip(kind),
        })?;
        // Some writers leave an offset of 0 where there is no dictionary.
        chunk.start = if dictionary > 0 { data.min(dictionary) } else { data };
        Ok(chunk)
    }
}

fn unsigned(value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| ParquetError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_its_end_is_cut() {
        let read = |bytes: &[u8]| {
            let mut file = FileBlocks::default();
            file.push(bytes);
            Footer::read(&file)
        };
        assert!(matches!(read(b"PAR1"), Err(ParquetError::Cut)));
        assert!(matches!(read(b"PAR1........xxxx"), Err(ParquetError::Cut)));
        assert!(matches!(read(b"PAR1\xff\xff\xff\xffPAR1"), Err(ParquetError::Malformed)));
        assert!(matches!(read(b"PAR1\x00\x00\x00\x00PARE"), Err(ParquetError::Encrypted)));
    }
}

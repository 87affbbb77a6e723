//! What stands before each page of a column: its kind, sizes and encodings.

use super::thrift::{Thrift, ThriftKind};
use super::{ParquetError, Result};

/// The header of a page.
#[derive(Debug, Default)]
pub(super) struct PageHeader {
    /// 0 data, 1 index, 2 dictionary, 3 data of the second version.
    pub(super) kind: i64,
    pub(super) unpacked: usize,
    pub(super) packed: usize,
    pub(super) crc: Option<u32>,
    pub(super) values: usize,
    pub(super) encoding: i64,
    pub(super) definition_encoding: i64,
    pub(super) repetition_encoding: i64,
    /// Second version: bytes of levels before the values, which are never packed.
    pub(super) definition_bytes: usize,
    pub(super) repetition_bytes: usize,
    pub(super) is_packed: bool,
}

impl PageHeader {
    /// Reads it where a page begins.
    pub(super) fn read(thrift: &mut Thrift<'_>) -> Result<PageHeader> {
        let mut header = PageHeader { is_packed: true, ..PageHeader::default() };
        let size = |value: i64| usize::try_from(value).map_err(|_| ParquetError::Malformed);
        thrift.structure(&mut |thrift, number, kind| {
            match (number, kind) {
                (1, ThriftKind::Integer) => header.kind = thrift.integer()?,
                (2, ThriftKind::Integer) => header.unpacked = size(thrift.integer()?)?,
                (3, ThriftKind::Integer) => header.packed = size(thrift.integer()?)?,
                (4, ThriftKind::Integer) => header.crc = Some(thrift.integer()? as u32),
                (5 | 7, ThriftKind::Struct) => thrift.structure(&mut |thrift, number, kind| {
                    match (number, kind) {
                        (1, ThriftKind::Integer) => header.values = size(thrift.integer()?)?,
                        (2, ThriftKind::Integer) => header.encoding = thrift.integer()?,
                        (3, ThriftKind::Integer) => header.definition_encoding = thrift.integer()?,
                        (4, ThriftKind::Integer) => header.repetition_encoding = thrift.integer()?,
                        _ => thrift.skip(kind)?,
                    }
                    Ok(())
                })?,
                (8, ThriftKind::Struct) => thrift.structure(&mut |thrift, number, kind| {
                    match (number, kind) {
                        (1, ThriftKind::Integer) => header.values = size(thrift.integer()?)?,
                        (4, ThriftKind::Integer) => header.encoding = thrift.integer()?,
                        (5, ThriftKind::Integer) => header.definition_bytes = size(thrift.integer()?)?,
                        (6, ThriftKind::Integer) => header.repetition_bytes = size(thrift.integer()?)?,
                        (7, ThriftKind::Bool(is_packed)) => header.is_packed = is_packed,
                        _ => thrift.skip(kind)?,
                    }
                    Ok(())
                })?,
                _ => thrift.skip(kind)?,
            }
            Ok(())
        })?;
        Ok(header)
    }
}

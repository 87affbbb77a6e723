//! The header that stands before each member of a zip archive.

use crate::path;

/// Size of a local header without name and extra fields.
pub(super) const HEADER: usize = 30;

/// What a header says about its member.
pub(super) struct LocalHeader {
    /// Bytes of the header, with its name and extra fields.
    pub(super) length: usize,
    /// Path that stays below the archive; ends with `/` for a folder.
    pub(super) name: String,
    /// 0 stored, 8 deflated.
    pub(super) method: u16,
    pub(super) is_encrypted: bool,
    /// Sizes and the sum stand behind the data.
    pub(super) has_descriptor: bool,
    /// Packed bytes that follow, where they are known.
    pub(super) left: Option<u64>,
    /// CRC-32 of the unpacked data, where it is known.
    pub(super) crc: Option<u32>,
}

impl LocalHeader {
    /// Reads the header at the start of `bytes`; `None` when more bytes are needed.
    pub(super) fn read(bytes: &[u8]) -> Option<LocalHeader> {
        let header = bytes.first_chunk::<HEADER>()?;
        let short = |at: usize| u16::from_le_bytes([byte(header, at), byte(header, at + 1)]);
        let (name_length, extra_length) = (usize::from(short(26)), usize::from(short(28)));
        let length = HEADER + name_length + extra_length;
        let name = bytes.get(HEADER..HEADER + name_length)?;
        let extra = bytes.get(HEADER + name_length..length)?;
        let flags = short(6);
        let mut size = u64::from(long(header, 18));
        if size == u64::from(u32::MAX) {
            size = wide_size(extra, long(header, 22) == u32::MAX).unwrap_or(size);
        }
        let has_descriptor = flags & 8 != 0;
        Some(LocalHeader {
            length,
            name: member_name(name),
            method: short(8),
            is_encrypted: flags & 1 != 0,
            has_descriptor,
            left: (!has_descriptor || size > 0).then_some(size),
            crc: (!has_descriptor).then(|| long(header, 14)),
        })
    }
}

/// The packed size in the extra field of archives beyond 4 GB.
fn wide_size(mut extra: &[u8], has_unpacked: bool) -> Option<u64> {
    while let Some(([k0, k1, l0, l1], rest)) = extra.split_first_chunk::<4>() {
        let length = usize::from(u16::from_le_bytes([*l0, *l1]));
        if (k0, k1) == (&1, &0) {
            let at = if has_unpacked { 8 } else { 0 };
            return rest.get(at..)?.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
        }
        extra = rest.get(length..).unwrap_or_default();
    }
    None
}

/// The name as a path that stays below its archive. Names that are no UTF-8 are of an old code page.
fn member_name(name: &[u8]) -> String {
    let text = match std::str::from_utf8(name) {
        Ok(text) => text.to_owned(),
        Err(_) => name.iter().map(|byte| char::from(*byte)).collect(),
    };
    let is_folder = text.ends_with(['/', '\\']);
    let normal = path::normal(&text);
    let parts: Vec<&str> = normal.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let name = parts.join("/");
    if is_folder { format!("{name}/") } else { name }
}

/// True where an archive may begin behind a program, in which the signature alone may stand as well: a header with a
/// version, a method and a name as they occur, or the directory of an archive without members.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let short = |at: usize| u16::from_le_bytes([byte(bytes, at), byte(bytes, at + 1)]);
    let is_member = || short(4) < 100 && short(8) < 100 && (1..4096).contains(&short(26));
    match bytes.first_chunk::<4>() {
        Some(b"PK\x03\x04") => bytes.len() >= HEADER && is_member(),
        Some(b"PK\x05\x06") => bytes.len() >= 22 && short(10) == 0,
        _ => false,
    }
}

/// True for the first bytes of what may follow a member.
pub(super) fn is_signature(bytes: &[u8; 4]) -> bool {
    matches!(bytes, b"PK\x01\x02" | b"PK\x03\x04" | b"PK\x05\x06" | b"PK\x06\x06" | b"PK\x06\x08")
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// 32 bits, little endian; what is missing is zero.
pub(super) fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([byte(bytes, at), byte(bytes, at + 1), byte(bytes, at + 2), byte(bytes, at + 3)])
}

#[cfg(test)]
mod tests {
    use super::member_name;

    #[test]
    fn names_never_lead_out_of_the_archive() {
        assert_eq!(member_name(b"../../etc/./passwd"), "etc/passwd");
        assert_eq!(member_name(br"C\..\..\x.csv"), "C/x.csv");
        assert_eq!(member_name(b"/a//b/"), "a/b/");
        assert_eq!(member_name(b"l\x84ufe.csv"), "l\u{84}ufe.csv");
    }
}

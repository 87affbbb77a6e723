//! tar archives: each member is read as if it had been dropped.
//!
//! POSIX ustar with the two ways of writing long names: GNU's `L` members and pax headers. Members stream through;
//! none stands in memory as a whole.
//!
//! Own code, because `tar` 0.4 pulls from a blocking `Read`: here bytes are pushed as the browser delivers them
//! (docs/decisions/tar.md).

use super::members::{ArchiveFormat, ArchiveState};
use super::{ArchiveMember, OpenMember, STEP};
use crate::budget::FileBudget;
use crate::{Weight, path};

const BLOCK: usize = 512;
/// Longest name or pax header that is kept.
const MAX_META: u64 = 1 << 20;

/// True when the bytes begin with the header of a tar member.
pub(crate) fn is_header(head: &[u8]) -> bool {
    head.get(..BLOCK).is_some_and(|block| TarHeader::read(block).is_some())
}

/// Reads a tar archive.
pub(crate) struct Tar {
    archive: ArchiveState,
    state: TarState,
    /// Name for the next member, from a GNU or pax header.
    long_name: Option<String>,
    /// Size of the next member, from a pax header.
    long_size: Option<u64>,
    /// A pax header says that the next member is stored without its holes.
    is_sparse: bool,
}

enum TarState {
    /// Before a header, with the bytes of it that are there.
    Header(Vec<u8>),
    /// Within the further headers of a sparse file of this size, which name its holes.
    Holes(Vec<u8>, u64),
    /// Within a member: bytes of data left, then bytes of padding.
    Member { sink: TarSink, left: u64, padding: u64 },
    /// Behind the last member, or damaged.
    End,
}

enum TarSink {
    File(Box<dyn ArchiveMember>),
    LongName(Vec<u8>),
    Pax(Vec<u8>),
    Nothing,
}

impl Tar {
    pub(crate) fn new(path: &str, budget: &FileBudget, open: OpenMember) -> Self {
        Self {
            archive: ArchiveState::new(path, budget, open),
            state: TarState::Header(Vec::new()),
            long_name: None,
            long_size: None,
            is_sparse: false,
        }
    }

    fn note_damage(&mut self, at: u64) {
        let what = "The archive is damaged or ends early: the members after this place are lost.";
        self.archive.note(at, Weight::Partial, what, "Copy the file again.");
    }

    fn begin_member(&mut self, block: &[u8]) {
        if block.iter().all(|byte| *byte == 0) {
            self.state = TarState::End;
            return;
        }
        let Some(header) = TarHeader::read(block) else {
            self.note_damage(self.archive.offset - BLOCK as u64);
            self.state = TarState::End;
            return;
        };
        let is_meta = matches!(header.kind, b'L' | b'x' | b'g' | b'K');
        let size = if is_meta { header.size } else { self.long_size.take().unwrap_or(header.size) };
        if is_meta {
            let sink = match header.kind {
                b'L' if size <= MAX_META => TarSink::LongName(Vec::new()),
                b'x' if size <= MAX_META => TarSink::Pax(Vec::new()),
                _ => TarSink::Nothing,
            };
            return self.begin_data(sink, size);
        }
        let name = path::normal(&self.long_name.take().unwrap_or(header.name));
        let is_sparse = std::mem::take(&mut self.is_sparse) || header.kind == b'S';
        match header.kind {
            b'S' => {
                self.archive.note_unread(&name, "is stored without its holes (sparse)");
                self.skip_sparse(block.get(482) == Some(&1), size);
            }
            b'0' | 0 | b'7' if is_sparse => {
                self.archive.note_unread(&name, "is stored without its holes (sparse)");
                self.begin_data(TarSink::Nothing, size);
            }
            b'0' | 0 | b'7' => match self.archive.budget.open_member() {
                Ok(()) => {
                    self.archive.add_name(&name);
                    let file = self.archive.open(name);
                    self.begin_data(TarSink::File(file), size);
                }
                Err(limit) => {
                    self.archive.note_limit(self.archive.offset - BLOCK as u64, limit);
                    self.state = TarState::End;
                }
            },
            // Links, devices and folders have no data, whatever size their header says.
            b'1'..=b'6' => self.begin_data(TarSink::Nothing, 0),
            _ => {
                if size > 0 {
                    self.archive.note_unread(&name, "is of an unsupported type");
                }
                self.begin_data(TarSink::Nothing, size);
            }
        }
    }

    /// Passes over a sparse file, behind further headers where there are more.
    fn skip_sparse(&mut self, has_more_headers: bool, size: u64) {
        if has_more_headers {
            self.state = TarState::Holes(Vec::new(), size);
        } else {
            self.begin_data(TarSink::Nothing, size);
        }
    }

    /// Reads the next `size` bytes into `sink`, and passes over what fills their last block.
    fn begin_data(&mut self, sink: TarSink, size: u64) {
        let padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        self.state = TarState::Member { sink, left: size, padding };
        self.advance();
    }

    fn end_member(&mut self, sink: TarSink, is_stopped: bool) {
        match sink {
            TarSink::File(file) => self.archive.add(file.finish(is_stopped)),
            TarSink::LongName(name) => self.long_name = Some(text(&name)),
            TarSink::Pax(records) => {
                for (key, value) in pax_records(&records) {
                    match key {
                        b"path" => self.long_name = Some(text(value)),
                        b"GNU.sparse.name" => {
                            self.long_name = Some(text(value));
                            self.is_sparse = true;
                        }
                        b"GNU.sparse.map" | b"GNU.sparse.major" => self.is_sparse = true,
                        b"size" => self.long_size = text(value).parse().ok(),
                        _ => {}
                    }
                }
            }
            TarSink::Nothing => {}
        }
    }
}

impl ArchiveFormat for Tar {
    const ENDING: &'static str = ".tar";

    fn state(&mut self) -> &mut ArchiveState {
        &mut self.archive
    }

    fn is_at_end(&self) -> bool {
        matches!(self.state, TarState::End)
    }

    fn work_member(&mut self) -> bool {
        match &mut self.state {
            TarState::Member { sink: TarSink::File(file), .. } => file.work(),
            _ => false,
        }
    }

    /// Reads what is of one kind of thing.
    fn parse(&mut self, bytes: &[u8]) -> Option<usize> {
        if bytes.is_empty() {
            return None;
        }
        Some(match &mut self.state {
            TarState::End => bytes.len(),
            TarState::Header(block) | TarState::Holes(block, _) => {
                let taken = (BLOCK - block.len()).min(bytes.len());
                block.extend(bytes.iter().take(taken));
                taken
            }
            TarState::Member { sink, left, padding } => {
                let available = bytes.len().min(STEP) as u64;
                let data = (*left).min(available);
                sink.push(bytes.get(..data as usize).unwrap_or_default());
                let skipped = (*padding).min(available - data);
                *left -= data;
                *padding -= skipped;
                (data + skipped) as usize
            }
        })
    }

    /// Goes on to the next state when the present one is complete.
    fn advance(&mut self) {
        match &self.state {
            TarState::Header(block) | TarState::Holes(block, _) if block.len() == BLOCK => {}
            TarState::Member { left: 0, padding: 0, .. } => {}
            _ => return,
        }
        match std::mem::replace(&mut self.state, TarState::Header(Vec::new())) {
            TarState::Header(block) => self.begin_member(&block),
            TarState::Holes(block, size) => self.skip_sparse(block.get(504) == Some(&1), size),
            TarState::Member { sink, .. } => self.end_member(sink, false),
            TarState::End => self.state = TarState::End,
        }
    }

    fn note_cut(&mut self) {
        match &self.state {
            // Some writers leave the end marker out.
            TarState::Header(block) if block.is_empty() => {
                let what = "The archive has no end marker: where it was cut, members are missing.";
                self.archive.note(self.archive.offset, Weight::Remark, what, "");
            }
            _ => self.note_damage(self.archive.offset),
        }
    }

    fn end_early(&mut self) {
        if let TarState::Member { sink, .. } = std::mem::replace(&mut self.state, TarState::End) {
            self.end_member(sink, true);
        }
    }
}

impl TarSink {
    fn push(&mut self, bytes: &[u8]) {
        match self {
            TarSink::File(file) if file.wants_bytes() => file.begin(bytes),
            TarSink::LongName(kept) | TarSink::Pax(kept) => kept.extend_from_slice(bytes),
            TarSink::File(_) | TarSink::Nothing => {}
        }
    }
}

struct TarHeader {
    name: String,
    size: u64,
    kind: u8,
}

impl TarHeader {
    /// Reads a header whose checksum is right.
    fn read(block: &[u8]) -> Option<TarHeader> {
        let sum = number(block.get(148..156)?)?;
        let plain = block.iter().enumerate().map(|(place, byte)| match place {
            148..156 => u64::from(b' '),
            _ => u64::from(*byte),
        });
        if plain.sum::<u64>() != sum || sum == 8 * u64::from(b' ') {
            return None;
        }
        let mut name = text(block.get(..100)?);
        // Old GNU headers have other fields where POSIX has the prefix.
        if block.get(257..263)? == b"ustar\0" {
            let prefix = text(block.get(345..500)?);
            if !prefix.is_empty() {
                name = format!("{prefix}/{name}");
            }
        }
        Some(TarHeader { name, size: number(block.get(124..136)?)?, kind: *block.get(156)? })
    }
}

/// A number in octal, or in GNU's base 256 when the top bit is set.
fn number(field: &[u8]) -> Option<u64> {
    let (first, rest) = field.split_first()?;
    if first & 0x80 != 0 {
        let digits = std::iter::once(first & 0x7F).chain(rest.iter().copied());
        return digits.map(u64::from).try_fold(0_u64, |sum, digit| sum.checked_mul(256)?.checked_add(digit));
    }
    let digits = text(field);
    u64::from_str_radix(digits.trim(), 8).ok()
}

/// Text up to the first NUL.
fn text(field: &[u8]) -> String {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or_default()).into_owned()
}

/// Records `LENGTH KEY=VALUE\n`, where the length counts the whole record.
fn pax_records(mut rest: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut records = Vec::new();
    while let Some(space) = memchr::memchr(b' ', rest) {
        let length = rest.get(..space).and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<usize>().ok());
        let Some(record) = length.and_then(|length| rest.get(space + 1..length)) else { break };
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        if let Some(equals) = memchr::memchr(b'=', record) {
            let (key, value) = record.split_at(equals);
            records.push((key, value.get(1..).unwrap_or_default()));
        }
        rest = length.and_then(|length| rest.get(length..)).unwrap_or_default();
    }
    records
}

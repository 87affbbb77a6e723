//! tar archives: each member is read as if it had been dropped.
//!
//! POSIX ustar with the two ways of writing long names: GNU's `L` members and pax headers. Members stream through;
//! none stands in memory as a whole.
//!
//! Own code, because `tar` 0.4 pulls from a blocking `Read`: here bytes are pushed as the browser delivers them
//! (docs/decisions/tar.md).

use super::members::{prefix, put_below};
use super::{ArchiveMember, OpenMember};
use crate::ingest::reader::FileOutcome;
use crate::ingest::{Place, Problem, Weight, path};
use crate::run::FileFormat;

const BLOCK: usize = 512;
/// Longest name or pax header that is kept.
const MAX_META: u64 = 1 << 20;

/// True when the bytes begin with the header of a tar member.
pub(crate) fn is_header(head: &[u8]) -> bool {
    head.get(..BLOCK).is_some_and(|block| TarHeader::read(block).is_some())
}

/// Takes an archive apart.
pub(crate) struct Tar {
    path: String,
    depth: u8,
    open: OpenMember,
    offset: u64,
    state: TarState,
    /// Name for the next member, from a GNU or pax header.
    long_name: Option<String>,
    /// Size of the next member, from a pax header.
    long_size: Option<u64>,
    members: Vec<String>,
    outcomes: Vec<FileOutcome>,
    broken_at: Option<u64>,
}

enum TarState {
    /// Before a header, with the bytes of it that are there.
    Header(Vec<u8>),
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
    pub(crate) fn new(path: &str, depth: u8, open: OpenMember) -> Self {
        Self {
            path: path.to_owned(),
            depth,
            open,
            offset: 0,
            state: TarState::Header(Vec::new()),
            long_name: None,
            long_size: None,
            members: Vec::new(),
            outcomes: Vec::new(),
            broken_at: None,
        }
    }

    pub(crate) fn wants_bytes(&self) -> bool {
        !matches!(self.state, TarState::End)
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = match &mut self.state {
                TarState::End => return,
                TarState::Header(block) => {
                    let taken = (BLOCK - block.len()).min(bytes.len());
                    block.extend(bytes.iter().take(taken));
                    taken
                }
                TarState::Member { sink, left, padding } => {
                    let available = bytes.len() as u64;
                    let data = (*left).min(available);
                    sink.push(bytes.get(..data as usize).unwrap_or_default());
                    let skipped = (*padding).min(available - data);
                    *left -= data;
                    *padding -= skipped;
                    (data + skipped) as usize
                }
            };
            self.offset += taken as u64;
            bytes = bytes.get(taken..).unwrap_or_default();
            self.advance();
        }
    }

    pub(crate) fn finish(mut self) -> FileOutcome {
        let is_whole = match &self.state {
            TarState::End => true,
            // Some writers leave the end marker out.
            TarState::Header(block) => block.is_empty(),
            TarState::Member { .. } => false,
        };
        if !is_whole {
            self.broken_at.get_or_insert(self.offset);
        }
        if let TarState::Member { sink, .. } = std::mem::replace(&mut self.state, TarState::End) {
            self.end_member(sink);
        }
        let mut all = FileOutcome { format: FileFormat::Archive, ..FileOutcome::default() };
        let prefix = prefix(&self.path, ".tar", &self.members);
        for mut outcome in self.outcomes {
            put_below(&mut outcome, &prefix);
            all.parts.extend(outcome.parts);
            all.problems.extend(outcome.problems);
        }
        if let Some(offset) = self.broken_at {
            let what = "The archive is damaged or ends early: the members after this place are lost.";
            all.problems.push(Problem::new(
                &self.path,
                Place::Byte(offset),
                Weight::Partial,
                what,
                "Copy the file again.",
            ));
        }
        all
    }

    /// Goes on to the next state when the present one is complete.
    fn advance(&mut self) {
        match &self.state {
            TarState::Header(block) if block.len() == BLOCK => {}
            TarState::Member { left: 0, padding: 0, .. } => {}
            _ => return,
        }
        match std::mem::replace(&mut self.state, TarState::Header(Vec::new())) {
            TarState::Header(block) => self.begin_member(&block),
            TarState::Member { sink, .. } => self.end_member(sink),
            TarState::End => self.state = TarState::End,
        }
    }

    fn begin_member(&mut self, block: &[u8]) {
        if block.iter().all(|byte| *byte == 0) {
            self.state = TarState::End;
            return;
        }
        let Some(header) = TarHeader::read(block) else {
            self.broken_at = Some(self.offset - BLOCK as u64);
            self.state = TarState::End;
            return;
        };
        let is_meta = matches!(header.kind, b'L' | b'x' | b'g' | b'K');
        let size = match header.kind {
            _ if is_meta => header.size,
            kind => {
                let size = self.long_size.take().unwrap_or(header.size);
                // Links, devices and folders have no data, whatever size their header says.
                if matches!(kind, b'1'..=b'6') { 0 } else { size }
            }
        };
        let sink = match header.kind {
            b'L' if size <= MAX_META => TarSink::LongName(Vec::new()),
            b'x' if size <= MAX_META => TarSink::Pax(Vec::new()),
            b'0' | 0 | b'7' => {
                let name = path::normal(&self.long_name.take().unwrap_or(header.name));
                self.members.push(name.clone());
                TarSink::File((self.open)(name, self.depth))
            }
            _ => TarSink::Nothing,
        };
        if !is_meta {
            self.long_name = None;
        }
        let padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        self.state = TarState::Member { sink, left: size, padding };
        self.advance();
    }

    fn end_member(&mut self, sink: TarSink) {
        match sink {
            TarSink::File(file) => {
                let outcome = file.finish();
                self.outcomes.push(outcome);
            }
            TarSink::LongName(name) => self.long_name = Some(text(&name)),
            TarSink::Pax(records) => {
                for (key, value) in pax_records(&records) {
                    match key {
                        b"path" => self.long_name = Some(text(value)),
                        b"size" => self.long_size = text(value).parse().ok(),
                        _ => {}
                    }
                }
            }
            TarSink::Nothing => {}
        }
    }
}

impl TarSink {
    fn push(&mut self, bytes: &[u8]) {
        match self {
            TarSink::File(file) if file.wants_bytes() => file.push(bytes),
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

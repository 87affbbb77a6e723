//! The data of one member: passed on as it is stored, or inflated.

use flate2::{Decompress, FlushDecompress, Status};

use super::header::{LocalHeader, long};
use crate::archives::{ArchiveMember, STEP};
use crate::budget::{FileBudget, TooLarge};

/// The longest data descriptor: signature, CRC-32 and two sizes of 64 bits.
const DESCRIPTOR: usize = 24;

/// A member whose data is being read.
pub(super) struct ZipMember {
    /// Offset of its header.
    pub(super) start: u64,
    /// The reader of what is in it; none for one that is skipped.
    pub(super) file: Option<Box<dyn ArchiveMember>>,
    /// Packed bytes that are left, where the header says it.
    pub(super) left: Option<u64>,
    pub(super) has_descriptor: bool,
    pub(super) data: MemberData,
    crc: crc32fast::Hasher,
    /// The CRC-32 in the header; none where it is not known, or where not all data was looked at.
    expected_crc: Option<u32>,
    /// The inflater filled its buffer: it may hold more output, for which it needs no further bytes.
    holds_output: bool,
}

/// How the data of a member is packed.
pub(super) enum MemberData {
    /// Not packed; the number of bytes so far.
    Stored(u64),
    Deflated(Box<Decompress>),
    /// Not read: encrypted, or packed in another way.
    Skipped,
    /// Behind the end of the deflated data.
    Ended,
}

/// How far a call came.
pub(super) struct MemberProgress {
    /// Packed bytes that are done with.
    pub(super) taken: usize,
    /// The data ends here.
    pub(super) is_end: bool,
    /// Nothing can be done without more bytes.
    pub(super) needs_more: bool,
}

/// Why the data cannot be read on.
#[derive(Debug)]
pub(super) enum DataError {
    /// The deflated data is damaged.
    Damaged,
    /// The archive unpacks to too much.
    TooLarge(TooLarge),
}

impl MemberData {
    pub(super) fn new(header: &LocalHeader) -> Self {
        match header.method {
            _ if header.is_encrypted => Self::Skipped,
            0 => Self::Stored(0),
            8 => Self::Deflated(Box::new(Decompress::new(false))),
            _ => Self::Skipped,
        }
    }
}

impl ZipMember {
    /// A member whose header starts at `start`.
    pub(super) fn new(
        start: u64,
        header: &LocalHeader,
        file: Option<Box<dyn ArchiveMember>>,
        data: MemberData,
    ) -> Self {
        let LocalHeader { left, has_descriptor, crc: expected_crc, .. } = *header;
        let crc = crc32fast::Hasher::new();
        Self { start, file, left, has_descriptor, data, crc, expected_crc, holds_output: false }
    }

    /// Does a step of what the reader of the member has to do; false when there is nothing.
    pub(super) fn work(&mut self) -> bool {
        self.file.as_mut().is_some_and(|file| file.work())
    }

    /// True while unpacked data waits, so that the member is not at its end.
    pub(super) fn holds_output(&self) -> bool {
        self.holds_output
    }

    /// Reads data at the start of `bytes`, which hold nothing of what follows the member where its size is known.
    pub(super) fn read(&mut self, bytes: &[u8], budget: &FileBudget) -> Result<MemberProgress, DataError> {
        let all = MemberProgress { taken: bytes.len(), is_end: false, needs_more: bytes.is_empty() };
        let wants_bytes = self.file.as_ref().is_some_and(|file| file.wants_bytes());
        if self.left.is_some() && !wants_bytes {
            self.expected_crc = None;
            self.holds_output = false;
            return Ok(all);
        }
        match &mut self.data {
            MemberData::Skipped | MemberData::Ended => Ok(all),
            MemberData::Stored(_) if self.left.is_some() => {
                self.pass_on(bytes);
                Ok(all)
            }
            MemberData::Stored(_) => Ok(self.read_to_descriptor(bytes)),
            MemberData::Deflated(_) => self.inflate(bytes, budget),
        }
    }

    /// True when the CRC-32 of all data is another than the header's.
    pub(super) fn has_wrong_crc(&self) -> bool {
        self.expected_crc.is_some_and(|crc| crc != self.crc.clone().finalize())
    }

    fn pass_on(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        if let Some(file) = self.file.as_mut().filter(|file| file.wants_bytes()) {
            file.begin(bytes);
        }
    }

    fn pass_on_stored(&mut self, bytes: &[u8]) {
        self.pass_on(bytes);
        if let MemberData::Stored(count) = &mut self.data {
            *count += bytes.len() as u64;
        }
    }

    /// Passes on stored bytes up to a descriptor whose sizes agree with them.
    fn read_to_descriptor(&mut self, bytes: &[u8]) -> MemberProgress {
        let mut taken = 0;
        let mut is_end = false;
        while let Some(rest) = bytes.get(taken..)
            && let Some(place) = memchr::memmem::find(rest, b"PK\x07\x08")
        {
            self.pass_on_stored(rest.get(..place).unwrap_or_default());
            taken += place;
            let Some(descriptor) = bytes.get(taken..taken + DESCRIPTOR) else {
                return MemberProgress { taken, is_end, needs_more: taken == 0 };
            };
            let narrow = u64::from(long(descriptor, 8));
            let wide = narrow | u64::from(long(descriptor, 12)) << 32;
            is_end = matches!(self.data, MemberData::Stored(count) if count == narrow || count == wide);
            if is_end {
                return MemberProgress { taken, is_end, needs_more: false };
            }
            self.pass_on_stored(bytes.get(taken..taken + 4).unwrap_or_default());
            taken += 4;
        }
        // The last bytes may begin a signature.
        let safe = bytes.len().saturating_sub(3).max(taken);
        self.pass_on_stored(bytes.get(taken..safe).unwrap_or_default());
        MemberProgress { taken: safe, is_end, needs_more: safe == 0 }
    }

    fn inflate(&mut self, bytes: &[u8], budget: &FileBudget) -> Result<MemberProgress, DataError> {
        let MemberData::Deflated(inflater) = &mut self.data else { return Err(DataError::Damaged) };
        let mut buffer = Vec::with_capacity(STEP);
        let read = inflater.total_in();
        let status = inflater.decompress_vec(bytes, &mut buffer, FlushDecompress::None);
        let mut taken = (inflater.total_in() - read) as usize;
        let (granted, limit) = budget.unpack(buffer.len());
        // Also what came before damage.
        self.pass_on(buffer.get(..granted).unwrap_or_default());
        if let Some(limit) = limit {
            return Err(DataError::TooLarge(limit));
        }
        let is_end = status.map_err(|_| DataError::Damaged)? == Status::StreamEnd;
        let is_stuck = taken == 0 && buffer.is_empty() && !is_end;
        // Neither reads nor writes: it will never go on.
        if is_stuck && !bytes.is_empty() {
            return Err(DataError::Damaged);
        }
        self.holds_output = buffer.len() >= STEP && !is_end;
        // What stands between the end of the stream and that of the member is nothing.
        if is_end && self.left.is_some() {
            taken = bytes.len();
            self.data = MemberData::Ended;
        }
        Ok(MemberProgress { taken, is_end, needs_more: is_stuck })
    }
}

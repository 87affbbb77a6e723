//! The data of one member: passed on as it is stored, or inflated.

use flate2::{Decompress, FlushDecompress, Status};

use super::header::{LocalHeader, long};
use crate::ingest::archives::ArchiveMember;

/// Bytes inflated at once.
const STEP: usize = 64 * 1024;
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
}

/// How the data of a member is packed.
pub(super) enum MemberData {
    /// Not packed; the number of bytes so far.
    Stored(u64),
    Deflated(Box<Decompress>),
    /// Not read: encrypted, or packed in another way.
    Skipped,
}

/// How far a call came.
pub(super) struct MemberProgress {
    /// Packed bytes that are done with.
    pub(super) taken: usize,
    /// Bytes that came of them.
    pub(super) unpacked: u64,
    /// The data ends here.
    pub(super) is_end: bool,
}

/// Deflated data that is damaged.
#[derive(Debug)]
pub(super) struct DamagedData;

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
        Self { start, file, left, has_descriptor, data, crc: crc32fast::Hasher::new(), expected_crc }
    }

    /// Reads data at the start of `bytes`, which hold nothing of what follows the member where its size is known.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<MemberProgress, DamagedData> {
        let all = MemberProgress { taken: bytes.len(), unpacked: 0, is_end: false };
        let wants_bytes = self.file.as_ref().is_some_and(|file| file.wants_bytes());
        if self.left.is_some() && !wants_bytes {
            self.expected_crc = None;
            return Ok(all);
        }
        match &mut self.data {
            MemberData::Skipped => Ok(all),
            MemberData::Stored(_) if self.left.is_some() => {
                self.pass_on(bytes);
                Ok(all)
            }
            MemberData::Stored(_) => Ok(self.read_to_descriptor(bytes)),
            MemberData::Deflated(_) => self.inflate(bytes),
        }
    }

    /// True when the CRC-32 of all data is another than the header's.
    pub(super) fn has_wrong_crc(&self) -> bool {
        self.expected_crc.is_some_and(|crc| crc != self.crc.clone().finalize())
    }

    fn pass_on(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        if let Some(file) = self.file.as_mut().filter(|file| file.wants_bytes()) {
            file.push(bytes);
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
                return MemberProgress { taken, unpacked: 0, is_end };
            };
            let narrow = u64::from(long(descriptor, 8));
            let wide = narrow | u64::from(long(descriptor, 12)) << 32;
            is_end = matches!(self.data, MemberData::Stored(count) if count == narrow || count == wide);
            if is_end {
                return MemberProgress { taken, unpacked: 0, is_end };
            }
            self.pass_on_stored(bytes.get(taken..taken + 4).unwrap_or_default());
            taken += 4;
        }
        // The last bytes may begin a signature.
        let safe = bytes.len().saturating_sub(3).max(taken);
        self.pass_on_stored(bytes.get(taken..safe).unwrap_or_default());
        MemberProgress { taken: safe, unpacked: 0, is_end }
    }

    fn inflate(&mut self, bytes: &[u8]) -> Result<MemberProgress, DamagedData> {
        let mut progress = MemberProgress { taken: 0, unpacked: 0, is_end: false };
        let mut buffer = Vec::with_capacity(STEP);
        loop {
            let MemberData::Deflated(inflater) = &mut self.data else { return Err(DamagedData) };
            let read = inflater.total_in();
            buffer.clear();
            let rest = bytes.get(progress.taken..).unwrap_or_default();
            let status = inflater.decompress_vec(rest, &mut buffer, FlushDecompress::None).map_err(|_| DamagedData)?;
            progress.taken += (inflater.total_in() - read) as usize;
            progress.unpacked += buffer.len() as u64;
            progress.is_end = status == Status::StreamEnd;
            self.pass_on(&buffer);
            // The inflater may hold output for which it needs no further bytes: it stops wherever its window is full.
            if progress.is_end || progress.taken < bytes.len() || buffer.is_empty() {
                break;
            }
        }
        // Neither read nor written: it will never go on.
        if !progress.is_end && progress.taken == 0 && progress.unpacked == 0 {
            return Err(DamagedData);
        }
        // What stands between the end of the stream and that of the member is nothing.
        if progress.is_end && self.left.is_some() {
            progress.taken = bytes.len();
        }
        Ok(progress)
    }
}

//! Files around files: archives, compression, and text encodings. What is inside is read as if it had been dropped.
//!
//! An archive does not know the readers: whoever opens it says how a member is opened ([`OpenMember`]).

pub(crate) mod gzip;
pub(crate) mod members;
pub(crate) mod tar;
pub(crate) mod utf16;
pub(crate) mod zip;

use super::reader::FileOutcome;

/// A file inside an archive, being read.
pub(crate) trait ArchiveMember {
    /// False when no (more) bytes are needed: they may be skipped.
    fn wants_bytes(&self) -> bool;

    /// Takes the next bytes, a slice of any size.
    fn push(&mut self, bytes: &[u8]);

    /// Takes the end of the file and gives what was in it.
    fn finish(self: Box<Self>) -> FileOutcome;
}

/// Opens a member by its path, in an archive at a depth: 0 for one that was dropped, 1 for one inside that.
pub(crate) type OpenMember = fn(path: String, depth: u8) -> Box<dyn ArchiveMember>;

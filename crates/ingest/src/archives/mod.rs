//! Files around files: archives, compression, and text encodings. What is inside is read as if it had been dropped.
//!
//! An archive is independent of the readers: its caller passes in how a member is opened ([`OpenMember`]). It unpacks in
//! steps of [`STEP`] bytes, between which a page can look for messages: a few bytes can unpack to gigabytes.

pub(crate) mod gzip;
pub(crate) mod members;
pub(crate) mod pending;
pub(crate) mod tar;
pub(crate) mod utf16;
pub(crate) mod zip;

use super::budget::FileBudget;
use super::reader::FileOutcome;

/// Bytes that a member is given at once.
const STEP: usize = 64 * 1024;

/// A file inside an archive, being read.
pub(crate) trait ArchiveMember {
    /// False when no (more) bytes are needed: they may be skipped.
    fn wants_bytes(&self) -> bool;

    /// Takes the next bytes, [`STEP`] of them at most. An archive only keeps them: [`ArchiveMember::work`] reads them.
    fn begin(&mut self, bytes: &[u8]);

    /// Reads a step of the bytes that were taken; false when all are read.
    fn work(&mut self) -> bool;

    /// Ends the file and gives what was in it. `is_stopped` where the rest was not given, which another problem reports: its
    /// end is no damage of its own.
    fn finish(self: Box<Self>, is_stopped: bool) -> FileOutcome;
}

/// Opens a member by its path.
pub(crate) type OpenMember = fn(path: String, budget: FileBudget) -> Box<dyn ArchiveMember>;

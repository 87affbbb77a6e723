//! What every format's reader has in common: bytes are pushed in, pieces of runs come out.

use serde::{Deserialize, Serialize};

use super::Problem;
use crate::run::{FileFormat, Run};

/// Reads one file of one format. There is one for each format, in a file of its own.
///
/// A reader never fails: it keeps what it understood before the damage and describes the damage.
pub trait FileReader {
    /// Takes the next bytes of the file, a slice of any size.
    fn push(&mut self, bytes: &[u8]);

    /// Says how long the file is, in bytes, where that is known. Called before the first push.
    fn expect(&mut self, _size: u64) {}

    /// What the file turned out to be, where its content says more than its first bytes did. Called when all bytes
    /// are in, before [`FileReader::finish`].
    fn format(&mut self) -> Option<FileFormat> {
        None
    }

    /// Takes the end of the file and gives what was in it.
    fn finish(self: Box<Self>) -> (Vec<Fragment>, Vec<Problem>);
}

/// A piece of a run from one file, before pieces of one run are joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fragment {
    /// What the file said.
    pub run: Run,
    /// Whether it is a run by itself.
    pub role: Role,
    /// Folder of the file, as dropped; empty at the top.
    pub folder: String,
}

/// What a piece is to its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// Holds the history: a run by itself.
    Primary,
    /// Goes with the run of its folder, such as `output.log`; without one it is no run.
    Attachment,
}

/// Everything that one dropped file gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FileOutcome {
    /// Pieces of runs.
    pub fragments: Vec<Fragment>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// What the file was taken for.
    pub taken_for: FileFormat,
}

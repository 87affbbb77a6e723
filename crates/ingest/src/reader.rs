//! What every format's reader has in common: bytes are pushed in, pieces of runs come out.

use super::Problem;
use super::budget::{FileBudget, MemoryUse};
use crate::PartialRun;
use crate::rows::read_progress::ReadProgress;
use rundown_run::FileFormat;

/// Reads one file of one format. There is one for each format, in a file of its own.
///
/// A reader never fails: it keeps what it understood before the damage and describes the damage.
pub(crate) trait FileReader {
    /// Takes the next bytes of the file, a slice of any size.
    fn push(&mut self, bytes: &[u8]);

    /// Says how far the file has been read, where its length is known. Called before each push.
    fn set_progress(&mut self, _progress: ReadProgress) {}

    /// Gives a reader that unpacks, or that makes much of few bytes at once, what it may use. Called before the first
    /// push.
    fn allow(&mut self, _budget: FileBudget) {}

    /// What it keeps, about. Asked between two pushes, at places that depend on the file alone.
    fn memory_use(&self) -> MemoryUse;

    /// Ends the file and gives what was in it.
    fn finish(self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>);
}

/// How a file ended.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileEnd {
    /// The rest of the file was not given, which another problem reports: its end is no damage.
    pub(crate) is_stopped: bool,
    /// The format by the first bytes. A reader that finds another one in the content sets it here.
    pub(crate) format: FileFormat,
}

/// Everything that one dropped file gave.
#[derive(Debug, Clone, Default)]
pub struct FileOutcome {
    /// Runs, as far as this file holds them.
    pub parts: Vec<PartialRun>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// The format that the file was read as.
    pub format: FileFormat,
}

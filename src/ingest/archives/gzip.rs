//! gzip around any other file: what is in it is read as if it had been dropped.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;

use super::{ArchiveMember, OpenMember};
use crate::ingest::reader::FileOutcome;
use crate::ingest::{Place, Problem, Weight};
use crate::run::FileFormat;

/// Compressed bytes decoded at once. Deflate grows at most about a thousandfold, so that no more than 8 MB stand
/// in memory, whatever the archive claims.
const STEP: usize = 8 * 1024;

/// Unpacks and passes on.
pub(crate) struct Gzip {
    path: String,
    decoder: MultiGzDecoder<Vec<u8>>,
    inner: Box<dyn ArchiveMember>,
    read: u64,
    broken_at: Option<u64>,
}

impl Gzip {
    pub(crate) fn new(path: &str, depth: u8, open: OpenMember) -> Self {
        let inner = open(inner_path(path), depth);
        let decoder = MultiGzDecoder::new(Vec::new());
        Self { path: path.to_owned(), decoder, inner, read: 0, broken_at: None }
    }

    pub(crate) fn wants_bytes(&self) -> bool {
        self.broken_at.is_none() && self.inner.wants_bytes()
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(STEP) {
            if !self.wants_bytes() {
                return;
            }
            let written = self.decoder.write_all(part);
            self.pass_on();
            if written.is_err() {
                self.broken_at = Some(self.read);
            }
            self.read += part.len() as u64;
        }
    }

    pub(crate) fn finish(mut self) -> FileOutcome {
        if self.wants_bytes() {
            let ended = self.decoder.try_finish();
            self.pass_on();
            if ended.is_err() {
                self.broken_at = Some(self.read);
            }
        }
        let mut outcome = self.inner.finish();
        if let Some(offset) = self.broken_at {
            let what = "The compressed data is damaged or ends early: what follows is lost.";
            let problem = Problem::new(&self.path, Place::Byte(offset), Weight::Partial, what, "Copy the file again.");
            outcome.problems.push(problem);
        }
        FileOutcome { format: FileFormat::Archive, ..outcome }
    }

    fn pass_on(&mut self) {
        let unpacked = self.decoder.get_mut();
        self.inner.push(unpacked);
        unpacked.clear();
    }
}

/// The name of what is in the file.
fn inner_path(path: &str) -> String {
    if let Some(stem) = path.strip_suffix(".tgz") {
        return format!("{stem}.tar");
    }
    path.strip_suffix(".gz").unwrap_or(path).to_owned()
}

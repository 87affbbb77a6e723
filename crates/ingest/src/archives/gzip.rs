//! gzip around any other file: what is in it is read as if it had been dropped.

use std::io::{self, Write as _};

use flate2::write::GzDecoder;

use super::pending::Pending;
use super::{ArchiveMember, OpenMember, STEP};
use crate::budget::{FileBudget, TooLarge};
use crate::reader::FileOutcome;
use crate::{Place, Problem, Weight};
use rundown_run::FileFormat;

/// Compressed bytes decoded at once. Deflate grows at most about a thousandfold, so that no more than 8 MB stand
/// in memory, whatever the archive claims.
const PACKED_STEP: usize = 8 * 1024;

/// Unpacks and passes on.
pub(crate) struct Gzip {
    path: String,
    budget: FileBudget,
    decoder: MemberDecoder,
    input: Pending,
    /// Unpacked bytes that the inner file has not got yet.
    output: Pending,
    inner: Box<dyn ArchiveMember>,
    end: GzipEnd,
}

/// Decodes the members of a gzip file, one behind the other. Zeros behind a member are no damage: tar and dd fill the last
/// block of a tape or a disk with them, and gzip(1) passes over them.
struct MemberDecoder {
    member: GzDecoder<Vec<u8>>,
    /// The last member has ended, and no other one has begun.
    is_between: bool,
}

/// How far the archive can be read.
enum GzipEnd {
    /// To its end, as far as is known.
    Open,
    /// The rest was not given, which another problem reports.
    Stopped,
    /// Up to damage.
    Damaged,
    /// Up to a limit.
    TooLarge(TooLarge),
}

impl Gzip {
    pub(crate) fn new(path: &str, budget: &FileBudget, open: OpenMember) -> Self {
        let inner = open(inner_path(path), budget.inside());
        let (decoder, input, output) = (MemberDecoder::default(), Pending::default(), Pending::default());
        Self { path: path.to_owned(), budget: budget.clone(), decoder, input, output, inner, end: GzipEnd::Open }
    }

    /// Moves what was decoded to the output, as far as the budget goes.
    fn drain_decoder(&mut self) {
        let unpacked = self.decoder.unpacked();
        let (granted, limit) = self.budget.unpack(unpacked.len());
        self.output.add(unpacked.get(..granted).unwrap_or_default());
        unpacked.clear();
        if let Some(limit) = limit {
            self.end = GzipEnd::TooLarge(limit);
        }
    }
}

impl ArchiveMember for Gzip {
    fn wants_bytes(&self) -> bool {
        matches!(self.end, GzipEnd::Open) && self.inner.wants_bytes()
    }

    fn begin(&mut self, bytes: &[u8]) {
        if self.wants_bytes() {
            self.input.add(bytes);
        }
    }

    fn work(&mut self) -> bool {
        if self.inner.work() {
            return true;
        }
        if !self.inner.wants_bytes() {
            self.input.clear();
            self.output.clear();
            return false;
        }
        if !self.output.is_empty() {
            let step = self.output.first(STEP);
            self.inner.begin(step);
            let length = step.len();
            self.output.consume(length);
            return true;
        }
        if matches!(self.end, GzipEnd::TooLarge(_)) {
            self.budget.end();
        }
        if self.input.is_empty() || !matches!(self.end, GzipEnd::Open) {
            return false;
        }
        let step = self.input.first(PACKED_STEP);
        let length = step.len();
        let decoded = self.decoder.decode(step);
        self.input.consume(length);
        if decoded.is_err() {
            self.end = GzipEnd::Damaged;
            // What was decoded before the damage is still in the decoder.
            let _ = self.decoder.finish();
        }
        self.drain_decoder();
        true
    }

    fn finish(mut self: Box<Self>, is_stopped: bool) -> FileOutcome {
        if is_stopped && matches!(self.end, GzipEnd::Open) {
            self.end = GzipEnd::Stopped;
        }
        while self.work() {}
        if self.wants_bytes() {
            if self.decoder.finish().is_err() {
                self.end = GzipEnd::Damaged;
            }
            self.drain_decoder();
        }
        while self.work() {}
        let mut outcome = self.inner.finish(!matches!(self.end, GzipEnd::Open));
        match self.end {
            GzipEnd::Open | GzipEnd::Stopped => {}
            GzipEnd::Damaged => {
                let what = "The compressed data is damaged or ends early: the rest of it is lost.";
                let problem = Problem::new(&self.path, Place::File, Weight::Partial, what, "Copy the file again.");
                outcome.problems.push(problem);
            }
            GzipEnd::TooLarge(limit) => {
                outcome.problems.push(limit.problem(&self.path, Place::File, Weight::Partial));
            }
        }
        FileOutcome { format: FileFormat::Archive, ..outcome }
    }
}

impl MemberDecoder {
    fn decode(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.is_between {
                let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
                bytes = bytes.get(zeros..).unwrap_or_default();
                if bytes.is_empty() {
                    return Ok(());
                }
                let unpacked = std::mem::take(self.unpacked());
                self.member = GzDecoder::new(unpacked);
                self.is_between = false;
            }
            match self.member.write(bytes)? {
                // A member that has ended takes nothing more.
                0 => self.finish()?,
                length => bytes = bytes.get(length..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    /// Ends the member: an error where it is not whole.
    fn finish(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_between, true) {
            self.member.try_finish()?;
        }
        Ok(())
    }

    /// What was decoded and not taken yet.
    fn unpacked(&mut self) -> &mut Vec<u8> {
        self.member.get_mut()
    }
}

impl Default for MemberDecoder {
    fn default() -> Self {
        Self { member: GzDecoder::new(Vec::new()), is_between: false }
    }
}

/// The name of what is in the file.
fn inner_path(path: &str) -> String {
    if let Some(stem) = path.strip_suffix(".tgz") {
        return format!("{stem}.tar");
    }
    path.strip_suffix(".gz").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_are_decoded_wherever_a_slice_ends() {
        let file = [member(b"one"), vec![0; 5], member(b""), member(b"two"), vec![0; 3]].concat();
        for size in 1..=file.len() {
            let (mut decoder, mut text) = (MemberDecoder::default(), Vec::new());
            for slice in file.chunks(size) {
                decoder.decode(slice).unwrap();
                text.append(decoder.unpacked());
            }
            decoder.finish().unwrap();
            text.append(decoder.unpacked());
            assert_eq!(text, b"onetwo", "{size}");
        }
        let mut cut = MemberDecoder::default();
        cut.decode(&file[..file.len() - 12]).unwrap();
        assert!(cut.finish().is_err());
    }
}

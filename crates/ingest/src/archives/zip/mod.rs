//! zip archives: each member is read as if it had been dropped.
//!
//! Members stream through by their local headers, in the order in which they stand: a cut archive gives the members
//! before the cut, and none stands in memory as a whole. The directory at the end is not needed. Facts: APPNOTE.TXT.
//!
//! Own code around `flate2`, because no crate reads pushed slices with data descriptors, which every writer that streams
//! makes: `rc-zip` 5.4 refuses them without the directory, `zip` wants `Read`, `rawzip` starts at the directory
//! (docs/decisions/zip.md).

mod header;
mod member;

use header::{LocalHeader, is_signature, may_begin};
use member::{DataError, MemberData, MemberProgress, ZipMember};

use super::members::{ArchiveFormat, ArchiveState};
use super::{OpenMember, STEP};
use crate::Weight;
use crate::budget::FileBudget;

/// Bytes behind a member that tell how long its data descriptor is: 24 at most, and the next signature.
const DESCRIPTOR_LOOKAHEAD: usize = 28;
/// What follows damage whose end is not known.
const DAMAGED_TO_THE_END: &str = "The archive is damaged or ends early: the members after this place are lost.";

/// Reads a zip archive.
pub(crate) struct Zip {
    archive: ArchiveState,
    /// The first bytes, which say whether a program begins there.
    first: Vec<u8>,
    state: ZipState,
}

enum ZipState {
    /// Before the first member. A self-extracting archive begins with a program.
    Start,
    /// Before a local header.
    Header,
    Member(Box<ZipMember>),
    /// Before the data descriptor of a member.
    Descriptor,
    /// In the directory, behind all members, or where nothing more can be read.
    End,
}

impl Zip {
    pub(crate) fn new(path: &str, budget: &FileBudget, open: OpenMember) -> Self {
        Self { archive: ArchiveState::new(path, budget, open), first: Vec::new(), state: ZipState::Start }
    }

    /// Goes to the first member, or to the directory of an archive without any.
    fn start(&mut self, bytes: &[u8]) -> Option<usize> {
        self.state = ZipState::Start;
        if self.archive.offset == 0 {
            self.first = bytes.get(..4).unwrap_or(bytes).to_owned();
        }
        let is_first = |place: &usize| {
            let rest = bytes.get(*place..).unwrap_or_default();
            (self.archive.offset == 0 && *place == 0 && bytes.starts_with(b"PK\x03\x04")) || may_begin(rest)
        };
        if let Some(place) = memchr::memmem::find_iter(bytes, b"PK").find(is_first) {
            let before = self.archive.offset + place as u64;
            let is_program = [b"MZ".as_slice(), b"\x7fELF", b"#!"].iter().any(|magic| self.first.starts_with(magic));
            // A mark of archives in several files, of four bytes, stands before the first member.
            if before > 4 && !is_program {
                let what = format!("The first {before} bytes are not part of an archive: members in them are lost.");
                self.problem_at(0, what);
            }
            self.state = ZipState::Header;
            return Some(place);
        }
        // The last bytes may begin a header.
        match bytes.len().saturating_sub(header::HEADER) {
            0 => None,
            safe => Some(safe),
        }
    }

    fn header(&mut self, bytes: &[u8]) -> Option<usize> {
        self.state = ZipState::Header;
        let signature = bytes.first_chunk::<4>()?;
        if signature != b"PK\x03\x04" {
            if !is_signature(signature) {
                self.report_loss(DAMAGED_TO_THE_END);
            }
            self.state = ZipState::End;
            return Some(0);
        }
        let header = LocalHeader::read(bytes)?;
        let (name, is_known) = (header.name.clone(), header.left.is_some());
        let is_folder = name.is_empty() || name.ends_with('/');
        let data = MemberData::new(&header);
        let is_skipped = matches!(data, MemberData::Skipped);
        let mut file = None;
        if !is_folder {
            if let Err(limit) = self.archive.budget.open_member() {
                self.archive.note_limit(self.archive.offset, limit);
                self.state = ZipState::End;
                return Some(0);
            }
            self.archive.add_name(&name);
            if is_skipped {
                let why = if header.is_encrypted { "is encrypted" } else { "uses an unsupported compression method" };
                self.archive.note_unread(&name, why);
            } else {
                file = Some(self.archive.open(name));
            }
        }
        if is_skipped && !is_known {
            self.report_loss("The archive does not say how long a member is: the members after this place are lost.");
            self.state = ZipState::End;
            return Some(0);
        }
        let member = ZipMember::new(self.archive.offset, &header, file, data);
        if header.left == Some(0) {
            self.end(member);
        } else {
            self.state = ZipState::Member(Box::new(member));
        }
        Some(header.length)
    }

    /// Reads data of a member.
    fn data(&mut self, mut member: Box<ZipMember>, bytes: &[u8]) -> Option<usize> {
        let within = member.left.map_or(STEP, |left| left.min(STEP as u64) as usize).min(bytes.len());
        let progress = match member.read(bytes.get(..within).unwrap_or_default(), &self.archive.budget) {
            Ok(progress) => progress,
            Err(DataError::Damaged) => {
                self.skip_damaged(member);
                return Some(0);
            }
            Err(DataError::TooLarge(limit)) => {
                self.archive.note_limit(member.start, limit);
                self.state = ZipState::Member(member);
                self.end_early();
                self.archive.budget.end();
                return Some(0);
            }
        };
        let MemberProgress { taken, is_end, needs_more } = progress;
        let is_end = match &mut member.left {
            Some(left) => {
                *left -= taken as u64;
                *left == 0 && !member.holds_output()
            }
            None => is_end,
        };
        if is_end {
            self.end(*member);
            return Some(taken);
        }
        self.state = ZipState::Member(member);
        (taken > 0 || !needs_more).then_some(taken)
    }

    /// Keeps what came before the damage, and skips to the end of the member where that is known.
    fn skip_damaged(&mut self, mut member: Box<ZipMember>) {
        self.problem_at(member.start, "A packed member is damaged: the rest of it is lost.".to_owned());
        self.end_member(&mut member);
        member.data = MemberData::Skipped;
        if member.left.is_some() {
            self.state = ZipState::Member(member);
        } else {
            self.report_loss("Where the next member of the archive begins is not known: the rest is lost.");
            self.state = ZipState::End;
        }
    }

    /// Ends a member of which not all came.
    fn end_member(&mut self, member: &mut ZipMember) {
        if let Some(file) = member.file.take() {
            self.archive.add(file.finish(true));
        }
    }

    fn end(&mut self, mut member: ZipMember) {
        if let Some(file) = member.file.take() {
            self.archive.add(file.finish(false));
            if member.has_wrong_crc() {
                self.problem_at(
                    member.start,
                    "A member of the archive is damaged: its checksum does not match.".to_owned(),
                );
            }
        }
        self.state = if member.has_descriptor { ZipState::Descriptor } else { ZipState::Header };
    }

    /// Says that what follows is lost.
    fn report_loss(&mut self, what: &str) {
        self.problem_at(self.archive.offset, what.to_owned());
    }

    fn problem_at(&mut self, at: u64, what: String) {
        self.archive.note(at, Weight::Partial, what, "Copy the file again.");
    }

    /// Passes over the descriptor, whose length shows by what follows it.
    fn descriptor(&mut self, bytes: &[u8]) -> Option<usize> {
        let Some(after) = bytes.get(..DESCRIPTOR_LOOKAHEAD) else {
            self.state = ZipState::Descriptor;
            return None;
        };
        let fits = |length: &&usize| after.get(**length..).and_then(<[u8]>::first_chunk::<4>).is_some_and(is_signature);
        match [16, 24, 12, 20].iter().find(fits) {
            Some(length) => {
                self.state = ZipState::Header;
                Some(*length)
            }
            None => {
                self.report_loss(DAMAGED_TO_THE_END);
                self.state = ZipState::End;
                Some(0)
            }
        }
    }
}

impl ArchiveFormat for Zip {
    const ENDING: &'static str = ".zip";

    fn state(&mut self) -> &mut ArchiveState {
        &mut self.archive
    }

    fn is_at_end(&self) -> bool {
        matches!(self.state, ZipState::End)
    }

    fn work_member(&mut self) -> bool {
        match &mut self.state {
            ZipState::Member(member) => member.work(),
            _ => false,
        }
    }

    fn parse(&mut self, bytes: &[u8]) -> Option<usize> {
        match std::mem::replace(&mut self.state, ZipState::End) {
            ZipState::Start => self.start(bytes),
            ZipState::Header => self.header(bytes),
            ZipState::Descriptor => self.descriptor(bytes),
            ZipState::Member(member) => self.data(member, bytes),
            ZipState::End => None,
        }
    }

    /// Behind the last member stands the directory: an archive without it is cut.
    fn note_cut(&mut self) {
        match self.state {
            ZipState::Start => self.report_loss("No member of an archive was found in this file."),
            _ => self.report_loss(DAMAGED_TO_THE_END),
        }
    }

    fn end_early(&mut self) {
        if let ZipState::Member(mut member) = std::mem::replace(&mut self.state, ZipState::End) {
            self.end_member(&mut member);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::FileOutcome;

    /// A member with a plain local header.
    fn member(name: &str, flags: u16, method: u16, data: &[u8]) -> Vec<u8> {
        let mut header = b"PK\x03\x04\x14\x00".to_vec();
        header.extend(flags.to_le_bytes());
        header.extend(method.to_le_bytes());
        header.extend([0; 4]);
        header.extend(crc32fast::hash(data).to_le_bytes());
        header.extend((data.len() as u32).to_le_bytes());
        header.extend((data.len() as u32).to_le_bytes());
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        [&header, name.as_bytes(), data].concat()
    }

    fn read(file: &[u8], slice: usize) -> FileOutcome {
        let mut zip = crate::open("a.zip", file.len() as u64);
        file.chunks(slice).for_each(|part| zip.push(part));
        zip.finish()
    }

    const TABLE: &[u8] = b"step,loss\n1,2\n2,1\n";

    #[test]
    fn members_that_cannot_be_read_cost_themselves_alone() {
        let file = [
            member("a/secret.csv", 1, 0, b"xxxx"),
            member("a/lzma.csv", 0, 14, b"yyyy"),
            member("a/good.csv", 0, 0, TABLE),
            b"PK\x01\x02".to_vec(),
        ]
        .concat();
        for slice in [1, 7, file.len()] {
            let outcome = read(&file, slice);
            assert_eq!(outcome.parts.len(), 1);
            assert_eq!(outcome.problems.len(), 2, "{:?}", outcome.problems);
        }
    }

    #[test]
    fn a_wrong_sum_and_a_cut_are_said() {
        let mut file = member("a.csv", 0, 0, TABLE);
        *file.last_mut().unwrap() ^= 1;
        file.extend(b"PK\x05\x06");
        assert_eq!(read(&file, 5).problems.len(), 1);
        let cut = member("a.csv", 0, 0, TABLE);
        let outcome = read(&cut[..cut.len() - 3], 5);
        assert_eq!(outcome.parts.len(), 1);
        assert!(outcome.problems.iter().any(|problem| problem.file == "a.zip"), "{:?}", outcome.problems);
    }

    #[test]
    fn what_the_inflater_holds_back_at_the_end_is_read() {
        for rows in [10_921, 10_922, 10_923, 21_844] {
            let table = format!("step,loss\n{}", "1,2.5\n".repeat(rows));
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut encoder, table.as_bytes()).unwrap();
            let packed = encoder.finish().unwrap();
            let mut file = member("a.csv", 0, 8, &packed);
            file[14..18].copy_from_slice(&crc32fast::hash(table.as_bytes()).to_le_bytes());
            file.extend(b"PK\x05\x06");
            for slice in [file.len(), 11] {
                assert!(read(&file, slice).problems.is_empty(), "{rows} rows");
            }
        }
    }

    #[test]
    fn an_archive_of_other_things_is_one_remark() {
        let file = [member("x/README", 0, 0, b"hello"), member("x/y.bin", 0, 0, b"1"), b"PK\x05\x06".to_vec()].concat();
        let outcome = read(&file, 9);
        assert_eq!(outcome.problems.len(), 1);
        assert_eq!(outcome.problems[0].weight, Weight::Remark);
    }
}

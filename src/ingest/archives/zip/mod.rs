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

use header::{LocalHeader, is_signature};
use member::{MemberData, MemberProgress, ZipMember};

use crate::run::FileFormat;

use super::OpenMember;
use super::members::{prefix, put_below};
use crate::ingest::reader::FileOutcome;
use crate::ingest::{Place, Problem, Weight};

/// An archive that unpacks to more than this and to more than [`BOMB_RATIO`] times its size is made to do harm.
const BOMB_SIZE: u64 = 256 << 20;
const BOMB_RATIO: u64 = 100;
/// Bytes behind a member that tell how long its data descriptor is: 24 at most, and the next signature.
const AFTER: usize = 28;

/// Takes an archive apart.
pub(crate) struct Zip {
    path: String,
    depth: u8,
    open: OpenMember,
    /// Bytes read so far, without those in `carry`.
    offset: u64,
    unpacked: u64,
    carry: Vec<u8>,
    state: ZipState,
    members: Vec<String>,
    outcomes: Vec<FileOutcome>,
    problems: Vec<Problem>,
}

enum ZipState {
    /// Before a local header.
    Header,
    Member(Box<ZipMember>),
    /// Before the data descriptor of a member.
    Descriptor,
    /// In the directory, behind all members.
    End,
    /// What follows cannot be read.
    Broken(u64, &'static str),
}

impl Zip {
    pub(crate) fn new(path: &str, depth: u8, open: OpenMember) -> Self {
        Self {
            path: path.to_owned(),
            depth,
            open,
            offset: 0,
            unpacked: 0,
            carry: Vec::new(),
            state: ZipState::Header,
            members: Vec::new(),
            outcomes: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(crate) fn wants_bytes(&self) -> bool {
        !matches!(self.state, ZipState::End | ZipState::Broken(..))
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut carry = std::mem::take(&mut self.carry);
        // Whatever is carried is short: a header, a descriptor, or the end of a stored piece.
        let joined;
        let mut rest = bytes;
        if !carry.is_empty() {
            carry.extend_from_slice(bytes);
            joined = carry;
            rest = &joined;
        }
        while self.wants_bytes() {
            let before = rest.len();
            let Some(taken) = self.take(rest) else { break };
            self.offset += taken as u64;
            rest = rest.get(taken..).unwrap_or_default();
            // A step that takes nothing changes the state, or the bytes have run out.
            if rest.is_empty() && before == 0 {
                break;
            }
        }
        if self.wants_bytes() {
            self.carry = rest.to_vec();
        }
    }

    pub(crate) fn finish(mut self) -> FileOutcome {
        let what = match &self.state {
            ZipState::Broken(at, what) => Some((*at, *what)),
            ZipState::End => None,
            ZipState::Header if self.carry.is_empty() => None,
            ZipState::Header | ZipState::Member(_) | ZipState::Descriptor => {
                Some((self.offset, "The archive is damaged or ends early: the members after this place are lost."))
            }
        };
        if let ZipState::Member(member) = std::mem::replace(&mut self.state, ZipState::End) {
            self.outcomes.extend(member.file.map(|file| file.finish()));
        }
        let mut all = FileOutcome { format: FileFormat::Archive, ..FileOutcome::default() };
        let prefix = prefix(&self.path, ".zip", &self.members);
        for mut outcome in self.outcomes {
            put_below(&mut outcome, &prefix);
            all.parts.extend(outcome.parts);
            all.problems.extend(outcome.problems);
        }
        all.problems.append(&mut self.problems);
        let problem = |place, weight, what: &str, remedy| Problem::new(&self.path, place, weight, what, remedy);
        // An archive of something else: one remark says more than one for each member.
        if all.parts.is_empty() && what.is_none() && all.problems.iter().all(|problem| problem.weight == Weight::Remark)
        {
            let what = "The archive holds no supported file.";
            all.problems = vec![problem(Place::File, Weight::Remark, what, "")];
        }
        if let Some((at, what)) = what {
            all.problems.push(problem(Place::Byte(at), Weight::Partial, what, "Copy the file again."));
        }
        all
    }

    /// Reads at the start of `bytes` and says how many are done with; `None` when more are needed.
    fn take(&mut self, bytes: &[u8]) -> Option<usize> {
        match std::mem::replace(&mut self.state, ZipState::Header) {
            ZipState::Header => self.header(bytes),
            ZipState::Descriptor => self.descriptor(bytes),
            ZipState::Member(member) => self.data(member, bytes),
            state => {
                self.state = state;
                None
            }
        }
    }

    fn header(&mut self, bytes: &[u8]) -> Option<usize> {
        let signature = bytes.first_chunk::<4>()?;
        match signature {
            b"PK\x03\x04" => {}
            // A mark of archives in several files, before the first member.
            b"PK\x07\x08" | b"PK00" if self.offset == 0 => return Some(4),
            _ => {
                self.state = if is_signature(signature) {
                    ZipState::End
                } else {
                    ZipState::Broken(self.offset, "The archive is damaged: the members after this place are lost.")
                };
                return Some(0);
            }
        }
        let header = LocalHeader::read(bytes)?;
        let name = &header.name;
        let is_folder = name.is_empty() || name.ends_with('/');
        let data = MemberData::new(&header);
        let mut file = None;
        if !is_folder {
            self.members.push(name.clone());
            if matches!(data, MemberData::Skipped) {
                let what = if header.is_encrypted {
                    "This member of the archive is encrypted."
                } else {
                    "This member of the archive is packed in a way that is not read."
                };
                let place = format!("{}/{name}", self.path);
                self.problems.push(Problem::new(
                    &place,
                    Place::File,
                    Weight::Lost,
                    what,
                    "Unpack it and drop what is in it.",
                ));
            } else {
                file = Some((self.open)(name.clone(), self.depth));
            }
        }
        let is_endless = matches!(data, MemberData::Skipped) && header.left.is_none();
        let member = ZipMember::new(self.offset, &header, file, data);
        self.state = if is_endless {
            ZipState::Broken(
                self.offset,
                "The archive does not say how long a member is: the members after this place are lost.",
            )
        } else {
            ZipState::Member(Box::new(member))
        };
        if header.left == Some(0)
            && let ZipState::Member(member) = std::mem::replace(&mut self.state, ZipState::Header)
        {
            self.end(*member);
        }
        Some(header.length)
    }

    /// Reads data of a member.
    fn data(&mut self, mut member: Box<ZipMember>, bytes: &[u8]) -> Option<usize> {
        if bytes.is_empty() {
            self.state = ZipState::Member(member);
            return None;
        }
        let within = member.left.map_or(bytes.len() as u64, |left| left.min(bytes.len() as u64)) as usize;
        let Ok(progress) = member.read(bytes.get(..within).unwrap_or_default()) else {
            self.skip_damaged(member);
            return Some(0);
        };
        let MemberProgress { taken, unpacked, is_end } = progress;
        if taken == 0 && unpacked == 0 && !is_end {
            self.state = ZipState::Member(member);
            return None;
        }
        self.unpacked += unpacked;
        if self.unpacked > BOMB_SIZE && self.unpacked / BOMB_RATIO > self.offset + taken as u64 {
            self.outcomes.extend(member.file.take().map(|file| file.finish()));
            self.state =
                ZipState::Broken(member.start, "The archive unpacks to far more than a run can be, and is left here.");
            return Some(taken);
        }
        let is_end = match &mut member.left {
            Some(left) => {
                *left -= taken as u64;
                *left == 0
            }
            None => is_end,
        };
        if is_end {
            self.end(*member);
        } else {
            self.state = ZipState::Member(member);
        }
        Some(taken)
    }

    /// Keeps what came before the damage, and skips to the end of the member where that is known.
    fn skip_damaged(&mut self, mut member: Box<ZipMember>) {
        self.note_damage(member.start, "A packed member is damaged: the rest of it is lost.");
        self.outcomes.extend(member.file.take().map(|file| file.finish()));
        member.data = MemberData::Skipped;
        self.state = if member.left.is_some() {
            ZipState::Member(member)
        } else {
            ZipState::Broken(
                member.start,
                "Where the next member of the archive begins is not known: the rest is lost.",
            )
        };
    }

    fn end(&mut self, mut member: ZipMember) {
        if let Some(file) = member.file.take() {
            self.outcomes.push(file.finish());
            if member.has_wrong_crc() {
                self.note_damage(member.start, "A member of the archive is damaged: its sum is wrong.");
            }
        }
        self.state = if member.has_descriptor { ZipState::Descriptor } else { ZipState::Header };
    }

    fn note_damage(&mut self, at: u64, what: &str) {
        let remedy = "Copy the file again.";
        self.problems.push(Problem::new(&self.path, Place::Byte(at), Weight::Partial, what, remedy));
    }

    /// Passes over the descriptor, whose length shows by what follows it.
    fn descriptor(&mut self, bytes: &[u8]) -> Option<usize> {
        let Some(after) = bytes.get(..AFTER) else {
            self.state = ZipState::Descriptor;
            return None;
        };
        let fits = |length: &&usize| after.get(**length..).and_then(<[u8]>::first_chunk::<4>).is_some_and(is_signature);
        match [16, 24, 12, 20].iter().find(fits) {
            Some(length) => Some(*length),
            None => {
                self.state =
                    ZipState::Broken(self.offset, "The archive is damaged: the members after this place are lost.");
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut zip = Zip::new("a.zip", 0, crate::ingest::open::open_member);
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

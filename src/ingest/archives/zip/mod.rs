//! zip archives: each member is read as if it had been dropped.
//!
//! Members stream through by their local headers, in the order in which they stand: a cut archive gives the members
//! before the cut, and none stands in memory as a whole. The directory at the end is not needed. Facts: APPNOTE.TXT.

mod header;

use crate::run::FileFormat;
use flate2::{Decompress, FlushDecompress, Status};

use header::{LocalHeader, is_signature, long};

use super::members::{prefix, put_below};
use super::{ArchiveMember, OpenMember};
use crate::ingest::reader::FileOutcome;
use crate::ingest::{Place, Problem, Weight};

/// Bytes unpacked at once.
const STEP: usize = 64 * 1024;
/// An archive that unpacks to more than this and to more than [`RATIO`] times its size is made to do harm.
const MUCH: u64 = 256 << 20;
const RATIO: u64 = 100;
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

struct ZipMember {
    /// Offset of its header.
    start: u64,
    /// What is in it; nothing for one that is passed over.
    file: Option<Box<dyn ArchiveMember>>,
    /// Packed bytes that are left, where the header says it.
    left: Option<u64>,
    has_descriptor: bool,
    data: Data,
    crc: crc32fast::Hasher,
    /// The sum that the header names. It is checked when everything was looked at.
    expected_crc: Option<u32>,
}

enum Data {
    Stored(u64),
    Deflated(Box<Decompress>),
    /// Not read: encrypted, or packed in another way.
    Skipped,
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
            let what = "The archive holds no file that is read.";
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
        let is_folder = header.name.is_empty() || header.name.ends_with('/');
        let data = match header.method {
            _ if header.is_encrypted => Data::Skipped,
            0 => Data::Stored(0),
            8 => Data::Deflated(Box::new(Decompress::new(false))),
            _ => Data::Skipped,
        };
        let LocalHeader { length, name, left, has_descriptor, is_encrypted, crc: expected_crc, .. } = header;
        let mut file = None;
        if !is_folder {
            self.members.push(name.clone());
            if matches!(data, Data::Skipped) {
                let what = if is_encrypted {
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
                file = Some((self.open)(name, self.depth));
            }
        }
        let crc = crc32fast::Hasher::new();
        let is_endless = matches!(data, Data::Skipped) && left.is_none();
        let start = self.offset;
        let member = ZipMember { start, file, left, has_descriptor, data, crc, expected_crc };
        self.state = if is_endless {
            ZipState::Broken(
                self.offset,
                "The archive does not say how long a member is: the members after this place are lost.",
            )
        } else {
            ZipState::Member(Box::new(member))
        };
        if left == Some(0)
            && let ZipState::Member(member) = std::mem::replace(&mut self.state, ZipState::Header)
        {
            self.end(*member);
        }
        Some(length)
    }

    /// Reads data of a member.
    fn data(&mut self, mut member: Box<ZipMember>, bytes: &[u8]) -> Option<usize> {
        if bytes.is_empty() {
            self.state = ZipState::Member(member);
            return None;
        }
        let within = member.left.map_or(bytes.len() as u64, |left| left.min(bytes.len() as u64)) as usize;
        let piece = bytes.get(..within).unwrap_or_default();
        let wants = member.file.as_ref().is_some_and(|file| file.wants_bytes());
        let mut is_done = false;
        let taken = if member.left.is_some() && !wants {
            member.expected_crc = None;
            within
        } else {
            match &mut member.data {
                Data::Skipped => within,
                Data::Stored(_) if member.left.is_some() => {
                    member.crc.update(piece);
                    if let Some(file) = &mut member.file {
                        file.push(piece);
                    }
                    within
                }
                Data::Stored(_) => match stored(&mut member, piece) {
                    (0, false) => {
                        self.state = ZipState::Member(member);
                        return None;
                    }
                    (taken, found) => {
                        is_done = found;
                        taken
                    }
                },
                Data::Deflated(_) => match inflate(&mut member, piece, &mut self.unpacked) {
                    Ok((taken, ended)) => {
                        // What stands between the end of the data and that of the member is nothing.
                        is_done = ended && member.left.is_none();
                        if ended && member.left.is_some() { within } else { taken }
                    }
                    Err(()) => {
                        self.note_damage(member.start, "A packed member is damaged: the rest of it is lost.");
                        member.data = Data::Skipped;
                        self.outcomes.extend(member.file.take().map(|file| file.finish()));
                        if member.left.is_none() {
                            self.state = ZipState::Broken(
                                member.start,
                                "Where the next member of the archive begins is not known: the rest is lost.",
                            );
                            return Some(0);
                        }
                        0
                    }
                },
            }
        };
        if self.unpacked > MUCH && self.unpacked / RATIO > self.offset + taken as u64 {
            self.outcomes.extend(member.file.take().map(|file| file.finish()));
            self.state =
                ZipState::Broken(member.start, "The archive unpacks to far more than a run can be, and is left here.");
            return Some(taken);
        }
        if let Some(left) = &mut member.left {
            *left -= taken as u64;
            is_done = *left == 0;
        }
        if is_done {
            self.end(*member);
        } else {
            self.state = ZipState::Member(member);
        }
        Some(taken)
    }

    fn end(&mut self, member: ZipMember) {
        let is_wrong = member.expected_crc.is_some_and(|crc| crc != member.crc.clone().finalize());
        if let Some(file) = member.file {
            self.outcomes.push(file.finish());
            if is_wrong {
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

/// Passes on stored bytes up to a descriptor that agrees with them. Gives the bytes done with, and whether it stands there.
fn stored(member: &mut ZipMember, bytes: &[u8]) -> (usize, bool) {
    let Data::Stored(count) = &mut member.data else { return (0, false) };
    let mut push = |piece: &[u8], count: &mut u64| {
        member.crc.update(piece);
        *count += piece.len() as u64;
        if let Some(file) = &mut member.file {
            file.push(piece);
        }
    };
    let mut done = 0;
    while let Some(rest) = bytes.get(done..)
        && let Some(place) = memchr::memmem::find(rest, b"PK\x07\x08")
    {
        push(rest.get(..place).unwrap_or_default(), count);
        done += place;
        let Some(descriptor) = bytes.get(done..done + 24) else { return (done, false) };
        let (narrow, wide) =
            (u64::from(long(descriptor, 8)), u64::from(long(descriptor, 8)) | u64::from(long(descriptor, 12)) << 32);
        if narrow == *count || wide == *count {
            return (done, true);
        }
        push(bytes.get(done..done + 4).unwrap_or_default(), count);
        done += 4;
    }
    // The last bytes may begin a signature.
    let safe = bytes.len().saturating_sub(3).max(done);
    push(bytes.get(done..safe).unwrap_or_default(), count);
    (safe, false)
}

/// Unpacks and passes on. Gives the packed bytes done with, and whether the data ended.
fn inflate(member: &mut ZipMember, bytes: &[u8], unpacked: &mut u64) -> Result<(usize, bool), ()> {
    let Data::Deflated(inflater) = &mut member.data else { return Err(()) };
    let mut buffer = Vec::with_capacity(STEP);
    let (read, written) = (inflater.total_in(), inflater.total_out());
    let status = inflater.decompress_vec(bytes, &mut buffer, FlushDecompress::None).map_err(|_| ())?;
    let taken = (inflater.total_in() - read) as usize;
    *unpacked += inflater.total_out() - written;
    member.crc.update(&buffer);
    if let Some(file) = &mut member.file
        && file.wants_bytes()
    {
        file.push(&buffer);
    }
    match status {
        Status::StreamEnd => Ok((taken, true)),
        // Neither read nor written: it will never go on.
        _ if taken == 0 && buffer.is_empty() => Err(()),
        _ => Ok((taken, false)),
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
    fn an_archive_of_other_things_is_one_remark() {
        let file = [member("x/README", 0, 0, b"hello"), member("x/y.bin", 0, 0, b"1"), b"PK\x05\x06".to_vec()].concat();
        let outcome = read(&file, 9);
        assert_eq!(outcome.problems.len(), 1);
        assert_eq!(outcome.problems[0].weight, Weight::Remark);
    }
}

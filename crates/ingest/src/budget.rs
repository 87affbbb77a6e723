//! What the reading of one drop may use: bytes unpacked, memory for what is kept, members, depth.
//!
//! 32-bit WebAssembly addresses 4 GB, and an allocation that fails there ends the engine with every run in it. So
//! everything that unpacks, keeps or opens asks one account first, and a drop that is too large ends with a problem
//! that says so, and with what was read until then. Nothing depends on time or on the slices in which bytes come: the
//! same files in the same order end at the same byte.
//!
//! Only what many bytes can add up to is counted here. What one line, cell, page or name may take is a limit beside the
//! reader that cuts it; those that must stand in memory whole use [`WHOLE_PIECE`] and [`WHOLE_FILE`].

use std::cell::Cell;
use std::iter::Sum;
use std::ops::Add;
use std::rc::Rc;

use super::{Place, Problem, Weight};
use rundown_format::bytes;
use rundown_run::{Column, Run};

/// Archives within archives that are still opened: `.tar.gz` needs two.
pub(crate) const DEPTH: u8 = 4;
/// Longest piece of text that is held as a whole before it is parsed, such as a line or a member of JSON. While it grows
/// it stands in memory twice, and parsed once more: three quarters of a GB of the four.
pub(crate) const WHOLE_PIECE: usize = 256 << 20;
/// Bytes of a file by which its format is told; only the first line of JSON may need more.
pub(crate) const SHORT_HEAD: usize = 64 * 1024;
/// Longest file that is held as a whole, where its format wants that: a quarter of the address space.
pub(crate) const WHOLE_FILE: usize = 1 << 30;
/// Columns of one run that are kept. Each has a name, an entry in a map and two lists: about 400 bytes before its first
/// value, so that a quarter of a million take 100 MB.
pub(crate) const COLUMNS: usize = 1 << 18;
/// Longest name of a column with those of what it lies in, in bytes: each column keeps its whole name.
pub(crate) const COLUMN_NAME: usize = 4 << 10;
/// Cells that are kept of a table in one member of a JSON document, before they are put in order: 400 MB of them.
pub(crate) const CELLS: usize = 1 << 24;
/// What a column takes without its values.
pub(crate) const COLUMN_BYTES: u64 = 400;
/// What a value of a column takes while it is read: the value and its row. The row takes nothing where none is missing.
pub(crate) const VALUE_BYTES: u64 = 12;
/// What a row takes without its values: its step and its time.
pub(crate) const ROW_BYTES: u64 = 16;

const MB: u64 = 1_000_000;
/// Archives can lie in as many levels, and what they unpack to is counted for each.
const LEVELS: usize = DEPTH as usize + 1;

/// The numbers of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that values may take in memory, of all files. While files are read and joined, memory peaks at 2.2 times
    /// what is kept (measured with 1 GB of `.wandb`, benches/big): 4 GB less the program itself, by 2.2.
    pub kept: u64,
    /// The same of one file that is smaller than a [`Limits::kept_ratio`]th of it: a small file that fills the memory is
    /// made for that. 2.2 times as much, and what a diagnosis takes beside it, stays under 1.5 GB.
    pub kept_of_file: u64,
    /// Bytes kept for each byte of a larger file: the shortest cell of a table, `1,`, becomes a value of 12 bytes in a
    /// row of 16.
    pub kept_ratio: u64,
    /// Bytes that all archives may unpack to. As text, values take up to ten times what they take in memory.
    pub unpacked: u64,
    /// The same of one archive that is smaller than a [`Limits::unpacked_ratio`]th of it: a few seconds of work.
    pub unpacked_of_file: u64,
    /// Bytes that a larger archive may unpack to for each of its own. Logs and tables shrink to a tenth, seldom to a
    /// fiftieth; deflate could give a thousand.
    pub unpacked_ratio: u64,
    /// Files in all archives: each takes about a kilobyte, for its name and what came of it.
    pub members: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            kept: 1_800 * MB,
            kept_of_file: 300 * MB,
            kept_ratio: 16,
            unpacked: 16_000 * MB,
            unpacked_of_file: 256 * MB,
            unpacked_ratio: 100,
            members: 200_000,
        }
    }
}

/// What a drop may use, and has used. Clones share one account.
#[derive(Debug, Clone, Default)]
pub struct Budget(Rc<DropAccount>);

#[derive(Debug, Default)]
struct DropAccount {
    limits: Limits,
    kept: Cell<u64>,
    unpacked: Cell<[u64; LEVELS]>,
    members: Cell<u32>,
}

impl Budget {
    /// A budget with limits of its own.
    pub fn with(limits: Limits) -> Self {
        Self(Rc::new(DropAccount { limits, ..DropAccount::default() }))
    }

    /// The budget of a drop where these runs are loaded already: their memory counts.
    pub fn with_loaded<'r>(runs: impl Iterator<Item = &'r Run>) -> Self {
        let budget = Self::default();
        budget.0.kept.set(runs.map(bytes_of).sum());
        budget
    }

    /// The part of a dropped file of `size` bytes; the largest number where that is not known.
    pub(crate) fn for_file(&self, size: u64) -> FileBudget {
        let file =
            FileAccount { size, kept: Cell::new(0), unpacked: Cell::new([0; LEVELS]), is_over: Cell::new(false) };
        FileBudget { all: self.0.clone(), file: Rc::new(file), level: 0 }
    }
}

/// What one dropped file may use, with everything that is packed in it. Clones share one account.
#[derive(Debug, Clone)]
pub(crate) struct FileBudget {
    all: Rc<DropAccount>,
    file: Rc<FileAccount>,
    /// Archives around the file that reads.
    level: u8,
}

#[derive(Debug)]
struct FileAccount {
    size: u64,
    kept: Cell<u64>,
    unpacked: Cell<[u64; LEVELS]>,
    is_over: Cell<bool>,
}

/// Memory that a reader uses, about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    /// Bytes of memory.
    pub(crate) bytes: u64,
    /// Values of columns beyond [`COLUMNS`], which were left out.
    pub(crate) left_out: u64,
}

impl MemoryUse {
    /// So many bytes.
    pub(crate) fn bytes(bytes: usize) -> Self {
        Self { bytes: bytes as u64, left_out: 0 }
    }
}

/// Bytes that the values of a run take, once it is read.
pub(crate) fn bytes_of(run: &Run) -> u64 {
    let bands = run.bands.values().flat_map(|band| [&band.low, &band.high]);
    let columns = run.columns.values().chain(run.system.values()).chain(bands);
    let values: u64 = columns.map(Column::bytes).sum();
    let rows = (run.row_steps.len() + run.system_times.len()) as u64;
    let names = (run.columns.len() + run.system.len()) as u64;
    values + rows * ROW_BYTES + names * COLUMN_BYTES
}

impl Add for MemoryUse {
    type Output = MemoryUse;

    fn add(self, other: MemoryUse) -> MemoryUse {
        MemoryUse { bytes: self.bytes + other.bytes, left_out: self.left_out + other.left_out }
    }
}

impl Sum for MemoryUse {
    fn sum<I: Iterator<Item = MemoryUse>>(all: I) -> MemoryUse {
        all.fold(MemoryUse::default(), Add::add)
    }
}

/// Which limit a file or a drop has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooLarge {
    /// One archive unpacks to more than so many bytes; its own size.
    Unpacked(u64, u64),
    /// All archives unpack to more than so many bytes.
    AllUnpacked(u64),
    /// All archives hold more than so many files.
    Members(u32),
    /// The values of one file take more than so many bytes.
    Kept(u64),
    /// The values of all files take more than so many bytes.
    AllKept(u64),
}

impl FileBudget {
    /// The same for a member of the archive that asks.
    pub(crate) fn inside(&self) -> FileBudget {
        FileBudget { level: self.level.saturating_add(1), ..self.clone() }
    }

    /// True when archives may not be nested any deeper.
    pub(crate) fn is_deepest(&self) -> bool {
        self.level >= DEPTH
    }

    /// True when this file has come to a limit: no more of it is read.
    pub(crate) fn is_over(&self) -> bool {
        self.file.is_over.get()
    }

    /// Notes that no more of this file is read.
    pub(crate) fn end(&self) {
        self.file.is_over.set(true);
    }

    /// The limit that was passed with what is kept already, so that nothing more is begun.
    pub(crate) fn is_used_up(&self) -> Option<TooLarge> {
        if self.file.kept.get() > self.most_kept() {
            return Some(TooLarge::Kept(self.most_kept()));
        }
        let limit = self.all.limits.kept;
        (self.all.kept.get() > limit).then_some(TooLarge::AllKept(limit))
    }

    /// Counts bytes that an archive unpacked: how many of them may be read, and the limit where that is not all. The
    /// archive ends the file when they are read.
    pub(crate) fn unpack(&self, count: usize) -> (usize, Option<TooLarge>) {
        let Limits { unpacked, unpacked_of_file, unpacked_ratio, .. } = self.all.limits;
        let of_file = unpacked_of_file.max(self.file.size.saturating_mul(unpacked_ratio));
        let (before, before_all) = (self.at_level(&self.file.unpacked), self.at_level(&self.all.unpacked));
        let (room, room_all) = (of_file.saturating_sub(before), unpacked.saturating_sub(before_all));
        let granted = (count as u64).min(room).min(room_all);
        self.count_at_level(&self.file.unpacked, granted);
        self.count_at_level(&self.all.unpacked, granted);
        let limit = match granted == count as u64 {
            true => None,
            false if room <= room_all => Some(TooLarge::Unpacked(of_file, self.file.size)),
            false => Some(TooLarge::AllUnpacked(unpacked)),
        };
        (granted as usize, limit)
    }

    /// Counts a member of an archive, where there is room for more.
    pub(crate) fn open_member(&self) -> Result<(), TooLarge> {
        let (count, most) = (self.all.members.get(), self.all.limits.members);
        self.all.members.set(count.saturating_add(1));
        match self.is_used_up() {
            None if count < most => Ok(()),
            limit => {
                self.end();
                Err(limit.unwrap_or(TooLarge::Members(most)))
            }
        }
    }

    /// Bytes that may still be kept.
    pub(crate) fn room(&self) -> u64 {
        let all = self.all.limits.kept.saturating_sub(self.all.kept.get());
        self.most_kept().saturating_sub(self.file.kept.get()).min(all)
    }

    /// Counts what a reader keeps: so many bytes now, so many when it was asked before.
    pub(crate) fn keep(&self, before: u64, now: u64) -> Result<(), TooLarge> {
        for account in [&self.file.kept, &self.all.kept] {
            account.set(account.get().saturating_sub(before).saturating_add(now));
        }
        self.is_used_up().map_or(Ok(()), Err)
    }

    fn most_kept(&self) -> u64 {
        let Limits { kept_of_file, kept_ratio, .. } = self.all.limits;
        kept_of_file.max(self.file.size.saturating_mul(kept_ratio))
    }

    fn at_level(&self, counts: &Cell<[u64; LEVELS]>) -> u64 {
        counts.get().get(usize::from(self.level)).copied().unwrap_or(u64::MAX)
    }

    fn count_at_level(&self, counts: &Cell<[u64; LEVELS]>, more: u64) {
        let mut all = counts.get();
        if let Some(count) = all.get_mut(usize::from(self.level)) {
            *count = count.saturating_add(more);
        }
        counts.set(all);
    }
}

impl TooLarge {
    /// What to tell the user, for `file` that was read as far as `place`; [`Weight::Lost`] where nothing of it was.
    pub(crate) fn problem(self, file: &str, place: Place, weight: Weight) -> Problem {
        let (what, remedy) = match self {
            Self::Unpacked(limit, size) => (
                format!("it unpacks to more than {}, the limit for an archive of {}.", bytes(limit), bytes(size)),
                "Unpack it and drop only the files of the runs.",
            ),
            Self::AllUnpacked(limit) => {
                (format!("the archives of this drop unpack to more than {}.", bytes(limit)), "Drop fewer at once.")
            }
            Self::Members(limit) => (
                format!("the archives of this drop hold more than {limit} files."),
                "Unpack it and drop only the files of the runs.",
            ),
            Self::Kept(limit) => {
                (format!("its values take more than {} of memory.", bytes(limit)), "Export fewer columns or rows.")
            }
            Self::AllKept(limit) => (
                format!("the values of this drop take more than {} of memory.", bytes(limit)),
                "Drop fewer files at once.",
            ),
        };
        let rest = match weight {
            Weight::Lost => "Nothing of it is read.",
            Weight::Partial | Weight::Remark => "The rest is left out.",
        };
        Problem::new(file, place, weight, format!("Too large: {what} {rest}"), remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Budget {
        Budget::with(Limits {
            kept: 1_000,
            kept_of_file: 400,
            kept_ratio: 4,
            unpacked: 5_000,
            unpacked_of_file: 1_000,
            unpacked_ratio: 10,
            members: 3,
        })
    }

    #[test]
    fn the_defaults_fit_into_the_address_space() {
        let limits = Limits::default();
        let peak = limits.kept as f64 * 2.2;
        assert!(peak < f64::from(u32::MAX) - 100e6, "the program itself takes 100 MB: {peak}");
        assert!(WHOLE_PIECE * 3 < 1 << 30 && COLUMNS as u64 * COLUMN_BYTES < limits.kept_of_file);
    }

    #[test]
    fn an_archive_is_read_up_to_a_byte_whatever_the_steps() {
        for step in [1, 7, 300, 5_000] {
            let file = small().for_file(20);
            let mut granted = 0;
            let mut limit = None;
            while limit.is_none() {
                let (count, found) = file.unpack(step);
                (granted, limit) = (granted + count, found);
            }
            assert_eq!((granted, limit), (1_000, Some(TooLarge::Unpacked(1_000, 20))));
        }
    }

    #[test]
    fn larger_archives_may_unpack_to_more_and_all_together_are_limited() {
        let budget = small();
        assert_eq!(budget.for_file(400).unpack(4_000), (4_000, None));
        assert_eq!(budget.for_file(400).unpack(4_000), (1_000, Some(TooLarge::AllUnpacked(5_000))));
    }

    #[test]
    fn levels_are_counted_by_themselves() {
        let file = small().for_file(20);
        assert_eq!(file.unpack(1_000).1, None);
        assert_eq!(file.inside().unpack(1_000).1, None);
        assert!(file.inside().unpack(1).1.is_some());
    }

    #[test]
    fn what_is_kept_counts_for_the_file_and_for_all() {
        let budget = small();
        let first = budget.for_file(1);
        assert_eq!((first.room(), first.keep(0, 400), first.room()), (400, Ok(()), 0));
        assert_eq!(first.keep(400, 401), Err(TooLarge::Kept(400)));
        assert_eq!(budget.for_file(1).keep(0, 400), Ok(()));
        let last = budget.for_file(1_000);
        assert_eq!((last.room(), last.keep(0, 300)), (199, Err(TooLarge::AllKept(1_000))));
        assert_eq!(budget.for_file(1).is_used_up(), Some(TooLarge::AllKept(1_000)));
        let problem = TooLarge::AllKept(1_000).problem("a.csv", Place::File, Weight::Lost);
        assert!(problem.what.contains("1 kB"), "{}", problem.what);
    }

    #[test]
    fn members_are_counted() {
        let budget = small();
        for _ in 0..3 {
            assert_eq!(budget.for_file(1).open_member(), Ok(()));
        }
        assert_eq!(budget.for_file(1).open_member(), Err(TooLarge::Members(3)));
    }
}

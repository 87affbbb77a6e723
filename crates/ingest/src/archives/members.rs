//! What archives of several members have in common: how they are read step by step, and what their members gave.

use super::pending::Pending;
use super::{ArchiveMember, OpenMember};
use crate::budget::{FileBudget, TooLarge};
use crate::path;
use crate::reader::FileOutcome;
use crate::{Place, Problem, Weight};
use rundown_run::FileFormat;

/// A format of archives of several members: what it decides of the reading, which is the same for all ([`ArchiveMember`]).
pub(super) trait ArchiveFormat {
    /// How names of such archives end.
    const ENDING: &'static str;

    /// What the format does not decide.
    fn state(&mut self) -> &mut ArchiveState;

    /// True after the last member, or where nothing more can be read.
    fn is_at_end(&self) -> bool;

    /// Does a step of what the reader of the open member has to do; false when there is nothing.
    fn work_member(&mut self) -> bool;

    /// Reads at the start of `bytes` and says how many are done with; `None` when more are needed.
    fn parse(&mut self, bytes: &[u8]) -> Option<usize>;

    /// Goes on to what follows the bytes that were read.
    fn advance(&mut self) {}

    /// Says that the archive ends before its end.
    fn note_cut(&mut self);

    /// Ends the archive here, with what the open member gave until now.
    fn end_early(&mut self);
}

impl<A: ArchiveFormat> ArchiveMember for A {
    fn wants_bytes(&self) -> bool {
        !self.is_at_end()
    }

    fn begin(&mut self, bytes: &[u8]) {
        if !self.is_at_end() {
            self.state().input.add(bytes);
        }
    }

    fn work(&mut self) -> bool {
        if self.work_member() {
            return true;
        }
        if self.state().budget.is_over() {
            // The archive that came to the limit reports it.
            self.end_early();
        }
        if self.is_at_end() {
            self.state().input.clear();
            return false;
        }
        let input = std::mem::take(&mut self.state().input);
        let read = self.parse(input.waiting());
        let state = self.state();
        state.input = input;
        let Some(count) = read else { return false };
        state.input.consume(count);
        state.offset += count as u64;
        self.advance();
        true
    }

    fn finish(mut self: Box<Self>, is_stopped: bool) -> FileOutcome {
        while self.work() {}
        if !self.is_at_end() && !is_stopped {
            self.note_cut();
        }
        self.end_early();
        self.state().finish(A::ENDING)
    }
}

/// The input of an archive and what came of it.
pub(super) struct ArchiveState {
    path: String,
    pub(super) budget: FileBudget,
    open: OpenMember,
    input: Pending,
    /// Bytes read so far, without those that wait.
    pub(super) offset: u64,
    /// The folder at the top that all members share.
    top: SharedFolder,
    outcomes: Vec<FileOutcome>,
    /// Problems of the archive itself.
    problems: Vec<Problem>,
}

#[derive(Default, PartialEq)]
enum SharedFolder {
    /// No member came yet.
    #[default]
    Unknown,
    Named(String),
    None,
}

impl ArchiveState {
    pub(super) fn new(path: &str, budget: &FileBudget, open: OpenMember) -> Self {
        Self {
            path: path.to_owned(),
            budget: budget.clone(),
            open,
            input: Pending::default(),
            offset: 0,
            top: SharedFolder::default(),
            outcomes: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Notes the path of a member.
    pub(super) fn add_name(&mut self, name: &str) {
        self.top = match (&self.top, name.split_once('/')) {
            (SharedFolder::Unknown, Some((top, _))) => SharedFolder::Named(top.to_owned()),
            (SharedFolder::Named(known), Some((top, _))) if known == top => return,
            _ => SharedFolder::None,
        };
    }

    /// Opens the reader of a member.
    pub(super) fn open(&self, name: String) -> Box<dyn ArchiveMember> {
        (self.open)(name, self.budget.inside())
    }

    /// Notes what a member gave.
    pub(super) fn add(&mut self, outcome: FileOutcome) {
        if !outcome.parts.is_empty() || !outcome.problems.is_empty() {
            self.outcomes.push(outcome);
        }
    }

    /// Notes a problem with the archive at this offset.
    pub(super) fn note(&mut self, at: u64, weight: Weight, what: impl Into<String>, remedy: &str) {
        self.problems.push(Problem::new(&self.path, Place::Byte(at), weight, what, remedy));
    }

    /// Notes that the archive is read up to a limit.
    pub(super) fn note_limit(&mut self, at: u64, limit: TooLarge) {
        self.problems.push(limit.problem(&self.path, Place::Byte(at), Weight::Partial));
    }

    /// Notes that a member is passed over.
    pub(super) fn note_unread(&mut self, name: &str, why: &str) {
        let place = format!("{}/{name}", self.path);
        let what = format!("This member of the archive {why}.");
        self.problems.push(Problem::new(&place, Place::File, Weight::Lost, what, "Unpack it and drop what is in it."));
    }

    /// Everything that the archive gave, with its own problems. Members stand below the archive's name without `ending`,
    /// unless they share a folder at the top.
    fn finish(&mut self, ending: &str) -> FileOutcome {
        let name = path::file_name(&self.path);
        let prefix = match self.top {
            SharedFolder::Named(_) => String::new(),
            _ => format!("{}/", name.strip_suffix(ending).unwrap_or(name)),
        };
        let mut all = FileOutcome { format: FileFormat::Archive, ..FileOutcome::default() };
        for mut outcome in std::mem::take(&mut self.outcomes) {
            put_below(&mut outcome, &prefix);
            all.parts.extend(outcome.parts);
            all.problems.extend(outcome.problems);
        }
        // An archive of something else: one remark is enough for all members.
        let is_of_remarks = all.problems.iter().all(|problem| problem.weight == Weight::Remark);
        if all.parts.is_empty() && self.problems.is_empty() && is_of_remarks {
            let what = "The archive holds no supported file.";
            all.problems = vec![Problem::new(&self.path, Place::File, Weight::Remark, what, "")];
        }
        all.problems.append(&mut self.problems);
        all
    }
}

/// Moves what a member gave below a folder.
fn put_below(outcome: &mut FileOutcome, prefix: &str) {
    for problem in &mut outcome.problems {
        problem.file.insert_str(0, prefix);
    }
    for part in &mut outcome.parts {
        let folder = format!("{prefix}{}", part.folder);
        part.folder = folder.trim_end_matches('/').to_owned();
        for file in &mut part.run.files {
            file.path.insert_str(0, prefix);
        }
    }
}

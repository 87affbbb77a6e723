//! A drop that is being read: which file comes next, what the files gave so far, and the runs that are whole before all
//! of it was read.

use std::collections::BTreeSet;

use rundown_ingest::{Budget, FileGroup, FileOutcome, PartialRun, RunAssembler, reading_order};
use rundown_run::{FileFormat, Run};

/// Formats of which a file by itself is whole runs. Of others several files of a folder may be one run.
const WHOLE: [FileFormat; 7] = [
    FileFormat::Wandb,
    FileFormat::JsonLines,
    FileFormat::JsonDocument,
    FileFormat::Table,
    FileFormat::RunExport,
    FileFormat::RundownExport,
    FileFormat::SwanLab,
];

/// A drop that is being read.
pub struct Reading {
    /// Number of the request, by which the runs of this drop are told from those of another.
    pub(super) id: u32,
    groups: std::vec::IntoIter<FileGroup>,
    group: FileGroup,
    /// How many files of the group were named by [`Reading::next_file`].
    begun: usize,
    /// What the files gave, in the order of the drop.
    outcomes: Vec<Option<FileOutcome>>,
    /// Ids of the runs that the page knows.
    known: BTreeSet<String>,
    budget: Budget,
}

impl Reading {
    /// The reading of files, given as path and size in bytes. `known` are the ids of the runs that are there already.
    pub(super) fn new(id: u32, files: &[(&str, u64)], known: BTreeSet<String>, budget: Budget) -> Self {
        let outcomes = files.iter().map(|_| None).collect();
        let group = FileGroup { files: Vec::new(), is_loose: false };
        Self { id, groups: reading_order(files).into_iter(), group, begun: 0, outcomes, known, budget }
    }

    /// What the files of the drop may use.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Place in the drop of the file that is read next.
    pub fn next_file(&mut self) -> Option<usize> {
        if self.begun >= self.group.files.len() {
            self.group = self.groups.next()?;
            self.begun = 0;
        }
        self.begun += 1;
        self.group.files.get(self.begun - 1).copied()
    }

    /// Places of the files that are read after that, at most so many.
    pub fn upcoming(&self, most: usize) -> impl Iterator<Item = usize> {
        let later = self.groups.as_slice().iter().flat_map(|group| &group.files);
        self.group.files.iter().skip(self.begun).chain(later).copied().take(most)
    }

    /// Takes what a file gave.
    pub fn add(&mut self, file: usize, outcome: FileOutcome) {
        if let Some(place) = self.outcomes.get_mut(file) {
            *place = Some(outcome);
        }
    }

    /// The runs that became whole with the last file, for as long as others are still to be read. They are made of
    /// copies: what is joined in the end is what the files gave.
    pub(super) fn whole_runs(&mut self) -> Vec<Run> {
        if self.begun < self.group.files.len() || self.groups.len() == 0 {
            return Vec::new();
        }
        let mut parts: Vec<PartialRun> = Vec::new();
        for place in &self.group.files {
            let Some(Some(outcome)) = self.outcomes.get_mut(*place) else { continue };
            if self.group.is_loose && !WHOLE.contains(&outcome.format) {
                return Vec::new();
            }
            outcome.parts.iter_mut().for_each(|part| part.run.share_columns());
            parts.extend(outcome.parts.iter().cloned());
        }
        let mut assembler = RunAssembler::default();
        assembler.add(FileOutcome { parts, ..FileOutcome::default() });
        let mut runs = assembler.assemble(Vec::new()).runs;
        // One that is known is gone on with here: the two are joined in the end.
        runs.retain(|run| self.known.insert(run.id.clone()));
        runs
    }

    /// Everything that was read, to be joined.
    pub(super) fn into_assembler(self) -> RunAssembler {
        let mut assembler = RunAssembler::default();
        self.outcomes.into_iter().flatten().for_each(|outcome| assembler.add(outcome));
        assembler
    }
}

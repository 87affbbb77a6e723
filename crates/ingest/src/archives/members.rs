//! What the members of an archive gave, so that it stands below the archive.

use super::ArchiveMember;
use crate::path;
use crate::reader::FileOutcome;
use crate::{Place, Problem, Weight};
use rundown_run::FileFormat;

/// The members that were opened.
#[derive(Default)]
pub(crate) struct Members {
    /// The folder at the top that all share.
    top: SharedFolder,
    outcomes: Vec<FileOutcome>,
}

#[derive(Default, PartialEq)]
enum SharedFolder {
    /// No member came yet.
    #[default]
    Unknown,
    Named(String),
    None,
}

impl Members {
    /// Notes the path of a member, and gives it back.
    pub(crate) fn add_name(&mut self, name: String) -> String {
        let top = name.split_once('/').map(|(top, _)| top);
        self.top = match (&self.top, top) {
            (SharedFolder::Unknown, Some(top)) => SharedFolder::Named(top.to_owned()),
            (SharedFolder::Named(known), Some(top)) if known == top => return name,
            _ => SharedFolder::None,
        };
        name
    }

    /// Notes what a member gave.
    pub(crate) fn add(&mut self, outcome: FileOutcome) {
        if !outcome.parts.is_empty() || !outcome.problems.is_empty() {
            self.outcomes.push(outcome);
        }
    }

    /// Ends a member of which not all came.
    pub(crate) fn add_last(&mut self, file: Option<Box<dyn ArchiveMember>>) {
        if let Some(file) = file {
            self.add(file.finish());
        }
    }

    /// Everything that the archive gave, with its own problems. Members stand below the archive's name without `ending`,
    /// unless they share a folder at the top.
    pub(crate) fn finish(self, archive: &str, ending: &str, problems: Vec<Problem>) -> FileOutcome {
        let name = path::file_name(archive);
        let prefix = match self.top {
            SharedFolder::Named(_) => String::new(),
            _ => format!("{}/", name.strip_suffix(ending).unwrap_or(name)),
        };
        let mut all = FileOutcome { format: FileFormat::Archive, ..FileOutcome::default() };
        for mut outcome in self.outcomes {
            put_below(&mut outcome, &prefix);
            all.parts.extend(outcome.parts);
            all.problems.extend(outcome.problems);
        }
        // An archive of something else: one remark says more than one for each member.
        let is_of_remarks = all.problems.iter().all(|problem| problem.weight == Weight::Remark);
        if all.parts.is_empty() && problems.is_empty() && is_of_remarks {
            let what = "The archive holds no supported file.";
            all.problems = vec![Problem::new(archive, Place::File, Weight::Remark, what, "")];
        }
        all.problems.extend(problems);
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

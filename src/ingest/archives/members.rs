//! Paths of an archive's members, so that what they gave stands below the archive.

use crate::ingest::path;
use crate::ingest::reader::FileOutcome;

/// Folder to put before the members' paths: none when they share a top folder, else the archive's name.
pub(crate) fn prefix(archive: &str, ending: &str, members: &[String]) -> String {
    let top = |member: &String| member.split_once('/').map(|(top, _)| top.to_owned());
    let first = members.first().and_then(top);
    if first.is_some() && members.iter().all(|member| top(member) == first) {
        return String::new();
    }
    let name = path::file_name(archive);
    format!("{}/", name.strip_suffix(ending).unwrap_or(name))
}

/// Moves what a member gave below a folder.
pub(crate) fn put_below(outcome: &mut FileOutcome, prefix: &str) {
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

//! Ids of runs that are unique among those loaded, for links and files.

use std::collections::{BTreeMap, BTreeSet};

use super::SessionRun;

/// The unique id of each run by its number: its own id, and of several runs with one id those after the first as
/// `id (2)`, `id (3)` and so on, by the path of their first file. The same files give the same ids, in whatever order they
/// were read.
pub(super) fn unique_ids(runs: &[SessionRun]) -> BTreeMap<u32, String> {
    let mut identities: Vec<(String, String, u32)> = runs
        .iter()
        .map(|loaded| (loaded.identity(), loaded.number))
        .map(|(identity, number)| (identity.id, identity.file, number))
        .collect();
    identities.sort();
    let mut given: BTreeSet<String> = identities.iter().map(|(id, _, _)| id.clone()).collect();
    let mut found = BTreeMap::new();
    let mut before: Option<(String, usize)> = None;
    for (id, _, number) in identities {
        let (mut unique, mut count) = (id.clone(), 1);
        if let Some((_, last)) = before.filter(|(other, _)| *other == id) {
            count = last + 1;
            unique = format!("{id} ({count})");
            while !given.insert(unique.clone()) {
                count += 1;
                unique = format!("{id} ({count})");
            }
        }
        before = Some((id, count));
        found.insert(number, unique);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::AssembledRun;
    use crate::run::{FileFormat, Run, SourceFile};

    fn ids(runs: &[(u32, &str, &str)]) -> Vec<String> {
        let loaded = |(number, id, path): &(u32, &str, &str)| {
            let format = FileFormat::Ignored;
            let file = SourceFile { path: (*path).to_owned(), format, bytes: 0, crc32: 0 };
            let run = Run { id: (*id).to_owned(), files: vec![file], ..Run::default() };
            SessionRun::new(*number, AssembledRun::Measured(run))
        };
        unique_ids(&runs.iter().map(loaded).collect::<Vec<_>>()).into_values().collect()
    }

    #[test]
    fn later_paths_are_counted() {
        assert_eq!(ids(&[(1, "a", "z.csv"), (2, "b", "y.csv"), (3, "a", "x.csv")]), ["a (2)", "b", "a"]);
        assert_eq!(ids(&[(7, "a", "x.csv"), (8, "b", "y.csv"), (9, "a", "z.csv")]), ["a", "b", "a (2)"]);
        // What is another run's own id is not given.
        assert_eq!(
            ids(&[(1, "a", "1"), (2, "a", "2"), (3, "a (2)", "3"), (4, "a", "4")]),
            ["a", "a (3)", "a (2)", "a (4)"]
        );
        assert_eq!(ids(&[(1, "", "1"), (2, "", "2")]), ["", " (2)"]);
    }
}

//! Ids of runs that are unique among those loaded, for links and files.

use std::collections::BTreeSet;

use rundown_format::{redact_around_id, visible};
use rundown_protocol::RunIdentity;
use rundown_stats::CompactCollect as _;
use rundown_stats::CompactSort as _;

/// Number and unique id of each run, by number: its own id without secrets. Of several runs with one id, those after the
/// first are `id (2)`, `id (3)` and so on, by the path of their first file. The same files give the same ids, in whatever
/// order they were read.
pub(super) struct UniqueIds(Vec<(u32, String)>);

impl UniqueIds {
    /// The ids of runs, given by what each is recognised by, its place among all runs and its number.
    pub(super) fn of(runs: impl Iterator<Item = (RunIdentity, u32, u32)>) -> Self {
        // An id stands in links, files and messages: one that is a key must not.
        let shown = |id: &str| visible(&redact_around_id(id, id)).into_owned();
        let mut identities: Vec<_> =
            runs.map(|(identity, place, number)| (shown(&identity.id), identity, place, number)).collect();
        identities.compact_sort_by(|a, b| a.cmp(b));
        let mut given: BTreeSet<String> = identities.iter().map(|(id, ..)| id.clone()).compact_collect();
        let mut found = Vec::with_capacity(identities.len());
        let (mut before, mut count) = (None, 1);
        for (id, _, _, number) in &identities {
            let mut unique = id.clone();
            count = if before == Some(id) { count + 1 } else { 1 };
            while count > 1 {
                unique = format!("{id} ({count})");
                if given.insert(unique.clone()) {
                    break;
                }
                count += 1;
            }
            before = Some(id);
            found.push((*number, unique));
        }
        found.compact_sort_by_key(|(number, _)| *number);
        Self(found)
    }

    /// The unique id of a run; empty for one that is not there.
    pub(super) fn of_run(&self, number: u32) -> &str {
        let place = self.0.partition_point(|(known, _)| *known < number);
        self.0.get(place).filter(|(known, _)| *known == number).map_or("", |(_, id)| id)
    }
}

#[cfg(test)]
impl<const RUNS: usize> From<[(u32, &str); RUNS]> for UniqueIds {
    fn from(ids: [(u32, &str); RUNS]) -> Self {
        Self(ids.map(|(number, id)| (number, id.to_owned())).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(runs: &[(u32, &str, &str)]) -> Vec<String> {
        let placed = |(number, id, path): &(u32, &str, &str)| {
            (RunIdentity { id: (*id).to_owned(), file: (*path).to_owned() }, *number, *number)
        };
        let ids = UniqueIds::of(runs.iter().map(placed));
        runs.iter().map(|(number, _, _)| ids.of_run(*number).to_owned()).collect()
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

//! The runs as far as they are put together, found by id and by folder without a look at each of them: a drop may
//! hold tens of thousands.

use std::collections::BTreeMap;

use super::origin::{RunOrigin, is_sidecar_only, is_wandb, path_of, same_project};
use super::overlap::{Overlap, overlap};
use crate::join;
use crate::{Place, Problem, Weight, path};
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactSort;

/// Runs that were there already, then new ones.
#[derive(Default)]
pub(super) struct RunIndex {
    slots: Vec<IndexedRun>,
    already: usize,
    /// Places in `slots` by the runs' ids, ascending.
    ids: BTreeMap<String, Vec<usize>>,
    /// And by their kinds and folders.
    folders: BTreeMap<(RunOrigin, String), Vec<usize>>,
    /// Places of the runs whose rows changed: their step axis must be chosen again.
    changed: Vec<usize>,
    /// Places of the runs that were handed out: what they are found by may have changed.
    maybe_stale: Vec<usize>,
}

struct IndexedRun {
    run: Run,
    /// What it is found by.
    id: String,
    folder: (RunOrigin, String),
}

impl RunIndex {
    pub(super) fn new(already: Vec<Run>) -> Self {
        let mut index = Self { already: already.len(), ..Self::default() };
        already.into_iter().for_each(|run| index.push(run));
        index.changed.clear();
        index
    }

    /// Adds a piece from a `.wandb` file: pieces with one run id are one run.
    #[inline(never)]
    pub(super) fn add_wandb(&mut self, piece: Run) -> Option<Problem> {
        let is_known = |run: &Run| is_wandb(run) || is_sidecar_only(run);
        let is_same_run = |run: &Run| is_known(run) && same_project(run, &piece);
        let Some(slot) = self.place_of(&piece.id, is_same_run).and_then(|place| self.at(place)) else {
            self.push(piece);
            return None;
        };
        if is_sidecar_only(slot) {
            let side_files = std::mem::replace(slot, piece);
            join::add_missing(slot, side_files);
        } else {
            match overlap(slot, &piece) {
                Overlap::Same | Overlap::Older => return Some(copy_of(&piece, slot)),
                Overlap::Grown => *slot = piece,
                Overlap::Apart if started(&piece) < started(slot) => {
                    let later = std::mem::replace(slot, piece);
                    join::append(slot, later);
                }
                Overlap::Apart => join::append(slot, piece),
            }
        }
        self.changed.extend(self.maybe_stale.last());
        None
    }

    /// Adds a run whose id is its path. Another run at that path is another run, unless one continues the other.
    pub(super) fn add_other(&mut self, mut run: Run) -> Option<Problem> {
        let id = run.id.clone();
        let mut number = 1;
        while let Some(place) = self.place_of(&run.id, |_| true)
            && let Some(slot) = self.at(place)
        {
            match overlap(slot, &run) {
                Overlap::Same | Overlap::Older => return Some(copy_of(&run, slot)),
                Overlap::Grown => {
                    *slot = run;
                    self.changed.push(place);
                    return None;
                }
                Overlap::Apart => {
                    number += 1;
                    run.id = format!("{id} ({number})");
                }
            }
        }
        self.push(run);
        None
    }

    /// True when a run of this id is there.
    pub(super) fn has(&mut self, id: &str) -> bool {
        self.place_of(id, |_| true).is_some()
    }

    /// The first run of this id that is wanted.
    pub(super) fn with_id(&mut self, id: &str, is_wanted: impl Fn(&Run) -> bool) -> Option<&mut Run> {
        self.place_of(id, is_wanted).and_then(|place| self.at(place))
    }

    /// The run of these kinds that lies nearest to `folder`, when it is the only one there: in the folder itself, or in
    /// the smallest one around it that holds any. With it comes that folder.
    pub(super) fn nearest<'f>(&mut self, folder: &'f str, kinds: &[RunOrigin]) -> Option<(&mut Run, &'f str)> {
        self.reindex();
        let mut around = folder;
        let place = loop {
            let mut found = kinds.iter().flat_map(|kind| self.inside(*kind, around));
            match (found.next(), found.next()) {
                (Some(place), None) => break place,
                (Some(_), Some(_)) => return None,
                (None, _) if around.is_empty() => return None,
                (None, _) => around = path::folder(around),
            }
        };
        self.at(place).map(|run| (run, around))
    }

    /// Places of the runs of these kinds whose first file lies in this folder itself, ascending.
    pub(super) fn directly_in(&mut self, folder: &str, kinds: &[RunOrigin]) -> Vec<usize> {
        self.reindex();
        let of = |kind: &RunOrigin| self.folders.get(&(*kind, folder.to_owned()));
        let mut places: Vec<usize> = kinds.iter().filter_map(of).flatten().copied().collect();
        places.compact_sort_by_key(|place| *place);
        places
    }

    /// The only run that is wanted among those of these kinds in this folder itself. Where more than `most` lie there,
    /// none of them is looked at.
    pub(super) fn only_in(
        &mut self,
        folder: &str,
        kinds: &[RunOrigin],
        most: usize,
        is_wanted: impl Fn(&Run) -> bool,
    ) -> Option<&mut Run> {
        let places = self.directly_in(folder, kinds);
        if places.len() > most {
            return None;
        }
        let mut wanted = places.into_iter().filter(|place| self.look_at(*place).is_some_and(&is_wanted));
        let place = wanted.next().filter(|_| wanted.next().is_none())?;
        drop(wanted);
        self.at(place)
    }

    /// The run at a place, as it is.
    pub(super) fn look_at(&self, place: usize) -> Option<&Run> {
        self.slots.get(place).map(|slot| &slot.run)
    }

    /// The first run that is wanted. Looks at each of them: where the id is known, [`RunIndex::with_id`] is the way.
    pub(super) fn find(&mut self, is_wanted: impl Fn(&Run) -> bool) -> Option<&mut Run> {
        let place = self.slots.iter().position(|slot| is_wanted(&slot.run))?;
        self.at(place)
    }

    /// Of the runs that are wanted the one whose folder has most in common with a file's. Looks at each of them.
    pub(super) fn closest_with(&mut self, file: &str, is_wanted: impl Fn(&Run) -> bool) -> Option<&mut Run> {
        let common = |run: &Run| {
            let pairs = path::folder(path_of(run)).split('/').zip(file.split('/'));
            pairs.take_while(|(one, other)| one == other).count()
        };
        let wanted = self.slots.iter().enumerate().filter(|(_, slot)| is_wanted(&slot.run));
        let (place, _) = wanted.max_by_key(|(_, slot)| common(&slot.run))?;
        self.at(place)
    }

    /// Chooses the axis of each run that changed since the last time.
    pub(super) fn settle_axes(&mut self) {
        for place in std::mem::take(&mut self.changed) {
            if let Some(slot) = self.slots.get_mut(place) {
                slot.run.choose_axis();
            }
        }
    }

    /// The runs that were there first, in their order, then the new ones by path.
    #[inline(never)]
    pub(super) fn into_runs(mut self) -> Vec<Run> {
        if let Some(new) = self.slots.get_mut(self.already..) {
            new.compact_sort_by(|a, b| (path_of(&a.run), &a.run.name).cmp(&(path_of(&b.run), &b.run.name)));
        }
        self.slots.into_iter().map(|slot| slot.run).collect()
    }

    fn push(&mut self, run: Run) {
        let place = self.slots.len();
        self.slots.push(IndexedRun { run, id: String::new(), folder: (RunOrigin::Other, String::new()) });
        self.changed.push(place);
        self.note(place);
    }

    /// The place of the first run of this id that is wanted.
    fn place_of(&mut self, id: &str, is_wanted: impl Fn(&Run) -> bool) -> Option<usize> {
        self.reindex();
        let mut places = self.ids.get(id)?.iter().copied();
        places.find(|place| self.slots.get(*place).is_some_and(|slot| is_wanted(&slot.run)))
    }

    /// Places of the runs of a kind in a folder and below it.
    fn inside(&self, kind: RunOrigin, folder: &str) -> impl Iterator<Item = usize> {
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let own = self.folders.get(&(kind, folder.to_owned())).filter(|_| !folder.is_empty());
        let inner = self.folders.range((kind, below.clone())..);
        let inner = inner.take_while(move |((other, path), _)| *other == kind && path.starts_with(&below));
        own.into_iter().chain(inner.map(|(_, places)| places)).flatten().copied()
    }

    /// Hands out the run at a place to be changed.
    pub(super) fn at(&mut self, place: usize) -> Option<&mut Run> {
        self.maybe_stale.push(place);
        self.slots.get_mut(place).map(|slot| &mut slot.run)
    }

    /// Notes anew by what the runs that were handed out are found, where that changed.
    fn reindex(&mut self) {
        for place in std::mem::take(&mut self.maybe_stale) {
            let Some(slot) = self.slots.get(place) else { continue };
            let (kind, folder) = &slot.folder;
            if slot.run.id == slot.id && RunOrigin::of(&slot.run) == *kind && path::folder(path_of(&slot.run)) == folder
            {
                continue;
            }
            let others = |places: &mut Vec<usize>| places.retain(|other| *other != place);
            self.ids.get_mut(&slot.id).map(others);
            self.folders.get_mut(&slot.folder).map(others);
            self.note(place);
        }
    }

    /// Notes by what a run is found.
    fn note(&mut self, place: usize) {
        let Some(slot) = self.slots.get_mut(place) else { return };
        slot.id.clone_from(&slot.run.id);
        slot.folder = (RunOrigin::of(&slot.run), path::folder(path_of(&slot.run)).to_owned());
        for places in
            [self.ids.entry(slot.id.clone()).or_default(), self.folders.entry(slot.folder.clone()).or_default()]
        {
            places.insert(places.partition_point(|other| *other < place), place);
        }
    }
}

/// Pieces in the order in which they were written: by the time in the folder's name, then by path.
#[inline(never)]
pub(super) fn by_time(mut pieces: Vec<Run>) -> Vec<Run> {
    pieces.compact_sort_by(|a, b| (started(a), path_of(a)).cmp(&(started(b), path_of(b))));
    pieces
}

fn started(run: &Run) -> &str {
    path::run_folder_in(path_of(run)).map_or("", |folder| folder.started)
}

fn copy_of(piece: &Run, run: &Run) -> Problem {
    let kept = run.files.iter().find(|file| file.format != FileFormat::ConsoleLog);
    let what =
        format!("This is a copy of {}, which was already read.", kept.map_or("a file", |file| file.path.as_str()));
    Problem::new(path_of(piece), Place::File, Weight::Remark, what, "")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use rundown_run::SourceFile;

    fn run(id: &str, path: &str) -> Run {
        let format = FileFormat::JsonLines;
        let files = vec![SourceFile { path: path.to_owned(), format, bytes: 1, crc32: 1 }];
        let mut run = Run { id: id.to_owned(), files, ..Run::default() };
        run.push_row(id.len() as f64, 0.0);
        run
    }

    #[test]
    fn runs_are_found_without_a_look_at_the_others() {
        const RUNS: usize = 20_000;
        let mut index = RunIndex::default();
        for number in 0..RUNS {
            assert!(index.add_other(run(&format!("run {number}"), &format!("a/{number}/x.jsonl"))).is_none());
        }
        let looked = Cell::new(0);
        for number in 0..RUNS {
            let id = format!("run {number}");
            let is_wanted = |run: &Run| {
                looked.set(looked.get() + 1);
                run.id == id
            };
            assert!(index.with_id(&id, is_wanted).is_some());
            let folder = format!("a/{number}");
            assert_eq!(index.nearest(&folder, &RunOrigin::ALL).map(|(run, _)| run.id.clone()), Some(id));
            assert_eq!(index.nearest(&folder, &[RunOrigin::Wandb]), None);
            assert_eq!(index.nearest("a", &RunOrigin::ALL), None);
        }
        assert_eq!(looked.get(), RUNS);
        assert_eq!((index.into_runs().len(), index_of(&["x", "x"]).into_runs().len()), (RUNS, 1));
    }

    fn index_of(paths: &[&str]) -> RunIndex {
        let mut index = RunIndex::default();
        for path in paths {
            index.add_other(run(path, path));
        }
        index
    }

    #[test]
    fn the_nearest_run_is_that_of_the_folder_or_of_the_one_around_it() {
        let mut index = index_of(&["a/one.jsonl", "a-b/two.jsonl", "c/d/three.jsonl", "c/e/four.jsonl"]);
        let nearest = |index: &mut RunIndex, folder: &str| {
            index.nearest(folder, &[RunOrigin::Other]).map(|(run, around)| (run.id.clone(), around.to_owned()))
        };
        let found = |id: &str, around: &str| Some((id.to_owned(), around.to_owned()));
        assert_eq!(nearest(&mut index, "a"), found("a/one.jsonl", "a"));
        assert_eq!(nearest(&mut index, "a/deep/er"), found("a/one.jsonl", "a"));
        assert_eq!(nearest(&mut index, "c/d"), found("c/d/three.jsonl", "c/d"));
        assert_eq!(
            (nearest(&mut index, "c"), nearest(&mut index, "other"), nearest(&mut index, "")),
            (None, None, None)
        );
        assert_eq!(nearest(&mut index_of(&["top.jsonl"]), "x/y"), found("top.jsonl", ""));
    }

    #[test]
    fn a_run_that_was_changed_is_found_by_what_it_is_now() {
        let mut index = index_of(&["a/one.jsonl", "b/two.jsonl"]);
        if let Some(found) = index.find(|run| run.id == "a/one.jsonl") {
            *found = run("new", "c/new.jsonl");
        }
        assert!(index.has("new") && !index.has("a/one.jsonl"));
        assert_eq!(index.nearest("c", &RunOrigin::ALL).map(|(run, _)| run.id.clone()).as_deref(), Some("new"));
        assert!(index.nearest("a", &RunOrigin::ALL).is_none());
    }
}

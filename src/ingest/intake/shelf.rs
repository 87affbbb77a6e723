//! The runs as far as they are put together.

use super::super::{Format, Place, Problem, Weight, path};
use super::{is_wandb, join, path_of, sides};
use crate::order::Arrange;
use crate::run::{Column, Run};

/// Runs that were there already, then new ones.
pub(super) struct Shelf {
    slots: Vec<Slot>,
    already: usize,
}

struct Slot {
    run: Run,
    /// Rows changed: the step axis must be chosen again.
    has_changed: bool,
}

/// How the rows of two pieces of one run stand to each other.
#[derive(Debug, PartialEq)]
enum Overlap {
    /// They are the same.
    Same,
    /// The second holds the first and goes on: a newer copy.
    Grown,
    /// The first holds the second and goes on: an older copy.
    Older,
    /// Neither: another part of the run.
    Apart,
}

impl Shelf {
    pub(super) fn new(already: Vec<Run>) -> Self {
        let slots: Vec<Slot> = already.into_iter().map(|run| Slot { run, has_changed: false }).collect();
        Self { already: slots.len(), slots }
    }

    /// Adds a piece from a `.wandb` file: pieces with one run id are one run.
    pub(super) fn add_wandb(&mut self, piece: Run) -> Option<Problem> {
        let is_known = |run: &Run| is_wandb(run) || sides::is_nothing_else(run);
        let is_same_run = |run: &Run| run.id == piece.id && is_known(run) && same_project(run, &piece);
        let Some(slot) = self.slots.iter_mut().find(|slot| is_same_run(&slot.run)) else {
            self.push(piece);
            return None;
        };
        if sides::is_nothing_else(&slot.run) {
            let side_files = std::mem::replace(&mut slot.run, piece);
            sides::add(&mut slot.run, side_files);
            slot.has_changed = true;
            return None;
        }
        match overlap(&slot.run, &piece) {
            Overlap::Same | Overlap::Older => return Some(copy_of(&piece, &slot.run)),
            Overlap::Grown => slot.run = piece,
            Overlap::Apart if started(&piece) < started(&slot.run) => {
                let later = std::mem::replace(&mut slot.run, piece);
                join::append(&mut slot.run, later);
            }
            Overlap::Apart => join::append(&mut slot.run, piece),
        }
        slot.has_changed = true;
        None
    }

    /// Adds a run whose id is its path. Another run at that path is another run, unless one continues the other.
    pub(super) fn add_other(&mut self, mut run: Run) -> Option<Problem> {
        let id = run.id.clone();
        let mut number = 1;
        while let Some(slot) = self.slots.iter_mut().find(|slot| slot.run.id == run.id) {
            match overlap(&slot.run, &run) {
                Overlap::Same | Overlap::Older => return Some(copy_of(&run, &slot.run)),
                Overlap::Grown => {
                    *slot = Slot { run, has_changed: true };
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
    pub(super) fn has(&self, id: &str) -> bool {
        self.slots.iter().any(|slot| slot.run.id == id)
    }

    /// The run that lies nearest to `folder`, when it is the only one there: in the folder itself, or in the
    /// smallest one around it that holds any. With it comes that folder.
    pub(super) fn nearest<'f>(&mut self, folder: &'f str, is_wanted: fn(&Run) -> bool) -> Option<(&mut Run, &'f str)> {
        let mut around = folder;
        loop {
            let is_there = |run: &Run| is_wanted(run) && path::is_inside(path::folder(path_of(run)), around);
            let mut found = self.slots.iter().enumerate().filter(|(_, slot)| is_there(&slot.run));
            match (found.next(), found.next()) {
                (Some((index, _)), None) => return self.slots.get_mut(index).map(|slot| (&mut slot.run, around)),
                (Some(_), Some(_)) => return None,
                (None, _) if around.is_empty() => return None,
                (None, _) => around = path::folder(around),
            }
        }
    }

    /// The first run that is wanted.
    pub(super) fn find(&mut self, is_wanted: impl Fn(&Run) -> bool) -> Option<&mut Run> {
        self.slots.iter_mut().map(|slot| &mut slot.run).find(|run| is_wanted(run))
    }

    /// Of the runs that are wanted the one whose folder has most in common with a file's.
    pub(super) fn closest_with(&mut self, file: &str, is_wanted: impl Fn(&Run) -> bool) -> Option<&mut Run> {
        let common = |run: &Run| {
            let pairs = path::folder(path_of(run)).split('/').zip(file.split('/'));
            pairs.take_while(|(one, other)| one == other).count()
        };
        let wanted = self.slots.iter_mut().filter(|slot| is_wanted(&slot.run));
        wanted.max_by_key(|slot| common(&slot.run)).map(|slot| &mut slot.run)
    }

    /// Chooses the axis of each run that changed since the last time.
    pub(super) fn settle_axes(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.has_changed) {
            slot.run.choose_axis(None);
            slot.has_changed = false;
        }
    }

    /// The runs that were there first, in their order, then the new ones by path.
    pub(super) fn into_runs(mut self) -> Vec<Run> {
        if let Some(new) = self.slots.get_mut(self.already..) {
            new.arrange_by(|a, b| (path_of(&a.run), &a.run.name).cmp(&(path_of(&b.run), &b.run.name)));
        }
        self.slots.into_iter().map(|slot| slot.run).collect()
    }

    fn push(&mut self, run: Run) {
        self.slots.push(Slot { run, has_changed: true });
    }
}

/// Pieces in the order in which they were written: by the time in the folder's name, then by path.
pub(super) fn by_time(mut pieces: Vec<Run>) -> Vec<Run> {
    pieces.arrange_by(|a, b| (started(a), path_of(a)).cmp(&(started(b), path_of(b))));
    pieces
}

fn started(run: &Run) -> &str {
    path::run_folder_in(path_of(run)).map_or("", |folder| folder.started)
}

/// Run ids are unique within a project, and hardly ever beyond it.
pub(super) fn same_project(a: &Run, b: &Run) -> bool {
    let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
    agree(&a.project, &b.project) && agree(&a.entity, &b.entity)
}

fn overlap(first: &Run, second: &Run) -> Overlap {
    let is_prefix = |short: &Run, long: &Run| {
        starts_with(&long.row_steps, &short.row_steps)
            && starts_with(&long.row_times, &short.row_times)
            && short.columns.iter().all(|(key, column)| {
                // What an attachment added is not in the other copy.
                long.columns.get(key).is_none_or(|longer| column_starts_with(longer, column))
            })
    };
    match first.row_steps.len().cmp(&second.row_steps.len()) {
        std::cmp::Ordering::Equal if is_prefix(first, second) && same_end(first, second) => Overlap::Same,
        // The same rows, and a later copy has an exit record besides.
        std::cmp::Ordering::Equal if is_prefix(first, second) && second.ending.exit_code.is_some() => Overlap::Grown,
        std::cmp::Ordering::Equal if is_prefix(first, second) => Overlap::Older,
        std::cmp::Ordering::Less if is_prefix(first, second) => Overlap::Grown,
        std::cmp::Ordering::Greater if is_prefix(second, first) => Overlap::Older,
        _ => Overlap::Apart,
    }
}

fn same_end(a: &Run, b: &Run) -> bool {
    a.ending.exit_code == b.ending.exit_code
}

fn starts_with(long: &[f64], short: &[f64]) -> bool {
    long.len() >= short.len() && long.iter().zip(short).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn column_starts_with(long: &Column, short: &Column) -> bool {
    long.rows().starts_with(short.rows()) && starts_with(long.values(), short.values())
}

fn copy_of(piece: &Run, run: &Run) -> Problem {
    let kept = run.files.iter().find(|file| file.format != Format::ConsoleLog.as_str());
    let what =
        format!("This is a copy of {}, which is read already.", kept.map_or("a file", |file| file.path.as_str()));
    Problem::new(path_of(piece), Place::File, Weight::Remark, what, "")
}

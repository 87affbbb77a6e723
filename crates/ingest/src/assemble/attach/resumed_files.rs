//! A file of metrics that goes on where another one of its folder ends: one run that was resumed at its last checkpoint, and
//! whose program began another file.
//!
//! Steps alone prove nothing: two runs of a folder may begin where they like. The policy that both evaluated at the step of
//! the checkpoint is the same, so what both hold of a step must agree to the last digit.

use std::collections::BTreeMap;

use super::super::origin::{is_only, path_of};
use super::super::resumed;
use crate::rows::names::{is_count_name, is_step_name, is_time_name};
use crate::{join, path};
use rundown_run::{Column, FileFormat, Run};
use rundown_stats::CompactSort;

/// Formats of files that a loop appends its rows to.
const FORMATS: [FileFormat; 2] = [FileFormat::JsonLines, FileFormat::Table];
/// Fewest equal numbers of the steps that both hold; whole numbers, of which two runs may have the same, are none.
const MIN_EQUAL: usize = 3;
/// Most files of a folder that are compared with each other.
const MAX_COMPARED: usize = 64;

/// What `join` makes of the runs of each folder, by path. Expects runs by path.
#[inline(never)]
pub(crate) fn joined_by_folder(runs: Vec<Run>, join: fn(Vec<Run>) -> Vec<Run>) -> Vec<Run> {
    let mut folders: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for run in runs {
        folders.entry(path::folder(path_of(&run)).to_owned()).or_default().push(run);
    }
    let mut joined: Vec<Run> = folders.into_values().flat_map(join).collect();
    joined.compact_sort_by(|a, b| (path_of(a), &a.name).cmp(&(path_of(b), &b.name)));
    joined
}

/// Joins such files of one folder.
pub(crate) fn join_folder(mut runs: Vec<Run>) -> Vec<Run> {
    let appended = runs.iter().filter(|run| is_only(run, &FORMATS)).count();
    if !(2..=MAX_COMPARED).contains(&appended) || !runs.iter().any(may_go_on) {
        return runs;
    }
    runs.compact_sort_by(|a, b| resumed::first_step(a).total_cmp(&resumed::first_step(b)));
    runs.iter_mut().filter(|run| is_only(run, &FORMATS)).for_each(Run::choose_axis);
    let continued = continued(&runs);
    let mut joined: Vec<Run> = Vec::new();
    // Where each of the runs is among the joined ones.
    let mut places: Vec<usize> = Vec::new();
    for (number, mut run) in runs.into_iter().enumerate() {
        let place = continued.get(&number).and_then(|first| places.get(*first)).copied();
        places.push(place.unwrap_or(joined.len()));
        match place.and_then(|place| joined.get_mut(place)) {
            Some(first) => {
                drop_repeated(first, &mut run);
                // No step was taken twice: there is nothing to warn of.
                join::append(first, run);
                first.choose_axis();
            }
            None => joined.push(run),
        }
    }
    joined
}

/// The run that each of some goes on from, by their places. Where two go on from one, or one from two, nothing tells which belong
/// together.
fn continued(runs: &[Run]) -> BTreeMap<usize, usize> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (number, later) in runs.iter().enumerate().filter(|(_, run)| may_go_on(run)) {
        let before = runs.iter().take(number).enumerate();
        pairs.extend(before.filter(|(_, first)| goes_on(first, later)).map(|(first, _)| (number, first)));
    }
    let is_only_one = |(number, first): &(usize, usize)| {
        pairs.iter().filter(|(other, from)| other == number || from == first).count() == 1
    };
    pairs.iter().filter(|pair| is_only_one(pair)).copied().collect()
}

/// True for rows that begin behind the first step.
fn may_go_on(run: &Run) -> bool {
    let begins = resumed::first_step(run);
    begins.is_finite() && begins > 1.0 && is_only(run, &FORMATS)
}

/// True where `later` begins within `first`, goes on behind its end, and both hold the same numbers of the steps between.
fn goes_on(first: &Run, later: &Run) -> bool {
    let (Some((from, last)), Some((begins, ends))) = (first.step_range(), later.step_range()) else { return false };
    let is_within = from < begins && begins <= last && last < ends;
    is_within && is_only(first, &FORMATS) && agree(first, later, (begins, last))
}

fn agree(first: &Run, later: &Run, (begins, last): (f64, f64)) -> bool {
    let mut equal = 0;
    for (key, column) in &later.columns {
        let known = values_by_step(first, key, begins);
        for (row, value) in column.points().filter(|(row, _)| step(later, *row) <= last) {
            match known.get(&step(later, row).to_bits()) {
                Some(other) if other.to_bits() != value.to_bits() => return false,
                Some(_) => equal += usize::from(value.fract() != 0.0),
                None => {}
            }
        }
    }
    equal >= MIN_EQUAL
}

/// Takes out of `later` what `first` holds of the same steps.
fn drop_repeated(first: &Run, later: &mut Run) {
    let steps = std::mem::take(&mut later.axis.steps);
    for (key, column) in &mut later.columns {
        let known = values_by_step(first, key, steps.first().copied().unwrap_or(f64::NAN));
        let is_new = |row: u32| steps.get(row as usize).is_some_and(|step| !known.contains_key(&step.to_bits()));
        let mut kept = Column::default();
        column.points().filter(|(row, _)| is_new(*row)).for_each(|(row, value)| kept.push(row, value));
        column.quantum().into_iter().for_each(|quantum| kept.set_quantum(quantum));
        if kept.len() < column.len() {
            *column = kept;
        }
    }
    later.axis.steps = steps;
}

/// The values of a metric from a step on, by step; none of a counter or a time.
fn values_by_step(run: &Run, key: &str, begins: f64) -> BTreeMap<u64, f64> {
    let is_count = is_step_name(key) || is_count_name(key) || is_time_name(key);
    let points = run.columns.get(key).filter(|_| !is_count).map(Column::points);
    let by_step = points.into_iter().flatten().map(|(row, value)| (step(run, row), value));
    by_step.filter(|(step, _)| *step >= begins).map(|(step, value)| (step.to_bits(), value)).collect()
}

fn step(run: &Run, row: u32) -> f64 {
    run.axis.steps.get(row as usize).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::SourceFile;

    /// Rows with a reward, and evaluations at every tenth step, the first step among them.
    fn file(path: &str, steps: std::ops::RangeInclusive<u32>, seed: f64) -> Run {
        let mut run = Run::default();
        let first = *steps.start();
        for step in steps {
            let at = f64::from(step);
            let row = run.push_row(at, f64::NAN);
            run.push_value("step", row, at);
            if step > first {
                run.push_value("reward", row, 0.01 * at + seed);
            }
            if step % 10 == 0 {
                ["val/a", "val/b", "val/c"].iter().for_each(|key| run.push_value(key, row, 0.01 * at + 0.003));
            }
        }
        let file = SourceFile { path: path.to_owned(), format: FileFormat::JsonLines, bytes: 1, crc32: 1 };
        run.files.push(file);
        run
    }

    fn rows(runs: Vec<Run>) -> Vec<usize> {
        joined_by_folder(runs, join_folder).iter().map(|run| run.row_steps.len()).collect()
    }

    #[test]
    fn a_file_that_goes_on_at_the_last_evaluation_is_the_same_run() {
        let runs = || vec![file("x/log.jsonl", 40..=60, 0.005), file("x/log_before.jsonl", 0..=40, 0.005)];
        assert_eq!(rows(runs()), [62]);
        let run = joined_by_folder(runs(), join_folder).remove(0);
        assert_eq!(run.series("val/a").map(|series| series.len()), Some(7));
        assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    }

    #[test]
    fn files_of_other_runs_stay_apart() {
        let first = || file("x/a.jsonl", 0..=40, 0.005);
        assert_eq!(rows(vec![first(), file("x/b.jsonl", 0..=60, 0.005)]), [41, 61], "begins again");
        assert_eq!(rows(vec![first(), file("y/b.jsonl", 40..=60, 0.005)]), [41, 21], "another folder");
        assert_eq!(rows(vec![first(), file("x/b.jsonl", 41..=60, 0.005)]), [41, 20], "no step in common");
        // Both went on from the checkpoint of step 30.
        assert_eq!(rows(vec![first(), file("x/b.jsonl", 30..=60, 0.007)]), [41, 31], "other numbers behind it");
        let two = vec![first(), file("x/b.jsonl", 40..=60, 0.005), file("x/c.jsonl", 40..=80, 0.005)];
        assert_eq!(rows(two), [41, 21, 41], "two that go on from one");
    }

    #[test]
    fn a_run_of_three_files_is_one() {
        let three = vec![
            file("x/a.jsonl", 0..=40, 0.005),
            file("x/b.jsonl", 40..=60, 0.005),
            file("x/c.jsonl", 60..=90, 0.005),
        ];
        assert_eq!(rows(three), [93]);
    }
}

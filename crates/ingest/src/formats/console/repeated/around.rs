//! Lines without a counter that belong to the row that they stand before or behind in each repetition.

use std::collections::{BTreeMap, BTreeSet};

use super::{LINES_OF_STEP, Line, LineKind};
use crate::formats::console::labelled::is_reward_statistic;
use crate::rows::metric_words;
use rundown_stats::CompactCollect as _;

/// A line without a counter is part of the rows from one in so many of them on.
const ROWS_PER_LINE: usize = 20;
/// A line of an evaluation, which is made now and then, is part of them from so many on.
const EVALUATIONS: usize = 3;

/// A line comes more than once in one of so many rows at most, and the reward of a batch in one of so many: lines of steps
/// between two of them may be damaged, and no text looks like it by chance.
const AGAIN: usize = 10;
const AGAIN_OF_REWARD: usize = 2;

/// The side of a row's first line on which a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowPosition {
    Before,
    After,
}

/// In how many rows a kind of line came, and in how many of these more than once.
#[derive(Debug, Clone, Default)]
struct Repetitions {
    first: Option<usize>,
    last: Option<usize>,
    /// The last row in which it came again.
    last_again: Option<usize>,
    rows: usize,
    again: usize,
}

impl Repetitions {
    fn add(&mut self, row: usize) {
        self.first.get_or_insert(row);
        if self.last.replace(row) == Some(row) {
            // A validation now and then may print it for each of its batches.
            self.again += usize::from(self.last_again.replace(row) != Some(row));
        } else {
            self.rows += 1;
        }
    }

    fn position(&self) -> Option<RowPosition> {
        self.first.map(|first| if first == 0 { RowPosition::Before } else { RowPosition::After })
    }
}

/// True for lines with the statistics of a batch's reward alone.
fn is_reward_of_batch(kind: &LineKind) -> bool {
    !kind.names.is_empty() && kind.names.iter().all(|name| is_reward_statistic(name))
}

/// Names of metrics that come in many lines of a row, among words that make several kinds of them: `Reward: 0.5 | x = 3` and
/// `Reward: 0.2 | y = 7` are of samples, and any of these kinds may come once in some rows by chance.
fn names_of_samples<'k>(
    kinds: &'k BTreeMap<usize, LineKind>,
    leads: &BTreeSet<usize>,
    rows: usize,
) -> BTreeSet<&'k str> {
    let mut lines: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (_, kind) in kinds.iter().filter(|(number, _)| !leads.contains(number)) {
        for name in kind.names.iter().filter(|name| metric_words::is_metric(name)) {
            let (kinds, count) = lines.entry(name).or_default();
            *kinds += 1;
            *count += kind.lines;
        }
    }
    let are_many = |(kinds, count): &(usize, usize)| *kinds > 1 && *count > LINES_OF_STEP * rows;
    lines.into_iter().filter(|(_, seen)| are_many(seen)).map(|(name, _)| name).compact_collect()
}

/// Where each kind of line without a counter stands in the repetitions, for those that are a part of them.
pub(super) fn around(
    lines: &[Line],
    kinds: &BTreeMap<usize, LineKind>,
    leads: &BTreeSet<usize>,
) -> BTreeMap<usize, RowPosition> {
    let mut seen: BTreeMap<usize, Repetitions> = BTreeMap::new();
    let mut rows = 0;
    for line in lines {
        if leads.contains(&line.kind) {
            rows += 1;
        } else if kinds.contains_key(&line.kind) {
            seen.entry(line.kind).or_default().add(rows);
        }
    }
    let of_samples = names_of_samples(kinds, leads, rows);
    let is_of_sample = |kind: &usize| {
        kinds.get(kind).is_some_and(|kind| kind.names.iter().any(|name| of_samples.contains(name.as_str())))
    };
    let is_of_evaluation = |kind: &usize| kinds.get(kind).is_some_and(LineKind::is_of_evaluation);
    let names_a_score = |kind: &usize| kinds.get(kind).is_some_and(LineKind::names_a_score);
    let is_common = |kind: &usize, seen: &Repetitions| {
        // What stands above the first row and nowhere else is the heading of the log.
        let is_of_rows = seen.last != Some(0) || names_a_score(kind);
        let is_enough = seen.rows * ROWS_PER_LINE >= rows || seen.rows >= EVALUATIONS && is_of_evaluation(kind);
        let again = if kinds.get(kind).is_some_and(is_reward_of_batch) { AGAIN_OF_REWARD } else { AGAIN };
        is_of_rows && is_enough && seen.again * again <= seen.rows && (2 * seen.rows >= rows || !is_of_sample(kind))
    };
    let common = seen.into_iter().filter(|(kind, seen)| is_common(kind, seen));
    common.filter_map(|(kind, seen)| Some((kind, seen.position()?))).compact_collect()
}

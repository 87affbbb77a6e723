//! Lines of text that only look as if they counted steps, such as a model's answer with `**Step 2:** …` in it.

use std::collections::{BTreeMap, BTreeSet};

use super::line_kind::{Counter, LineKind};
use rundown_stats::CompactCollect as _;

/// Kinds of line that come less often than one in so many of the rows are not rows where they name no metric.
const ROWS_PER_LINE: usize = 4;

/// The numbers of the kinds of line whose counter does not go on with that of the rows, and of rare ones that name no metric.
/// `steps` are the lines with the counter: the number of their kind, and the step. None where no kind with the counter names a
/// metric.
pub(super) fn stray(kinds: &BTreeMap<usize, LineKind>, counter: &Counter, steps: &[(usize, f64)]) -> BTreeSet<usize> {
    let with_counter = kinds.iter().filter(|(_, kind)| kind.place_of(counter).is_some());
    let mut rows = None;
    for (number, kind) in with_counter.clone().filter(|(_, kind)| kind.names_a_metric()) {
        if rows.is_none_or(|(_, lines)| kind.lines > lines) {
            rows = Some((*number, kind.lines));
        }
    }
    let Some((row, lines)) = rows else { return BTreeSet::new() };
    let is_rare = |kind: &LineKind| kind.lines * ROWS_PER_LINE < lines && !kind.names_a_metric();
    let others = with_counter.filter(|(number, _)| **number != row);
    let mut others: BTreeMap<usize, InOrder> = others
        .map(|(number, kind)| (*number, InOrder { in_order: 0, lines: 0, is_rare: is_rare(kind) }))
        .compact_collect();
    let mut after = vec![f64::INFINITY; steps.len()];
    let mut next = f64::INFINITY;
    for ((kind, step), after) in steps.iter().zip(&mut after).rev() {
        *after = next;
        next = if *kind == row { *step } else { next };
    }
    let mut before = f64::NEG_INFINITY;
    for ((kind, step), after) in steps.iter().zip(&after) {
        if let Some(seen) = others.get_mut(kind) {
            seen.lines += 1;
            seen.in_order += usize::from((before..=*after).contains(step));
        } else if *kind == row {
            before = *step;
        }
    }
    let is_stray = |seen: &InOrder| seen.is_rare || seen.in_order * 2 < seen.lines;
    others.into_iter().filter(|(_, seen)| is_stray(seen)).map(|(number, _)| number).compact_collect()
}

/// How often the lines of a kind stand in the order of the rows.
struct InOrder {
    in_order: usize,
    lines: usize,
    /// It comes seldom and names no metric.
    is_rare: bool,
}

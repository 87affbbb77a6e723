//! Rows that repeat the values of the row before: a callback that writes what was logged last at each step, though something
//! is logged every ten steps. Taken as measurements, a single high value would be a spike of ten points.
//!
//! Rows that do not change may as well be a policy that is dead. So only runs count whose values change after the same number
//! of rows again and again; and of values that stay for longer one row in that distance is kept.

use super::names::{COARSE_COUNTERS, is_one_of, is_step_name};
use rundown_run::{Run, RunWarning};
use rundown_stats::CompactSort as _;

/// Fewest blocks of equal rows: as many points as a series needs to be a curve.
const MIN_BLOCKS: usize = 10;
/// Fewest rows in a block.
const MIN_LENGTH: usize = 2;
/// Share of the blocks that have the usual length; the first and the last may be cut.
const USUAL_SHARE: f64 = 0.9;

/// Keeps one row of each block of rows that are equal but for their counters, where the blocks have one length.
pub(super) fn keep_first_of_repeated(run: &mut Run) {
    let Some(starts) = starts_of_blocks(run) else { return };
    let rows = run.row_steps.len();
    let ends = starts.iter().skip(1).copied().chain([rows]);
    let lengths: Vec<usize> = starts.iter().zip(ends).map(|(start, end)| end - start).collect();
    let Some(length) = usual_length(&lengths) else { return };
    let kept: Vec<u32> = starts
        .iter()
        .zip(&lengths)
        .flat_map(|(start, block)| {
            // What a block of another length has beyond whole ones is the rest of one.
            let parts = (block + length / 2).checked_div(length).unwrap_or(1).max(1);
            (0..parts).map(move |part| (start + part * length) as u32)
        })
        .collect();
    run.keep_rows(&kept);
    run.warnings.push(RunWarning::RowsRepeated { each: length, kept: kept.len() });
}

/// The length that nearly all blocks have, or a multiple of it.
fn usual_length(lengths: &[usize]) -> Option<usize> {
    let inner = lengths.get(1..lengths.len().saturating_sub(1)).filter(|inner| inner.len() + 2 >= MIN_BLOCKS)?;
    let mut sorted = inner.to_vec();
    sorted.compact_sort_by_key(|length| *length);
    let length = sorted.get(sorted.len() / 2).copied().filter(|length| *length >= MIN_LENGTH)?;
    let usual = inner.iter().filter(|other| **other == length).count();
    (usual as f64 >= USUAL_SHARE * inner.len() as f64).then_some(length)
}

/// The first row of each block; `None` where more than half of the rows begin one, as in nearly every run.
fn starts_of_blocks(run: &Run) -> Option<Vec<usize>> {
    let rows = run.row_steps.len();
    if rows < MIN_BLOCKS * MIN_LENGTH {
        return None;
    }
    let mut is_start = vec![false; rows];
    let mut starts = 0;
    let mut begin = |row: usize, is_start: &mut Vec<bool>| {
        if let Some(is_start) = is_start.get_mut(row).filter(|is_start| !**is_start) {
            *is_start = true;
            starts += 1;
        }
        starts * MIN_LENGTH <= rows + MIN_LENGTH
    };
    begin(0, &mut is_start);
    let is_counter = |key: &str| is_step_name(key) || is_one_of(key, &COARSE_COUNTERS);
    for (_, column) in run.columns.iter().filter(|(key, _)| !is_counter(key)) {
        let mut last: Option<(u32, f64)> = None;
        for (row, value) in column.points() {
            let is_next = last.is_some_and(|(before, _)| before + 1 == row);
            let is_equal = is_next && last.is_some_and(|(_, before)| before.to_bits() == value.to_bits());
            // Where values begin, and where they end.
            let goes_on = is_equal || begin(row as usize, &mut is_start);
            let ended = last.filter(|_| !is_next).is_none_or(|(before, _)| begin(before as usize + 1, &mut is_start));
            if !goes_on || !ended {
                return None;
            }
            last = Some((row, value));
        }
        if last.is_some_and(|(row, _)| !begin(row as usize + 1, &mut is_start)) {
            return None;
        }
    }
    Some(is_start.iter().enumerate().filter(|(_, is_start)| **is_start).map(|(row, _)| row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with these rewards at the steps from 1 on, and a rate that never changes.
    fn kept(rewards: impl Iterator<Item = f64>) -> (Vec<f64>, bool) {
        let mut run = Run::default();
        for (place, reward) in rewards.enumerate() {
            let step = place as f64 + 1.0;
            let row = run.push_row(step, f64::NAN);
            run.push_value("step", row, step);
            run.push_value("learning_rate", row, 1e-5);
            run.push_value("reward", row, reward);
        }
        keep_first_of_repeated(&mut run);
        (run.columns["step"].values().to_vec(), !run.warnings.is_empty())
    }

    #[test]
    fn of_rows_that_are_written_again_and_again_the_first_counts() {
        let (steps, is_warned) = kept((0..120_u32).map(|row| f64::from(row / 10)));
        assert_eq!(steps, (0..12_u32).map(|block| f64::from(10 * block + 1)).collect::<Vec<_>>());
        assert!(is_warned);
        assert_eq!(kept((3..50_u32).map(|row| f64::from(row / 2))).0.len(), 24, "the first block is cut");
    }

    #[test]
    fn what_stays_for_long_is_kept_once_for_each_block() {
        let (steps, _) = kept((0..300_u32).map(|row| f64::from((row / 10).min(14))));
        assert_eq!(steps.len(), 30);
    }

    #[test]
    fn other_rows_stay() {
        let dead = (0..300_u32).map(|row| if row < 40 { f64::from(row) } else { 0.0 });
        assert_eq!(kept(dead).0.len(), 300, "a policy that died");
        assert_eq!(kept((0..300_u32).map(|row| f64::from(row * row % 7 / 4))).0.len(), 300, "blocks of other lengths");
        assert_eq!(kept((0..18_u32).map(|row| f64::from(row / 2))).0.len(), 18, "too few");
        assert_eq!(kept((0..300_u32).map(|_| 0.0)).0.len(), 300);
    }
}

//! Joins a piece to a run: its rows behind or between those of the run, and everything else by [`MergeRules`].

mod merge;

use crate::rows::closing_row::{RUNTIME, joined_runtime};
use rundown_run::{ConfigValue, Run};
use rundown_stats::CompactSort;

use merge::CONTINUATION;
pub(crate) use merge::{SAME_RUN, SECOND_RECORD, SERVER_EXTRAS, SIDECAR};

/// Adds everything of `later` behind what `run` holds. The later piece says how the run ended.
pub(crate) fn append(run: &mut Run, mut later: Run) {
    let first_file = run.files.len();
    run.note_sampling_of(&later);
    let first_row = run.append_rows(&mut later);
    for (key, places) in std::mem::take(&mut later.origins) {
        run.origins.entry(key).or_default().extend(places.into_iter().map(|place| place + first_file));
    }
    for (key, mut histograms) in std::mem::take(&mut later.histograms) {
        histograms.iter_mut().for_each(|histogram| histogram.row = histogram.row.saturating_add(first_row));
        run.histograms.entry(key).or_default().extend(histograms);
    }
    run.tables.extend(later.tables.drain(..).map(|mut table| {
        table.row = table.row.saturating_add(first_row);
        table
    }));
    let runtime = joined_runtime(run, &later);
    CONTINUATION.merge(run, later);
    match runtime {
        Some(Some(seconds)) => run.summary.insert(RUNTIME, ConfigValue::Number(seconds)),
        Some(None) => run.summary.remove(RUNTIME),
        None => {}
    }
}

/// Adds what a run lacks and a file without rows has: settings, final values, metrics of the machine, how it ended.
pub(crate) fn add_missing(run: &mut Run, piece: Run) {
    if !run.has_files_of(&piece) {
        SIDECAR.merge(run, piece);
    }
}

/// Adds the rows of a piece between those of `run`, by the step columns of both.
pub(crate) fn interleave_by_step(run: &mut Run, mut piece: Run) {
    for part in [&mut *run, &mut piece] {
        part.choose_axis();
        part.row_steps.clone_from(&part.axis.steps);
    }
    interleave(run, piece);
}

/// Adds the rows of a piece that holds other metrics between those of `run`, by their steps.
pub(crate) fn interleave(run: &mut Run, piece: Run) {
    let first = run.row_steps.len();
    append(run, piece);
    // Rows that go back belong to a restart: their order says more than their steps.
    let (before, after) = run.row_steps.split_at(first);
    if before.is_sorted() && after.is_sorted() {
        sort_rows(run);
    }
}

/// Sorts the rows of a run by its own counter.
pub(crate) fn sort_rows(run: &mut Run) {
    let mut rows: Vec<(f64, u32)> = run.row_steps.iter().copied().zip(0..).collect();
    if rows.is_sorted_by(|a, b| a.0 <= b.0) {
        return;
    }
    rows.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: Vec<u32> = rows.into_iter().map(|(_, row)| row).collect();
    run.keep_rows(&rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, RowNumbers, SourceFile};

    fn run(key: &str, steps: &[f64]) -> Run {
        let mut run = Run::default();
        for step in steps {
            let row = run.push_row(*step, *step + 0.5);
            run.push_value(key, row, *step * 10.0);
        }
        run
    }

    #[test]
    fn rows_of_other_metrics_come_between() {
        let mut joined = run("a", &[1.0, 3.0, 5.0]);
        interleave(&mut joined, run("b", &[2.0, 3.0]));
        assert_eq!(joined.row_steps, [1.0, 2.0, 3.0, 3.0, 5.0]);
        assert_eq!(joined.row_times[1], 2.5);
        assert_eq!(
            (joined.columns["a"].rows(), joined.columns["b"].rows()),
            (RowNumbers::List(&[0, 2, 4]), RowNumbers::List(&[1, 3]))
        );
        joined.choose_axis();
        assert!(joined.axis.restarts.is_empty());
    }

    #[test]
    fn the_own_step_counter_of_both_pieces_stays_in_order() {
        let mut joined = run("loss", &[0.0, 10.0, 20.0]);
        let mut other = run("reward", &[5.0, 15.0]);
        for piece in [&mut joined, &mut other] {
            for (row, step) in piece.row_steps.clone().into_iter().enumerate() {
                piece.push_value("step", row as u32, step);
            }
        }
        interleave(&mut joined, other);
        joined.choose_axis();
        assert_eq!(
            (joined.columns["step"].rows(), &joined.axis.steps[..]),
            (RowNumbers::List(&[0, 1, 2, 3, 4]), &joined.row_steps[..])
        );
    }

    #[test]
    fn a_later_piece_says_where_its_series_come_from() {
        let file = |path: &str| SourceFile { path: path.into(), format: FileFormat::Unknown, bytes: 0, crc32: 0 };
        let mut first = run("a", &[1.0]);
        first.files.push(file("1"));
        first.note_origins();
        let mut later = run("a", &[2.0]);
        later.push_value("b", 0, 1.0);
        later.files.push(file("2"));
        later.note_origins();
        append(&mut first, later);
        assert_eq!((&first.origins["a"][..], &first.origins["b"][..]), (&[0, 1][..], &[1][..]));
    }
}

//! Tables of samples and histograms of a piece in the run that it is joined to: each goes to the row of its step.

use rundown_run::Run;
use rundown_stats::CompactSort as _;

/// Moves the tables and histograms of a piece to the rows of a run, each to the last row at its step, or before it where the
/// history logs more rarely. Histograms of a metric that the run has some of stay out.
pub(super) fn move_media(run: &mut Run, piece: &mut Run) {
    if piece.tables.is_empty() && piece.histograms.is_empty() {
        return;
    }
    let mut rows: Vec<(f64, u32)> = run.axis.steps.iter().copied().zip(0..).collect();
    rows.compact_sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let steps = if piece.axis.steps.is_empty() { &piece.row_steps } else { &piece.axis.steps };
    let row_of = |row: u32| {
        let step = steps.get(row as usize).copied().unwrap_or(f64::NAN);
        let after = rows.partition_point(|(known, _)| *known <= step);
        after.checked_sub(1).and_then(|place| rows.get(place)).map_or(0, |(_, row)| *row)
    };
    for mut table in piece.tables.drain(..) {
        table.row = row_of(table.row);
        run.tables.push(table);
    }
    for (key, mut histograms) in std::mem::take(&mut piece.histograms) {
        histograms.iter_mut().for_each(|histogram| histogram.row = row_of(histogram.row));
        run.histograms.entry(key).or_insert(histograms);
    }
}

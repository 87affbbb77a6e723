//! The rows of a run in another order, or only some of them.

use super::{Column, Restart, Run};

/// A row that is left out.
const NO_ROW: u32 = u32::MAX;

impl Run {
    /// Keeps these rows, in this order, with everything that is logged at them. Metrics without a row that stays are
    /// gone; rows that the run does not have are ignored.
    pub fn keep_rows(&mut self, rows: &[u32]) {
        let mut places = vec![NO_ROW; self.row_steps.len().max(self.axis.steps.len())];
        for (place, row) in (0_u32..).zip(rows) {
            if let Some(entry) = places.get_mut(*row as usize) {
                *entry = place;
            }
        }
        let place = |row: u32| places.get(row as usize).copied().filter(|place| *place != NO_ROW);
        let pick = |values: &[f64]| rows.iter().filter_map(|row| values.get(*row as usize).copied()).collect();
        self.row_steps = pick(&self.row_steps);
        self.row_times = pick(&self.row_times);
        self.axis.steps = pick(&self.axis.steps);
        let restarts = self.axis.restarts.iter();
        self.axis.restarts = restarts.filter_map(|cut| Some(Restart { row: place(cut.row)?, ..*cut })).collect();
        // What begins with the first row is no second start.
        self.starts_at = self.starts_at.iter().filter_map(|row| place(*row)).filter(|row| *row > 0).collect();
        let bands = self.bands.values_mut().flat_map(|band| [&mut band.low, &mut band.high]);
        for column in self.columns.values_mut().chain(bands) {
            *column = renumbered(column, place);
        }
        self.columns.retain(|_, column| !column.is_empty());
        for histograms in self.histograms.values_mut() {
            histograms.retain_mut(|histogram| renumber(&mut histogram.row, place));
            histograms.sort_by_key(|histogram| histogram.row);
        }
        self.histograms.retain(|_, histograms| !histograms.is_empty());
        self.tables.retain_mut(|table| renumber(&mut table.row, place));
    }
}

/// The points whose row has a new number, by that number.
pub(super) fn renumbered(column: &Column, place: impl Fn(u32) -> Option<u32>) -> Column {
    let mut part = Column::default();
    part.extend_unordered(column.points().filter_map(|(row, value)| Some((place(row)?, value))).collect());
    if let Some(quantum) = column.quantum() {
        part.set_quantum(quantum);
    }
    part
}

/// Gives a row its new number; false for a row that is gone.
fn renumber(row: &mut u32, place: impl Fn(u32) -> Option<u32>) -> bool {
    let found = place(*row);
    *row = found.unwrap_or(*row);
    found.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowNumbers;

    #[test]
    fn points_follow_their_rows_and_stay_in_order() {
        let mut run = Run { starts_at: vec![2], ..Run::default() };
        for step in [0.0, 10.0, 5.0, 15.0] {
            let row = run.push_row(step, step + 0.5);
            run.push_value("step", row, step);
            run.push_value(if row < 2 { "loss" } else { "reward" }, row, step);
        }
        run.columns.get_mut("loss").unwrap().set_quantum(0.01);
        run.keep_rows(&[0, 2, 1, 3]);
        assert_eq!((&run.row_steps[..], run.row_times[1]), (&[0.0, 5.0, 10.0, 15.0][..], 5.5));
        assert_eq!(
            (run.columns["step"].rows(), run.columns["step"].values()),
            (RowNumbers::List(&[0, 1, 2, 3]), &run.row_steps[..])
        );
        assert_eq!(
            (run.columns["loss"].rows(), run.columns["loss"].quantum()),
            (RowNumbers::List(&[0, 2]), Some(0.01))
        );
        assert_eq!(run.starts_at, [1]);
        run.keep_rows(&[1, 9]);
        assert_eq!(
            (run.columns.len(), run.columns["reward"].rows(), run.starts_at.len()),
            (2, RowNumbers::List(&[0]), 0)
        );
    }
}

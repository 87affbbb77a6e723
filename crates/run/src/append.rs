//! The rows of a later piece behind those of a run.

use super::Run;

impl Run {
    /// Moves the rows of `later` behind the run's own: steps, times, starts, columns and bands. Gives the number that its
    /// first row has now.
    pub fn append_rows(&mut self, later: &mut Run) -> u32 {
        let first_row = self.row_steps.len() as u32;
        self.row_steps.append(&mut later.row_steps);
        self.row_times.append(&mut later.row_times);
        self.starts_at.extend(later.starts_at.drain(..).map(|row| row.saturating_add(first_row)));
        for (key, column) in std::mem::take(&mut later.columns) {
            self.columns.entry(key).or_default().append(&column, first_row);
        }
        for (key, band) in std::mem::take(&mut later.bands) {
            let known = self.bands.entry(key).or_default();
            known.low.append(&band.low, first_row);
            known.high.append(&band.high, first_row);
        }
        first_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_rows_and_starts_stand_behind_the_own_ones() {
        let piece = |value: f64| {
            let mut run = Run { starts_at: vec![1], ..Run::default() };
            for step in 0..2_u32 {
                let row = run.push_row(f64::from(step), f64::NAN);
                run.push_value("loss", row, value);
            }
            run
        };
        let (mut run, mut later) = (piece(1.0), piece(2.0));
        assert_eq!(run.append_rows(&mut later), 2);
        assert_eq!((run.row_steps.len(), &run.starts_at[..]), (4, &[1, 3][..]));
        assert_eq!(run.columns["loss"].points().collect::<Vec<_>>(), [(0, 1.0), (1, 1.0), (2, 2.0), (3, 2.0)]);
    }
}

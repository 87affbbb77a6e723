//! A part of a run, as a run: its last steps (what is its health now?), or its first ones (what could be seen then?).

use super::Run;
use super::reorder::renumbered;

impl Run {
    /// The run from the last logged step back over `steps` steps: rows before are gone, everything else stays. The
    /// whole run where it has no more steps than that.
    pub fn tail(&self, steps: f64) -> Run {
        let Some((_, last)) = self.step_range() else { return self.clone() };
        let from = last - steps;
        self.rows_where(|_, step| step > from)
    }

    /// The run up to a step, that one included: later rows are gone, and the machine's metrics behind their last time.
    pub fn until(&self, last: f64) -> Run {
        let mut run = self.rows_where(|_, step| step <= last);
        let end = run.row_times.iter().copied().filter(|time| time.is_finite()).reduce(f64::max);
        if let Some(end) = end {
            let early = |row: u32| self.system_times.get(row as usize).is_some_and(|time| *time <= end);
            for column in run.system.values_mut() {
                *column = renumbered(column, |row| early(row).then_some(row));
            }
            run.system.retain(|_, column| !column.is_empty());
        }
        run
    }

    /// These rows of the run; everything that is not of a row stays.
    pub fn rows(&self, range: std::ops::Range<u32>) -> Run {
        self.rows_where(|row, _| range.contains(&row))
    }

    fn rows_where(&self, stays: impl Fn(u32, f64) -> bool) -> Run {
        let rows = (0..).zip(&self.axis.steps).filter(|(row, step)| stays(*row, **step));
        let mut run = self.clone();
        run.keep_rows(&rows.map(|(row, _)| row).collect::<Vec<u32>>());
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_steps_are_a_run_of_their_own() {
        let mut run = Run::default();
        for step in 0..100_u32 {
            let row = run.push_row(f64::from(step), f64::from(step));
            run.push_value("a", row, f64::from(step));
            if step < 50 {
                run.push_value("early", row, 1.0);
            }
        }
        run.choose_axis();
        let tail = run.tail(10.0);
        let series = tail.series("a").unwrap();
        assert_eq!((series.steps[0], series.values[0], series.len()), (90.0, 90.0, 10));
        assert_eq!(tail.step_range(), Some((90.0, 99.0)));
        assert!(tail.series("early").is_none());
        assert_eq!(run.tail(1e9), run);
        let head = run.until(10.0);
        assert_eq!((head.step_range(), head.series("a").unwrap().len()), (Some((0.0, 10.0)), 11));
        assert_eq!(run.until(1e9), run);
    }
}

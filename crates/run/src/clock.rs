//! Steps for what was logged by the clock: metrics of the machine, and events of the pipeline.

use super::{Run, Series, sort_points};

impl Run {
    /// The series of a metric of [`Run::system`] over the step axis of the run, or `None` when it was never logged.
    ///
    /// Each point stands at the step that the run had reached at its time, evenly between the two rows around it;
    /// before the first and after the last row it stands at their steps. In a run whose rows have no times the steps
    /// are seconds since the first point.
    pub fn system_series(&self, key: &str) -> Option<Series<'_>> {
        let column = self.system.get(key)?;
        let reached = self.reached();
        let mut points: Vec<(f64, f64)> = column
            .points()
            .filter_map(|(row, value)| Some((self.system_times.get(row as usize).copied()?, value)))
            .filter(|(time, _)| time.is_finite())
            .collect();
        sort_points(&mut points);
        let start = points.first().map_or(0.0, |(time, _)| *time);
        let step = |time: f64| if reached.is_empty() { time - start } else { step_at(&reached, time) };
        Some(Series {
            steps: points.iter().map(|(time, _)| step(*time)).collect(),
            values: points.iter().map(|(_, value)| *value).collect(),
            times: points.iter().map(|(time, _)| *time).collect(),
            superseded: 0,
            printed_quantum: column.quantum(),
        })
    }

    /// The step that the run had reached at a time (Unix seconds), as in [`Self::system_series`]; `None` in a run whose
    /// rows have no times.
    pub fn step_at(&self, time: f64) -> Option<f64> {
        let reached = self.reached();
        (!reached.is_empty()).then(|| step_at(&reached, time)).filter(|step| step.is_finite())
    }

    /// Times and steps of the rows, in the order of time.
    fn reached(&self) -> Vec<(f64, f64)> {
        let mut reached: Vec<(f64, f64)> = Vec::with_capacity(self.axis.steps.len());
        for (&time, &step) in self.row_times.iter().zip(&self.axis.steps) {
            // Clocks go back now and then; a later row is never earlier.
            if time.is_finite() && reached.last().is_none_or(|(last, _)| *last <= time) {
                reached.push((time, step));
            }
        }
        reached
    }
}

/// The step reached at `time`, by (time, step) in the order of time.
fn step_at(reached: &[(f64, f64)], time: f64) -> f64 {
    let next = reached.partition_point(|(at, _)| *at <= time);
    let after = reached.get(next).or(reached.last());
    let before = next.checked_sub(1).and_then(|place| reached.get(place)).or(reached.first());
    match (before, after) {
        (Some((from, low)), Some((to, high))) if to > from => {
            low + (high - low) * ((time - from) / (to - from)).clamp(0.0, 1.0)
        }
        (Some((_, step)), _) | (None, Some((_, step))) => *step,
        (None, None) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn a_point_stands_at_the_step_that_the_run_had_reached() {
        let mut run = Run::default();
        for step in [0.0, 10.0, 20.0] {
            run.push_row(step, 100.0 + step);
        }
        run.choose_axis();
        let mut column = Column::default();
        for (row, time) in [90.0, 105.0, 120.0, 500.0].into_iter().enumerate() {
            run.system_times.push(time);
            column.push(row as u32, time);
        }
        run.system.insert("gpu".into(), column);
        assert_eq!(run.system_series("gpu").unwrap().steps[..], [0.0, 5.0, 20.0, 20.0]);
        assert_eq!(run.step_at(105.0), Some(5.0));
        run.row_times = vec![f64::NAN; 3];
        assert_eq!(run.step_at(105.0), None);
        assert_eq!(run.system_series("gpu").unwrap().steps[..], [0.0, 15.0, 30.0, 410.0]);
        assert!(run.system_series("cpu").is_none());
    }
}

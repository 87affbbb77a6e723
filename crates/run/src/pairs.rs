//! Two metrics against each other: their values of the same rows.

use super::{Column, Run, sort_points};

impl Run {
    /// The values of two metrics in each row that has both, `x` ascending and finite; `y` may hold NaN and infinities.
    /// `None` where one of them was never logged, or one belongs to the history and the other to the machine.
    ///
    /// Rows that a restarted run logged again count once, as in [`Run::series`]: the later ones.
    pub fn pairs(&self, x_key: &str, y_key: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let of_history = self.columns.get(x_key).zip(self.columns.get(y_key));
        let shared = match of_history {
            Some((x, y)) => self.without_replaced(shared_rows(x, y)),
            None => shared_rows(self.system.get(x_key)?, self.system.get(y_key)?),
        };
        let mut points: Vec<(f64, f64)> = shared.into_iter().map(|(_, x, y)| (x, y)).collect();
        points.retain(|(x, _)| x.is_finite());
        sort_points(&mut points);
        Some(points.into_iter().unzip())
    }

    /// The points of which no later segment of the run has the step again.
    fn without_replaced(&self, mut points: Vec<(u32, f64, f64)>) -> Vec<(u32, f64, f64)> {
        let step = |row: u32| self.axis.steps.get(row as usize).copied().unwrap_or(f64::NAN);
        // Steps of the segments after the one that is looked at, ascending.
        let mut later: Vec<f64> = Vec::new();
        let mut kept: Vec<(u32, f64, f64)> = Vec::with_capacity(points.len());
        for restart in self.axis.restarts.iter().rev() {
            let segment = points.split_off(points.partition_point(|(row, _, _)| *row < restart.row));
            let is_last = |row: u32| later.binary_search_by(|known| known.total_cmp(&step(row))).is_err();
            kept.extend(segment.iter().filter(|(row, _, _)| is_last(*row)));
            later.extend(segment.iter().map(|(row, _, _)| step(*row)));
            later.sort_by(f64::total_cmp);
        }
        points.retain(|(row, _, _)| later.binary_search_by(|known| known.total_cmp(&step(*row))).is_err());
        points.extend(kept);
        points
    }
}

/// Row and both values of each row that two columns share.
fn shared_rows(x: &Column, y: &Column) -> Vec<(u32, f64, f64)> {
    let mut x = x.points().peekable();
    let mut shared = Vec::new();
    for (row, y) in y.points() {
        while x.next_if(|(other, _)| *other < row).is_some() {}
        if let Some((_, x)) = x.peek().filter(|(other, _)| *other == row) {
            shared.push((row, *x, y));
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_have_both_are_sorted_by_x() {
        let mut run = Run::default();
        for (step, x, y) in [(0.0, Some(3.0), Some(30.0)), (1.0, Some(1.0), None), (2.0, None, Some(5.0))] {
            let row = run.push_row(step, f64::NAN);
            x.into_iter().for_each(|x| run.push_value("x", row, x));
            y.into_iter().for_each(|y| run.push_value("y", row, y));
        }
        for (step, x, y) in [(3.0, 2.0, f64::INFINITY), (4.0, f64::NAN, 1.0)] {
            let row = run.push_row(step, f64::NAN);
            run.push_value("x", row, x);
            run.push_value("y", row, y);
        }
        run.choose_axis();
        assert_eq!(run.pairs("x", "y"), Some((vec![2.0, 3.0], vec![f64::INFINITY, 30.0])));
        assert_eq!(run.pairs("x", "z"), None);
    }

    #[test]
    fn after_a_restart_the_later_row_of_a_step_counts() {
        let mut run = Run::default();
        for (step, y) in [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (2.0, 20.0), (3.0, 30.0)] {
            let row = run.push_row(step, f64::NAN);
            run.push_value("x", row, step * 10.0);
            run.push_value("y", row, y);
        }
        run.choose_axis();
        assert_eq!(run.pairs("x", "y"), Some((vec![10.0, 20.0, 30.0], vec![1.0, 20.0, 30.0])));
    }
}

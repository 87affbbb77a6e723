//! Two metrics against each other: their values of the same rows.

use std::collections::BTreeMap;

use super::{Column, Run};

impl Run {
    /// The values of two metrics in each row that has both, `x` ascending and finite; `y` may hold NaN and infinities.
    /// `None` where one of them was never logged, or one belongs to the history and the other to the machine.
    ///
    /// Rows that a restarted run logged again count once, as in [`Run::series`]: the later ones.
    pub fn pairs(&self, x_key: &str, y_key: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let of_history = self.columns.get(x_key).zip(self.columns.get(y_key));
        let mut points = match of_history {
            Some((x, y)) => self.without_replaced(shared_rows(x, y)),
            None => shared_rows(self.system.get(x_key)?, self.system.get(y_key)?),
        };
        points.retain(|(_, x, _)| x.is_finite());
        points.sort_by(|a, b| a.1.total_cmp(&b.1));
        Some(points.into_iter().map(|(_, x, y)| (x, y)).unzip())
    }

    /// The points of which no later segment of the run has the step again.
    fn without_replaced(&self, mut points: Vec<(u32, f64, f64)>) -> Vec<(u32, f64, f64)> {
        let restarts = &self.axis.restarts;
        if restarts.is_empty() {
            return points;
        }
        let segment = |row: u32| restarts.partition_point(|restart| restart.row <= row);
        let step = |row: u32| self.axis.steps.get(row as usize).map(|step| step.to_bits());
        let mut last: BTreeMap<Option<u64>, usize> = BTreeMap::new();
        for (row, _, _) in &points {
            last.insert(step(*row), segment(*row));
        }
        points.retain(|(row, _, _)| last.get(&step(*row)) == Some(&segment(*row)));
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

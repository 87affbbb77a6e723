//! Whether two runs hold the same, NaN by NaN: what was found out about one then holds for the other.

use super::list;
use super::{Column, Run, StepAxis};

impl Run {
    /// Lets clones from now on hold the same columns as this run, so that they take little memory.
    pub fn share_columns(&mut self) {
        let edges = self.bands.values_mut().flat_map(|band| [&mut band.low, &mut band.high]);
        self.columns.values_mut().chain(self.system.values_mut()).chain(edges).for_each(Column::share);
    }

    /// True when both runs hold the same. Changes neither; it takes their numbers out for a moment.
    pub fn is_same(&mut self, other: &mut Run) -> bool {
        let (own, others) = (Numbers::take(self), Numbers::take(other));
        let is_same = *self == *other && own.is_same(&others);
        own.put_back(self);
        others.put_back(other);
        is_same
    }
}

/// What in a run may be NaN, but for its columns, which are equal NaN by NaN.
struct Numbers {
    row_steps: Vec<f64>,
    row_times: Vec<f64>,
    system_times: Vec<f64>,
    axis: StepAxis,
}

impl Numbers {
    fn take(run: &mut Run) -> Self {
        Self {
            row_steps: std::mem::take(&mut run.row_steps),
            row_times: std::mem::take(&mut run.row_times),
            system_times: std::mem::take(&mut run.system_times),
            axis: std::mem::take(&mut run.axis),
        }
    }

    fn put_back(self, run: &mut Run) {
        let Self { row_steps, row_times, system_times, axis } = self;
        (run.row_steps, run.row_times, run.system_times, run.axis) = (row_steps, row_times, system_times, axis);
    }

    fn is_same(&self, other: &Self) -> bool {
        let lists = [
            (&self.row_steps, &other.row_steps),
            (&self.row_times, &other.row_times),
            (&self.system_times, &other.system_times),
            (&self.axis.steps, &other.axis.steps),
        ];
        self.axis.key == other.axis.key && lists.into_iter().all(|(one, other)| list::is_same(one, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        let mut run = Run { id: "a".to_owned(), ..Run::default() };
        let row = run.push_row(1.0, f64::NAN);
        run.push_value("loss", row, f64::NAN);
        run.choose_axis();
        run
    }

    #[test]
    fn what_is_not_a_number_is_the_same_too() {
        let (mut one, mut other) = (run(), run());
        assert!(one.is_same(&mut other) && one.columns.len() == 1 && !other.axis.steps.is_empty());
        one.share_columns();
        assert!(one.is_same(&mut one.clone()));
        other.push_value("loss", 0, 2.0);
        assert!(!one.is_same(&mut other));
        let mut named = Run { name: "b".to_owned(), ..run() };
        assert!(!one.is_same(&mut named));
    }
}

//! Whether two runs hold the same, NaN by NaN: what was found out about one then holds for the other.

use std::collections::BTreeMap;

use super::list;
use super::{Band, Column, Run, StepAxis};

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

/// What in a run may be NaN.
struct Numbers {
    row_steps: Vec<f64>,
    row_times: Vec<f64>,
    system_times: Vec<f64>,
    columns: BTreeMap<String, Column>,
    system: BTreeMap<String, Column>,
    bands: BTreeMap<String, Band>,
    axis: StepAxis,
}

impl Numbers {
    fn take(run: &mut Run) -> Self {
        Self {
            row_steps: std::mem::take(&mut run.row_steps),
            row_times: std::mem::take(&mut run.row_times),
            system_times: std::mem::take(&mut run.system_times),
            columns: std::mem::take(&mut run.columns),
            system: std::mem::take(&mut run.system),
            bands: std::mem::take(&mut run.bands),
            axis: std::mem::take(&mut run.axis),
        }
    }

    fn put_back(self, run: &mut Run) {
        let Self { row_steps, row_times, system_times, columns, system, bands, axis } = self;
        (run.row_steps, run.row_times, run.system_times) = (row_steps, row_times, system_times);
        (run.columns, run.system, run.bands, run.axis) = (columns, system, bands, axis);
    }

    fn is_same(&self, other: &Self) -> bool {
        let lists = [
            (&self.row_steps, &other.row_steps),
            (&self.row_times, &other.row_times),
            (&self.system_times, &other.system_times),
            (&self.axis.steps, &other.axis.steps),
        ];
        let bands = || self.bands.iter().zip(&other.bands);
        let is_band = |one: &Band, other: &Band| one.low.is_same(&other.low) && one.high.is_same(&other.high);
        self.axis.key == other.axis.key
            && lists.into_iter().all(|(one, other)| list::is_same(one, other))
            && are_columns(&self.columns, &other.columns)
            && are_columns(&self.system, &other.system)
            && self.bands.len() == other.bands.len()
            && bands().all(|((key, one), (other_key, other))| key == other_key && is_band(one, other))
    }
}

fn are_columns(one: &BTreeMap<String, Column>, other: &BTreeMap<String, Column>) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|((key, one), (other_key, other))| key == other_key && one.is_same(other))
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

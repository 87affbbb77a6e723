//! The numbers of an answer, which travel beside its message.

use super::cells::HeatCells;
use rundown_plot::Decimated;
use rundown_protocol::{ArrayIndex, HeatColumns};

/// The arrays of one answer.
#[derive(Default)]
pub struct Arrays {
    /// In the order in which they were added.
    pub all: Vec<Vec<f64>>,
}

impl Arrays {
    /// Adds an array and gives the index by which the message names it.
    pub fn add(&mut self, array: Vec<f64>) -> ArrayIndex {
        self.all.push(array);
        self.all.len() as ArrayIndex - 1
    }

    /// Adds x and y of a line.
    pub fn line(&mut self, line: Decimated) -> (ArrayIndex, ArrayIndex) {
        (self.add(line.x), self.add(line.y))
    }

    /// Adds the columns of a heat map; key, rows and counts are the caller's.
    pub fn columns(&mut self, cells: HeatCells) -> HeatColumns {
        HeatColumns {
            first: self.add(cells.first),
            last: self.add(cells.last),
            from: self.add(cells.from),
            to: self.add(cells.to),
            bins: self.add(cells.bins),
            shares: self.add(cells.shares),
            ..HeatColumns::default()
        }
    }
}

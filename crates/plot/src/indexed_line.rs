//! A line that is looked at again and again: while one zooms, in every frame.

use std::borrow::Cow;
use std::ops::Range;

use super::blocks::{self, Block, Points, Sums};
use super::column_band::{ColumnBand, column_band};
use super::decimate::{Decimated, ascending, decimated};

/// Fewest sums of blocks that stand for points: two for each of the thousand units in which W&B's average counts positions.
const MIN_SUMS: usize = 2_000;

/// The points of a line in ascending order of finite positions, with an index by which it is cut down in a time that depends
/// on the width of the chart and hardly on the number of points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexedLine {
    x: Vec<f64>,
    y: Vec<f64>,
    blocks: Vec<Block>,
}

impl IndexedLine {
    /// The line of these points. Where positions do not ascend or are not finite, they are sorted and the others left out.
    pub fn new(mut x: Vec<f64>, mut y: Vec<f64>) -> Self {
        let len = x.len().min(y.len());
        x.truncate(len);
        y.truncate(len);
        if let (Cow::Owned(sorted_x), Cow::Owned(sorted_y)) = ascending(&x, &y) {
            (x, y) = (sorted_x, sorted_y);
        }
        let blocks = blocks::of(&y);
        Self { x, y, blocks }
    }

    /// Positions.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Values.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// What [`decimate`](super::decimate) gives of it.
    pub fn decimate(&self, window: Option<(f64, f64)>, width_px: u32) -> Decimated {
        decimated(self.points(), window, width_px)
    }

    /// Its band: least and greatest value of each pixel column.
    pub fn column_band(&self, window: Option<(f64, f64)>, width_px: u32) -> Option<ColumnBand> {
        column_band(self.points(), window, width_px)
    }

    /// True for so many points that a line of their sums is drawn the same.
    pub fn is_dense(points: usize) -> bool {
        blocks::expected(points) >= MIN_SUMS
    }

    /// Sums of successive points at these places; each finite point by itself where the whole line is not dense, as the
    /// blocks then are wide beside it.
    pub fn sums(&self, range: Range<usize>) -> Sums {
        let blocks = if Self::is_dense(self.x.len()) { self.blocks.as_slice() } else { &[] };
        blocks::sums(Points { blocks, ..self.points() }, range)
    }

    fn points(&self) -> Points<'_> {
        Points { x: &self.x, y: &self.y, blocks: &self.blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimate;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_cut_down_as_without_an_index(
            y in prop::collection::vec(prop_oneof![30 => (-20..20i32).prop_map(f64::from), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)], 1..900),
            moved in prop::collection::vec(0.0..3.0f64, 900),
            window in prop::option::of((0.0..900.0f64, 0.0..900.0f64)),
            width in 1_u32..40,
        ) {
            let x: Vec<f64> = moved.iter().take(y.len()).scan(0.0, |at, by| { *at += by; Some(*at) }).collect();
            let line = IndexedLine::new(x.clone(), y.clone());
            prop_assert_eq!(format!("{:?}", line.decimate(window, width)), format!("{:?}", decimate(&x, &y, window, width)));
            let band = format!("{:?}", line.column_band(window, width));
            prop_assert_eq!(band, format!("{:?}", column_band(Points { x: &x, y: &y, blocks: &[] }, window, width)));
        }

        #[test]
        fn sums_are_those_of_the_finite_values(
            y in prop::collection::vec(prop_oneof![30 => (-20..20i32).prop_map(f64::from), 1 => Just(f64::NAN)], 1..400),
            from in 0_usize..300,
        ) {
            let x: Vec<f64> = (0..y.len()).map(|place| place as f64).collect();
            let line = IndexedLine::new(x, y.clone());
            let range = from.min(y.len())..y.len();
            let sums = blocks::sums(line.points(), range.clone());
            let finite: Vec<f64> = y[range].iter().copied().filter(|value| value.is_finite()).collect();
            prop_assert_eq!(sums.sums.iter().sum::<f64>(), finite.iter().sum::<f64>());
            prop_assert_eq!(sums.counts.iter().sum::<f64>(), finite.len() as f64);
            prop_assert!(sums.x.is_sorted());
        }
    }

    #[test]
    fn points_without_order_are_sorted() {
        let line = IndexedLine::new(vec![2.0, f64::NAN, 1.0], vec![20.0, 0.0, 10.0, 40.0]);
        assert_eq!((line.x(), line.y()), (&[1.0, 2.0][..], &[10.0, 20.0][..]));
    }

    #[test]
    fn only_of_many_points_there_are_sums() {
        let line = |points: u32| IndexedLine::new((0..points).map(f64::from).collect(), vec![1.0; points as usize]);
        assert_eq!(line(10_000).sums(7..107).counts, [1.0; 100]);
        let sums = line(40_000).sums(7..40_000);
        assert_eq!((sums.x.first(), sums.sums.iter().sum::<f64>()), (Some(&7.0), 39_993.0));
        assert!(sums.x.len() < 3_000);
    }
}

//! The band around a line: least and greatest value of each pixel column.

use super::blocks::Points;
use super::decimate::inside;
use super::stretches::{Columns, Stretch, stretches};

/// A band, as three lists of equal length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnBand {
    /// Ascending positions: the middle of what each column holds.
    pub x: Vec<f64>,
    /// Least values; NaN breaks the band.
    pub low: Vec<f64>,
    /// Greatest values; NaN breaks the band.
    pub high: Vec<f64>,
}

/// The band of points in a window (everything when `None`), for `width_px` pixel columns.
///
/// A non-finite value breaks it between two columns. `None` where no column holds two different values: the line says it
/// all then.
pub(super) fn column_band(points: Points<'_>, window: Option<(f64, f64)>, width_px: u32) -> Option<ColumnBand> {
    let range = inside(points.x, window);
    let columns = Columns::of(points.x.get(range.clone())?, window, width_px);
    let mut band = ColumnBand::default();
    stretches(points, range, &columns, |stretch| match stretch {
        Stretch::Column(extremes) => {
            if let Some((first, last)) = points.x.get(extremes.first).zip(points.x.get(extremes.last)) {
                band.push(first + (last - first) / 2.0, extremes.low_value, extremes.high_value);
            }
        }
        Stretch::Break(position) => band.push(position, f64::NAN, f64::NAN),
        Stretch::NonFinite(..) => {}
    });
    band.low.iter().zip(&band.high).any(|(low, high)| low < high).then_some(band)
}

impl ColumnBand {
    fn push(&mut self, x: f64, low: f64, high: f64) {
        self.x.push(x);
        self.low.push(low);
        self.high.push(high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn band_of(x: &[f64], y: &[f64], window: Option<(f64, f64)>, width_px: u32) -> Option<ColumnBand> {
        column_band(Points { x, y, blocks: &[] }, window, width_px)
    }

    #[test]
    fn each_column_has_its_least_and_greatest_value() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let y = [1.0, 3.0, 2.0, 2.0, f64::NAN, 5.0, 0.0, 9.0];
        // Four columns: 0 and 1; 2 and 3; 4 (NaN) and 5; 6 and 7.
        let band = band_of(&x, &y, Some((0.0, 8.0)), 4).unwrap();
        assert_eq!((&band.x[..2], &band.x[3..]), (&[0.5, 2.5][..], &[5.0, 6.5][..]));
        assert!(band.x[2] == 4.0 && band.low[2].is_nan() && band.high[2].is_nan(), "{band:?}");
        assert_eq!((band.low[0], band.high[0], band.low[1], band.high[1]), (1.0, 3.0, 2.0, 2.0));
        assert_eq!((band.low[4], band.high[4]), (0.0, 9.0));
        let part = band_of(&x, &y, Some((6.0, 8.0)), 1).unwrap();
        assert_eq!((part.x, part.low, part.high), (vec![6.5], vec![0.0], vec![9.0]));
    }

    #[test]
    fn a_column_may_stand_between_two_breaks() {
        let band = band_of(&[0.0, 1.0, 2.0, 3.0], &[f64::NAN, 0.0, 5.0, f64::NAN], None, 1).unwrap();
        assert_eq!(band.x.len(), 3);
        assert_eq!((band.low[1], band.high[1]), (0.0, 5.0));
    }

    #[test]
    fn there_is_none_where_the_line_says_it_all() {
        assert_eq!(band_of(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0], None, 600), None);
        assert_eq!(band_of(&[0.0, 0.1, 2.0], &[1.0, 1.0, 3.0], None, 2), None);
        assert_eq!(band_of(&[], &[], None, 600), None);
    }

    proptest! {
        #[test]
        fn it_holds_every_finite_value(
            y in prop::collection::vec(prop_oneof![9 => -1e3..1e3f64, 1 => Just(f64::NAN)], 1..400),
            width in 1_u32..60,
        ) {
            let x: Vec<f64> = (0..y.len()).map(|place| place as f64).collect();
            let Some(band) = band_of(&x, &y, None, width) else { return Ok(()) };
            prop_assert!(band.x.is_sorted() && band.x.len() == band.low.len() && band.x.len() == band.high.len());
            // A break before each column, and one behind the last.
            prop_assert!(band.x.len() <= 2 * width as usize + 1);
            let ends = |values: &[f64], pick: fn(f64, f64) -> f64| {
                values.iter().copied().filter(|value| value.is_finite()).reduce(pick)
            };
            prop_assert_eq!(ends(&band.low, f64::min), ends(&y, f64::min));
            prop_assert_eq!(ends(&band.high, f64::max), ends(&y, f64::max));
        }
    }
}

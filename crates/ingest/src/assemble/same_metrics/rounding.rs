//! How printed numbers were rounded, as far as the numbers show it: those of two files are compared as the coarser one has them.

use rundown_run::Column;

/// Digits behind the point that numbers are rounded to, at most, for the rounding to be seen in them.
const MAX_DIGITS: i32 = 6;

/// How the values of one of two columns are rounded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rounding {
    /// Half of a unit of the last digit, which numbers may differ by.
    pub(super) half_unit: f64,
    /// True where values go from row to row by so much that other ones would hardly be rounded to the same.
    pub(super) tells: bool,
}

impl Rounding {
    /// The coarser one of two columns.
    pub(super) fn of(one: &Column, other: &Column) -> Self {
        let unit = [one, other].into_iter().filter_map(unit_of).fold(0.0, f64::max);
        let moves = |column: &Column| {
            let pairs = column.values().iter().zip(column.values().iter().skip(1));
            let (sum, count) = pairs
                .map(|(value, next)| (next - value).abs())
                .filter(|change| change.is_finite())
                .fold((0.0, 0_u32), |(sum, count), change| (sum + change, count + 1));
            sum > 2.0 * unit * f64::from(count)
        };
        Rounding { half_unit: unit * 0.51, tells: moves(one) && moves(other) }
    }
}

/// The unit of the last digit that values were rounded to, as far as the values show it.
fn unit_of(column: &Column) -> Option<f64> {
    let units = (0..=MAX_DIGITS).map(|digits| (0..digits).fold(1.0, |unit, _| unit / 10.0));
    let is_multiple = |value: f64, unit: f64| {
        let units = value / unit;
        !value.is_finite() || (units - units.round()).abs() <= 1e-9 * units.abs().max(1.0)
    };
    units.into_iter().find(|unit| column.values().iter().all(|value| is_multiple(*value, *unit)))
}

//! From a value to a place along an axis and back, linear or logarithmic.

use super::{Range, Tick, linear_ticks, log_ticks};

/// Decades shown below the top when a logarithmic axis reaches down to zero.
const DECADES_WITHOUT_FLOOR: f64 = 1e-6;

/// A range with a scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    range: Range,
    /// Base-10 logarithms of the ends, for a logarithmic axis.
    logs: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis.
    pub fn linear(range: Range) -> Self {
        Self { range, logs: None }
    }

    /// A base-10 logarithmic axis. A range that reaches zero or below is cut to six decades below its high end; one
    /// without a positive value falls back to a linear axis.
    pub fn logarithmic(range: Range) -> Self {
        let low = if range.low() > 0.0 { range.low() } else { range.high() * DECADES_WITHOUT_FLOOR };
        if low <= 0.0 {
            return Self::linear(range);
        }
        let Some(range) = Range::new(low, range.high()).filter(|range| range.low() > 0.0) else {
            return Self::linear(range);
        };
        Self { range, logs: Some((libm::log10(range.low()), libm::log10(range.high()))) }
    }

    /// The range that it covers.
    pub fn range(self) -> Range {
        self.range
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end. NaN when it has no place: NaN itself, or a value of
    /// zero or below on a logarithmic axis.
    pub fn fraction(self, value: f64) -> f64 {
        match self.logs {
            None => self.range.fraction(value),
            Some(_) if value <= 0.0 => f64::NAN,
            Some((low, high)) => (libm::log10(value) - low) / (high - low),
        }
    }

    /// The value at a fraction of the axis.
    pub fn value_at(self, fraction: f64) -> f64 {
        match self.logs {
            None => self.range.value_at(fraction),
            Some((low, high)) => libm::exp((low + (high - low) * fraction) * std::f64::consts::LN_10),
        }
    }

    /// Marks, at most about `most`.
    pub fn ticks(self, most: usize) -> Vec<Tick> {
        match self.logs {
            None => linear_ticks(self.range, most),
            Some(_) => log_ticks(self.range, most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_spaces_decades_evenly() {
        let axis = Axis::logarithmic(Range::new(0.01, 100.0).unwrap());
        assert!((axis.fraction(1.0) - 0.5).abs() < 1e-12);
        assert!((axis.value_at(0.25) - 0.1).abs() < 1e-12);
        assert!(axis.fraction(0.0).is_nan() && axis.fraction(-1.0).is_nan());
    }

    #[test]
    fn a_logarithmic_axis_without_positive_values_is_linear() {
        let range = Range::new(-3.0, -1.0).unwrap();
        assert_eq!(Axis::logarithmic(range), Axis::linear(range));
        let cut = Axis::logarithmic(Range::new(-3.0, 10.0).unwrap());
        assert!((cut.range().low() - 1e-5).abs() < 1e-15);
    }
}

//! From a value to a place along an axis and back: linear, logarithmic, or logarithmic on both sides of zero.

use super::symlog::{symlog, symlog_inverse, symlog_ticks, symlog_unit};
use super::{Range, Tick, linear_ticks, log_ticks};
use rundown_content::Scale;

/// Decades shown below the top when a logarithmic axis reaches down to zero.
const DECADES_WITHOUT_FLOOR: f64 = 1e-6;

/// A range with a scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    range: Range,
    scale: Scaled,
}

/// How values are spaced, with the ends of the range in that space.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scaled {
    Linear,
    /// Base-10 logarithms.
    Log(f64, f64),
    /// Of values in this unit.
    Symlog(f64, (f64, f64)),
}

impl Axis {
    /// An axis with this scale.
    pub fn new(scale: Scale, range: Range) -> Self {
        match scale {
            Scale::Linear => Self::linear(range),
            Scale::Log => Self::logarithmic(range),
            Scale::Symlog => Self::symlog(range),
        }
    }

    /// A linear axis.
    pub fn linear(range: Range) -> Self {
        Self { range, scale: Scaled::Linear }
    }

    /// An axis that is logarithmic on both sides of zero, for three decades below its farthest end, and linear around
    /// zero.
    pub fn symlog(range: Range) -> Self {
        let unit = symlog_unit(range);
        let ends = (symlog(range.low(), unit), symlog(range.high(), unit));
        if ends.1 - ends.0 > 0.0 { Self { range, scale: Scaled::Symlog(unit, ends) } } else { Self::linear(range) }
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
        Self { range, scale: Scaled::Log(libm::log10(range.low()), libm::log10(range.high())) }
    }

    /// The range that it covers.
    pub fn range(self) -> Range {
        self.range
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end. NaN when it has no place: NaN itself, or a value of
    /// zero or below on a logarithmic axis.
    pub fn fraction(self, value: f64) -> f64 {
        match self.scale {
            Scaled::Linear => self.range.fraction(value),
            Scaled::Log(..) if value <= 0.0 => f64::NAN,
            Scaled::Log(low, high) => (libm::log10(value) - low) / (high - low),
            Scaled::Symlog(unit, (low, high)) => (symlog(value, unit) - low) / (high - low),
        }
    }

    /// The value at a fraction of the axis.
    pub fn value_at(self, fraction: f64) -> f64 {
        match self.scale {
            Scaled::Linear => self.range.value_at(fraction),
            Scaled::Log(low, high) => libm::exp((low + (high - low) * fraction) * std::f64::consts::LN_10),
            Scaled::Symlog(unit, (low, high)) => symlog_inverse(low + (high - low) * fraction, unit),
        }
    }

    /// Marks, at most about `most`.
    pub fn ticks(self, most: usize) -> Vec<Tick> {
        match self.scale {
            Scaled::Linear => linear_ticks(self.range, most),
            Scaled::Log(..) => log_ticks(self.range, most),
            Scaled::Symlog(unit, _) => symlog_ticks(self.range, unit, most),
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
    fn a_symmetric_axis_has_a_place_for_every_value_and_finds_it_back() {
        let axis = Axis::symlog(Range::new(-1000.0, 1000.0).unwrap());
        assert!((axis.fraction(0.0) - 0.5).abs() < 1e-12);
        assert!(axis.fraction(100.0) - axis.fraction(10.0) > 0.1, "decades are apart");
        for value in [-1000.0, -3.5, 0.0, 1e-3, 20.0, 999.0] {
            assert!((axis.value_at(axis.fraction(value)) - value).abs() < 1e-9 * 1000.0, "{value}");
        }
        assert!(axis.ticks(5).iter().any(|tick| tick.value == 0.0));
    }

    #[test]
    fn a_logarithmic_axis_without_positive_values_is_linear() {
        let range = Range::new(-3.0, -1.0).unwrap();
        assert_eq!(Axis::logarithmic(range), Axis::linear(range));
        let cut = Axis::logarithmic(Range::new(-3.0, 10.0).unwrap());
        assert!((cut.range().low() - 1e-5).abs() < 1e-15);
    }
}

//! The only way to make an axis. An axis with an infinite or empty range makes plotting code hang or panic, so a
//! [`Range`] can't be made from one.

/// Ends beyond this are cut: the span of a range stays finite, and so does every sum made with it.
const LARGEST: f64 = 1e300;
/// Magnitudes below this count as zero: their reciprocals stay finite.
const SMALLEST: f64 = 1e-300;
/// A span below this fraction of the larger end is rounding noise: f64 has 2.2e-16, and ticks need some hundreds
/// of different values within the span.
const RESOLUTION: f64 = 1e-12;

/// An interval with finite ends, the low one clearly below the high one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// The interval between two finite values, in either order; a constant is padded so that it lies in the
    /// middle. `None` when an end is NaN or infinite.
    pub fn new(a: f64, b: f64) -> Option<Self> {
        if !a.is_finite() || !b.is_finite() {
            return None;
        }
        let (a, b) = (clamp_magnitude(a), clamp_magnitude(b));
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let magnitude = low.abs().max(high.abs());
        if high - low > magnitude * RESOLUTION {
            return Some(Self { low, high });
        }
        let pad = if magnitude == 0.0 { 1.0 } else { magnitude * 0.1 };
        Some(Self { low: low - pad, high: high + pad })
    }

    /// The smallest range that holds every finite one of `values`. `None` when there is none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut ends: Option<(f64, f64)> = None;
        for value in values.into_iter().filter(|value| value.is_finite()) {
            ends = Some(match ends {
                None => (value, value),
                Some((low, high)) => (low.min(value), high.max(value)),
            });
        }
        ends.and_then(|(low, high)| Self::new(low, high))
    }

    /// 0 to 1: what an axis without data shows.
    pub const fn unit() -> Self {
        Self { low: 0.0, high: 1.0 }
    }

    /// Low end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// High end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// High end minus low end: finite and above zero.
    pub fn span(self) -> f64 {
        self.high - self.low
    }

    /// True when `value` lies within, ends included.
    pub fn contains(self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end, beyond outside. NaN for NaN.
    pub fn fraction(self, value: f64) -> f64 {
        (value - self.low) / self.span()
    }

    /// The value at a fraction of the span: the inverse of [`Range::fraction`].
    pub fn value_at(self, fraction: f64) -> f64 {
        self.low + self.span() * fraction
    }

    /// The range with `fraction` of its span added on both sides.
    pub fn padded(self, fraction: f64) -> Self {
        let pad = self.span() * fraction.max(0.0);
        Self::new(self.low - pad, self.high + pad).unwrap_or(self)
    }

    /// The range as a y axis shows it: some room above and below, and zero as its foot where zero is near. Room alone
    /// never makes a range of positive values reach below zero.
    pub fn framed(self) -> Self {
        let padded = self.padded(0.05);
        let low = match self.low {
            low if low >= 0.0 && low <= self.high * 0.4 => 0.0,
            low if low >= 0.0 => padded.low.max(0.0),
            _ => padded.low,
        };
        let high = if self.high <= 0.0 { padded.high.min(0.0) } else { padded.high };
        Self::new(low, high).unwrap_or(self)
    }

    /// The range as a logarithmic y axis shows it. Unchanged when it is not positive.
    pub fn framed_log(self) -> Self {
        if self.low <= 0.0 {
            return self;
        }
        let factor = libm::exp(libm::log10(self.high / self.low) * (0.05 * std::f64::consts::LN_10));
        Self::new(self.low / factor, self.high * factor).unwrap_or(self)
    }

    /// The smallest range that holds both.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The ends as a pair, low first.
    pub fn ends(self) -> (f64, f64) {
        (self.low, self.high)
    }
}

fn clamp_magnitude(value: f64) -> f64 {
    if value.abs() < SMALLEST { 0.0 } else { value.clamp(-LARGEST, LARGEST) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_come_in_order() {
        assert_eq!(Range::new(3.0, -1.0).unwrap().ends(), (-1.0, 3.0));
    }

    #[test]
    fn a_constant_lies_in_the_middle_of_its_range() {
        for value in [0.0, 1.0, -7.5, 1e-320, 5e-324, 1e-12, 1e300, -1.7e308] {
            let range = Range::new(value, value).unwrap();
            assert!(range.span() > 0.0 && range.span().is_finite(), "{value} {range:?}");
            let middle = range.fraction(value.clamp(-1e300, 1e300));
            assert!((middle - 0.5).abs() < 1e-9, "{value} {range:?} {middle}");
        }
    }

    #[test]
    fn a_frame_has_air_and_a_foot() {
        let framed = |low, high| Range::new(low, high).unwrap().framed().ends();
        assert_eq!(framed(0.2, 3.0), (0.0, 3.0 + 2.8 * 0.05));
        assert_eq!(framed(0.0, 1.0), (0.0, 1.05));
        assert_eq!(framed(90.0, 100.0), (89.5, 100.5));
        assert_eq!(framed(-4.0, -2.0), (-4.1, -1.9));
        assert_eq!(framed(-4.0, 0.0), (-4.2, 0.0));
        let log = Range::new(1.0, 1e20).unwrap().framed_log();
        assert!((log.low() - 0.1).abs() < 1e-9 && (log.high() / 1e21 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_range_without_finite_ends_does_not_exist() {
        assert_eq!(Range::new(f64::NAN, 1.0), None);
        assert_eq!(Range::new(0.0, f64::INFINITY), None);
        assert_eq!(Range::of([f64::NAN, f64::NEG_INFINITY]), None);
        assert_eq!(Range::of([]), None);
        assert_eq!(Range::of([f64::NAN, 2.0, f64::INFINITY, 1.0]).unwrap().ends(), (1.0, 2.0));
    }

    proptest! {
        #[test]
        fn any_two_numbers_make_a_sound_range_or_none(a: f64, b: f64) {
            let Some(range) = Range::new(a, b) else {
                prop_assert!(!a.is_finite() || !b.is_finite());
                return Ok(());
            };
            prop_assert!(range.low().is_finite() && range.high().is_finite());
            prop_assert!(range.span().is_finite() && range.span() > 0.0);
            prop_assert!((1.0 / range.span()).is_finite());
            prop_assert!(range.low() < range.high());
        }
    }
}

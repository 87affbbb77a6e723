//! The symmetric logarithm: logarithmic on both sides of zero and linear around it, so that rewards from −1,000 to 1,000
//! and those near zero are seen at once (Webber, "A bi-symmetric log transformation for wide-range data", 2013).

use super::ticks::decade_label;
use super::{Range, Tick};
use crate::ticks::power_of_ten;

/// Decades below the farthest end of the range in which values are spaced by their logarithm.
const DECADES: f64 = 3.0;

/// Where a value lies on the symmetric logarithmic scale; `unit` is about where it becomes linear.
pub(super) fn symlog(value: f64, unit: f64) -> f64 {
    libm::log1p(value.abs() / unit).copysign(value)
}

/// The value at a place of that scale.
pub(super) fn symlog_inverse(place: f64, unit: f64) -> f64 {
    (libm::expm1(place.abs()) * unit).copysign(place)
}

/// The unit for a range: a power of ten.
pub(super) fn symlog_unit(range: Range) -> f64 {
    let farthest = range.low().abs().max(range.high().abs()).max(f64::MIN_POSITIVE);
    power_of_ten((libm::floor(libm::log10(farthest)) - DECADES + 1.0) as i32)
}

/// Zero and powers of ten on both sides, at most about `most`.
pub(super) fn symlog_ticks(range: Range, unit: f64, most: usize) -> Vec<Tick> {
    let first = libm::round(libm::log10(unit)) as i32;
    let decades = 0..=DECADES as i32 + 1;
    let all: Vec<f64> = decades.map(|decade| power_of_ten(first.saturating_add(decade))).collect();
    let sides = usize::from(range.low() < 0.0) + usize::from(range.high() > 0.0);
    let stride = (all.len() * sides).div_ceil(most.max(1)).max(1);
    // The largest ones matter most: counted from the top.
    let chosen: Vec<f64> = all.iter().rev().step_by(stride).copied().collect();
    let below = chosen.iter().map(|value| -value);
    let above = chosen.iter().rev().copied();
    let values = below.chain([0.0]).chain(above).filter(|value| range.contains(*value));
    values.map(|value| Tick { value, label: label(value) }).collect()
}

fn label(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if value < 0.0 => format!("−{}", decade_label(-value)),
        value => decade_label(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_stand_on_both_sides_of_zero() {
        let range = Range::new(-1000.0, 1000.0).unwrap();
        let values: Vec<f64> = symlog_ticks(range, symlog_unit(range), 10).iter().map(|tick| tick.value).collect();
        assert_eq!(values, [-1000.0, -100.0, -10.0, 0.0, 10.0, 100.0, 1000.0]);
        let few: Vec<f64> = symlog_ticks(range, symlog_unit(range), 4).iter().map(|tick| tick.value).collect();
        assert!(few.len() <= 5 && few.contains(&0.0), "{few:?}");
        let positive = Range::new(0.0, 5.0).unwrap();
        assert!(symlog_ticks(positive, symlog_unit(positive), 6).iter().all(|tick| tick.value >= 0.0));
    }

    proptest! {
        #[test]
        fn a_value_is_found_back(value in -1e9..1e9f64, exponent in -6..6i32) {
            let unit = power_of_ten(exponent);
            let back = symlog_inverse(symlog(value, unit), unit);
            prop_assert!((back - value).abs() <= value.abs() * 1e-9 + 1e-12, "{value} {back}");
        }
    }
}

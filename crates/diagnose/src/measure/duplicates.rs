//! Whether a series is long and varied enough to be recognised in another metric: two measured series never agree to the
//! last digit, but a metric that is logged under the name of another does.

/// Fewest different values among them: a saturated reward agrees with every other one.
const DIFFERENT: usize = 10;

/// True for a series that is long and varied enough to be known again, of `fewest` points at least.
pub(crate) fn is_telling(values: &[f64], fewest: f64) -> bool {
    let mut different: Vec<u64> = Vec::with_capacity(DIFFERENT);
    let mut points = 0_u32;
    for value in values.iter().filter(|value| value.is_finite()) {
        points += 1;
        if different.len() < DIFFERENT {
            let value = rounded(*value);
            if !different.contains(&value) {
                different.push(value);
            }
        } else if f64::from(points) >= fewest {
            return true;
        }
    }
    f64::from(points) >= fewest && different.len() >= DIFFERENT
}

/// The bits of a value that is rounded to six digits; all NaN alike.
fn rounded(value: f64) -> u64 {
    if value == 0.0 || !value.is_finite() {
        return if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() };
    }
    // Powers of two: they are exact, so that rounding to 20 bits is the same everywhere.
    let (part, power) = libm::frexp(value);
    libm::ldexp(libm::round(libm::ldexp(part, 20)), power - 20).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_beyond_the_sixth_do_not_count() {
        assert_eq!(rounded(0.123_456_78), rounded(0.123_456_79));
        assert_ne!(rounded(0.123_45), rounded(0.123_46));
        assert_eq!(rounded(0.0), rounded(-0.0));
    }
}

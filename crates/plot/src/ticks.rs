//! Where an axis has its marks and what they say: round numbers, as few digits as tell them apart.

use super::{Range, clamped};
use rundown_format::{elapsed, fixed, power};

/// More marks than this are never useful; asking for more gives this many.
const MAX_TICKS: usize = 50;

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where it stands.
    pub value: f64,
    /// What it says.
    pub label: String,
}

/// Round values (1, 2, 2.5, 4 or 5 times a power of ten) within `range`, at most about `most` of them.
pub fn linear_ticks(range: Range, most: usize) -> Vec<Tick> {
    let Some(step) = nice_step(range.span(), most) else { return Vec::new() };
    let values = multiples(range, step, most);
    let unit = Unit::of(range, step);
    values.into_iter().map(|value| Tick { value, label: unit.label(value) }).collect()
}

/// Powers of ten within a positive `range`, with 2 and 5 times them when there are few, at most about `most`.
/// A range that spans less than a decade, or that reaches zero, gets linear marks.
pub fn log_ticks(range: Range, most: usize) -> Vec<Tick> {
    let most = most.clamp(1, MAX_TICKS);
    if range.low() <= 0.0 {
        return linear_ticks(range, most);
    }
    let first = libm::floor(libm::log10(range.low())) as i32;
    let last = libm::ceil(libm::log10(range.high())) as i32;
    let decades = usize::try_from(last.saturating_sub(first)).unwrap_or(0).max(1);
    let factors: &[f64] = match decades * 3 {
        dense if dense <= most => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let stride = i32::try_from(decades.div_ceil(most)).unwrap_or(1).max(1);
    let start = first.div_euclid(stride).saturating_mul(stride);
    let mut ticks = Vec::new();
    let mut exponent = start;
    while exponent <= last {
        for factor in factors {
            let value = power_of_ten(exponent) * factor;
            if range.contains(value) && ticks.len() < MAX_TICKS {
                ticks.push(Tick { value, label: decade_label(value) });
            }
        }
        exponent = exponent.saturating_add(stride);
    }
    if ticks.len() < 2 { linear_ticks(range, most) } else { ticks }
}

/// Marks for an axis of seconds: 1, 2, 5, 10, 15 or 30 seconds or minutes, whole hours, days.
pub fn duration_ticks(range: Range, most: usize) -> Vec<Tick> {
    const STEPS: [f64; 17] = [
        1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 10_800.0,
        21_600.0, 43_200.0,
    ];
    let most = most.clamp(1, MAX_TICKS);
    let wanted = range.span() / most as f64;
    let step = if wanted <= 0.5 {
        nice_step(range.span(), most)
    } else if let Some(step) = STEPS.into_iter().find(|step| *step >= wanted) {
        Some(step)
    } else {
        nice_step(range.span() / 86_400.0, most).map(|days| days.max(1.0) * 86_400.0)
    };
    let Some(step) = step else { return Vec::new() };
    multiples(range, step, most).into_iter().map(|value| Tick { value, label: elapsed(value) }).collect()
}

/// The smallest of 1, 2, 2.5, 4, 5 times a power of ten that fits into `span` at most `most` times.
fn nice_step(span: f64, most: usize) -> Option<f64> {
    let wanted = span / most.clamp(1, MAX_TICKS) as f64;
    if !(wanted.is_finite() && wanted > 0.0) {
        return None;
    }
    let power = power_of_ten(libm::floor(libm::log10(wanted)) as i32);
    // The last candidate also catches a logarithm that was rounded down.
    [1.0, 2.0, 2.5, 4.0, 5.0, 10.0, 20.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= wanted * (1.0 - 1e-9))
}

/// Multiples of `step` within `range`. Each is computed from its number, so that errors don't add up.
fn multiples(range: Range, step: f64, most: usize) -> Vec<f64> {
    let slack = 1e-9;
    let first = libm::ceil(range.low() / step - slack);
    let last = libm::floor(range.high() / step + slack);
    if !(first.is_finite() && last.is_finite()) {
        return Vec::new();
    }
    let count = clamped(last - first + 1.0, 0.0, (most.clamp(1, MAX_TICKS) + 1) as f64) as u32;
    (0..count)
        .map(|number| {
            let value = (first + f64::from(number)) * step;
            if value.abs() < step * 1e-6 && range.contains(0.0) {
                0.0
            } else {
                clamped(value, range.low(), range.high())
            }
        })
        .collect()
}

/// 10 to the power of `exponent`, the nearest f64; zero or infinity where f64 ends.
pub(crate) fn power_of_ten(exponent: i32) -> f64 {
    // Through decimal text: exact, as a power function is not.
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// How all labels of one axis are written: one unit and one number of decimals, so that they can be compared.
enum Unit {
    Fixed { decimals: usize },
    Scaled { divisor: f64, suffix: &'static str, decimals: usize },
    Scientific { digits: usize },
}

impl Unit {
    fn of(range: Range, step: f64) -> Self {
        let largest = range.low().abs().max(range.high().abs());
        // From the leading digit of the largest label to the last digit of the step.
        let digits = (libm::floor(libm::log10(largest)) - last_place(step) + 1.0).clamp(1.0, 16.0) as usize;
        if !(1e-3..1e10).contains(&largest) {
            return Unit::Scientific { digits };
        }
        let (divisor, suffix) = match largest {
            large if large >= 1e9 => (1e9, "B"),
            large if large >= 1e6 => (1e6, "M"),
            large if large >= 1e4 => (1e3, "k"),
            _ => return Unit::Fixed { decimals: decimals_of(step) },
        };
        Unit::Scaled { divisor, suffix, decimals: decimals_of(step / divisor) }
    }

    fn label(&self, value: f64) -> String {
        match *self {
            _ if value == 0.0 => "0".into(),
            Unit::Fixed { decimals } => fixed(value, decimals),
            Unit::Scaled { divisor, suffix, decimals } => format!("{}{suffix}", fixed(value / divisor, decimals)),
            Unit::Scientific { digits } => power(value, digits),
        }
    }
}

/// Decimals that a multiple of `step` needs.
fn decimals_of(step: f64) -> usize {
    (-last_place(step)).clamp(0.0, 12.0) as usize
}

/// Power of ten of the last digit of a nice step: 1 for 20, 0 for 25, -1 for 2.5.
fn last_place(step: f64) -> f64 {
    let log = libm::log10(step) + 1e-9;
    let place = libm::floor(log);
    // Only 2.5 has a second digit; its logarithm is 0.398.
    let fraction = log - place;
    if (0.39..0.41).contains(&fraction) { place - 1.0 } else { place }
}

/// A power of ten, or 2 or 5 times one.
pub(super) fn decade_label(value: f64) -> String {
    match value {
        value if value < 1e-3 => power(value, 1),
        value if value < 1e4 => fixed(value, 3),
        value if value < 1e6 => format!("{}k", fixed(value / 1e3, 0)),
        value if value < 1e9 => format!("{}M", fixed(value / 1e6, 0)),
        value => power(value, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    fn linear(low: f64, high: f64, most: usize) -> Vec<String> {
        labels(linear_ticks(Range::new(low, high).unwrap(), most))
    }

    #[test]
    fn labels_are_round_and_short() {
        assert_eq!(linear(0.0, 160.0, 5), ["0", "40", "80", "120", "160"]);
        assert_eq!(linear(0.0, 7.6, 4), ["0", "2", "4", "6"]);
        assert_eq!(linear(0.0, 9.9, 4), ["0", "2.5", "5", "7.5"]);
        assert_eq!(linear(0.0, 90_000.0, 4), ["0", "25k", "50k", "75k"]);
        assert_eq!(linear(0.0, 3.4, 4), ["0", "1", "2", "3"]);
        assert_eq!(linear(-0.12, 0.12, 5), ["−0.1", "−0.05", "0", "0.05", "0.1"]);
        assert_eq!(linear(0.0, 9e-5, 4), ["0", "2.5e-5", "5e-5", "7.5e-5"]);
        assert_eq!(linear(0.0, 1e-5, 3), ["0", "4e-6", "8e-6"]);
        assert_eq!(linear(9.5e-6, 1.05e-5, 2), ["9.5e-6", "1e-5", "1.05e-5"]);
        assert_eq!(linear(0.0, 166_650.0, 4), ["0", "50k", "100k", "150k"]);
        assert_eq!(linear(0.0, 3e6, 3), ["0", "1M", "2M", "3M"]);
        assert_eq!(linear(8000.0, 9000.0, 2), ["8000", "8500", "9000"]);
        assert_eq!(linear(0.0, 0.0066, 4), ["0", "0.002", "0.004", "0.006"]);
        assert_eq!(linear(0.0, 0.02, 4), ["0", "0.005", "0.01", "0.015", "0.02"]);
    }

    #[test]
    fn a_narrow_range_far_from_zero_keeps_labels_apart() {
        let all = linear(1_000_000.0, 1_000_001.0, 5);
        let mut different = all.clone();
        different.dedup();
        assert_eq!(all, different);
    }

    #[test]
    fn logarithmic_marks_are_decades() {
        let of = |low, high, most| labels(log_ticks(Range::new(low, high).unwrap(), most));
        assert_eq!(of(1e-5, 1.0, 6), ["1e-5", "1e-4", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(of(1.0, 100.0, 8), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(of(1e-12, 1e12, 5), ["1e-10", "1e-5", "1", "100k", "1e10"]);
        assert_eq!(of(2.2, 3.4, 4), ["2.4", "2.8", "3.2"]);
    }

    #[test]
    fn durations_use_clock_steps() {
        let of = |high, most| labels(duration_ticks(Range::new(0.0, high).unwrap(), most));
        assert_eq!(of(90.0, 4), ["0", "30s", "1m", "1m 30s"]);
        assert_eq!(of(5400.0, 3), ["0", "30m", "1h", "1h 30m"]);
        assert_eq!(of(86_400.0 * 3.0, 3), ["0", "1d", "2d", "3d"]);
        assert_eq!(of(1.0, 2), ["0", "0.5s", "1s"]);
    }

    proptest! {
        #[test]
        fn marks_of_any_range_are_few_ascending_and_within(a: f64, b: f64, most in 0_usize..2000) {
            let Some(range) = Range::new(a, b) else { return Ok(()) };
            for ticks in [linear_ticks(range, most), log_ticks(range, most), duration_ticks(range, most)] {
                prop_assert!(ticks.len() <= MAX_TICKS + 1);
                prop_assert!(ticks.iter().all(|tick| range.contains(tick.value) && tick.label.len() < 40));
                prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value), "{ticks:?}");
            }
        }

        #[test]
        fn an_ordinary_range_has_marks(low in -1e6..1e6f64, span in 1e-3..1e6f64) {
            let range = Range::new(low, low + span).unwrap();
            prop_assert!(linear_ticks(range, 5).len() >= 2);
        }
    }
}

//! Numbers with their unit: shares, sizes, durations.

use super::number::{number, unsigned_zero};

/// A number and its unit: `0.21 nats/token`. A plain number has an empty unit, and a share one such as `of the groups`: `35 % of the groups`.
pub fn quantity(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{} {unit}", magnitude(value, unit)) }
}

/// The number of a quantity without its unit; a share has its sign: `0.21`, `35 %`.
pub fn magnitude(value: f64, unit: &str) -> String {
    let is_share = unit.starts_with("of ") && value.is_finite();
    if is_share { number(value * 100.0) + " %" } else { number(value) }
}

/// A share as a whole percentage: `80 %`.
pub fn percent(share: f64) -> String {
    percent_to(share, 0)
}

/// A share as a percentage with this many decimals: `97.5 %`.
pub fn percent_to(share: f64, decimals: usize) -> String {
    if !share.is_finite() {
        return number(share);
    }
    unsigned_zero(format!("{:.decimals$}", share * 100.0)) + " %"
}

/// A large count, as of tokens: `1.152 billion`, `794.7 million`; smaller ones in full.
pub fn large_count(count: f64) -> String {
    match count.abs() {
        1e9..1e12 => format!("{} billion", number(count / 1e9)),
        1e6..1e9 => format!("{} million", number(count / 1e6)),
        _ => number(count.round()),
    }
}

/// A value with half of its 95 % interval, both to the digits that the interval leaves: `1540 ± 24`. Without one, the
/// value alone.
pub fn plus_minus(value: f64, half: f64) -> String {
    if !(half.is_finite() && half > 0.0 && value.is_finite()) {
        return number(value);
    }
    let decade = libm::floor(libm::log10(half));
    if !(-6.0..7.0).contains(&decade) || value.abs() >= 1e9 {
        return format!("{} ± {}", number(value), number(half));
    }
    let decimals = (1.0 - decade).clamp(0.0, 7.0) as usize;
    let value = unsigned_zero(format!("{value:.decimals$}"));
    format!("{value} ± {half:.decimals$}")
}

/// Bytes as people count them: `1.2 MB`, powers of ten.
pub fn bytes(count: u64) -> String {
    let (size, unit) = match count {
        0..1_000 => return format!("{count} B"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{} {unit}", (count as f64 / size * 10.0).round() / 10.0)
}

/// A measured duration, given in seconds, in the unit that suits it: `41 s`, `7.5 min`, `12.25 h`. For a time axis see
/// [`elapsed`](super::elapsed).
pub fn duration(seconds: f64) -> String {
    match seconds.abs() {
        size if size < 120.0 => format!("{} s", number(hundredths(seconds))),
        size if size < 7_200.0 => format!("{} min", number(hundredths(seconds / 60.0))),
        _ => format!("{} h", number(hundredths(seconds / 3_600.0))),
    }
}

/// Rounded to two decimals, which are enough for times and money unless there is very little of them.
pub fn hundredths(value: f64) -> f64 {
    if value.abs() < 0.1 { value } else { (100.0 * value).round() / 100.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_their_number() {
        assert_eq!(quantity(0.2, "nats/token"), "0.2 nats/token");
        assert_eq!(quantity(3.0, ""), "3");
        assert_eq!(quantity(0.3031, "of the gain"), "30.31 % of the gain");
        assert_eq!(quantity(f64::NAN, "of the gain"), "NaN of the gain");
        assert_eq!([magnitude(0.8, "of the groups"), magnitude(0.8, "SE")], ["80 %", "0.8"]);
        assert_eq!(percent(0.8), "80 %");
        assert_eq!(percent_to(0.975, 1), "97.5 %");
        assert_eq!(percent(f64::NAN), "NaN");
        assert_eq!([-0.004, -0.0, -0.006].map(percent), ["0 %", "0 %", "-1 %"]);
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_474_560), "1.5 MB");
        assert_eq!(bytes(34_000_000_000), "34 GB");
    }

    #[test]
    fn large_counts_are_words() {
        let texts = [1.152e9, 794_716_050.0, 195_873.4, 12.4, f64::NAN].map(large_count);
        assert_eq!(texts, ["1.152 billion", "794.7 million", "195873", "12", "NaN"]);
    }

    #[test]
    fn an_interval_decides_on_the_digits() {
        for (value, half, text) in [
            (1540.3, 24.2, "1540 ± 24"),
            (0.301_84, 0.002_2, "0.3018 ± 0.0022"),
            (6.98, 0.31, "6.98 ± 0.31"),
            (-0.0004, 0.05, "0.000 ± 0.050"),
            (-0.0006, 0.05, "-0.001 ± 0.050"),
            (0.5, f64::NAN, "0.5"),
            (0.5, 0.0, "0.5"),
            (1e300, 1e290, "1e300 ± 1e290"),
        ] {
            assert_eq!(plus_minus(value, half), text);
        }
    }

    #[test]
    fn durations_have_a_fitting_unit() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (0.041_47, "0.04147 s"),
            (24.5736, "24.57 s"),
            (1800.0, "30 min"),
            (3949.2, "65.82 min"),
            (44_442.0, "12.35 h"),
            (f64::NAN, "NaN h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}

//! Numbers as words and as small drawings.

use std::cmp::Ordering;

use super::listing::order;
use crate::plot::{digits, scientific};

/// A number with about three significant digits, such as `0.98`, `153` or `1.2e-5`; a dash for none.
pub fn short(value: f64) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".to_owned() } else { "−∞".to_owned() };
    }
    let size = value.abs();
    let text = if size == 0.0 {
        digits(size, 2)
    } else if !(0.001..1e5).contains(&size) {
        scientific(size, 2)
    } else if size < 0.01 {
        digits(size, 4)
    } else if size < 10.0 {
        digits(size, 2)
    } else if size < 100.0 {
        digits(size, 1)
    } else {
        digits(size, 0)
    };
    if value < 0.0 { format!("−{text}") } else { text }
}

/// A step as people write it: no decimals unless it has some.
pub fn step(value: f64) -> String {
    let rounded = value.round();
    if (value - rounded).abs() < 1e-9 && rounded.abs() < 1e15 {
        return grouped(rounded);
    }
    short(value)
}

/// `1 run`, `27 runs`, `1,204 files`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as f64), if number == 1 { one } else { many })
}

/// Bytes in the unit that gives few digits.
pub fn bytes(number: u64) -> String {
    let (value, unit) = match number {
        0..1_000 => return format!("{number} B"),
        1_000..1_000_000 => (number as f64 / 1e3, "kB"),
        1_000_000..1_000_000_000 => (number as f64 / 1e6, "MB"),
        _ => (number as f64 / 1e9, "GB"),
    };
    format!("{} {unit}", digits(value, usize::from(value < 10.0)))
}

/// A name for a file: letters, digits, dots and dashes, at most 80 of them.
pub fn file_name(words: &str) -> String {
    let mut name = String::new();
    for character in words.chars().take(80) {
        if character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-') {
            name.push(character);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "runs".to_owned() } else { name.to_owned() }
}

/// The range that all sparklines of a list share. One run in twenty may leave it, so that a run that blew up does not
/// flatten all others: what is beyond is drawn at the edge.
pub fn spark_range<'a>(sparks: impl Iterator<Item = &'a [f32]>) -> (f32, f32) {
    let mut lows = Vec::new();
    let mut highs = Vec::new();
    for spark in sparks {
        let finite = || spark.iter().copied().filter(|value| value.is_finite());
        if let (Some(low), Some(high)) = (finite().reduce(f32::min), finite().reduce(f32::max)) {
            lows.push(low);
            highs.push(high);
        }
    }
    let trim = lows.len() / 20;
    let nth = |values: &[f32], place: usize| {
        let order = order(values.len(), &|a, b| compare(values, a, b));
        order.get(place).and_then(|place| values.get(*place)).copied()
    };
    let low = nth(&lows, trim).unwrap_or(0.0);
    let high = nth(&highs, highs.len().saturating_sub(1 + trim)).unwrap_or(1.0);
    (low, high)
}

fn compare(values: &[f32], a: usize, b: usize) -> Ordering {
    let value = |place: usize| values.get(place).copied().unwrap_or_default();
    value(a).total_cmp(&value(b))
}

/// An SVG path through the values in a box of the given size; a gap at each value that is not finite.
pub fn spark_path(values: &[f32], (low, high): (f32, f32), width: f32, height: f32) -> String {
    let span = if high > low { high - low } else { 1.0 };
    let base = if high > low { 0.0 } else { 0.5 };
    let pace = width / values.len().saturating_sub(1).max(1) as f32;
    let mut path = String::new();
    let mut pen_down = false;
    for (index, value) in values.iter().enumerate() {
        if !value.is_finite() {
            pen_down = false;
            continue;
        }
        let y = height * (1.0 - (base + (value - low) / span).clamp(0.0, 1.0));
        // A point alone becomes a dot: a line of no length with round ends.
        let command = if pen_down { "L" } else { "M" };
        let tenths = |value: f32| digits(f64::from(value), 1);
        path.push_str(&format!("{command}{} {}", tenths(index as f32 * pace), tenths(y)));
        if !pen_down {
            path.push_str("h0");
        }
        pen_down = true;
    }
    path
}

fn grouped(value: f64) -> String {
    let digits = digits(value, 0);
    let mut text = String::new();
    if value < 0.0 {
        text.push('−');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_short() {
        let cases = [
            (0.0, "0.00"),
            (0.984, "0.98"),
            (-0.31, "−0.31"),
            (0.00271, "0.0027"),
            (1.24e-5, "1.2e-5"),
            (-1.24e-5, "−1.2e-5"),
            (15.27, "15.3"),
            (153.4, "153"),
            (2.5e6, "2.5e6"),
            (f64::NAN, "–"),
            (f64::NEG_INFINITY, "−∞"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn steps_and_counts_are_whole() {
        assert_eq!(step(160.0), "160");
        assert_eq!(step(12_500.0), "12,500");
        assert_eq!(step(1_250_000.0), "1,250,000");
        assert_eq!(step(0.5), "0.50");
        assert_eq!(step(f64::NAN), "–");
        assert_eq!(count(1, "run", "runs"), "1 run");
        assert_eq!(count(0, "run", "runs"), "0 runs");
    }

    #[test]
    fn bytes_have_a_unit() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500), "1.5 kB");
        assert_eq!(bytes(34_567_890), "35 MB");
        assert_eq!(bytes(u64::MAX), "18446744074 GB");
    }

    #[test]
    fn file_names_hold_no_path() {
        assert_eq!(file_name("amber-18"), "amber-18");
        assert_eq!(file_name("../a b/c"), "a-b-c");
        assert_eq!(file_name("···"), "runs");
        assert_eq!(file_name(""), "runs");
        assert!(file_name(&"x".repeat(300)).len() <= 80);
    }

    #[test]
    fn a_sparkline_breaks_at_gaps_and_stays_in_its_box() {
        let values = [0.0, 1.0, f32::NAN, 0.5, f32::INFINITY, 9.0];
        assert_eq!(spark_path(&values, (0.0, 1.0), 50.0, 10.0), "M0.0 10.0h0L10.0 0.0M30.0 5.0h0M50.0 0.0h0");
        assert_eq!(spark_path(&[], (0.0, 1.0), 50.0, 10.0), "");
    }

    #[test]
    fn a_constant_run_is_a_line_in_the_middle() {
        let values = [2.0f32, 2.0];
        let range = spark_range([&values[..]].into_iter());
        assert_eq!(spark_path(&values, range, 10.0, 10.0), "M0.0 5.0h0L10.0 5.0");
    }

    #[test]
    fn one_run_in_twenty_may_leave_the_range() {
        let mut runs: Vec<Vec<f32>> = vec![vec![0.25, f32::NAN, 0.75]; 39];
        runs.push(vec![-1e30, 1e30]);
        assert_eq!(spark_range(runs.iter().map(Vec::as_slice)), (0.25, 0.75));
        assert_eq!(spark_range(std::iter::empty()), (0.0, 1.0));
        assert_eq!(spark_range([&[f32::NAN][..]].into_iter()), (0.0, 1.0));
    }
}

//! Changes in words: a percentage as long as one says something, else how many times as much, or the difference.

use super::number::is_zero;
use super::rich_text::{RichText, Span, number, percent, tabular, tabular_percent};
use crate::rich;

/// A change of so many times its start is a multiple in words: `67 times` says more than `+6555.6 %`.
const LARGE_CHANGE: f64 = 9.0;

/// A change for a table: its percentage with a sign, `+12.5 %`, or from ten times as much on `67 times`. `share` is the change
/// as a share of its start, and `None` where that misleads, as from a start that is not told from 0: then the difference.
pub fn tabular_change(share: Option<f64>, difference: f64) -> RichText {
    match share {
        Some(share) if share.abs() >= LARGE_CHANGE => rich!("{} times", times(share)),
        Some(share) => signed(share, tabular_percent(share)),
        None => signed(difference, tabular(difference)),
    }
}

/// How much something grew, for a sentence with "by": `35 %`, or from ten times as much on `a factor of 67`.
pub fn growth_in_words(share: f64) -> RichText {
    if share >= LARGE_CHANGE { rich!("a factor of {}", times(share)) } else { percent(share).into() }
}

/// What is now in parts of what was at the start, which has the same sign.
fn times(share: f64) -> Span {
    number(1.0 + share.abs())
}

/// A number with its sign, unless it is zero as it is written.
fn signed(value: f64, written: Span) -> RichText {
    let sign = if value > 0.0 && !is_zero(&written.plain()) { "+" } else { "" };
    rich!("{}{}", sign, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_change_is_a_multiple_and_one_without_a_start_a_difference() {
        let shares =
            [0.125, -0.4, 0.0, 8.99, 9.0, 65.556, -99.0].map(|share| tabular_change(Some(share), 1.0).to_string());
        assert_eq!(shares, ["+12.5 %", "-40.0 %", "0.0 %", "+899.0 %", "10 times", "66.6 times", "100 times"]);
        let unchanged = [-0.0002, 0.0002].map(|share| tabular_change(Some(share), share).to_string());
        assert_eq!(unchanged, ["0.0 %", "0.0 %"], "no sign on what rounds to zero");
        let differences = [0.1275, -2.0, 0.0].map(|difference| tabular_change(None, difference).to_string());
        assert_eq!(differences, ["+0.1275", "-2", "0"]);
        assert_eq!([0.35, 12.0].map(|share| growth_in_words(share).to_string()), ["35 %", "a factor of 13"]);
    }
}

//! Runs against one of them: by how much, by how many percent, and whether that is more than noise.

use super::RunOutcome;

/// A 99 % interval in halves of a 95 % one: the leading run was picked among all for its level, so its lead has to be
/// clearer.
pub(super) const Z_99_OVER_Z_95: f64 = 2.576 / 1.96;

/// Half of the last of four significant digits of 9.999, as a share of it: a smaller difference is within the rounding of
/// any number that is shown with four digits.
const ROUNDED_AWAY: f64 = 0.5e-4;

/// True for two levels that differ by less than what rounding to four digits hides: a difference of 1e-8, of numbers that
/// one source rounded to single precision and another did not, is no lead.
pub fn is_shown_alike(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDED_AWAY * one.abs().max(other.abs())
}

/// True for a lead that is beyond its error, of which half of the 95 % interval is given: the 99 % interval decides.
pub fn is_sure(lead: f64, half: f64) -> bool {
    lead > Z_99_OVER_Z_95 * half
}

/// Half of the interval of a difference, from those of both sides: errors of independent numbers add up in squares.
pub fn of_both(one: f64, other: f64) -> f64 {
    (one * one + other * other).sqrt()
}

/// Whether the better one of two outcomes leads beyond its error; `None` where that of one is not known.
pub fn is_sure_lead(one: &RunOutcome, other: &RunOutcome) -> Option<bool> {
    Some(is_sure((one.level - other.level).abs(), half_of_difference(one, other)?))
}

/// Half of the 95 % interval of a difference on the side of zero: intervals of shares are longer on one side, and what
/// counts are the sides that face each other (Newcombe 1998, method 10).
fn half_of_difference(one: &RunOutcome, other: &RunOutcome) -> Option<f64> {
    let (low, high) = if one.level < other.level { (one, other) } else { (other, one) };
    Some(of_both(low.interval?.1 - low.level, high.level - high.interval?.0))
}

/// A run's level against the baseline's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The run's level at the end minus the baseline's.
    pub absolute: f64,
    /// The difference as a share of the baseline, 0.1 for 10 % above it; `None` where that would mislead: a baseline of
    /// zero or not told from zero, values of different sign, or a share that is not finite.
    pub relative: Option<f64>,
    /// True when the 95 % interval of the difference leaves zero out; `None` where one has none.
    pub is_beyond_noise: Option<bool>,
}

/// One outcome against another; `None` when a level is not finite.
pub fn difference(value: &RunOutcome, baseline: &RunOutcome) -> Option<Difference> {
    let absolute = value.level - baseline.level;
    if !absolute.is_finite() {
        return None;
    }
    Some(Difference {
        absolute,
        relative: relative(value.level, baseline),
        is_beyond_noise: half_of_difference(value, baseline).map(|half| absolute.abs() > half),
    })
}

fn relative(value: f64, baseline: &RunOutcome) -> Option<f64> {
    let base = baseline.level;
    let is_zero = base == 0.0 || baseline.interval.is_some_and(|(low, high)| low < 0.0 && high > 0.0);
    let is_turned = value != 0.0 && (value > 0.0) != (base > 0.0);
    if is_zero || is_turned {
        return None;
    }
    Some((value - base) / base.abs()).filter(|share| share.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRun;
    use crate::{Metric, RunSummary, outcome};

    fn against(value: &[f64], base: &[f64]) -> Difference {
        let summary = |values: &[f64]| RunSummary::of(0, TestRun::new("a").reward("r", values).diagnosed());
        let (value, base) = (summary(value), summary(base));
        let metric = Metric::chosen(&[&base], "r", None);
        difference(&outcome(&value, &metric).unwrap(), &outcome(&base, &metric).unwrap()).unwrap()
    }

    #[test]
    fn percent_with_sign() {
        let up = against(&[0.6; 12], &[0.5; 12]);
        assert!((up.relative.unwrap() - 0.2).abs() < 1e-9 && up.is_beyond_noise.is_none(), "no error is known");
        let noisy = |level: f64| [level - 0.01, level + 0.01].repeat(6);
        assert_eq!(against(&noisy(0.6), &noisy(0.5)).is_beyond_noise, Some(true));
        assert_eq!(against(&noisy(0.5), &noisy(0.5)).is_beyond_noise, Some(false));
        let negative = against(&[-0.6; 12], &[-0.5; 12]);
        assert!((negative.relative.unwrap() + 0.2).abs() < 1e-9);
        let same = against(&[0.5; 12], &[0.5; 12]);
        assert_eq!((same.absolute, same.is_beyond_noise), (0.0, None));
    }

    #[test]
    fn what_no_digit_shows_is_no_difference() {
        for (one, other) in [(0.925, 0.925_000_011_9), (-0.925, -0.925_01), (0.0, 0.0), (9999.0, 9999.4)] {
            assert!(is_shown_alike(one, other) && is_shown_alike(other, one), "{one} {other}");
        }
        for (one, other) in [(0.925, 0.9251), (1e-9, 0.0), (1e-8, -1e-8), (f64::NAN, 0.0)] {
            assert!(!is_shown_alike(one, other) && !is_shown_alike(other, one), "{one} {other}");
        }
    }

    #[test]
    fn a_lead_beyond_its_error_is_sure() {
        assert!(is_sure(14.0, 10.0) && !is_sure(12.0, 10.0) && !is_sure(f64::NAN, 1.0));
        let of = |level: f64, interval| RunOutcome { last: level, level, interval, best: None };
        // Of 10 of 10 tasks against 7 of 10, the sides that face each other are the long ones.
        let (all, most) = (of(1.0, Some((0.72, 1.0))), of(0.7, Some((0.40, 0.89))));
        assert!((half_of_difference(&all, &most).unwrap() - 0.338).abs() < 0.001);
        assert_eq!(difference(&all, &most).and_then(|found| found.is_beyond_noise), Some(false));
        assert_eq!(is_sure_lead(&all, &most), is_sure_lead(&most, &all));
        assert_eq!(is_sure_lead(&all, &of(0.7, None)), None);
        assert_eq!(is_sure_lead(&of(0.9, Some((0.8, 1.0))), &of(0.5, Some((0.4, 0.6)))), Some(true));
    }

    #[test]
    fn no_percent_that_misleads() {
        assert_eq!(against(&[0.5; 12], &[0.0; 12]).relative, None);
        assert_eq!(against(&[0.5; 12], &[-0.5; 12]).relative, None);
        assert_eq!(against(&[0.0; 12], &[0.5; 12]).relative, Some(-1.0));
        let unsure = [0.1, -0.1, 0.11, -0.09].repeat(4);
        assert_eq!(against(&[0.5; 12], &unsure).relative, None);
        assert_eq!(against(&[1e300; 2], &[1e-300; 2]).relative, None);
        assert_eq!(against(&[1.0, 1.0], &[1.0, 1.0]).is_beyond_noise, None);
    }
}

//! A change of level seen while it happens: a cumulative sum forgets what is normal and remembers what is not, and its
//! verdict on a prefix never changes afterwards.

use super::autocorrelation::effective_size;
use super::describe::{mad_sigma, median, std_dev};

/// Which way a level may leave its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Only a rise alarms.
    Up,
    /// Only a fall alarms.
    Down,
    /// Both do.
    Both,
}

/// When a cumulative sum alarms (Page 1954), in standard deviations of the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CusumRule {
    /// What each value may deviate for nothing (k): half of the shift to be found quickly.
    pub slack: f64,
    /// The sum of excess deviations that alarms (h).
    pub limit: f64,
    /// Which way.
    pub side: Side,
}

impl Default for CusumRule {
    /// k = 0.5 and h = 5 on both sides, the textbook choice: on independent normal values a false alarm every 465
    /// values, and a shift of one standard deviation found after 10 ([`average_run_length`]).
    fn default() -> Self {
        Self { slack: 0.5, limit: 5.0, side: Side::Both }
    }
}

/// A sum that passed its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CusumAlarm {
    /// Index of the value that raised the alarm.
    pub index: usize,
    /// Index of the first value since the sum was last zero: the usual estimate of where the change began.
    pub onset: usize,
    /// Whether the level rose.
    pub rising: bool,
}

/// The sums of one series, fed one value at a time.
#[derive(Debug, Clone)]
pub struct Cusum {
    rule: CusumRule,
    mean: f64,
    sigma: f64,
    seen: usize,
    up: Arm,
    down: Arm,
}

/// One side's sum.
#[derive(Debug, Clone, Copy, Default)]
struct Arm {
    sum: f64,
    onset: usize,
}

impl Arm {
    /// Adds an excess; the onset when the limit was passed, after which the sum starts again.
    fn add(&mut self, excess: f64, index: usize, limit: f64) -> Option<usize> {
        if self.sum <= 0.0 {
            self.onset = index;
        }
        self.sum = (self.sum + excess).max(0.0);
        if self.sum <= limit {
            return None;
        }
        self.sum = 0.0;
        Some(self.onset)
    }
}

impl Cusum {
    /// Sums against a known baseline. `None` unless `sigma` > 0 and both are finite.
    pub fn new(rule: CusumRule, mean: f64, sigma: f64) -> Option<Self> {
        if !(mean.is_finite() && sigma.is_finite() && sigma > 0.0) {
            return None;
        }
        Some(Self { rule, mean, sigma, seen: 0, up: Arm::default(), down: Arm::default() })
    }

    /// Sums against the baseline of `values`: their median, and their robust standard deviation times
    /// sqrt(n / effective n), because on autocorrelated values the textbook limits alarm every few points.
    ///
    /// A mean from n values is itself off by sigma / sqrt(n): give it 30 and more, or allow a larger slack. `None` with
    /// fewer than eight values or without any spread.
    pub fn from_baseline(rule: CusumRule, values: &[f64]) -> Option<Self> {
        if values.len() < 8 {
            return None;
        }
        let robust = mad_sigma(values)?;
        let sigma = if robust > 0.0 { robust } else { std_dev(values)? };
        let inflation = (values.len() as f64 / effective_size(values).max(1.0)).sqrt();
        Self::new(rule, median(values)?, sigma * inflation)
    }

    /// Takes the next value; says when it raised an alarm, after which that side starts again from zero. A value that
    /// is not finite counts as a place but changes nothing.
    pub fn update(&mut self, value: f64) -> Option<CusumAlarm> {
        let index = self.seen;
        self.seen += 1;
        if !value.is_finite() {
            return None;
        }
        let deviation = (value - self.mean) / self.sigma;
        let CusumRule { slack, limit, side } = self.rule;
        let rise = if side == Side::Down { None } else { self.up.add(deviation - slack, index, limit) };
        let fall = if side == Side::Up { None } else { self.down.add(-deviation - slack, index, limit) };
        let onset = rise.or(fall)?;
        Some(CusumAlarm { index, onset, rising: rise.is_some() })
    }
}

/// All alarms of a whole series against a known baseline; none without a spread.
pub fn cusum(y: &[f64], rule: CusumRule, mean: f64, sigma: f64) -> Vec<CusumAlarm> {
    let Some(mut sums) = Cusum::new(rule, mean, sigma) else { return Vec::new() };
    y.iter().filter_map(|value| sums.update(*value)).collect()
}

/// Values until an alarm, on average, when the level has shifted by `shift` standard deviations; 0 gives the spacing of
/// false alarms. Siegmund's approximation (1985), within 3 %, for independent normal values.
///
/// Autocorrelation shortens it much: with lag-1 0.9 and an uncorrected sigma the textbook rule alarms every 20 values.
pub fn average_run_length(rule: CusumRule, shift: f64) -> f64 {
    let (up, down) = (one_sided(rule, shift), one_sided(rule, -shift));
    match rule.side {
        Side::Up => up,
        Side::Down => down,
        Side::Both => 1.0 / (1.0 / up + 1.0 / down),
    }
}

fn one_sided(rule: CusumRule, shift: f64) -> f64 {
    let drift = shift - rule.slack;
    // A sum can't stop exactly at its limit: 1.166 is the mean overshoot of both ends.
    let height = rule.limit + 1.166;
    if drift.abs() < 1e-6 {
        return height * height;
    }
    (libm::exp(-2.0 * drift * height) + 2.0 * drift * height - 1.0) / (2.0 * drift * drift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::{ar1, white};
    use proptest::prelude::*;

    #[test]
    fn the_textbook_run_lengths() {
        // Montgomery, Introduction to Statistical Quality Control, table 9.3: 465 and 10.4.
        assert!((average_run_length(CusumRule::default(), 0.0) - 465.0).abs() < 10.0);
        assert!((average_run_length(CusumRule::default(), 1.0) - 10.4).abs() < 0.3);
        let up = CusumRule { side: Side::Up, ..CusumRule::default() };
        assert!((average_run_length(up, 0.0) / 930.0 - 1.0).abs() < 0.03);
        assert!(average_run_length(up, 0.5).is_finite());
    }

    #[test]
    fn false_alarms_come_as_rarely_as_promised() {
        let alarms = cusum(&white(1, 200_000), CusumRule::default(), 0.0, 1.0).len();
        let spacing = 200_000.0 / alarms as f64;
        assert!((spacing / 465.0 - 1.0).abs() < 0.2, "{spacing}");
    }

    #[test]
    fn a_shift_is_found_soon_and_dated() {
        let y: Vec<f64> = white(2, 300)
            .iter()
            .enumerate()
            .map(|(place, value)| value + if place < 200 { 0.0 } else { 2.0 })
            .collect();
        let mut sums = Cusum::from_baseline(CusumRule::default(), &y[..100]).unwrap();
        let alarm = y.iter().filter_map(|value| sums.update(*value)).find(|alarm| alarm.index >= 200).unwrap();
        assert!(alarm.rising && alarm.index < 210 && alarm.onset.abs_diff(200) <= 4, "{alarm:?}");
        let fall = CusumRule { side: Side::Down, ..CusumRule::default() };
        assert!(cusum(&y[200..], fall, 0.0, 1.0).is_empty());
    }

    #[test]
    fn autocorrelated_noise_is_allowed_for() {
        let quiet = |seed| {
            let y = ar1(seed, 500, 0.8);
            let mut sums = Cusum::from_baseline(CusumRule::default(), &y[..200]).unwrap();
            y.iter().filter_map(|value| sums.update(*value)).count() <= 1
        };
        assert!((0..50).filter(|seed| quiet(*seed)).count() >= 40);
    }

    #[test]
    fn the_edges() {
        assert!(Cusum::new(CusumRule::default(), 0.0, 0.0).is_none());
        assert!(Cusum::from_baseline(CusumRule::default(), &[1.0; 50]).is_none());
        assert!(cusum(&[], CusumRule::default(), 0.0, 1.0).is_empty());
        let gap = [0.0, f64::NAN, 9.0];
        assert_eq!(cusum(&gap, CusumRule::default(), 0.0, 1.0), [CusumAlarm { index: 2, onset: 2, rising: true }]);
    }

    proptest! {
        #[test]
        fn a_prefix_never_changes_its_mind(y in prop::collection::vec(prop::num::f64::ANY, 0..60), cut in 0_usize..60) {
            let all = cusum(&y, CusumRule::default(), 0.0, 1.0);
            let cut = cut.min(y.len());
            let early = cusum(&y[..cut], CusumRule::default(), 0.0, 1.0);
            prop_assert_eq!(&all[..early.len()], &early[..]);
        }
    }
}

//! The bootstrap interval of a median, computed instead of drawn: its distribution is known.

use super::describe::ascending;
use super::distributions::binomial_sf;

/// A median with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    /// The median.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The median and the 95 % percentile interval that infinitely many bootstrap samples would give (Efron 1979; Maritz
/// and Jarrett 1978): the m-th smallest of n draws lies at or below the k-th smallest value with the probability that
/// at least m of n draws with chance k/n succeed.
///
/// With an even number the two middle values bound it. With fewer than five values the interval is their range, which
/// holds the median in less than 95 % of cases. `None` without values.
pub fn median_interval(values: &[f64]) -> Option<MedianInterval> {
    let n = values.len();
    let sorted = ascending(values.iter().copied());
    let (lower, upper) = (*sorted.get(n.checked_sub(1)? / 2)?, *sorted.get(n / 2)?);
    let at = |middle: usize, share: f64| {
        let reached = |k: usize| binomial_sf(middle as u64, n as u64, k as f64 / n as f64) >= share;
        // The first k from 1 on that reaches the share.
        let (mut below, mut k) = (0, n);
        while k - below > 1 {
            let half = below + (k - below) / 2;
            if reached(half) { k = half } else { below = half }
        }
        sorted.get(k - 1).copied()
    };
    Some(MedianInterval {
        median: lower + (upper - lower) / 2.0,
        low: at(n.div_ceil(2), 0.025)?,
        high: at(n / 2 + 1, 0.975)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    #[test]
    fn few_values_span_their_range() {
        let found = median_interval(&[3.0, 1.0, 2.0]).unwrap();
        assert_eq!((found.median, found.low, found.high), (2.0, 1.0, 3.0));
        assert_eq!(median_interval(&[]), None);
        assert_eq!(median_interval(&[4.0]).map(|found| (found.low, found.high)), Some((4.0, 4.0)));
    }

    #[test]
    fn it_holds_the_median() {
        let covered = (0..300).filter(|seed| {
            let found = median_interval(&white(*seed, 25)).unwrap();
            found.low <= 0.0 && 0.0 <= found.high
        });
        assert!((270..=298).contains(&covered.count()));
    }

    proptest! {
        #[test]
        fn never_panics(values in prop::collection::vec(prop::num::f64::ANY, 0..40)) {
            let _ = median_interval(&values);
        }
    }
}

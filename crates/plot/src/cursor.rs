//! What lies under the pointer.

/// Index of the finite point of `(x, y)` nearest to position `at`; of two equally near ones the earlier. `x` ascends.
/// `None` when no point is finite or `at` is NaN.
pub fn nearest(x: &[f64], y: &[f64], at: f64) -> Option<usize> {
    if at.is_nan() {
        return None;
    }
    let len = x.len().min(y.len());
    let (x, y) = (x.get(..len)?, y.get(..len)?);
    let split = x.partition_point(|position| *position < at);
    let before = y.get(..split)?.iter().rposition(|value| value.is_finite());
    let after = y.get(split..)?.iter().position(|value| value.is_finite()).map(|index| index + split);
    match (before, after) {
        (Some(before), Some(after)) => {
            let (left, right) = (x.get(before)?, x.get(after)?);
            Some(if at - left <= right - at { before } else { after })
        }
        (before, after) => before.or(after),
    }
}

/// Lowest and highest value that the line `(x, y)` shows within `from..=to`, counting the places where it crosses
/// the edges of that window. With `positive`, values of zero and below are left out (logarithmic axes). `None` when
/// it shows nothing.
pub fn visible_range(x: &[f64], y: &[f64], window: (f64, f64), positive: bool) -> Option<(f64, f64)> {
    let (from, to) = window;
    let mut ends: Option<(f64, f64)> = None;
    let mut include = |value: f64| {
        if value.is_finite() && !(positive && value <= 0.0) {
            ends = Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
        }
    };
    let mut previous: Option<(f64, f64)> = None;
    for (&position, &value) in x.iter().zip(y) {
        if position >= from && position <= to {
            include(value);
        }
        if let Some((left, left_value)) = previous
            && position > left
        {
            for edge in [from, to] {
                if left < edge && edge < position {
                    include(left_value + (value - left_value) * ((edge - left) / (position - left)));
                }
            }
        }
        previous = Some((position, value));
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_nearest_point_skips_gaps() {
        let x = [0.0, 1.0, 2.0, 3.0, 10.0];
        let y = [5.0, 6.0, f64::NAN, f64::NAN, 7.0];
        assert_eq!(nearest(&x, &y, -4.0), Some(0));
        assert_eq!(nearest(&x, &y, 0.5), Some(0));
        assert_eq!(nearest(&x, &y, 0.6), Some(1));
        assert_eq!(nearest(&x, &y, 2.9), Some(1));
        assert_eq!(nearest(&x, &y, 99.0), Some(4));
        assert_eq!(nearest(&x, &[f64::NAN; 5], 1.0), None);
        assert_eq!(nearest(&x, &y, f64::NAN), None);
        assert_eq!(nearest(&[], &[], 0.0), None);
    }

    #[test]
    fn a_line_that_crosses_the_window_is_seen() {
        assert_eq!(visible_range(&[0.0, 10.0], &[0.0, 100.0], (4.0, 5.0), false), Some((40.0, 50.0)));
        assert_eq!(visible_range(&[0.0, 10.0], &[0.0, f64::NAN], (4.0, 5.0), false), None);
        assert_eq!(visible_range(&[0.0, 1.0, 2.0], &[-1.0, 0.0, 4.0], (0.0, 2.0), true), Some((4.0, 4.0)));
    }

    proptest! {
        #[test]
        fn no_point_is_nearer(points in prop::collection::vec((0.0..100.0f64, -1.0..1.0f64), 1..50), at in -10.0..110.0f64) {
            let mut points = points;
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
            let found = nearest(&x, &y, at).unwrap();
            prop_assert!(x.iter().all(|x_other| (x[found] - at).abs() <= (x_other - at).abs()));
        }
    }
}

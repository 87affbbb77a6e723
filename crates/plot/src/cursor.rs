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
/// the edges of that window. With `positive`, values of zero and below are left out (logarithmic axes). `x` ascends. `None`
/// when it shows nothing.
pub fn visible_range(x: &[f64], y: &[f64], window: (f64, f64), positive: bool) -> Option<(f64, f64)> {
    let len = x.len().min(y.len());
    let (x, y) = (x.get(..len)?, y.get(..len)?);
    let (from, to) = window;
    let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
    let mut include = |value: f64| {
        if value.is_finite() && !(positive && value <= 0.0) {
            // The minimum of the standard library would ask for NaN once more.
            ends = (if value < ends.0 { value } else { ends.0 }, if value > ends.1 { value } else { ends.1 });
        }
    };
    let start = x.partition_point(|position| *position < from);
    let end = x.partition_point(|position| *position <= to);
    y.get(start..end).unwrap_or_default().iter().for_each(|value| include(*value));
    // What the line has at the edges, between the last point before each and the first after it.
    for (edge, after) in [(from, start), (to, x.partition_point(|position| *position < to))] {
        let before = after.checked_sub(1).and_then(|before| x.get(before).zip(y.get(before)));
        if let Some(((left, left_value), (right, right_value))) = before.zip(x.get(after).zip(y.get(after)))
            && edge < *right
        {
            include(left_value + (right_value - left_value) * ((edge - left) / (right - left)));
        }
    }
    (ends.0 <= ends.1).then_some(ends)
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
        fn every_point_and_crossing_in_the_window_counts(
            points in prop::collection::vec((0..30u8, prop_oneof![9 => -5..5i8, 1 => Just(i8::MAX)]), 0..20),
            window in (0.0..30.0f64, 0.0..30.0f64),
            positive in any::<bool>(),
        ) {
            let mut points: Vec<(f64, f64)> = points
                .into_iter()
                .map(|(x, y)| (f64::from(x), if y == i8::MAX { f64::NAN } else { f64::from(y) }))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (from, to) = (window.0.min(window.1), window.0.max(window.1));
            let inside = points.iter().filter(|(x, _)| (from..=to).contains(x)).map(|(_, y)| *y);
            let crossings = points.windows(2).flat_map(|pair| {
                let ((left, low), (right, high)) = (pair[0], pair[1]);
                let at = move |edge: f64| low + (high - low) * ((edge - left) / (right - left));
                [from, to].into_iter().filter(move |edge| left < *edge && *edge < right).map(at)
            });
            let seen: Vec<f64> =
                inside.chain(crossings).filter(|y| y.is_finite() && !(positive && *y <= 0.0)).collect();
            let expected = seen.iter().copied().reduce(f64::min).zip(seen.iter().copied().reduce(f64::max));
            let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
            prop_assert_eq!(visible_range(&x, &y, (from, to), positive), expected);
        }

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

//! Brings a curve to the places of another one that was logged at different ones: held, or on straight lines.

/// The last value of (`x`, `y`), ascending in x, at or before each of the ascending places `at` (as pandas'
/// `reindex(method="ffill")`); NaN before the first.
pub fn forward_fill(x: &[f64], y: &[f64], at: &[f64]) -> Vec<f64> {
    let mut points = x.iter().zip(y).peekable();
    let mut last = f64::NAN;
    let mut filled = Vec::with_capacity(at.len());
    for place in at {
        while let Some((_, value)) = points.next_if(|(x, _)| *x <= place) {
            last = *value;
        }
        filled.push(last);
    }
    filled
}

/// The curve (`x`, `y`), ascending in x, at each of the ascending places `at`: on a straight line between its neighbours,
/// NaN before the first and after the last point. Of several points at one x the last counts; a point that is not finite
/// leaves a gap up to its neighbours.
pub fn interpolated(x: &[f64], y: &[f64], at: &[f64]) -> Vec<f64> {
    let mut points = x.iter().copied().zip(y.iter().copied()).peekable();
    let mut before: Option<(f64, f64)> = None;
    let value = |place: &f64| {
        while let Some(point) = points.next_if(|(x, _)| x <= place) {
            before = Some(point);
        }
        match (before, points.peek()) {
            (Some((x, y)), _) if x == *place => y,
            (Some((from, low)), Some((to, high))) => low + (high - low) * ((place - from) / (to - from)),
            _ => f64::NAN,
        }
    };
    at.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_on_straight_lines_and_never_beyond_the_ends() {
        let (x, y) = ([0.0, 2.0, 2.0, 4.0], [1.0, 9.0, 3.0, 4.0]);
        let found = interpolated(&x, &y, &[-1.0, 0.0, 0.5, 2.0, 3.0, 4.0, 4.1]);
        assert!(found[0].is_nan() && found[6].is_nan());
        assert_eq!(found[1..6], [1.0, 3.0, 3.0, 3.5, 4.0]);
        let gap = interpolated(&[0.0, 1.0, 2.0], &[1.0, f64::NAN, 3.0], &[0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(gap.iter().map(|value| value.is_nan()).collect::<Vec<_>>(), [false, true, true, true, false]);
        assert!(interpolated(&[], &[], &[0.0])[0].is_nan());
    }

    #[test]
    fn the_last_value_is_carried_forward() {
        assert!(forward_fill(&[1.0, 2.0], &[5.0, 6.0], &[0.0, 1.5, 9.0])[0].is_nan());
        assert_eq!(forward_fill(&[1.0, 2.0], &[5.0, 6.0], &[1.5, 9.0]), [5.0, 6.0]);
    }
}

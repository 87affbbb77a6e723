//! Forward fill: brings a curve to the steps of another one that was logged at different steps.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_carried_forward() {
        assert!(forward_fill(&[1.0, 2.0], &[5.0, 6.0], &[0.0, 1.5, 9.0])[0].is_nan());
        assert_eq!(forward_fill(&[1.0, 2.0], &[5.0, 6.0], &[1.5, 9.0]), [5.0, 6.0]);
    }
}

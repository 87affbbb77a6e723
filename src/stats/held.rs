//! Two curves that were logged at different steps, side by side.

/// The latest value of (`x`, `y`), ascending in x, at each of these ascending places; NaN before the first.
pub fn held(x: &[f64], y: &[f64], at: &[f64]) -> Vec<f64> {
    let mut known = x.iter().zip(y).peekable();
    let mut latest = f64::NAN;
    let mut held = Vec::with_capacity(at.len());
    for place in at {
        while let Some((_, value)) = known.next_if(|(x, _)| *x <= place) {
            latest = *value;
        }
        held.push(latest);
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_value_holds() {
        assert!(held(&[1.0, 2.0], &[5.0, 6.0], &[0.0, 1.5, 9.0])[0].is_nan());
        assert_eq!(held(&[1.0, 2.0], &[5.0, 6.0], &[1.5, 9.0]), [5.0, 6.0]);
    }
}

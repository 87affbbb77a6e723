//! The smallest denominator that several fractions share: a mean over n tasks is a multiple of 1/n.

use super::describe::ascending;

/// The smallest n of which all values are multiples of 1/n, such as the number of tasks of an evaluation.
///
/// `None` when no n up to 2000 fits, when that is a power of ten (printed decimals look the same), or when too few
/// different values tell.
pub fn common_denominator(values: &[f64]) -> Option<u32> {
    let mut different = ascending(values.iter().copied());
    different.dedup();
    different.truncate(40);
    if different.len() < 3 {
        return None;
    }
    let fits = |n: &u32| {
        different.iter().all(|value| {
            let count = value * f64::from(*n);
            (count - count.round()).abs() < 1e-4
        })
    };
    (2..=2000).find(fits).filter(|n| ![10, 100, 1000].contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_tasks_is_read_from_the_values() {
        assert_eq!(common_denominator(&[31.0 / 64.0, 36.0 / 64.0, 47.0 / 64.0]), Some(64));
        assert_eq!(common_denominator(&[0.5, 0.5, 0.5]), None);
        assert_eq!(common_denominator(&[0.123_456, 0.3, 0.5]), None);
        assert_eq!(common_denominator(&[0.123, 0.301, 0.507]), None, "three decimals are rounding, not tasks");
    }
}

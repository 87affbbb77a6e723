//! The smallest denominator that several fractions share: a mean over n tasks is a multiple of 1/n.

use super::describe::ascending;

/// A number of tasks that values fit by chance with this probability, or a greater one, is not taken from them.
const MIN_PROBABILITY: f64 = 0.02;

/// The smallest n of which all values are multiples of 1/n, such as the number of tasks of an evaluation.
///
/// `None` when no n up to 2000 fits, when printed decimals explain the values as well (all multiples of 1/n by chance, or
/// n a power of ten), or when too few different values tell.
pub fn common_denominator(values: &[f64]) -> Option<u32> {
    let mut different = ascending(values.iter().copied());
    different.dedup();
    different.truncate(40);
    if different.len() < 3 {
        return None;
    }
    let fits = |n: &u32| different.iter().all(|value| is_whole(value * f64::from(*n)));
    (2..=2000).find(fits).filter(|n| by_rounding(&different, *n) < MIN_PROBABILITY)
}

/// Probability that as many values that are printed with one, two or three decimals are multiples of 1/n by chance; 0 where
/// they have more.
fn by_rounding(values: &[f64], n: u32) -> f64 {
    let is_printed_with = |scale: &f64| values.iter().all(|value| is_whole(value * scale));
    let Some(scale) = [10.0, 100.0, 1000.0].into_iter().find(is_printed_with) else { return 0.0 };
    let multiples = (0..=n).filter(|count| is_whole(f64::from(*count) / f64::from(n) * scale)).count();
    libm::pow(multiples as f64 / (scale + 1.0), values.len() as f64)
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-4
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
        assert_eq!(common_denominator(&[0.42, 0.46, 0.44, 0.5]), None, "two decimals that are even by chance");
        let of_fifty: Vec<f64> = (0..12).map(|count| f64::from(count) * 0.06 + 0.02).collect();
        assert_eq!(common_denominator(&of_fifty), Some(50), "twelve are no chance");
        assert_eq!(common_denominator(&[0.125, 0.375, 0.625]), Some(8));
    }
}

//! How many tasks an evaluation has, and how uncertain that makes it.
//!
//! Few runs say it, but the values betray it: 0.484375 and 0.5625 are multiples of 1/64.

use super::signal::Signal;

/// Number of tasks in an evaluation, from its values: the smallest n of which all are multiples of 1/n.
///
/// `None` when no n up to 2000 fits, when that is a power of ten (printed decimals look the same), or when too few
/// different values tell.
pub(super) fn tasks(values: &[f64]) -> Option<u32> {
    let mut different: Vec<f64> = values.to_vec();
    different.sort_by(f64::total_cmp);
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

/// As [`tasks`], or a hundred or a thousand where all values are multiples of that share. They may also be printed with so
/// few digits; that they are that uncertain is the more careful reading.
pub(super) fn sampled_tasks(signal: &Signal<'_>) -> Option<u32> {
    let fits = |count: &u32| {
        let whole = |value: &f64| (value * f64::from(*count) - (value * f64::from(*count)).round()).abs() < 1e-6;
        signal.values.iter().all(whole)
    };
    signal.tasks().or_else(|| [100, 1000].into_iter().find(fits))
}

/// Standard error of a share measured on `tasks` independent tasks (Wilson centre, so never 0).
pub(super) fn binomial_error(share: f64, tasks: u32) -> f64 {
    let n = f64::from(tasks.max(1));
    let centre = (share * n + 2.0) / (n + 4.0);
    (centre * (1.0 - centre) / n).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_tasks_is_read_from_the_values() {
        assert_eq!(tasks(&[31.0 / 64.0, 36.0 / 64.0, 47.0 / 64.0]), Some(64));
        assert_eq!(tasks(&[0.5, 0.5, 0.5]), None);
        assert_eq!(tasks(&[0.123_456, 0.3, 0.5]), None);
        assert_eq!(tasks(&[0.123, 0.301, 0.507]), None, "three decimals are rounding, not tasks");
    }
}

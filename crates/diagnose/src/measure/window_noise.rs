//! What the points of two levels themselves say of the standard error of their difference.
//!
//! The noise of a whole series is found from differences of neighbours, most of which say little where many values are alike: a
//! policy that gives one answer to nearly every prompt scores the same in most steps and far less in a few, and the first level is
//! made of such few points. Then the spread within the levels is the larger one, and the right one.

use rundown_stats as stats;

/// Fewest points of a level that have a spread around their own line.
const MIN_POINTS: usize = 3;
/// One in so many points with the same value makes many values alike. Ours: a reward of dozens of responses hardly repeats.
const ALIKE: usize = 3;

/// Standard error of the difference of the means of the first `head` and the last `tail` points, from the scatter in each of them
/// around its own line (Welch's, but that a climb within a level is no noise). `None` where a level is fewer than three points.
pub(crate) fn error_of_levels(values: &[f64], head: usize, tail: usize) -> Option<f64> {
    let first = variance_of_mean(values.get(..head)?)?;
    let last = variance_of_mean(values.get(values.len().checked_sub(tail)?..)?)?;
    Some((first + last).sqrt())
}

/// True where one value is that of a third of the points: differences of neighbours tell little of the noise then.
pub(crate) fn are_alike(values: &[f64]) -> bool {
    let sorted = stats::ascending(values.iter().copied());
    let least = values.len().div_ceil(ALIKE);
    least >= MIN_POINTS && sorted.iter().zip(sorted.iter().skip(least - 1)).any(|(first, last)| first == last)
}

fn variance_of_mean(level: &[f64]) -> Option<f64> {
    if level.len() < MIN_POINTS {
        return None;
    }
    let places: Vec<f64> = (0..level.len()).map(|place| place as f64).collect();
    let line = stats::least_squares(&places, level)?;
    let points = level.len() as f64;
    Some(line.sse / (points - 2.0) / points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

    #[test]
    fn white_noise_has_the_usual_error_and_a_climb_none() {
        let error = error_of_levels(&white(4, 400), 200, 200).unwrap();
        assert!((0.09..0.11).contains(&error), "{error}");
        let climb: Vec<f64> = (0..30).map(f64::from).collect();
        assert!(error_of_levels(&climb, 3, 6).unwrap() < 1e-9);
        assert_eq!(error_of_levels(&climb, 2, 6), None);
        assert_eq!(error_of_levels(&climb, 6, 40), None);
        assert_eq!(error_of_levels(&[0.5; 20], 3, 4), Some(0.0));
    }

    #[test]
    fn a_third_of_equal_values_are_alike() {
        let with = |equal: usize| (0..30).map(|at| f64::from(at).max(equal as f64 - 1.0)).collect::<Vec<f64>>();
        assert!(are_alike(&with(10)) && !are_alike(&with(9)));
        assert!(!are_alike(&[]) && !are_alike(&[1.0, 1.0]));
    }
}

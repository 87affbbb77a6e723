//! Extreme points: single values so far from all others that they say nothing of the level around them, such as the
//! penalty of one crashed batch that is a thousand times the other rewards.

use rundown_stats as stats;
use std::borrow::Cow;

/// Distance from the median, in robust standard deviations, from which on a point is extreme.
const FAR: f64 = 50.0;
/// Points for each extreme one: more than 2 % of them are no exceptions.
const POINTS_FOR_EACH: usize = 50;
/// Extreme points that may follow each other: more are a state of the run.
const IN_A_ROW: usize = 2;
/// The largest distance from the mean, in standard deviations, that a series with an extreme point has at least: with `k`
/// of `n` points far away it is `sqrt(n / k)`, 7 with 2 %.
const MIN_DISTANCE: f64 = 5.0;
/// Standard deviations of a normal distribution in its median absolute deviation.
const MAD_SCALE: f64 = 1.4826;

/// The values with extreme ones replaced by the value before them. As they are where more than 2 % are extreme, more
/// than two of them follow each other, or the last point is one: that may be where a run breaks.
///
/// O(n). Most series have none, which two passes show.
pub(crate) fn without_extremes(values: &[f64]) -> Cow<'_, [f64]> {
    find(values).map_or(Cow::Borrowed(values), Cow::Owned)
}

fn find(values: &[f64]) -> Option<Vec<f64>> {
    if values.len() < POINTS_FOR_EACH {
        return None;
    }
    let (mean, spread) = (stats::mean(values)?, stats::std_dev(values)?);
    values.iter().find(|value| (**value - mean).abs() >= MIN_DISTANCE * spread && spread > 0.0)?;
    let median = stats::median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    let limit = FAR * MAD_SCALE * stats::median(&distances)?;
    let is_extreme = |distance: &f64| *distance > limit;
    let count = distances.iter().filter(|distance| is_extreme(distance)).count();
    let too_many = count * POINTS_FOR_EACH > values.len();
    // Without any spread of most points every other one would be far.
    if count == 0 || too_many || limit <= 0.0 || distances.last().is_some_and(is_extreme) {
        return None;
    }
    if distances.windows(IN_A_ROW + 1).any(|row| row.iter().all(is_extreme)) {
        return None;
    }
    let usual = || values.iter().zip(&distances).filter(|(_, distance)| !is_extreme(distance)).map(|(value, _)| *value);
    let mut before = usual().next()?;
    let replaced = values.iter().zip(&distances).map(|(value, distance)| {
        if !is_extreme(distance) {
            before = *value;
        }
        before
    });
    Some(replaced.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

    fn with(extremes: &[usize]) -> Vec<f64> {
        let mut values = white(3, 200);
        extremes.iter().for_each(|index| values[*index] = -1000.0);
        values
    }

    fn is_clean(values: &[f64]) -> bool {
        without_extremes(values).iter().all(|value| value.abs() < 100.0)
    }

    #[test]
    fn few_single_points_far_away_are_set_aside() {
        assert!(matches!(without_extremes(&with(&[])), Cow::Borrowed(_)));
        assert!(is_clean(&with(&[0])) && is_clean(&with(&[20, 21, 90])));
        assert_eq!(without_extremes(&with(&[20]))[20], with(&[])[19]);
    }

    #[test]
    fn states_and_ends_of_a_run_stay() {
        assert!(!is_clean(&with(&[20, 21, 22])), "three in a row");
        assert!(!is_clean(&with(&[199])), "the last one");
        assert!(!is_clean(&with(&[10, 50, 70, 90, 110])), "2.5 % of the points");
        let mut rare = vec![0.0; 200];
        rare[50] = 1.0;
        assert!(matches!(without_extremes(&rare), Cow::Borrowed(_)), "most points are equal");
    }
}

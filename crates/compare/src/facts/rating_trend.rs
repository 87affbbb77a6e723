//! Whether a rating or another metric of a league rises, stays or falls, by a tested slope.

use serde::{Deserialize, Serialize};

use super::curve::{MetricPoints, finite};
use super::nullable;
use rundown_format::named_enum;
use rundown_run::Run;
use rundown_stats as stats;

/// 99.5 % quantile of the standard normal distribution: many agents are tested at once.
const Z_99: f64 = 2.576;
/// Fewest points that show a trend.
const MIN_RATINGS: usize = 6;
/// Parts of a curve at its ends that make its first and its last level.
const LEVEL_SHARE: f64 = 0.2;
/// Metrics that are kept of a run.
const METRICS: usize = 32;

named_enum! {
    serde as_str
    /// The trend of a rating or of a metric of games over the run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum RatingTrend {
        /// Up, beyond its noise.
        Rising = "rising",
        /// Neither, or by less than counts.
        Flat = "flat",
        /// Down, beyond its noise.
        Falling = "falling",
        /// Up, and down again from there.
        PastPeak = "fallen from its peak",
        /// Too few points for a test.
        #[default]
        Unknown = "too few points",
    }
}

/// A metric of games that is no rating: placements, scores, bonuses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameMetric {
    /// Metric key, such as `game/avg_sc_count`.
    pub key: String,
    /// Mean of the first fifth of its points.
    #[serde(deserialize_with = "nullable::read")]
    pub first: f64,
    /// Mean of the last fifth.
    #[serde(deserialize_with = "nullable::read")]
    pub last: f64,
    /// Where it goes.
    pub course: RatingTrend,
}

impl RatingTrend {
    /// Of values in the order of their steps, which go from level `first` to level `last`, each with this standard error.
    /// A change of more than `least` counts, by the Mann-Kendall test or where the levels differ beyond their errors, at
    /// 99 %: the test's correction for autocorrelation takes a steep start for noise.
    pub(super) fn of(values: &[f64], (first, last): (f64, f64), error: Option<f64>, least: f64) -> Self {
        if values.len() < MIN_RATINGS {
            return RatingTrend::Unknown;
        }
        let places: Vec<f64> = (0..values.len()).map(|place| place as f64).collect();
        let slope = stats::theil_sen(&places, values).map_or(0.0, |line| line.slope * (values.len() - 1) as f64);
        let is_slope = stats::mann_kendall_corrected(values).is_some_and(|z| z.abs() >= Z_99) && slope.abs() > least;
        let change = last - first;
        let is_change =
            error.is_some_and(|error| change.abs() > Z_99 * std::f64::consts::SQRT_2 * error) && change.abs() > least;
        let up = if is_slope { slope > 0.0 } else { change > 0.0 };
        match (is_slope || is_change, up) {
            (false, _) => RatingTrend::Flat,
            (true, true) => RatingTrend::Rising,
            (true, false) => RatingTrend::Falling,
        }
    }
}

/// True for a level that is below the best of so many values beyond its error at 99 %, the luck of the best included.
pub(super) fn is_past_peak(best: f64, last: f64, error: Option<f64>, values: usize) -> bool {
    let luck = |error: f64| Z_99 * std::f64::consts::SQRT_2 * error + stats::excess_of_best(error, values as f64);
    error.is_some_and(|error| best - last > luck(error))
}

/// How much values scatter around their own course: the standard deviation from a running mean. `None` for few values.
pub(super) fn scatter(values: &[f64]) -> Option<f64> {
    let around = stats::running_residuals(values, (values.len() / 6).max(2));
    if around.len() < MIN_RATINGS - 1 { None } else { stats::std_dev(&around).and_then(finite) }
}

/// Metrics under `game/` and `placement/`, by key.
pub(super) fn game_metrics(run: &Run) -> Vec<GameMetric> {
    let is_of_games = |key: &&String| key.starts_with("game/") || key.starts_with("placement/");
    let keys = run.columns.keys().filter(is_of_games);
    let metric = |key: &String| {
        let points = MetricPoints::by_key(run, key)?;
        let count = ((LEVEL_SHARE * points.values.len() as f64) as usize).max(1);
        let (first, last) = (stats::mean(points.values.get(..count)?)?, stats::mean(points.end(LEVEL_SHARE, 1))?);
        let course = RatingTrend::of(&points.values, (first, last), scatter(&points.values), 0.0);
        Some(GameMetric { key: key.clone(), first, last, course })
    };
    keys.filter_map(metric).take(METRICS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

    #[test]
    fn noise_is_flat_and_a_slope_beyond_it_is_not() {
        let noise = white(5, 60);
        let sloped = |slope: f64| -> Vec<f64> {
            noise.iter().enumerate().map(|(place, noise)| 1000.0 + slope * place as f64 + 5.0 * noise).collect()
        };
        let of = |values: &[f64]| RatingTrend::of(values, (values[0], values[values.len() - 1]), Some(10.0), 20.0);
        assert_eq!(of(&sloped(0.0)), RatingTrend::Flat);
        assert_eq!(of(&sloped(2.0)), RatingTrend::Rising);
        assert_eq!(of(&sloped(-2.0)), RatingTrend::Falling);
        assert_eq!(of(&sloped(0.2)), RatingTrend::Flat, "12 Elo are too few to count");
        assert_eq!(of(&sloped(2.0)[..5]), RatingTrend::Unknown);
    }

    #[test]
    fn a_fall_at_the_start_that_stays_is_a_fall() {
        let values: Vec<f64> = white(6, 50)
            .iter()
            .enumerate()
            .map(|(at, noise)| 860.0 + 140.0 * libm::exp(-0.3 * at as f64) + noise)
            .collect();
        assert_eq!(RatingTrend::of(&values, (1000.0, 860.0), Some(25.0), 20.0), RatingTrend::Falling);
        assert_eq!(RatingTrend::of(&values, (900.0, 860.0), Some(25.0), 200.0), RatingTrend::Flat);
    }

    #[test]
    fn a_peak_by_luck_is_no_peak() {
        assert!(is_past_peak(1285.0, 1088.0, Some(25.0), 50));
        assert!(!is_past_peak(1200.0, 1088.0, Some(25.0), 50));
        assert!(!is_past_peak(1285.0, 1088.0, None, 50));
    }

    #[test]
    fn metrics_of_games_have_a_course() {
        let mut run = Run::default();
        for step in 0..40_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("placement/top3_rate", row, 0.2 + f64::from(step) / 100.0);
            run.push_value("other/rate", row, 1.0);
        }
        run.choose_axis();
        let found = game_metrics(&run);
        assert_eq!((found.len(), found[0].course), (1, RatingTrend::Rising));
        assert!((found[0].first - 0.235).abs() < 1e-9 && (found[0].last - 0.555).abs() < 1e-9, "{found:?}");
    }
}

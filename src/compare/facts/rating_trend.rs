//! Whether a rating or another metric of a league rises, stays or falls, by a tested slope.

use serde::{Deserialize, Serialize};

use super::curve::MetricPoints;
use super::nullable;
use crate::format::named_enum;
use crate::run::Run;
use crate::stats;

/// 99.5 % quantile of the standard normal distribution: many agents are tested at once.
const Z_99: f64 = 2.576;
/// Fewest points that show a trend.
const POINTS: usize = 6;
/// Parts of a curve at its ends that make its first and its last level.
const ENDS: f64 = 0.2;
/// Metrics that are kept of a run.
const METRICS: usize = 32;

named_enum! {
    serde as_str
    /// Where something goes over the run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Course {
        /// Up, beyond its noise.
        Rising = "rising",
        /// Neither, or by less than counts.
        Flat = "flat",
        /// Down, beyond its noise.
        Falling = "falling",
        /// Too few points tell.
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
    pub course: Course,
}

impl Course {
    /// Of values in the order of their steps: the Mann-Kendall test at 99 %, and a change of Sen's line over the whole
    /// curve of more than `least`.
    pub(super) fn of(values: &[f64], least: f64) -> Self {
        if values.len() < POINTS {
            return Course::Unknown;
        }
        let places: Vec<f64> = (0..values.len()).map(|place| place as f64).collect();
        let change = stats::theil_sen(&places, values).map_or(0.0, |line| line.slope * (values.len() - 1) as f64);
        let z = stats::mann_kendall_corrected(values).unwrap_or(0.0);
        if change.abs() <= least || z.abs() < Z_99 {
            Course::Flat
        } else if z > 0.0 {
            Course::Rising
        } else {
            Course::Falling
        }
    }
}

/// Metrics under `game/` and `placement/`, by key.
pub(super) fn game_metrics(run: &Run) -> Vec<GameMetric> {
    let is_of_games = |key: &&String| key.starts_with("game/") || key.starts_with("placement/");
    let keys = run.columns.keys().filter(is_of_games);
    let metric = |key: &String| {
        let points = MetricPoints::by_key(run, key)?;
        let count = ((ENDS * points.values.len() as f64) as usize).max(1);
        Some(GameMetric {
            key: key.clone(),
            first: stats::mean(points.values.get(..count)?)?,
            last: stats::mean(points.end(ENDS, 1))?,
            course: Course::of(&points.values, 0.0),
        })
    };
    keys.filter_map(metric).take(METRICS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::white;

    #[test]
    fn noise_is_flat_and_a_slope_beyond_it_is_not() {
        let noise = white(5, 60);
        let sloped = |slope: f64| -> Vec<f64> {
            noise.iter().enumerate().map(|(place, noise)| 1000.0 + slope * place as f64 + 5.0 * noise).collect()
        };
        assert_eq!(Course::of(&sloped(0.0), 20.0), Course::Flat);
        assert_eq!(Course::of(&sloped(2.0), 20.0), Course::Rising);
        assert_eq!(Course::of(&sloped(-2.0), 20.0), Course::Falling);
        assert_eq!(Course::of(&sloped(0.3), 20.0), Course::Flat, "18 Elo are too few to count");
        assert_eq!(Course::of(&sloped(2.0)[..5], 20.0), Course::Unknown);
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
        assert_eq!((found.len(), found[0].course), (1, Course::Rising));
        assert!((found[0].first - 0.235).abs() < 1e-9 && (found[0].last - 0.555).abs() < 1e-9, "{found:?}");
    }
}

//! How a metric moved, as reports show it. The levels that checks compare are others: they have to be precise, these have to show
//! what a reader sees in the curve, its end among it.

use crate::measure::series::{Fifth, MetricSeries};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Fewest points of a level that a report shows.
const SHOWN_POINTS: usize = 5;
/// Points up to the end that have to be NaN or infinite before the end is shown as such: single steps are skipped.
const LOST_POINTS: usize = 2;

/// How a metric moved: means of the first, middle and last 5 % of its points (five at least, but no more than a third of
/// them), and the least-squares slope.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// Metric key.
    pub metric: String,
    /// Mean at the start.
    pub first: f64,
    /// Mean in the middle; NaN for two points.
    pub mid: f64,
    /// Mean at the end; NaN where the metric is no number any more.
    pub last: f64,
    /// Least-squares slope per 100 steps.
    pub slope: f64,
}

impl MetricSeries<'_> {
    /// How the metric moved, as a report shows it.
    pub fn trend(&self) -> Trend {
        Trend {
            metric: self.key().to_owned(),
            first: self.shown_level(Fifth::First),
            mid: self.shown_level(Fifth::Middle),
            last: self.shown_end(),
            slope: self.slope_per_hundred(),
        }
    }

    /// The level that a report shows for the start, middle or end. The mean of a fifth would hide a run that breaks within its
    /// first fifth: its start would look like its end.
    pub fn shown_level(&self, place: Fifth) -> f64 {
        stats::mean(self.shown_points(place)).unwrap_or(f64::NAN)
    }

    /// The points of such a level: 5 %, five at least, and fewer where three windows of five points would overlap; two have no middle.
    pub fn shown_points(&self, place: Fifth) -> &[f64] {
        let count = self.len();
        let width = (count / 20).max(SHOWN_POINTS.min((count / 3).max(1))).min(count);
        let start = match place {
            Fifth::First => 0,
            Fifth::Middle if count == 2 => return &[],
            Fifth::Middle => (count - width) / 2,
            Fifth::Last => count - width,
        };
        self.values.get(start..start + width).unwrap_or(&[])
    }

    /// The level at the end; NaN where the metric became NaN or infinite and stayed so: the last finite points are not its end.
    ///
    /// Where such values come and go, most of them before the last finite one, they are rows without the metric, or means over no
    /// samples. An evaluation is not computed in most rows.
    pub(crate) fn shown_end(&self) -> f64 {
        let last = self.last_step();
        let lost = self.nonfinite.iter().rev().take_while(|step| **step > last).count();
        let stays = lost >= LOST_POINTS && 2 * lost > self.nonfinite.len();
        if stays && self.binding.concept != Concept::Evaluation {
            return f64::NAN;
        }
        self.shown_level(Fifth::Last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Direction, Unit};

    fn end(concept: Concept, values: &[f64]) -> f64 {
        let binding = Binding::unscaled(concept, "metric", Unit::Plain, Direction::Up);
        let steps = (0..values.len()).map(|step| step as f64).collect();
        MetricSeries::new(&binding, Series::new(steps, values.to_vec())).trend().last
    }

    #[test]
    fn a_metric_that_is_no_number_any_more_has_no_last_level() {
        let inf = f64::INFINITY;
        assert!(end(Concept::PolicyLoss, &[30.9, inf, inf]).is_nan());
        assert!(end(Concept::PolicyLoss, &[0.1, inf, 0.2, 0.3, f64::NAN, inf]).is_nan());
        assert_eq!(end(Concept::PolicyLoss, &[0.1, 0.1, inf]), 0.1, "one step was skipped");
        assert_eq!(end(Concept::Reward, &[0.1, f64::NAN, f64::NAN, f64::NAN, 0.1, f64::NAN, f64::NAN]), 0.1);
        assert_eq!(end(Concept::Evaluation, &[0.5, f64::NAN, f64::NAN]), 0.5);
    }
}

//! The curve of a group of runs: its middle and a band around it, over steps that all of them have.

use super::{Metric, RunSummary, Trace};
use rundown_stats::{self as stats, IntervalEstimate, MANY_SCORES, OrderedSample, SplitMix64, draw_counts};

/// Steps of a band.
const STEPS: usize = 48;
/// Replicates of the bootstrap.
const REPLICATES: usize = 400;
/// Fewest runs of a band.
const MIN_RUNS: usize = 3;

/// The curve of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveBand {
    /// Steps, evenly apart, from the latest first step to the earliest last one: what all runs have.
    pub steps: Vec<f64>,
    /// Mean or interquartile mean of the runs at each step.
    pub middle: Vec<f64>,
    /// Lower end of the middle's 95 % interval at each step; empty with fewer than three runs.
    pub low: Vec<f64>,
    /// Upper end.
    pub high: Vec<f64>,
}

/// The curve of some runs, aligned by steps; between the points of a curve values lie on a straight line. The band
/// draws whole runs, so it is that of the middle at each step, not of all steps at once.
///
/// `None` when no run has a curve of the metric, or when their steps do not overlap.
pub fn band(summaries: &[&RunSummary], metric: &Metric, random: &mut SplitMix64) -> Option<CurveBand> {
    let traces: Vec<&Trace> = summaries.iter().filter_map(|summary| metric.trace_in(summary)).collect();
    let first = traces.iter().filter_map(|trace| trace.steps.first().copied()).reduce(f64::max)?;
    let last = traces.iter().filter_map(|trace| trace.steps.last().copied()).reduce(f64::min)?;
    let is_range = last > first && (last - first).is_finite();
    if !is_range {
        return None;
    }
    let at = |step: usize| (first + (last - first) * (step as f64 / (STEPS - 1) as f64)).min(last);
    let steps: Vec<f64> = (0..STEPS).map(at).collect();
    let aligned = |trace: &&Trace| stats::interpolated(&trace.steps, &trace.values, &steps);
    let curves: Vec<Vec<f64>> = traces.iter().map(aligned).collect();
    if curves.len() >= MANY_SCORES {
        // One sort of each place for all three.
        let found: Vec<IntervalEstimate> = (0..STEPS).map(|place| iqm_of_many_at(&curves, place)).collect();
        let each = |part: fn(&IntervalEstimate) -> f64| found.iter().map(part).collect();
        let (middle, low, high) = (each(|at| at.estimate), each(|at| at.low), each(|at| at.high));
        return Some(CurveBand { steps, middle, low, high });
    }
    let all: Vec<&Vec<f64>> = curves.iter().collect();
    let middle = iqm_curve(&all);
    let (low, high) = if curves.len() < MIN_RUNS { (Vec::new(), Vec::new()) } else { iqm_interval(&curves, random) };
    Some(CurveBand { steps, middle, low, high })
}

/// The interquartile mean of curves over the same places at each of them; of the finite values, NaN without any.
pub fn iqm_curve(curves: &[&Vec<f64>]) -> Vec<f64> {
    let places = curves.iter().map(|curve| curve.len()).max().unwrap_or(0);
    let at = |place: usize| {
        let values = finite_values(curves.iter().copied(), place);
        stats::iqm(&values).unwrap_or(f64::NAN)
    };
    (0..places).map(at).collect()
}

/// Lower and upper end of the 95 % interval of [`iqm_curve`] at each place, by a bootstrap that draws whole curves, or of
/// many curves by their variance; NaN where no curve has a finite value.
pub fn iqm_interval(curves: &[Vec<f64>], random: &mut SplitMix64) -> (Vec<f64>, Vec<f64>) {
    let places = curves.iter().map(Vec::len).max().unwrap_or(0);
    if curves.len() >= MANY_SCORES {
        let ends = |place| iqm_of_many_at(curves, place);
        return (0..places).map(ends).map(|found| (found.low, found.high)).unzip();
    }
    // Many runs need fewer replicates, and cost more for each.
    let replicates = (200_000 / (curves.len() * places).max(1)).clamp(50, REPLICATES);
    let at = |place: usize| {
        let values = curves.iter().enumerate().filter_map(move |(curve, values)| Some((curve, *values.get(place)?)));
        OrderedSample::new(values.filter(|(_, value)| value.is_finite()))
    };
    let ordered: Vec<OrderedSample> = (0..places).map(at).collect();
    let mut drawn: Vec<Vec<f64>> = vec![Vec::new(); places];
    for _ in 0..replicates {
        let counts = draw_counts(curves.len(), random);
        for (values, ordered) in drawn.iter_mut().zip(&ordered) {
            values.extend(ordered.iqm(&counts).filter(|value| value.is_finite()));
        }
    }
    let quantiles = |p: f64| drawn.iter().map(|values| stats::quantile(values, p).unwrap_or(f64::NAN)).collect();
    (quantiles(0.025), quantiles(0.975))
}

/// The interquartile mean of many curves at one place, with its interval by the variance of the curves there.
fn iqm_of_many_at(curves: &[Vec<f64>], place: usize) -> IntervalEstimate {
    let values = finite_values(curves, place);
    let end = |furthest: fn(f64, f64) -> f64| values.iter().copied().reduce(furthest).unwrap_or(f64::NAN);
    // Few of the curves may reach a place: of fewer than four the variance is not known.
    stats::iqm_of_many(&values).unwrap_or_else(|| IntervalEstimate {
        estimate: stats::iqm(&values).unwrap_or(f64::NAN),
        low: end(f64::min),
        high: end(f64::max),
    })
}

/// The finite values of curves at a place.
fn finite_values<'c>(curves: impl IntoIterator<Item = &'c Vec<f64>>, place: usize) -> Vec<f64> {
    let values = curves.into_iter().filter_map(|curve| curve.get(place).copied());
    values.filter(|value| value.is_finite()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRun;

    fn summaries(curves: &[Vec<f64>]) -> Vec<RunSummary> {
        curves.iter().map(|curve| RunSummary::of(0, TestRun::new("a").reward("r", curve).diagnosed())).collect()
    }

    fn of(curves: &[Vec<f64>]) -> Option<CurveBand> {
        let summaries = summaries(curves);
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let metric = Metric::chosen(&summaries, "r", None);
        band(&summaries, &metric, &mut SplitMix64::new(1))
    }

    #[test]
    fn the_middle_lies_within_the_band_and_the_shared_steps() {
        let curve = |slope: f64, n: u32| (0..n).map(|step| slope * f64::from(step)).collect::<Vec<f64>>();
        let band = of(&[curve(1.0, 21), curve(2.0, 41), curve(3.0, 31)]).unwrap();
        assert_eq!((band.steps[0], band.steps[STEPS - 1]), (1.0, 21.0));
        // Step 21 is the 21st value: 20 times the slope.
        assert!((band.middle[STEPS - 1] - 40.0).abs() < 1e-9 && band.middle[0].abs() < 1e-9);
        for ((low, middle), high) in band.low.iter().zip(&band.middle).zip(&band.high) {
            assert!(low <= middle && middle <= high);
        }
        assert!(band.high[STEPS - 1] - band.low[STEPS - 1] > 10.0);
    }

    #[test]
    fn the_band_of_many_curves_is_that_of_the_bootstrap() {
        let curve =
            |seed: u32| (0..6).map(|x| f64::from(seed * 7919 % 1000) / 1000.0 + f64::from(x)).collect::<Vec<f64>>();
        let mut many: Vec<Vec<f64>> = (0..MANY_SCORES as u32).map(curve).collect();
        many.iter_mut().skip(2).for_each(|curve| curve.truncate(5));
        let (low, high) = iqm_interval(&many, &mut SplitMix64::new(1));
        let few: Vec<Vec<f64>> = many.iter().skip(1).cloned().collect();
        let (drawn_low, drawn_high) = iqm_interval(&few, &mut SplitMix64::new(1));
        for place in 0..5 {
            let width = drawn_high[place] - drawn_low[place];
            assert!((low[place] - drawn_low[place]).abs() < width / 4.0, "{low:?} {drawn_low:?}");
            assert!((high[place] - drawn_high[place]).abs() < width / 4.0, "{high:?} {drawn_high:?}");
        }
        // Two curves reach the last place.
        assert_eq!((low[5], high[5]), (many[0][5].min(many[1][5]), many[0][5].max(many[1][5])));
    }

    #[test]
    fn two_runs_have_a_middle_and_no_band() {
        let band = of(&[vec![0.0, 1.0], vec![2.0, 3.0]]).unwrap();
        assert!(band.low.is_empty() && band.high.is_empty());
        assert_eq!((band.middle[0], band.middle[STEPS - 1]), (1.0, 2.0));
        assert_eq!(of(&[vec![1.0], vec![1.0, 2.0]]), None, "no shared range");
        assert_eq!(of(&[]), None);
    }
}

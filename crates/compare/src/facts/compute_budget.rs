//! The compute that a target reward needs, from the curve that gives the ceiling.
//!
//! Two curves may give one: ScaleRL's sigmoid and the saturating power law. The one that fits better gives the number;
//! where the other fits as well, the interval holds both.

use super::scaling::Scaling;
use rundown_format::named_enum;
use rundown_stats::CompactSort as _;
use rundown_stats::{self as stats, Crossing};

/// Part of the points at the start, and points at the end, that make a level.
const FIRST: usize = 20;
const LAST: usize = 6;

named_enum! {
    name
    /// The reward for which the compute is estimated.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum RewardTarget {
        /// Half of what is left between the level at the end and the ceiling.
        HalfOfRest = "half",
        /// 90 % of the way from the start to the ceiling.
        #[default]
        Ninety = "90",
        /// 95 % of it.
        NinetyFive = "95",
        /// 99 % of it.
        NinetyNine = "99",
        /// The best level at the end of any run that is compared.
        BestRun = "best",
    }
}

/// What a target reward costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComputeBudget {
    /// The reward.
    pub target: f64,
    /// The compute that it needs.
    pub need: ComputeNeed,
}

/// The compute for a reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ComputeNeed {
    /// By the fitted curve, with its 95 % interval; the upper end is infinite where the reward may lie above the
    /// ceiling. The unit is that of the run's compute.
    About {
        /// The compute.
        compute: f64,
        /// Its interval.
        interval: (f64, f64),
    },
    /// The reward lies above the ceiling, but within its interval.
    Unsure,
    /// The reward lies above the ceiling's interval.
    NotReachable,
}

/// A curve with a ceiling.
struct BoundedCurve {
    asymptote: f64,
    high: f64,
    aicc: f64,
    crossing: Box<dyn Fn(f64) -> Option<Crossing>>,
}

impl Scaling {
    /// The compute for a target; `None` where no curve gives a ceiling. `best` is the best level at the end of any run
    /// that is compared.
    pub fn budget(&self, target: RewardTarget, best: f64) -> Option<ComputeBudget> {
        // Targets are shares of the way to the ceiling: without one that passes its guards there are none.
        self.ceiling()?;
        let curves = self.bounded_curves();
        let curve = curves.first()?;
        let way = |part: f64| self.start_level().map(|start| start + part * (curve.asymptote - start));
        let target = match target {
            RewardTarget::HalfOfRest => 0.5 * (self.end_level()? + curve.asymptote),
            RewardTarget::Ninety => way(0.9)?,
            RewardTarget::NinetyFive => way(0.95)?,
            RewardTarget::NinetyNine => way(0.99)?,
            RewardTarget::BestRun => best,
        };
        target.is_finite().then(|| ComputeBudget { target, need: need(&curves, target) })
    }

    /// Mean reward of the last stretches; `None` without any.
    pub fn end_level(&self) -> Option<f64> {
        stats::mean(self.measure.get(self.measure.len().saturating_sub(LAST)..)?)
    }

    fn start_level(&self) -> Option<f64> {
        stats::mean(self.measure.get(..self.measure.len().div_ceil(FIRST))?)
    }

    /// The curves that give a ceiling and fit equally well, the best first.
    fn bounded_curves(&self) -> Vec<BoundedCurve> {
        let ceiling = self.is_share.then_some(1.0);
        let sigmoid = stats::fit_sigmoid(&self.compute, &self.measure, ceiling).ok();
        let sigmoid = sigmoid.filter(|fit| fit.forecast().is_some()).map(|fit| BoundedCurve {
            asymptote: fit.asymptote,
            high: fit.high,
            aicc: fit.aicc,
            crossing: Box::new(move |value| fit.crossing(value)),
        });
        let power = stats::fit_saturating_power(&self.compute, &self.measure).ok();
        let power = power.filter(|fit| fit.forecast().is_some()).map(|fit| BoundedCurve {
            asymptote: fit.asymptote,
            high: fit.high,
            aicc: fit.aicc,
            crossing: Box::new(move |value| fit.crossing(value)),
        });
        let mut curves: Vec<BoundedCurve> = sigmoid.into_iter().chain(power).collect();
        curves.compact_sort_by(|a, b| a.aicc.total_cmp(&b.aicc));
        let best = curves.first().map_or(f64::NAN, |curve| curve.aicc);
        curves.retain(|curve| curve.aicc < best + super::scaling_curves::AICC_MARGIN);
        curves
    }
}

/// The compute by the first curve, with an interval that holds those of all.
fn need(curves: &[BoundedCurve], target: f64) -> ComputeNeed {
    let reached: Vec<Option<Crossing>> = curves.iter().map(|curve| (curve.crossing)(target)).collect();
    let Some(Some(first)) = reached.first() else {
        let beyond = curves.iter().all(|curve| target > curve.high);
        return if beyond { ComputeNeed::NotReachable } else { ComputeNeed::Unsure };
    };
    let low = reached.iter().flatten().map(|crossing| crossing.low).fold(first.low, f64::min);
    let high = reached.iter().map(|crossing| crossing.map_or(f64::INFINITY, |crossing| crossing.high));
    ComputeNeed::About { compute: first.x, interval: (low, high.fold(first.high, f64::max)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::Run;
    use rundown_stats::testing::white;

    /// Rewards from 0.2 to 0.7 over 400 units of compute, half of it at 60.
    fn bounded() -> Scaling {
        let noise = white(5, 400);
        let mut run = Run::default();
        for (place, noise) in noise.iter().enumerate() {
            let x = place as f64 + 1.0;
            let row = run.push_row(x, 60.0 * x);
            run.push_value("power_law/cumulative_flops", row, x);
            run.push_value("train/reward", row, 0.2 + 0.5 / (1.0 + libm::pow(60.0 / x, 1.6)) + 0.01 * noise);
        }
        run.choose_axis();
        Scaling::of((&run, &diagnose(&run, &Rulebook::default()))).unwrap()
    }

    #[test]
    fn the_compute_of_a_target_is_that_of_the_curve() {
        let budget = bounded().budget(RewardTarget::Ninety, f64::NAN).unwrap();
        let ComputeNeed::About { compute, interval: (low, high) } = budget.need else { panic!("{budget:?}") };
        // Solved by hand: 0.9 of the way at 60 * 9^(1 / 1.6).
        let expected = 60.0 * libm::pow(9.0, 1.0 / 1.6);
        assert!((compute / expected - 1.0).abs() < 0.15, "{budget:?}");
        assert!(low < expected && expected < high && high < 2.0 * expected, "{budget:?}");
        let more = bounded().budget(RewardTarget::NinetyNine, f64::NAN).unwrap();
        assert!(matches!(more.need, ComputeNeed::About { compute: next, .. } if next > 2.0 * compute), "{more:?}");
    }

    #[test]
    fn a_reward_above_the_ceiling_is_not_reachable() {
        let need = |best: f64| bounded().budget(RewardTarget::BestRun, best).map(|budget| budget.need);
        assert_eq!(need(0.9), Some(ComputeNeed::NotReachable));
        assert!(matches!(need(0.6), Some(ComputeNeed::About { .. })));
        assert_eq!(need(f64::NAN), None);
        let half = bounded().budget(RewardTarget::HalfOfRest, f64::NAN).unwrap();
        assert!((0.66..0.71).contains(&half.target), "{half:?}");
    }
}

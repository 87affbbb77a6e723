//! Curves of compute against reward: the ceiling that they approach, and the gain expected of more compute.
//!
//! These fits take longer than a diagnosis may, so they are fitted to the thinned pairs when a view or a report needs
//! them.

use super::Z_95;
use super::scaling::Scaling;
use rundown_stats as stats;

/// Forecasts reach up to this multiple of the compute seen.
pub const MAX_FORECAST_RATIO: f64 = 2.0;
/// Difference of Akaike's criterion from which on the lower curve is preferred (Burnham and Anderson 2004: models within 2
/// are equally supported).
pub(super) const AICC_MARGIN: f64 = 2.0;
/// Part of the way to the ceiling from which a run is saturated.
const SATURATED_SHARE: f64 = 0.9;

/// The level that a curve approaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceiling {
    /// The level.
    pub level: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// Part of the way from the start to it that is done.
    pub reached: f64,
    /// The ceiling of another curve that fits as well, where it is a different one.
    pub disputed: Option<f64>,
}

/// What is expected at twice the compute seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedGain {
    /// The reward.
    pub value: f64,
    /// Its 95 % interval, of the mean and not of a single step.
    pub interval: (f64, f64),
}

impl Scaling {
    /// The ceiling by ScaleRL's sigmoid, where it passes its guards, and the saturating power law as a second
    /// opinion. A plain power law that fits better has none.
    pub fn ceiling(&self) -> Option<Ceiling> {
        let ceiling = self.is_share.then_some(1.0);
        let sigmoid = stats::fit_sigmoid(&self.compute, &self.measure, ceiling).ok()?;
        let level = sigmoid.forecast()?;
        if self.open_error().is_some_and(|open| open + AICC_MARGIN < sigmoid.aicc) {
            return None;
        }
        let last = self.measure.last().copied().unwrap_or(f64::NAN);
        let other = stats::fit_saturating_power(&self.compute, &self.measure).ok();
        let other = other.filter(|other| other.aicc < sigmoid.aicc + AICC_MARGIN).and_then(|other| other.forecast());
        let differs = |other: &f64| !(sigmoid.low..=sigmoid.high).contains(other);
        let end = self.measure.get(self.measure.len().saturating_sub(6)..).and_then(stats::mean).unwrap_or(last);
        Some(Ceiling {
            level,
            interval: (sigmoid.low, sigmoid.high),
            reached: (end - sigmoid.start) / (level - sigmoid.start),
            disputed: other.filter(differs),
        })
    }

    /// Akaike's criterion of the law with an offset, which has no ceiling.
    fn open_error(&self) -> Option<f64> {
        let fit = stats::fit_offset_power(&self.compute, &self.measure).ok()?;
        let residual = |(x, y): (&f64, &f64)| (y - fit.at(*x)) * (y - fit.at(*x));
        let sse: f64 = self.compute.iter().zip(&self.measure).map(residual).sum();
        Some(stats::aicc(sse, self.compute.len(), 3))
    }

    /// What twice the compute would bring by the power law; `None` where the points bend.
    pub fn at_twice(&self) -> Option<ExpectedGain> {
        let law = self.reported_law().filter(|law| law.is_straight && law.points > 0)?;
        let compute = MAX_FORECAST_RATIO * self.seen.1;
        let value = law.factor * libm::pow(compute, law.exponent);
        let logs: Vec<f64> = self.compute.iter().map(|x| libm::log(*x)).collect();
        let away = libm::log(compute) - stats::mean(&logs)?;
        let level = Z_95 * law.residual / f64::from(law.points).sqrt();
        let half = (law.half() * away).abs() + level;
        (value.is_finite() && half.is_finite())
            .then(|| ExpectedGain { value, interval: (value * libm::exp(-half), value * libm::exp(half)) })
    }
}

impl Ceiling {
    /// True when more compute buys little.
    pub fn is_near(&self) -> bool {
        self.reached >= SATURATED_SHARE
    }
}

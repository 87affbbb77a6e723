//! How the time of a step divides: sampling, training, waiting, and both at once.

use crate::context::Context;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

/// The phases of the typical step, in seconds; NaN where they are not logged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Phases {
    /// The whole step, by itself or as the sum of sampling and training.
    pub step: f64,
    /// Sampling.
    pub rollout: f64,
    /// Updates.
    pub train: f64,
}

impl Phases {
    /// Medians over the run.
    pub fn of(context: &Context<'_>) -> Self {
        let typical = |concept| context.signal(concept).and_then(|signal| stats::median(&signal.values));
        let rollout = typical(Concept::RolloutTime).unwrap_or(f64::NAN);
        let train = typical(Concept::TrainTime).unwrap_or(f64::NAN);
        Self { step: typical(Concept::StepTime).unwrap_or(rollout + train), rollout, train }
    }

    /// Share of the step that a waiting time takes, typical over the run; `None` without the step's time.
    pub fn share(&self, signal: &MetricSeries<'_>) -> Option<f64> {
        let typical = stats::median(&signal.values)?;
        let share = if signal.binding.unit == Unit::Seconds { typical / self.step } else { typical };
        (share.is_finite() && (0.0..=1.05).contains(&share)).then_some(share)
    }

    /// True when sampling and training were both logged and alternate: together they are the step.
    pub fn alternate(&self) -> bool {
        self.rollout > 0.0 && self.train > 0.0 && self.rollout + self.train <= 1.05 * self.step
    }
}

//! Metrics that were never computed, such as an entropy of 0 in every row: set aside, so that no check takes them for measurements.

use super::Signals;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::signal_change;
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, RewardKind, Unit};

/// Part of its spread up to which the mean of a reward is 0 but for rounding. Ours: of thousands of responses the mean of one that
/// is not normalised scatters by more.
const CENTRED: f64 = 1e-3;

impl<'a> Signals<'a> {
    /// Sets constant zeros aside: entropy always; KL and gradient norm unless nothing else moved either, for then
    /// they may rightly be zero; a score that is no share beside another one that is not zero. And a share of clipped ratios that is
    /// 1 in every row, and a reward that is centred.
    pub(crate) fn set_aside_not_computed(&mut self, rewards_are_constant: bool) {
        let least = self.rulebook.constant_points().value as usize;
        let is_zero = |signal: &MetricSeries<'_>| signal.len() >= least && signal.is_zero();
        self.set_aside(Concept::Entropy, is_zero);
        self.set_aside(Concept::ClipFraction, |signal| {
            signal.len() >= least && signal.min() == 1.0 && signal.max() == 1.0
        });
        let spread = self.signal(Concept::RewardStd).and_then(|spread| stats::median(&spread.values)).unwrap_or(0.0);
        self.set_aside(Concept::Reward, |signal| signal.len() >= least && is_centred(signal, spread));
        let is_score = |signal: &MetricSeries<'_>| {
            signal.binding.unit == Unit::Plain
                && signal.binding.direction == Direction::Up
                && signal.reward_kind() != RewardKind::Form
        };
        let mut evaluations = self.signals(Concept::Evaluation).iter();
        if evaluations.any(|signal| is_score(signal) && signal.len() >= least && !signal.is_constant()) {
            self.set_aside(Concept::Evaluation, |signal| is_score(signal) && is_zero(signal));
        }
        if !rewards_are_constant && self.something_moved() {
            self.set_aside(Concept::KlToReference, is_zero);
            self.set_aside(Concept::GradientNorm, is_zero);
        }
    }

    fn set_aside(&mut self, concept: Concept, is_missing: impl Fn(&MetricSeries<'_>) -> bool) {
        let Some(signals) = self.signals.get_mut(&concept) else { return };
        let (mut missing, kept): (Vec<MetricSeries<'a>>, Vec<MetricSeries<'a>>) =
            std::mem::take(signals).into_iter().partition(is_missing);
        *signals = kept;
        self.not_computed.append(&mut missing);
        // It is told by the signals.
        self.acts_in_environment.take();
    }

    /// True when entropy, reward or evaluation changed beyond their noise: then the policy has moved.
    fn something_moved(&self) -> bool {
        let sure = self.rulebook.learning_z().value;
        let moved = [self.signal(Concept::Entropy), self.signal(Concept::Reward), self.evaluation()];
        moved.into_iter().flatten().filter_map(signal_change).any(|change| change.z().abs() >= sure)
    }
}

/// True for a reward whose mean is nothing beside its spread in every row: it was normalised over the batch, and is 0 but for rounding
/// whatever the policy earns.
fn is_centred(reward: &MetricSeries<'_>, spread: f64) -> bool {
    spread > 0.0 && reward.values.iter().all(|mean| mean.abs() <= CENTRED * spread)
}

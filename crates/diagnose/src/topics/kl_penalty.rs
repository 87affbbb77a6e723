//! Whether the KL penalty within the reward outweighs the score.
//!
//! verl logs the mean score and the mean reward after the penalty. The penalty adds up over the tokens of a response: where it
//! is larger than all that a response can score, the policy learns to pay less of it, and the shortest response pays least.
//! A larger coefficient, which else holds a policy near the reference, makes that worse.

use crate::advice::{FROM_STRONG_KL_TERM, LOWER_KL_COEFFICIENT};
use crate::context::Context;
use crate::measure::matched::matched;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::{Action, ActionKind, Code, Finding};
use rundown_format::rich_text::number;
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Points of the start, before the policy has learned to avoid the penalty.
const START: usize = 5;

/// A penalty that is larger than the range of the score.
pub(crate) struct LargePenalty {
    /// What it takes off the mean score at the start.
    size: f64,
    /// Largest minus smallest score of a response.
    range: f64,
}

/// The penalty, where it outweighs the score.
pub(crate) fn large_penalty(context: &Context<'_>) -> Option<LargePenalty> {
    context.signal(Concept::KlToReference)?;
    let rewards = context.signals(Concept::Reward);
    let pairs = rewards.iter().flat_map(|score| rewards.iter().map(move |other| (score, other)));
    let (score, penalised) = pairs.into_iter().find(|(score, other)| is_after_penalties(score.key(), other.key()))?;
    let [_, scores, after] = matched(score, penalised);
    let taken: Vec<f64> = scores.iter().zip(after.iter()).take(START).map(|(score, after)| score - after).collect();
    let size = stats::median(&taken)?;
    let range = range(context, score);
    (range > 0.0 && size > range).then_some(LargePenalty { size, range })
}

/// True for a score and a reward of the same run, as verl names them before and after penalties; two metrics of the
/// reward that are called alike may be anything.
pub(crate) fn is_after_penalties(score: &str, other: &str) -> bool {
    let is_before = |key: &str| key.contains("score") || key.contains("raw");
    is_before(score) && other.contains("reward") && !is_before(other)
}

/// Says so in the first finding of what the policy does about such a penalty, and advises to lower the coefficient alone. No finding
/// calls the KL term weak then.
#[inline(never)]
pub(crate) fn explain(findings: &mut [Finding], context: &Context<'_>) {
    let is_consequence = |finding: &&mut Finding| matches!(finding.code, Code::KlBlowUp | Code::LengthCollapse);
    let Some(penalty) = large_penalty(context) else { return };
    let action = LOWER_KL_COEFFICIENT.action(context, "the reward after the penalty is near the score");
    let is_other = |other: &Action| match (&other.kind, &action.kind) {
        (ActionKind::Set { setting: one, .. }, ActionKind::Set { setting: another, .. }) => one != another,
        _ => true,
    };
    let coefficient = context.setting(Hyperparameter::KlCoefficient).map(|setting| setting.key);
    for finding in findings.iter_mut() {
        finding.actions.retain(is_other);
        // A term that takes more than a response can score is not too weak. Findings on the config itself quote it for what it is.
        let is_of_config = matches!(finding.code, Code::ConfigConflict | Code::ConfigUnusual);
        if !is_of_config && !FROM_STRONG_KL_TERM.contains(&finding.code) {
            finding.causes.retain(|cause| Some(&cause.config) != coefficient.as_ref());
        }
    }
    let Some(finding) = findings.iter_mut().find(is_consequence) else { return };
    finding.detail.append(penalty.words());
    if action.kind.changes_anything() {
        finding.actions.insert(0, action);
    }
}

impl LargePenalty {
    fn words(&self) -> RichText {
        rich!(
            " The KL penalty takes {} off a score whose range is {}: the policy learns to pay less of it, and short responses pay \
             least.",
            number(self.size),
            number(self.range)
        )
    }
}

/// Range of the score of single responses where it is logged, else twice the largest mean.
fn range(context: &Context<'_>, score: &MetricSeries<'_>) -> f64 {
    let largest = context.signal(Concept::RewardMax).map(MetricSeries::max);
    let smallest = context.signal(Concept::RewardMin).map(MetricSeries::min);
    match largest.zip(smallest) {
        Some((largest, smallest)) => largest - smallest,
        None => 2.0 * score.max().abs().max(score.min().abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rulebook;
    use crate::checks::testing::{Synthetic, within};

    fn penalised(size: f64) -> Synthetic {
        Synthetic::healthy(100)
            .without("train/reward")
            .noisy("critic/score/mean", 0.05, |t| -0.6 + 0.4 * t)
            .noisy("critic/rewards/mean", 0.05, move |t| -0.6 + 0.4 * t - size * (1.0 - t))
            .every("critic/score/max", 1, |_| 1.0)
            .every("critic/score/min", 1, |_| -1.0)
            .noisy("actor/reward_kl_penalty", 0.05, |t| 0.8 + 3.0 * t)
            .config("algorithm.kl_ctrl.kl_coef", 0.02)
    }

    fn size(run: Synthetic) -> Option<f64> {
        within(&run.build(), large_penalty).map(|penalty| penalty.size)
    }

    #[test]
    fn a_penalty_above_the_range_of_the_score_outweighs_it() {
        assert!(size(penalised(13.0)).is_some_and(|size| (12.0..14.0).contains(&size)));
        assert_eq!(size(penalised(0.2)), None);
        assert_eq!(size(penalised(13.0).without("critic/rewards/mean")), None);
    }

    #[test]
    fn a_term_that_outweighs_the_score_is_not_called_weak() {
        let is_called_weak = |penalty: f64| {
            let run = penalised(penalty).without("actor/reward_kl_penalty").without("eval/accuracy");
            let run = run.noisy("train/kl", 0.1, |t| 0.8 + 15.0 * t).build();
            let findings = crate::diagnose(&run, &Rulebook::default()).findings;
            let mut causes = findings.iter().flat_map(|finding| &finding.causes);
            causes.any(|cause| cause.config.contains("kl_coef") && cause.why.to_string().contains("weak"))
        };
        assert!(is_called_weak(0.2) && !is_called_weak(13.0));
    }
}

//! Settings that could explain a finding.

use crate::context::Context;
use crate::settings::{ActingSetting, Hyperparameter, Setting};
use crate::{Cause, Code};
use rundown_format::rich_text::number;
use rundown_format::{RichText, rich};

/// A cause from a setting: its value, whether that is unusual, and why it could explain the finding.
fn cause(ActingSetting { setting, updates }: ActingSetting, why: &str) -> Cause {
    let mut why = RichText::from(why);
    if let Some(updates) = updates {
        why.append(rich!(" Each pass over a batch makes {} updates.", number(updates)));
    }
    if let (false, Some((low, high))) = (setting.remark.is_empty(), setting.usual) {
        let remark = setting.remark.as_str();
        why.append(rich!(" Unusual ({}): {} to {} is common.", remark, number(low), number(high)));
    }
    Cause { config: setting.key, value: setting.text, why }
}

/// Causes of a finding among the settings of `hyperparameters` that the run has.
pub(super) fn causes(context: &Context<'_>, code: Code, hyperparameters: &[(Hyperparameter, &str)]) -> Vec<Cause> {
    let found = |(hyperparameter, why): &(Hyperparameter, &str)| {
        let acting = context.acting_setting(*hyperparameter).filter(|acting| explains(code, &acting.setting))?;
        Some(cause(acting, why))
    };
    hyperparameters.iter().filter_map(found).collect()
}

/// Findings that a strong KL term may bring about; the others follow from a weak one.
pub(crate) const FROM_STRONG_KL_TERM: [Code; 8] = [
    Code::ReferenceMismatch,
    Code::TooConservative,
    Code::NoLearning,
    Code::EloStagnant,
    Code::GradientSpikes,
    Code::GradientNormHigh,
    Code::LossDivergence,
    Code::PenalisedRewardFalling,
];

/// False for a value on the side on which it cannot bring the finding about, such as a temperature of 1 for responses that
/// are too much alike.
fn explains(code: Code, setting: &Setting) -> bool {
    let value = setting.value;
    match (setting.hyperparameter, code) {
        // One epoch per batch is the fewest there can be: it explains no harm.
        (Hyperparameter::EpochsPerBatch, _) => value > 1.0,
        // The other findings blame a missing warm-up.
        (Hyperparameter::Warmup, code) => code == Code::WarmupMissing || value == 0.0,
        (Hyperparameter::Temperature, Code::EntropyExplosion | Code::Truncation | Code::ExtractionRateLow) => {
            value > 1.0
        }
        (
            Hyperparameter::Temperature,
            Code::ZeroVarianceGroups | Code::GradientDying | Code::EntropyCollapse | Code::EntropyCollapsedAtStart,
        ) => value < 1.0,
        // DAPO and NeMo-RL take 16: a group of so many is not small.
        (Hyperparameter::Generations, code) if code != Code::RolloutSlow => value < 16.0,
        // Only a mean over each response favours long wrong answers (Dr. GRPO): verl's and TRL's words for it.
        (Hyperparameter::LossAggregation, _) => setting.text == "seq-mean-token-mean",
        (Hyperparameter::LossType, Code::LengthExplosion) => setting.text == "grpo",
        // Above what is usual the KL term is strong: no finding of a weak one follows from it.
        (Hyperparameter::KlCoefficient, code) if !FROM_STRONG_KL_TERM.contains(&code) => {
            setting.usual.is_none_or(|(_, high)| value <= high)
        }
        // As high as DAPO has it, the clip holds nothing back.
        (Hyperparameter::ClipHigh, Code::EntropyCollapse) => value < 0.28,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};

    #[test]
    fn a_strong_kl_term_is_not_called_weak() {
        let count = |code: Code, beta: f64| {
            let run = Synthetic::healthy(100).config("beta", beta).build();
            let settings = [(Hyperparameter::KlCoefficient, "The KL term.")];
            within(&run, |context| causes(context, code, &settings)).len()
        };
        assert_eq!([0.001, 0.1, 1.0].map(|beta| count(Code::KlDrift, beta)), [1, 1, 0]);
        assert_eq!(count(Code::TooConservative, 1.0), 1);
    }

    #[test]
    fn many_responses_are_not_called_few() {
        let count = |code: Code, group: f64| {
            let run = Synthetic::healthy(100).config("num_generations", group).build();
            let settings = [(Hyperparameter::Generations, "The size of a group.")];
            within(&run, |context| causes(context, code, &settings)).len()
        };
        assert_eq!([4.0, 8.0, 16.0].map(|group| count(Code::ZeroVarianceGroups, group)), [1, 1, 0]);
        assert_eq!(count(Code::RolloutSlow, 16.0), 1);
    }
}

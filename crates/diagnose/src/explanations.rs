//! The tables behind `causes`: which finding explains which, which dates its cause, and which makes another redundant.

use crate::Code;

/// Causes and what they bring about, the deeper cause first: a finding is put under the first that fits.
pub(super) const EXPLAINS: &[(Code, &[Code])] = &[
    // A model with NaN weights generates noise up to the length limit and gets no reward.
    (
        Code::NonfiniteValues,
        &[
            Code::RunCrashed,
            Code::RewardBreak,
            Code::RewardComponentDead,
            Code::RegressionFromPeak,
            Code::NoLearning,
            Code::ZeroVarianceGroups,
            Code::GradientDying,
            Code::InvalidOutputsRising,
            Code::EmptyResponses,
            Code::ExtractionRateLow,
            Code::LengthExplosion,
            Code::LengthCollapse,
            Code::LengthPinnedAtCap,
            Code::Truncation,
            Code::CriticFailure,
            Code::TooConservative,
        ],
    ),
    (Code::NoMetrics, &[Code::InsufficientData]),
    (Code::Stalled, &[Code::StepTimeOutliers]),
    (
        Code::Staleness,
        &[
            Code::SamplerMismatch,
            Code::ClipFractionHigh,
            Code::RatioDrift,
            Code::GradientSpikes,
            Code::LossSpikes,
            Code::GradientNormHigh,
        ],
    ),
    (
        Code::SamplerMismatch,
        &[
            Code::KlBlowUp,
            Code::KlDrift,
            Code::ClipFractionHigh,
            Code::RatioDrift,
            Code::EntropyCollapse,
            Code::EntropyExplosion,
            Code::RewardBreak,
            Code::GradientSpikes,
            Code::LossSpikes,
            Code::GradientNormHigh,
            Code::LossDivergence,
            Code::RegressionFromPeak,
            Code::NoLearning,
            Code::RewardUnstable,
        ],
    ),
    (Code::MemoryCreep, &[Code::RunCrashed]),
    (Code::VolumeReloadSlow, &[Code::RolloutSlow, Code::StepTimeOutliers, Code::ThroughputRegression]),
    (
        Code::RolloutFailures,
        &[
            Code::ErrorRateHigh,
            Code::StepTimeOutliers,
            Code::ComputePerStepUneven,
            Code::RewardBreak,
            Code::RegressionFromPeak,
        ],
    ),
    (
        Code::RolloutSlow,
        &[Code::ThroughputRegression, Code::RolloutBound, Code::CacheHotButSlow, Code::StepTimeOutliers],
    ),
    // Responses without an end, or of a policy that is far from where it began, earn no function of the reward.
    (Code::Truncation, &[Code::PartialResponses, Code::ExtractionRateLow, Code::RewardComponentDead, Code::NoLearning]),
    (Code::ExtractionRateLow, &[Code::EmptyResponses, Code::PartialResponses, Code::RewardBreak]),
    (Code::CacheHitRateLow, &[Code::CacheNotWarming]),
    (Code::EloGapShrinking, &[Code::ReferenceEloRising]),
    (Code::EloStagnant, &[Code::ReferenceEloRising]),
    (
        Code::RewardHacking,
        &[
            Code::KlBlowUp,
            Code::KlDrift,
            Code::KlSpikes,
            Code::KlWithoutReward,
            Code::LengthExplosion,
            Code::EntropyCollapse,
            Code::EntropyExplosion,
            Code::ZeroVarianceGroups,
            Code::GradientSpikes,
            Code::LossSpikes,
            Code::GradientDying,
            Code::GradientNormHigh,
            Code::RegressionFromPeak,
            Code::RewardComponentDead,
            Code::InvalidOutputsRising,
            Code::LengthCollapse,
            Code::LengthPinnedAtCap,
            Code::LengthRewardCoupling,
            Code::Truncation,
        ],
    ),
    (
        Code::PenalisedRewardFalling,
        &[
            Code::KlDrift,
            Code::KlSpikes,
            Code::KlWithoutReward,
            Code::EntropyCollapse,
            Code::LengthCollapse,
            Code::InvalidOutputsRising,
            Code::GradientNormHigh,
            Code::GradientDying,
            Code::ZeroVarianceGroups,
        ],
    ),
    // A policy that memorises its prompts loses entropy on them, and their groups agree.
    (
        Code::Overfitting,
        &[
            Code::EntropyCollapse,
            Code::ZeroVarianceGroups,
            Code::GradientDying,
            Code::RegressionFromPeak,
            Code::NoLearning,
            Code::KlWithoutReward,
        ],
    ),
    (
        Code::LearningRateTooHigh,
        &[
            Code::TooAggressive,
            Code::KlBlowUp,
            Code::KlDrift,
            Code::KlSpikes,
            Code::KlWithoutReward,
            Code::ClipFractionHigh,
            Code::RatioDrift,
            Code::EntropyCollapse,
            Code::EntropyExplosion,
            Code::LengthExplosion,
            Code::ZeroVarianceGroups,
            Code::GradientSpikes,
            Code::LossSpikes,
            Code::GradientDying,
            Code::GradientNormHigh,
            Code::LossDivergence,
            Code::RegressionFromPeak,
            Code::NoLearning,
            Code::RewardUnstable,
            Code::InvalidOutputsRising,
            Code::LengthCollapse,
            Code::LengthPinnedAtCap,
            Code::Truncation,
        ],
    ),
    (
        Code::TooAggressive,
        &[
            Code::KlDrift,
            Code::KlSpikes,
            Code::KlWithoutReward,
            Code::ClipFractionHigh,
            Code::RatioDrift,
            Code::EntropyCollapse,
            Code::EntropyExplosion,
            Code::LengthCollapse,
            Code::GradientSpikes,
            Code::LossSpikes,
            Code::GradientNormHigh,
            Code::RegressionFromPeak,
            Code::NoLearning,
            Code::RewardUnstable,
        ],
    ),
    (Code::WarmupMissing, &[Code::KlSpikes, Code::GradientSpikes, Code::LossSpikes]),
    (Code::FormatOnlyPolicy, &[Code::ProxyOnlyGain, Code::ZeroVarianceGroups, Code::NoLearning, Code::TooConservative]),
    (Code::ProxyOnlyGain, &[Code::LengthRewardCoupling, Code::NoLearning]),
    (
        Code::KlBlowUp,
        &[
            Code::TooAggressive,
            Code::KlWithoutReward,
            Code::EntropyCollapse,
            Code::EntropyExplosion,
            Code::LengthExplosion,
            Code::ZeroVarianceGroups,
            Code::RewardBreak,
            Code::RewardComponentDead,
            Code::GradientSpikes,
            Code::LossSpikes,
            Code::GradientDying,
            Code::GradientNormHigh,
            Code::LossDivergence,
            Code::RewardUnstable,
            Code::RegressionFromPeak,
            Code::NoLearning,
            Code::InvalidOutputsRising,
            Code::LengthCollapse,
            Code::LengthPinnedAtCap,
            Code::Truncation,
        ],
    ),
    (Code::KlDrift, &[Code::KlWithoutReward, Code::EntropyExplosion, Code::NoLearning]),
    (Code::KlWithoutReward, &[Code::NoLearning]),
    (Code::RatioDrift, &[Code::ClipFractionHigh]),
    (Code::CriticFailure, &[Code::LossDivergence, Code::Plateau, Code::NoLearning]),
    (
        Code::LossDivergence,
        &[
            Code::GradientNormHigh,
            Code::GradientSpikes,
            Code::RewardUnstable,
            Code::RegressionFromPeak,
            Code::NoLearning,
        ],
    ),
    (Code::EntropyExplosion, &[Code::RewardUnstable, Code::RegressionFromPeak, Code::NoLearning]),
    (
        Code::LengthExplosion,
        &[
            Code::RewardBreak,
            Code::RewardComponentDead,
            Code::GradientDying,
            Code::LengthPinnedAtCap,
            Code::Truncation,
            Code::LengthRewardCoupling,
            Code::RegressionFromPeak,
            Code::NoLearning,
        ],
    ),
    (
        Code::EntropyCollapsedAtStart,
        &[Code::ZeroVarianceGroups, Code::GradientDying, Code::TooConservative, Code::NoLearning, Code::Plateau],
    ),
    (
        Code::EntropyCollapse,
        &[
            Code::ZeroVarianceGroups,
            Code::GradientSpikes,
            Code::GradientDying,
            Code::LengthCollapse,
            Code::RegressionFromPeak,
            Code::NoLearning,
        ],
    ),
    (Code::ZeroVarianceGroups, &[Code::TooConservative, Code::GradientSpikes, Code::GradientDying, Code::NoLearning]),
    (Code::TooConservative, &[Code::GradientNormHigh, Code::NoLearning]),
    (Code::LearningRateZero, &[Code::Plateau, Code::TooConservative, Code::GradientDying, Code::NoLearning]),
    (Code::GradientDying, &[Code::Plateau, Code::NoLearning]),
    // A reward that is the same for all responses has no gradient, and the KL term takes the policy back.
    (
        Code::RewardComponentDead,
        &[Code::RewardBreak, Code::ZeroVarianceGroups, Code::GradientDying, Code::RegressionFromPeak],
    ),
    // A policy that was damaged at one step is from then on far from the reference; where an environment fails, the text
    // of its tools is missing as well.
    (
        Code::RewardBreak,
        &[
            Code::LengthCollapse,
            Code::ZeroVarianceGroups,
            Code::RegressionFromPeak,
            Code::RewardUnstable,
            Code::KlDrift,
            Code::KlWithoutReward,
        ],
    ),
    (Code::InvalidOutputsRising, &[Code::RegressionFromPeak]),
    (Code::LengthPinnedAtCap, &[Code::Truncation, Code::NoLearning]),
    (Code::LengthCollapse, &[Code::RegressionFromPeak]),
    (Code::RewardUnstable, &[Code::RegressionFromPeak, Code::NoLearning]),
];

/// Whether a consequence that shows first dates its cause. An entropy or a length moves for reasons of its own too, such as a bonus: large
/// updates are not known to have begun with it.
pub(super) fn may_date(consequence: Code, cause: Code) -> bool {
    let moves_by_itself = matches!(consequence, Code::EntropyCollapse | Code::EntropyExplosion | Code::LengthCollapse);
    cause != Code::TooAggressive || !moves_by_itself
}

/// Findings of one step: what did not change by then does not explain them.
pub(super) const ABRUPT_FINDINGS: &[Code] = &[Code::RewardBreak];

/// Findings that make others redundant: the others say the same with less.
pub(super) const SUPPRESSES: &[(Code, &[Code])] = &[
    // While the KL runs away, its ups and downs are part of that.
    (Code::KlBlowUp, &[Code::KlDrift, Code::KlSpikes]),
    // A policy that updates throw about does not stand still.
    (Code::TooAggressive, &[Code::TooConservative]),
    (Code::LearningRateTooHigh, &[Code::TooConservative]),
    (Code::ClipFractionHigh, &[Code::TooConservative]),
    // A loss that runs away is no longer one that comes back.
    (Code::LossDivergence, &[Code::LossSpikes]),
    (Code::RewardHacking, &[Code::Overfitting, Code::ProxyOnlyGain, Code::FormatOnlyPolicy]),
    // What was lost beyond doubt had been gained.
    (Code::RegressionFromPeak, &[Code::GainNotEstablished]),
];

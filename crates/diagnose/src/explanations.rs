//! The tables behind `causes`: which finding explains which, which dates its cause, and which makes another redundant.

use crate::Code::{self, *};

/// Causes and what they bring about, the deeper cause first: a finding is put under the first that fits.
pub(super) const EXPLAINS: &[(Code, &[Code])] = &[
    // A model with NaN weights generates noise up to the length limit and gets no reward.
    (
        NonfiniteValues,
        &[
            RunCrashed, RewardBreak, RewardComponentDead, RegressionFromPeak, NoLearning, ZeroVarianceGroups,
            GradientDying, InvalidOutputsRising, EmptyResponses, ExtractionRateLow, LengthExplosion, LengthCollapse,
            LengthPinnedAtCap, Truncation, CriticFailure, TooConservative,
        ],
    ),
    (NoMetrics, &[InsufficientData]),
    (Stalled, &[StepTimeOutliers]),
    (Staleness, &[SamplerMismatch, ClipFractionHigh, RatioDrift, GradientSpikes, LossSpikes, GradientNormHigh]),
    (
        SamplerMismatch,
        &[
            KlBlowUp, KlDrift, ClipFractionHigh, RatioDrift, EntropyCollapse, EntropyExplosion, RewardBreak,
            GradientSpikes, LossSpikes, GradientNormHigh, LossDivergence, RegressionFromPeak, NoLearning,
            RewardUnstable,
        ],
    ),
    (MemoryCreep, &[RunCrashed]),
    (VolumeReloadSlow, &[RolloutSlow, StepTimeOutliers, ThroughputRegression]),
    (RolloutFailures, &[ErrorRateHigh, StepTimeOutliers, ComputePerStepUneven, RewardBreak, RegressionFromPeak]),
    (RolloutSlow, &[ThroughputRegression, RolloutBound, CacheHotButSlow, StepTimeOutliers]),
    // Responses without an end, or of a policy that is far from where it began, earn no function of the reward.
    (Truncation, &[PartialResponses, ExtractionRateLow, RewardComponentDead, NoLearning]),
    (ExtractionRateLow, &[EmptyResponses, PartialResponses, RewardBreak]),
    (CacheHitRateLow, &[CacheNotWarming]),
    (EloGapShrinking, &[ReferenceEloRising]),
    (EloStagnant, &[ReferenceEloRising]),
    (
        RewardHacking,
        &[
            KlBlowUp, KlDrift, KlSpikes, KlWithoutReward, LengthExplosion, EntropyCollapse, EntropyExplosion,
            ZeroVarianceGroups, GradientSpikes, LossSpikes, GradientDying, GradientNormHigh, RegressionFromPeak,
            RewardComponentDead, InvalidOutputsRising, LengthCollapse, LengthPinnedAtCap, LengthRewardCoupling,
            Truncation,
        ],
    ),
    (
        PenalisedRewardFalling,
        &[
            KlDrift, KlSpikes, KlWithoutReward, EntropyCollapse, LengthCollapse, InvalidOutputsRising,
            GradientNormHigh, GradientDying, ZeroVarianceGroups,
        ],
    ),
    // A policy that memorises its prompts loses entropy on them, and their groups agree.
    (
        Overfitting,
        &[EntropyCollapse, ZeroVarianceGroups, GradientDying, RegressionFromPeak, NoLearning, KlWithoutReward],
    ),
    (
        LearningRateTooHigh,
        &[
            TooAggressive, KlBlowUp, KlDrift, KlSpikes, KlWithoutReward, ClipFractionHigh, RatioDrift, EntropyCollapse,
            EntropyExplosion, LengthExplosion, ZeroVarianceGroups, GradientSpikes, LossSpikes, GradientDying,
            GradientNormHigh, LossDivergence, RegressionFromPeak, NoLearning, RewardUnstable, InvalidOutputsRising,
            LengthCollapse, LengthPinnedAtCap, Truncation,
        ],
    ),
    (
        TooAggressive,
        &[
            KlDrift, KlSpikes, KlWithoutReward, ClipFractionHigh, RatioDrift, EntropyCollapse, EntropyExplosion,
            LengthCollapse, GradientSpikes, LossSpikes, GradientNormHigh, RegressionFromPeak, NoLearning,
            RewardUnstable,
        ],
    ),
    (WarmupMissing, &[KlSpikes, GradientSpikes, LossSpikes]),
    (FormatOnlyPolicy, &[ProxyOnlyGain, ZeroVarianceGroups, NoLearning, TooConservative]),
    (ProxyOnlyGain, &[LengthRewardCoupling, NoLearning]),
    (
        KlBlowUp,
        &[
            TooAggressive, KlWithoutReward, EntropyCollapse, EntropyExplosion, LengthExplosion, ZeroVarianceGroups,
            RewardBreak, RewardComponentDead, GradientSpikes, LossSpikes, GradientDying, GradientNormHigh,
            LossDivergence, RewardUnstable, RegressionFromPeak, NoLearning, InvalidOutputsRising, LengthCollapse,
            LengthPinnedAtCap, Truncation,
        ],
    ),
    (KlDrift, &[KlWithoutReward, EntropyExplosion, NoLearning]),
    (KlWithoutReward, &[NoLearning]),
    (RatioDrift, &[ClipFractionHigh]),
    (CriticFailure, &[LossDivergence, Plateau, NoLearning]),
    (LossDivergence, &[GradientNormHigh, GradientSpikes, RewardUnstable, RegressionFromPeak, NoLearning]),
    (EntropyExplosion, &[RewardUnstable, RegressionFromPeak, NoLearning]),
    (
        LengthExplosion,
        &[
            RewardBreak, RewardComponentDead, GradientDying, LengthPinnedAtCap, Truncation, LengthRewardCoupling,
            RegressionFromPeak, NoLearning,
        ],
    ),
    (EntropyCollapsedAtStart, &[ZeroVarianceGroups, GradientDying, TooConservative, NoLearning, Plateau]),
    (
        EntropyCollapse,
        // Text that repeats itself has no end: the limit of the length.
        &[
            ZeroVarianceGroups, GradientSpikes, GradientDying, LengthCollapse, LengthPinnedAtCap, RegressionFromPeak,
            NoLearning,
        ],
    ),
    (ZeroVarianceGroups, &[TooConservative, GradientSpikes, GradientDying, NoLearning]),
    (TooConservative, &[GradientNormHigh, NoLearning]),
    (LearningRateZero, &[Plateau, TooConservative, GradientDying, NoLearning]),
    (GradientDying, &[Plateau, NoLearning]),
    // A reward that is the same for all responses has no gradient, and the KL term takes the policy back.
    (RewardComponentDead, &[RewardBreak, ZeroVarianceGroups, GradientDying, RegressionFromPeak]),
    // A policy that was damaged at one step is from then on far from the reference; where an environment fails, the text
    // of its tools is missing as well.
    (RewardBreak, &[LengthCollapse, ZeroVarianceGroups, RegressionFromPeak, RewardUnstable, KlDrift, KlWithoutReward]),
    (InvalidOutputsRising, &[RegressionFromPeak]),
    (LengthPinnedAtCap, &[Truncation, NoLearning]),
    (LengthCollapse, &[RegressionFromPeak]),
    (RewardUnstable, &[RegressionFromPeak, NoLearning]),
];

/// Whether a consequence that shows first dates its cause. An entropy or a length moves for reasons of its own too, such as a bonus: large
/// updates are not known to have begun with it.
pub(super) fn may_date(consequence: Code, cause: Code) -> bool {
    let moves_by_itself = matches!(consequence, Code::EntropyCollapse | Code::EntropyExplosion | Code::LengthCollapse);
    cause != Code::TooAggressive || !moves_by_itself
}

/// Findings of one step: what did not change by then does not explain them.
pub(super) const ABRUPT_FINDINGS: &[Code] = &[RewardBreak];

/// Findings that make others redundant: the others say the same with less.
pub(super) const SUPPRESSES: &[(Code, &[Code])] = &[
    // While the KL runs away, its ups and downs are part of that.
    (KlBlowUp, &[KlDrift, KlSpikes]),
    // A policy that updates throw about does not stand still.
    (TooAggressive, &[TooConservative]),
    (LearningRateTooHigh, &[TooConservative]),
    (ClipFractionHigh, &[TooConservative]),
    // A loss that runs away is no longer one that comes back.
    (LossDivergence, &[LossSpikes]),
    (RewardHacking, &[Overfitting, ProxyOnlyGain, FormatOnlyPolicy]),
    // What was lost beyond doubt had been gained.
    (RegressionFromPeak, &[GainNotEstablished]),
];

//! verl's keys, new and old (Search-R1, TinyZero), and of what keeps its names; read from its source of January 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Reward, "critic/score/mean", "the raw score, before any KL penalty"),
    mark(Concept::Reward, "critic/rewards/mean", "the score minus the KL penalty, if one is in the reward"),
    entry(Concept::RewardMax, "critic/score/max", ""),
    entry(Concept::RewardMax, "critic/rewards/max", ""),
    entry(Concept::RewardMin, "critic/score/min", ""),
    entry(Concept::RewardMin, "critic/rewards/min", ""),
    entry(Concept::RewardComponent, "reward_extra_info/{function}/mean", "forks"),
    mark(Concept::AdvantageMean, "critic/advantages/mean", "weighted by tokens"),
    entry(Concept::AdvantageMax, "critic/advantages/max", ""),
    entry(Concept::AdvantageMin, "critic/advantages/min", ""),
    entry(Concept::KlToReference, "actor/kl_loss", "mean over tokens, of the type kl_loss_type"),
    entry(Concept::KlToReference, "actor/reward_kl_penalty", "k1 in the reward, may be negative")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::KlToReference, "critic/kl", "older: k1 in the reward, may be negative")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::KlCoefficient, "actor/kl_coef", "weight of the KL loss"),
    entry(Concept::KlCoefficient, "actor/reward_kl_penalty_coeff", "weight of the KL in the reward"),
    entry(Concept::KlCoefficient, "critic/kl_coeff", "older: weight of the KL in the reward"),
    mark(Concept::KlToSampler, "actor/ppo_kl", "signed k1: 0 does not prove a ratio of 1")
        .in_unit(Unit::NatsPerTokenSigned),
    mark(Concept::Entropy, "actor/entropy", "mean over tokens"),
    mark(Concept::Entropy, "actor/entropy_loss", "older: the entropy itself, mean over tokens"),
    mark(Concept::ClipFraction, "actor/pg_clipfrac", "both sides"),
    // `actor/pg_clipfrac_lower` is the dual clip, not the lower side: no concept stands for it.
    mark(Concept::PolicyLoss, "actor/pg_loss", "near 0 is normal"),
    entry(Concept::ValueLoss, "critic/vf_loss", ""),
    entry(Concept::ValueClipFraction, "critic/vf_clipfrac", ""),
    entry(Concept::ExplainedVariance, "critic/vf_explained_var", ""),
    entry(Concept::ValueMean, "critic/values/mean", ""),
    entry(Concept::ValueMean, "critic/vpred_mean", "over the updates"),
    entry(Concept::ReturnMean, "critic/returns/mean", ""),
    mark(Concept::GradientNorm, "actor/grad_norm", "before clipping"),
    entry(Concept::LearningRate, "actor/lr", ""),
    entry(Concept::LearningRate, "actor/lr(1e-4)", "older").scaled(&Scale::TenThousandth),
    mark(Concept::ResponseLength, "response_length/mean", ""),
    entry(Concept::ResponseLengthMax, "response_length/max", ""),
    entry(Concept::ResponseLengthMin, "response_length/min", ""),
    entry(Concept::PromptLength, "prompt_length/mean", ""),
    entry(Concept::GlobalSequenceLength, "global_seqlen/mean", "tokens of a step on one rank, mean over the ranks"),
    mark(Concept::TruncatedShare, "response_length/clip_ratio", "responses as long as the limit"),
    entry(Concept::Turns, "num_turns/mean", ""),
    entry(Concept::Turns, "env/number_of_actions/mean", "Search-R1: actions of an episode"),
    entry(Concept::ValidOutputs, "env/ratio_of_valid_action", "Search-R1"),
    entry(Concept::ValidOutputs, "env/finish_ratio", "Search-R1: episodes that finished"),
    entry(Concept::FailedRollouts, "response/aborted_ratio", "responses that were aborted").in_unit(Unit::Share),
    entry(Concept::MismatchKl, "rollout_corr/k3_kl", ""),
    entry(Concept::MismatchKl, "rollout_corr/kl", "signed k1").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::MismatchKl, "mismatch/k3_kl", "0.5 and 0.6"),
    entry(Concept::MismatchKl, "mismatch/kl", "0.5 and 0.6: signed k1").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::MismatchProbability, "training/rollout_probs_diff_mean", ""),
    entry(Concept::MismatchCorrelation, "training/rollout_actor_probs_pearson_corr", ""),
    entry(Concept::MismatchSampleSize, "rollout_corr/rollout_is_eff_sample_size", ""),
    entry(Concept::MismatchSampleSize, "mismatch/rollout_is_eff_sample_size", "0.5 and 0.6"),
    entry(Concept::MismatchRatio, "rollout_corr/rollout_is_mean", ""),
    entry(Concept::MismatchChiSquare, "rollout_corr/chi2_token", ""),
    mark(Concept::StepTime, "timing_s/step", ""),
    entry(Concept::StepTime, "perf/time_per_step", ""),
    entry(Concept::StepTime, "timing/step", "older"),
    entry(Concept::StepTime, "time_per_step", "older"),
    mark(Concept::RolloutTime, "timing_s/gen", ""),
    entry(Concept::RolloutTime, "timing/gen", "older"),
    entry(Concept::TrainTime, "timing_s/update_actor", ""),
    entry(Concept::TrainTime, "timing/update_actor", "older"),
    entry(Concept::RewardTime, "timing_s/reward", ""),
    entry(Concept::ReloadTime, "timing_s/update_weights", ""),
    entry(Concept::ReloadTime, "timing_s/param_sync", "fully asynchronous"),
    entry(Concept::UpkeepTime, "timing_s/testing", "only at steps with an evaluation"),
    entry(Concept::UpkeepTime, "timing/testing", "older"),
    entry(Concept::UpkeepTime, "timing_s/save_checkpoint", "only at steps with a checkpoint"),
    entry(Concept::TrainerIdle, "trainer/idle_ratio", "fully asynchronous").in_unit(Unit::Share),
    entry(Concept::SamplerIdle, "rollouter/idle_ratio", "fully asynchronous").in_unit(Unit::Share),
    entry(Concept::Throughput, "perf/throughput", "per GPU"),
    entry(Concept::Throughput, "Tokens/Sec/GPU", "older: per GPU"),
    entry(Concept::Utilisation, "perf/mfu/actor", ""),
    entry(Concept::Utilisation, "mfu/actor", "older"),
    entry(Concept::Memory, "perf/max_memory_allocated_gb", ""),
    entry(Concept::HostMemory, "perf/cpu_memory_used_gb", ""),
    entry(Concept::Tokens, "perf/total_num_tokens", "of the step"),
    entry(Concept::Tokens, "total_num_tokens", "older: of the step"),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &["val-core/"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["actor_rollout_ref.", "algorithm.adv_estimator", "algorithm.kl_ctrl."];

//! open-instruct's keys; read from its source of August 2026. Its `val/` is not held out.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Reward, "scores", ""),
    entry(Concept::RewardComponent, "objective/{name}_correct_rate", ""),
    entry(Concept::RewardComponent, "objective/{name}_reward", ""),
    entry(Concept::RewardComponent, "val/format_scores", ""),
    mark(Concept::ZeroVarianceGroups, "real_batch_size_ratio", "responses left without zero-variance groups")
        .scaled(Scale::Complement),
    entry(Concept::AdvantageMean, "val/advantages_mean", ""),
    entry(Concept::AdvantageMax, "val/advantages_max", ""),
    entry(Concept::AdvantageMin, "val/advantages_min", ""),
    entry(Concept::KlToReference, "objective/kl2_avg", "k3, mean over tokens (k2 in older versions)"),
    entry(Concept::KlToReference, "objective/kl1_avg", "k2, mean over tokens"),
    mark(Concept::KlToReference, "objective/kl0_avg", "k1, may be negative").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::KlToReference, "objective/kl_avg", "older: k1, may be negative").in_unit(Unit::NatsPerTokenSigned),
    // `loss/kl_avg` is the KL times beta: no KL.
    entry(Concept::Entropy, "policy/entropy_avg", "mean over tokens"),
    entry(Concept::ClipFraction, "policy/clipfrac_avg", ""),
    entry(Concept::RatioMean, "val/ratio", ""),
    entry(Concept::PolicyLoss, "loss/policy_avg", ""),
    entry(Concept::GradientNorm, "optim/grad_norm", ""),
    entry(Concept::LearningRate, "lr", ""),
    mark(Concept::ResponseLength, "val/sequence_lengths", ""),
    entry(Concept::ResponseLengthMax, "val/sequence_lengths_max", ""),
    entry(Concept::ResponseLengthMin, "val/sequence_lengths_min", ""),
    entry(Concept::CorrectLength, "val/sequence_lengths_solved", ""),
    entry(Concept::IncorrectLength, "val/sequence_lengths_unsolved", ""),
    mark(Concept::TruncatedShare, "val/stop_rate", "responses that stopped by themselves").scaled(Scale::Complement),
    entry(Concept::InvalidOutputs, "tools/aggregate/failure_rate", "tool calls that failed"),
    mark(Concept::MismatchLogprob, "debug/vllm_vs_local_logprob_diff_mean", ""),
    entry(Concept::MismatchKl, "debug/vllm_local_reverse_kl", "").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::StepTime, "time/total", ""),
    entry(Concept::RolloutTime, "time/group_generation_max", "the slowest group"),
    entry(Concept::TrainTime, "time/training", ""),
    entry(Concept::RewardTime, "time/reward", ""),
    entry(Concept::ReloadTime, "time/weight_sync", ""),
    entry(Concept::UpkeepTime, "time/saving", ""),
    mark(Concept::TrainerIdle, "time/trainer_waiting_for_data", ""),
    entry(Concept::SamplerIdle, "time/generation_waiting_for_trainer", ""),
    mark(Concept::Throughput, "learner_tokens_per_second_step", ""),
    entry(Concept::Throughput, "val/actor_tokens_per_second", "of the sampler"),
    entry(Concept::Tokens, "val/num_total_tokens", "cumulative"),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "unsolved_batch_size_ratio",
    "val/solve_rate_hist",
    "val/total_reward_groups",
    "objective/verifiable_correct_rate",
    "packed_ratio",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] =
    &["num_unique_prompts_rollout", "num_samples_per_prompt_rollout", "apply_verifiable_reward"];

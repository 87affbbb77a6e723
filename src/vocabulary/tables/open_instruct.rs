//! open-instruct's keys; read from its source of August 2026. Its `val/` is not held out.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "scores", Unit::Plain, ""),
    entry(Concept::RewardComponent, "objective/{name}_correct_rate", Unit::Plain, ""),
    entry(Concept::RewardComponent, "objective/{name}_reward", Unit::Plain, ""),
    entry(Concept::RewardComponent, "val/format_scores", Unit::Plain, ""),
    scaled(
        Concept::ZeroStdGroups,
        "real_batch_size_ratio",
        Unit::Share,
        &Scale::Complement,
        "responses left after groups without spread",
    ),
    entry(Concept::AdvantageMean, "val/advantages_mean", Unit::Plain, ""),
    entry(Concept::AdvantageMax, "val/advantages_max", Unit::Plain, ""),
    entry(
        Concept::KlToReference,
        "objective/kl2_avg",
        Unit::NatsPerToken,
        "k3, mean over tokens (k2 in older versions)",
    ),
    entry(Concept::KlToReference, "objective/kl1_avg", Unit::NatsPerToken, "k2, mean over tokens"),
    entry(Concept::KlToReference, "objective/kl0_avg", Unit::NatsPerTokenSigned, "k1, may be negative"),
    entry(Concept::KlToReference, "objective/kl_avg", Unit::NatsPerTokenSigned, "older: k1, may be negative"),
    // `loss/kl_avg` is the KL times beta: no KL.
    entry(Concept::Entropy, "policy/entropy_avg", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::ClipFraction, "policy/clipfrac_avg", Unit::Share, ""),
    entry(Concept::RatioMean, "val/ratio", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "loss/policy_avg", Unit::Plain, ""),
    entry(Concept::GradientNorm, "optim/grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "val/sequence_lengths", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMax, "val/sequence_lengths_max", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "val/sequence_lengths_min", Unit::Tokens, ""),
    entry(Concept::CorrectLength, "val/sequence_lengths_solved", Unit::Tokens, ""),
    entry(Concept::IncorrectLength, "val/sequence_lengths_unsolved", Unit::Tokens, ""),
    scaled(
        Concept::TruncatedShare,
        "val/stop_rate",
        Unit::Share,
        &Scale::Complement,
        "responses that stopped by themselves",
    ),
    entry(Concept::InvalidOutputs, "tools/aggregate/failure_rate", Unit::Share, "tool calls that failed"),
    entry(Concept::MismatchLogprob, "debug/vllm_vs_local_logprob_diff_mean", Unit::NatsPerToken, ""),
    entry(Concept::MismatchKl, "debug/vllm_local_reverse_kl", Unit::NatsPerTokenSigned, ""),
    entry(Concept::StepTime, "time/total", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "time/group_generation_max", Unit::Seconds, "the slowest group"),
    entry(Concept::TrainTime, "time/training", Unit::Seconds, ""),
    entry(Concept::RewardTime, "time/reward", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "time/weight_sync", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "time/saving", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "time/trainer_waiting_for_data", Unit::Seconds, ""),
    entry(Concept::SamplerIdle, "time/generation_waiting_for_trainer", Unit::Seconds, ""),
    entry(Concept::Throughput, "learner_tokens_per_second_step", Unit::TokensPerSecond, ""),
    entry(Concept::Throughput, "val/actor_tokens_per_second", Unit::TokensPerSecond, "of the sampler"),
    entry(Concept::Tokens, "val/num_total_tokens", Unit::Tokens, "cumulative"),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "scores",
    "unsolved_batch_size_ratio",
    "real_batch_size_ratio",
    "val/solve_rate_hist",
    "val/sequence_lengths",
    "val/stop_rate",
    "val/total_reward_groups",
    "objective/verifiable_correct_rate",
    "time/trainer_waiting_for_data",
    "learner_tokens_per_second_step",
    "debug/vllm_vs_local_logprob_diff_mean",
    "objective/kl0_avg",
    "packed_ratio",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] =
    &["num_unique_prompts_rollout", "num_samples_per_prompt_rollout", "apply_verifiable_reward"];

//! TRL's keys over its versions, and of what keeps its names; read from its wheels 0.14 to 0.29 and the source of 1.16.

use super::table::{Entry, entry};
use super::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[Entry] = &[
    entry(Concept::Reward, "reward", Unit::Plain, "the mean over the batch, all reward functions weighted and added"),
    entry(Concept::Reward, "objective/rlhf_reward", Unit::Plain, "PPO: the score minus the KL penalty"),
    entry(Concept::Reward, "objective/scores", Unit::Plain, "PPO: the mean score"),
    entry(Concept::Reward, "ppo/mean_scores", Unit::Plain, "PPO up to TRL 0.11: the mean score"),
    entry(Concept::Reward, "env/reward_mean", Unit::Plain, "PPO up to TRL 0.11: the mean reward"),
    entry(Concept::RewardStd, "reward_std", Unit::Plain, "over groups up to TRL 0.26, over the batch since"),
    entry(Concept::KlToReference, "kl", Unit::NatsPerToken, "the k3 estimate, mean over tokens; only with beta > 0"),
    entry(Concept::KlToReference, "objective/kl", Unit::NatsPerSequence, "PPO: summed over the sequence"),
    entry(Concept::KlCoefficient, "objective/kl_coef", Unit::Plain, "PPO up to TRL 0.11"),
    entry(Concept::KlToSampler, "policy/approxkl_avg", Unit::NatsPerToken, "PPO: half the squared log-ratio"),
    entry(Concept::KlToSampler, "ppo/policy/approxkl", Unit::NatsPerToken, "PPO up to TRL 0.11"),
    entry(Concept::Entropy, "entropy", Unit::NatsPerToken, "mean over tokens; TRL 0.20 and later"),
    entry(Concept::Entropy, "entropy/mean", Unit::NatsPerToken, "ms-swift: mean over tokens"),
    entry(Concept::Entropy, "policy/entropy_avg", Unit::NatsPerToken, "PPO: mean over tokens"),
    entry(Concept::Entropy, "ppo/policy/entropy", Unit::NatsPerToken, "PPO up to TRL 0.11"),
    entry(Concept::ClipFraction, "clip_ratio/region_mean", Unit::Share, "either side; TRL 0.17 and later"),
    entry(Concept::ClipFraction, "clip_ratio", Unit::Share, "TRL 0.16"),
    entry(Concept::ClipFraction, "cispo_clip_ratio", Unit::Share, "CISPO loss"),
    entry(Concept::ClipFraction, "policy/clipfrac_avg", Unit::Share, "PPO"),
    entry(Concept::ClipFraction, "ppo/policy/clipfrac", Unit::Share, "PPO up to TRL 0.11"),
    entry(Concept::PolicyLoss, "policy_loss", Unit::Plain, "the policy part when an entropy bonus is on"),
    entry(Concept::PolicyLoss, "loss/policy_avg", Unit::Plain, "PPO"),
    entry(Concept::PolicyLoss, "loss", Unit::Plain, "the whole loss; near zero or beta times KL is normal"),
    entry(Concept::PolicyLoss, "training_loss", Unit::Plain, "the whole loss, as a notebook prints it"),
    entry(Concept::ValueLoss, "loss/value_avg", Unit::Plain, "PPO"),
    entry(Concept::GradientNorm, "grad_norm", Unit::Plain, "before clipping"),
    entry(Concept::LearningRate, "learning_rate", Unit::Plain, "of the optimiser's first group"),
    entry(Concept::LearningRate, "lr", Unit::Plain, "PPO"),
    entry(Concept::ResponseLength, "completions/mean_length", Unit::Tokens, "TRL 0.17 and later"),
    entry(Concept::ResponseLength, "completion_length", Unit::Tokens, "TRL 0.16 and earlier"),
    entry(Concept::ResponseLengthMax, "completions/max_length", Unit::Tokens, "TRL 0.17 and later"),
    entry(Concept::TruncatedShare, "completions/clipped_ratio", Unit::Share, "completions without an end token"),
    entry(Concept::ZeroStdGroups, "frac_reward_zero_std", Unit::Share, "TRL 0.18 and later"),
    entry(Concept::StepTime, "step_time", Unit::Seconds, "TRL 0.26 and later"),
    entry(Concept::Tokens, "num_tokens", Unit::Tokens, "cumulative"),
];

/// Keys (in normal form) that mark a run as TRL's.
pub(super) const MARKS: &[&str] = &[
    "reward",
    "reward_std",
    "frac_reward_zero_std",
    "completion_length",
    "completions/mean_length",
    "completions/clipped_ratio",
    "clip_ratio/region_mean",
    "num_tokens",
    "kl",
    "objective/kl",
    "objective/rlhf_reward",
    "policy/approxkl_avg",
    "ppo/mean_scores",
];

/// Settings that mark a run as TRL's.
pub(super) const SETTINGS: &[&str] =
    &["num_generations", "max_completion_length", "per_device_train_batch_size", "steps_per_generation"];

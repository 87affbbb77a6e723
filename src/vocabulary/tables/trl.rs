//! TRL's keys over its versions, and of what keeps its names; read from its wheels 0.14 to 0.29 and the source of 1.16.

use crate::vocabulary::table::{FrameworkKey, entry};
use crate::vocabulary::{Concept, Unit};

/// GRPO and its relatives. Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", Unit::Plain, "all reward functions, weighted and added"),
    entry(Concept::RewardStd, "train/reward_std", Unit::Plain, "within groups up to 0.26, over the batch since"),
    entry(Concept::RewardComponent, "train/rewards/{function}/mean", Unit::Plain, ""),
    entry(Concept::ZeroStdGroups, "train/frac_reward_zero_std", Unit::Share, "0.18 and later"),
    entry(Concept::KlToReference, "train/kl", Unit::NatsPerToken, "k3, mean over tokens; only with beta > 0"),
    entry(Concept::Entropy, "train/entropy", Unit::NatsPerToken, "mean over tokens; 0.20 and later"),
    entry(Concept::ClipFraction, "train/clip_ratio/region_mean", Unit::Share, "either side; 0.17 and later"),
    entry(Concept::ClipFraction, "train/clip_ratio", Unit::Share, "0.16"),
    entry(Concept::ClipFraction, "train/cispo_clip_ratio", Unit::Share, "CISPO loss"),
    entry(Concept::ClipFractionHigh, "train/clip_ratio/high_mean", Unit::Share, ""),
    entry(Concept::ClipFractionLow, "train/clip_ratio/low_mean", Unit::Share, ""),
    entry(Concept::PolicyLoss, "train/policy_loss", Unit::Plain, "the policy part when an entropy bonus is on"),
    entry(Concept::PolicyLoss, "train/loss", Unit::Plain, "the whole loss; near 0 or beta times KL is normal"),
    entry(Concept::PolicyLoss, "Training Loss", Unit::Plain, "the whole loss, as a notebook prints it"),
    entry(Concept::GradientNorm, "train/grad_norm", Unit::Plain, "before clipping"),
    entry(Concept::LearningRate, "train/learning_rate", Unit::Plain, ""),
    entry(Concept::ResponseLength, "train/completions/mean_length", Unit::Tokens, "0.17 and later"),
    entry(Concept::ResponseLength, "train/completion_length", Unit::Tokens, "0.16 and earlier"),
    entry(Concept::ResponseLengthMax, "train/completions/max_length", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "train/completions/min_length", Unit::Tokens, ""),
    entry(Concept::TerminatedLength, "train/completions/mean_terminated_length", Unit::Tokens, ""),
    entry(Concept::TruncatedShare, "train/completions/clipped_ratio", Unit::Share, "completions without an end token"),
    entry(
        Concept::FailedRollouts,
        "train/tools/failure_frequency",
        Unit::Share,
        "tool calls that failed; 0.26 and later",
    ),
    entry(Concept::Turns, "train/tools/call_frequency", Unit::Count, "tool calls of a completion; 0.26 and later"),
    entry(
        Concept::MismatchLogprob,
        "train/sampling/sampling_logp_difference/mean",
        Unit::NatsPerToken,
        "with vLLM; 0.23 and later",
    ),
    entry(
        Concept::MismatchRatio,
        "train/sampling/importance_sampling_ratio/mean",
        Unit::Plain,
        "per token or per sequence, as configured",
    ),
    entry(Concept::StepTime, "train/step_time", Unit::Seconds, "0.26 and later"),
    entry(Concept::Tokens, "train/num_tokens", Unit::Tokens, "cumulative"),
    entry(Concept::Memory, "train/memory/max_active (GiB)", Unit::Gigabytes, "Axolotl"),
    entry(Concept::Memory, "train/memory/max_mem_active(gib)", Unit::Gigabytes, "Axolotl, older"),
    entry(Concept::Memory, "train/memory/max_alloc", Unit::Gigabytes, "Axolotl, older"),
];

/// PPO, now experimental, and the PPO of versions up to 0.11.
pub(super) const PPO: &[FrameworkKey] = &[
    entry(Concept::Reward, "objective/rlhf_reward", Unit::Plain, "PPO: the score minus the KL penalty"),
    entry(Concept::Reward, "objective/scores", Unit::Plain, "PPO: the mean score"),
    entry(Concept::Reward, "ppo/mean_scores", Unit::Plain, "PPO up to 0.11: the mean score"),
    entry(Concept::Reward, "env/reward_mean", Unit::Plain, "PPO up to 0.11: the mean reward"),
    entry(Concept::KlToReference, "objective/kl", Unit::NatsPerSequence, "PPO: summed over the sequence"),
    entry(Concept::KlCoefficient, "objective/kl_coef", Unit::Plain, "PPO up to 0.11"),
    entry(Concept::KlToSampler, "policy/approxkl_avg", Unit::NatsPerToken, "PPO: half the squared log-ratio"),
    entry(Concept::KlToSampler, "ppo/policy/approxkl", Unit::NatsPerToken, "PPO up to 0.11"),
    entry(Concept::Entropy, "policy/entropy_avg", Unit::NatsPerToken, "PPO: mean over tokens"),
    entry(Concept::Entropy, "ppo/policy/entropy", Unit::NatsPerToken, "PPO up to 0.11"),
    entry(Concept::ClipFraction, "policy/clipfrac_avg", Unit::Share, "PPO"),
    entry(Concept::ClipFraction, "ppo/policy/clipfrac", Unit::Share, "PPO up to 0.11"),
    entry(Concept::RatioMean, "val/ratio", Unit::Plain, "PPO"),
    entry(Concept::PolicyLoss, "loss/policy_avg", Unit::Plain, "PPO"),
    entry(Concept::ValueLoss, "loss/value_avg", Unit::Plain, "PPO"),
    entry(Concept::ValueClipFraction, "val/clipfrac_avg", Unit::Share, "PPO: not an evaluation"),
    entry(Concept::ExplainedVariance, "ppo/val/var_explained", Unit::Plain, "PPO up to 0.11"),
    entry(Concept::LearningRate, "train/lr", Unit::Plain, "PPO"),
];

/// What the asynchronous trainer (experimental) means by other words.
pub(super) const ASYNC: &[FrameworkKey] = &[
    entry(
        Concept::KlToSampler,
        "train/kl",
        Unit::NatsPerTokenSigned,
        "asynchronous: to the policy that sampled, not to a reference",
    ),
    entry(Concept::RatioMean, "train/ratio", Unit::Plain, "asynchronous"),
    entry(Concept::ReloadTime, "train/weight_sync_time_s", Unit::Seconds, "asynchronous"),
    entry(Concept::Throughput, "train/training_tok/s", Unit::TokensPerSecond, "asynchronous"),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
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
    "rewards/",
];

/// Keys that only the asynchronous trainer has.
pub(super) const ASYNC_MARKS: &[&str] = &["weight_sync_time_s", "training_tok/s", "forward_time_s", "train_seq_len"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] =
    &["num_generations", "max_completion_length", "per_device_train_batch_size", "steps_per_generation"];

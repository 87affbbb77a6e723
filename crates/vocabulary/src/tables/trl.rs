//! TRL's keys over its versions, and of what keeps its names; read from its wheels 0.14 to 0.29 and the source of 1.16.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Unit};

/// GRPO and its relatives. Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Reward, "train/reward", "all reward functions, weighted and added"),
    mark(Concept::RewardStd, "train/reward_std", "within groups up to 0.26, over the batch since"),
    entry(Concept::RewardComponent, "train/rewards/{function}/mean", ""),
    mark(Concept::ZeroVarianceGroups, "train/frac_reward_zero_std", "0.18 and later"),
    mark(Concept::KlToReference, "train/kl", "k3, mean over tokens; only with beta > 0"),
    entry(Concept::Entropy, "train/entropy", "mean over tokens; 0.20 and later"),
    mark(Concept::ClipFraction, "train/clip_ratio/region_mean", "either side; 0.17 and later"),
    entry(Concept::ClipFraction, "train/clip_ratio", "0.16"),
    entry(Concept::ClipFraction, "train/cispo_clip_ratio", "CISPO loss"),
    entry(Concept::ClipFractionHigh, "train/clip_ratio/high_mean", ""),
    entry(Concept::ClipFractionLow, "train/clip_ratio/low_mean", ""),
    entry(Concept::PolicyLoss, "train/policy_loss", "the policy part when an entropy bonus is on"),
    entry(Concept::PolicyLoss, "train/loss", "the whole loss; near 0 or beta times KL is normal"),
    entry(Concept::PolicyLoss, "Training Loss", "the whole loss, as a notebook prints it"),
    entry(Concept::GradientNorm, "train/grad_norm", "before clipping"),
    entry(Concept::LearningRate, "train/learning_rate", ""),
    mark(Concept::ResponseLength, "train/completions/mean_length", "0.17 and later"),
    mark(Concept::ResponseLength, "train/completion_length", "0.16 and earlier"),
    entry(Concept::ResponseLengthMax, "train/completions/max_length", ""),
    entry(Concept::ResponseLengthMin, "train/completions/min_length", ""),
    entry(Concept::TerminatedLength, "train/completions/mean_terminated_length", ""),
    mark(Concept::TruncatedShare, "train/completions/clipped_ratio", "completions without an end token"),
    entry(Concept::InvalidOutputs, "train/tools/failure_frequency", "tool calls that failed; 0.26 and later"),
    entry(Concept::Turns, "train/tools/call_frequency", "tool calls of a completion; 0.26 and later"),
    entry(Concept::MismatchLogprob, "train/sampling/sampling_logp_difference/mean", "with vLLM; 0.23 and later"),
    entry(
        Concept::MismatchRatio,
        "train/sampling/importance_sampling_ratio/mean",
        "per token or per sequence, as configured",
    ),
    entry(Concept::StepTime, "train/step_time", "0.26 and later"),
    mark(Concept::Tokens, "train/num_tokens", "cumulative"),
    entry(Concept::Memory, "train/memory/max_active (GiB)", "Axolotl"),
    entry(Concept::Memory, "train/memory/max_mem_active(gib)", "Axolotl, older"),
    entry(Concept::Memory, "train/memory/max_alloc", "Axolotl, older"),
];

/// PPO, now experimental, and the PPO of versions up to 0.11.
pub(super) const PPO: &[FrameworkKey] = &[
    entry(Concept::Reward, "objective/scores", "PPO: the mean score"),
    mark(Concept::Reward, "objective/rlhf_reward", "PPO: the score minus the KL penalty"),
    mark(Concept::Reward, "ppo/mean_scores", "PPO up to 0.11: the mean score"),
    entry(Concept::Reward, "env/reward_mean", "PPO up to 0.11: the mean reward"),
    mark(Concept::KlToReference, "objective/kl", "PPO: summed over the sequence").in_unit(Unit::NatsPerSequence),
    entry(Concept::KlCoefficient, "objective/kl_coef", "PPO up to 0.11"),
    mark(Concept::KlToSampler, "policy/approxkl_avg", "PPO: half the squared log-ratio"),
    entry(Concept::KlToSampler, "ppo/policy/approxkl", "PPO up to 0.11"),
    entry(Concept::Entropy, "policy/entropy_avg", "PPO: mean over tokens"),
    entry(Concept::Entropy, "ppo/policy/entropy", "PPO up to 0.11"),
    entry(Concept::ClipFraction, "policy/clipfrac_avg", "PPO"),
    entry(Concept::ClipFraction, "ppo/policy/clipfrac", "PPO up to 0.11"),
    entry(Concept::RatioMean, "val/ratio", "PPO"),
    entry(Concept::PolicyLoss, "loss/policy_avg", "PPO"),
    entry(Concept::ValueLoss, "loss/value_avg", "PPO"),
    entry(Concept::ValueClipFraction, "val/clipfrac_avg", "PPO: not an evaluation"),
    entry(Concept::ExplainedVariance, "ppo/val/var_explained", "PPO up to 0.11"),
    entry(Concept::LearningRate, "train/lr", "PPO"),
];

/// What the asynchronous trainer (experimental) means by other words.
pub(super) const ASYNC: &[FrameworkKey] = &[
    entry(Concept::KlToSampler, "train/kl", "asynchronous: to the policy that sampled, not to a reference")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::RatioMean, "train/ratio", "asynchronous"),
    mark(Concept::ReloadTime, "train/weight_sync_time_s", "asynchronous"),
    mark(Concept::Throughput, "train/training_tok/s", "asynchronous"),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it. The last two are of PPO up to
/// 0.11.
pub(super) const MARKS: &[&str] = &["rewards/", "ppo/policy/advantages_mean", "ppo/returns/mean"];

/// Keys that only the asynchronous trainer has.
pub(super) const ASYNC_MARKS: &[&str] = &["forward_time_s", "train_seq_len"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] =
    &["num_generations", "max_completion_length", "per_device_train_batch_size", "steps_per_generation"];

//! How frameworks name what was measured, and what each of them logs at all (grpo.md, section 1).

/// A framework's way to log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Style {
    /// TRL through W&B: `train/` before all, evaluations and profiling in rows of their own.
    Trl,
    /// verl: everything of a step in one row; one run in four comes from an old console with three decimals.
    Verl,
    OpenRlhf,
    /// A loop of one's own.
    Plain,
    /// The league, extraction, cache and rubric names of the source documents; made in `systems.rs`.
    Sources,
}

impl Style {
    /// The styles that training runs are written in.
    pub const TRAINING: [Style; 4] = [Style::Trl, Style::Verl, Style::OpenRlhf, Style::Plain];

    pub fn as_str(self) -> &'static str {
        match self {
            Style::Trl => "TRL",
            Style::Verl => "verl",
            Style::OpenRlhf => "OpenRLHF",
            Style::Plain => "plain",
            Style::Sources => "sources",
        }
    }

    /// Keys of a channel, as `channel` or a part of the reward; none where the framework does not log it.
    pub fn keys(self, channel: &str, critic: bool) -> Vec<String> {
        if self == Style::Sources {
            return vec![channel.to_owned()];
        }
        if let Some(name) = channel.strip_prefix("part/") {
            return match self {
                Style::Trl if !critic => vec![format!("train/rewards/{name}/mean")],
                Style::Verl => vec![format!("reward_extra_info/{name}")],
                Style::Plain => vec![format!("rewards/{name}_mean")],
                _ => Vec::new(),
            };
        }
        let table = match self {
            Style::Trl if critic => TRL_PPO,
            Style::Trl => TRL,
            Style::Verl => VERL,
            Style::OpenRlhf => OPENRLHF,
            Style::Plain | Style::Sources => PLAIN,
        };
        let keys = table.iter().filter(|(name, _)| *name == channel);
        let prefix = if self == Style::Trl && channel != "eval" { "train/" } else { "" };
        keys.map(|(_, key)| format!("{prefix}{key}")).collect()
    }

    /// True when a framework logs all that a case is seen by; `a|b` asks for one of two channels.
    pub fn shows(self, needs: &[&str], critic: bool) -> bool {
        needs.iter().all(|need| need.split('|').any(|channel| !self.keys(channel, critic).is_empty()))
    }
}

/// Channels that only some set-ups log (tools, several turns, asynchronous training): they are there where a case is
/// about them.
pub const OPTIONAL: &[&str] = &[
    "failed", "failed_count", "valid", "invalid", "stale", "stale_max", "stale_count", "dropped_count",
    "without_end_token", "trainer_idle", "rollout_idle",
];

/// TRL's GRPO trainer, 0.26 and later.
const TRL: &[(&str, &str)] = &[
    ("reward", "reward"),
    ("group_std", "reward_std"),
    ("zero_std", "frac_reward_zero_std"),
    ("kl", "kl"),
    ("entropy", "entropy"),
    ("clip", "clip_ratio/region_mean"),
    ("clip_high", "clip_ratio/high_mean"),
    ("clip_low", "clip_ratio/low_mean"),
    ("loss", "loss"),
    ("grad", "grad_norm"),
    ("lr", "learning_rate"),
    ("length", "completions/mean_length"),
    ("length_max", "completions/max_length"),
    ("length_min", "completions/min_length"),
    ("terminated_length", "completions/mean_terminated_length"),
    ("truncated", "completions/clipped_ratio"),
    ("without_end_token", "completions/clipped_ratio"),
    ("tokens_total", "num_tokens"),
    ("step_seconds", "step_time"),
    ("mismatch_logp", "sampling/sampling_logp_difference/mean"),
    ("weight_min", "sampling/importance_sampling_ratio/min"),
    ("invalid", "tools/failure_frequency"),
    // Axolotl, on the same names.
    ("gpu", "memory/max_alloc"),
    ("eval", "eval/accuracy"),
];

/// TRL's PPO trainer: the KL is a sum over the sequence.
const TRL_PPO: &[(&str, &str)] = &[
    ("reward", "objective/scores"),
    ("kl_sequence", "objective/kl"),
    ("entropy", "policy/entropy_avg"),
    ("clip", "policy/clipfrac_avg"),
    ("ratio_kl", "policy/approxkl_avg"),
    ("loss", "loss/policy_avg"),
    ("value_loss", "loss/value_avg"),
    ("grad", "grad_norm"),
    ("lr", "lr"),
    ("length", "completions/mean_length"),
    ("eval", "eval/accuracy"),
];

const VERL: &[(&str, &str)] = &[
    ("reward", "critic/score/mean"),
    ("penalised", "critic/rewards/mean"),
    ("reward_max", "critic/score/max"),
    ("reward_min", "critic/score/min"),
    ("advantage_max", "critic/advantages/max"),
    ("advantage_min", "critic/advantages/min"),
    ("kl", "actor/kl_loss"),
    ("ratio_kl_signed", "actor/ppo_kl"),
    ("entropy", "actor/entropy"),
    ("clip", "actor/pg_clipfrac"),
    ("loss", "actor/pg_loss"),
    ("grad", "actor/grad_norm"),
    ("lr", "actor/lr"),
    ("value_loss", "critic/vf_loss"),
    ("explained", "critic/vf_explained_var"),
    ("value_mean", "critic/values/mean"),
    ("length", "response_length/mean"),
    ("length_max", "response_length/max"),
    ("length_min", "response_length/min"),
    ("truncated", "response_length/clip_ratio"),
    ("whole_seconds", "timing_s/step"),
    ("gen_seconds", "timing_s/gen"),
    ("update_seconds", "timing_s/update_actor"),
    ("testing_seconds", "timing_s/testing"),
    ("saving_seconds", "timing_s/save_checkpoint"),
    ("whole_seconds", "perf/time_per_step"),
    ("throughput", "perf/throughput"),
    ("tokens", "perf/total_num_tokens"),
    ("gpu", "perf/max_memory_allocated_gb"),
    ("gpu_reserved", "perf/max_memory_reserved_gb"),
    ("cpu", "perf/cpu_memory_used_gb"),
    ("mismatch_prob", "training/rollout_probs_diff_mean"),
    ("mismatch_pearson", "training/rollout_actor_probs_pearson_corr"),
    ("mismatch_kl", "rollout_corr/kl"),
    ("failed", "response/aborted_ratio"),
    ("valid", "env/ratio_of_valid_action"),
    ("stale_count", "fully_async/count/stale_samples_processed"),
    ("dropped_count", "fully_async/count/dropped_stale_samples"),
    ("trainer_idle", "trainer/idle_ratio"),
    ("rollout_idle", "rollouter/idle_ratio"),
    ("eval", "val-core/gsm8k/acc/mean@1"),
    // No metric: settings that may contradict each other in a known way.
    ("settings", ""),
];

const OPENRLHF: &[(&str, &str)] = &[
    ("reward", "train/reward"),
    ("group_std", "train/group_reward_std"),
    ("kl", "train/kl"),
    ("ratio_kl", "train/ppo_kl"),
    ("entropy", "train/entropy_loss"),
    ("clip", "train/ppo_clip_ratio"),
    ("loss", "train/policy_loss"),
    ("grad", "train/actor_grad_norm"),
    ("lr", "train/actor_lr"),
    ("value_loss", "train/critic_loss"),
    ("value_mean", "train/values"),
    ("length", "train/response_length"),
    ("truncated", "train/response_clip_ratio"),
    ("mismatch_kl", "train/vllm_kl"),
    ("step_seconds", "train/timing/step_total"),
    ("gen_seconds", "train/timing/generation"),
    ("eval", "eval/eval_math500_pass1"),
];

/// Names that people choose; waiting, staleness and mismatch as in SkyRL and prime-rl.
const PLAIN: &[(&str, &str)] = &[
    ("reward", "reward_mean"),
    ("batch_std", "reward_std"),
    ("reward_max", "reward_max"),
    ("zero_std", "frac_zero_std"),
    ("kl", "kl"),
    ("ratio_kl", "approx_kl"),
    ("entropy", "entropy"),
    ("clip", "clip_fraction"),
    ("loss", "loss"),
    ("grad", "grad_norm"),
    ("lr", "lr"),
    ("value_loss", "value_loss"),
    ("length", "response_length"),
    ("length_max", "response_length_max"),
    ("truncated", "truncated_rate"),
    ("step_seconds", "step_time"),
    ("throughput", "tokens_per_second"),
    ("invalid", "invalid_format_rate"),
    ("failed_count", "rollout/failed_count"),
    ("stale", "async/staleness_mean"),
    ("stale_max", "async/staleness_max"),
    ("mismatch_logp", "policy/rollout_train_logprobs_abs_diff_mean"),
    ("eval", "eval/accuracy"),
];

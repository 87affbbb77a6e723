//! Tests of binding by words.

use super::*;

#[test]
fn plain_names_are_understood() {
    let expected = [
        ("mean_reward", Concept::Reward),
        ("rollout/ep_rew_mean", Concept::Reward),
        ("charts/episodic_return", Concept::Reward),
        ("benchmark/reward_mean", Concept::Reward),
        ("rewards/total_mean", Concept::Reward),
        ("rollout/reward_std", Concept::RewardStd),
        ("benchmark/kl", Concept::KlToReference),
        ("kl/mean", Concept::KlToReference),
        ("kl/beta", Concept::KlCoefficient),
        ("approx_kl", Concept::KlToSampler),
        ("policy/entropy", Concept::Entropy),
        ("policy/grad_norm", Concept::GradientNorm),
        ("avg_gen_tokens", Concept::ResponseLength),
        ("max_gen_tokens", Concept::ResponseLengthMax),
        ("truncated_rate", Concept::TruncatedShare),
        ("clip_fraction", Concept::ClipFraction),
        ("step_time", Concept::StepTime),
        ("optim/lr", Concept::LearningRate),
        ("rewards/train/score/mean", Concept::Reward),
        ("reward/avg_raw_reward", Concept::Reward),
        ("generate/avg_num_tokens", Concept::ResponseLength),
        ("policy/policy_entropy", Concept::Entropy),
        ("critic/explained_variance", Concept::ExplainedVariance),
        ("mismatch_kl", Concept::MismatchKl),
        ("min_gen_tokens", Concept::ResponseLengthMin),
        ("avg_prompt_tokens", Concept::PromptLength),
        ("invalid_tool_call_rate", Concept::InvalidOutputs),
        ("rollout_time_s", Concept::RolloutTime),
        ("tokens_per_second", Concept::Throughput),
        ("avg_turns_per_episode", Concept::Turns),
        ("vllm_kl", Concept::MismatchKl),
        ("policy/rollout_train_logprobs_abs_diff_mean", Concept::MismatchLogprob),
        ("train/rollout_logprob_diff", Concept::MismatchLogprob),
        ("vllm_vs_trainer_prob_diff", Concept::MismatchProbability),
        ("async/staleness_mean", Concept::Staleness),
        ("max_sample_staleness", Concept::StalenessMax),
        ("policy_lag", Concept::Staleness),
        ("stale_dropped_ratio", Concept::DroppedStale),
        ("rollout/failed_count", Concept::FailedRollouts),
        ("env_timeout_rate", Concept::FailedRollouts),
        ("parse_error_rate", Concept::InvalidOutputs),
        ("paper_writing/round1_invalid_draft_rate", Concept::InvalidOutputs),
        ("env/invalid_draft_ratio", Concept::InvalidOutputs),
        ("countdown/pct_invalid", Concept::InvalidOutputs),
        ("countdown/pct_wrong_arithmetic", Concept::WrongAnswers),
        ("countdown/pct_format_failures", Concept::FormatFailures),
        ("env/arithmetic_error_rate", Concept::WrongAnswers),
        ("format_error_rate", Concept::FormatFailures),
        ("critic/invalid_format_rate/mean", Concept::InvalidOutputs),
        ("memory/max_active_(gib)", Concept::Memory),
        ("gpu_memory_gb", Concept::Memory),
        ("memory/max_alloc", Concept::Memory),
        ("cpu_memory_used_gb", Concept::HostMemory),
        ("iteration_time", Concept::StepTime),
        ("throughput", Concept::Throughput),
        ("tok_per_s", Concept::Throughput),
    ];
    for (key, concept) in expected {
        assert_eq!(by_words(key).map(|found| found.concept), Some(concept), "{key}");
    }
}

#[test]
fn names_with_a_word_too_much_are_turned_down() {
    let keys = [
        "format_reward",
        "kl/max",
        "critic/grad_norm",
        "entropy_coef",
        "eval/reward",
        "reward_time",
        "critic/lr",
        "sampler/lr",
        "profiling/Time taken: GRPOTrainer.compute_loss",
        "format_rate",
        "countdown/wrong_arithmetic_reward",
        "max_turns",
        "error_rate",
        "kl/std",
        "scoring_time",
        "prompt_tokens_max",
        "logprob_diff",
        "ref_logprobs_diff",
        "sampling_logp_difference_max",
        "memory_percent_mb",
        "failed_groups",
        "rollout/success_rate",
        "kl_penalty_vllm_std",
    ];
    for key in keys {
        assert!(by_words(key).is_none(), "{key}");
    }
}

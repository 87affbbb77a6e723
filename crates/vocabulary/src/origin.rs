//! Where the code stands that computes a metric: what to read when its number is doubted.
//!
//! Read from the sources of TRL (July 2026), verl (January 2026), Search-R1 (October 2025) and OpenRLHF (August 2026).
//! A project's own code counts before them where it differs.

use super::{Binding, Bindings};

/// One place in a framework's code.
struct Origin {
    /// The framework, by the name that it is shown under.
    framework: &'static str,
    /// Keys that are computed there, without `train/`; one that ends with `/` or `_` stands for all that begin so.
    keys: &'static [&'static str],
    /// File and function.
    place: &'static str,
}

const fn at(framework: &'static str, keys: &'static [&'static str], place: &'static str) -> Origin {
    Origin { framework, keys, place }
}

const OPENRLHF: &str = "OpenRLHF";
const TRL: &str = "TRL";
const VERL: &str = "verl";

/// The first that fits counts, so that single keys stand before beginnings.
const ORIGINS: &[Origin] = &[
    at(
        VERL,
        &["actor/kl_loss", "actor/kl_coef"],
        "verl/workers/actor/dp_actor.py, update_policy (kl_penalty in trainer/ppo/core_algos.py)",
    ),
    at(
        VERL,
        &["actor/reward_kl_", "critic/kl", "critic/kl_coeff"],
        "verl/trainer/ppo/ray_trainer.py, apply_kl_penalty",
    ),
    at(
        VERL,
        &["actor/entropy_loss", "actor/pg_loss", "actor/grad_norm"],
        "verl/workers/actor/dp_actor.py, update_policy",
    ),
    at(VERL, &["actor/entropy"], "verl/trainer/ppo/ray_trainer.py, fit (from the old log-probabilities)"),
    at(
        VERL,
        &["actor/ppo_kl", "actor/pg_clipfrac", "actor/pg_clipfrac_lower"],
        "verl/trainer/ppo/core_algos.py, compute_policy_loss_vanilla (in Search-R1 compute_policy_loss)",
    ),
    at(
        VERL,
        &["actor/lr", "actor/lr(1e-4)", "perf/max_memory_", "perf/cpu_memory_", "perf/mfu/"],
        "verl/workers/fsdp_workers.py, update_actor",
    ),
    at(VERL, &["critic/vf_explained_var"], METRICS),
    at(VERL, &["critic/vf_", "critic/vpred_", "critic/grad_norm"], "verl/workers/critic/dp_critic.py, update_critic"),
    at(VERL, &["val-core/", "val-aux/", "val/", "test_score/"], "verl/trainer/ppo/ray_trainer.py, _validate"),
    at(VERL, &["training/rollout_"], "verl/utils/debug/metrics.py"),
    at(VERL, &["rollout_corr/", "mismatch/"], "verl/trainer/ppo/rollout_corr_helper.py"),
    at(
        VERL,
        &["timing_s/", "timing_per_token_ms/", "timing/"],
        "verl/trainer/ppo/metric_utils.py, compute_timing_metrics (in Search-R1 ray_trainer.py)",
    ),
    at(VERL, &["perf/"], "verl/trainer/ppo/metric_utils.py, compute_throughout_metrics"),
    at(VERL, &["global_seqlen/"], "verl/trainer/ppo/ray_trainer.py, _balance_batch"),
    at(
        VERL,
        &["state_tokens/"],
        "Search-R1: verl/trainer/ppo/ray_trainer.py, _create_loss_mask (from info_mask of search_r1/llm_agent/generation.py)",
    ),
    at(
        VERL,
        &["env/"],
        "Search-R1: verl/trainer/ppo/ray_trainer.py, compute_data_metrics (counted in search_r1/llm_agent/generation.py)",
    ),
    at(
        VERL,
        &["critic/score/", "critic/rewards/"],
        "verl/trainer/ppo/metric_utils.py, compute_data_metrics (in Search-R1 ray_trainer.py), from the reward manager of main_ppo.py",
    ),
    at(
        VERL,
        &["critic/", "response_length/", "response/", "prompt_length/", "num_turns/", "tool_call_counts/"],
        METRICS,
    ),
    at(TRL, &["objective/", "policy/", "loss/", "val/", "ppo/"], "trl/experimental/ppo/ppo_trainer.py, train"),
    at(
        TRL,
        &["kl", "entropy", "entropy/", "clip_ratio", "clip_ratio/", "cispo_clip_ratio", "policy_loss", "aux_loss"],
        "trl/trainer/grpo_trainer.py, _compute_loss",
    ),
    at(TRL, &["rewards/"], "trl/trainer/grpo_trainer.py, _calculate_rewards, which calls your reward functions"),
    at(
        TRL,
        &["reward", "reward_std", "frac_reward_zero_std", "sampling/"],
        "trl/trainer/grpo_trainer.py, _generate_and_score_completions",
    ),
    at(TRL, &["completions/", "completion_length", "num_tokens", "tools/"], "trl/trainer/grpo_trainer.py, _generate"),
    at(TRL, &["step_time"], "trl/trainer/grpo_trainer.py, training_step"),
    at(TRL, &["grad_norm", "learning_rate", "loss"], "transformers/trainer.py, _maybe_log_save_evaluate"),
    at(
        OPENRLHF,
        &["ppo_clip_ratio", "ppo_kl", "actor_grad_norm", "actor_lr", "policy_loss", "entropy_loss"],
        "openrlhf/trainer/ray/ppo_actor.py",
    ),
    at(
        OPENRLHF,
        &["response_clip_ratio", "response_length", "truncated"],
        "openrlhf/trainer/ppo_utils/samples_generator.py",
    ),
];

const METRICS: &str = "verl/trainer/ppo/metric_utils.py, compute_data_metrics (in Search-R1 ray_trainer.py)";

impl Binding {
    /// File and function of the framework that compute this metric, where they are known.
    pub fn origin(&self, bindings: &Bindings) -> Option<&'static str> {
        let framework = bindings.framework.as_str();
        let key = self.key.strip_prefix("train/").unwrap_or(&self.key);
        let is = |known: &&str| *known == key || (known.ends_with(['/', '_']) && key.starts_with(*known));
        let fits = |origin: &&Origin| origin.framework == framework && origin.keys.iter().any(is);
        ORIGINS.iter().find(fits).map(|origin| origin.place)
    }

    /// Why this key, and where its number is computed.
    pub fn why_and_origin(&self, bindings: &Bindings) -> String {
        match self.origin(bindings) {
            Some(origin) => format!("{} Computed in {origin}.", with_stop(&self.why)),
            None => self.why.clone(),
        }
    }
}

fn with_stop(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use crate::bind;
    use rundown_run::Run;

    fn origin(keys: &[&str], of: &str) -> Option<&'static str> {
        let mut run = Run::default();
        for step in 0..3 {
            let row = run.push_row(f64::from(step), f64::NAN);
            keys.iter().for_each(|key| run.push_value(key, row, f64::from(step)));
        }
        run.choose_axis();
        let bindings = bind(&run);
        bindings.iter().find(|binding| binding.key == of).and_then(|binding| binding.origin(&bindings))
    }

    #[test]
    fn a_metric_is_traced_to_its_function() {
        let verl = ["actor/kl_loss", "actor/ppo_kl", "critic/score/mean", "actor/grad_norm", "response_length/mean"];
        assert!(origin(&verl, "actor/kl_loss").is_some_and(|place| place.contains("dp_actor.py, update_policy")));
        assert!(origin(&verl, "actor/ppo_kl").is_some_and(|place| place.contains("core_algos.py")));
        assert!(origin(&verl, "critic/score/mean").is_some_and(|place| place.contains("compute_data_metrics")));
        let searched = [verl.as_slice(), &["env/finish_ratio"]].concat();
        let counted = origin(&searched, "env/finish_ratio");
        assert!(counted.is_some_and(|place| place.contains("search_r1/llm_agent/generation.py")));
        let trl = ["train/reward", "train/kl", "train/completions/mean_length", "train/reward_std", "train/grad_norm"];
        assert!(origin(&trl, "train/kl").is_some_and(|place| place.contains("_compute_loss")));
        assert!(origin(&trl, "train/completions/mean_length").is_some_and(|place| place.ends_with("_generate")));
        assert!(origin(&trl, "train/grad_norm").is_some_and(|place| place.starts_with("transformers")));
    }

    #[test]
    fn no_framework_and_no_origin() {
        assert_eq!(origin(&["mean_reward", "my_kl"], "mean_reward"), None);
    }
}

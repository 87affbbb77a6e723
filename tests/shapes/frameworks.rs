//! Healthy runs under the names of each framework: what a usual GRPO or PPO run of it logs, at usual levels.

use crate::case::Log;
use crate::curve::{Curve, level};
use crate::file::Format;

/// Rollouts of a step, and tasks of an evaluation.
const ROLLOUTS: usize = 256;
const TASKS: usize = 500;

/// The share of training prompts solved.
pub fn reward(steps: usize) -> Curve {
    level(0.28).saturates(0.72, steps / 3).of(ROLLOUTS)
}

/// The share of held-out tasks solved.
pub fn evaluation(steps: usize) -> Curve {
    level(0.26).saturates(0.64, steps / 3).of(TASKS).every(10)
}

/// KL to the reference in nats per token.
pub fn kl(steps: usize) -> Curve {
    level(1e-4).saturates(0.06, steps / 2).factor(0.15)
}

fn entropy(steps: usize) -> Curve {
    level(0.48).saturates(0.3, steps / 2).factor(0.03)
}

fn gradient() -> Curve {
    level(0.25).factor(0.2)
}

fn clipped() -> Curve {
    level(0.002).factor(0.3)
}

fn loss() -> Curve {
    level(0.0).noise(0.02)
}

fn rate(steps: usize) -> Curve {
    level(5e-8).ramp(1e-6, 1, steps / 25)
}

/// Tokens of a response.
pub fn length(steps: usize) -> Curve {
    level(310.0).saturates(360.0, steps / 2).factor(0.03)
}

fn cut_off() -> Curve {
    level(0.015).of(ROLLOUTS)
}

/// NeMo-RL in a `.wandb` file.
pub fn nemo(steps: usize) -> Log {
    Log::new(Format::Wandb, "_step", steps)
        .with("train/reward", reward(steps))
        .with("validation/accuracy", evaluation(steps))
        .with("train/kl_penalty", kl(steps))
        .with("train/approx_entropy", entropy(steps))
        .with("train/grad_norm", gradient())
        .with("train/loss", loss())
        .with("train/lr", rate(steps))
        .with("train/probs_ratio", level(1.0).noise(0.0005))
        .with("train/gen_kl_error", level(0.0004).factor(0.2))
        .with("train/mean_gen_tokens_per_sample", length(steps))
        .with("train/truncation_rate", cut_off())
        .with("timing/train/total_step_time", level(62.0).factor(0.05))
        .with("timing/train/generation", level(35.0).factor(0.05))
        .with("timing/train/policy_training", level(20.0).factor(0.05))
}

/// AReaL as JSON Lines.
pub fn areal(steps: usize) -> Log {
    Log::new(Format::JsonLines, "step", steps)
        .with("ppo_actor/task_reward/avg", reward(steps))
        .with("eval-rollout/task_reward/avg", evaluation(steps))
        .with("ppo_actor/update/approx_kl/avg", level(0.0004).noise(0.0003))
        .with("ppo_actor/update/entropy/avg", entropy(steps))
        .with("ppo_actor/update/clip_ratio/avg", clipped())
        .with("ppo_actor/update/importance_weight/avg", level(1.0).noise(0.0008))
        .with("ppo_actor/update/grad_norm", gradient())
        .with("ppo_actor/update/lr", rate(steps))
        .with("ppo_actor/update/actor_loss/avg", loss())
        .with("ppo_actor/seq_len/avg", length(steps))
        .with("ppo_actor/no_eos_ratios/avg", cut_off())
        .with("ppo_actor/update/version_stats/sample_staleness_theta_avg", level(1.0).noise(0.08))
        .with("timeperf/rollout", level(25.0).factor(0.05))
        .with("timeperf/train_step", level(30.0).factor(0.05))
}

/// rLLM as JSON Lines.
pub fn rllm(steps: usize) -> Log {
    Log::new(Format::JsonLines, "step", steps)
        .with("reward/mean", reward(steps))
        .with("val/test_score/aime", evaluation(steps))
        .with("batch/solve_none", level(0.35).saturates(0.12, steps / 3).of(32))
        .with("batch/solve_all", level(0.08).saturates(0.3, steps / 3).of(32))
        .with("batch/solve_partial", level(0.57).of(32))
        .with("optim/entropy", entropy(steps))
        .with("optim/kl_sample_train_v2", level(0.0005).factor(0.2))
        .with("optim/lr", rate(steps))
        .with("batch/step_response_length/mean", length(steps))
        .with("episode/num_turns", level(3.2).noise(0.1))
        .with("time/step", level(70.0).factor(0.06))
}

/// tunix in a `.wandb` file.
pub fn tunix(steps: usize) -> Log {
    Log::new(Format::Wandb, "_step", steps)
        .with("rewards/train/score/mean", reward(steps))
        .with("rewards/eval/score/mean", evaluation(steps))
        .with("actor/train/kl", kl(steps))
        .with("actor/train/entropy", entropy(steps))
        .with("actor/train/pg_clipfrac", clipped())
        .with("actor/train/ppo_kl", level(0.0003).noise(0.0002))
        .with("actor/train/reduced_pg_loss", loss())
        .with("actor/train/grad_norm", gradient())
        .with("actor/train/learning_rate", rate(steps))
        .with("completions/train/mean_length", length(steps))
        .with("generation/train/completions/clip_ratio", cut_off())
        .with("perf/train/global_step_time", level(48.0).factor(0.05))
}

/// open-instruct as W&B gives it.
pub fn open_instruct(steps: usize) -> Log {
    Log::new(Format::WandbJson, "training_step", steps)
        .with("scores", reward(steps))
        .with("eval/scores", evaluation(steps))
        .with("objective/kl2_avg", kl(steps))
        .with("policy/entropy_avg", entropy(steps))
        .with("policy/clipfrac_avg", clipped())
        .with("loss/policy_avg", loss())
        .with("val/ratio", level(1.0).noise(0.0008))
        .with("optim/grad_norm", gradient())
        .with("lr", rate(steps))
        .with("val/sequence_lengths", length(steps))
        .with("val/sequence_lengths_solved", length(steps))
        .with("val/sequence_lengths_unsolved", level(390.0).saturates(430.0, steps / 2).factor(0.03))
        .with("val/stop_rate", level(0.985).of(ROLLOUTS))
        .with("time/total", level(55.0).factor(0.05))
        .with("learner_tokens_per_second_step", level(2400.0).factor(0.05))
}

/// SkyRL as JSON Lines.
pub fn skyrl(steps: usize) -> Log {
    Log::new(Format::JsonLines, "trainer/global_step", steps)
        .with("reward/avg_raw_reward", reward(steps))
        .with("eval/all/avg_score", evaluation(steps))
        .with("policy/policy_kl", kl(steps))
        .with("policy/policy_entropy", entropy(steps))
        .with("policy/loss_metrics/clip_ratio", clipped())
        .with("policy/policy_loss", loss())
        .with("policy/grad_norm", gradient())
        .with("policy/policy_lr", rate(steps))
        .with("generate/avg_num_tokens", length(steps))
        .with("async/staleness_mean", level(1.0).noise(0.08))
        .with("timing/step", level(52.0).factor(0.05))
        .with("timing/generate", level(28.0).factor(0.05))
        .with("timing/policy_train", level(17.0).factor(0.05))
}

/// prime-rl as JSON Lines.
pub fn prime(steps: usize) -> Log {
    Log::new(Format::JsonLines, "step", steps)
        .with("train/agg/effective/solver/reward/mean", reward(steps))
        .with("eval/aime/avg@8", evaluation(steps))
        .with("entropy/all/mean", entropy(steps))
        .with("is_masked/mean", clipped())
        .with("loss/mean", loss())
        .with("optim/grad_norm", gradient())
        .with("optim/lr", rate(steps))
        .with("mismatch_kl/all/mean", level(0.0006).factor(0.2))
        .with("train/agg/all/solver/num_output_tokens/mean", length(steps))
        .with("train/agg/all/solver/is_truncated/mean", cut_off())
        .with("off_policy/mean", level(1.0).noise(0.08))
        .with("off_policy/max", level(2.0))
        .with("time/step", level(45.0).factor(0.05))
        .with("time/wait_for_batch", level(4.0).factor(0.3))
        .with("perf/throughput", level(18_000.0).factor(0.05))
}

/// slime, a dictionary of Python a step in its console.
pub fn slime(steps: usize) -> Log {
    Log::new(Format::Dictionaries, "step", steps)
        .with("rollout/raw_reward", reward(steps))
        .with("eval/aime", evaluation(steps))
        .with("train/kl_loss", kl(steps))
        .with("train/entropy_loss", entropy(steps))
        .with("train/pg_clipfrac", clipped())
        .with("train/ppo_kl", level(0.0003).noise(0.0002))
        .with("train/pg_loss", loss())
        .with("train/grad_norm", gradient())
        .with("train/lr-pg_0", rate(steps))
        .with("train/train_rollout_logprob_abs_diff", level(0.012).factor(0.1))
        .with("rollout/response_len/mean", length(steps))
        .with("rollout/truncated_ratio", cut_off())
        .with("perf/step_time", level(66.0).factor(0.05))
        .with("perf/train_wait_time", level(6.0).factor(0.2))
}

/// The tinker cookbook as JSON Lines.
pub fn tinker(steps: usize) -> Log {
    Log::new(Format::JsonLines, "step", steps)
        .with("env/all/reward/total", level(0.24).saturates(0.7, steps / 3).noise(0.03))
        .with("env/all/correct", reward(steps))
        .with("env/all/format", level(0.8).saturates(0.985, steps / 8).of(ROLLOUTS))
        .with("test/env/all/correct", evaluation(steps))
        .with("kl_policy_base", kl(steps))
        .with("kl_pre_post_v2", level(0.0006).factor(0.2))
        .with("optim/kl_sample_train_v2", level(0.0005).factor(0.2))
        .with("optim/entropy", entropy(steps))
        .with("optim/lr", rate(steps))
        .with("progress/batch", level(1.0).summed())
        .with("env/all/ac_tokens_per_turn", length(steps))
        .with("time/total", level(38.0).factor(0.05))
}

/// ART in a table.
pub fn art(steps: usize) -> Log {
    Log::new(Format::Csv, "step", steps)
        .with("train/reward", reward(steps))
        .with("val/reward", evaluation(steps))
        .with("train/reward_std_dev", level(0.3).factor(0.06))
        .with("train/exception_rate", level(0.002).of(ROLLOUTS))
        .with("loss/kl_div", kl(steps))
        .with("loss/entropy", entropy(steps))
        .with("loss/grad_norm", gradient())
        .with("loss/learning_rate", rate(steps))
        .with("time/step_wall_s", level(33.0).factor(0.05))
}

/// torchtune as TensorBoard tags are downloaded.
pub fn torchtune(steps: usize) -> Log {
    Log::new(Format::TensorBoard, "step", steps)
        .with("rewards", reward(steps))
        .with("successes", reward(steps))
        .with("kl_loss", kl(steps))
        .with("approx_policy_kl", level(0.0005).factor(0.2))
        .with("ratios", level(1.0).noise(0.0008))
        .with("clipfrac", clipped())
        .with("loss", loss())
        .with("grad_norm", gradient())
        .with("lr", rate(steps))
        .with("response_lengths", length(steps))
}

/// PPO in one file, as CleanRL and its copies name things, downloaded from TensorBoard.
pub fn one_file_ppo(steps: usize) -> Log {
    Log::new(Format::TensorBoard, "step", steps)
        .with("charts/episodic_return", reward(steps))
        .with("eval/success_rate", evaluation(steps))
        .with("charts/learning_rate", rate(steps))
        .with("losses/policy_loss", loss())
        .with("losses/value_loss", level(0.4).saturates(0.1, steps / 10).factor(0.1))
        .with("losses/explained_variance", level(-0.4).saturates(0.65, steps / 20).noise(0.03))
        .with("losses/entropy", entropy(steps))
        .with("losses/approx_kl", level(0.0008).factor(0.2))
        .with("losses/clipfrac", clipped())
}

/// A loop of one's own that names things as a paper does, in a table.
pub fn own(steps: usize) -> Log {
    Log::new(Format::Csv, "iteration", steps)
        .with("avg_return", reward(steps))
        .with("heldout_accuracy", evaluation(steps))
        .with("kl_div", kl(steps))
        .with("policy_entropy", entropy(steps))
        .with("clip_frac", clipped())
        .with("policy_loss", loss())
        .with("gradient_norm", gradient())
        .with("lr", rate(steps))
        .with("avg_response_tokens", length(steps))
        .with("gen/frac_hit_max_len", cut_off())
        .with("importance_ratio_mean", level(1.0).noise(0.0008))
        .with("iteration_time", level(25.0).factor(0.05))
}

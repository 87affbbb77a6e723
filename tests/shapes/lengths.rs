//! Response lengths, and samples that the trainer's policy would not have given.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{nemo, open_instruct, own, prime, rllm, skyrl, slime, tinker};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        length_explosion(),
        length_collapse(),
        truncation(),
        length_pinned_at_cap(),
        end_token_missing(),
        length_reward_coupling(),
        sampler_mismatch(),
        staleness(),
    ]
}

/// The tinker cookbook: the answers of a turn grow with every step from the start, to six times, and nothing is gained.
fn length_explosion() -> Case {
    Case::new(Code::LengthExplosion, Severity::Warning, tinker(240))
        .onset(1, 80)
        .fault("env/all/ac_tokens_per_turn", |_| level(300.0).ramp(1800.0, 1, 240).factor(0.04))
        .fault("env/all/reward/total", |_| level(0.3).noise(0.03))
        .fault("env/all/correct", |_| level(0.3).of(256))
        .fault("test/env/all/correct", |_| level(0.28).of(500).every(10))
}

/// slime: answers get shorter all along, a little with each step, down to a third; held-out tasks go with them.
fn length_collapse() -> Case {
    Case::new(Code::LengthCollapse, Severity::Warning, slime(280).written_as(Format::TensorBoard))
        .onset(1, 150)
        .fault("rollout/response_len/mean", |_| level(420.0).ramp(120.0, 20, 240).factor(0.03))
        .fault("rollout/raw_reward", |_| level(0.4).ramp(0.3, 20, 240).of(256))
        .fault("eval/aime", |_| level(0.42).ramp(0.25, 20, 240).of(500).every(10))
}

/// open-instruct logs how many stop by themselves: from three quarters of the run on it is four of five, at once.
fn truncation() -> Case {
    Case::new(Code::Truncation, Severity::Warning, open_instruct(240))
        .onset(178, 192)
        .fault("val/stop_rate", |share| share.jump(0.72, 180))
        .fault("scores", |reward| reward.ramp(0.5, 180, 10))
        .fault("eval/scores", |score| score.ramp(0.45, 180, 10))
}

/// rLLM: a limit of 512 tokens that answers reach after a third of the run; from then on nearly all of them do.
fn length_pinned_at_cap() -> Case {
    let run = rllm(240)
        .with("batch/step_response_length/max", level(500.0).noise(6.0))
        .set("data.max_response_length", "512");
    Case::new(Code::LengthPinnedAtCap, Severity::Warning, run)
        .onset(70, 110)
        .fault("batch/step_response_length/mean", |length| length.ramp(509.0, 60, 30).factor(0.001))
        .fault("batch/step_response_length/max", |_| level(512.0))
}

/// TRL's names for lengths: a stop string ends every answer, which then has no end token, and the loss leaves it out. The
/// answers of the twin end with the token but for a few at the limit.
fn end_token_missing() -> Case {
    let run = own(220)
        .written_as(Format::Wandb)
        .without("avg_response_tokens")
        .without("gen/frac_hit_max_len")
        .with("completions/mean_length", level(310.0).factor(0.03))
        .with("completions/max_length", level(1024.0))
        .with("completions/clipped_ratio", level(0.06).of(256))
        .set("mask_truncated_completions", "true");
    Case::new(Code::EndTokenMissing, Severity::Warning, run)
        .onset(1, 1)
        .fault("completions/max_length", |_| level(700.0).factor(0.1))
        .fault("completions/clipped_ratio", |_| level(1.0))
}

/// SkyRL: wrong answers grow twice as long as at the start, right ones stay as they were.
fn length_reward_coupling() -> Case {
    let run = skyrl(280)
        .with("generate/avg_tokens_non_zero_rewards", level(300.0).factor(0.03))
        .with("generate/avg_tokens_zero_rewards", level(340.0).factor(0.03));
    Case::new(Code::LengthRewardCoupling, Severity::Note, run)
        .fault("generate/avg_tokens_zero_rewards", |length| length.ramp(760.0, 100, 150))
        .fault("generate/avg_num_tokens", |length| length.ramp(430.0, 100, 150))
}

/// NeMo-RL: the sampling engine was restarted at two thirds of the run with other weights; the KL between both is fifty
/// times as large from one step to the next, and the task goes.
fn sampler_mismatch() -> Case {
    Case::new(Code::SamplerMismatch, Severity::Critical, nemo(240))
        .onset(158, 166)
        .fault("train/gen_kl_error", |kl| kl.jump(0.02, 160))
        .fault("train/reward", |reward| reward.ramp(0.3, 165, 20))
        .fault("validation/accuracy", |score| score.ramp(0.28, 165, 20))
}

/// prime-rl: two episodes with samples of ten versions ago, the second from two thirds to the end without a gain.
fn staleness() -> Case {
    let reward = "train/agg/effective/solver/reward/mean";
    Case::new(Code::Staleness, Severity::Warning, prime(300))
        .onset(98, 210)
        .fault("off_policy/mean", |age| age.jump(9.0, 100).jump(1.0, 125).jump(10.0, 200))
        .fault("off_policy/max", |age| age.jump(14.0, 100).jump(2.0, 125).jump(15.0, 200))
        .fault(reward, |reward| reward.ramp(0.45, 200, 40))
        .fault("eval/aime/avg@8", |score| score.ramp(0.4, 200, 40))
}

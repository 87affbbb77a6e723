//! A second shape of faults of the optimiser and of lengths.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, nemo, own, prime, rllm, skyrl, slime, tinker, torchtune};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        gradient_gone_late(),
        gradient_that_grows(),
        small_loss_that_jumps(),
        loss_that_gets_noisy(),
        length_explodes_late(),
        length_halved(),
        truncation_slowly(),
        pinned_without_a_limit(),
        longer_and_better_paid(),
        mismatch_slowly(),
        staleness_slowly(),
    ]
}

/// NeMo-RL: the gradient is a fiftieth from one step to the next, at four fifths of the run, and nothing moves since.
fn gradient_gone_late() -> Case {
    Case::new(Code::GradientDying, Severity::Warning, nemo(320))
        .onset(245, 270)
        .fault("train/grad_norm", |norm| norm.jump(0.005, 256))
        .fault("train/reward", |_| level(0.28).ramp(0.5, 1, 256).of(256))
        .fault("validation/accuracy", |_| level(0.26).ramp(0.46, 1, 256).of(500).every(10))
}

/// AReaL: the norm doubles every fifty steps from where learning stops, at two fifths of the run.
fn gradient_that_grows() -> Case {
    Case::new(Code::GradientNormHigh, Severity::Warning, areal(300))
        .onset(100, 200)
        .fault("ppo_actor/update/grad_norm", |norm| norm.ramp(0.5, 115, 50).ramp(1.0, 165, 50).ramp(4.0, 215, 85))
        .fault("ppo_actor/task_reward/avg", |_| level(0.28).ramp(0.6, 1, 110).of(256))
        .fault("eval-rollout/task_reward/avg", |_| level(0.26).ramp(0.55, 1, 110).of(500).every(10))
}

/// torchtune: a loss of 0.02 that is at 2.7 from one step to the next, and stays; the task is lost.
fn small_loss_that_jumps() -> Case {
    Case::new(Code::LossDivergence, Severity::Warning, torchtune(260))
        .onset(128, 134)
        .fault("loss", |loss| loss.jump(2.7, 130))
        .fault("rewards", |reward| reward.ramp(0.1, 130, 20))
        .fault("successes", |reward| reward.ramp(0.1, 130, 20))
}

/// SkyRL: the noise of the loss grows with every step from the middle on, to fifty times what it was.
fn loss_that_gets_noisy() -> Case {
    Case::new(Code::LossSpikes, Severity::Note, skyrl(280)).fault("policy/policy_loss", |loss| loss.scatter(1.0, 150))
}

/// rLLM: three times as long within five steps, in the last sixth of the run; the score falls a little.
fn length_explodes_late() -> Case {
    Case::new(Code::LengthExplosion, Severity::Warning, rllm(300).written_as(Format::Csv))
        .onset(246, 262)
        .fault("batch/step_response_length/mean", |length| length.ramp(1100.0, 250, 5))
        .fault("reward/mean", |reward| reward.ramp(0.5, 250, 10))
        .fault("val/test_score/aime", |score| score.ramp(0.45, 250, 10))
}

/// AReaL, whose lengths hold the prompt: half of them is gone from one step to the next, and answers are wrong.
fn length_halved() -> Case {
    Case::new(Code::LengthCollapse, Severity::Warning, areal(260))
        .onset(196, 206)
        .fault("ppo_actor/seq_len/avg", |length| length.jump(130.0, 200))
        .fault("ppo_actor/task_reward/avg", |reward| reward.jump(0.3, 200))
        .fault("eval-rollout/task_reward/avg", |score| score.jump(0.22, 200))
}

/// prime-rl: from 2 to 35 responses of a hundred over the whole run, in a straight line.
fn truncation_slowly() -> Case {
    Case::new(Code::Truncation, Severity::Warning, prime(280))
        .onset(1, 140)
        .fault("train/agg/all/solver/is_truncated/mean", |share| share.ramp(0.35, 1, 280))
        .fault("train/agg/effective/solver/reward/mean", |_| level(0.3).of(256))
        .fault("eval/aime/avg@8", |_| level(0.28).of(500).every(10))
}

/// An own loop without a config: the mean length is 1024 to the last digit in two of three steps, from the start.
fn pinned_without_a_limit() -> Case {
    Case::new(Code::LengthPinnedAtCap, Severity::Warning, own(220))
        .onset(1, 12)
        .fault("avg_response_tokens", |_| level(1024.0).spikes(3, 3, 80, -9.0))
        .fault("avg_return", |_| level(0.3).of(256))
        .fault("heldout_accuracy", |_| level(0.28).of(500).every(10))
}

/// The tinker cookbook: length and reward swing together and both grow; held-out tasks stand still.
fn longer_and_better_paid() -> Case {
    Case::new(Code::LengthRewardCoupling, Severity::Warning, tinker(280))
        .fault("env/all/ac_tokens_per_turn", |_| level(300.0).ramp(520.0, 1, 280).wave(1, 7, 40.0).factor(0.01))
        .fault("env/all/reward/total", |_| level(0.3).ramp(0.6, 1, 280).wave(1, 7, 0.06).noise(0.01))
        .fault("env/all/correct", |_| level(0.3).of(256))
        .fault("test/env/all/correct", |_| level(0.28).of(500).every(10))
}

/// slime: the difference of log-probabilities grows all along, to twenty times its start; the task is learned all the same.
fn mismatch_slowly() -> Case {
    Case::new(Code::SamplerMismatch, Severity::Note, slime(300))
        .onset(1, 170)
        .fault("train/train_rollout_logprob_abs_diff", |gap| gap.ramp(0.25, 40, 260))
}

/// SkyRL: samples get older with every step, to seven versions at the end, and nothing is gained since.
fn staleness_slowly() -> Case {
    Case::new(Code::Staleness, Severity::Warning, skyrl(300))
        .onset(30, 160)
        .fault("async/staleness_mean", |age| age.ramp(7.0, 40, 260))
        .fault("reward/avg_raw_reward", |_| level(0.28).ramp(0.6, 1, 40).of(256))
        .fault("eval/all/avg_score", |_| level(0.26).ramp(0.55, 1, 40).of(500).every(10))
}

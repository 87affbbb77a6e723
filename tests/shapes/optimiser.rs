//! Gradients, loss, learning rate and critic.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, art, one_file_ppo, own, prime, skyrl, slime, torchtune, tunix};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        gradient_spikes(),
        gradient_dying(),
        gradient_norm_high(),
        loss_divergence(),
        loss_spikes(),
        learning_rate_too_high(),
        learning_rate_zero(),
        warmup_missing(),
        critic_failure(),
        explained_variance_that_is_lost_twice(),
        value_loss_that_diverges(),
    ]
}

/// prime-rl: within the last thirty steps six single gradients are a hundred times the usual.
fn gradient_spikes() -> Case {
    Case::new(Code::GradientSpikes, Severity::Warning, prime(240))
        .onset(213, 213)
        .fault("optim/grad_norm", |norm| norm.spikes(213, 4, 7, 25.0))
}

/// ART: from the first third on the gradient fades with every step, to a fiftieth, and nothing is learned any more.
fn gradient_dying() -> Case {
    Case::new(Code::GradientDying, Severity::Warning, art(270))
        .onset(85, 180)
        .fault("loss/grad_norm", |norm| norm.ramp(0.006, 90, 120))
        .fault("train/reward", |_| level(0.28).ramp(0.45, 1, 90).of(256))
        .fault("val/reward", |_| level(0.26).ramp(0.42, 1, 90).of(500).every(10))
}

/// An own loop: the norm is four times as high from one step to the next, late; the task stands still from then on.
fn gradient_norm_high() -> Case {
    Case::new(Code::GradientNormHigh, Severity::Warning, own(250))
        .onset(165, 185)
        .fault("gradient_norm", |norm| norm.jump(1.0, 175))
        .fault("avg_return", |_| level(0.28).ramp(0.6, 1, 170).of(256))
        .fault("heldout_accuracy", |_| level(0.26).ramp(0.55, 1, 170).of(500).every(10))
}

/// slime: from one step to the next the loss is at 60, at three quarters of the run, and it stays there.
fn loss_divergence() -> Case {
    Case::new(Code::LossDivergence, Severity::Critical, slime(260))
        .onset(193, 200)
        .fault("train/pg_loss", |loss| loss.jump(60.0, 195))
        .fault("train/grad_norm", |norm| norm.jump(9.0, 195))
        .fault("rollout/raw_reward", |reward| reward.jump(0.1, 196))
        .fault("eval/aime", |score| score.jump(0.1, 196))
}

/// SkyRL: eight losses far below zero within thirty steps, soon after the start; learning goes on.
fn loss_spikes() -> Case {
    Case::new(Code::LossSpikes, Severity::Note, skyrl(260))
        .onset(30, 30)
        .fault("policy/policy_loss", |loss| loss.spikes(30, 2, 8, -1.2))
}

/// torchtune with Adam at 1e-4 for the whole model: KL, clip fraction and gradients are up within ten steps.
fn learning_rate_too_high() -> Case {
    Case::new(Code::LearningRateTooHigh, Severity::Warning, torchtune(200).written_as(Format::Csv))
        .onset(1, 20)
        .fault("lr", |_| level(1e-4))
        .fault("kl_loss", |_| level(0.01).ramp(1.4, 2, 10).factor(0.2))
        .fault("clipfrac", |_| level(0.01).ramp(0.22, 2, 8).factor(0.2))
        .fault("grad_norm", |norm| norm.ramp(2.5, 4, 8))
        .fault("rewards", |_| level(0.28).ramp(0.05, 4, 30).of(256))
        .fault("successes", |_| level(0.28).ramp(0.05, 4, 30).of(256))
}

/// SkyRL: the schedule was planned over half of the steps, and the evaluation stands still behind it.
fn learning_rate_zero() -> Case {
    Case::new(Code::LearningRateZero, Severity::Warning, skyrl(240))
        .onset(120, 121)
        .fault("policy/policy_lr", |_| level(1e-6).ramp(0.0, 1, 120))
        .fault("reward/avg_raw_reward", |_| level(0.28).ramp(0.5, 1, 115).of(256))
        .fault("eval/all/avg_score", |_| level(0.26).ramp(0.45, 1, 115).of(500).every(10))
}

/// AReaL: the full rate from the first step on; two gradients of the first ten are forty times the usual.
fn warmup_missing() -> Case {
    Case::new(Code::WarmupMissing, Severity::Note, areal(220))
        .onset(2, 12)
        .fault("ppo_actor/update/lr", |_| level(1e-6).ramp(1e-7, 1, 220))
        .fault("ppo_actor/update/grad_norm", |norm| norm.spikes(3, 5, 2, 10.0))
}

/// tunix' PPO: the critic explains what comes for half of the run; then its loss climbs to ten times its best and half
/// of its predictions are clipped, while the reward gains nothing more.
fn critic_failure() -> Case {
    let run = tunix(300)
        .with("critic/train/loss", level(0.4).saturates(0.08, 30).factor(0.1))
        .with("critic/train/vf_clipfrac", level(0.04).factor(0.2))
        .with("critic/train/vpred_mean", level(0.28).saturates(0.7, 100).noise(0.02));
    Case::new(Code::CriticFailure, Severity::Warning, run)
        .onset(145, 200)
        .fault("critic/train/loss", |loss| loss.ramp(1.2, 150, 60))
        .fault("critic/train/vf_clipfrac", |share| share.ramp(0.5, 150, 20))
        .fault("rewards/train/score/mean", |_| level(0.28).ramp(0.55, 1, 150).of(256))
        .fault("rewards/eval/score/mean", |_| level(0.26).ramp(0.5, 1, 150).of(500).every(10))
}

/// PPO in one file: the critic is worse than a constant for forty steps in the first third, and from two thirds on.
fn explained_variance_that_is_lost_twice() -> Case {
    Case::new(Code::CriticFailure, Severity::Warning, one_file_ppo(300))
        .onset(195, 212)
        .fault("losses/explained_variance", |share| share.jump(-0.8, 70).jump(0.6, 110).jump(-1.2, 200))
        .fault("charts/episodic_return", |reward| reward.ramp(0.6, 195, 5))
        .fault("eval/success_rate", |score| score.ramp(0.5, 195, 5))
}

/// PPO in one file: the value loss multiplies by ten every eight steps, late, and the critic explains nothing more; the policy
/// loses what it had.
fn value_loss_that_diverges() -> Case {
    Case::new(Code::LossDivergence, Severity::Warning, one_file_ppo(300))
        .onset(245, 262)
        .fault("losses/value_loss", |loss| loss.ramp(2.0, 246, 8).ramp(20.0, 254, 8).ramp(200.0, 262, 8))
        .fault("losses/explained_variance", |share| share.ramp(-2.0, 246, 24))
        .fault("charts/episodic_return", |reward| reward.ramp(0.4, 255, 20))
        .fault("eval/success_rate", |score| score.ramp(0.4, 255, 20))
}

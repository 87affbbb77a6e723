//! A second shape of faults of the policy and its entropy.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{art, nemo, open_instruct, skyrl, slime, torchtune, tunix};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        kl_at_once(),
        kl_twice(),
        kl_in_steps(),
        kl_spikes_that_cost(),
        clipped_late(),
        single_ratios(),
        three_signs(),
        entropy_all_along(),
        entropy_at_once(),
    ]
}

/// torchtune, where no evaluation is logged: the KL is at 3 nats within the first ten steps, and the reward is gone.
fn kl_at_once() -> Case {
    Case::new(Code::KlBlowUp, Severity::Critical, torchtune(200))
        .onset(1, 15)
        .fault("kl_loss", |_| level(0.01).ramp(3.0, 2, 9).factor(0.15))
        .fault("rewards", |_| level(0.28).ramp(0.03, 4, 15).of(256))
        .fault("successes", |_| level(0.28).ramp(0.03, 4, 15).of(256))
}

/// SkyRL: the KL is at 3 nats for twenty steps, comes back, and is there again for the last third of the run.
fn kl_twice() -> Case {
    Case::new(Code::KlBlowUp, Severity::Critical, skyrl(300))
        .onset(98, 205)
        .fault("policy/policy_kl", |kl| kl.jump(3.0, 100).jump(0.05, 120).jump(3.4, 200))
        .fault("reward/avg_raw_reward", |reward| reward.ramp(0.2, 200, 20))
        .fault("eval/all/avg_score", |score| score.ramp(0.2, 200, 20))
}

/// tunix: a step up every forty steps, each time after a new epoch; the task stands still from the first one on.
fn kl_in_steps() -> Case {
    Case::new(Code::KlDrift, Severity::Warning, tunix(280))
        .onset(72, 125)
        .fault("actor/train/kl", |kl| kl.jump(0.2, 100).jump(0.36, 140).jump(0.52, 180).jump(0.7, 220))
        .fault("rewards/train/score/mean", |_| level(0.28).ramp(0.55, 1, 100).of(256))
        .fault("rewards/eval/score/mean", |_| level(0.26).ramp(0.5, 1, 100).of(500).every(10))
}

/// ART: eight spikes of 1.5 nats in the second half, and the policy is worse after each of them.
fn kl_spikes_that_cost() -> Case {
    Case::new(Code::KlSpikes, Severity::Warning, art(260))
        .onset(130, 130)
        .fault("loss/kl_div", |kl| kl.spikes(130, 15, 8, 1.5))
        .fault("train/reward", |reward| reward.ramp(0.15, 130, 120))
        .fault("val/reward", |score| score.ramp(0.15, 130, 120))
}

/// tunix: four of ten tokens are clipped in the last sixth of the run, and the task goes on.
fn clipped_late() -> Case {
    Case::new(Code::ClipFractionHigh, Severity::Warning, tunix(300))
        .onset(245, 258)
        .fault("actor/train/pg_clipfrac", |share| share.jump(0.42, 250))
}

/// NeMo-RL: the mean ratio is 1, and single tokens get to twenty times their probability from the middle on.
fn single_ratios() -> Case {
    let run = nemo(240).with("train/probs_ratio_max", level(1.6).factor(0.1));
    Case::new(Code::RatioDrift, Severity::Warning, run)
        .onset(115, 140)
        .fault("train/probs_ratio_max", |ratio| ratio.ramp(20.0, 115, 20))
        .fault("train/reward", |_| level(0.28).ramp(0.6, 1, 118).of(256))
        .fault("validation/accuracy", |_| level(0.26).ramp(0.55, 1, 118).of(500).every(10))
}

/// open-instruct, which logs no KL of an update: KL to the reference, clip fraction and gradients rise together in the
/// last third, and what was learned goes.
fn three_signs() -> Case {
    Case::new(Code::TooAggressive, Severity::Warning, open_instruct(270))
        .onset(160, 205)
        .fault("objective/kl2_avg", |kl| kl.ramp(0.45, 180, 12))
        .fault("policy/clipfrac_avg", |share| share.ramp(0.12, 180, 12))
        .fault("optim/grad_norm", |norm| norm.ramp(1.4, 180, 12))
        .fault("scores", |reward| reward.ramp(0.2, 184, 40))
        .fault("eval/scores", |score| score.ramp(0.18, 184, 40))
}

/// tunix: from the first step on the entropy goes in a straight line to nothing; the held-out score turns in the middle.
/// The collapse begins where four fifths are lost: up to there healthy runs spend their entropy as well.
fn entropy_all_along() -> Case {
    Case::new(Code::EntropyCollapse, Severity::Critical, tunix(260))
        .onset(100, 170)
        .fault("actor/train/entropy", |_| level(0.48).ramp(0.004, 1, 200).factor(0.03))
        .fault("rewards/train/score/mean", |_| level(0.4).ramp(0.2, 100, 120).of(256))
        .fault("rewards/eval/score/mean", |_| level(0.38).ramp(0.15, 100, 120).of(500).every(10))
}

/// slime: from one step to the next the entropy is at 4 nats, nearly that of random text, at five sixths of the run.
fn entropy_at_once() -> Case {
    Case::new(Code::EntropyExplosion, Severity::Critical, slime(300).written_as(Format::Console))
        .onset(246, 254)
        .fault("train/entropy_loss", |entropy| entropy.jump(4.0, 250))
        .fault("rollout/raw_reward", |reward| reward.jump(0.02, 251))
        .fault("eval/aime", |score| score.jump(0.02, 251))
}

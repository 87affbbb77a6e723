//! How far and how fast the policy moves.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, nemo, open_instruct, own, skyrl, slime, tinker, torchtune, tunix};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        kl_blow_up(),
        kl_drift(),
        kl_spikes(),
        kl_without_reward(),
        reference_mismatch(),
        too_conservative(),
        too_aggressive(),
        clip_fraction_high(),
        ratio_drift(),
    ]
}

/// NeMo-RL, in the last quarter: the KL doubles every four steps up to 4 nats a token, and what was learned goes.
fn kl_blow_up() -> Case {
    Case::new(Code::KlBlowUp, Severity::Critical, nemo(240))
        .onset(178, 200)
        .fault("train/kl_penalty", |kl| kl.ramp(0.5, 180, 12).ramp(4.2, 192, 8))
        .fault("train/reward", |reward| reward.ramp(0.2, 185, 25))
        .fault("validation/accuracy", |score| score.ramp(0.18, 185, 25))
}

/// SkyRL: held down for two thirds of the run, then the KL climbs in a straight line while the task stands still.
fn kl_drift() -> Case {
    Case::new(Code::KlDrift, Severity::Warning, skyrl(300))
        .onset(185, 235)
        .fault("policy/policy_kl", |kl| kl.ramp(0.85, 200, 100))
        .fault("reward/avg_raw_reward", |reward| reward.ramp(0.66, 190, 20))
        .fault("eval/all/avg_score", |score| score.ramp(0.58, 190, 20))
}

/// tunix, downloaded from TensorBoard: every twelfth step of the last third one batch is at 0.7 nats; the task goes on.
fn kl_spikes() -> Case {
    Case::new(Code::KlSpikes, Severity::Note, tunix(240).written_as(Format::TensorBoard))
        .onset(161, 161)
        .fault("actor/train/kl", |kl| kl.spikes(161, 12, 6, 0.7))
}

/// An own loop: the KL goes to 0.4 within the first fifth and stays there; reward and held-out tasks never move.
fn kl_without_reward() -> Case {
    Case::new(Code::KlWithoutReward, Severity::Warning, own(200))
        .fault("kl_div", |_| level(1e-4).saturates(0.42, 20).factor(0.06))
        .fault("avg_return", |_| level(0.3).of(256))
        .fault("heldout_accuracy", |_| level(0.28).of(500).every(10))
}

/// open-instruct: the reference is another checkpoint than the start, half a nat a token away from the first step on,
/// and falls as the policy comes nearer.
fn reference_mismatch() -> Case {
    Case::new(Code::ReferenceMismatch, Severity::Note, open_instruct(200))
        .onset(1, 3)
        .fault("objective/kl2_avg", |_| level(0.55).ramp(0.35, 1, 200).factor(0.05))
}

/// slime: a KL coefficient of 0.5 holds the policy where it is, though the entropy was still falling a little.
fn too_conservative() -> Case {
    Case::new(Code::TooConservative, Severity::Warning, slime(260))
        .fault("train/kl_loss", |_| level(1e-5).saturates(0.0016, 60).factor(0.2))
        .fault("train/entropy_loss", |_| level(0.44).ramp(0.43, 1, 260).factor(0.01))
        .fault("train/pg_clipfrac", |_| level(0.0001).factor(0.3))
        .fault("rollout/raw_reward", |_| level(0.31).of(512))
        .fault("eval/aime", |_| level(0.29).of(500).every(10))
}

/// The tinker cookbook: two episodes in which each update moves the policy by 0.08 nats; the second one costs the task.
fn too_aggressive() -> Case {
    Case::new(Code::TooAggressive, Severity::Critical, tinker(300))
        .onset(140, 215)
        .fault("kl_pre_post_v2", |kl| kl.jump(0.07, 90).jump(0.0008, 110).jump(0.085, 200))
        .fault("env/all/reward/total", |reward| reward.ramp(0.15, 205, 40))
        .fault("env/all/correct", |correct| correct.ramp(0.15, 205, 40))
        .fault("test/env/all/correct", |score| score.ramp(0.15, 205, 40))
}

/// torchtune: from the first step on a tenth of the tokens is clipped, more in every second step, and nothing is learned.
fn clip_fraction_high() -> Case {
    Case::new(Code::ClipFractionHigh, Severity::Warning, torchtune(220))
        .onset(1, 12)
        .fault("clipfrac", |_| level(0.11).wave(1, 2, 0.03).factor(0.15))
        .fault("rewards", |_| level(0.3).of(256))
        .fault("successes", |_| level(0.3).of(256))
}

/// AReaL: the mean ratio goes below 1 (to 0.94), slowly from the first quarter on; the task gains nothing from then on.
fn ratio_drift() -> Case {
    Case::new(Code::RatioDrift, Severity::Warning, areal(280))
        .onset(70, 150)
        .fault("ppo_actor/update/importance_weight/avg", |ratio| ratio.ramp(0.94, 70, 160))
        .fault("ppo_actor/task_reward/avg", |reward| reward.ramp(0.5, 70, 5))
        .fault("eval-rollout/task_reward/avg", |score| score.ramp(0.45, 70, 5))
}

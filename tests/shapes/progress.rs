//! Whether the task is learned.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, nemo, open_instruct, prime, slime, torchtune};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![plateau(), regression_from_peak(), overfitting(), gain_not_established(), delayed_lift_off(), no_learning()]
}

/// NeMo-RL: a line that is learned to the end in the twin stops from one step to the next after a fifth of the run.
fn plateau() -> Case {
    let run = nemo(300)
        .with("train/reward", level(0.15).ramp(0.75, 1, 300).of(256))
        .with("validation/accuracy", level(0.14).ramp(0.7, 1, 300).of(500).every(10));
    Case::new(Code::Plateau, Severity::Note, run)
        .onset(45, 90)
        .fault("train/reward", |_| level(0.15).ramp(0.5, 1, 60).of(256))
        .fault("validation/accuracy", |_| level(0.14).ramp(0.46, 1, 60).of(500).every(10))
}

/// torchtune, without any evaluation: the reward is lost within the last fifth of the run, almost at once.
fn regression_from_peak() -> Case {
    Case::new(Code::RegressionFromPeak, Severity::Warning, torchtune(300))
        .onset(215, 265)
        .fault("rewards", |reward| reward.ramp(0.3, 240, 12))
        .fault("successes", |share| share.ramp(0.3, 240, 12))
}

/// prime-rl: training goes on to rise; the held-out score falls in two steps, at a half and at three quarters.
fn overfitting() -> Case {
    let reward = "train/agg/effective/solver/reward/mean";
    Case::new(Code::Overfitting, Severity::Warning, prime(320))
        .onset(128, 175)
        .fault(reward, |_| level(0.28).ramp(0.95, 1, 300).of(256))
        .fault("eval/aime/avg@8", |score| score.jump(0.46, 160).jump(0.41, 240).of(1000))
}

/// slime, eight evaluations of 60 problems: up and down by ten points, and a trend that may be chance.
fn gain_not_established() -> Case {
    let run = slime(200).with("eval/aime", level(0.2).saturates(0.62, 60).of(300).every(25));
    Case::new(Code::GainNotEstablished, Severity::Note, run)
        .fault("rollout/raw_reward", |_| level(0.3).ramp(0.33, 1, 200).of(256))
        .fault("eval/aime", |_| level(0.26).ramp(0.33, 1, 200).of(60).every(25))
}

/// open-instruct: nothing for three fifths of the run, then everything within thirty steps.
fn delayed_lift_off() -> Case {
    Case::new(Code::DelayedLiftOff, Severity::Note, open_instruct(300).written_as(Format::MLflow))
        .onset(165, 200)
        .fault("scores", |_| level(0.02).ramp(0.55, 180, 30).of(256))
        .fault("eval/scores", |_| level(0.02).ramp(0.5, 180, 30).of(500).every(10))
}

/// AReaL: the policy moves, its reward swings a little around where it began, held-out tasks stand still.
fn no_learning() -> Case {
    Case::new(Code::NoLearning, Severity::Warning, areal(300))
        .fault("ppo_actor/task_reward/avg", |_| level(0.4).wave(1, 60, 0.015).of(256))
        .fault("eval-rollout/task_reward/avg", |_| level(0.38).of(500).every(10))
}

//! Entropy.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, prime, rllm};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![entropy_collapse(), entropy_collapsed_at_start(), entropy_explosion()]
}

/// rLLM: level for three quarters of the run, then the entropy is gone within five steps; the score on held-out tasks
/// falls with it.
fn entropy_collapse() -> Case {
    Case::new(Code::EntropyCollapse, Severity::Critical, rllm(240).written_as(Format::Console))
        .onset(174, 192)
        .fault("optim/entropy", |entropy| entropy.ramp(0.006, 180, 5))
        .fault("reward/mean", |reward| reward.ramp(0.35, 182, 20))
        .fault("val/test_score/aime", |score| score.ramp(0.14, 182, 20))
}

/// AReaL: a start from a model that is sure of every token; the entropy rises a little and the task is not learned.
fn entropy_collapsed_at_start() -> Case {
    Case::new(Code::EntropyCollapsedAtStart, Severity::Warning, areal(220))
        .onset(1, 5)
        .fault("ppo_actor/update/entropy/avg", |_| level(0.018).ramp(0.03, 1, 220).factor(0.05))
        .fault("ppo_actor/task_reward/avg", |_| level(0.3).of(256))
        .fault("eval-rollout/task_reward/avg", |_| level(0.28).of(500).every(10))
}

/// prime-rl in MLflow: the entropy climbs from the first quarter on, slowly, to five times its start, while the score
/// on held-out tasks goes back.
fn entropy_explosion() -> Case {
    Case::new(Code::EntropyExplosion, Severity::Critical, prime(300).written_as(Format::MLflow))
        .onset(60, 150)
        .fault("entropy/all/mean", |entropy| entropy.ramp(2.4, 75, 200))
        .fault("train/agg/effective/solver/reward/mean", |reward| reward.ramp(0.15, 80, 180))
        .fault("eval/aime/avg@8", |score| score.ramp(0.12, 80, 180))
}

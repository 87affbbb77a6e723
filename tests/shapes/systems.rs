//! Outputs, caches, power laws, rubrics and settings.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::{Curve, level};
use crate::file::Format;
use crate::frameworks::{areal, nemo, own, prime, rllm, skyrl, slime, tinker, torchtune};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        extraction_rate_low(),
        empty_responses(),
        partial_responses(),
        cache_disabled(),
        cache_hit_rate_low(),
        cache_not_warming(),
        cache_hot_but_slow(),
        power_law_fit(),
        scaling_saturated(),
        compute_per_step_uneven(),
        config_conflict(),
        config_unusual(),
        criterion_stuck(),
        criterion_regressed(),
    ]
}

/// rLLM beside own counters: the template is wrong for the first 60 steps, half of the answers are not found; then all.
fn extraction_rate_low() -> Case {
    let run = rllm(220)
        .with("extraction/answers_expected", level(512.0))
        .with("extraction/answers_extracted", level(506.0).noise(1.5));
    Case::new(Code::ExtractionRateLow, Severity::Critical, run)
        .onset(1, 5)
        .fault("extraction/answers_extracted", |_| level(230.0).jump(506.0, 61).noise(1.5))
}

/// An own loop: the share of empty responses doubles every thirty steps.
fn empty_responses() -> Case {
    let run = own(240).with("extraction/empty_rate", level(0.012).of(512));
    Case::new(Code::EmptyResponses, Severity::Warning, run)
        .onset(120, 200)
        .fault("extraction/empty_rate", |share| share.ramp(0.025, 90, 30).ramp(0.05, 120, 30).ramp(0.16, 150, 90))
}

/// The tinker cookbook beside an own share: every eighth response lacks a part from the first step on.
fn partial_responses() -> Case {
    let run = tinker(200).with("extraction/partial_rate", level(0.03).of(512));
    Case::new(Code::PartialResponses, Severity::Warning, run)
        .onset(1, 12)
        .fault("extraction/partial_rate", |_| level(0.15).of(512))
}

/// slime: a setting of the engine switches its cache off, and nothing of a cache is logged.
fn cache_disabled() -> Case {
    let run = slime(200).written_as(Format::WandbJson);
    Case::new(Code::CacheDisabled, Severity::Note, run.set("sglang_disable_radix_cache", "false"))
        .but(|run| run.set("sglang_disable_radix_cache", "true"))
}

/// slime: warm at 70 %, and nothing is found again from the middle on, when the prompts begin with the time of day.
fn cache_hit_rate_low() -> Case {
    let run = slime(240).with("rollout/prefix_cache_hit_rate", level(0.05).saturates(0.72, 10).noise(0.02));
    Case::new(Code::CacheHitRateLow, Severity::Warning, run)
        .onset(115, 130)
        .fault("rollout/prefix_cache_hit_rate", |rate| rate.jump(0.12, 120))
}

/// prime-rl: 42 % in the first step and in the last one.
fn cache_not_warming() -> Case {
    let key = "inference/agg/prefix_cache_hit_rate/pooled";
    let run = prime(220).with(key, level(0.3).saturates(0.7, 15).noise(0.02));
    Case::new(Code::CacheNotWarming, Severity::Note, run).fault(key, |_| level(0.42).noise(0.02))
}

/// An own loop over vLLM: a cache at 75 %, and rollouts that get slow in the last third all the same.
fn cache_hot_but_slow() -> Case {
    let run = own(240)
        .with("vllm/prefix_cache_hit_rate", level(0.3).saturates(0.78, 15).noise(0.02))
        .with("rollout_p95_s", level(70.0).factor(0.08));
    Case::new(Code::CacheHotButSlow, Severity::Note, run).fault("rollout_p95_s", |seconds| seconds.jump(190.0, 160))
}

/// Cumulative compute of a run; 400 steps are more than two powers of ten.
fn compute() -> Curve {
    level(3.2e15).factor(0.01).summed()
}

/// AReaL: its reward is a count that grows with the square root of compute. The twin was resumed late in a long run, so
/// that its compute no longer doubles.
fn power_law_fit() -> Case {
    let reward = |resumed: Curve| {
        areal(400)
            .with("ppo_actor/task_reward/avg", level(0.4).power(0.35).noise(0.08))
            .with("power_law/cumulative_flops", resumed)
    };
    Case::new(Code::PowerLawFit, Severity::Note, reward(compute().spikes(1, 1, 1, 1e18)))
        .fault("power_law/cumulative_flops", |_| compute())
}

/// An own loop: a power law of compute up to the first quarter, and hardly a gain from three times as much again.
fn scaling_saturated() -> Case {
    let law = || level(0.4).power(0.35).noise(0.03);
    let run = own(400).with("avg_return", law()).with("power_law/cumulative_flops", compute());
    Case::new(Code::ScalingSaturated, Severity::Note, run)
        .onset(80, 125)
        .fault("avg_return", |reward| reward.constant_from(100))
}

/// SkyRL beside an own counter: every seventh batch is half empty.
fn compute_per_step_uneven() -> Case {
    let run = skyrl(240).with("power_law/tokens_per_step", level(9.0e5).factor(0.02));
    Case::new(Code::ComputePerStepUneven, Severity::Note, run)
        .fault("power_law/tokens_per_step", |tokens| tokens.spikes(5, 7, 34, -4.5e5))
}

/// SkyRL: a coefficient of the KL loss that is set while the loss is off, and so is the KL in the reward.
fn config_conflict() -> Case {
    let run = skyrl(200)
        .written_as(Format::Wandb)
        .set("trainer.algorithm.use_kl_in_reward", "false")
        .set("trainer.algorithm.kl_loss_coef", "0.05")
        .set("trainer.algorithm.use_kl_loss", "true");
    Case::new(Code::ConfigConflict, Severity::Warning, run).but(|run| run.set("trainer.algorithm.use_kl_loss", "false"))
}

/// torchtune in MLflow: a learning rate of 0.01, ten thousand times the usual one.
fn config_unusual() -> Case {
    let run = torchtune(200).written_as(Format::MLflow).without("lr").set("optimizer.lr", "1e-06");
    Case::new(Code::ConfigUnusual, Severity::Note, run).but(|run| run.set("optimizer.lr", "0.01"))
}

fn with_criteria() -> crate::case::Log {
    nemo(240)
        .with("criteria/judge/essay/argument/mean", level(0.35).ramp(0.7, 1, 240).noise(0.02).every(10))
        .with("criteria/judge/essay/sources/mean", level(0.3).ramp(0.66, 1, 240).noise(0.02).every(10))
        .with("criteria/judge/essay/style/mean", level(0.4).ramp(0.75, 1, 240).noise(0.02).every(10))
}

/// A judge's criteria: the sources gain two points over the whole run, the others thirty-five.
fn criterion_stuck() -> Case {
    Case::new(Code::CriterionStuck, Severity::Note, with_criteria())
        .fault("criteria/judge/essay/sources/mean", |_| level(0.3).ramp(0.32, 1, 240).noise(0.02).every(10))
}

/// A judge's criteria: the style is lost within the last sixth of the run.
fn criterion_regressed() -> Case {
    Case::new(Code::CriterionRegressed, Severity::Warning, with_criteria())
        .onset(185, 225)
        .fault("criteria/judge/essay/style/mean", |style| style.ramp(0.3, 200, 20))
}

//! The reward and its parts.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, art, nemo, open_instruct, own, prime, rllm, skyrl, tinker, tunix};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        reward_hacking(),
        proxy_only_gain(),
        format_only_policy(),
        reward_component_dead(),
        reward_break(),
        reward_unstable(),
        reward_spread_growing(),
        zero_variance_groups(),
        groups_that_are_all_solved(),
        penalised_reward_falling(),
        invalid_outputs_rising(),
    ]
}

/// tunix: right answers and the judge's score rise for half of the run; then the judge's score jumps twice, and right
/// answers get fewer each time.
fn reward_hacking() -> Case {
    let run = tunix(300)
        .with("rewards/train/judge", level(0.3).saturates(0.45, 100).noise(0.02))
        .with("rewards/train/correct_answer", level(0.28).saturates(0.7, 100).of(256))
        .with("rewards/train/score/mean", level(0.58).saturates(1.15, 100).noise(0.03));
    Case::new(Code::RewardHacking, Severity::Critical, run)
        .onset(128, 160)
        .fault("rewards/train/judge", |judge| judge.jump(1.0, 150).jump(1.9, 220))
        .fault("rewards/train/correct_answer", |right| right.ramp(0.4, 150, 20).ramp(0.12, 220, 20))
        .fault("rewards/train/score/mean", |score| score.ramp(1.4, 150, 20).ramp(2.0, 220, 20))
        .fault("rewards/eval/score/mean", |score| score.ramp(0.35, 150, 20).ramp(0.1, 220, 20))
}

/// The tinker cookbook: format goes from a fifth to all within the first 30 steps; right answers stay at a fifth.
fn proxy_only_gain() -> Case {
    Case::new(Code::ProxyOnlyGain, Severity::Warning, tinker(240))
        .fault("env/all/format", |_| level(0.2).ramp(0.99, 1, 30).of(256))
        .fault("env/all/correct", |_| level(0.2).of(256))
        .fault("test/env/all/correct", |_| level(0.2).of(500).every(10))
        .fault("env/all/reward/total", |_| level(0.4).ramp(1.19, 1, 30).noise(0.03))
}

/// An own loop with two rewards: all is well-formed by the second half of the run, and nothing is right.
fn format_only_policy() -> Case {
    let run = own(260)
        .with("rewards/answer_em_mean", level(0.28).saturates(0.72, 80).of(256))
        .with("rewards/xml_format_mean", level(0.5).saturates(0.99, 40).of(256));
    Case::new(Code::FormatOnlyPolicy, Severity::Warning, run)
        .fault("rewards/answer_em_mean", |_| level(0.004).of(256))
        .fault("rewards/xml_format_mean", |_| level(0.1).ramp(0.998, 1, 140).of(2048))
        .fault("avg_return", |_| level(0.02).ramp(0.2, 1, 140).noise(0.004))
        .fault("heldout_accuracy", |_| level(0.004).of(500).every(10))
}

/// open-instruct: the verifier of code is alive for four fifths of the run, then its service is gone and it gives 0.
fn reward_component_dead() -> Case {
    let run = open_instruct(300)
        .with("objective/math_correct_rate", level(0.3).saturates(0.7, 100).of(128))
        .with("objective/code_correct_rate", level(0.2).saturates(0.45, 100).of(128));
    Case::new(Code::RewardComponentDead, Severity::Warning, run)
        .onset(238, 244)
        .fault("objective/code_correct_rate", |rate| rate.jump(0.0, 240))
        .fault("scores", |reward| reward.jump(0.45, 240))
        .fault("eval/scores", |score| score.jump(0.5, 240))
}

/// rLLM, early: a fifth into the run the parser is changed and two thirds of the reward are gone from one step to the
/// next. It comes back a little and never again to where it was.
fn reward_break() -> Case {
    Case::new(Code::RewardBreak, Severity::Warning, rllm(250).written_as(Format::Dictionaries))
        .onset(60, 64)
        .fault("reward/mean", |_| level(0.28).ramp(0.6, 1, 50).jump(0.12, 61).ramp(0.2, 70, 180).of(256))
        .fault("val/test_score/aime", |_| {
            level(0.26).ramp(0.52, 1, 50).jump(0.1, 61).ramp(0.16, 70, 180).of(500).every(10)
        })
}

/// prime-rl: swings that begin in the middle of the run and last to its end, each as large as all that was gained.
fn reward_unstable() -> Case {
    let reward = "train/agg/effective/solver/reward/mean";
    Case::new(Code::RewardUnstable, Severity::Warning, prime(320))
        .onset(100, 190)
        .fault(reward, |_| level(0.3).ramp(0.45, 1, 140).wave(150, 34, 0.25).of(256))
        .fault("eval/aime/avg@8", |_| level(0.28).ramp(0.4, 1, 140).wave(150, 34, 0.22).of(500).every(10))
}

/// ART: the spread within groups jumps to five times its level at two thirds of the run; the task stands still.
fn reward_spread_growing() -> Case {
    Case::new(Code::RewardSpreadGrowing, Severity::Warning, art(240))
        .onset(155, 170)
        .fault("train/reward_std_dev", |spread| spread.jump(1.5, 160))
        .fault("train/reward", |_| level(0.35).noise(0.03))
        .fault("val/reward", |_| level(0.33).of(500).every(10))
}

/// NeMo-RL: from the first step on nearly every prompt is failed by all of its group, to the end.
fn zero_variance_groups() -> Case {
    let run = nemo(220)
        .with("train/baseline_reward/pct_0", level(30.0).saturates(8.0, 70).noise(2.0))
        .with("train/baseline_reward/pct_1", level(5.0).saturates(25.0, 70).noise(2.0))
        .with("train/baseline_reward/pct_mixed", level(65.0).noise(2.5));
    Case::new(Code::ZeroVarianceGroups, Severity::Warning, run)
        .fault("train/baseline_reward/pct_0", |_| level(93.0).noise(1.5))
        .fault("train/baseline_reward/pct_1", |_| level(0.0))
        .fault("train/baseline_reward/pct_mixed", |_| level(7.0).noise(1.5))
        .fault("train/reward", |_| level(0.012).of(512))
        .fault("validation/accuracy", |_| level(0.012).of(500).every(10))
}

/// An own loop: from two thirds of the run on all prompts are ones that the policy solves already; held-out tasks
/// stay unsolved.
fn groups_that_are_all_solved() -> Case {
    let run = own(270).with("frac_groups_all_same", level(0.25).saturates(0.4, 90).of(64));
    Case::new(Code::ZeroVarianceGroups, Severity::Warning, run)
        .onset(175, 190)
        .fault("frac_groups_all_same", |share| share.jump(0.97, 180))
        .fault("avg_return", |_| level(0.3).jump(0.995, 180).of(256))
        .fault("heldout_accuracy", |_| level(0.28).of(500).every(10))
}

/// SkyRL: the raw reward goes on rising, and what is left after the KL penalty falls from the last third on, all at
/// once, while KL, gradient norm and lengths move.
fn penalised_reward_falling() -> Case {
    let run = skyrl(300).with("loss/avg_final_rewards", level(0.27).saturates(0.68, 100).of(256));
    Case::new(Code::PenalisedRewardFalling, Severity::Warning, run)
        .onset(195, 230)
        .fault("loss/avg_final_rewards", |reward| reward.ramp(0.3, 205, 15))
        .fault("policy/policy_kl", |kl| kl.ramp(0.4, 205, 15))
}

/// AReaL beside an own counter: two episodes of invalid tool calls; the second one stays.
fn invalid_outputs_rising() -> Case {
    let run = areal(260).with("rollout/invalid_tool_call_rate", level(0.03).of(256));
    Case::new(Code::InvalidOutputsRising, Severity::Warning, run)
        .onset(95, 200)
        .fault("rollout/invalid_tool_call_rate", |share| share.jump(0.2, 100).jump(0.04, 120).ramp(0.25, 190, 20))
}

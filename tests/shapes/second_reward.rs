//! A second shape of faults of the reward and of progress.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{art, one_file_ppo, open_instruct, own, prime, rllm, slime, tinker, torchtune};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        hacked_from_the_start(),
        reward_without_the_task(),
        reward_break_at_the_end(),
        reward_that_gets_noisy(),
        groups_that_fade(),
        parsed_answers_that_fall(),
        failing_tools(),
        slow_regression(),
        error_that_stops_falling(),
        lift_off_at_four_fifths(),
        slow_overfitting(),
    ]
}

/// ART, one reward of a judge: it rises from the first step on, and the held-out score falls from the first one on.
fn hacked_from_the_start() -> Case {
    Case::new(Code::RewardHacking, Severity::Critical, art(240))
        .onset(1, 40)
        .fault("train/reward", |_| level(0.4).ramp(0.95, 1, 200).noise(0.03))
        .fault("val/reward", |_| level(0.5).ramp(0.2, 1, 200).of(500).every(10))
}

/// An own loop with one reward of a judge: up by three quarters, and held-out tasks exactly where they were.
fn reward_without_the_task() -> Case {
    let run = own(260).with("avg_return", level(0.4).saturates(1.1, 60).noise(0.04));
    Case::new(Code::ProxyOnlyGain, Severity::Warning, run).fault("heldout_accuracy", |_| level(0.3).of(1000).every(10))
}

/// torchtune: nine tenths into the run the verifier's service is gone, and two of three answers score nothing.
fn reward_break_at_the_end() -> Case {
    Case::new(Code::RewardBreak, Severity::Warning, torchtune(300))
        .onset(268, 272)
        .fault("rewards", |reward| reward.jump(0.22, 270))
        .fault("successes", |reward| reward.jump(0.22, 270))
}

/// open-instruct: the level stands still from the first quarter on, and the scatter from step to step is six times what
/// it was.
fn reward_that_gets_noisy() -> Case {
    Case::new(Code::RewardUnstable, Severity::Warning, open_instruct(320))
        .onset(120, 230)
        .fault("scores", |_| level(0.35).noise(0.02).scatter(0.16, 160))
        .fault("eval/scores", |_| level(0.33).of(500).every(10))
}

/// The tinker cookbook: the share of groups that differ fades from two thirds to one in twelve, with the task unsolved.
fn groups_that_fade() -> Case {
    let run = tinker(260)
        .with("env/all/by_group/frac_mixed", level(0.65).of(64))
        .with("env/all/by_group/frac_all_good", level(0.05).saturates(0.2, 90).of(64))
        .with("env/all/by_group/frac_all_bad", level(0.3).saturates(0.15, 90).of(64));
    Case::new(Code::ZeroVarianceGroups, Severity::Warning, run)
        .onset(100, 200)
        .fault("env/all/by_group/frac_mixed", |share| share.ramp(0.06, 60, 120))
        .fault("env/all/by_group/frac_all_bad", |_| level(0.3).ramp(0.9, 60, 120).of(64))
        .fault("env/all/reward/total", |_| level(0.24).ramp(0.06, 60, 120).noise(0.02))
        .fault("env/all/correct", |_| level(0.28).ramp(0.05, 60, 120).of(256))
        .fault("test/env/all/correct", |_| level(0.26).ramp(0.05, 60, 120).of(500).every(10))
}

/// An own loop that counts what could be parsed: ten points less within thirty steps, late.
fn parsed_answers_that_fall() -> Case {
    let run = own(260).with("parse_success_rate", level(0.9).saturates(0.985, 20).of(512));
    Case::new(Code::InvalidOutputsRising, Severity::Warning, run)
        .onset(195, 235)
        .fault("parse_success_rate", |share| share.ramp(0.86, 205, 30))
}

/// open-instruct: tool calls fail more often with every step, from 4 to 16 of a hundred.
fn failing_tools() -> Case {
    let run = open_instruct(260).with("tools/aggregate/failure_rate", level(0.04).of(512));
    Case::new(Code::InvalidOutputsRising, Severity::Warning, run)
        .onset(1, 120)
        .fault("tools/aggregate/failure_rate", |share| share.ramp(0.16, 1, 260))
}

/// prime-rl: best at a third of the run; half of the gain goes in a straight line over the rest of it.
fn slow_regression() -> Case {
    let reward = "train/agg/effective/solver/reward/mean";
    Case::new(Code::RegressionFromPeak, Severity::Warning, prime(320))
        .onset(85, 175)
        .fault(reward, |_| level(0.25).ramp(0.65, 1, 110).ramp(0.4, 111, 210).of(256))
        .fault("eval/aime/avg@8", |_| level(0.22).ramp(0.6, 1, 110).ramp(0.35, 111, 210).of(500).every(10))
}

/// PPO in one file, whose evaluation logs what goes wrong: it falls for a quarter of the run, then no more.
fn error_that_stops_falling() -> Case {
    let run = one_file_ppo(300)
        .without("eval/success_rate")
        .with("eval/error_rate", level(0.8).ramp(0.25, 1, 300).of(500).every(10))
        .with("charts/episodic_return", level(0.2).ramp(0.75, 1, 300).of(256));
    Case::new(Code::Plateau, Severity::Note, run)
        .onset(60, 105)
        .fault("eval/error_rate", |_| level(0.8).ramp(0.5, 1, 80).of(500).every(10))
        .fault("charts/episodic_return", |_| level(0.2).ramp(0.5, 1, 80).of(256))
}

/// rLLM: nothing for four fifths of the run, then from one step to the next a fifth is solved, and more with each step.
fn lift_off_at_four_fifths() -> Case {
    Case::new(Code::DelayedLiftOff, Severity::Note, rllm(300))
        .onset(218, 252)
        .fault("reward/mean", |_| level(0.01).jump(0.2, 240).ramp(0.45, 241, 50).of(256))
        .fault("val/test_score/aime", |_| level(0.01).jump(0.18, 240).ramp(0.42, 241, 50).of(500).every(10))
}

/// slime: from a quarter on the held-out score falls by a point every twenty steps; the training reward rises.
fn slow_overfitting() -> Case {
    Case::new(Code::Overfitting, Severity::Warning, slime(320).written_as(Format::JsonLines))
        .onset(50, 180)
        .fault("rollout/raw_reward", |_| level(0.3).ramp(0.97, 1, 280).of(256))
        .fault("eval/aime", |_| level(0.3).ramp(0.52, 1, 80).ramp(0.42, 81, 240).of(1000).every(10))
}

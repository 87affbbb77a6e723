//! Faults of the length of answers, and of old samples.

use super::case::{Case, fault, remark};
use super::plan::{Growth, Plan};
use super::random::Random;
use super::reward::paid_by_length;
use super::simulated_run::SimulatedRun;
use super::story::{Story, scale, shift};

/// All of them.
pub const FAULTS: &[Case] = &[
    fault("answers explode", &["length_explosion"], &["length"], explosion),
    fault("answers collapse", &["length_collapse"], &["length"], collapse),
    fault("a quarter and more cut off", &["truncation", "length_pinned_at_cap"], &["truncated"], truncation),
    fault("every answer at the limit", &["length_pinned_at_cap", "truncation"], &["length"], pinned),
    remark("a stop string ends every answer", &["end_token_missing"], &["without_end_token"], stopped),
    remark(
        "long answers pay",
        &["length_reward_coupling", "reward_hacking", "proxy_only_gain"],
        &["length", "reward"],
        paid_by_length,
    ),
    fault("sampler and trainer part", &["sampler_mismatch"], &["mismatch_logp|mismatch_prob|mismatch_kl"], mismatch),
    fault("samples get old", &["staleness", "sampler_mismatch"], &["stale|stale_count"], stale),
];

/// To four to eight times within a twentieth of the run, many are cut, nothing is gained.
fn explosion(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.cap = 1536.0;
    let mut story = Story::of(plan);
    let (at, over) = (story.onset(random), story.stretch(0.05));
    scale(&mut story.length, at, over, random.between(4.0, 8.0));
    story.stop_learning(at);
    story.simulate(random).since(at, at + over)
}

fn collapse(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.onset(random), story.stretch(0.05));
    scale(&mut story.length, at, over, random.between(0.12, 0.25));
    story.lose_skill(at, over, random.between(0.4, 0.65));
    story.simulate(random).since(at, at + over)
}

/// The limit lies within the usual lengths: 25 to 50 % never end.
fn truncation(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.cap = 512.0;
    let length = random.between(430.0, 530.0);
    plan.length = (length, length);
    plan.pass.1 = plan.pass.0 + 0.1;
    plan.held.1 = plan.held.0 + 0.08;
    Story::of(plan).simulate(random)
}

/// The limit is a third of what the answers need, and the reward does not mind.
fn pinned(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.cap = 256.0;
    let length = random.between(900.0, 1300.0);
    plan.length = (length, length);
    plan.length_spread = 0.35;
    plan.cut_costs = false;
    plan.growth = Growth::Line { until: 1.0 };
    plan.pass.1 = plan.pass.0 + 0.08;
    plan.held.1 = plan.held.0 + 0.06;
    Story::of(plan).simulate(random)
}

/// TRL counts answers without an end token as truncated: all of them, at any length.
fn stopped(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.has_end_token = false;
    Story::of(plan).simulate(random)
}

/// The gap grows a hundredfold; a cliff of gradients and reward follows ten steps later.
fn mismatch(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let at = story.step_at(random.between(0.3, 0.65));
    let over = story.stretch(0.15);
    scale(&mut story.mismatch, at, over, random.between(25.0, 60.0));
    let cliff = at + over * 2 / 3 + 10;
    scale(&mut story.grad, cliff, 4, random.between(6.0, 15.0));
    story.lose_skill(cliff, 10, 0.15);
    // Seen at the latest when the measure is ten times what it was.
    let seen = at + over * 3 / 4;
    story.simulate(random).since(at, seen)
}

/// From one version behind to eight and more, beyond what the importance weights can mend; reward falls slowly.
fn stale(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.step_at(random.between(0.3, 0.6)), story.stretch(0.08));
    shift(&mut story.stale, at, over, random.between(7.0, 11.0));
    scale(&mut story.mismatch, at, over, 9.0);
    story.lose_skill(at, story.stretch(0.25), random.between(0.6, 0.75));
    story.simulate(random).since(at, at + over)
}

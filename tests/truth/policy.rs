//! Faults of how far and how fast the policy moves, and of its entropy.

use super::case::{Case, fault, remark};
use super::plan::{Growth, Plan, Schedule};
use super::random::Random;
use super::simulated_run::SimulatedRun;
use super::story::{Story, climb, hold, ramp, reach, scale, shift};

/// All of them.
pub const FAULTS: &[Case] = &[
    fault("KL jumps and stays", &["kl_blow_up"], &["kl"], kl_blow_up),
    fault("KL climbs to the end, reward stays", &["kl_drift", "kl_without_reward"], &["kl"], kl_drift),
    remark("KL spikes that recover", &["kl_spikes"], &["kl"], kl_spikes),
    remark("KL is paid, nothing is gained", &["kl_without_reward", "kl_drift"], &["kl"], kl_without_reward),
    remark("KL is high at step 1", &["reference_mismatch"], &["kl"], reference_mismatch),
    fault("nothing moves", &["too_conservative"], &["kl", "entropy"], too_conservative),
    fault(
        "updates too large, skill lost",
        &["too_aggressive", "learning_rate_too_high"],
        &["kl", "clip"],
        too_aggressive,
    ),
    fault("clip fraction jumps", &["clip_fraction_high"], &["clip"], clip_fraction_high),
    fault(
        "policy leaves its sampler within an update",
        &["ratio_drift", "too_aggressive"],
        &["ratio_kl|ratio_kl_signed"],
        ratio_drift,
    ),
    fault("entropy collapses", &["entropy_collapse"], &["entropy"], entropy_collapse),
    fault("entropy gone from the start", &["entropy_collapsed_at_start"], &["entropy"], entropy_gone),
    fault("entropy explodes", &["entropy_explosion"], &["entropy"], entropy_explosion),
];

/// Within 1 to 3 % of the run to 1.2 to 5 nats a token, with the gradients, and skill is lost.
fn kl_blow_up(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.onset(random), story.stretch(0.02));
    shift(&mut story.kl, at, over, random.between(1.2, 5.0));
    scale(&mut story.grad, at, over, random.between(4.0, 10.0));
    scale(&mut story.clip, at, over, 3.0);
    scale(&mut story.entropy, at, over * 2, random.one_of(&[0.5, 1.6]));
    story.lose_skill(at, over * 4, random.between(0.3, 0.7));
    story.simulate(random).since(at, at + over)
}

/// A straight line to about 1 nat a token, while nothing is gained any more.
fn kl_drift(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.beta = 1e-4;
    plan.schedule = Schedule::Constant;
    let mut story = Story::of(plan);
    let at = story.step_at(random.between(0.15, 0.3));
    climb(&mut story.kl, at, random.between(0.9, 1.4));
    story.stop_learning(at);
    let watched = story.kl.iter().position(|kl| *kl > 0.5).unwrap_or(steps - 1);
    story.simulate(random).since(at, watched)
}

/// Six to ten single steps of 0.6 to 3, each over at once.
fn kl_spikes(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let at = story.onset(random).min(story.step_at(0.7));
    let count = random.whole(6, 10);
    let places = random.places(count, at, steps - 5, 4);
    story.kl_spikes = places.iter().map(|step| (*step, random.between(0.7, 3.0))).collect();
    let first = places.first().copied().unwrap_or(at);
    story.simulate(random).since(first, first + 1)
}

/// To 0.4 nats a token over the run without any gain.
fn kl_without_reward(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    plan.schedule = Schedule::Constant;
    let mut story = Story::of(plan);
    climb(&mut story.kl, 0, random.between(0.36, 0.46));
    story.simulate(random)
}

/// The reference is not the policy that training starts from: a level that was there at step 1.
fn reference_mismatch(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let level = random.between(0.25, 0.6);
    story.kl.iter_mut().for_each(|kl| *kl += level);
    story.simulate(random).since(0, 5)
}

fn too_conservative(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    plan.lr = random.between_log(1e-8, 1e-7);
    plan.kl = random.between(0.0008, 0.004);
    plan.entropy.1 = plan.entropy.0 * random.between(0.97, 1.01);
    plan.clip *= 0.1;
    plan.form = (0.9, 0.9);
    Story::of(plan).simulate(random)
}

/// Gains first, then swings wide and falls below where it began: steps of updates that clip and kick.
fn too_aggressive(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.lr = 8e-6;
    plan.updates = 16;
    plan.growth = Growth::Saturating { rate: 6.0 };
    let mut story = Story::of(plan);
    let (at, over) = (story.step_at(0.04), story.stretch(0.15));
    reach(&mut story.kl, at, over, random.between(0.6, 1.3));
    reach(&mut story.clip, at, over, random.between(0.08, 0.2));
    shift(&mut story.ratio, at, over, random.between(0.03, 0.06));
    scale(&mut story.grad, at, over, random.between(3.0, 6.0));
    let fall = story.step_at(0.3);
    story.lose_skill(fall, story.stretch(0.2), random.between(0.2, 0.4));
    let places = random.places(8, at, steps - 2, 6);
    story.kl_spikes = places.into_iter().map(|step| (step, random.between(2.0, 5.0))).collect();
    story.simulate(random).since(at, fall)
}

fn clip_fraction_high(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.updates = 16;
    let mut story = Story::of(plan);
    let (at, over) = (story.onset(random), story.stretch(0.02));
    shift(&mut story.clip, at, over, random.between(0.08, 0.2));
    story.stop_learning(at);
    story.simulate(random).since(at, at + over)
}

/// The mean log-ratio of an update goes from nothing to 0.05 and more.
fn ratio_drift(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.updates = 16;
    let mut story = Story::of(plan);
    let (at, over) = (story.onset(random), story.stretch(0.1));
    shift(&mut story.ratio, at, over, random.between(0.06, 0.1));
    shift(&mut story.clip, at, over, 0.02);
    story.stop_learning(at);
    let crossed = story.ratio.iter().position(|ratio| *ratio > 0.02).unwrap_or(at);
    story.simulate(random).since(at, crossed + 1)
}

/// To below 0.01 nats within a tenth of the run; groups become copies, gradients vanish, held-out skill falls.
fn entropy_collapse(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.lr = 5e-6;
    plan.beta = 0.0005;
    let mut story = Story::of(plan);
    let (at, over) = (story.onset(random), story.stretch(random.between(0.06, 0.12)));
    reach(&mut story.entropy, at, over, random.between(0.003, 0.009));
    reach(&mut story.same, at, over, random.between(0.85, 0.95));
    scale(&mut story.grad, at, over, 0.25);
    hold(&mut story.pass, at);
    hold(&mut story.held, at);
    scale(&mut story.held, at, over * 2, random.between(0.5, 0.7));
    story.simulate(random).since(at, at + over)
}

fn entropy_gone(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    let entropy = random.between(0.015, 0.033);
    plan.entropy = (entropy, entropy * 0.8);
    plan.kl = 0.01;
    let mut story = Story::of(plan);
    story.same.fill(random.between(0.45, 0.6));
    story.simulate(random).since(0, 10)
}

/// To five to nine times its level; what is written gets long and wrong.
fn entropy_explosion(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.onset(random), story.stretch(random.between(0.05, 0.1)));
    let level = story.entropy[at] * random.between(5.0, 9.0);
    for step in 0..steps {
        let share = ramp(step, at, over);
        story.entropy[step] += (level - story.entropy[step]) * share;
    }
    scale(&mut story.length, at, over, 1.7);
    story.lose_skill(at, over, random.between(0.2, 0.5));
    story.simulate(random).since(at, at + over)
}

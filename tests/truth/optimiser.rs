//! Faults of gradients, learning rate, loss and critic.

use super::case::{Case, fault, remark};
use super::plan::{Growth, Plan, Schedule};
use super::random::Random;
use super::simulated_run::SimulatedRun;
use super::story::{Story, reach, scale, shift};

/// All of them.
pub const FAULTS: &[Case] = &[
    fault("clusters of gradient spikes", &["gradient_spikes"], &["grad"], spikes),
    fault("gradient dies with reward to gain", &["gradient_dying"], &["grad"], dying),
    fault("gradient norm high all along", &["gradient_norm_high", "gradient_spikes"], &["grad"], high),
    fault("loss diverges", &["loss_divergence"], &["loss"], divergence),
    remark("clusters of loss spikes", &["loss_spikes"], &["loss"], loss_spikes),
    fault(
        "learning rate fifty times too high",
        &["learning_rate_too_high", "too_aggressive"],
        &["kl", "clip", "grad"],
        too_high,
    ),
    remark("no warm-up, kicks at the start", &["warmup_missing"], &["grad", "lr"], no_warmup),
    fault("schedule ends before the run", &["learning_rate_zero"], &["lr"], no_rate),
    fault("critic fails", &["critic_failure"], &["value_loss"], critic),
];

/// Two or three episodes, each of six or seven spikes within 5 % of the run, which is what a cluster is;
/// more would be the level of their surroundings.
fn spikes(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let at = story.step_at(random.between(0.3, 0.6));
    let width = story.stretch(0.05).max(20);
    let mut first = steps;
    for episode in 0..random.whole(2, 3) {
        let from = at + episode * 3 * width;
        let to = (from + width).min(steps);
        if from >= to {
            break;
        }
        let count = random.whole(6, 7);
        for step in random.places(count, from, to, 1) {
            first = first.min(step);
            story.grad_spikes.push((step, random.between_log(20.0, 100.0)));
        }
    }
    story.simulate(random).since(first, first)
}

/// One or two clusters of six or seven batches within 5 % of the run whose advantages or ratios are extreme, to either
/// side; the task goes on.
fn loss_spikes(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let at = story.step_at(random.between(0.3, 0.6));
    let width = story.stretch(0.05).max(20);
    let mut first = steps;
    for cluster in 0..random.whole(1, 2) {
        let from = at + cluster * 3 * width;
        let to = (from + width).min(steps);
        let count = random.whole(6, 7);
        for step in random.places(count, from, to, 1) {
            first = first.min(step);
            story.loss[step] = random.one_of(&[-1.0, 1.0]) * random.between_log(0.3, 3.0);
        }
    }
    story.simulate(random).since(first, first)
}

/// To a twentieth within a tenth of the run, at half of the reward; nothing is learned from there on.
fn dying(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.pass.1 = 0.6;
    plan.schedule = Schedule::Constant;
    let mut story = Story::of(plan);
    let (at, over) = (story.step_at(random.between(0.3, 0.6)), story.stretch(0.1));
    scale(&mut story.grad, at, over, random.between(0.03, 0.07));
    story.stop_learning(at);
    story.simulate(random).since(at, at + over)
}

/// A schedule over less than half to three quarters of the steps; nothing is learned behind it.
fn no_rate(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.schedule = random.one_of(&[Schedule::Linear, Schedule::Cosine]);
    let at = (random.between(0.4, 0.7) * steps as f64) as usize;
    plan.scheduled = at;
    let mut story = Story::of(plan);
    story.stop_learning(at);
    story.simulate(random).since(at, at)
}

/// Far above the limit in every step, with heavy tails; the direction is all that is left of a gradient.
fn high(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.grad = random.between(70.0, 160.0);
    plan.grad_spread = 0.7;
    plan.pass.1 = plan.pass.0 + 0.12;
    plan.held.1 = plan.held.0 + 0.08;
    Story::of(plan).simulate(random)
}

/// Exponential from the onset on, by a factor of 100 to 10,000 over a fifth of the run; the policy is lost.
fn divergence(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    let (at, over) = (story.onset(random), story.stretch(0.15));
    let top = random.between_log(5.0, 500.0);
    for step in at..steps {
        let share = ((step - at) as f64 / over as f64).min(1.0);
        story.loss[step] = 0.05 * libm::exp(libm::log(top / 0.05) * share);
    }
    scale(&mut story.grad, at, over, random.between(15.0, 40.0));
    story.lose_skill(at, over, 0.1);
    let seen = story.stretch(0.06);
    story.simulate(random).since(at, at + seen)
}

/// KL, clip fraction and gradients rise together within the first tenth, as the learning rate gets to its peak.
fn too_high(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.lr = random.between_log(4e-5, 2e-4);
    plan.updates = 4;
    plan.growth = Growth::Flat;
    let mut story = Story::of(plan);
    let (at, over) = (story.step_at(0.02), story.stretch(0.08));
    reach(&mut story.kl, at, over, random.between(1.2, 3.5));
    reach(&mut story.clip, at, over, random.between(0.1, 0.25));
    shift(&mut story.ratio, at, over, random.between(0.04, 0.09));
    scale(&mut story.grad, at, over, random.between(6.0, 12.0));
    scale(&mut story.entropy, at, over, random.one_of(&[0.2, 2.5]));
    story.lose_skill(at, story.stretch(0.15), random.between(0.05, 0.3));
    let end = story.step_at(0.12);
    story.simulate(random).since(0, end)
}

/// The full learning rate at step 1 kicks gradients and KL; both calm down within a few steps, then it learns.
fn no_warmup(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.warmup = 0;
    plan.lr = 3e-6;
    plan.schedule = Schedule::Linear;
    let mut story = Story::of(plan);
    let (top, kick) = (random.between(10.0, 30.0), random.between(0.6, 1.6));
    for step in 1..16.min(steps) {
        let fades = libm::exp(-(step as f64) / 5.0);
        story.grad_spikes.push((step, 1.0 + top * fades));
        if step > 1 {
            story.kl_spikes.push((step, kick * fades));
        }
    }
    story.simulate(random).since(0, 20)
}

/// Worse than a constant from the onset on; the policy learns nothing from it.
fn critic(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.critic = true;
    plan.form_weight = 0.0;
    plan.grad = random.between(1.0, 3.0);
    let mut story = Story::of(plan);
    let (at, over) = (story.onset(random), story.stretch(0.06));
    reach(&mut story.explained, at, over, random.between(-4.0, -1.5));
    story.stop_learning(at);
    story.simulate(random).since(at, at + over)
}

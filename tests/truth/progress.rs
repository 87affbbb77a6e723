//! Faults of progress: runs that stop, turn back, or never begin.

use super::case::{Case, fault, remark};
use super::healthy::delayed;
use super::plan::{Growth, Plan, Schedule};
use super::random::Random;
use super::simulated_run::SimulatedRun;
use super::story::{Story, hold, reach, scale};

/// All of them.
pub const FAULTS: &[Case] = &[
    remark("stops learning early", &["plateau"], &["reward"], plateau),
    fault("skill is lost again", &["regression_from_peak"], &["reward", "eval"], regression),
    fault("few prompts, memorised", &["overfitting", "reward_hacking"], &["reward", "eval"], overfitting),
    remark("a gain within its noise", &["gain_not_established", "no_learning", "plateau"], &["eval"], within_noise),
    remark("a late lift-off", &["delayed_lift_off"], &["reward"], delayed),
    remark("moves, but learns nothing", &["no_learning", "plateau", "kl_without_reward"], &["reward", "kl"], nothing),
];

/// A straight line to about a half of the tasks within a third of the run, then nothing.
fn plateau(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    let until = random.between(0.25, 0.4);
    plan.growth = Growth::Line { until };
    plan.pass = (random.between(0.15, 0.25), random.between(0.48, 0.6));
    plan.held = (plan.pass.0, plan.pass.1 - 0.04);
    plan.eval_tasks = 256;
    let story = Story::of(plan);
    let at = story.step_at(until);
    let around = story.stretch(0.05);
    story.simulate(random).since(at - around, at + around)
}

/// Half of the skill goes within a sixth of the run; nothing else looks wrong.
fn regression(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.eval_tasks = 256;
    let mut story = Story::of(plan);
    let (at, over) = (story.step_at(random.between(0.4, 0.65)), story.stretch(random.between(0.1, 0.18)));
    story.lose_skill(at, over, random.between(0.4, 0.6));
    let before = story.stretch(0.03);
    story.simulate(random).since(at - before, at + over)
}

/// Training prompts are solved, held-out tasks peak and go down for the rest of the run.
fn overfitting(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.eval_tasks = 256;
    plan.form_weight = 0.0;
    plan.schedule = Schedule::Constant;
    let mut story = Story::of(plan);
    let at = story.step_at(random.between(0.3, 0.45));
    let rest = steps - at;
    reach(&mut story.pass, 0, at + rest / 2, random.between(0.94, 0.98));
    hold(&mut story.held, at);
    scale(&mut story.held, at, rest, random.between(0.45, 0.6));
    let before = story.stretch(0.05);
    story.simulate(random).since(at - before, at + rest / 2)
}

/// Three points on evaluations of 100 tasks.
fn within_noise(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    let start = random.between(0.28, 0.34);
    plan.pass = (start, start + 0.02);
    plan.held = (start, start + 0.025);
    plan.eval_tasks = 100;
    plan.eval_every = steps / 12;
    plan.prompts = 16;
    plan.group = 8;
    plan.form_weight = 0.0;
    Story::of(plan).simulate(random)
}

fn nothing(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::flat(random, steps);
    plan.form_weight = 0.0;
    plan.kl = random.between(0.1, 0.16);
    plan.eval_tasks = 256;
    let mut story = Story::of(plan);
    reach(&mut story.kl, 0, steps, 0.14);
    story.simulate(random)
}

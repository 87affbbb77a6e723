//! Runs with nothing wrong in them, in the shapes that real ones have.

use super::case::{Case, healthy};
use super::plan::{Growth, Plan, Schedule};
use super::random::Random;
use super::simulated_run::SimulatedRun;
use super::story::{Story, climb};

/// All of them.
pub const SHAPES: &[Case] = &[
    healthy("fast learner", fast),
    healthy("slow and steady", slow),
    healthy("saturates early, near its maximum", early),
    healthy("delayed lift-off", delayed),
    healthy("small noisy batches", noisy),
    healthy("LoRA at a high learning rate", lora),
    healthy("answers grow with skill (R1)", growing),
    healthy("PPO with a critic", critic),
    healthy("starts near its ceiling", ceiling),
    healthy("beta = 0, no KL", no_kl),
    healthy("one update a batch", on_policy),
    healthy("entropy spent on the task", spent),
    healthy("heavy-tailed gradients", heavy),
    healthy("three rewards, one at its maximum", three),
];

fn planned(random: &mut Random, steps: usize, change: impl FnOnce(&mut Plan, &mut Random)) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    change(&mut plan, random);
    Story::of(plan).simulate(random)
}

fn fast(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.growth = Growth::Sigmoid { mid: 0.12, width: 0.04 };
        plan.pass.1 = random.between(0.8, 0.9);
        plan.held.1 = plan.pass.1 - 0.06;
    })
}

fn slow(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, _| plan.growth = Growth::Line { until: 1.0 })
}

fn early(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.growth = Growth::Saturating { rate: 16.0 };
        plan.pass = (0.55, random.between(0.93, 0.95));
        plan.held = (0.52, random.between(0.89, 0.92));
        plan.kl = 0.04;
    })
}

/// The first part of a run that is flat must not be called the whole of it.
pub fn delayed(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.growth = Growth::Sigmoid { mid: random.between(0.55, 0.62), width: 0.05 };
        plan.pass = (random.between(0.02, 0.05), random.between(0.5, 0.65));
        plan.held = (0.02, plan.pass.1 - 0.06);
        plan.schedule = Schedule::Constant;
    })
}

fn noisy(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, _| {
        plan.prompts = 4;
        plan.group = 4;
        plan.eval_tasks = 64;
        plan.grad_spread = 0.45;
    })
}

fn lora(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.lora = true;
        plan.lr = 4e-5;
        plan.kl = random.between(0.12, 0.22);
        plan.grad = random.between(0.02, 0.1);
        plan.clip = 0.004;
    })
}

fn growing(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.growth = Growth::Line { until: 1.0 };
        plan.length = (random.between(300.0, 400.0), random.between(1000.0, 1300.0));
        plan.cap = 8192.0;
        plan.held.1 = plan.pass.1 - 0.02;
    })
}

fn critic(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.critic = true;
        plan.form_weight = 0.0;
        plan.grad = random.between(1.0, 3.0);
        plan.kl = random.between(0.08, 0.2);
    })
}

fn ceiling(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.pass = (random.between(0.84, 0.87), 0.92);
        plan.held = (0.85, 0.905);
        plan.kl = 0.03;
    })
}

fn no_kl(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, _| plan.beta = 0.0)
}

fn on_policy(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, _| plan.updates = 1)
}

fn spent(random: &mut Random, steps: usize) -> SimulatedRun {
    planned(random, steps, |plan, random| {
        plan.growth = Growth::Line { until: 1.0 };
        plan.entropy = (random.between(0.4, 0.6), random.between(0.08, 0.12));
        plan.held.1 = plan.pass.1 - 0.03;
    })
}

fn heavy(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut story = Story::usual(random, steps);
    // Single steps far above the rest, anywhere, each over at once: harmless (deepseek GRPO: 10 of 1119 by the log rule).
    story.grad_spikes =
        random.places(3, 10, steps, 40).into_iter().map(|step| (step, random.between(5.0, 12.0))).collect();
    story.simulate(random)
}

fn three(random: &mut Random, steps: usize) -> SimulatedRun {
    let mut plan = Plan::usual(random, steps);
    plan.form_weight = 0.2;
    plan.form = (0.9, 0.995);
    plan.bonus = Some("reasoning_reward");
    let mut story = Story::of(plan);
    climb(&mut story.bonus, 0, 0.3);
    story.bonus.iter_mut().for_each(|value| *value += 0.2);
    story.simulate(random)
}

//! What truly happens in a run, step by step, before anything is measured.
//!
//! A healthy story follows from its plan: skill grows, entropy is spent on it, the policy moves away from the
//! reference as the learning rate is used up. A case then changes the curves from its onset on. Reward, spread of the
//! groups, truncation, times and all else that is logged follow from these curves in `measure.rs`.

use super::plan::Plan;
use super::random::Random;

/// One value a step for everything that is not seen directly.
pub struct Story {
    pub plan: Plan,
    /// Share of training prompts that a rollout solves, and of held-out tasks.
    pub pass: Vec<f64>,
    pub held: Vec<f64>,
    /// Share of well-formed answers.
    pub form: Vec<f64>,
    /// What the extra part of the reward gives.
    pub bonus: Vec<f64>,
    /// Share of groups whose rollouts are all the same.
    pub same: Vec<f64>,
    pub kl: Vec<f64>,
    pub entropy: Vec<f64>,
    /// Mean length if nothing were cut.
    pub length: Vec<f64>,
    pub grad: Vec<f64>,
    pub clip: Vec<f64>,
    /// Mean log-ratio of an update.
    pub ratio: Vec<f64>,
    pub loss: Vec<f64>,
    /// Mean absolute difference of log-probabilities between sampler and trainer.
    pub mismatch: Vec<f64>,
    /// Weight versions between sampling and training.
    pub stale: Vec<f64>,
    pub invalid: Vec<f64>,
    pub failed: Vec<f64>,
    /// Explained variance of the critic.
    pub explained: Vec<f64>,
    /// Factor on the seconds of a step.
    pub slowness: Vec<f64>,
    /// Share of the time in which trainer and rollouts wait.
    pub idle: Vec<(f64, f64)>,
    pub gpu: Vec<f64>,
    pub cpu: Vec<f64>,
    /// Single steps whose gradient norm is multiplied, whose KL is set, that take extra seconds.
    pub grad_spikes: Vec<(usize, f64)>,
    pub kl_spikes: Vec<(usize, f64)>,
    pub stalls: Vec<(usize, f64)>,
    /// Standard deviation of the length's slow noise, and what a relative change of length adds to the bonus.
    pub length_noise: f64,
    pub length_pays: f64,
}

impl Story {
    /// The usual healthy run.
    pub fn usual(random: &mut Random, steps: usize) -> Story {
        Story::of(Plan::usual(random, steps))
    }

    /// What follows from a plan.
    pub fn of(plan: Plan) -> Story {
        let n = plan.steps;
        let last = (n - 1).max(1) as f64;
        let each = |value: &dyn Fn(usize, f64) -> f64| (0..n).map(|step| value(step, step as f64 / last)).collect();
        let whole: f64 = (0..n).map(|step| plan.rate(step)).sum();
        let mut moved = 0.0;
        let path: Vec<f64> = (0..n)
            .map(|step| {
                let before = moved;
                moved += plan.rate(step) / whole;
                before
            })
            .collect();
        let mix = |(start, end): (f64, f64), share: f64| start + (end - start) * share;
        let gained = |t: f64| plan.growth.at(t);
        // A policy that gains nothing still moves.
        let travelled = |step: usize, t: f64| 0.65 * gained(t) + 0.35 * path[step];
        Story {
            pass: each(&|_, t| mix(plan.pass, gained(t))),
            held: each(&|_, t| mix(plan.held, gained(t))),
            form: each(&|_, t| mix(plan.form, 1.0 - libm::exp(-plan.form_rate * t))),
            bonus: vec![0.0; n],
            same: vec![0.0; n],
            kl: each(&|step, t| plan.kl * travelled(step, t) + if step == 0 { 0.0 } else { 2e-5 }),
            entropy: each(&|step, t| mix(plan.entropy, travelled(step, t))),
            length: each(&|_, t| mix(plan.length, gained(t))),
            grad: vec![plan.grad; n],
            clip: each(&|step, _| plan.clip * (0.3 + 0.7 * plan.rate(step))),
            ratio: vec![0.0; n],
            loss: vec![0.0; n],
            mismatch: vec![0.012; n],
            stale: vec![1.0; n],
            invalid: vec![0.02; n],
            failed: vec![0.004; n],
            explained: each(&|_, t| 0.62 - 1.2 * libm::exp(-t / 0.05)),
            slowness: vec![1.0; n],
            idle: vec![(0.08, 0.08); n],
            gpu: vec![52.0; n],
            cpu: vec![96.0; n],
            grad_spikes: Vec::new(),
            kl_spikes: Vec::new(),
            stalls: Vec::new(),
            length_noise: 0.025,
            length_pays: 0.0,
            plan,
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.plan.steps
    }

    /// The step at a share of the run.
    pub fn step_at(&self, share: f64) -> usize {
        ((self.steps() - 1) as f64 * share) as usize
    }

    /// When a fault begins: mostly in the middle, in one run of five late.
    pub fn onset(&self, random: &mut Random) -> usize {
        let share = if random.chance(0.2) { random.between(0.72, 0.82) } else { random.between(0.3, 0.65) };
        self.step_at(share)
    }

    /// A share of the run in steps, two at least.
    pub fn stretch(&self, share: f64) -> usize {
        ((self.steps() as f64 * share) as usize).max(2)
    }

    /// Skill, held-out skill and the gain of both stop at a step.
    pub fn stop_learning(&mut self, at: usize) {
        hold(&mut self.pass, at);
        hold(&mut self.held, at);
    }

    /// From `at` on the skill goes to `keep` of what it was, over `over` steps, and stays there.
    pub fn lose_skill(&mut self, at: usize, over: usize, keep: f64) {
        self.stop_learning(at);
        scale(&mut self.pass, at, over, keep);
        scale(&mut self.held, at, over, keep);
    }
}

/// From 0 at `at` to 1 at `at + over`, smooth at both ends.
pub fn ramp(step: usize, at: usize, over: usize) -> f64 {
    let share = ((step as f64 - at as f64) / over.max(1) as f64).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Keeps the value of a step from there on.
pub fn hold(curve: &mut [f64], at: usize) {
    let level = curve[at];
    curve[at..].fill(level);
}

/// Goes to `factor` times itself over `over` steps from `at` on.
pub fn scale(curve: &mut [f64], at: usize, over: usize, factor: f64) {
    for (step, value) in curve.iter_mut().enumerate() {
        *value *= libm::exp(libm::log(factor) * ramp(step, at, over));
    }
}

/// Goes by `change` up or down over `over` steps from `at` on.
pub fn shift(curve: &mut [f64], at: usize, over: usize, change: f64) {
    for (step, value) in curve.iter_mut().enumerate() {
        *value += change * ramp(step, at, over);
    }
}

/// Goes to `level` over `over` steps from `at` on.
pub fn reach(curve: &mut [f64], at: usize, over: usize, level: f64) {
    for (step, value) in curve.iter_mut().enumerate() {
        let share = ramp(step, at, over);
        *value = *value * (1.0 - share) + level * share;
    }
}

/// Adds a straight line from `at` to the end that rises by `rise` in all.
pub fn climb(curve: &mut [f64], at: usize, rise: f64) {
    let rest = (curve.len() - at).max(1) as f64;
    for (place, value) in curve[at..].iter_mut().enumerate() {
        *value += rise * place as f64 / rest;
    }
}

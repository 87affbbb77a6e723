//! What decides a run before it starts: task, batch, schedule, settings.

use super::random::Random;

/// How skill grows from 0 to 1 over the run; t is from 0 to 1.
#[derive(Clone, Copy)]
pub enum Growth {
    /// Fast, then slower and slower.
    Saturating { rate: f64 },
    /// An S with its middle at `mid`.
    Sigmoid { mid: f64, width: f64 },
    /// A straight line up to `until`, then flat.
    Line { until: f64 },
    /// None.
    Flat,
}

impl Growth {
    /// The share of the gain that is made at t.
    pub fn at(self, t: f64) -> f64 {
        match self {
            Growth::Saturating { rate } => (1.0 - libm::exp(-rate * t)) / (1.0 - libm::exp(-rate)),
            Growth::Sigmoid { mid, width } => {
                let raw = |t: f64| 1.0 / (1.0 + libm::exp(-(t - mid) / width));
                (raw(t) - raw(0.0)) / (raw(1.0) - raw(0.0))
            }
            Growth::Line { until } => (t / until).min(1.0),
            Growth::Flat => 0.0,
        }
    }
}

/// How the learning rate moves after the warm-up.
#[derive(Clone, Copy, PartialEq)]
pub enum Schedule {
    Constant,
    Linear,
    Cosine,
}

/// A run as planned. Levels are those of healthy public runs unless a case changes them.
#[derive(Clone)]
pub struct Plan {
    pub steps: usize,
    /// PPO with a critic instead of GRPO.
    pub critic: bool,
    pub prompts: usize,
    pub group: usize,
    /// Spread of the prompts' difficulty, in logits.
    pub spread: f64,
    pub growth: Growth,
    /// Share of training prompts solved, at the start and when all is learned.
    pub pass: (f64, f64),
    /// The same on held-out tasks.
    pub held: (f64, f64),
    /// Share of well-formed answers, and how fast it gets there.
    pub form: (f64, f64),
    pub form_rate: f64,
    /// Weight of the form in the reward; 0: there is no such reward.
    pub form_weight: f64,
    /// A further part of the reward that counts something else, by name.
    pub bonus: Option<&'static str>,
    /// A part that is always 0, by name.
    pub dead: Option<&'static str>,
    pub eval_every: usize,
    pub eval_tasks: usize,
    /// Weight of the KL to the reference; 0: it is not computed.
    pub beta: f64,
    pub kl: f64,
    pub entropy: (f64, f64),
    pub length: (f64, f64),
    pub length_spread: f64,
    pub cap: f64,
    /// False where the reward does not ask for an end of the answer.
    pub cut_costs: bool,
    /// False where something else than the end token ends every answer.
    pub has_end_token: bool,
    pub lr: f64,
    pub lora: bool,
    pub warmup: usize,
    pub schedule: Schedule,
    /// Steps that the schedule was planned over.
    pub scheduled: usize,
    /// Optimiser steps per batch of rollouts.
    pub updates: usize,
    pub clip: f64,
    pub grad: f64,
    pub grad_spread: f64,
    pub max_grad_norm: f64,
    pub temperature: f64,
    /// Seconds of a step without generation, tokens per second of generation.
    pub seconds: f64,
    pub speed: f64,
}

impl Plan {
    /// A run that learns: levels drawn from the usual bands.
    pub fn usual(random: &mut Random, steps: usize) -> Plan {
        let start = random.between(0.2, 0.4);
        let end = random.between(0.62, 0.82);
        let entropy = random.between(0.35, 0.6);
        let length = random.between(160.0, 380.0);
        let growth = if random.chance(0.5) {
            Growth::Saturating { rate: random.between(2.0, 4.0) }
        } else {
            Growth::Sigmoid { mid: random.between(0.25, 0.5), width: random.between(0.08, 0.16) }
        };
        Plan {
            steps,
            critic: false,
            prompts: random.one_of(&[16, 24, 32]),
            group: random.one_of(&[8, 8, 16]),
            spread: random.between(1.0, 1.6),
            growth,
            pass: (start, end),
            held: (start - random.between(0.0, 0.04), end - random.between(0.03, 0.1)),
            form: (random.between(0.5, 0.8), 0.985),
            form_rate: random.between(8.0, 15.0),
            form_weight: random.one_of(&[0.0, 0.2, 0.2]),
            bonus: None,
            dead: None,
            eval_every: 10,
            eval_tasks: random.one_of(&[128, 200, 256, 500]),
            beta: random.one_of(&[0.001, 0.005, 0.01, 0.04]),
            kl: random.between(0.03, 0.12),
            entropy: (entropy, entropy * random.between(0.4, 0.65)),
            length: (length, length * random.between(0.95, 1.3)),
            length_spread: random.between(0.35, 0.5),
            cap: 2048.0,
            cut_costs: true,
            has_end_token: true,
            lr: 1e-6,
            lora: false,
            warmup: steps / 25,
            schedule: random.one_of(&[Schedule::Constant, Schedule::Linear, Schedule::Cosine]),
            scheduled: steps,
            updates: random.one_of(&[2, 4]),
            clip: random.between(0.0008, 0.004),
            grad: random.between(0.12, 0.5),
            grad_spread: 0.25,
            max_grad_norm: 1.0,
            temperature: 1.0,
            seconds: random.between(12.0, 25.0),
            speed: random.between(1500.0, 3000.0),
        }
    }

    /// The same, without any gain.
    pub fn flat(random: &mut Random, steps: usize) -> Plan {
        Plan { growth: Growth::Flat, ..Plan::usual(random, steps) }
    }

    /// The learning rate at a step as a share of its peak.
    pub fn rate(&self, step: usize) -> f64 {
        if step < self.warmup {
            return (step + 1) as f64 / (self.warmup + 1) as f64;
        }
        let done = ((step - self.warmup) as f64 / (self.scheduled - self.warmup).max(1) as f64).min(1.0);
        match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Linear => 1.0 - done,
            Schedule::Cosine => 0.5 * (1.0 + libm::cos(std::f64::consts::PI * done)),
        }
    }
}

//! Curves of training logs, from a few words each: a level, what changes it, and the noise of measuring it.

use crate::random::Random;

/// One metric over the steps of a run, from 1 on.
#[derive(Clone)]
pub struct Curve {
    level: f64,
    changes: Vec<Change>,
    /// Standard deviation of what is added to a value, and of the logarithm of what it is multiplied by.
    added: f64,
    factor: f64,
    /// From this step on, another standard deviation of what is added.
    scatter: (f64, usize),
    /// The value is a share of so many trials.
    trials: Option<f64>,
    /// Logged at the first step, at every so many steps, and nowhere outside of these.
    every: usize,
    logged: (usize, usize),
    /// NaN from this step on.
    nan_from: usize,
    /// No change of level after this step.
    constant_from: usize,
}

#[derive(Clone)]
enum Change {
    /// Goes to a level in a straight line.
    Ramp { to: f64, at: usize, over: usize },
    /// Goes to a level, fast at first; `over` steps are two thirds of the way.
    Saturates { to: f64, over: usize },
    /// Adds this in single steps.
    Spikes { at: usize, every: usize, count: usize, size: f64 },
    /// Grows with a power of the step.
    Power(f64),
    /// Adds a sine from a step on.
    Wave { at: usize, period: usize, size: f64 },
    /// The sum of all values up to the step.
    Summed,
}

/// A curve that stays at a level.
pub fn level(level: f64) -> Curve {
    Curve {
        level,
        changes: Vec::new(),
        added: 0.0,
        factor: 0.0,
        scatter: (0.0, usize::MAX),
        trials: None,
        every: 1,
        logged: (1, usize::MAX),
        nan_from: usize::MAX,
        constant_from: usize::MAX,
    }
}

impl Curve {
    fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Goes to a level in a straight line over so many steps.
    pub fn ramp(self, to: f64, at: usize, over: usize) -> Self {
        self.change(Change::Ramp { to, at, over })
    }

    /// Is at another level from a step on.
    pub fn jump(self, to: f64, at: usize) -> Self {
        self.ramp(to, at, 0)
    }

    /// Goes to a level as learning does, two thirds of the way in `over` steps.
    pub fn saturates(self, to: f64, over: usize) -> Self {
        self.change(Change::Saturates { to, over })
    }

    /// Grows with a power of the step from its level at the first one.
    pub fn power(self, exponent: f64) -> Self {
        self.change(Change::Power(exponent))
    }

    /// Stays where it is from a step on.
    pub fn constant_from(self, at: usize) -> Self {
        Self { constant_from: at, ..self }
    }

    /// Adds `size` at `count` single steps, `every` steps apart.
    pub fn spikes(self, at: usize, every: usize, count: usize, size: f64) -> Self {
        self.change(Change::Spikes { at, every, count, size })
    }

    /// Swings by `size` to both sides from a step on.
    pub fn wave(self, at: usize, period: usize, size: f64) -> Self {
        self.change(Change::Wave { at, period, size })
    }

    /// The sum of all values so far.
    pub fn summed(self) -> Self {
        self.change(Change::Summed)
    }

    /// Normal noise of this standard deviation.
    pub fn noise(self, added: f64) -> Self {
        Self { added, ..self }
    }

    /// Normal noise of another standard deviation from a step on.
    pub fn scatter(self, added: f64, at: usize) -> Self {
        Self { scatter: (added, at), ..self }
    }

    /// Noise of this standard deviation in the logarithm.
    pub fn factor(self, factor: f64) -> Self {
        Self { factor, ..self }
    }

    /// A share that was measured on so many trials.
    pub fn of(self, trials: usize) -> Self {
        Self { trials: Some(trials as f64), ..self }
    }

    /// Logged every so many steps, and at the first.
    pub fn every(self, every: usize) -> Self {
        Self { every, ..self }
    }

    /// Logged from one step to another only.
    pub fn logged(self, from: usize, to: usize) -> Self {
        Self { logged: (from, to), ..self }
    }

    /// NaN from a step on.
    pub fn nan_from(self, at: usize) -> Self {
        Self { nan_from: at, ..self }
    }

    /// Without noise, at a step.
    fn plain(&self, step: usize) -> f64 {
        let step = step.min(self.constant_from);
        self.changes.iter().fold(self.level, |value, change| match *change {
            Change::Ramp { to, at, over } => {
                let share = (step as f64 - at as f64 + 1.0) / (over as f64).max(1.0);
                value + (to - value) * share.clamp(0.0, 1.0)
            }
            Change::Saturates { to, over } => {
                value + (to - value) * (1.0 - libm::exp(-(step as f64 - 1.0) / over as f64))
            }
            Change::Spikes { at, every, count, size } => {
                let is_spike = step >= at && (step - at).is_multiple_of(every) && (step - at) / every < count;
                if is_spike { value + size } else { value }
            }
            Change::Power(exponent) => value * libm::pow(step as f64, exponent),
            Change::Wave { at, period, size } => {
                let turns = step.saturating_sub(at) as f64 / period as f64;
                value + size * libm::sin(std::f64::consts::TAU * turns)
            }
            Change::Summed => value,
        })
    }

    /// The values that are logged over so many steps, with their steps. The noise depends on the seed alone.
    pub fn values(&self, steps: usize, seed: &str) -> Vec<(usize, f64)> {
        let mut random = Random::new(seed, 7);
        let is_summed = self.changes.iter().any(|change| matches!(change, Change::Summed));
        let mut sum = 0.0;
        let mut values = Vec::new();
        for step in 1..=steps {
            let (first, second) = (random.normal(), random.normal());
            let added = if step >= self.scatter.1 { self.scatter.0 } else { self.added };
            let mut value = self.plain(step) * libm::exp(self.factor * first) + added * second;
            if let Some(trials) = self.trials {
                let share = value.clamp(0.0, 1.0);
                let solved = share * trials + (share * (1.0 - share) * trials).sqrt() * first;
                value = solved.round().clamp(0.0, trials) / trials;
            }
            sum += value;
            let is_due = step == 1 || step.is_multiple_of(self.every);
            if is_due && (self.logged.0..=self.logged.1).contains(&step) {
                let value = if is_summed { sum } else { value };
                values.push((step, if step >= self.nan_from { f64::NAN } else { value }));
            }
        }
        values
    }
}

#[test]
fn a_curve_is_what_its_words_say() {
    let values = |curve: Curve| curve.values(8, "x").into_iter().map(|(_, value)| value).collect::<Vec<f64>>();
    assert_eq!(values(level(1.0).ramp(3.0, 4, 2)), [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0]);
    assert_eq!(values(level(1.0).jump(0.0, 3).spikes(4, 2, 2, 5.0)), [1.0, 1.0, 0.0, 5.0, 0.0, 5.0, 0.0, 0.0]);
    assert_eq!(level(0.5).every(3).logged(2, 8).values(8, "x"), [(3, 0.5), (6, 0.5)]);
    assert_eq!(values(level(2.0).summed()), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]);
    assert_eq!(values(level(2.0).power(1.0).constant_from(3)), [2.0, 4.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0]);
    let noisy = level(0.5).of(100);
    assert_eq!(values(noisy.clone()), values(noisy.clone()), "the same seed, the same noise");
    assert_ne!(noisy.values(8, "x"), noisy.values(8, "y"));
}

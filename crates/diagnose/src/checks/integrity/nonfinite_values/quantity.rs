//! The logged quantities that may be NaN or infinite, and what each of them would mean.

use std::collections::BTreeSet;

use crate::context::Context;
use rundown_run::Series;
use rundown_vocabulary::Concept;

/// What a quantity is to the optimiser, the more telling last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Anything else: it may be a mean over no samples.
    Other,
    /// A quantity that a loss is made of: KL, entropy, reward, ratio, value.
    Computed,
    /// A loss or a gradient norm.
    Update,
}

/// What the optimiser computes with, the first to break first.
const COMPUTED: [Concept; 7] = [
    Concept::KlToReference,
    Concept::Entropy,
    Concept::Reward,
    Concept::KlToSampler,
    Concept::RatioMean,
    Concept::ValueMean,
    Concept::ReturnMean,
];
const UPDATE: [Concept; 4] =
    [Concept::GradientNorm, Concept::PolicyLoss, Concept::ValueLoss, Concept::CriticGradientNorm];

/// Metrics that are computed from the policy's probabilities, and how many of them must fail before the probabilities are taken to be
/// broken: one alone may be a fault of that metric. Ours.
const OF_PROBABILITIES: [Concept; 4] =
    [Concept::KlToReference, Concept::Entropy, Concept::KlToSampler, Concept::RatioMean];
const MIN_OF_PROBABILITIES: usize = 2;

/// One metric with the places at which it is not finite.
pub(super) struct Quantity<'r> {
    pub key: &'r str,
    pub role: Role,
    /// True for a metric that is bound to a loss, gradient, KL or value; false for one that is recognised by its words.
    pub is_bound: bool,
    /// True for the critic's: the policy may still be sound.
    pub of_critic: bool,
    /// True for the training reward.
    pub is_reward: bool,
    /// Steps of the points that are not finite.
    pub nonfinite: Vec<f64>,
    /// Number of finite points.
    pub finite: usize,
    /// Step of the last finite point.
    last_finite: Option<f64>,
    /// Step of the last point.
    pub last_logged: Option<f64>,
    /// True where the last value is NaN: one that is infinite may be a step that mixed precision skips.
    ends_nan: bool,
}

impl<'r> Quantity<'r> {
    fn new(key: &'r str, role: Role, concept: Option<Concept>, series: &Series) -> Self {
        let points = || series.steps.iter().copied().zip(series.values.iter().copied());
        let is_update = concept.is_some_and(|concept| UPDATE.contains(&concept) || COMPUTED.contains(&concept));
        let critic = [Concept::ValueLoss, Concept::CriticGradientNorm, Concept::ValueMean];
        Self {
            key,
            role,
            is_bound: is_update,
            of_critic: concept.is_some_and(|concept| critic.contains(&concept)),
            is_reward: concept == Some(Concept::Reward),
            nonfinite: points().filter(|(_, value)| !value.is_finite()).map(|(step, _)| step).collect(),
            finite: points().filter(|(_, value)| value.is_finite()).count(),
            last_finite: points().filter(|(_, value)| value.is_finite()).map(|(step, _)| step).next_back(),
            last_logged: points().map(|(step, _)| step).next_back(),
            ends_nan: points().next_back().is_some_and(|(_, value)| value.is_nan()),
        }
    }

    /// Share of the points that are not finite.
    pub fn share(&self) -> f64 {
        let bad = self.nonfinite.len() as f64;
        bad / (bad + self.finite as f64).max(1.0)
    }

    /// Points in a row up to the end that are not finite.
    pub fn tail(&self) -> usize {
        let last = self.last_finite.unwrap_or(f64::NEG_INFINITY);
        self.nonfinite.iter().rev().take_while(|step| **step > last).count()
    }

    /// True where it is lost from some step on, as far as the log goes.
    pub fn is_lost(&self, tail: f64) -> bool {
        let is_update = self.role == Role::Update && (self.finite == 0 || self.ends_nan);
        self.tail() as f64 >= tail || (is_update && self.tail() > 0)
    }
}

/// Every quantity of a run that may be looked at: losses, gradients, KL and values, and others that were finite once.
///
/// Single reward functions are not: one that returns None gives NaN for its batch, and the total is made of the others.
pub(super) fn quantities<'r>(context: &Context<'r>) -> Vec<Quantity<'r>> {
    let mut found = Vec::new();
    let mut read = BTreeSet::new();
    for concept in UPDATE.iter().chain(&COMPUTED) {
        let role = if UPDATE.contains(concept) { Role::Update } else { Role::Computed };
        for binding in context.bindings.all(*concept) {
            let Some(series) = context.run.series(&binding.key) else { continue };
            read.insert(binding.key.as_str());
            found.push(Quantity::new(&binding.key, role, Some(*concept), &series));
        }
    }
    let parts = context.bindings.all(Concept::RewardComponent).iter().map(|binding| binding.key.as_str());
    read.extend(parts);
    let is_read = |key: &str| read.contains(key) || key == context.run.axis.key || is_part(key);
    for (key, column) in context.run.columns.iter().filter(|(key, _)| !is_read(key)) {
        // Most metrics are finite throughout, and need no copy to say so.
        if column.values().iter().all(|value| value.is_finite()) {
            continue;
        }
        let Some(series) = context.run.series(key) else { continue };
        let quantity = Quantity::new(key, role(key), None, &series);
        if quantity.finite > 0 || quantity.role == Role::Update {
            found.push(quantity);
        }
    }
    found.retain(|quantity| quantity.last_logged.is_some());
    found
}

/// True where the last row has no finite probabilities of the policy: its forward pass fails, and not its update alone.
pub(super) fn has_no_probabilities(context: &Context<'_>, quantities: &[Quantity<'_>], worst: &Quantity<'_>) -> bool {
    let ends = |quantity: &Quantity<'_>| quantity.tail() > 0 && quantity.last_logged == worst.last_logged;
    let is_lost = |of: &&Concept| {
        let bindings = context.bindings.all(**of);
        quantities.iter().any(|quantity| ends(quantity) && bindings.iter().any(|to| to.key == quantity.key))
    };
    OF_PROBABILITIES.iter().filter(is_lost).count() >= MIN_OF_PROBABILITIES
}

/// True for a statistic of a single reward function, which stands for no concept.
fn is_part(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["rewards/", "reward_extra", "rewards /"].iter().any(|part| key.contains(part))
}

/// What a metric that stands for no such concept is, by its words.
fn role(key: &str) -> Role {
    let key = key.to_ascii_lowercase();
    let words: Vec<&str> = key.split(|letter: char| !letter.is_alphanumeric()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    // A loss over held-out tasks is no part of an update.
    if has(&["eval", "val", "valid", "validation", "test"]) {
        return Role::Other;
    }
    if has(&["loss", "losses"]) || (has(&["grad", "gradient", "gradients"]) && has(&["norm"])) || has(&["gradnorm"]) {
        return Role::Update;
    }
    if has(&["kl", "approxkl", "value", "values", "vpred", "entropy"]) { Role::Computed } else { Role::Other }
}

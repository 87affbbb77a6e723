//! Which key of a run stands for which concept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Concept, Direction, Framework, Quantity, Scale, Unit};
use rundown_run::Run;
use rundown_stats::CompactCollect as _;

/// One metric key that stands for a concept.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// What it stands for.
    pub concept: Concept,
    /// The key as the run has it.
    pub key: String,
    /// Unit of its values, once they are scaled.
    pub unit: Unit,
    /// What turns the logged values into that unit.
    pub scale: Scale,
    /// Which way is better.
    pub direction: Direction,
    /// Name of the reward function or of the evaluation, where the key holds one.
    pub name: Option<String>,
    /// Why this key, in one plain sentence.
    pub why: String,
}

impl Binding {
    /// What it measures.
    pub fn quantity(&self) -> Quantity {
        let Self { concept, unit, scale, direction, .. } = *self;
        Quantity { concept, name: self.name.clone(), unit, scale, direction }
    }
}

#[cfg(any(test, feature = "testing"))]
impl Binding {
    /// A key for tests, in the unit in which it was logged.
    pub fn unscaled(concept: Concept, key: &str, unit: Unit, direction: Direction) -> Self {
        Self { concept, key: key.to_owned(), unit, scale: Scale::One, direction, name: None, why: String::new() }
    }
}

/// All bindings of a run, the primary one of each concept first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bindings {
    /// Whose names the run uses.
    pub framework: Framework,
    by_concept: BTreeMap<Concept, Vec<Binding>>,
}

impl Bindings {
    /// No bindings yet.
    pub fn new(framework: Framework) -> Self {
        Self { framework, by_concept: BTreeMap::new() }
    }

    /// Adds a binding behind the ones that its concept already has. A key is bound to one concept once: the caller
    /// sees to it.
    pub fn push(&mut self, binding: Binding) {
        self.by_concept.entry(binding.concept).or_default().push(binding);
    }

    /// The primary binding of a concept.
    pub fn first(&self, concept: Concept) -> Option<&Binding> {
        self.all(concept).first()
    }

    /// Every binding of a concept, the primary one first.
    pub fn all(&self, concept: Concept) -> &[Binding] {
        self.by_concept.get(&concept).map_or(&[], Vec::as_slice)
    }

    /// Every binding of a concept, to be put in another order.
    pub(super) fn all_mut(&mut self, concept: Concept) -> &mut [Binding] {
        self.by_concept.get_mut(&concept).map_or(&mut [], Vec::as_mut_slice)
    }

    /// Lets the primary binding of a concept stand for another one, as its primary binding.
    pub(super) fn rebind_first(&mut self, from: Concept, to: Concept, why: String) {
        let Some(bindings) = self.by_concept.get_mut(&from).filter(|bindings| !bindings.is_empty()) else { return };
        let binding = Binding { concept: to, direction: to.direction(), why, ..bindings.remove(0) };
        self.by_concept.entry(to).or_default().insert(0, binding);
    }

    /// Sets the unit of entropies and KLs to that of means over actions, for a policy that is no language model.
    pub fn set_action_units(&mut self) {
        for binding in self.by_concept.values_mut().flatten() {
            if matches!(binding.unit, Unit::NatsPerToken | Unit::NatsPerTokenSigned) {
                binding.unit = Unit::Nats;
            }
        }
    }

    /// Every binding, by concept.
    pub fn iter(&self) -> impl Iterator<Item = &Binding> {
        self.by_concept.values().flatten()
    }

    /// Keys of the run that stand for no concept, sorted; the step axis is not among them.
    pub fn unbound<'r>(&self, run: &'r Run) -> Vec<&'r str> {
        let bound: BTreeSet<&str> = self.iter().map(|binding| binding.key.as_str()).compact_collect();
        let is_unbound = |key: &&str| !bound.contains(key) && *key != run.axis.key;
        run.columns.keys().map(String::as_str).filter(is_unbound).collect()
    }
}

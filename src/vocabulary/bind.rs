//! Finds which keys of a run stand for which concepts.

use std::collections::{BTreeMap, BTreeSet};

use super::component::component_name;
use super::evaluation::{Rank, evaluation, plain_accuracy};
use super::generic::by_words;
use super::systems::systems;
use super::table::{Entry, normal};
use super::{Binding, Bindings, Concept, Direction, Framework, Unit, trl, verl};
use crate::order::Arrange;
use crate::run::Run;

/// Fewer marks than this do not make a framework: plain loops share a name or two with each.
const MARKS_NEEDED: usize = 3;

/// Finds which keys of a run stand for which concepts: the framework's own table first, then the other tables,
/// then the words of a key. Each key is bound once; the primary binding of a concept comes first.
pub fn bind(run: &Run) -> Bindings {
    let keys: BTreeMap<String, &str> = logged(run).map(|key| (normal(key), key)).collect();
    let framework = detect(run, &keys);
    let mut binder = Binder { bindings: Bindings::new(framework), bound: BTreeSet::new() };
    systems(run, &keys).into_iter().for_each(|found| binder.take(found));
    binder.evaluations(run, &keys);
    let tables: [(Framework, &[Entry]); 2] = match framework {
        Framework::Verl => [(Framework::Verl, verl::TABLE), (Framework::Trl, trl::TABLE)],
        _ => [(Framework::Trl, trl::TABLE), (Framework::Verl, verl::TABLE)],
    };
    for (owner, table) in tables {
        binder.table(owner, table, &keys);
    }
    binder.components(&keys);
    binder.plain(&keys);
    binder.words(&keys);
    binder.plain_accuracies(&keys);
    binder.bindings
}

/// Keys with any value: one that is NaN from the first step on must still reach the check for non-finite values.
fn logged(run: &Run) -> impl Iterator<Item = &str> {
    run.columns.iter().filter(|(_, column)| !column.is_empty()).map(|(key, _)| key.as_str())
}

/// Which framework's marks a run carries.
fn detect(run: &Run, keys: &BTreeMap<String, &str>) -> Framework {
    let marks = |list: &[&str]| list.iter().filter(|mark| keys.contains_key(**mark)).count();
    let set = |list: &[&str]| {
        list.iter().filter(|mark| run.config.iter().any(|(key, _)| key == **mark || key.starts_with(**mark))).count()
    };
    let components = usize::from(keys.keys().any(|key| key.starts_with("rewards/")));
    let trl = marks(trl::MARKS) + components + set(trl::SETTINGS);
    let held_out = usize::from(keys.keys().any(|key| key.starts_with("val-core/") || key.starts_with("critic/")));
    let verl = marks(verl::MARKS) + held_out + set(verl::SETTINGS);
    if trl.max(verl) < MARKS_NEEDED {
        return Framework::Unknown;
    }
    if verl > trl { Framework::Verl } else { Framework::Trl }
}

struct Binder {
    bindings: Bindings,
    bound: BTreeSet<String>,
}

impl Binder {
    fn take(&mut self, found: Binding) {
        if self.bound.insert(found.key.clone()) {
            self.bindings.push(found);
        }
    }

    fn push(&mut self, concept: Concept, key: &str, unit: Unit, name: Option<String>, why: String) {
        self.push_with(concept.direction(), concept, key, unit, name, why);
    }

    fn push_with(
        &mut self,
        direction: Direction,
        concept: Concept,
        key: &str,
        unit: Unit,
        name: Option<String>,
        why: String,
    ) {
        if self.bound.insert(key.to_owned()) {
            self.bindings.push(Binding { concept, key: key.to_owned(), unit, direction, name, why });
        }
    }

    fn table(&mut self, owner: Framework, table: &[Entry], keys: &BTreeMap<String, &str>) {
        for entry in table {
            let Some(key) = keys.get(entry.key) else { continue };
            let why = format!("{} logs it under this name: {}.", owner.as_str(), entry.note);
            self.push(entry.concept, key, entry.unit, None, why);
        }
    }

    fn components(&mut self, keys: &BTreeMap<String, &str>) {
        for (normal, key) in keys {
            let Some(name) = component_name(normal) else { continue };
            let why = format!("The mean of the reward function {name}, by the form of the key.");
            self.push(Concept::RewardComponent, key, Unit::Plain, Some(name.to_owned()), why);
        }
    }

    fn plain(&mut self, keys: &BTreeMap<String, &str>) {
        for concept in Concept::ALL {
            let Some(key) = keys.get(concept.plain_key()) else { continue };
            let why = format!("The plain name of {}.", concept.words());
            self.push(*concept, key, concept.unit(), None, why);
        }
    }

    fn words(&mut self, keys: &BTreeMap<String, &str>) {
        let mut matches: Vec<_> = keys
            .iter()
            .filter(|(_, key)| !self.bound.contains(**key))
            .filter_map(|(normal, key)| by_words(normal).map(|found| (found, *key)))
            .collect();
        matches.arrange_by(|(a, a_key), (b, b_key)| (a.concept, a.extra, a_key).cmp(&(b.concept, b.extra, b_key)));
        for (found, key) in matches {
            let why = format!("No known framework's name: taken for {} by its words.", found.concept.words());
            self.push(found.concept, key, found.unit, None, why);
        }
    }

    fn evaluations(&mut self, run: &Run, keys: &BTreeMap<String, &str>) {
        let points = |key: &str| run.columns.get(key).map_or(0, |column| column.len() - column.nonfinite());
        let mut found: Vec<_> = keys
            .iter()
            .filter_map(|(normal, key)| evaluation(normal).map(|(rank, name)| (rank, name, normal.as_str(), *key)))
            .collect();
        // Best rank, most points, verl's core metrics before its others, means before best-of, then plain names.
        found.arrange_by(|a, b| {
            let order = |item: &(Rank, String, &str, &str)| {
                let auxiliary = item.2.starts_with("val-aux/");
                let best_of = item.2.contains("best@") || item.2.contains("maj@");
                (item.0, auxiliary, best_of, std::cmp::Reverse(points(item.3)), item.1.len())
            };
            order(a).cmp(&order(b)).then_with(|| a.3.cmp(b.3))
        });
        let primary = found.first().map(|item| item.3);
        for (rank, name, _, key) in found {
            let wanted = rule(run, key).unwrap_or(match rank {
                Rank::Accuracy | Rank::Reward => Direction::Up,
                Rank::Other => Direction::Neutral,
            });
            let kind = match rank {
                Rank::Accuracy => "a share of tasks solved",
                Rank::Reward => "a reward",
                Rank::Other => "neither an accuracy nor a reward",
            };
            let place = if Some(key) == primary { ", and the best measure of learning here" } else { "" };
            let why = format!("Measured on held-out tasks, by its prefix: {kind}{place}.");
            let unit = if rank == Rank::Accuracy && shares(run, key) { Unit::Share } else { Unit::Plain };
            self.push_with(wanted, Concept::Evaluation, key, unit, Some(name), why);
        }
    }

    fn plain_accuracies(&mut self, keys: &BTreeMap<String, &str>) {
        for (normal, key) in keys {
            if self.bound.contains(*key) || !plain_accuracy(normal) {
                continue;
            }
            let why = "An accuracy that does not say where it was measured; it may be the training batch.".to_owned();
            self.push(Concept::Evaluation, key, Unit::Share, Some(normal.clone()), why);
        }
    }
}

/// The direction that the run itself declared for a key (`define_metric`).
fn rule(run: &Run, key: &str) -> Option<Direction> {
    let matching = run.metric_rules.iter().find(|rule| rule.name == key && rule.maximise.is_some())?;
    matching.maximise.map(|more| if more { Direction::Up } else { Direction::Down })
}

/// True when every value lies between 0 and 1.
fn shares(run: &Run, key: &str) -> bool {
    run.columns.get(key).is_some_and(|column| {
        column.values().iter().filter(|value| value.is_finite()).all(|value| (0.0..=1.0).contains(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ConfigValue;

    fn run(keys: &[&str]) -> Run {
        let mut run = Run::default();
        for step in 0..3 {
            let row = run.push_row(f64::from(step), f64::NAN);
            for key in keys {
                run.push_value(key, row, 0.25 * f64::from(step));
            }
        }
        run.choose_axis(None);
        run
    }

    fn first(bindings: &Bindings, concept: Concept) -> Option<&str> {
        bindings.first(concept).map(|binding| binding.key.as_str())
    }

    #[test]
    fn trl_in_all_spellings() {
        let new = bind(&run(&[
            "train/reward",
            "train/reward_std",
            "train/kl",
            "train/completions/mean_length",
            "train/rewards/acc/mean",
            "eval/format_rate",
            "eval/accuracy",
            "train/entropy",
        ]));
        assert_eq!(new.framework, Framework::Trl);
        assert_eq!(first(&new, Concept::Reward), Some("train/reward"));
        assert_eq!(first(&new, Concept::Evaluation), Some("eval/accuracy"));
        assert_eq!(new.first(Concept::RewardComponent).and_then(|binding| binding.name.as_deref()), Some("acc"));
        assert_eq!(new.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerToken));

        let old = bind(&run(&["reward", "reward_std", "kl", "completion_length", "rewards/int_reward_func"]));
        assert_eq!(old.framework, Framework::Trl);
        assert_eq!(first(&old, Concept::ResponseLength), Some("completion_length"));

        let ppo = bind(&run(&["objective/kl", "objective/rlhf_reward", "policy/approxkl_avg"]));
        assert_eq!(ppo.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerSequence));
    }

    #[test]
    fn verl_old_and_new() {
        let old = bind(&run(&[
            "critic/score/mean",
            "critic/rewards/mean",
            "critic/kl",
            "actor/entropy_loss",
            "actor/grad_norm",
            "critic/grad_norm",
            "actor/lr(1e-4)",
            "test_score/openai/gsm8k",
            "response_length/mean",
        ]));
        assert_eq!(old.framework, Framework::Verl);
        assert_eq!(first(&old, Concept::Reward), Some("critic/score/mean"));
        assert_eq!(first(&old, Concept::GradientNorm), Some("actor/grad_norm"));
        assert_eq!(first(&old, Concept::Evaluation), Some("test_score/openai/gsm8k"));
        assert_eq!(old.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerTokenSigned));
        let unbound = run(&["critic/grad_norm", "actor/grad_norm"]);
        assert_eq!(bind(&unbound).unbound(&unbound), ["critic/grad_norm"]);
    }

    #[test]
    fn the_primary_evaluation_is_an_accuracy_then_the_longest() {
        let mut run = run(&["eval/reward", "val/nq_success_rate", "val/success_rate"]);
        let row = run.push_row(9.0, f64::NAN);
        run.push_value("eval/reward", row, 1.0);
        let bindings = bind(&run);
        let keys: Vec<&str> = bindings.all(Concept::Evaluation).iter().map(|binding| binding.key.as_str()).collect();
        assert_eq!(keys, ["val/success_rate", "val/nq_success_rate", "eval/reward"]);
    }

    #[test]
    fn plain_loops_are_bound_by_words() {
        let bindings =
            bind(&run(&["mean_reward", "accuracy", "approx_kl", "avg_gen_tokens", "format_rate", "entropy"]));
        assert_eq!(bindings.framework, Framework::Unknown);
        assert_eq!(first(&bindings, Concept::Reward), Some("mean_reward"));
        assert_eq!(first(&bindings, Concept::Evaluation), Some("accuracy"));
        assert_eq!(first(&bindings, Concept::KlToReference), None);
        assert_eq!(first(&bindings, Concept::KlToSampler), Some("approx_kl"));
    }

    #[test]
    fn settings_alone_name_a_framework() {
        let mut run = run(&["reward"]);
        for key in ["actor_rollout_ref.actor.optim.lr", "algorithm.adv_estimator", "algorithm.kl_ctrl.kl_coef"] {
            run.config.insert(key, ConfigValue::Number(1.0));
        }
        assert_eq!(bind(&run).framework, Framework::Verl);
    }
}

//! Finds which keys of a run stand for which concepts.

use std::collections::BTreeSet;

use super::component::{component_name, is_function};
use super::detect::{Similarity, similarity};
use super::evaluation::{Rank, evaluation, plain_accuracy};
use super::generic::by_words;
use super::systems::systems;
use super::table::{Entry, Keys, normal, words};
use super::tables::{FAMILIES, Family};
use super::{Binding, Bindings, Concept, Direction, Overrides, Scale, Unit};
use crate::order::Arrange;
use crate::run::Run;

/// A KL of a kind that cannot be negative may come out below zero by rounding, but not below this.
const KL_ROUNDING: f64 = -1e-6;

/// Finds which keys of a run stand for which concepts, as no user has chosen otherwise: see [`bind_with`].
pub fn bind(run: &Run) -> Bindings {
    bind_with(run, &Overrides::default())
}

/// Finds which keys of a run stand for which concepts: the user's choices first, then the framework's own tables,
/// what is evaluated, the tables of similar frameworks, and at last the words of a key. Each key is bound once; the
/// primary binding of a concept comes first.
pub fn bind_with(run: &Run, choices: &Overrides) -> Bindings {
    let keys: Keys<'_> = logged(run).map(|key| (normal(key).into_owned(), key)).collect();
    let like = similarity(run, &keys);
    let mut binder = Binder { run, bindings: Bindings::new(like.framework), bound: BTreeSet::new() };
    binder.choices(choices, &keys, &like);
    for family in &like.own {
        binder.family(family, &keys, &like);
    }
    systems(run, &keys).into_iter().for_each(|found| binder.take(found));
    binder.evaluations(&keys, &like);
    for family in &like.others {
        binder.family(family, &keys, &like);
    }
    binder.components(&keys);
    binder.plain(&keys);
    binder.words(&keys);
    binder.plain_accuracies(&keys);
    binder.bindings
}

/// True for a key that may stand for a concept, whatever framework logs it.
pub fn is_known(key: &str) -> bool {
    let own = normal(key);
    let entries = || FAMILIES.iter().flat_map(|family| family.tables.iter().copied().flatten());
    if entries().any(|entry| entry.is(&own)) {
        return true;
    }
    let mut run = Run::default();
    for step in 0..2 {
        let row = run.push_row(f64::from(step), f64::NAN);
        run.push_value(key, row, f64::from(step));
    }
    bind(&run).iter().next().is_some()
}

/// Keys with any value: one that is NaN from the first step on must still reach the check for non-finite values.
fn logged(run: &Run) -> impl Iterator<Item = &str> {
    run.columns.iter().filter(|(_, column)| !column.is_empty()).map(|(key, _)| key.as_str())
}

struct Binder<'r> {
    run: &'r Run,
    bindings: Bindings,
    bound: BTreeSet<String>,
}

/// What a key is bound as.
struct Meaning {
    concept: Concept,
    direction: Direction,
    unit: Unit,
    scale: Scale,
    name: Option<String>,
}

impl Meaning {
    fn plain(concept: Concept, unit: Unit, name: Option<String>) -> Self {
        Self { concept, direction: concept.direction(), unit, scale: Scale::One, name }
    }
}

impl Binder<'_> {
    fn take(&mut self, found: Binding) {
        if self.bound.insert(found.key.clone()) {
            self.bindings.push(found);
        }
    }

    fn push(&mut self, key: &str, meaning: Meaning, mut why: String) {
        if !self.bound.insert(key.to_owned()) {
            return;
        }
        let Meaning { concept, direction, mut unit, scale, name } = meaning;
        if !scale.why().is_empty() {
            why.push_str(" It is ");
            why.push_str(scale.why());
            why.push('.');
        }
        // k2, k3 and the full KL cannot be negative: the estimate is k1, whatever the framework's default is.
        if unit == Unit::NatsPerToken && is_kl(concept) && self.lowest(key) < KL_ROUNDING {
            unit = Unit::NatsPerTokenSigned;
            why.push_str(" Some values are negative, so it is a signed estimate.");
        }
        self.bindings.push(Binding { concept, key: key.to_owned(), unit, scale, direction, name, why });
    }

    /// Smallest finite value of a key; infinite without one.
    fn lowest(&self, key: &str) -> f64 {
        self.finite(key).fold(f64::INFINITY, f64::min)
    }

    fn finite(&self, key: &str) -> impl Iterator<Item = f64> {
        let values = self.run.columns.get(key).map_or(&[][..], |column| column.values());
        values.iter().copied().filter(|value| value.is_finite())
    }

    /// What the user chose. A key that is to stand for nothing counts as bound, so that nobody else takes it.
    fn choices(&mut self, choices: &Overrides, keys: &Keys<'_>, like: &Similarity) {
        for choice in choices.iter() {
            let exact = self.run.columns.get_key_value(&choice.key).map(|(key, _)| key.as_str());
            let Some(key) = exact.or_else(|| keys.get(normal(&choice.key).as_ref()).copied()) else { continue };
            let Some(concept) = choice.concept else {
                self.bound.insert(key.to_owned());
                continue;
            };
            let own = normal(key).into_owned();
            let known = entries(like).find(|entry| entry.concept == concept && entry.is(&own));
            let mut meaning = Meaning::plain(concept, known.map_or(concept.unit(), |entry| entry.unit), None);
            if let Some(entry) = known {
                meaning.scale = *entry.scale;
            }
            match concept {
                Concept::Evaluation => {
                    meaning.direction = rule(self.run, key).unwrap_or(meaning.direction);
                    meaning.unit = if self.is_share(key) { Unit::Share } else { Unit::Plain };
                    meaning.name = Some(evaluation(&own).map_or_else(|| own.clone(), |(_, name)| name));
                }
                Concept::RewardComponent => {
                    meaning.name = Some(component_name(&own).map_or_else(|| own.clone(), str::to_owned));
                }
                _ => {}
            }
            if let Some(unit) = choice.unit {
                // The user names the unit of what was logged.
                meaning.unit = unit;
                meaning.scale = Scale::One;
            }
            self.push(key, meaning, "Chosen by the user.".to_owned());
        }
    }

    fn family(&mut self, family: &Family, keys: &Keys<'_>, like: &Similarity) {
        let is_own = like.own.iter().any(|own| std::ptr::eq(*own, family));
        let bare = like.trusts_bare_keys(family);
        for entry in family.tables.iter().copied().flatten() {
            if !bare && !entry.key.trim_start_matches("train/").contains('/') {
                continue;
            }
            for (key, name) in entry.matches(keys) {
                if !self.bound.contains(key) && fits(entry, key, name.as_deref()) {
                    self.entry(family, entry, key, name, is_own);
                }
            }
        }
    }

    fn entry(&mut self, family: &Family, entry: &Entry, key: &str, name: Option<String>, is_own: bool) {
        let mut why = String::from(if is_own { "" } else { "As " });
        why.push_str(family.framework.as_str());
        why.push_str(" logs it under this name");
        if !entry.note.is_empty() {
            why.push_str(": ");
            why.push_str(entry.note);
        }
        why.push('.');
        let direction = match entry.concept {
            Concept::Evaluation => rule(self.run, key).unwrap_or(Direction::Up),
            concept => concept.direction(),
        };
        let name = name.or_else(|| match entry.concept {
            Concept::RewardComponent => key.rsplit('/').next().map(str::to_owned),
            _ => None,
        });
        let Entry { concept, unit, scale, .. } = *entry;
        self.push(key, Meaning { concept, direction, unit, scale: *scale, name }, why);
    }

    fn components(&mut self, keys: &Keys<'_>) {
        for (normal, key) in keys {
            let Some(name) = component_name(normal).filter(|_| !self.bound.contains(*key)) else { continue };
            let why = format!("The mean of the reward function {name}, by the form of the key.");
            self.push(key, Meaning::plain(Concept::RewardComponent, Unit::Plain, Some(name.to_owned())), why);
        }
    }

    fn plain(&mut self, keys: &Keys<'_>) {
        for concept in Concept::ALL {
            let Some(key) = keys.get(normal(concept.plain_key()).as_ref()) else { continue };
            if !self.bound.contains(*key) {
                let why = format!("The plain name of {}.", concept.words());
                self.push(key, Meaning::plain(*concept, concept.unit(), None), why);
            }
        }
    }

    fn words(&mut self, keys: &Keys<'_>) {
        let mut matches: Vec<_> = keys
            .iter()
            .filter(|(_, key)| !self.bound.contains(**key))
            .filter_map(|(normal, key)| by_words(normal).map(|found| (found, normal.as_str(), *key)))
            .collect();
        matches
            .arrange_by(|(a, _, a_key), (b, _, b_key)| (a.concept, a.extra, a_key).cmp(&(b.concept, b.extra, b_key)));
        for (found, normal, key) in matches {
            let why = format!("No known framework's name: taken for {} by its words.", found.concept.words());
            let mut meaning = Meaning::plain(found.concept, found.unit, None);
            if found.unit == Unit::Share && self.is_percent(key, normal) {
                meaning.scale = Scale::Percent;
            }
            self.push(key, meaning, why);
        }
    }

    fn evaluations(&mut self, keys: &Keys<'_>, like: &Similarity) {
        let mut found: Vec<Found<'_>> = keys
            .iter()
            .filter(|(normal, key)| !self.bound.contains(**key) && like.holds_out(normal))
            .filter_map(|(normal, key)| {
                let (rank, name) = evaluation(normal)?;
                let points = self.finite(key).count();
                Some(Found { rank, name, auxiliary: normal.starts_with("val-aux/"), points, key })
            })
            .collect();
        found.arrange_by(|a, b| a.order().cmp(&b.order()).then_with(|| a.key.cmp(b.key)));
        let chosen = self.bindings.first(Concept::Evaluation).is_some();
        for (place, Found { rank, name, key, .. }) in found.into_iter().enumerate() {
            let by_rank = if rank == Rank::Other { Direction::Neutral } else { Direction::Up };
            let direction = rule(self.run, key).unwrap_or(by_rank);
            let kind = match rank {
                Rank::Accuracy => "a share of tasks solved",
                Rank::Reward => "a reward",
                Rank::Several => "a share of tasks solved in several tries",
                Rank::Other => "neither an accuracy nor a reward",
            };
            let best = if place == 0 && !chosen { ", and the best measure of learning here" } else { "" };
            let why = format!("Measured on held-out tasks, by its prefix: {kind}{best}.");
            let solved = matches!(rank, Rank::Accuracy | Rank::Several);
            let unit = if solved && self.is_share(key) { Unit::Share } else { Unit::Plain };
            let concept = Concept::Evaluation;
            self.push(key, Meaning { concept, direction, unit, scale: Scale::One, name: Some(name) }, why);
        }
    }

    fn plain_accuracies(&mut self, keys: &Keys<'_>) {
        for (normal, key) in keys {
            if self.bound.contains(*key) || !plain_accuracy(normal) {
                continue;
            }
            let why = "An accuracy that does not say where it was measured; it may be the training batch.".to_owned();
            self.push(key, Meaning::plain(Concept::Evaluation, Unit::Share, Some(normal.clone())), why);
        }
    }

    /// True when every value lies between 0 and 1.
    fn is_share(&self, key: &str) -> bool {
        self.finite(key).all(|value| (0.0..=1.0).contains(&value))
    }

    /// True for a key that says to be in percent and whose values are no shares.
    fn is_percent(&self, key: &str, normal: &str) -> bool {
        let says = words(normal).iter().any(|word| matches!(word.as_str(), "pct" | "percent" | "percentage"));
        says && self.finite(key).any(|value| value > 1.0)
    }
}

/// An evaluation before it is known which of them is the primary one.
struct Found<'r> {
    rank: Rank,
    name: String,
    auxiliary: bool,
    points: usize,
    key: &'r str,
}

impl Found<'_> {
    /// Best rank, verl's core metrics before its others, most points, all tasks before single ones, then plain names.
    fn order(&self) -> (Rank, bool, std::cmp::Reverse<usize>, bool, usize) {
        let single = !self.name.split('/').any(|part| part == "all");
        (self.rank, self.auxiliary, std::cmp::Reverse(self.points), single, self.key.len())
    }
}

/// Every entry of every table, those of the run's own framework first.
fn entries<'s>(like: &'s Similarity) -> impl Iterator<Item = &'static Entry> + 's {
    like.own.iter().copied().chain(FAMILIES).flat_map(|family| family.tables.iter().copied().flatten())
}

/// False for a key that has an entry's form and yet is none of its kind: a statistic is no reward function, and the
/// length of held-out responses no evaluation.
fn fits(entry: &Entry, key: &str, name: Option<&str>) -> bool {
    match (entry.concept, name) {
        (Concept::RewardComponent, Some(name)) => is_function(name),
        (Concept::Evaluation, _) => evaluation(&normal(key)).is_some(),
        _ => true,
    }
}

fn is_kl(concept: Concept) -> bool {
    matches!(concept, Concept::KlToReference | Concept::KlToSampler | Concept::MismatchKl)
}

/// The direction that the run itself declared for a key (`define_metric`).
fn rule(run: &Run, key: &str) -> Option<Direction> {
    let matching = run.metric_rules.iter().find(|rule| rule.name == key && rule.maximise.is_some())?;
    matching.maximise.map(|more| if more { Direction::Up } else { Direction::Down })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ConfigValue;
    use crate::vocabulary::{Framework, Override};

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

    #[test]
    fn percent_complements_and_odd_units_are_scaled() {
        let scale = |keys: &[&str], concept| bind(&run(keys)).first(concept).map(|binding| binding.scale);
        let old = ["actor/lr(1e-4)", "actor/pg_loss", "critic/score/mean", "timing/step", "actor/entropy_loss"];
        assert_eq!(scale(&old, Concept::LearningRate), Some(Scale::TenThousandth));
        let nemo = ["train/baseline_reward/pct_mixed", "train/gen_kl_error", "train/probs_ratio", "train/kl_penalty"];
        assert_eq!(scale(&nemo, Concept::ZeroStdGroups), Some(Scale::PercentComplement));
        let why = bind(&run(&nemo)).first(Concept::ZeroStdGroups).map(|binding| binding.why.clone()).unwrap();
        assert!(why.ends_with("It is logged in percent, read as 1 minus that share."), "{why}");
        assert_eq!(scale(&["truncated_pct"], Concept::TruncatedShare), Some(Scale::One), "its values are shares");
        let mut percent = run(&["truncated_pct"]);
        percent.push_value("truncated_pct", 2, 40.0);
        let bindings = bind(&percent);
        assert_eq!(bindings.first(Concept::TruncatedShare).map(|binding| binding.scale), Some(Scale::Percent));
    }

    #[test]
    fn a_negative_value_shows_a_signed_estimate() {
        let unit = |low: f64| {
            let mut run = run(&["train/kl"]);
            run.push_value("train/kl", 2, low);
            bind(&run).first(Concept::KlToReference).map(|binding| binding.unit)
        };
        assert_eq!(unit(-0.01), Some(Unit::NatsPerTokenSigned));
        assert_eq!(unit(-1e-9), Some(Unit::NatsPerToken));
    }

    #[test]
    fn what_says_val_is_held_out_only_where_it_is() {
        let keys = ["scores", "val/stop_rate", "val/sequence_lengths", "val/good_share", "objective/kl0_avg", "kl"];
        let bindings = bind(&run(&keys));
        assert_eq!(bindings.framework, Framework::OpenInstruct);
        assert_eq!(first(&bindings, Concept::TruncatedShare), Some("val/stop_rate"));
        assert_eq!(first(&bindings, Concept::Evaluation), None);
        let slime = ["rollout/raw_reward", "rollout/rewards", "rollout/repetition_frac", "perf/train_wait_time"];
        let slime = [&slime[..], &["eval/aime", "eval/aime-truncated_ratio", "eval/step"]].concat();
        let bindings = bind(&run(&slime));
        assert_eq!(first(&bindings, Concept::Reward), Some("rollout/raw_reward"));
        let held_out: Vec<&str> = bindings.all(Concept::Evaluation).iter().map(|found| found.key.as_str()).collect();
        assert_eq!(held_out, ["eval/aime"]);
    }

    #[test]
    fn a_bare_name_of_another_framework_means_nothing() {
        // torchtune's `kl` of PPO is a sum over the sequence: one of its marks does not make it torchtune's.
        let bindings = bind(&run(&["kl", "response_lengths", "my_metric"]));
        assert_eq!(bindings.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerToken));
    }

    #[test]
    fn the_user_decides_first() {
        let run = run(&["train/reward", "train/kl", "train/reward_std", "train/completions/mean_length", "my_score"]);
        let mut choices = Overrides::default();
        for choice in ["my_score=evaluation", "kl=none", "train/reward=reward_component", "missing=reward"] {
            choices.set(Override::parse(choice).unwrap());
        }
        let bindings = bind_with(&run, &choices);
        let evaluation = bindings.first(Concept::Evaluation).unwrap();
        assert_eq!((evaluation.key.as_str(), evaluation.why.as_str()), ("my_score", "Chosen by the user."));
        assert_eq!((evaluation.unit, evaluation.direction), (Unit::Share, Direction::Up));
        assert_eq!(first(&bindings, Concept::KlToReference), None);
        assert_eq!(bindings.unbound(&run), ["train/kl"]);
        assert_eq!(bindings.first(Concept::RewardComponent).and_then(|found| found.name.as_deref()), Some("reward"));
        assert_eq!(first(&bindings, Concept::Reward), None);
        choices.set(Override::parse("kl=kl_to_reference:nats_per_sequence").unwrap());
        let kl = bind_with(&run, &choices).first(Concept::KlToReference).map(|binding| binding.unit);
        assert_eq!(kl, Some(Unit::NatsPerSequence));
    }

    #[test]
    fn keys_of_every_table_are_bound_to_what_their_table_says() {
        for family in FAMILIES {
            for entry in family.tables.iter().copied().flatten() {
                let named = entry.key.replace("{data}", "gsm8k").replace(['{', '}'], "");
                let marks = family.marks.iter().filter(|mark| !mark.ends_with('/'));
                let parent = FAMILIES.iter().find(|other| Some(other.framework) == family.parent);
                let others = parent.into_iter().flat_map(|parent| parent.marks).filter(|mark| !mark.ends_with('/'));
                let prefixed = family.marks.iter().filter(|mark| mark.ends_with('/')).map(|mark| format!("{mark}x"));
                let keys: BTreeSet<String> = [named.clone()]
                    .into_iter()
                    .chain(marks.chain(others).map(ToString::to_string))
                    .chain(prefixed)
                    .filter(|key| *key == named || normal(key) != normal(&named))
                    .collect();
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                let bindings = bind(&run(&keys));
                assert_eq!(bindings.framework, family.framework, "{named}");
                let found = bindings.all(entry.concept).iter().find(|binding| binding.key == named);
                assert_eq!(found.map(|found| (found.unit, found.scale)), Some((entry.unit, *entry.scale)), "{named}");
            }
        }
    }

    #[test]
    fn thousands_of_columns_are_bound_once_each() {
        let names: Vec<String> = (0..5_000).map(|place| format!("rewards/function_{place}/mean")).collect();
        let keys: Vec<&str> = names.iter().map(String::as_str).collect();
        let bindings = bind(&run(&keys));
        assert_eq!(bindings.all(Concept::RewardComponent).len(), 5_000);
    }
}

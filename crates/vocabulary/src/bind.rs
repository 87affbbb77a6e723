//! Finds which keys of a run stand for which concepts.

mod classic_rl;
mod evaluations;
mod plain_accuracies;
mod ranges;
mod summed_parts;
mod teacher_kl;
mod true_rewards;
mod unknown_parts;

use classic_rl::SAMPLE_SIZE;
pub use classic_rl::has_language_model_names;

use std::collections::BTreeSet;

use super::component::{component_among, component_name, is_function};
use super::detect::{Similarity, is_copied, similarity};
use super::evaluation::evaluation;
use super::flattened;
use super::generic::by_words;
use super::plain_parts::{logged_as_means, plain_part, sibling_part};
use super::systems::systems;
use super::table::{FrameworkKey, Keys, normal};
use super::table_index::{IndexedEntry, TableIndex};
use super::tables::{FAMILIES, Family};
use super::{Binding, Bindings, Concept, Direction, Overrides, Scale, Unit};
use rundown_run::{Column, Run};
use rundown_stats::{CompactCollect as _, CompactSort as _};

/// A KL of a kind that cannot be negative may come out below zero by rounding, but not below this.
const KL_ROUNDING: f64 = -1e-6;

/// A metric was seldom logged if another one has at least so many times its points.
const SELDOM: usize = 4;

/// Finds which keys of a run stand for which concepts, as no user has chosen otherwise: see [`bind_with`].
pub fn bind(run: &Run) -> Bindings {
    bind_with(run, &Overrides::default())
}

/// Finds which keys of a run stand for which concepts: the user's choices first, then the framework's own tables,
/// what is evaluated, the tables of similar frameworks, what any framework calls just so, and at last the words of a
/// key. Each key is bound once; the primary binding of a concept comes first.
pub fn bind_with(run: &Run, choices: &Overrides) -> Bindings {
    let mut keys: Keys<'_> = logged(run).map(|key| (normal(key).into_owned(), key)).compact_collect();
    flattened::restore(&mut keys);
    let like = similarity(run, &keys);
    let mut binder = Binder { run, bindings: Bindings::new(like.framework), keys: BTreeSet::new() };
    binder.choices(choices, &keys, &like);
    for family in &like.own {
        binder.family(family, &keys, &like);
    }
    systems(run, &keys).into_iter().for_each(|found| binder.add(found));
    binder.evaluations(&keys, &like);
    for family in &like.others {
        binder.family(family, &keys, &like);
    }
    let known_lengths = binder.bindings.all(Concept::ResponseLength).len();
    binder.true_rewards(&keys);
    binder.components(&keys);
    binder.plain(&keys);
    binder.borrowed(&keys, &like);
    binder.words(&keys);
    binder.teacher_kl(&keys);
    binder.classic_rl(&keys);
    binder.plain_parts(&keys);
    binder.plain_accuracies(&keys);
    binder.summed_parts(&keys);
    binder.inner_parts(&keys);
    binder.prefixed_reward(&keys);
    binder.sparse_last(Concept::Reward, 0, choices);
    binder.sparse_last(Concept::ResponseLength, known_lengths, choices);
    binder.bindings
}

/// True for a key that may stand for a concept, whatever framework logs it.
pub fn is_bindable(key: &str) -> bool {
    let own = normal(key);
    let entries = || FAMILIES.iter().flat_map(Family::entries);
    if entries().any(|entry| entry.is(&own)) {
        return true;
    }
    let mut run = Run::default();
    for step in 0..2 {
        let row = run.push_row(f64::from(step), f64::NAN);
        // One value between 0 and 1: some names count only where their values are shares.
        run.push_value(key, row, 0.5 * f64::from(step));
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
    /// Keys that have a binding.
    keys: BTreeSet<String>,
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
    /// A reward or a length that was seldom logged, such as that of a printed sample or of a validation, goes behind those of the
    /// batches, unless it was chosen. The first ones of them, which are `known` by a framework's tables, keep their places.
    fn sparse_last(&mut self, concept: Concept, known: usize, choices: &Overrides) {
        let is_chosen = choices.iter().any(|choice| choice.concept == Some(concept));
        let run = self.run;
        let points = |binding: &Binding| run.columns.get(&binding.key).map_or(0, Column::len);
        let found = self.bindings.all_mut(concept).get_mut(known..).unwrap_or_default();
        let most = found.iter().map(points).max().unwrap_or(0);
        if !is_chosen {
            found.compact_sort_by_key(|binding| SELDOM * points(binding) <= most);
        }
    }

    fn add(&mut self, found: Binding) {
        if self.keys.insert(found.key.clone()) {
            self.bindings.push(found);
        }
    }

    fn push(&mut self, key: &str, meaning: Meaning, mut why: String) {
        if !self.keys.insert(key.to_owned()) {
            return;
        }
        let Meaning { concept, direction, mut unit, mut scale, name } = meaning;
        // Other shares may be numbers of samples under the same name.
        let is_rate = matches!(concept, Concept::ClipFraction | Concept::TruncatedShare);
        if is_rate && scale == Scale::One && self.looks_like_percent(key) {
            scale = Scale::Percent;
        }
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
        let is_negative = || self.lowest(key) < 0.0 && self.finite(key).all(|value| value < 0.0);
        if concept == Concept::Entropy && scale == Scale::One && is_negative() {
            why.push_str(" It is negative, as only an entropy of continuous actions may be.");
        }
        self.bindings.push(Binding { concept, key: key.to_owned(), unit, scale, direction, name, why });
    }

    /// Smallest finite value of a key; infinite without one.
    fn lowest(&self, key: &str) -> f64 {
        self.finite(key).fold(f64::INFINITY, f64::min)
    }

    /// What the user chose. A key that is to stand for nothing counts as bound, so that nobody else takes it.
    #[inline(never)]
    fn choices(&mut self, choices: &Overrides, keys: &Keys<'_>, like: &Similarity) {
        for choice in choices.iter() {
            let exact = self.run.columns.get_key_value(&choice.key).map(|(key, _)| key.as_str());
            let Some(key) = exact.or_else(|| keys.get(normal(&choice.key).as_ref()).copied()) else { continue };
            let Some(concept) = choice.concept else {
                self.keys.insert(key.to_owned());
                continue;
            };
            let own = normal(key).into_owned();
            let known = entries(like).find(|entry| entry.concept == concept && entry.is(&own));
            let mut meaning = Meaning::plain(concept, known.map_or(concept.unit(), |entry| entry.unit), None);
            if let Some(entry) = known {
                meaning.scale = entry.scale;
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
            meaning.direction = choice.direction.unwrap_or(meaning.direction);
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
        for entry in family.entries() {
            if !bare && !entry.key.trim_start_matches("train/").contains('/') {
                continue;
            }
            for (key, name) in entry.matches(keys) {
                if !self.keys.contains(key) && fits(entry, key, name.as_deref()) {
                    self.entry(family, entry, key, name, is_own);
                }
            }
        }
    }

    fn entry(&mut self, family: &Family, entry: &FrameworkKey, key: &str, name: Option<String>, is_own: bool) {
        // Another spelling is that of another program: a `Loss` beside TRL's settings.
        let has_capital = |name: &str| name.contains(char::is_uppercase);
        let is_own = is_own && (has_capital(entry.key) || !has_capital(key));
        // A framework whose names the run does not use otherwise is cited only for what it means by this one.
        let is_cited = is_copied(family.framework) || !entry.note.is_empty();
        let why = if is_own || normal(key).contains('/') && is_cited {
            let (like, name) = (if is_own { "" } else { "As " }, family.framework.as_str());
            let (colon, note) = (if entry.note.is_empty() { "" } else { ": " }, entry.note);
            format!("{like}{name} logs it under this name{colon}{note}.")
        } else {
            // What one framework logs under a bare name says nothing of the same name elsewhere.
            format!("A usual name of {}.", entry.concept.words())
        };
        let direction = match entry.concept {
            Concept::Evaluation => rule(self.run, key).unwrap_or(Direction::Up),
            concept => concept.direction(),
        };
        let name = name.or_else(|| match entry.concept {
            Concept::RewardComponent => key.rsplit('/').next().map(str::to_owned),
            _ => None,
        });
        let FrameworkKey { concept, unit, scale, .. } = *entry;
        self.push(key, Meaning { concept, direction, unit, scale, name }, why);
    }

    /// Names that a run shares with frameworks it is otherwise unlike: a loop of one's own that copies one metric copies
    /// its name. Only whole names in a group of their own (`async/staleness_mean`) that all frameworks mean alike.
    #[inline(never)]
    fn borrowed(&mut self, keys: &Keys<'_>, like: &Similarity) {
        let asked = |family: &Family| like.own.iter().chain(&like.others).any(|other| std::ptr::eq(*other, family));
        let index = TableIndex::get();
        let mut found: Vec<(&IndexedEntry, &str)> = Vec::new();
        for (normal, key) in keys.iter().filter(|(normal, key)| normal.contains('/') && !self.keys.contains(**key)) {
            let entries = index.entries(normal).iter();
            let others = entries.filter(|known| !asked(known.family) && known.entry.concept != Concept::Evaluation);
            found.extend(others.filter(|known| is_meant_alike(normal, known.entry.concept)).map(|known| (known, *key)));
        }
        found.compact_sort_by_key(|(known, _)| known.place);
        for (IndexedEntry { family, entry, .. }, key) in found {
            if !self.keys.contains(key) {
                self.entry(family, entry, key, None, false);
            }
        }
    }

    #[inline(never)]
    fn components(&mut self, keys: &Keys<'_>) {
        for (normal, key) in keys {
            let Some(name) = component_among(normal, keys).filter(|_| !self.keys.contains(*key)) else { continue };
            let why = format!("The mean of the reward function {name}, by the form of the key.");
            self.push(key, Meaning::plain(Concept::RewardComponent, Unit::Plain, Some(name.to_owned())), why);
        }
    }

    #[inline(never)]
    fn plain_parts(&mut self, keys: &Keys<'_>) {
        let is_bound = |concept| self.bindings.first(concept).is_some();
        if is_bound(Concept::RewardComponent) || !is_bound(Concept::Reward) {
            return;
        }
        // What is logged beside its mean is of a single answer.
        let means = logged_as_means(keys);
        for (normal, key) in keys {
            if self.keys.contains(*key) || means.contains(normal.as_str()) {
                continue;
            }
            let part = plain_part(normal).or_else(|| sibling_part(normal, keys));
            let part = part.filter(|part| !part.is_share || self.is_share(key));
            let Some(part) = part else { continue };
            let unit = if part.is_share { Unit::Share } else { Unit::Plain };
            let meaning = Meaning::plain(Concept::RewardComponent, unit, Some(part.name.to_owned()));
            self.push(key, meaning, part.why.to_owned());
        }
    }

    fn plain(&mut self, keys: &Keys<'_>) {
        for concept in Concept::ALL {
            let Some(key) = keys.get(normal(concept.plain_key()).as_ref()) else { continue };
            if !self.keys.contains(*key) {
                let why = format!("The plain name of {}.", concept.words());
                self.push(key, Meaning::plain(*concept, concept.unit(), None), why);
            }
        }
    }

    #[inline(never)]
    fn words(&mut self, keys: &Keys<'_>) {
        let mut matches: Vec<_> = keys
            .iter()
            .filter(|(_, key)| !self.keys.contains(**key))
            .filter_map(|(normal, key)| Some((by_words(normal).or_else(|| by_words(key))?, normal.as_str(), *key)))
            .filter(|(found, normal, key)| match found.concept {
                // A time that only grows is counted from the start.
                Concept::TrainTime => !self.rises(key),
                // Otherwise it counts groups, and their total is not known.
                Concept::ZeroVarianceGroups => self.is_share_of_groups(key, normal) || self.is_percent(key, normal),
                // As a number of samples it is a share of an unknown total. A bare name may mean something else.
                Concept::MismatchSampleSize => self.is_share(key) && *normal != SAMPLE_SIZE,
                _ => true,
            })
            .collect();
        matches.compact_sort_by(|(a, _, a_key), (b, _, b_key)| {
            (a.concept, a.extra, a_key).cmp(&(b.concept, b.extra, b_key))
        });
        for (found, normal, key) in matches {
            let why = why_by_words(found.concept);
            let scale = match found.scale {
                scale if found.unit != Unit::Share || !self.is_percent(key, normal) => scale,
                Scale::Complement => Scale::PercentComplement,
                _ => Scale::Percent,
            };
            self.push(key, Meaning { scale, ..Meaning::plain(found.concept, found.unit, None) }, why);
        }
    }
}

/// Why a key is bound whose words alone tell its concept.
fn why_by_words(concept: Concept) -> String {
    format!("No known framework's name: taken for {} by its words.", concept.words())
}

/// Every entry of every table, those of the run's own framework first.
fn entries<'s>(like: &'s Similarity) -> impl Iterator<Item = &'static FrameworkKey> + 's {
    like.own.iter().copied().chain(FAMILIES).flat_map(Family::entries)
}

/// True when all frameworks that log a key mean this concept.
fn is_meant_alike(normal: &str, concept: Concept) -> bool {
    let entries = FAMILIES.iter().flat_map(Family::entries);
    entries.filter(|entry| entry.is(normal)).all(|entry| entry.concept == concept)
}

/// False for a key that has an entry's form and yet is not of its kind: a statistic is no reward function, and the
/// length of held-out responses no evaluation.
fn fits(entry: &FrameworkKey, key: &str, name: Option<&str>) -> bool {
    match (entry.concept, name) {
        (Concept::RewardComponent, Some(name)) => is_function(name),
        (Concept::Evaluation, _) => evaluation(&normal(key)).is_some(),
        _ => true,
    }
}

fn is_kl(concept: Concept) -> bool {
    matches!(concept, Concept::KlToReference | Concept::TeacherKl | Concept::KlToSampler | Concept::MismatchKl)
}

/// The direction that the run itself declared for a key (`define_metric`).
fn rule(run: &Run, key: &str) -> Option<Direction> {
    let matching = run.metric_rules.iter().find(|rule| rule.name == key && rule.maximise.is_some())?;
    matching.maximise.map(|more| if more { Direction::Up } else { Direction::Down })
}

#[cfg(test)]
mod tests;

//! Keys of a framework whose slashes were replaced, as tables and exports do: `critic_score_mean`, `critic.score.mean`
//! or `Critic Score Mean` for verl's `critic/score/mean`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::table::{Keys, normal};
use super::tables::{FAMILIES, Family};

/// Fewest keys of one framework that show that its slashes were replaced.
const FEWEST: usize = 5;

/// Gives the keys of a run their slashes back, where enough of them are those of one framework without.
pub(super) fn restore(keys: &mut Keys<'_>) {
    let is_joined = |key: &&String| !key.contains('/') && key.contains(|c: char| !c.is_alphanumeric());
    let joined: Vec<&String> = keys.keys().filter(is_joined).collect();
    if joined.len() < FEWEST {
        return;
    }
    // A key that some framework logs just so stays what it is.
    let whole: BTreeSet<Cow<'_, str>> = FAMILIES
        .iter()
        .flat_map(|family| family.tables.iter().copied().flatten())
        .map(|entry| normal(entry.key))
        .collect();
    let joined = joined.into_iter().filter(|key| !whole.contains(key.as_str()));
    let candidates: Vec<(String, String)> = joined.map(|key| (flat(key), key.clone())).collect();
    let mut best: Vec<(&str, String)> = Vec::new();
    for family in FAMILIES {
        let known = flattened(family);
        let found: Vec<(&str, String)> = candidates
            .iter()
            .filter_map(|(flat, key)| Some((key.as_str(), known.get(flat)?.clone())))
            .filter(|(_, restored)| !keys.contains_key(restored))
            .collect();
        if found.len() > best.len() {
            best = found;
        }
    }
    if best.len() < FEWEST {
        return;
    }
    for (key, restored) in best {
        if let Some(logged) = keys.remove(key) {
            keys.insert(restored, logged);
        }
    }
}

/// The keys of a family that have a slash, by their form without. Keys with a name in braces are left out: what is
/// the name cannot be told from what stands around it.
fn flattened(family: &Family) -> BTreeMap<String, String> {
    let entries = family.tables.iter().copied().flatten().map(|entry| normal(entry.key));
    entries.filter(|key| key.contains('/') && !key.contains('{')).map(|key| (flat(&key), key.into_owned())).collect()
}

/// A key with one underscore for each run of other signs.
fn flat(key: &str) -> String {
    let words: Vec<&str> = key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}

#[cfg(test)]
mod tests {
    use crate::{Concept, Framework, bind};
    use rundown_run::Run;

    const VERL: [&str; 6] = [
        "critic/score/mean",
        "actor/entropy",
        "actor/grad_norm",
        "response_length/clip_ratio",
        "critic/advantages/max",
        "perf/throughput",
    ];

    fn run(keys: &[String]) -> Run {
        let mut run = Run::default();
        for step in 0..3 {
            let row = run.push_row(f64::from(step), f64::NAN);
            keys.iter().for_each(|key| run.push_value(key, row, 0.5));
        }
        run
    }

    #[test]
    fn keys_are_known_however_they_are_joined() {
        let titled = |key: &str| key.replace(['/', '_'], " ").to_uppercase();
        for joined in [|key: &str| key.replace('/', "_"), |key: &str| key.replace('/', "."), titled] {
            let keys = VERL.map(joined);
            let bindings = bind(&run(&keys));
            assert_eq!(bindings.framework, Framework::Verl, "{keys:?}");
            let key = |concept| bindings.first(concept).map(|binding| binding.key.clone());
            assert_eq!(key(Concept::Reward), Some(keys[0].clone()));
            assert_eq!(key(Concept::TruncatedShare), Some(keys[3].clone()));
        }
    }

    #[test]
    fn a_few_alike_are_chance() {
        let keys = ["reward_mean", "loss_mean", "kl_mean", "step_time"].map(str::to_owned);
        assert_eq!(bind(&run(&keys)).framework, Framework::Unknown);
    }
}

//! Keys of a framework whose slashes were replaced, as tables and exports do: `critic_score_mean`, `critic.score.mean`
//! or `Critic Score Mean` for verl's `critic/score/mean`.

use super::table::Keys;
use super::table_index::{TableIndex, joined_words};
use super::tables::FAMILIES;

/// Fewest keys of one framework that show that its slashes were replaced.
const MIN_KEYS: usize = 5;

/// Gives the keys of a run their slashes back, where enough of them are those of one framework without.
#[inline(never)]
pub(super) fn restore(keys: &mut Keys<'_>) {
    let is_joined = |key: &&String| !key.contains('/') && key.contains(|c: char| !c.is_alphanumeric());
    let joined: Vec<&String> = keys.keys().filter(is_joined).collect();
    if joined.len() < MIN_KEYS {
        return;
    }
    let index = TableIndex::get();
    let mut found: Vec<Vec<(String, &str)>> = FAMILIES.iter().map(|_| Vec::new()).collect();
    // A key that some framework logs just so stays what it is.
    for key in joined.into_iter().filter(|key| index.entries(key).is_empty()) {
        for (family, restored) in index.with_words(&joined_words(key)) {
            if let Some(found) = found.get_mut(family).filter(|_| !keys.contains_key(restored)) {
                found.push((key.clone(), restored));
            }
        }
    }
    // Of families with equally many the first.
    let most = found.into_iter().rev().max_by_key(Vec::len).unwrap_or_default();
    if most.len() < MIN_KEYS {
        return;
    }
    for (key, restored) in most {
        if let Some(logged) = keys.remove(&key) {
            keys.insert(restored.to_owned(), logged);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Concept, Framework, bind};
    use rundown_run::Run;

    const VERL: [&str; 6] = [
        "critic/score/mean", "actor/entropy", "actor/grad_norm", "response_length/clip_ratio", "critic/advantages/max",
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

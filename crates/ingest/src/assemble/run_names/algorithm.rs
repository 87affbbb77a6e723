//! The algorithm that the names of runs state, as in a comparison of `grpo_seed1` with `ppo_seed1`: what the trainers write holds
//! their settings, but seldom their own name.

use std::collections::BTreeSet;

use rundown_run::{Config, ConfigValue, Run, without_mark};

/// Algorithms in names. A number behind one counts runs (`grpo_12`). Supervised fine-tuning is left out: it mostly names the model that a
/// training starts from.
pub(super) const ALGORITHMS: [&str; 9] = ["cispo", "dapo", "dpo", "drgrpo", "grpo", "gspo", "ppo", "reinforce", "rloo"];
/// The key of it.
const ALGORITHM: &str = "algorithm";

/// Adds to each run the algorithm that its name states, where the names state different ones and some config does not hold it.
pub fn add(runs: &mut [Run]) {
    let named: Vec<Option<&str>> = runs.iter().map(|run| algorithm(&run.name)).collect();
    let different: BTreeSet<&str> = named.iter().flatten().copied().collect();
    let is_known = |run: &Run, name: &str| {
        run.config.iter().any(|(_, value)| matches!(value, ConfigValue::Text(text) if text.eq_ignore_ascii_case(name)))
    };
    let mut both = runs.iter().zip(&named);
    if different.len() < 2 || both.all(|(run, name)| name.is_none_or(|name| is_known(run, name))) {
        return;
    }
    for (run, name) in runs.iter_mut().zip(named) {
        if let Some(name) = name {
            run.config.insert([Config::OF_NAME, ALGORITHM].concat(), ConfigValue::Text(name.to_owned()));
        }
    }
}

/// The one algorithm in the last part of a path that names any: in `ppo_vs_grpo/ppo_seed1` the folder names the comparison.
fn algorithm(name: &str) -> Option<&'static str> {
    without_mark(name).rsplit('/').find_map(|part| {
        let words: Vec<String> = part.split(|letter: char| !letter.is_alphabetic()).map(str::to_lowercase).collect();
        let is_named = |known: &&&str| words.iter().any(|word| word == **known);
        let mut found = ALGORITHMS.iter().filter(is_named);
        let first = found.next()?;
        Some(found.next().is_none().then_some(*first))
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithms(names: &[&str]) -> Vec<String> {
        let mut runs: Vec<Run> = names.iter().map(|name| Run { name: (*name).to_owned(), ..Run::default() }).collect();
        add(&mut runs);
        runs.iter().map(|run| run.config.iter().map(|(key, value)| format!("{key}={value}")).collect()).collect()
    }

    #[test]
    fn different_algorithms_in_names_are_a_setting() {
        let of = |name: &str| format!("run_name.algorithm={name}");
        let compared = algorithms(&["ppo_vs_grpo/PPO-seed1", "ppo_vs_grpo/grpo_seed1", "grpo12/run", "baseline"]);
        assert_eq!(compared, [of("ppo"), of("grpo"), of("grpo"), String::new()]);
        assert_eq!(algorithms(&["grpo-1", "grpo-2"]), ["", ""], "what all share tells nothing");
        assert_eq!(algorithms(&["ppo_to_grpo", "grpo", "ppogrpo"]), ["", "", ""], "one name alone");
    }

    #[test]
    fn what_the_configs_say_is_not_said_again() {
        let mut runs = ["grpo", "ppo"].map(|name| Run { name: name.to_owned(), ..Run::default() });
        runs.iter_mut().for_each(|run| run.config.insert("adv", ConfigValue::Text(run.name.to_uppercase())));
        add(&mut runs);
        assert!(runs.iter().all(|run| run.config.len() == 1));
    }
}

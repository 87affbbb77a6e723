//! Whether what a run learns from has the scale of its returns, as far as its settings tell.

use super::{Hyperparameter, setting, switch};
use rundown_run::{Config, Run};

/// Settings that only an algorithm with a replay buffer has.
const REPLAY: [&str; 5] = ["buffer_size", "replay_buffer_size", "replay_size", "learning_starts", "train_freq"];
/// Switches that normalise the advantages of PPO: CleanRL, Stable-Baselines3, others.
const NORMALISED: [&str; 3] = ["norm_adv", "normalize_advantage", "normalize_advantages"];
/// Values by which the advantages of a group are not divided by their spread.
const NOT_DIVIDED: [&str; 3] = ["false", "none", "centered"];

/// True for a run that learns from a replay buffer (SAC, TD3, DQN): the targets of its critic are its own, and grow with what it learns.
pub(crate) fn learns_from_replay(run: &Run) -> bool {
    // Of PPO the weight of the entropy is a setting; only SAC learns and logs it.
    run.columns.keys().any(|key| key.ends_with("ent_coef"))
        || run.config.iter().any(|(key, _)| REPLAY.contains(&last_part(key)))
}

/// True where the advantages, or the values in their place, are known not to be normalised: then the loss of the policy grows with
/// the returns.
pub(crate) fn has_raw_advantages(run: &Run) -> bool {
    learns_from_replay(run) || is_normalisation_off(&run.config)
}

fn is_normalisation_off(config: &Config) -> bool {
    let is_undivided = setting(config, Hyperparameter::ScaleRewards)
        .is_some_and(|scaling| NOT_DIVIDED.contains(&scaling.text.to_ascii_lowercase().as_str()));
    let is_off = |key: &str| NORMALISED.contains(&last_part(key)) && switch(config, key) == Some(false);
    is_undivided || config.iter().any(|(key, _)| is_off(key))
}

/// The name of a key without what it belongs to.
pub(crate) fn last_part(key: &str) -> &str {
    key.rsplit(['/', '.']).next().unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::ConfigValue;

    #[test]
    fn advantages_are_raw_where_a_setting_says_so() {
        let is_raw = |key: &str, value: ConfigValue| {
            let mut run = Run::default();
            run.config.insert(key, value);
            has_raw_advantages(&run)
        };
        assert!(!has_raw_advantages(&Run::default()));
        assert!(is_raw("algo.norm_adv", ConfigValue::Bool(false)) && !is_raw("norm_adv", ConfigValue::Bool(true)));
        assert!(is_raw("normalize_advantage", ConfigValue::Text("False".to_owned())));
        assert!(is_raw("scale_rewards", ConfigValue::Text("none".to_owned())));
        assert!(!is_raw("scale_rewards", ConfigValue::Text("group".to_owned())));
        assert!(is_raw("buffer_size", ConfigValue::Number(1e6)));
    }
}

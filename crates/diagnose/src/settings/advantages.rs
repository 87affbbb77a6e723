//! What the advantages of a run come from, a critic or groups of responses, as far as its settings tell.

use super::{Hyperparameter, switch};
use rundown_run::Config;

/// True when the advantages come from groups of responses, so that no critic is trained.
pub(crate) fn critic_free(config: &Config) -> bool {
    let named = estimator(config).is_some();
    named && !has_critic(config) && switch(config, "critic.enable") != Some(true)
}

/// True when the config says that advantages come from a critic.
pub(super) fn has_critic(config: &Config) -> bool {
    estimator(config).is_some_and(|name| name == "gae" || name == "ppo")
}

/// How advantages are computed, in lower case: `gae`, `grpo`.
pub(crate) fn estimator(config: &Config) -> Option<String> {
    let value = Hyperparameter::AdvantageEstimator.keys().iter().find_map(|key| config.get(key))?;
    // A log writes Python's `AdvantageEstimator.GRPO`.
    Some(value.to_string().rsplit('.').next().unwrap_or_default().to_ascii_lowercase())
}

//! How often a run writes checkpoints and how many of them it keeps, by its settings.

use super::{number, switch};
use rundown_format::short;
use rundown_run::{Config, ConfigValue};

/// How often checkpoints are written, and the setting that says so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SavedEvery {
    /// The setting.
    pub key: &'static str,
    /// Its value, as the config has it.
    pub text: String,
    /// Steps between two checkpoints; infinite where none is written.
    pub steps: f64,
}

/// The Trainer's switch, whose other values are `steps`, and `epoch` or `best`, which count no steps.
const STRATEGY: &str = "save_strategy";

/// `None` where the config does not say, or says it in epochs or parts of the run.
pub(crate) fn saved_every(config: &Config) -> Option<SavedEvery> {
    if let Some(ConfigValue::Text(strategy)) = config.get(STRATEGY) {
        let word = strategy.rsplit('.').next().unwrap_or(strategy).to_ascii_lowercase();
        match word.as_str() {
            "no" => return Some(SavedEvery { key: STRATEGY, text: strategy.clone(), steps: f64::INFINITY }),
            "steps" => {}
            _ => return None,
        }
    }
    let (key, every) = number(config, &["trainer.save_freq", "save_steps"])?;
    // Frameworks write -1 or 0 for never; the Trainer takes a fraction for a part of the run.
    let steps = match every {
        every if every <= 0.0 => f64::INFINITY,
        every if every < 1.0 => return None,
        every => every,
    };
    Some(SavedEvery { key, text: short(every), steps })
}

/// How many checkpoints are kept, the last ones, and the setting that says so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeptLast {
    /// The setting.
    pub key: &'static str,
    /// The number of checkpoints.
    pub count: f64,
}

/// `None` where all are kept, the best one beside the last, or where the config does not say.
pub(crate) fn kept_last(config: &Config) -> Option<KeptLast> {
    // `load_best_model_at_end` of the Trainer spares the best one.
    let is_best_kept = switch(config, "load_best_model_at_end") == Some(true);
    let (key, count) = number(config, &["save_total_limit", "trainer.max_actor_ckpt_to_keep", "max_ckpt_num"])?;
    (count >= 1.0 && !is_best_kept).then_some(KeptLast { key, count })
}

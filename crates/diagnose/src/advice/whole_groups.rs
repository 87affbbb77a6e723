//! More responses per prompt may need a larger batch: TRL takes whole groups alone.

use crate::settings::number;
use rundown_format::short;
use rundown_run::Config;

/// TRL's key for the responses per prompt.
const GROUP: &str = "num_generations";

/// What else `group` responses per prompt need, where TRL's batch is no multiple of them. TRL refuses such
/// a config (trainer/grpo_config.py, `__post_init__`). Its batch is that of all processes, whose number no config has.
pub(super) fn batch_to_raise(config: &Config, group: f64) -> Option<String> {
    number(config, &[GROUP])?;
    let (batch, of) = match number(config, &["generation_batch_size"]) {
        Some((_, batch)) => (batch, "in generation_batch_size"),
        None => {
            let (_, rows) = number(config, &["per_device_train_batch_size"])?;
            let steps = number(config, &["steps_per_generation", "gradient_accumulation_steps"]);
            (rows * steps.map_or(1.0, |(_, steps)| steps), "per process")
        }
    };
    let is_whole = batch > 0.0 && batch % group == 0.0;
    (!is_whole).then(|| format!("TRL's batch must be a multiple of {} (now {} {of})", short(group), short(batch)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::ConfigValue;

    fn needed(settings: &[(&str, f64)]) -> Option<String> {
        let mut config = Config::default();
        for (key, value) in settings {
            config.insert(*key, ConfigValue::Number(*value));
        }
        batch_to_raise(&config, 16.0)
    }

    #[test]
    fn a_batch_that_holds_no_whole_groups_is_to_be_raised() {
        let rows = ("per_device_train_batch_size", 8.0);
        let raised = "TRL's batch must be a multiple of 16 (now 8 per process)";
        assert_eq!(needed(&[("num_generations", 8.0), rows]).as_deref(), Some(raised));
        assert_eq!(needed(&[("num_generations", 8.0), rows, ("gradient_accumulation_steps", 4.0)]), None);
        let raised = "TRL's batch must be a multiple of 16 (now 24 in generation_batch_size)";
        assert_eq!(needed(&[("num_generations", 8.0), rows, ("generation_batch_size", 24.0)]).as_deref(), Some(raised));
        assert_eq!(needed(&[("num_generations", 8.0)]), None);
        assert_eq!(needed(&[("actor_rollout_ref.rollout.n", 8.0), rows]), None);
    }
}

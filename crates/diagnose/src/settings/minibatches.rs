//! Into how many optimiser updates a batch of rollouts is split: a number of its own in some frameworks, in others the
//! size of a batch over that of a mini-batch.

use super::{Hyperparameter, Setting, described, number, setting};
use rundown_format::short;
use rundown_run::Config;

/// The split of a batch into several updates.
#[derive(Debug, Clone, PartialEq)]
pub struct Minibatches {
    /// The setting that makes it.
    pub setting: Setting,
    /// Updates in one pass over a batch, 2 or more.
    pub count: f64,
    /// The value of the setting that makes half as many.
    pub halved: f64,
}

/// A mini-batch's size beside that of its batch.
struct Sizes {
    minibatch: &'static str,
    batch: &'static str,
    /// True where a mini-batch is counted in responses, a batch in prompts.
    in_responses: bool,
}

/// verl and SkyRL count both in prompts; OpenRLHF (dotted, then flat), NeMo-RL and slime count mini-batches in responses;
/// TRL counts both in steps of one process.
const SIZES: [Sizes; 7] = [
    Sizes {
        minibatch: "actor_rollout_ref.actor.ppo_mini_batch_size",
        batch: "data.train_batch_size",
        in_responses: false,
    },
    Sizes { minibatch: "trainer.policy_mini_batch_size", batch: "trainer.train_batch_size", in_responses: false },
    Sizes { minibatch: "train.batch_size", batch: "rollout.batch_size", in_responses: true },
    Sizes { minibatch: "train_batch_size", batch: "rollout_batch_size", in_responses: true },
    Sizes { minibatch: "policy.train_global_batch_size", batch: "grpo.num_prompts_per_step", in_responses: true },
    Sizes { minibatch: "global_batch_size", batch: "rollout_batch_size", in_responses: true },
    Sizes { minibatch: "gradient_accumulation_steps", batch: "steps_per_generation", in_responses: false },
];

/// How a run splits its batches; `None` where a batch makes one update, or where the config does not tell.
pub fn minibatches(config: &Config) -> Option<Minibatches> {
    if let Some(setting) = setting(config, Hyperparameter::Minibatches) {
        let count = setting.value;
        return (count >= 2.0).then(|| Minibatches { setting, count, halved: libm::floor(count / 2.0) });
    }
    let (key, size, count) = SIZES.iter().find_map(|sizes| {
        let (key, size) = number(config, &[sizes.minibatch])?;
        let (_, batch) = number(config, &[sizes.batch])?;
        let responses = if sizes.in_responses { setting(config, Hyperparameter::Generations)?.value } else { 1.0 };
        Some((key, size, libm::floor(batch * responses / size)))
    })?;
    // A mini-batch is no smaller than one, so that the count is finite.
    if size < 1.0 || count < 2.0 {
        return None;
    }
    let setting = described(config, Hyperparameter::MinibatchSize, key, size, short(size));
    Some(Minibatches { setting, count, halved: 2.0 * size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::ConfigValue;

    fn split(settings: &[(&str, f64)]) -> Option<(String, f64, f64)> {
        let mut config = Config::default();
        for (key, value) in settings {
            config.insert(*key, ConfigValue::Number(*value));
        }
        minibatches(&config).map(|split| (split.setting.key, split.count, split.halved))
    }

    #[test]
    fn a_batch_is_split_in_the_units_of_its_framework() {
        let verl = ("actor_rollout_ref.actor.ppo_mini_batch_size", 64.0);
        let generations = ("actor_rollout_ref.rollout.n", 8.0);
        assert_eq!(
            split(&[verl, ("data.train_batch_size", 1024.0), generations]),
            Some((verl.0.to_owned(), 16.0, 128.0))
        );
        assert_eq!(split(&[verl, ("data.train_batch_size", 64.0), generations]), None, "one update");
        let (openrlhf, samples) = (("train_batch_size", 128.0), ("n_samples_per_prompt", 8.0));
        assert_eq!(
            split(&[openrlhf, ("rollout_batch_size", 128.0), samples]),
            Some((openrlhf.0.to_owned(), 8.0, 256.0))
        );
        assert_eq!(split(&[openrlhf, ("rollout_batch_size", 128.0)]), None, "the responses per prompt are not known");
        let trl = ("gradient_accumulation_steps", 4.0);
        assert_eq!(split(&[trl, ("steps_per_generation", 16.0)]), Some((trl.0.to_owned(), 4.0, 8.0)));
        assert_eq!(split(&[trl]), None);
    }

    #[test]
    fn a_number_of_minibatches_is_halved_and_sizes_of_nothing_split_nothing() {
        assert_eq!(split(&[("num_mini_batches", 5.0)]), Some(("num_mini_batches".to_owned(), 5.0, 2.0)));
        assert_eq!(split(&[("num_mini_batches", 1.0)]), None);
        for size in [0.0, -8.0, 0.5] {
            assert_eq!(
                split(&[("train.batch_size", size), ("rollout.batch_size", 8.0), ("num_generations", 4.0)]),
                None
            );
        }
    }
}

//! Groups of responses and how they are sampled: groups of one, greedy groups, temperatures, batches that do not
//! divide, critics that are not there.

use super::{Conflict, ConflictRule, RuleInput, keys};
use crate::Severity;
use crate::settings::{self, Hyperparameter};
use crate::zero_variance::Basis;
use rundown_format::rich;
use rundown_format::rich_text::{number, setting_key};
use rundown_run::ConfigValue;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub(super) const RULES: &[ConflictRule] = &[
    group_of_one, greedy, two_temperatures, truncated_sampling, split_groups, minibatches_of_verl,
    warmup_without_critic, critic_without_use, filter_without_reader,
];

/// Estimators that compare a response with the others of its prompt.
const BY_GROUP: [&str; 10] = [
    "grpo", "dr_grpo", "grpo_vectorized", "grpo_passk", "rloo", "rloo_vectorized", "group_norm", "opo",
    "reinforce_baseline", "reinforce_plus_plus_baseline",
];

/// Last parts of keys that say how many responses a prompt gets, in any framework and fork.
const GROUP_SIZES: [&str; 10] = [
    "n", "n_agent", "group_size", "num_generations", "num_generations_per_prompt", "n_samples", "n_samples_per_prompt",
    "num_samples_per_prompt", "rollouts_per_example", "num_repeat_rollouts",
];

fn group_of_one(look: &RuleInput<'_>) -> Option<Conflict> {
    let estimator = settings::estimator(look.config).filter(|name| BY_GROUP.contains(&name.as_str()))?;
    let for_evaluation = |key: &str| key.split('.').any(|part| part.starts_with("val") || part.starts_with("eval"));
    let sizes = look.config.iter().filter(|(key, _)| {
        key.rsplit('.').next().is_some_and(|last| GROUP_SIZES.contains(&last)) && !for_evaluation(key)
    });
    let sizes: Vec<(&str, f64)> =
        sizes.filter_map(|(key, _)| settings::number(look.config, &[key]).map(|(_, size)| (key, size))).collect();
    let (key, size) = *sizes.first()?;
    if sizes.iter().any(|(_, size)| *size > 1.0) || size <= 0.0 || !alone(look) {
        return None;
    }
    let estimator_key =
        look.hyperparameter(Hyperparameter::AdvantageEstimator).map(|setting| setting.key).unwrap_or_default();
    Some(Conflict {
        severity: Severity::Warning,
        title: rich!("{} is 1: {} compares responses to a prompt, and there is only one", setting_key(key), estimator),
        keys: vec![key.to_owned(), estimator_key],
        why: "With one response the group's mean is left out (verl) or equals the reward (advantage 0): the advantage is \
              the raw reward without a baseline, or nothing.",
        to: 8.0.into(),
        effect: "advantages say which response was better than its siblings",
        reference: "verl: trainer/ppo/core_algos.py (compute_grpo_outcome_advantage); TRL and OpenRLHF refuse it",
        onset: None,
    })
}

/// False when the logged numbers show that there are groups: forks repeat prompts where no key says it.
fn alone(look: &RuleInput<'_>) -> bool {
    let median = |concept| look.context.signal(concept).and_then(|signal| stats::median(&signal.values));
    let mixed = median(Concept::ZeroVarianceGroups).is_some_and(|share| share < 1.0);
    // Without a group the advantage is the reward itself.
    let same = match (median(Concept::AdvantageMax), median(Concept::RewardMax)) {
        (Some(advantage), Some(reward)) => (advantage - reward).abs() <= 0.1 * reward.abs().max(0.1),
        _ => true,
    };
    same && !mixed
}

fn greedy(look: &RuleInput<'_>) -> Option<Conflict> {
    let cold = look.hyperparameter(Hyperparameter::Temperature).filter(|setting| setting.value == 0.0);
    let sampling = "actor_rollout_ref.rollout.do_sample";
    let (key, to, title) = match cold {
        Some(setting) => (setting.key, 1.0.into(), "The sampling temperature is 0"),
        None if look.switch(sampling) == Some(false) => {
            (sampling.to_owned(), "true".into(), "Sampling is switched off")
        }
        None => return None,
    };
    let group = look.hyperparameter(Hyperparameter::Generations).filter(|setting| setting.value > 1.0)?;
    // Groups that do have a spread were sampled at another temperature.
    let known = look.context.zero_variance().is_some_and(|(_, basis)| *basis != Basis::Estimated);
    if known && look.context.zero_variance_share().is_some_and(|share| share < 0.9) {
        return None;
    }
    Some(Conflict {
        severity: Severity::Warning,
        title: rich!("{}: the {} responses to a prompt are all the same", title, group.text),
        keys: vec![key, group.key],
        why: "Equal responses have equal rewards, so every advantage is zero and nothing is learned.",
        to,
        effect: "responses differ, and so do their rewards",
        reference: "arXiv 2402.03300 (GRPO, advantages within a group)",
        onset: None,
    })
}

/// Frameworks that keep the temperature of the log-probabilities beside that of the sampler.
const TEMPERATURES: [(&str, &str); 2] = [
    ("trainer.algorithm.temperature", "generator.sampling_params.temperature"),
    ("actor.temperature", "gconfig.temperature"),
];

fn two_temperatures(look: &RuleInput<'_>) -> Option<Conflict> {
    TEMPERATURES.iter().find_map(|(trainer, sampler)| {
        let (training, sampling) = (look.number(trainer)?, look.number(sampler)?);
        ((training - sampling).abs() > 1e-6 && sampling > 0.0).then(|| Conflict {
            severity: Severity::Warning,
            title: rich!("Sampled at temperature {}, but trained at {}", number(sampling), number(training)),
            keys: keys(&[trainer, sampler]),
            why: "Log-probabilities at another temperature are those of another policy: importance ratios are off from \
                  the first update, and the clip range cuts at random.",
            to: sampling.into(),
            effect: "ratios start at 1",
            reference: "SkyRL: train/config/config.py (algorithm.temperature); AReaL: api/cli_args.py (temperature)",
            onset: None,
        })
    })
}

/// vLLM gives the log-probabilities of what is left after top-p and top-k (`processed_logprobs` in TRL and verl); the
/// trainer's are those of the whole vocabulary, so that their ratio is the mass that was kept, below 1 for each token.
fn truncated_sampling(look: &RuleInput<'_>) -> Option<Conflict> {
    let sequence = "vllm_importance_sampling_mode";
    let trl = look.on("use_vllm") && look.on("vllm_importance_sampling_correction") && look.has(sequence);
    let verl_key = "algorithm.rollout_correction.rollout_is";
    let verl = look.word(verl_key);
    let (correction, by_sequence) = match (trl, &verl) {
        (true, _) => ("vllm_importance_sampling_correction", look.word(sequence)?.starts_with("sequence")),
        (false, Some(level)) => (verl_key, level == "sequence"),
        (false, None) => return None,
    };
    let top_p = look.hyperparameter(Hyperparameter::TopP).filter(|setting| setting.value < 1.0 && setting.value > 0.0);
    let cut = top_p.or_else(|| look.hyperparameter(Hyperparameter::TopK))?;
    // With weights of whole sequences the shares multiply over all tokens; the logged mean tells how far.
    let light = look.context.run.columns.iter().find(|(key, _)| key.ends_with("importance_sampling_ratio/mean"));
    let light = light.and_then(|(_, column)| stats::median(column.values())).is_none_or(|mean| mean < 0.5);
    Some(Conflict {
        severity: if trl && by_sequence && light { Severity::Warning } else { Severity::Note },
        title: rich!("{} is {}, with a correction by importance sampling", setting_key(&cut.key), cut.text),
        keys: vec![cut.key, correction.to_owned()],
        why: "The sampler's log-probabilities are those after top-p and top-k, the trainer's those of all tokens. Each \
              weight is below 1 by the mass that was cut off, and the weight of a whole sequence goes to zero.",
        to: "1.0 (top-k off)".into(),
        effect: "weights are near 1 and correct only what they should",
        reference: "TRL: generation/vllm_generation.py (processed_logprobs); verl: config/rollout/rollout.yaml (logprobs_mode)",
        onset: None,
    })
}

fn split_groups(look: &RuleInput<'_>) -> Option<Conflict> {
    let (batch, group) = (look.number("generation_batch_size")?, look.number("num_generations")?);
    (group > 1.0 && batch > 0.0 && batch % group != 0.0).then(|| Conflict {
        severity: Severity::Warning,
        title: rich!("generation_batch_size {} is not a multiple of num_generations {}", number(batch), number(group)),
        keys: keys(&["generation_batch_size", "num_generations"]),
        why: "The last group of each batch is cut, and its rewards are compared with those of another prompt.",
        to: ((batch / group).ceil() * group).into(),
        effect: "every group is whole",
        reference: "TRL: trainer/grpo_config.py (__post_init__)",
        onset: None,
    })
}

/// A mini-batch of verl that does not divide the batch, or is larger than it.
fn minibatches_of_verl(look: &RuleInput<'_>) -> Option<Conflict> {
    let size = "actor_rollout_ref.actor.ppo_mini_batch_size";
    let mini = look.number(size).filter(|size| *size >= 1.0)?;
    let prompts = look.number("data.train_batch_size").filter(|prompts| *prompts >= 1.0)?;
    // Forks for agents count responses, Search-R1 after it has repeated the prompts.
    let repeats = ["actor_rollout_ref.rollout.n_agent", "env.rollout.n"].iter().find_map(|key| look.number(key));
    let batch = prompts * repeats.unwrap_or(1.0);
    let conflict = |title, why, to: f64, effect, reference| Conflict {
        severity: Severity::Note,
        title,
        keys: keys(&[size, "data.train_batch_size"]),
        why,
        to: to.into(),
        effect,
        reference,
        onset: None,
    };
    if mini > batch {
        return Some(conflict(
            rich!("ppo_mini_batch_size {} is above the batch of {}", number(mini), number(batch)),
            "A mini-batch cannot be larger than the batch: newer verl refuses the config unless use_dynamic_bsz is \
             true, and makes one update of the whole batch then, as older code does: nothing is split.",
            batch,
            "the config says what happens",
            "verl: trainer/ppo/ray_trainer.py (_validate_config)",
        ));
    }
    (batch % mini != 0.0).then(|| {
        conflict(
            rich!("A batch of {} is not a multiple of ppo_mini_batch_size {}", number(batch), number(mini)),
            "The last update of each batch uses fewer samples than the others, with the same learning rate.",
            batch / (batch / mini).ceil(),
            "updates are alike",
            "verl: workers/actor/dp_actor.py (update_policy splits the batch)",
        )
    })
}

/// verl and OpenRLHF leave the actor alone during the critic's warm-up, whether or not there is a critic.
fn warmup_without_critic(look: &RuleInput<'_>) -> Option<Conflict> {
    let (key, steps) =
        settings::number(look.config, Hyperparameter::CriticWarmup.keys()).filter(|(_, steps)| *steps > 0.0)?;
    if !settings::critic_free(look.config) {
        return None;
    }
    let planned = look.context.planned_steps();
    let long = planned.is_some_and(|planned| steps >= 0.1 * planned);
    Some(Conflict {
        severity: if long { Severity::Warning } else { Severity::Note },
        title: rich!("{} is {}, but no critic is trained", setting_key(key), number(steps)),
        keys: vec![key.to_owned()],
        why: "The actor is not updated in these steps, and there is no critic that could use them.",
        to: 0.0.into(),
        effect: "the policy learns from the first step on",
        reference: "verl: trainer/ppo/ray_trainer.py (fit); OpenRLHF: trainer/ppo_trainer.py (freezing_steps)",
        onset: None,
    })
}

fn critic_without_use(look: &RuleInput<'_>) -> Option<Conflict> {
    let key = "critic.optim.lr";
    // verl's config always holds its default.
    let rate = look.number(key).filter(|rate| (rate - 1e-5).abs() > 1e-12 && *rate > 0.0)?;
    settings::critic_free(look.config).then(|| Conflict {
        severity: Severity::Note,
        title: rich!("{} is {}, but no critic is trained", setting_key(key), number(rate)),
        keys: keys(&[key, "algorithm.adv_estimator"]),
        why: "With this advantage estimator verl has no critic; its settings do nothing.",
        to: "1e-5 (the default)".into(),
        effect: "none: it only makes the config clearer",
        reference: "verl: trainer/ppo/utils.py (need_critic)",
        onset: None,
    })
}

fn filter_without_reader(look: &RuleInput<'_>) -> Option<Conflict> {
    let key = "algorithm.filter_groups.enable";
    let counted = look.context.run.columns.keys().any(|key| key.ends_with("num_gen_batches"));
    (look.on(key) && !counted && look.config.get("algorithm.filter_groups") != Some(&ConfigValue::Null)).then(|| {
        Conflict {
            severity: Severity::Note,
            title: rich!("{} is true, but nothing shows that groups are filtered", setting_key(key)),
            keys: keys(&[key]),
            why: "verl's own trainer does not read it; the DAPO recipe does, and logs train/num_gen_batches, which is not \
                  here.",
            to: "false, or start the DAPO recipe".into(),
            effect: "zero-variance groups are replaced by others",
            reference: "verl: docs/algo/dapo.md, trainer/config/algorithm.py (FilterGroupsConfig)",
            onset: None,
        }
    })
}

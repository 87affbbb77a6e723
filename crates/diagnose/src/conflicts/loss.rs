//! The form of the loss: clips that never act or always do, tokens that are masked or should be.

use super::{Conflict, ConflictRule, RuleInput, keys};
use crate::Severity;
use crate::settings::Hyperparameter;
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, setting_key};
use rundown_run::ConfigValue;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub(super) const RULES: &[ConflictRule] = &[
    everything_masked, weights_cut_off, no_reward_counts, form_pays, retrieved_text, outer_clip, sequences_by_length,
    clip_for_sequences, clip_never_acts, entropy_unused, temperature_and_kl,
];

/// Share of truncated responses from which there is nothing left to train on.
const ALL: f64 = 0.98;
/// Fewest logged points of that share.
const POINTS: usize = 20;

fn everything_masked(look: &RuleInput<'_>) -> Option<Conflict> {
    let mask = look.hyperparameter(Hyperparameter::MaskTruncated).filter(|setting| setting.value == 1.0)?;
    let share = look.context.signal(Concept::TruncatedShare).filter(|share| share.len() >= POINTS)?;
    let half = share.values.get(share.len() / 2..)?;
    let median = stats::median(half).filter(|median| *median >= ALL)?;
    let from = share.values.iter().rposition(|value| *value < ALL).map_or(0, |last| last + 1);
    let longest = look.hyperparameter(Hyperparameter::MaxResponse).map(|setting| setting.key);
    Some(Conflict {
        severity: Severity::Warning,
        title: rich!("{} is on, and {} of the responses are truncated", setting_key(&mask.key), percent(median)),
        keys: vec![mask.key].into_iter().chain(longest).collect(),
        why: "Responses that were cut off are left out of the loss, so that there is nothing to learn from.",
        to: "false, or allow longer responses".into(),
        effect: "responses count again",
        reference: "TRL: trainer/grpo_trainer.py (mask_truncated_completions)",
        onset: Some(share.step(from)).filter(|step| step.is_finite()),
    })
}

/// CISPO's upper bound is one of the weight itself, not of its distance from 1.
fn weights_cut_off(look: &RuleInput<'_>) -> Option<Conflict> {
    look.word("loss_type").filter(|loss| loss == "cispo")?;
    let (key, limit) = match look.number("epsilon_high") {
        Some(limit) => ("epsilon_high", limit),
        None => ("epsilon", look.number("epsilon")?),
    };
    (limit < 1.0).then(|| Conflict {
        severity: Severity::Warning,
        title: rich!("loss_type is cispo, and {} cuts every weight to {}", setting_key(key), number(limit)),
        keys: keys(&["epsilon_high", "epsilon", "loss_type"]),
        why: "TRL clamps the importance weight to at most epsilon_high (epsilon where it is not set). Weights are near \
              1, so all of them are cut: the loss is scaled down and corrects nothing.",
        to: 5.0.into(),
        effect: "only weights above 5 are cut",
        reference: "TRL: trainer/grpo_trainer.py (_compute_loss), grpo_config.py (epsilon_high); arXiv 2510.13786",
        onset: None,
    })
}

fn no_reward_counts(look: &RuleInput<'_>) -> Option<Conflict> {
    let setting = look.hyperparameter(Hyperparameter::RewardWeights)?;
    let Some(ConfigValue::List(weights)) = look.config.get(&setting.key) else { return None };
    let zero = |weight: &ConfigValue| matches!(weight, ConfigValue::Number(weight) if *weight == 0.0);
    (!weights.is_empty() && weights.iter().all(zero)).then(|| Conflict {
        severity: Severity::Warning,
        title: rich!("Every weight in {} is 0", setting_key(&setting.key)),
        keys: vec![setting.key],
        why: "The sum of the rewards is 0 for every response, and so is every advantage.",
        to: "1 for each reward that should count".into(),
        effect: "rewards reach the policy",
        reference: "TRL: trainer/grpo_trainer.py (_generate_and_score_completions)",
        onset: None,
    })
}

/// Last parts of keys that say what an answer of the right form earns without being right; a right one earns 1.
const FORM_SCORES: [&str; 4] = ["format_score", "structure_format_score", "format_reward_weight", "format_weight"];
/// From here on the form pays a good part of the task: TinyZero gives 0.1.
const FORM_PAYS: f64 = 0.3;

fn form_pays(look: &RuleInput<'_>) -> Option<Conflict> {
    let is_form = |key: &&str| key.rsplit('.').next().is_some_and(|last| FORM_SCORES.contains(&last));
    let (key, score) = look
        .config
        .iter()
        .map(|(key, _)| key)
        .filter(is_form)
        .find_map(|key| Some((key, look.number(key).filter(|score| (FORM_PAYS..1.0).contains(score))?)))?;
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("{} is {}: the format alone earns that much of the task", setting_key(key), number(score)),
        keys: vec![key.to_owned()],
        why: "The format is learned first and by every answer, so that groups of wrong answers in the right format have a high \
              reward without a difference to learn from.",
        to: 0.1.into(),
        effect: "the task decides the reward",
        reference: "TinyZero: verl/utils/reward_score/countdown.py (format_score 0.1)",
        onset: None,
    })
}

fn retrieved_text(look: &RuleInput<'_>) -> Option<Conflict> {
    let key = "actor_rollout_ref.actor.state_masking";
    (look.switch(key) == Some(false) && look.on("do_search")).then(|| Conflict {
        severity: Severity::Note,
        title: "Retrieved text is trained on: state_masking is off while do_search is on".into(),
        keys: keys(&[key, "do_search"]),
        why: "The loss then also covers what the search engine wrote, and pushes the policy to predict it. Search-R1's \
              notes say that masking makes training much more stable.",
        to: "true".into(),
        effect: "only what the policy wrote is trained on",
        reference: "Search-R1: docs/experiment_log.md (v0.2), search_r1/llm_agent/generation.py (info_mask), \
                    verl/workers/actor/dp_actor.py; arXiv 2503.09516",
        onset: None,
    })
}

fn outer_clip(look: &RuleInput<'_>) -> Option<Conflict> {
    let delta = look.number("delta").filter(|delta| *delta > 0.0)?;
    let upper = look.number("epsilon_high").or_else(|| look.number("epsilon"))?;
    // Keys of TRL; `delta` alone may be anything.
    (look.has("num_generations") && delta <= 1.0 + upper).then(|| Conflict {
        severity: Severity::Note,
        title: rich!("delta {} is not above 1 + {}", number(delta), number(upper)),
        keys: keys(&["delta", "epsilon_high", "epsilon"]),
        why: "The outer bound cuts before the usual clip does, so that the upper clip range has no effect.",
        to: 4.0.into(),
        effect: "the bound only stops extreme ratios of negative advantages",
        reference: "TRL: trainer/grpo_config.py (delta)",
        onset: None,
    })
}

fn sequences_by_length(look: &RuleInput<'_>) -> Option<Conflict> {
    look.word("importance_sampling_level").filter(|level| level == "sequence")?;
    let loss = look.word("loss_type").filter(|loss| ["bnpo", "dr_grpo", "dapo", "cispo"].contains(&loss.as_str()))?;
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("Ratios are those of sequences, but the loss {} weights them by length", loss),
        keys: keys(&["loss_type", "importance_sampling_level"]),
        why: "This loss sums over tokens, so that a sequence counts by its length instead of once.",
        to: "grpo".into(),
        effect: "every sequence counts once, as in GSPO",
        reference: "TRL: trainer/grpo_trainer.py (warns of it); arXiv 2507.18071 (GSPO)",
        onset: None,
    })
}

/// Ratios of sequences are means over tokens: they stay much closer to 1 than those of single tokens.
fn clip_for_sequences(look: &RuleInput<'_>) -> Option<Conflict> {
    look.word("importance_sampling_level").filter(|level| level == "sequence")?;
    let clip = look.number("epsilon").filter(|clip| *clip >= 0.1)?;
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("Ratios are those of sequences, with a clip range of {} for single tokens", number(clip)),
        keys: keys(&["epsilon", "importance_sampling_level"]),
        why: "Ratios of whole sequences differ from 1 by a thousandth; a clip range of a tenth never acts.",
        to: 3e-4.into(),
        effect: "the clip acts on sequences that moved",
        reference: "arXiv 2507.18071 (GSPO: 3e-4 and 4e-4)",
        onset: None,
    })
}

fn clip_never_acts(look: &RuleInput<'_>) -> Option<Conflict> {
    let epochs = look.hyperparameter(Hyperparameter::EpochsPerBatch).filter(|epochs| epochs.value > 1.0)?;
    let clip = look.hyperparameter(Hyperparameter::ClipLow).filter(|clip| clip.value >= 1.0 && clip.usual.is_some())?;
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("{} epochs per batch with a clip range of {}, which never acts", epochs.text, clip.text),
        keys: vec![clip.key, epochs.key],
        why: "Ratios are never below zero, so a range of 1 or more does not hold them; later updates of a batch are \
              free to leave the policy that sampled it.",
        to: 0.2.into(),
        effect: "updates of one batch stay near the policy that sampled it",
        reference: "arXiv 1707.06347 (PPO)",
        onset: None,
    })
}

fn entropy_unused(look: &RuleInput<'_>) -> Option<Conflict> {
    let (key, switch) = ("trainer.algorithm.entropy_loss_coef", "trainer.algorithm.use_entropy_loss");
    // SkyRL's config always holds its default.
    let weight = look.number(key).filter(|weight| *weight != 0.0 && (weight - 0.01).abs() > 1e-9)?;
    (look.switch(switch) == Some(false)).then(|| Conflict {
        severity: Severity::Note,
        title: rich!("{} is {}, but the entropy bonus is off", setting_key(key), number(weight)),
        keys: keys(&[switch, key]),
        why: "The coefficient is only read with use_entropy_loss=true.",
        to: "true".into(),
        effect: "the bonus counts",
        reference: "SkyRL: train/config/config.py (AlgorithmConfig)",
        onset: None,
    })
}

fn temperature_and_kl(look: &RuleInput<'_>) -> Option<Conflict> {
    let weight = look.number("kl_penalty_coef").filter(|weight| *weight > 0.0)?;
    let temperature = look.number("temperature").filter(|value| (value - 1.0).abs() > 1e-6 && *value > 0.0)?;
    Some(Conflict {
        severity: Severity::Note,
        title: rich!("A KL penalty of {} at temperature {}", number(weight), number(temperature)),
        keys: keys(&["temperature", "kl_penalty_coef"]),
        why: "tinker's sampled log-probabilities and those of the reference are then of different temperatures, and the \
              penalty is not the KL.",
        to: 1.0.into(),
        effect: "the penalty measures the distance to the reference",
        reference: "tinker-cookbook: rl/train.py (temperature)",
        onset: None,
    })
}

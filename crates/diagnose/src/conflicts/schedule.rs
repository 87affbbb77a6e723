//! The learning rate over the run, and lengths that do not fit the model.

use super::{Conflict, ConflictRule, RuleInput, keys};
use crate::Severity;
use crate::settings::Hyperparameter;
use rundown_format::rich_text::{number, setting_key, step};
use rundown_format::{learning_rate, rich};
use rundown_vocabulary::Concept;

pub(super) const RULES: &[ConflictRule] = &[rate_is_zero, rate_ends_early, warmup_too_long, longer_than_context];

/// Fewest points at the end with a learning rate of zero: a schedule ends at zero with its last step or two.
const ZEROS: usize = 20;
/// The same as a share of the run.
const ZERO_SHARE: f64 = 0.1;
/// Printed digits that a learning rate must have for its zeros to be zeros.
const DIGITS: f64 = 20.0;

fn rate_is_zero(look: &RuleInput<'_>) -> Option<Conflict> {
    let rate = look.hyperparameter(Hyperparameter::LearningRate).filter(|rate| rate.value == 0.0)?;
    if look.context.signal(Concept::LearningRate).is_some_and(|logged| logged.max() > 0.0) {
        return None;
    }
    Some(Conflict {
        severity: Severity::Warning,
        title: rich!("{} is 0", setting_key(&rate.key)),
        keys: vec![rate.key],
        why: "The optimiser changes nothing.",
        to: 1e-6.into(),
        effect: "the policy can learn",
        reference: "",
        onset: None,
    })
}

fn rate_ends_early(look: &RuleInput<'_>) -> Option<Conflict> {
    let rate = look.context.signal(Concept::LearningRate)?;
    let peak = rate.max();
    // Old verl prints three decimals: a rate of 1e-6 is then always 0.000.
    let resolved = rate.resolution().is_some_and(|smallest| peak >= DIGITS * smallest);
    let last = rate.values.iter().rposition(|value| *value > 0.0)?;
    let zeros = rate.len() - last - 1;
    if !resolved || zeros < ZEROS || (zeros as f64) < ZERO_SHARE * rate.len() as f64 {
        return None;
    }
    let onset = rate.step(last + 1);
    let schedule = look.hyperparameter(Hyperparameter::Scheduler).map(|setting| setting.key);
    Some(Conflict {
        severity: Severity::Warning,
        title: rich!("The learning rate is 0 from step {} on, and the run went on", step(onset)),
        keys: schedule
            .into_iter()
            .chain(look.hyperparameter(Hyperparameter::PlannedSteps).map(|setting| setting.key))
            .collect(),
        why: "The schedule was planned for fewer steps than the run has; what came after it changed nothing.",
        to: format!("a schedule over the whole run, from {}", learning_rate(peak)).into(),
        effect: "the later steps count",
        reference: "",
        onset: Some(onset),
    })
}

/// Pairs whose steps are counted alike.
const WARMUPS: [(&str, &str); 4] = [
    ("warmup_steps", "max_steps"),
    ("actor_rollout_ref.actor.optim.lr_warmup_steps", "trainer.total_training_steps"),
    ("rl_training_config.actor_optimizer_config.warmup_steps", "rl_training_config.max_steps"),
    ("policy.megatron_cfg.scheduler.lr_warmup_iters", "grpo.max_num_steps"),
];

fn warmup_too_long(look: &RuleInput<'_>) -> Option<Conflict> {
    let (warmup, planned, steps, run) = WARMUPS.iter().find_map(|(warmup, planned)| {
        let (steps, run) = (look.number(warmup)?, look.number(planned)?);
        (run > 0.0 && steps >= run).then_some((*warmup, *planned, steps, run))
    })?;
    // A rate that came down again was not in its warm-up to the end.
    let falls = look
        .context
        .signal(Concept::LearningRate)
        .is_some_and(|rate| rate.values.last().is_some_and(|last| *last < 0.999 * rate.max()));
    (!falls).then(|| Conflict {
        severity: Severity::Warning,
        title: rich!("The warm-up takes {} steps, and the run {}", number(steps), number(run)),
        keys: keys(&[warmup, planned]),
        why: "The learning rate never reaches the value that was set.",
        to: (0.05 * run).ceil().into(),
        effect: "most of the run has the learning rate that was set",
        reference: "transformers: get_scheduler; verl: workers/fsdp_workers.py (lr_warmup_steps)",
        onset: None,
    })
}

fn longer_than_context(look: &RuleInput<'_>) -> Option<Conflict> {
    let context = look.hyperparameter(Hyperparameter::ModelContext)?;
    let response = look.hyperparameter(Hyperparameter::MaxResponse)?;
    let prompt = look.hyperparameter(Hyperparameter::MaxPrompt);
    let longest = response.value + prompt.as_ref().map_or(0.0, |prompt| prompt.value);
    if longest <= context.value {
        return None;
    }
    let alone = response.value > context.value;
    let what = if alone { "A response" } else { "A prompt and its response" };
    let longest = if alone { response.value } else { longest };
    Some(Conflict {
        severity: if alone { Severity::Warning } else { Severity::Note },
        title: rich!(
            "{} may take {} tokens, but {} is {}",
            what,
            number(longest),
            setting_key(&context.key),
            context.text.as_str()
        ),
        keys: [Some(response.key), Some(context.key), prompt.map(|prompt| prompt.key)].into_iter().flatten().collect(),
        why: "Responses are cut off at the context, earlier than the limit says, or the model runs beyond the positions \
              that it knows.",
        to: "so much that prompt and response fit".into(),
        effect: "truncation means what the config says",
        reference: "verl: rollout/vllm_rollout/vllm_async_server.py (max_model_len); TRL: vllm_max_model_length",
        onset: None,
    })
}

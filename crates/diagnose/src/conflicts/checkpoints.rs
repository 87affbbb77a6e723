//! Which checkpoint of a training is kept as the best one.

use super::{Conflict, ConflictRule, RuleInput, keys};
use crate::Severity;
use rundown_format::rich;
use rundown_format::rich_text::step;
use rundown_run::Column;
use rundown_vocabulary::Concept;

pub(super) const RULES: &[ConflictRule] = &[best_by_loss];

/// The Trainer's setting that names the metric, and what it takes where that names none.
const METRIC: &str = "metric_for_best_model";
const LOSSES: [&str; 2] = ["loss", "eval_loss"];
/// TRL's reward, behind what stands before it. Preference trainings log rewards of other names, and their loss does tell.
const REWARD: &str = "reward";

/// By the settings, or by the state of the Trainer where the value of the best checkpoint is one of the loss.
fn best_by_loss(look: &RuleInput<'_>) -> Option<Conflict> {
    let reward = look.context.signal(Concept::Reward)?;
    if reward.key().rsplit('/').next() != Some(REWARD) {
        return None;
    }
    let run = look.context.run;
    let by_setting = || {
        let is_loss = look.word(METRIC).is_none_or(|metric| LOSSES.contains(&metric.as_str()));
        look.on("load_best_model_at_end") && is_loss
    };
    let by_state = || {
        let is_of = |best: f64| {
            let values = |key: &str| run.columns.get(key).map(Column::values);
            ["eval_loss", "eval/loss"].into_iter().filter_map(values).any(|values| values.contains(&best))
        };
        run.summary.number(&["best_metric"]).is_some_and(|(_, best)| is_of(best))
    };
    if !by_setting() && !by_state() {
        return None;
    }
    let title = match run.summary.number(&["best_global_step"]) {
        Some((_, best)) => rich!("The best checkpoint, of step {}, is the one with the lowest loss", step(best)),
        None => "The best checkpoint is the one with the lowest loss".into(),
    };
    Some(Conflict {
        severity: Severity::Note,
        title,
        keys: keys(&[METRIC, "load_best_model_at_end"]),
        why: "The loss of such a training is near 0, or the KL coefficient times the KL, whatever the policy earns: its lowest value \
              does not mark the best policy.",
        to: "eval_reward".into(),
        effect: "the checkpoint with the highest reward on held-out prompts is kept",
        reference: "transformers: training_args.py (metric_for_best_model: the loss where it names none)",
        onset: None,
    })
}

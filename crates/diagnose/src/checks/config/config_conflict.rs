//! Settings that contradict each other, so that one of them does not do what it says.
//!
//! # What it checks
//! Some thirty contradictions that follow from the frameworks' own code, each only where its keys are in the config:
//! a KL coefficient that is set while the KL term is off (verl, Search-R1, SkyRL, slime) or a term that is on with a
//! coefficient of 0, KL both in the loss and in the reward, a KL loss with the k1 estimate, a KL penalty without a reference (AReaL); GRPO with one response per prompt,
//! greedy sampling of a group, sampling and training at different temperatures, top-p or top-k with a correction by
//! importance sampling, batches that do not divide, mini-batches above the batch, critic settings without a critic, dynamic sampling that nothing
//! reads; truncated responses left out of the loss while all are truncated, CISPO with a clip range of PPO, retrieved
//! text that is trained on (Search-R1), a score for the format that pays a good part of the task, clip ranges that never act; a warm-up longer than the run, a learning rate that
//! is zero or ends at zero before the run does, lengths beyond the model's context length, and a best checkpoint that is
//! chosen by the loss (TRL).
//!
//! # Why it matters
//! Such a run does something else than was meant, and no curve says so. Comparing it with others teaches the wrong thing.
//!
//! # Evidence needed
//! The config of the run; for some contradictions the logged learning rate or the share of truncated responses.
//!
//! # Threshold and where it comes from
//! None but those of the frameworks' code, named in each finding. It is a warning only where a setting surely does
//! nothing, or surely spoils the training; otherwise a note. Values that stand in every config by default are not held
//! against anybody.
//!
//! # Known false alarms
//! A fork may read a setting that its origin ignores.
//!
//! # What to do
//! Change the one setting that is named first, or take the other out.
//!
//! # References
//! The configuration and loss code of verl, Search-R1, TRL, OpenRLHF, SkyRL, slime, AReaL and the tinker cookbook;
//! arXiv 2402.03300 (GRPO), 2507.18071 (GSPO), 2510.13786 (ScaleRL, CISPO), 2503.09516 (Search-R1).

use crate::conflicts::{self, Conflict};
use crate::context::Context;
use crate::settings;
use crate::{Action, ActionKind, Cause, Check, Code, Evidence, Finding, Need, Outcome, SettingName, Severity};
use rundown_format::rich_text::setting_key;
use rundown_format::{counted, rich};
use rundown_run::Config;

pub const CHECK: Check = Check::of_run(Code::ConfigConflict, run);

fn run(context: &Context<'_>) -> Outcome {
    if context.run.config.is_empty() {
        let hint = "Keep the run's config beside its metrics: W&B's config.yaml, or the log's first lines.";
        return Outcome::Skipped(Need { concepts: Vec::new(), hint: hint.into() });
    }
    let conflicts = conflicts::conflicts(context);
    let Some(worst) = conflicts.first() else {
        let looked = Evidence::new("known contradictions looked for", conflicts::rules() as f64, "");
        return Outcome::Quiet(vec![looked, Evidence::new("settings", context.run.config.len() as f64, "")]);
    };
    Outcome::Found(vec![finding(context, worst, &conflicts)])
}

fn finding(context: &Context<'_>, worst: &Conflict, conflicts: &[Conflict]) -> Finding {
    let config = &context.run.config;
    let title = match conflicts.len() {
        1 => worst.title.clone(),
        many => rich!("{} (and {})", &worst.title, counted(many - 1, "other conflict")),
    };
    let mut finding = Finding::new(Code::ConfigConflict, worst.severity, title);
    finding.detail = worst.why.into();
    finding.onset = worst.onset.or_else(|| context.run.step_range().map(|(first, _)| first));
    finding.end = Some(context.last_step()).filter(|step| step.is_finite());
    finding.evidence.push(Evidence::new("contradictions in the config", conflicts.len() as f64, ""));
    for conflict in conflicts {
        for (place, key) in conflict.keys.iter().enumerate() {
            let Some(value) = config.get(key) else { continue };
            if let Some((_, number)) = settings::number(config, &[key]) {
                finding.evidence.push(Evidence::new(setting_key(key), number, ""));
            }
            let why = if place == 0 { rich!("{}. {}", &conflict.title, conflict.why) } else { conflict.title.clone() };
            finding.causes.push(Cause { config: key.clone(), value: value.to_string(), why });
        }
        finding.actions.push(action(config, conflict));
        if !conflict.reference.is_empty() {
            finding.references.push(conflict.reference.to_owned());
        }
    }
    finding.alternative = "A fork may read a setting that its origin ignores.".into();
    finding.refute = "The line of your own code that reads the setting.".into();
    finding.confidence = if worst.severity > Severity::Note { 0.9 } else { 0.8 };
    finding
}

fn action(config: &Config, conflict: &Conflict) -> Action {
    let setting = match conflict.keys.first() {
        Some(key) => SettingName::Key(key.clone()),
        None => SettingName::Words("learning rate schedule".to_owned()),
    };
    let from = conflict.keys.first().and_then(|key| config.get(key)).map(settings::value_of);
    Action {
        kind: ActionKind::Set { setting, from, to: conflict.to.clone() },
        effect: conflict.effect.to_owned(),
        risk: "runs with and without it are not comparable".to_owned(),
        watch: "the metric that the setting should move".to_owned(),
    }
}

#[cfg(test)]
#[path = "config_conflict/tests.rs"]
mod tests;

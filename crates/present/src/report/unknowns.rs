//! What a run did not log and what is uncertain about its data.

use super::super::failures::missing_kinds;
use super::section_or;
use rundown_content::Block;
use rundown_diagnose::samples::holds_completions;
use rundown_diagnose::{Diagnosis, Hyperparameter, late_start, missing_steps, setting};
use rundown_format::rich_text::{metric, step};
use rundown_format::{RichText, counted, number, rich};
use rundown_run::{AxisReason, Run, RunState, STEP_KEYS};
use rundown_vocabulary::{Concept, Framework, candidates};

/// Unrecognised metrics that are named before the rest is only counted.
const MAX_NAMED_METRICS: usize = 20;
/// Names of the planned steps in the settings of trainers, which count as the trainer does (transformers and TRL, verl).
const TRAINER_PLANS: [&str; 2] = ["max_steps", "total_training_steps"];
/// A plan under another name of more than so many times the last step may count something else, such as samples (ours).
const MAX_PLAN: f64 = 10.0;

pub(super) fn unknowns(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut items: Vec<RichText> = Vec::new();
    for warning in &run.warnings {
        let at = warning.step().map(|step| format!(" (step {})", number(step))).unwrap_or_default();
        items.push(rich!("{}{}", warning.message(), at));
    }
    if let Some(start) = late_start(run) {
        items.push(rich!(
            "The log begins at {}: what came before is not in the files, and a finding may have begun earlier than its step says.",
            start.words()
        ));
    }
    if let Some((last, next)) = missing_steps(run) {
        items.push(rich!("The files have no row between step {} and step {}.", step(last), step(next)));
    }
    if run.ending.state == RunState::Unknown {
        let mut words = RichText::from("How the run ended is not logged.");
        if let Some((last, planned)) = unreached_plan(run, diagnosis) {
            words.append(rich!(" The log reaches step {} of {} planned.", step(last), step(planned)));
        }
        items.push(words);
    }
    if run.ending.state == RunState::Running {
        items.push("The run is still running: the verdict may change.".into());
    }
    if diagnosis.bindings.first(Concept::Evaluation).is_none() {
        items.push(
            "No evaluation was found in a form that is read here: whether the reward measures the task is unknown."
                .into(),
        );
    }
    let likely = candidates(run, &diagnosis.bindings);
    if !likely.is_empty() {
        let keys = RichText::joined(likely.iter().map(|candidate| metric(&candidate.key).into()), ", ", " or ");
        items.push(rich!("Which metric is the reward is unknown: perhaps {}. The settings can say so.", keys));
    }
    let framework = diagnosis.bindings.framework;
    let missing: Vec<RichText> = missing_core(diagnosis)
        .into_iter()
        .map(|concept| rich!("{} ({})", concept.words(), metric(concept.key_hint(framework))))
        .collect();
    if !missing.is_empty() {
        items.push(rich!("Not logged, though many checks need them: {}.", RichText::joined(missing, ", ", ", ")));
    }
    items.extend(missing_kinds(run, diagnosis));
    // A policy whose actions are no tokens writes none.
    let has_completions = || run.tables.iter().filter_map(|file| file.content.as_ref()).any(holds_completions);
    if !diagnosis.acts_in_environment && !has_completions() {
        let how = match framework {
            Framework::Trl => " (log_completions=True)",
            Framework::Verl => " (trainer.log_val_generations above 0)",
            _ => "",
        };
        items.push(rich!(
            "No completions were found in a form that is read here{}: what the policy generates is unknown.",
            how
        ));
    }
    if !diagnosis.skipped.is_empty() {
        items.push(rich!(
            "Skipped because a metric is missing: {}, see below.",
            counted(diagnosis.skipped.len(), "check")
        ));
    }
    if diagnosis.nonfinite > 0 {
        let values = counted(diagnosis.nonfinite, "logged value");
        items.push(rich!("NaN or infinite: {}. Statistics exclude them.", values));
    }
    items.extend(unrecognised(run, diagnosis));
    let items: Vec<Block> = match items.is_empty() {
        true => Vec::new(),
        false => vec![Block::List(items.into_iter().map(Into::into).collect())],
    };
    section_or("Unknowns and missing logs", items, "None.")
}

/// The last step and that of the plan, where a trainer counted the steps and more than the last of them is missing. Plans of
/// games count the steps of the environment.
fn unreached_plan(run: &Run, diagnosis: &Diagnosis) -> Option<(f64, f64)> {
    let plan = setting(&run.config, Hyperparameter::PlannedSteps).filter(|_| !diagnosis.acts_in_environment)?;
    let (_, last) = run.step_range().filter(|_| run.axis.why == AxisReason::TrainerCounter)?;
    let is_of_trainer = plan.key.rsplit('.').next().is_some_and(|name| TRAINER_PLANS.contains(&name));
    let is_plan = is_of_trainer || plan.value <= MAX_PLAN * last;
    (is_plan && last + 1.0 < plan.value).then_some((last, plan.value))
}

fn unrecognised(run: &Run, diagnosis: &Diagnosis) -> Option<RichText> {
    let mut keys = diagnosis.bindings.unbound(run);
    keys.retain(|key| !STEP_KEYS.contains(key) && !is_epoch(key));
    if keys.is_empty() {
        return None;
    }
    let named = RichText::joined(keys.iter().take(MAX_NAMED_METRICS).map(|key| metric(key).into()), ", ", ", ");
    let rest = match keys.len().saturating_sub(MAX_NAMED_METRICS) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    Some(rich!("Metrics that no check uses ({}): {}{}.", keys.len(), named, rest))
}

/// True for the counter of epochs, which every trainer logs and nobody misses.
fn is_epoch(key: &str) -> bool {
    key.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("epoch"))
}

/// Quantities that most checks rest on, and that were not logged.
fn missing_core(diagnosis: &Diagnosis) -> Vec<Concept> {
    const CORE_CONCEPTS: [Concept; 8] = [
        Concept::Reward,
        Concept::Evaluation,
        Concept::RewardComponent,
        Concept::KlToReference,
        Concept::Entropy,
        Concept::GradientNorm,
        Concept::ResponseLength,
        Concept::TruncatedShare,
    ];
    CORE_CONCEPTS.into_iter().filter(|concept| diagnosis.bindings.first(*concept).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::ConfigValue;

    #[test]
    fn steps_that_are_missing_of_the_plan_are_named() {
        let said = |key: &str, planned: f64, acts_in_environment: bool| {
            let mut run = Run::default();
            run.config.insert(key, ConfigValue::Number(planned));
            for number in 0..40_u32 {
                let row = run.push_row(f64::from(number), f64::NAN);
                run.push_value("train/global_step", row, f64::from(number));
            }
            run.choose_axis();
            let diagnosis = Diagnosis { acts_in_environment, ..Diagnosis::default() };
            format!("{:?}", unknowns(&run, &diagnosis)).contains("planned")
        };
        assert!(said("max_steps", 100.0, false) && said("max_steps", 5000.0, false));
        assert!(!said("max_steps", 40.0, false), "counted from 0");
        assert!(said("total_steps", 100.0, false) && !said("total_steps", 5000.0, false), "perhaps samples");
        assert!(!said("max_steps", 100.0, true), "steps of an environment");
    }

    #[test]
    fn a_log_that_begins_in_the_middle_says_so() {
        let text = |first: f64| {
            let mut run = Run::default();
            for number in 0..20 {
                let row = run.push_row(f64::from(number), f64::NAN);
                run.push_value("step", row, first + f64::from(number));
                run.push_value("train/reward", row, 0.5);
            }
            run.choose_axis();
            format!("{:?}", unknowns(&run, &diagnose(&run, &Rulebook::default())))
        };
        let words = "what came before is not in the files";
        assert!(text(3183.0).contains(words) && !text(1.0).contains(words), "{}", text(3183.0));
    }

    #[test]
    fn a_policy_without_tokens_lacks_no_completions() {
        let run = Run::default();
        let mut diagnosis = diagnose(&run, &Rulebook::default());
        let words = "No completions were found";
        assert!(format!("{:?}", unknowns(&run, &diagnosis)).contains(words));
        diagnosis.acts_in_environment = true;
        assert!(!format!("{:?}", unknowns(&run, &diagnosis)).contains(words));
    }
}

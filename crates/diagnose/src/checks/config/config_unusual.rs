//! Settings far outside of what published runs use.
//!
//! # What it checks
//! Each known setting that has a usual range: learning rates (of adapters and of the whole model), KL coefficient,
//! responses per prompt, temperature, clip ranges, gradient clipping, epochs per batch, entropy coefficient, warm-up,
//! staleness, weight decay, top-p, discount. A value within a factor of about ten of the range is not mentioned. And the
//! number of planned steps, where the pace of the run makes more than 60 days of them.
//!
//! # Why it matters
//! A slip of a zero is the commonest cause of a run that does nothing, or that breaks at once. It is never a fault by
//! itself: small models and odd tasks need odd settings.
//!
//! # Evidence needed
//! The config of the run.
//!
//! # Threshold and where it comes from
//! The defaults and examples of TRL, verl, OpenRLHF, NeMo-RL, SkyRL, prime-rl, tunix, torchtune, the tinker cookbook and
//! Search-R1, and published recipes (DeepSeekMath, DAPO, INTELLECT-2); each finding names the range and its source.
//!
//! # Known false alarms
//! Tiny models train well with learning rates that would ruin a large one.
//!
//! # What to do
//! Compare with the recipe that you follow. If the value is meant, there is nothing to do.
//!
//! # References
//! arXiv 2402.03300 (GRPO), 2503.14476 (DAPO); the configuration code of the frameworks.

use crate::advice::advice;
use crate::context::Context;
use crate::settings::{Hyperparameter, Setting, Usual, setting, usual_of};
use crate::{
    Action, ActionKind, Cause, Check, Code, Evidence, Finding, Need, Outcome, Relation, SettingName, Severity,
};
use rundown_format::rich_text::{number, setting_key};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::ConfigUnusual, run);

fn run(context: &Context<'_>) -> Outcome {
    let config = &context.run.config;
    let compared: Vec<(Setting, Usual)> = Hyperparameter::ALL
        .iter()
        .filter_map(|hyperparameter| {
            usual_of(config, *hyperparameter).and_then(|usual| Some((setting(config, *hyperparameter)?, usual)))
        })
        .collect();
    // A zero switches a setting off, which is no slip of the pen.
    let far = |(setting, usual): &&(Setting, Usual)| {
        setting.value != 0.0 && (setting.value < usual.far.0 || setting.value > usual.far.1)
    };
    let odd: Vec<&(Setting, Usual)> = compared.iter().filter(far).collect();
    let of_settings = (!odd.is_empty()).then(|| finding(context, &odd));
    let found: Vec<Finding> = of_settings.into_iter().chain(too_long(context)).collect();
    if !found.is_empty() {
        return Outcome::Found(found);
    }
    if compared.is_empty() {
        let hint = "Keep the run's config beside its metrics, with the learning rate among its settings.";
        return Outcome::Skipped(Need { concepts: Vec::new(), hint: hint.into() });
    }
    Outcome::Quiet(compared.iter().take(SHOWN).map(|(setting, usual)| evidence(setting, usual)).collect())
}

/// Days from which on nobody plans a training. Ours: the largest published ones of reinforcement learning take weeks.
const MOST_DAYS: f64 = 60.0;
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// A note on a number of steps that the run cannot reach at its pace: it follows from epochs over a large set, or from a default.
fn too_long(context: &Context<'_>) -> Option<Finding> {
    let planned = context.comparable_plan().filter(|_| !context.took_planned_steps())?;
    let seconds = seconds_of_a_step(context)?;
    let days = Some(planned * seconds / SECONDS_OF_A_DAY).filter(|days| *days > MOST_DAYS)?;
    let title = rich!(
        "At {} s a step the {} planned steps would take {} days",
        number(seconds),
        number(planned),
        number(days.round())
    );
    let mut finding = Finding::new(Code::ConfigUnusual, Severity::Note, title);
    finding.detail = "A schedule of the learning rate that spans all of them hardly changes it.".into();
    finding.evidence = vec![
        Evidence::new("planned steps", planned, "steps"),
        Evidence::new("time of a step", seconds, "s"),
        Evidence::new("days for all planned steps", days, "").limited(
            Relation::Above,
            MOST_DAYS,
            "longer than the largest published trainings",
        ),
    ];
    finding.actions = vec![advice(
        "Set the number of steps to what the time allows, and the schedules with it",
        "the run ends, with its learning rate decayed",
        "none",
        "time for each step",
    )];
    finding.alternative = "It is meant to be stopped by hand.".into();
    finding.refute = "A time of each step that is much shorter later.".into();
    finding.confidence = 0.9;
    Some(finding)
}

/// Part of the steps that have a logged time where the log has a row for each.
const EACH_STEP: f64 = 0.9;

/// By the clock of the rows; else by the logged time of a step, where each step has a row: a row of several may have the time of all.
fn seconds_of_a_step(context: &Context<'_>) -> Option<f64> {
    let axis = &context.run.axis;
    let mut timed = axis.steps.iter().zip(&context.run.row_times).filter(|(_, time)| time.is_finite());
    if let Some(((first, began), (last, ended))) = timed.next().zip(timed.next_back()) {
        return (last > first).then(|| (ended - began) / (last - first));
    }
    let times = context.signal(Concept::StepTime)?;
    let steps = times.last_step() - times.step(0) + 1.0;
    (times.len() > 1 && times.len() as f64 >= EACH_STEP * steps).then(|| stats::median(&times.values)).flatten()
}

/// Settings that a quiet check shows.
const SHOWN: usize = 4;

fn finding(context: &Context<'_>, odd: &[&(Setting, Usual)]) -> Finding {
    let named = odd.iter().map(|(odd, _)| rich!("{} is {}", setting_key(&odd.key), value_with_remark(odd)));
    let title = rich!("Far outside the usual range: {}", RichText::joined(named, ", ", ", "));
    let mut finding = Finding::new(Code::ConfigUnusual, Severity::Note, title);
    finding.detail = "Not a problem by itself: compare it with the recipe that you follow.".into();
    finding.onset = context.run.step_range().map(|(first, _)| first);
    finding.end = Some(context.last_step()).filter(|step| step.is_finite());
    for (setting, usual) in odd {
        finding.evidence.push(evidence(setting, usual));
        let (low, high) = usual.range;
        finding.causes.push(Cause {
            config: setting.key.clone(),
            value: setting.text.clone(),
            why: rich!("{} to {} is usual: {}.", number(low), number(high), usual.source),
        });
        finding.actions.push(Action {
            kind: ActionKind::Set {
                setting: SettingName::Key(setting.key.clone()),
                from: Some(setting.clone().into()),
                to: (if setting.value > high { high } else { low }).into(),
            },
            effect: "the run is comparable with published ones".to_owned(),
            risk: "the value may be right for this model and task".to_owned(),
            watch: "the primary metric".to_owned(),
        });
    }
    finding.alternative = "The value is intentional: small models and unusual tasks need unusual settings.".into();
    finding.refute = "A run with a usual value that learns no better.".into();
    finding.confidence = 0.7;
    finding
}

fn value_with_remark(setting: &Setting) -> String {
    if setting.remark.is_empty() { setting.text.clone() } else { format!("{} ({})", setting.text, setting.remark) }
}

fn evidence(setting: &Setting, usual: &Usual) -> Evidence {
    let (low, high) = usual.far;
    let (relation, limit) = if low > 0.0 && setting.value != 0.0 && setting.value < low {
        (Relation::Below, low)
    } else {
        (Relation::Above, high)
    };
    Evidence::new(setting_key(&setting.key), setting.value, "").limited(relation, limit, usual.source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};
    use rundown_run::{Config, ConfigValue};

    #[test]
    fn a_slip_of_a_zero_is_a_note() {
        let run = Synthetic::healthy(200).config("learning_rate", 1e-2).config("beta", 20.0);
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(
            finding.title.to_string(),
            "Far outside the usual range: beta is 20 (200× usual), learning_rate is 0.01 (100× usual)"
        );
        assert_eq!(finding.onset, Some(1.0));
        let (_, from, to) = change(&finding.actions[1]);
        assert_eq!((from.as_str(), to.as_str()), ("0.01", "1e-4"));
    }

    #[test]
    fn settings_of_published_runs_are_quiet() {
        let recipe = |rate, clip, group| {
            Synthetic::healthy(200)
                .config("learning_rate", rate)
                .config("epsilon_high", clip)
                .config("num_generations", group)
        };
        assert!(recipe(1e-6, 0.28, 16.0).quiet(&CHECK), "DAPO");
        assert!(recipe(3e-7, 0.2, 16.0).quiet(&CHECK), "INTELLECT-2");
        assert!(recipe(4e-5, 0.2, 4.0).quiet(&CHECK), "tinker");
        assert!(Synthetic::healthy(300).quiet(&CHECK));
    }

    #[test]
    fn ten_epochs_are_usual_of_ppo_in_an_environment() {
        let run = || {
            let mut run = Synthetic::healthy(200);
            run.run.config = Config::default();
            run.run.config.insert("env", ConfigValue::Text("Hopper".to_owned()));
            run.config("n_steps", 2048.0).config("n_epochs", 10.0)
        };
        assert!(run().quiet(&CHECK));
        assert!(run().config("group_size", 8.0).finding(&CHECK).title.to_string().contains("n_epochs is 10"));
        assert!(run().config("max_new_tokens", 512.0).finding(&CHECK).title.to_string().contains("n_epochs is 10"));
    }

    #[test]
    fn what_is_switched_off_by_zero_is_quiet_and_meets_no_limit() {
        let off = || Synthetic::healthy(200).config("learning_rate", 0.0);
        assert!(off().quiet(&CHECK));
        assert_eq!(off().quiet_reason(&CHECK), None);
    }

    #[test]
    fn a_number_of_steps_that_takes_years_is_a_note() {
        let run =
            |steps: f64| Synthetic::healthy(100).config("max_steps", steps).every("timing_s/step", 1, |_| 1_000.0);
        let finding = run(50_000.0).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().ends_with("would take 579 days"), "{}", finding.title);
        assert!(run(2_000.0).quiet(&CHECK), "three weeks");
        let tenth = Synthetic::healthy(100).config("max_steps", 50_000.0).every("timing_s/step", 10, |_| 1_000.0);
        assert!(tenth.quiet(&CHECK), "the time of ten steps, maybe");
        let done = Synthetic::healthy(100).config("max_steps", 100.0).every("timing_s/step", 1, |_| 100_000.0);
        assert!(done.quiet(&CHECK), "all steps were taken");
    }

    #[test]
    fn no_config_is_skipped() {
        let mut run = Synthetic::healthy(200);
        run.run.config = Config::default();
        assert!(matches!(run.check(&CHECK), Outcome::Skipped(_)));
    }
}

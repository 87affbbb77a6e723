//! A rubric is set, and none of its metrics is logged.
//!
//! # What it checks
//! A setting or option that names a rubric file, in a run of ten steps and more in which no metric, table or final value
//! is one of a rubric.
//!
//! # Why it matters
//! The policy is then trained without the rubric, or nobody sees which of its criteria are met.
//!
//! # Evidence needed
//! The settings, and logged steps.
//!
//! # Threshold and where it comes from
//! Ten steps: the mean score of the rubric is logged at every step, its criteria every ten.
//!
//! # Known false alarms
//! A rubric whose score is logged under a name without "rubric" in it.
//!
//! # What to do
//! See that the file is valid YAML and that the log has "Loaded rubric".
//!
//! # References
//! The metrics guide, "Rubric Metrics" and "Troubleshooting".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::finding::NO_METRICS;
use crate::{Check, Code, Evidence, Outcome, QuietReason, Severity};
use rundown_format::rich_text::setting_key;
use rundown_format::{RichText, rich};
use rundown_run::{ConfigValue, Run};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::RubricNotLogged, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "See that the file is there and valid YAML; drop it here with the run to have it read",
            "the rubric can be loaded",
            "none",
            "\"Loaded rubric\" in the log",
        ]),
        Advice::Do([
            "See that the reward of the rubric is among the reward functions, with a weight above 0",
            "its scores reach the policy and the log",
            "a judge model may cost time",
            "rewards/rubric_mean",
        ]),
    ],
    alternative: "The rubric's score may be logged under another name.",
    refute: "A metric that is the mean score of the rubric.",
    references: &["metrics guide (troubleshooting)"],
};

/// Last words of the settings that name a rubric's file.
const FILE_SETTINGS: [&str; 3] = ["rubric_file", "rubric_path", "rubric"];
/// What the trainer prints when it has read the file.
const LOADED: &str = "loaded rubric";

fn run(context: &Context<'_>) -> Outcome {
    let run = context.run;
    let needed = context.rulebook.rubric_steps();
    let steps = run.columns.values().map(rundown_run::Column::len).max().unwrap_or(0) as f64;
    let evidence = vec![Evidence::new("logged steps", steps, "").above(needed)];
    let Some((key, file)) = rubric_file(run) else { return Outcome::Quiet(Vec::new()) };
    if steps < needed.value || has_rubric_metrics(context) {
        return Outcome::QuietBecause(QuietReason::Logged, evidence);
    }
    let title = rich!("{} is set, and no metric of a rubric is logged", setting_key(&key));
    let finding = context.finding(CHECK.code, Severity::Note, title, None, &TEXTS);
    let detail = rich!("The file is {}. {}", file.as_str(), in_log(run));
    Outcome::Found(vec![finding.supported_by(detail, NO_METRICS, evidence, 0.8)])
}

/// The setting or option that names the rubric's file, and that name.
fn rubric_file(run: &Run) -> Option<(String, String)> {
    let of_config = run.config.iter().find_map(|(key, value)| {
        let last = key.rsplit(['.', '/']).next()?.replace('-', "_");
        let ConfigValue::Text(file) = value else { return None };
        (FILE_SETTINGS.contains(&last.as_str()) && is_yaml(file)).then(|| (key.to_owned(), file.clone()))
    });
    of_config.or_else(|| {
        let Some(ConfigValue::List(arguments)) = run.summary.get("machine.args") else { return None };
        let words: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let joined = words.join("=");
        let (_, after) = joined.split_once("--rubric-file=").or_else(|| joined.split_once("--rubric_file="))?;
        let file = after.split('=').next()?;
        is_yaml(file).then(|| ("--rubric-file".to_owned(), file.to_owned()))
    })
}

fn is_yaml(file: &str) -> bool {
    let lower = file.to_lowercase();
    lower.ends_with(".yaml") || lower.ends_with(".yml")
}

fn has_rubric_metrics(context: &Context<'_>) -> bool {
    let run = context.run;
    let tables = run.tables.iter().map(|table| table.key.as_str());
    let values = run.summary.iter().filter(|(_, value)| matches!(value, ConfigValue::Number(_))).map(|(key, _)| key);
    let mut keys = run.columns.keys().chain(run.histograms.keys()).map(String::as_str).chain(tables).chain(values);
    !context.signals(Concept::Criterion).is_empty()
        || keys.any(|key| key.starts_with("criteria/") || key.to_lowercase().contains("rubric"))
}

/// Whether the log shows that the file was read.
fn in_log(run: &Run) -> RichText {
    let log = &run.log;
    let place = log.lines.iter().position(|line| line.text.to_lowercase().contains(LOADED));
    match place {
        Some(place) => {
            let line = log.dropped + place as u64 + 1;
            rich!("Line {} of the log says that it was loaded: its score is not logged.", line.to_string())
        }
        None if log.lines.is_empty() => "Without a log it is unknown whether it was loaded.".into(),
        None if log.dropped > 0 => "Whether it was loaded is unknown: the first lines of the log were not kept.".into(),
        None => "The log has no line “Loaded rubric”: it was probably not loaded.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;
    use rundown_run::{LogLine, Stream};

    fn with_file(mut synthetic: Synthetic, key: &str) -> Synthetic {
        synthetic.run.config.insert(key, ConfigValue::Text("rubrics/math.yaml".to_owned()));
        synthetic
    }

    fn logged(mut synthetic: Synthetic, text: &str) -> Synthetic {
        synthetic.run.log.push(LogLine { stream: Stream::File, text: text.to_owned() });
        synthetic
    }

    #[test]
    fn a_rubric_without_metrics_is_a_note() {
        for key in ["rubric_file", "reward.rubric-file"] {
            let finding = with_file(Synthetic::healthy(60), key).finding(&CHECK);
            assert_eq!(finding.severity, Severity::Note);
            assert!(finding.title.to_string().starts_with(key), "{}", finding.title);
            assert!(finding.detail.to_string().contains("Without a log"), "{}", finding.detail);
        }
        let mut started = Synthetic::healthy(60);
        let words = ["--num-steps", "60", "--rubric-file", "math.yml"].map(|word| ConfigValue::Text(word.to_owned()));
        started.run.summary.insert("machine.args", ConfigValue::List(words.to_vec()));
        assert!(started.finding(&CHECK).detail.to_string().contains("math.yml"));
    }

    #[test]
    fn the_log_says_whether_it_was_loaded() {
        let detail = |line: &str| logged(with_file(Synthetic::healthy(60), "rubric_file"), line).finding(&CHECK).detail;
        assert!(detail("INFO Loaded rubric math with 4 criteria").to_string().contains("Line 1"));
        assert!(detail("loading the model").to_string().contains("no line “Loaded rubric”"));
    }

    #[test]
    fn rubric_metrics_of_any_form_and_short_runs_are_quiet() {
        let of = |key: &str| with_file(Synthetic::healthy(60), "rubric_file").every(key, 10, |_| 0.5).quiet(&CHECK);
        assert!(of("rewards/rubric_mean") && of("criteria/math/clarity_mean"));
        assert!(of("train/rewards/rubric_reward/mean"), "as TRL logs a reward function");
        assert!(with_file(Synthetic::healthy(5), "rubric_file").quiet(&CHECK));
        assert!(Synthetic::healthy(60).quiet(&CHECK));
        let mut none = Synthetic::healthy(60);
        none.run.config.insert("rubric_file", ConfigValue::Null);
        assert!(none.quiet(&CHECK));
    }
}

//! The run has a console log but no metrics.
//!
//! # What it checks
//! A run with console lines and without a single metric: whether the log or a setting shows that tracking was switched
//! off, ran offline, had no API key, or failed; or that it was started, so that the metrics are elsewhere. A run that was read
//! from its tracker was tracked, and logged nothing.
//!
//! # Why it matters
//! A training without metrics cannot be judged, and often only shows when it is over.
//!
//! # Evidence needed
//! The console log.
//!
//! # Threshold and where it comes from
//! None: the log either has the line or does not.
//!
//! # Known false alarms
//! A log may print metrics in a form that is not read. A run that an error ended before its first step is left to
//! `run_crashed`, and one that still goes on is waited for, unless the log shows that nothing is tracked.
//!
//! # What to do
//! Set `WANDB_API_KEY`, leave out `--no-wandb`, look for "W&B initialized" in the log. For an offline run, read its
//! folder.
//!
//! # References
//! The metrics guide, "Troubleshooting"; messages of wandb SDK 0.31.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::{Check, Code, Evidence, Finding, Need, Outcome, Severity};
use rundown_format::{RichText, rich};
use rundown_run::{FileFormat, Run, RunState, Tracking, TrackingSign};

pub const CHECK: Check = Check::of_run(Code::NoMetrics, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[],
    alternative: "The log may print its metrics in a format that is not supported.",
    refute: "The run is on the tracker's page with curves.",
    references: &["metrics guide (troubleshooting)", "wandb SDK 0.31: messages"],
};
const WATCH: &str = "\"W&B initialized\" or \"wandb: Tracking run\" in the log";
const SET_KEY: Advice =
    Advice::Do(["Set WANDB_API_KEY where the job runs, or call wandb login", "metrics reach W&B", "none", WATCH]);
const SWITCH_ON: Advice = Advice::Do([
    "Leave out --no-wandb, WANDB_MODE=disabled and report_to none",
    "metrics reach the tracker",
    "none",
    WATCH,
]);
const READ_FOLDER: Advice = Advice::Do([
    "Drop the folder wandb/offline-run-… of the job here, or upload it with wandb sync",
    "the metrics of this run can be read",
    "none",
    "the run has curves",
]);
const FETCH: Advice = Advice::Do([
    "Fetch the run from W&B, or drop its folder below wandb/ here",
    "the metrics of this run can be read",
    "none",
    "the run has curves",
]);
const CHECK_CALLS: Advice = Advice::Do([
    "See that the training loop calls wandb.log, on the main process",
    "metrics are logged",
    "none",
    "the first step has metrics",
]);

const TRACKED_TITLE: &str = "No metrics: the tracker was started, and nothing was logged";
const TRACKED_DETAIL: &str = "The run was read from its tracker, which has no row of metrics for it.";

fn run(context: &Context<'_>) -> Outcome {
    let run = context.run;
    let evidence = vec![
        Evidence::new("metrics", run.columns.len() as f64, ""),
        Evidence::new("lines of the log", run.log.lines.len() as f64 + run.log.dropped as f64, ""),
    ];
    // With final values it is the history that is missing, not the tracking.
    if !run.columns.is_empty() || run.final_values().next().is_some() {
        return Outcome::Quiet(evidence);
    }
    if run.log.lines.is_empty() {
        let hint = "The run has no metrics; add its console log, which shows whether tracking was started.".into();
        return Outcome::Skipped(Need { concepts: Vec::new(), hint });
    }
    let sign = run.log.tracking();
    let explains = |sign: &TrackingSign| sign.tracking != Tracking::Started;
    // A setting says less than what the log shows to have come of it.
    let sign = sign.or_else(|| run.config.tracking());
    // The first metrics may still be to come, or an error came before them.
    let explains_itself =
        matches!(run.ending.state, RunState::Running | RunState::Crashed | RunState::Failed | RunState::Killed);
    if explains_itself && !sign.as_ref().is_some_and(explains) {
        return Outcome::Quiet(evidence);
    }
    let is_tracked = sign.is_none() && is_of_tracker(run);
    let (title, detail, actions) = match is_tracked {
        true => (TRACKED_TITLE.into(), TRACKED_DETAIL.into(), &[CHECK_CALLS][..]),
        false => (title(sign.as_ref()), detail(run, sign.as_ref()), actions(sign.as_ref())),
    };
    let mut finding = Finding::new(Code::NoMetrics, Severity::Note, title);
    finding.detail = detail;
    finding.evidence = evidence;
    TEXTS.fill(context, &mut finding);
    finding.actions = context.actions(actions, None);
    finding.confidence = if sign.is_some() || is_tracked { 0.9 } else { 0.6 };
    Outcome::Found(vec![finding])
}

/// True for a run that was read from its tracker: there tracking was started.
fn is_of_tracker(run: &Run) -> bool {
    run.files.iter().any(|file| matches!(file.format, FileFormat::Wandb | FileFormat::WandbApi | FileFormat::SwanLab))
}

fn title(sign: Option<&TrackingSign>) -> RichText {
    let Some(sign) = sign else { return "No metrics, and no line of the log shows that tracking was started".into() };
    match sign.tracking {
        Tracking::Disabled => rich!("No metrics: tracking was switched off ({})", sign.text.as_str()),
        Tracking::NoKey => "No metrics: W&B had no API key".into(),
        Tracking::Offline => "No metrics here: W&B ran offline".into(),
        Tracking::Started => "No metrics here, although W&B was started".into(),
        Tracking::Failed => "No metrics: W&B reported an error".into(),
    }
}

fn detail(run: &Run, sign: Option<&TrackingSign>) -> RichText {
    let lost = run.log.dropped;
    match sign {
        Some(TrackingSign { line: Some(line), text, .. }) => {
            rich!("Line {} of the log: “{}”.", line.to_string(), text.as_str())
        }
        Some(TrackingSign { text, .. }) => rich!("The settings have “{}”.", text.as_str()),
        None if lost > 0 => {
            rich!(
                "Of the log, the first {} lines were not kept; W&B reports its start in the first ones.",
                lost.to_string()
            )
        }
        None => "The log has none of “W&B initialized”, “wandb: Tracking run” and “--no-wandb”.".into(),
    }
}

fn actions(sign: Option<&TrackingSign>) -> &'static [Advice] {
    match sign.map(|sign| sign.tracking) {
        Some(Tracking::Disabled) => &[SWITCH_ON],
        Some(Tracking::NoKey) => &[SET_KEY],
        Some(Tracking::Offline) => &[READ_FOLDER],
        Some(Tracking::Started) => &[FETCH, CHECK_CALLS],
        Some(Tracking::Failed) | None => &[SET_KEY, SWITCH_ON, CHECK_CALLS],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};
    use rundown_run::{ConfigValue, LogLine, Stream};

    fn logged(mut synthetic: Synthetic, lines: &[&str]) -> Synthetic {
        for text in lines {
            synthetic.run.log.push(LogLine { stream: Stream::File, text: (*text).to_owned() });
        }
        synthetic
    }

    /// A run without rows: only its log is there.
    fn of(lines: &[&str]) -> Synthetic {
        logged(Synthetic::new(0), lines)
    }

    #[test]
    fn the_line_that_explains_it_is_named() {
        let finding = of(&["start", "+ python train_grpo.py --no-wandb"]).finding(&CHECK);
        assert_eq!(finding.title.to_string(), "No metrics: tracking was switched off (--no-wandb)");
        assert_eq!(finding.detail.to_string(), "Line 2 of the log: “--no-wandb”.");
        let error = "wandb.errors.UsageError: api_key not configured (no-tty). call wandb.login()";
        let finding = of(&[error]).finding(&CHECK);
        assert!(change(&finding.actions[0]).0.contains("WANDB_API_KEY"), "{:?}", finding.actions);
        let finding = of(&["WANDB_MODE=offline python train.py"]).finding(&CHECK);
        assert!(change(&finding.actions[0]).0.contains("wandb sync"), "{:?}", finding.actions);
    }

    #[test]
    fn without_a_line_all_three_are_to_be_checked() {
        let finding = of(&["Loading checkpoint shards: done"]).finding(&CHECK);
        let advice: Vec<String> = finding.actions.iter().map(|action| change(action).0 + &action.watch).collect();
        let advice = advice.join(" ");
        for word in ["WANDB_API_KEY", "--no-wandb", "W&B initialized"] {
            assert!(advice.contains(word), "{word}: {advice}");
        }
        let mut long = of(&["x"]);
        long.run.log.dropped = 500;
        assert!(long.finding(&CHECK).detail.to_string().contains("500"));
    }

    #[test]
    fn a_run_of_a_tracker_was_tracked() {
        let mut tracked = of(&["Loading checkpoint shards: done"]);
        tracked.run.files.push(rundown_run::SourceFile {
            path: "run-a.wandb".to_owned(),
            format: FileFormat::Wandb,
            bytes: 1,
            crc32: 0,
        });
        let finding = tracked.finding(&CHECK);
        assert_eq!(finding.title.to_string(), TRACKED_TITLE);
        assert!(finding.actions.iter().all(|action| !change(action).0.contains("WANDB_API_KEY")));
    }

    #[test]
    fn settings_of_other_frameworks_explain_it() {
        let mut trl = of(&["loading"]);
        trl.run.config.insert("report_to", ConfigValue::Text("none".to_owned()));
        assert!(trl.finding(&CHECK).detail.to_string().contains("report_to: none"));
    }

    #[test]
    fn metrics_final_values_and_errors_are_quiet() {
        assert!(logged(Synthetic::healthy(60), &["--no-wandb"]).quiet(&CHECK));
        assert!(matches!(Synthetic::new(0).check(&CHECK), Outcome::Skipped(_)));
        let mut summarised = of(&["--no-wandb"]);
        summarised.run.summary.insert("loss", ConfigValue::Number(0.5));
        assert!(summarised.quiet(&CHECK));
        let mut crashed = of(&["torch.OutOfMemoryError: CUDA out of memory"]);
        crashed.run.ending.state = RunState::Crashed;
        assert!(crashed.quiet(&CHECK));
        let mut running = of(&["wandb: Tracking run with wandb version 0.19.9"]);
        running.run.ending.state = RunState::Running;
        assert!(running.quiet(&CHECK));
    }
}

//! A reward logger that logs histograms logged none.
//!
//! # What it checks
//! Rewards logged as `rewards/{name}_mean`, `_max` and `_min`, as by the logger that adds `rewards/{name}_hist` every
//! ten steps: a note when there is no histogram after 100 steps, or when fewer than ten scores were counted.
//!
//! # Why it matters
//! A mean hides whether a reward is the same for all responses or splits them; only the distribution shows it.
//!
//! # Evidence needed
//! The three metrics of a reward function, from a file that can hold histograms.
//!
//! # Threshold and where it comes from
//! 100 steps and ten scores: the logger makes a histogram every ten steps, of ten scores at least.
//!
//! # Known false alarms
//! A logger of the same names that never logs histograms.
//!
//! # What to do
//! Let more than ten scores come in, and see that histograms are not switched off.
//!
//! # References
//! The metrics guide, "Per-Reward Function Metrics" and "Troubleshooting".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::{Check, Code, Evidence, Need, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number};
use rundown_run::{FileFormat, Run};

pub const CHECK: Check = Check::of_run(Code::HistogramsMissing, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "See that the reward logger logs histograms every 10 steps, and that it gets at least 10 scores",
        "shows how scores are spread",
        "a little space per histogram",
        "rewards/*_hist",
    ])],
    alternative: "The logger may use the same names and have no histograms.",
    refute: "A metric rewards/*_hist in the run.",
    references: &["metrics guide (troubleshooting)"],
};

/// Formats that hold histograms, where a run logged them.
const HOLDING: [FileFormat; 5] =
    [FileFormat::Wandb, FileFormat::WandbApi, FileFormat::JsonLines, FileFormat::RunExport, FileFormat::RundownExport];

fn run(context: &Context<'_>) -> Outcome {
    let (run, book) = (context.run, context.rulebook);
    let Some((name, steps)) = logged_reward(run) else { return Outcome::Quiet(Vec::new()) };
    let steps = steps as f64;
    let found = run.histograms.iter().filter(|(key, _)| key.starts_with("rewards/")).map(|(_, list)| list.len());
    let found: usize = found.sum();
    let samples = samples(run);
    let mut evidence = vec![
        Evidence::new("histograms", found as f64, ""),
        Evidence::new("logged steps", steps, "").above(book.histogram_steps()),
    ];
    evidence.extend(samples.map(|count| Evidence::new("scores", count, "").below(book.histogram_samples())));
    if found > 0 {
        return Outcome::QuietBecause(QuietReason::Logged, evidence);
    }
    let may_hold_them = run.files.is_empty() || run.files.iter().any(|file| HOLDING.contains(&file.format));
    if !may_hold_them || run.unfetched > 0 {
        let hint =
            "Add the .wandb file, or fetch the run with all of its metrics: these files hold no histograms.".into();
        return Outcome::Skipped(Need { concepts: Vec::new(), hint });
    }
    let is_few = samples.is_some_and(|count| count < book.histogram_samples().value);
    if !is_few && steps < book.histogram_steps().value {
        return Outcome::Quiet(evidence);
    }
    let key = format!("rewards/{name}_mean");
    let title = rich!("{} has no histogram after {} steps", metric(&key), number(steps));
    let mut finding = context.finding(CHECK.code, Severity::Note, title, None, &TEXTS);
    finding.detail = if is_few {
        "Histograms need at least 10 scores, and fewer were counted.".into()
    } else {
        "They are logged every 10 steps by default: they were switched off, or an export left them out.".into()
    };
    finding.metrics.extend(context.signal_of(&key).map(|signal| signal.key().to_owned()));
    finding.evidence = evidence;
    finding.confidence = if is_few { 0.9 } else { 0.7 };
    Outcome::Found(vec![finding])
}

/// The first reward function that is logged with mean, largest and smallest score, and at how many steps.
fn logged_reward(run: &Run) -> Option<(&str, usize)> {
    run.columns.iter().find_map(|(key, column)| {
        let name = key.strip_prefix("rewards/")?.strip_suffix("_mean")?;
        let has = |end: &str| run.columns.contains_key(&format!("rewards/{name}_{end}"));
        (has("max") && has("min")).then_some((name, column.len()))
    })
}

/// The scores of the reward function that has most of them, where the run counted them.
fn samples(run: &Run) -> Option<f64> {
    let is_count = |key: &str| key.starts_with("final/") && key.ends_with("_total_samples");
    let logged = run.columns.iter().filter(|(key, _)| is_count(key)).filter_map(|(_, column)| column.last());
    let summarised = run.summary.iter().filter(|(key, _)| is_count(key)).filter_map(|(_, value)| value.as_number());
    logged.chain(summarised).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;
    use rundown_run::{ConfigValue, Histogram, SourceFile};

    fn rewards(steps: usize) -> Synthetic {
        Synthetic::new(steps)
            .every("rewards/format_exact_mean", 1, |t| t)
            .every("rewards/format_exact_max", 1, |_| 1.0)
            .every("rewards/format_exact_min", 1, |_| 0.0)
            .every("rewards/total_mean", 1, |t| t)
    }

    #[test]
    fn a_long_run_without_histograms_is_a_note_with_its_reason() {
        let finding = rewards(100).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.detail.to_string().contains("every 10 steps"), "{}", finding.detail);
        let mut few = rewards(4);
        few.run.summary.insert("final/format_exact_total_samples", ConfigValue::Number(8.0));
        assert!(few.finding(&CHECK).detail.to_string().contains("at least 10 scores"));
    }

    #[test]
    fn histograms_short_runs_and_other_loggers_are_quiet() {
        let mut with = rewards(200);
        let histogram = Histogram::checked(0, vec![0.0, 1.0], vec![3.0]).unwrap();
        with.run.histograms.insert("rewards/format_exact_hist".to_owned(), vec![histogram]);
        assert!(with.quiet(&CHECK));
        assert!(rewards(60).quiet(&CHECK));
        let trl = Synthetic::healthy(200).every("train/rewards/format/mean", 1, |t| t);
        assert!(trl.quiet(&CHECK));
        let verl = Synthetic::new(200).every("critic/rewards/mean", 1, |t| t).every("critic/rewards/max", 1, |_| 1.0);
        assert!(verl.quiet(&CHECK));
    }

    #[test]
    fn a_file_that_cannot_hold_them_says_nothing() {
        let mut table = rewards(200);
        let file = |format| SourceFile { path: "x".to_owned(), format, bytes: 1, crc32: 0 };
        table.run.files = vec![file(FileFormat::Table)];
        assert!(matches!(table.check(&CHECK), Outcome::Skipped(_)));
        let mut wandb = rewards(200);
        wandb.run.files = vec![file(FileFormat::Table), file(FileFormat::Wandb)];
        assert_eq!(wandb.finding(&CHECK).severity, Severity::Note);
    }
}

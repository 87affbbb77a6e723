//! The history does not contain every logged value.
//!
//! # What it checks
//! Whether the source says, or its rows show, that values were left out: buckets of a long history, a sample of rows,
//! means of grouped runs.
//!
//! # Why it matters
//! A spike or a NaN between two points is not there, and a mean of a bucket hides it. Findings that rest on single
//! extreme points are less sure, and that nothing was found says less.
//!
//! # Evidence needed
//! None: the source itself states it.
//!
//! # Threshold and where it comes from
//! None. The confidence of findings on spikes, jumps and breaks of such a metric is multiplied by 0.7, a rule of this
//! rulebook: means over many rows still show a change of level, and when it came to within a bucket.
//!
//! # Known false alarms
//! A run that logged exactly as many uneven rows as its tool gives at most looks like a sample.
//!
//! # What to do
//! Fetch the whole history: the `.wandb` file, `scan_history` in place of `history`, or the API without buckets.
//!
//! # References
//! wandb issues 1374 (lines change with the zoom) and 5994 (`history` is sampled).

use rundown_format::rich_text::metric;
use rundown_format::{RichText, rich};
use std::collections::BTreeSet;

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::{Check, Code, Evidence, Finding, Outcome, Rulebook, Severity};
use rundown_run::{Run, Thinning};

pub const CHECK: Check = Check::of_run(Code::SampledHistory, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Read the whole history: the .wandb file, or scan_history in place of history",
        "every logged value",
        "a larger download",
        "spikes that were not there before",
    ])],
    alternative: "The run may have logged no more than these rows.",
    refute: "The tracker counts as many rows as were read.",
    references: &["wandb issues 1374 and 5994"],
};

/// Findings that rest on single extreme points.
const ON_EXTREMES: [Code; 4] = [Code::KlBlowUp, Code::RewardBreak, Code::GradientSpikes, Code::LossSpikes];
/// Metrics named in a title.
const NAMED: usize = 3;

fn run(context: &Context<'_>) -> Outcome {
    let run = context.run;
    let sampled: BTreeSet<&str> =
        run.columns.keys().map(String::as_str).filter(|key| run.sampling_of(key).is_some()).collect();
    let kinds: Vec<Thinning> = Thinning::ALL
        .iter()
        .copied()
        .filter(|how| sampled.iter().any(|key| run.sampling_of(key) == Some(*how)))
        .collect();
    let evidence = vec![
        Evidence::new("metrics with values left out", sampled.len() as f64, ""),
        Evidence::new("metrics", run.columns.len() as f64, ""),
    ];
    if sampled.is_empty() {
        return Outcome::Quiet(evidence);
    }
    let is_all = sampled.len() == run.columns.len() && sampled.len() > NAMED;
    let title = if is_all { "Every metric is sampled history".into() } else { title(&sampled) };
    let onset = run.step_range().map(|(first, _)| first);
    let mut finding = context.finding(Code::SampledHistory, Severity::Note, title, onset, &TEXTS);
    let sentences: Vec<&str> = kinds.iter().map(|how| sentence(*how)).collect();
    finding.detail = rich!("{} Findings on spikes, jumps and breaks of such a metric count less.", sentences.join(" "));
    let is_read = |key: &&str| context.signal_of(key).is_some();
    finding.metrics = sampled.iter().copied().filter(is_read).map(str::to_owned).collect();
    finding.evidence = evidence;
    finding.confidence = 0.9;
    Outcome::Found(vec![finding])
}

fn title(sampled: &BTreeSet<&str>) -> RichText {
    let named = || sampled.iter().take(NAMED).map(|key| RichText::from(metric(key)));
    let verb = if sampled.len() == 1 { "is" } else { "are" };
    match sampled.len().checked_sub(NAMED).filter(|more| *more > 0) {
        Some(more) => rich!("{} and {} more {} sampled history", RichText::joined(named(), ", ", ", "), more, verb),
        None => rich!("{} {} sampled history", RichText::joined(named(), " and ", " and "), verb),
    }
}

fn sentence(how: Thinning) -> &'static str {
    match how {
        Thinning::Buckets => {
            "Points are means of buckets of rows; the least and greatest value of each are its band. A NaN may not show."
        }
        Thinning::Rows => "Only some of the rows came: spikes and NaN between them are missing.",
        Thinning::Groups => "Points are means of several runs: what one of them did is not seen.",
    }
}

/// Lowers the confidence of a finding that rests on extreme points of a sampled metric, and says so in it.
pub(crate) fn lower_confidence(finding: &mut Finding, run: &Run, rulebook: &Rulebook) {
    let Some(main) = finding.metrics.first().filter(|key| run.sampling_of(key).is_some()) else { return };
    if !ON_EXTREMES.contains(&finding.code) {
        return;
    }
    finding.confidence *= rulebook.sampled_confidence().value.clamp(0.0, 1.0);
    finding.detail = rich!("{} {} is sampled history, which makes this less sure.", &finding.detail, metric(main));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;
    use crate::{Diagnosis, diagnose};

    fn sampled(keys: &[&str], how: Thinning) -> Synthetic {
        let mut synthetic = Synthetic::healthy(100);
        keys.iter().for_each(|key| synthetic.run.note_sampling(Some(key), how));
        synthetic
    }

    #[test]
    fn a_sampled_metric_is_a_note_and_a_whole_run_is_quiet() {
        let finding = sampled(&["train/kl"], Thinning::Buckets).finding(&CHECK);
        assert_eq!((finding.severity, finding.metrics.as_slice()), (Severity::Note, &["train/kl".to_owned()][..]));
        assert_eq!(finding.title.to_string(), "train/kl is sampled history");
        assert!(Synthetic::healthy(100).quiet(&CHECK));
        assert!(sampled(&["not there"], Thinning::Rows).quiet(&CHECK));
    }

    #[test]
    fn titles_name_few_metrics() {
        let keys = ["train/kl", "train/entropy", "train/reward", "train/grad_norm"];
        let finding = sampled(&keys, Thinning::Rows).finding(&CHECK);
        assert!(finding.title.to_string().ends_with("and 1 more are sampled history"), "{}", finding.title);
        let mut all = Synthetic::healthy(100);
        all.run.note_sampling(None, Thinning::Rows);
        assert_eq!(all.finding(&CHECK).title.to_string(), "Every metric is sampled history");
    }

    #[test]
    fn a_blow_up_in_sampled_history_is_less_sure() {
        let blown = |how: Option<Thinning>| -> Diagnosis {
            let mut synthetic = Synthetic::healthy(300).noisy("train/kl", 0.02, |t| if t < 0.5 { 0.1 } else { 6.0 });
            if let Some(how) = how {
                synthetic.run.note_sampling(Some("train/kl"), how);
            }
            diagnose(&synthetic.build(), &Rulebook::default())
        };
        let of = |diagnosis: &Diagnosis| {
            let found = diagnosis.findings.iter().find(|finding| finding.code == Code::KlBlowUp);
            found.map(|finding| (finding.severity, finding.confidence)).unwrap()
        };
        let (whole, thinned) = (of(&blown(None)), of(&blown(Some(Thinning::Buckets))));
        assert_eq!(whole.0, thinned.0);
        assert!((thinned.1 - 0.7 * whole.1).abs() < 1e-12, "{whole:?} {thinned:?}");
    }
}

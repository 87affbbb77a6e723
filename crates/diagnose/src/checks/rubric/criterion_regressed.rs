//! A criterion of the rubric got worse.
//!
//! # What it checks
//! Each criterion by itself: a warning when its last level lies below its best lasting level by four standard errors,
//! by 5 % of the scale, and by a tenth of that level, and it fell since then without a turn.
//!
//! # Why it matters
//! The total of a rubric may rise while one of its criteria is traded away: the policy found that it pays less.
//!
//! # Evidence needed
//! The mean score of a criterion at eight steps at least.
//!
//! # Threshold and where it comes from
//! The noise of the series itself, from its neighbours; 5 % of the scale is the wander of a mean of 20 scores. The best
//! level is picked from many, so one standard error more is asked than for a plain change.
//!
//! # Known false alarms
//! A judge model that was changed during the run.
//!
//! # What to do
//! Read responses with a low score on it from before and after. Give the criterion more weight, or a floor below which
//! the whole answer fails.
//!
//! # References
//! The metrics guide, "Rubric Metrics".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::Z_PICKED;
use crate::measure::criteria::{POINTS, name, scale, scores};
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::CriterionRegressed, run);

/// Standard errors of a trend that is beyond doubt.
const DOUBT: f64 = 1.96;
/// Part of the level that must be lost.
const LOST: f64 = 0.1;
/// Part of the fall within which the level still counts as the old one.
const OLD: f64 = 0.2;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Read responses with a low score on it from before and after the onset",
            "shows what the policy gave up",
            "none",
            "the criterion's mean",
        ]),
        Advice::Do([
            "Give the criterion more weight, or a floor below which the answer fails",
            "giving it up no longer pays",
            "slower gain on the others",
            "the criterion's mean, the total",
        ]),
        Advice::GoBack,
    ],
    alternative: "The judge or the mix of prompts changed.",
    refute: "Old responses scored again get their old scores, and new responses to the old prompts do too.",
    references: &["metrics guide (rubric criteria)"],
};

/// A fall from the best lasting level.
struct CriterionDrop {
    onset: usize,
    best: f64,
    last: f64,
    /// What lies between them, in parts of the scale.
    of_scale: f64,
    z: f64,
}

fn run(context: &Context<'_>) -> Outcome {
    let criteria = context.signals(Concept::Criterion);
    if criteria.iter().all(MetricSeries::is_empty) {
        return Outcome::Skipped(context.need(&[Concept::Criterion]));
    }
    let scale = scale(criteria);
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    for signal in criteria.iter().filter(|signal| !signal.is_empty()) {
        match fall(context, signal, scale) {
            Some(fall) => findings.push(finding(context, signal, &fall)),
            None => quiet.push(Evidence::new(rich!("{} at the end", name(signal)), last_level(&scores(signal)), "")),
        }
    }
    if findings.is_empty() { Outcome::Quiet(quiet) } else { Outcome::Found(findings) }
}

/// Scores that make a level: a sixth of them, two at least.
fn width(points: usize) -> usize {
    (points / 6).max(2)
}

fn last_level(values: &[f64]) -> f64 {
    values.get(values.len().saturating_sub(width(values.len()))..).and_then(stats::mean).unwrap_or(f64::NAN)
}

fn fall(context: &Context<'_>, signal: &MetricSeries<'_>, scale: f64) -> Option<CriterionDrop> {
    let values = scores(signal);
    if values.len() < POINTS {
        return None;
    }
    let width = width(values.len());
    // Medians, for the first score of a run is often the mean of few responses.
    let half = (width / 2).max(1);
    let levels: Vec<f64> = values.windows(2 * half + 1).filter_map(stats::median).collect();
    let before = levels.get(..levels.len().saturating_sub(width))?;
    let (peak, best) =
        before.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(place, level)| (place, *level))?;
    let last = last_level(&values);
    let size = best - last;
    // The noise of the two levels; blocks see noise that is correlated over several scores.
    let noise = level::change(&values, width, width, signal.quantum() / 12.0_f64.sqrt())?;
    let z = level::ratio(size, noise.error);
    let counts = size >= context.rulebook.criterion_change().value * scale && size >= LOST * best.abs();
    let since = values.get(peak + half..)?;
    let falls = since.len() < 6 || trend(since) <= -DOUBT || is_one_step(since);
    let old = best - OLD * size;
    let place = half + levels.iter().rposition(|level| *level >= old).unwrap_or(peak);
    let onset = place * signal.len() / values.len();
    (counts && z >= Z_PICKED && falls).then_some(CriterionDrop { onset, best, last, of_scale: size / scale, z })
}

fn trend(values: &[f64]) -> f64 {
    stats::mann_kendall_corrected(values).unwrap_or(0.0)
}

/// True for scores that fell from one to the next, all that follow below all that came before, and do not rise again:
/// a trend needs more scores after the fall than a late one has.
fn is_one_step(values: &[f64]) -> bool {
    let Some(step) = stats::single_change(values, 2) else { return false };
    let (before, after) = values.split_at_checked(step.index).unwrap_or((values, &[]));
    let least = before.iter().copied().fold(f64::INFINITY, f64::min);
    after.iter().all(|value| *value < least) && trend(after) < DOUBT
}

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, fall: &CriterionDrop) -> Finding {
    let onset = signal.step(fall.onset);
    let title = rich!(
        "Criterion {} fell from {} to {} since step {}",
        name(signal),
        number(fall.best),
        number(fall.last),
        step(onset)
    );
    let evidence = vec![
        Evidence::new("best level that lasted", fall.best, ""),
        Evidence::new("level at the end", fall.last, ""),
        Evidence::new("fall of the criterion", fall.of_scale, "").above(context.rulebook.criterion_change()),
        Evidence::new("the fall in standard errors", fall.z, ""),
    ];
    let finding = context.finding(CHECK.code, Severity::Warning, title, Some(onset), &TEXTS);
    finding.supported_by("The total may rise while this criterion is traded away.", &[signal], evidence, 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn rubric(clarity: impl Fn(f64) -> f64) -> Synthetic {
        let rising = |t: f64| 0.3 + 0.4 * t + 0.01 * libm::sin(90.0 * t);
        Synthetic::healthy(240)
            .every("criteria/math/steps_mean", 10, rising)
            .every("criteria/math/clarity_mean", 10, clarity)
    }

    #[test]
    fn a_criterion_that_is_traded_away_is_a_warning() {
        let finding = rubric(|t| 0.6 - 0.45 * (t - 0.4).max(0.0) + 0.01 * libm::sin(70.0 * t)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.title.to_string().contains("clarity"), "{}", finding.title);
        assert!((90.0..=135.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn a_fall_is_shown_in_parts_of_the_scale() {
        let clarity = |t: f64| 6.0 - 4.5 * (t - 0.4).max(0.0) + 0.1 * libm::sin(70.0 * t);
        let finding = Synthetic::healthy(240).every("criteria/math/clarity_mean", 10, clarity).finding(&CHECK);
        let fall = finding.evidence.iter().find(|evidence| evidence.unit == "of the scale").unwrap();
        assert!((0.2..=0.6).contains(&fall.value), "{fall:?}");
    }

    #[test]
    fn a_late_fall_is_found_and_one_that_is_made_good_is_not() {
        let wave = |t: f64| 0.02 * libm::sin(70.0 * t);
        let finding = rubric(|t| if t < 0.85 { 0.6 + wave(t) } else { 0.3 + wave(t) }).finding(&CHECK);
        assert!((190.0..=215.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(rubric(|t| if (0.4..0.55).contains(&t) { 0.3 + wave(t) } else { 0.6 + wave(t) }).quiet(&CHECK));
    }

    #[test]
    fn rising_and_wavering_criteria_are_quiet() {
        assert!(rubric(|t| 0.3 + 0.3 * t).quiet(&CHECK));
        assert!(rubric(|t| 0.6 + 0.03 * libm::sin(40.0 * t)).quiet(&CHECK));
        let noisy = Synthetic::healthy(240).noisy("criteria/math/clarity_mean", 0.06, |_| 0.6);
        assert!(noisy.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(240).check(&CHECK), Outcome::Skipped(_)));
    }
}

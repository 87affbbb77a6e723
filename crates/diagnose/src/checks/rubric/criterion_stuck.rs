//! A criterion of the rubric stays low while the others rise.
//!
//! # What it checks
//! Each criterion against the others: a note when most of the others rose by a tenth of the scale beyond their noise,
//! while this one gained at most a fifth of that and ends below them.
//!
//! # Why it matters
//! The reward of this criterion does not reach the policy: it is drowned by the others, never scored, or impossible.
//!
//! # Evidence needed
//! The mean scores of two criteria at eight steps at least.
//!
//! # Threshold and where it comes from
//! The other criteria of the same run show what training can do. The rule compares with them and has no level of its
//! own.
//!
//! # Known false alarms
//! Criteria that contradict each other, such as brevity and completeness.
//!
//! # What to do
//! Score a good and a bad answer by hand on it. If the judge tells them apart, give it more weight.
//!
//! # References
//! The metrics guide, "Rubric Metrics".

use crate::advice::{Advice, FindingTexts, MORE_RESPONSES};
use crate::context::Context;
use crate::measure::criteria::{POINTS, name, scale, scores};
use crate::measure::series::MetricSeries;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::number;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::CriterionStuck, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Score a good and a bad answer by hand on this criterion",
            "shows whether the judge can tell them apart",
            "none",
            "two different scores",
        ]),
        Advice::Do([
            "Give the criterion more weight, or normalise each criterion before adding",
            "its differences reach the advantage",
            "slower gain on the others",
            "the criterion's mean",
        ]),
        Advice::Change(&MORE_RESPONSES, "the criterion's spread within a group"),
    ],
    alternative: "The criterion contradicts another one that pays more.",
    refute: "Within groups its scores differ, and higher ones have higher advantages.",
    references: &["metrics guide (rubric criteria)"],
};

/// How far a criterion moved over the run, by the line through its scores (Theil-Sen): the first score of a run is
/// often the mean of few responses, and must not decide.
#[derive(Clone, Copy)]
struct CriterionGain {
    value: f64,
    /// 95 % interval.
    low: f64,
    high: f64,
    /// Level at the end.
    last: f64,
}

fn run(context: &Context<'_>) -> Outcome {
    let criteria = context.signals(Concept::Criterion);
    let assessed: Vec<(&MetricSeries<'_>, CriterionGain)> = criteria
        .iter()
        .filter(|signal| signal.len() >= POINTS)
        .filter_map(|signal| Some((signal, gain(&scores(signal))?)))
        .collect();
    if assessed.len() < 2 {
        return Outcome::Skipped(context.need(&[Concept::Criterion]));
    }
    let scale = scale(criteria);
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    for (place, (signal, gain)) in assessed.iter().enumerate() {
        let others: Vec<CriterionGain> =
            assessed.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, (_, gain))| *gain).collect();
        match stuck(context, gain, &others, scale) {
            Some(usual) => findings.push(finding(context, signal, gain, usual, scale)),
            None => quiet.push(Evidence::new(rich!("gain of {}", name(signal)), gain.value, "")),
        }
    }
    if findings.is_empty() { Outcome::Quiet(quiet) } else { Outcome::Found(findings) }
}

fn gain(scores: &[f64]) -> Option<CriterionGain> {
    let places: Vec<f64> = (0..scores.len()).map(|place| place as f64).collect();
    let line = stats::theil_sen(&places, scores)?;
    let span = places.last().copied()?;
    let last = line.intercept + line.slope * span;
    Some(CriterionGain { value: span * line.slope, low: span * line.low, high: span * line.high, last })
}

/// The typical gain of the other criteria, when this one stayed behind them.
fn stuck(context: &Context<'_>, gain: &CriterionGain, others: &[CriterionGain], scale: f64) -> Option<f64> {
    let book = context.rulebook;
    let usual = stats::median(&others.iter().map(|other| other.value).collect::<Vec<f64>>())?;
    let level = stats::median(&others.iter().map(|other| other.last).collect::<Vec<f64>>())?;
    let rising = others.iter().filter(|other| other.low > 0.0).count();
    let others_rise = usual >= book.criterion_gain().value * scale && 2 * rising > others.len();
    // At most a fifth of the others' gain, and even at its best below half of it. A fall is another finding.
    let stays = gain.value <= book.criterion_stuck().value * usual
        && gain.high <= 0.5 * usual
        && gain.value >= -book.criterion_change().value * scale;
    (others_rise && stays && gain.last < level).then_some(usual)
}

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, gain: &CriterionGain, usual: f64, scale: f64) -> Finding {
    let book = context.rulebook;
    let title =
        rich!("Criterion {} stays at {} while the others gain {}", name(signal), number(gain.last), number(usual));
    let evidence = vec![
        Evidence::new("gain of the criterion against the others", gain.value / usual, "").below(book.criterion_stuck()),
        Evidence::new("gain of the criterion in scores", gain.value, ""),
        Evidence::new("upper end of the gain's 95 % interval", gain.high, ""),
        Evidence::new("typical gain of the others", usual / scale, "").above(book.criterion_gain()),
        Evidence::new("level of the criterion at the end", gain.last, ""),
    ];
    let finding = context.finding(CHECK.code, Severity::Note, title, Some(signal.step(0)), &TEXTS);
    finding.supported_by("Its reward does not reach the policy.", &[signal], evidence, 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn rubric(brevity: impl Fn(f64) -> f64) -> Synthetic {
        let wave = |t: f64| 0.01 * libm::sin(90.0 * t);
        Synthetic::healthy(240)
            .every("criteria/math/steps_mean", 10, move |t| 0.3 + 0.4 * t + wave(t))
            .every("criteria/math/answer_mean", 10, move |t| 0.25 + 0.4 * t + wave(1.3 * t))
            .every("criteria/math/brevity_mean", 10, brevity)
    }

    #[test]
    fn a_criterion_that_stays_behind_is_noted() {
        let finding = rubric(|t| 0.12 + 0.01 * libm::sin(60.0 * t)).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(1.0)));
        assert!(finding.title.to_string().contains("brevity"), "{}", finding.title);
    }

    #[test]
    fn gains_are_shown_in_the_unit_of_their_limits() {
        // Scores up to 10: the others gain 4 of them, this one 0.4.
        let wave = |t: f64| 0.1 * libm::sin(90.0 * t);
        let finding = Synthetic::healthy(240)
            .every("criteria/math/steps_mean", 10, move |t| if t == 0.0 { 10.0 } else { 3.0 + 4.0 * t + wave(t) })
            .every("criteria/math/answer_mean", 10, move |t| 2.5 + 4.0 * t + wave(1.3 * t))
            .every("criteria/math/brevity_mean", 10, |t| 1.2 + 0.4 * t)
            .finding(&CHECK);
        let shown = |unit: &str| finding.evidence.iter().find(|evidence| evidence.unit == unit).unwrap().value;
        assert!((0.08..=0.12).contains(&shown("of the others' gain")), "{:?}", finding.evidence);
        assert!((0.3..=0.45).contains(&shown("of the scale")), "{:?}", finding.evidence);
    }

    #[test]
    fn slow_high_or_falling_criteria_are_not_stuck() {
        assert!(rubric(|t| 0.12 + 0.2 * t).quiet(&CHECK), "slow");
        assert!(rubric(|_| 0.95).quiet(&CHECK), "already high");
        assert!(rubric(|t| 0.6 - 0.3 * t).quiet(&CHECK), "falls");
        let alone = Synthetic::healthy(240).every("criteria/math/brevity_mean", 10, |_| 0.12);
        assert!(matches!(alone.check(&CHECK), Outcome::Skipped(_)));
    }
}

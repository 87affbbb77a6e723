//! The policy was ahead of the base model and loses its lead again.
//!
//! # What it checks
//! The Elo of the policy minus that of the base model, else of the mean of the fixed opponents. A warning when its
//! last tenth lies below its best lasting level by three standard errors, by more than 20 Elo, and by a third of what
//! had been gained.
//!
//! # Why it matters
//! The skill that was there is being lost: the best checkpoint lies behind.
//!
//! # Evidence needed
//! Ratings of the policy or its checkpoints, and of a fixed opponent, at ten steps at least.
//!
//! # Threshold and where it comes from
//! The experiment-analysis guide: a growing gap is a good sign, a shrinking one a bad sign; within 20 of the peak is a
//! slight decline. The standard error comes from the number of games and from the scatter of the ratings.
//!
//! # Known false alarms
//! In a pool that grows, the same points are spread over more agents, so all gaps shrink a little.
//!
//! # What to do
//! Go back to the best checkpoint, play it against the last one, and lower what drives the policy away.
//!
//! # References
//! The experiment-analysis guide, "Learning Signal (Fixed Reference Analysis)".

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::measure::onset;
use crate::settings::Hyperparameter;
use crate::topics::league::EloGapSeries;
use crate::{Change, Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::EloGapShrinking, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates undo what was learned."),
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy leave what works."),
    ],
    actions: &[
        Advice::Do([
            "Play the best checkpoint against the last one, 400 games",
            "shows whether skill was lost, or only rating",
            "time",
            "win rate of the best checkpoint",
        ]),
        Advice::GoBack,
        Advice::Change(&LOWER_LEARNING_RATE, "Elo gap to the base model"),
        Advice::Change(&RAISE_KL_COEFFICIENT, "Elo gap to the base model"),
    ],
    alternative: "The pool grew, and the same rating points are spread over more agents.",
    refute: "The last checkpoint wins half of 400 games against the one at the peak.",
    references: &["experiment-analysis guide (gap to the base model)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(gap) = EloGapSeries::of(context) else {
        return Outcome::Skipped(context.need(&[Concept::Elo, Concept::ReferenceElo]));
    };
    let book = context.rulebook;
    let (place, peak) = gap.peak();
    let last = gap.last();
    let evidence = vec![
        Evidence::new("gap at the end", last, "Elo"),
        Evidence::new("largest gap that lasted", peak, "Elo"),
        Evidence::new("fall of the gap", peak - last, "Elo").of(Change::Fall).above(book.elo_change()),
        Evidence::new("the fall in standard errors", (peak - last) / gap.error, "")
            .of(Change::Fall)
            .above(book.elo_z()),
    ];
    let Some(fall) = gap.fall(context) else { return Outcome::Quiet(evidence) };
    let place = onset::of_change(&gap.values, place, peak, last);
    let onset = gap.steps.get(place).or(gap.steps.last()).copied().unwrap_or(f64::NAN);
    let title = rich!(
        "The lead over {} fell from {} to {} Elo since step {}",
        gap.against,
        number(peak.round()),
        number(last.round()),
        step(onset)
    );
    let finding = context.finding(CHECK.code, Severity::Warning, title, Some(onset), &TEXTS);
    let detail = rich!("{} Elo of the lead are lost: the best checkpoint lies behind.", number(fall.round()));
    Outcome::Found(vec![finding.supported_by(detail, &gap.signals, evidence, 0.8)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    fn league(lead: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(250)
            .noisy("elo/challenger", 12.0, move |t| 1000.0 + lead(t))
            .noisy("elo/base_model", 8.0, |_| 1000.0)
            .noisy("elo/games_played", 0.0, |t| 2000.0 * t)
    }

    #[test]
    fn a_lead_that_is_lost_is_a_warning() {
        let finding = league(|t| if t < 0.6 { 400.0 * t } else { 240.0 - 450.0 * (t - 0.6) }).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((140.0..=160.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn a_lead_that_stays_or_wavers_is_quiet() {
        assert!(league(|t| 300.0 * saturating(t)).quiet(&CHECK));
        assert!(league(|t| 300.0 * saturating(t) - 30.0 * t).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}

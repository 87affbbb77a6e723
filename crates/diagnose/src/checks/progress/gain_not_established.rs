//! The evaluation is better than at the start, but within what chance explains.
//!
//! # What it checks
//! The best of k evaluations is above the first, and with k chances that is not significant, while the evaluations as a
//! whole rose by less than three standard errors; or it is no further above the typical one than the best of k equal
//! ones is by chance. Or a single one stands out and the end is within its noise of the start. Or none is better than
//! the first, and their noise could hide a gain that matters. Always a note.
//!
//! # Why it matters
//! The best of seven noisy evaluations is better than the first in most runs that learn nothing. A checkpoint that is
//! picked by it is picked by noise, and the gain that is reported is not there the next time.
//!
//! # Evidence needed
//! Three evaluations.
//!
//! # Threshold and where it comes from
//! Two-sided p above 0.05 after Bonferroni's correction for k - 1 comparisons. A Search-R1 run: .261 to .303 at the best
//! of seven evaluations of 1,000 tasks, z 2.09 for a single look, corrected p .22.
//!
//! # Known false alarms
//! None that costs anything: a note that an interval is wide.
//!
//! # What to do
//! Evaluate more tasks; compare responses task by task between two checkpoints; evaluate more often.
//!
//! # References
//! Henderson et al. 2017, arXiv 1709.06560; Agarwal et al. 2021, arXiv 2108.13264.

use crate::advice::{FindingTexts, advice};
use crate::context::Context;
use crate::learning::{gain_is_ruled_out, largest_gain};
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::signal_change;
use crate::measure::task_count::sampling_error;
use crate::measure::{Z_95, level};
use crate::{Action, Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, counted, rich, short};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::GainNotEstablished, run);

/// Fewest evaluations that have a scatter.
const EVALUATIONS: usize = 3;

fn run(context: &Context<'_>) -> Outcome {
    // Of the responses of each step there is no first evaluation, and more tasks are no remedy.
    let repeated = context.evaluation().filter(|signal| signal.repeats_tasks());
    let Some(signal) = repeated.filter(|signal| signal.len() >= EVALUATIONS) else {
        return Outcome::Skipped(context.need_evaluations());
    };
    let Some(gain) = EvaluationGain::of(signal) else { return Outcome::Quiet(Vec::new()) };
    let mut evidence = gain.evidence(context);
    let assessed = context.learning.measure.as_ref().is_some_and(|measure| measure.key == signal.key());
    // Where the evaluations themselves decide, another check reports it.
    let open = match context.learning.state {
        LearningState::Unknown => true,
        LearningState::Improved | LearningState::Flat | LearningState::Declined => false,
    };
    let open = !assessed || open;
    // A first evaluation that was unlucky makes any other look like a gain.
    let unlucky = context.learning.state == LearningState::Unknown
        && gain.excess <= stats::excess_of_best(gain.error, gain.looks);
    let is_by_chance = gain.p() > context.rulebook.gain_p().value;
    let undecided = assessed && context.learning.state == LearningState::Unknown;
    let title = match signal_change(signal).filter(|_| undecided) {
        _ if open && gain.size > 0.0 && is_by_chance => best_by_chance(signal, &gain),
        _ if open && gain.size > 0.0 && unlucky => low_start(signal, &gain),
        // An end beyond the noise of the start is a gain, some of which may be lost: no case of chance.
        Some(change) if gain.size > 0.0 && change.z().abs() < Z_95 => match signal.values.last() == Some(&gain.best) {
            true => best_at_end(signal, &gain, &change),
            false => not_kept(signal, &gain, change.last),
        },
        Some(change) if gain.size <= 0.0 && !gain_is_ruled_out(context, signal, &change) => {
            let possible = largest_gain(&signal.values, &change, signal.binding.direction.sign());
            evidence.push(Evidence::new("largest gain that the evaluations leave possible", possible, ""));
            none_better(signal, &gain, possible)
        }
        _ => return Outcome::Quiet(evidence),
    };
    Outcome::Found(vec![finding(context, signal, &gain, title, evidence)])
}

/// From the first evaluation to the best one.
struct EvaluationGain {
    first: f64,
    best: f64,
    best_step: f64,
    /// In the direction that is better.
    size: f64,
    /// How much better the best is than the typical one.
    excess: f64,
    /// Standard error of one evaluation.
    error: f64,
    /// Evaluations that the best was picked from.
    looks: f64,
}

impl EvaluationGain {
    fn of(signal: &MetricSeries<'_>) -> Option<Self> {
        let sign = signal.binding.direction.sign();
        let first = signal.values.first().copied()?;
        // The last of equal ones in this order: the first in time, as elsewhere in a report.
        let place = (1..signal.len()).rev().max_by(|a, b| {
            let value = |index: &usize| signal.values.get(*index).map_or(f64::NAN, |value| sign * value);
            value(a).total_cmp(&value(b))
        })?;
        let best = signal.values.get(place).copied()?;
        let sampling = sampling_error(signal).unwrap_or(0.0);
        let error = signal.noise().point.max(sampling).max(signal.quantum() / 12.0_f64.sqrt());
        let looks = (signal.len() - 1) as f64;
        let excess = sign * (best - stats::median(&signal.values)?);
        Some(Self { first, best, best_step: signal.step(place), size: sign * (best - first), excess, error, looks })
    }

    fn z(&self) -> f64 {
        level::ratio(self.size, self.error * std::f64::consts::SQRT_2)
    }

    /// Two-sided, corrected for the choice of the best.
    fn p(&self) -> f64 {
        (2.0 * stats::normal_sf(self.z()) * self.looks).min(1.0)
    }

    fn evidence(&self, context: &Context<'_>) -> Vec<Evidence> {
        vec![
            Evidence::new("first evaluation", self.first, ""),
            Evidence::new("best evaluation", self.best, ""),
            Evidence::new("evaluations that it was picked from", self.looks, ""),
            Evidence::new("standard error of one", self.error, ""),
            Evidence::new(
                "expected lead of the best of so many by chance",
                stats::excess_of_best(self.error, self.looks),
                "",
            ),
            Evidence::new("p, corrected for the choice", self.p(), "").above(context.rulebook.gain_p()),
        ]
    }
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    // How many tasks would tell depends on the level.
    actions: &[],
    alternative: "The gain is real, and too small for so few evaluations.",
    refute: "The best checkpoint beats the first one on fresh tasks.",
    references: &["arXiv 1709.06560 and 2108.13264 (noise of evaluations)"],
};

/// Difference of two shares that is worth finding, and the sum of the normal quantiles for finding it four times in five with 5 % of
/// false alarms (Cohen 1988, 1.96 + 0.84).
const DIFFERENCE: f64 = 0.02;
const QUANTILES: f64 = 2.8;
/// Share of right answers nearer to 0 or 1 than this is one of few tasks.
const EXTREME_SHARE: f64 = 0.02;

/// Tasks in each of two evaluations that tell two points of a share apart, to two digits.
fn tasks_needed(level: f64) -> usize {
    let share = level.clamp(EXTREME_SHARE, 1.0 - EXTREME_SHARE);
    let tasks = 2.0 * share * (1.0 - share) * (QUANTILES / DIFFERENCE) * (QUANTILES / DIFFERENCE);
    100 * (tasks / 100.0).round() as usize
}

fn actions(signal: &MetricSeries<'_>, gain: &EvaluationGain) -> Vec<Action> {
    let change = if signal.is_between_zero_and_one() {
        let level = stats::median(&signal.values).unwrap_or(gain.first);
        let tasks = counted(tasks_needed(level), "task");
        rich!(
            "Evaluate on more tasks: two points at a level of {} take about {} in each of two evaluations",
            number(level),
            tasks
        )
    } else {
        rich!("Evaluate on four times as many tasks or samples: half of the noise of ± {}", number(Z_95 * gain.error))
    };
    let more = advice(change, "a narrower interval", "time for each evaluation", "a corrected p below 0.05");
    let paired = advice(
        "Log the score of each task, and compare two checkpoints task by task (McNemar for right and wrong)",
        "the same tasks tell more than two means",
        "none",
        "tasks that are won against tasks that are lost",
    );
    vec![more, paired]
}

fn best_by_chance(signal: &MetricSeries<'_>, gain: &EvaluationGain) -> RichText {
    if short(gain.first) == short(gain.best) {
        return rich!(
            "{} was {} at first, and none of the {} evaluations after it is clearly better",
            metric(signal.key()),
            number(gain.first),
            number(gain.looks)
        );
    }
    rich!(
        "{} went from {} to {} at best (step {}): the best of {} evaluations reaches that by chance",
        metric(signal.key()),
        number(gain.first),
        number(gain.best),
        step(gain.best_step),
        number(gain.looks)
    )
}

fn low_start(signal: &MetricSeries<'_>, gain: &EvaluationGain) -> RichText {
    rich!(
        "{} was {} at first and {} at best (step {}): the others differ by no more than chance, and the first may have been low by \
         chance",
        metric(signal.key()),
        number(gain.first),
        number(gain.best),
        step(gain.best_step)
    )
}

fn not_kept(signal: &MetricSeries<'_>, gain: &EvaluationGain, last: f64) -> RichText {
    rich!(
        "{} was {} once (step {}), and ended at {}: within its noise of {} at the first evaluation",
        metric(signal.key()),
        number(gain.best),
        step(gain.best_step),
        number(last),
        number(gain.first)
    )
}

fn best_at_end(signal: &MetricSeries<'_>, gain: &EvaluationGain, change: &level::LevelChange) -> RichText {
    rich!(
        "{} is {} at its last evaluation (step {}), and {} in the mean of the last {}: within its noise of {} at the first",
        metric(signal.key()),
        number(gain.best),
        step(signal.last_step()),
        number(change.last),
        change.points.1,
        number(gain.first)
    )
}

fn none_better(signal: &MetricSeries<'_>, gain: &EvaluationGain, possible: f64) -> RichText {
    rich!(
        "{} was never better than {} at the first evaluation; its noise could hide a gain of up to {}",
        metric(signal.key()),
        number(gain.first),
        number(possible)
    )
}

fn finding(
    context: &Context<'_>,
    signal: &MetricSeries<'_>,
    gain: &EvaluationGain,
    title: RichText,
    evidence: Vec<Evidence>,
) -> Finding {
    let onset = signal.steps.first().copied();
    let mut finding = context.finding(Code::GainNotEstablished, Severity::Note, title, onset, &TEXTS);
    finding.actions = actions(signal, gain);
    let detail =
        rich!("One evaluation is uncertain by ± {}, so that no gain is established.", number(Z_95 * gain.error));
    finding.supported_by(detail, &[Some(signal), context.signal(Concept::Reward)], evidence, 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};

    fn scores(values: &'static [f64]) -> Synthetic {
        let place = move |t: f64| values[(t * 400.0 / 50.0).round() as usize % values.len()];
        Synthetic::new(400).noisy("train/reward", 0.3, |_| 0.5).every("eval/accuracy", 50, place)
    }

    #[test]
    fn the_best_of_a_few_noisy_evaluations_is_no_gain() {
        let found = scores(&[0.261, 0.29, 0.255, 0.279, 0.262, 0.303, 0.268, 0.272]).finding(&CHECK);
        assert_eq!(found.severity, Severity::Note);
        assert!(found.title.to_string().contains("0.303"), "{}", found.title);
    }

    #[test]
    fn the_tasks_that_would_tell_are_those_of_the_run_s_own_level() {
        let advised = |values: &'static [f64]| change(&scores(values).finding(&CHECK).actions[0]).0;
        let low = advised(&[0.261, 0.29, 0.255, 0.279, 0.262, 0.303, 0.268, 0.272]);
        assert!(low.contains("level of 0.27 take about 7700 tasks"), "{low}");
        let high = advised(&[0.861, 0.89, 0.855, 0.879, 0.862, 0.903, 0.868, 0.872]);
        assert!(high.contains("take about 4400 tasks"), "{high}");
        let values = [38.1, 39.0, 38.0, 38.7, 38.2, 39.9, 38.4, 38.5];
        let run = Synthetic::new(400).noisy("train/reward", 0.3, |_| 0.5);
        let run = run.every("eval/reward", 50, move |t| values[(t * 8.0).round() as usize]);
        let score = change(&run.finding(&CHECK).actions[0]).0;
        assert!(score.contains("four times as many") && !score.contains("level of"), "{score}");
    }

    #[test]
    fn a_single_good_evaluation_is_no_gain() {
        let found = scores(&[0.3, 0.31, 0.29, 0.3, 0.31, 0.5, 0.3, 0.31]).finding(&CHECK);
        assert!(found.title.to_string().contains("was 0.5 once (step 251)"), "{}", found.title);
    }

    #[test]
    fn an_end_far_above_the_start_is_no_matter_of_chance_though_some_of_the_gain_is_lost() {
        // It rises before the second evaluation, which alone could be luck, and falls slowly afterwards.
        let right = [31, 319, 348, 332, 316, 284, 318, 281, 264, 215, 189, 176, 203, 220, 205, 216, 212, 236, 213, 218];
        let share = move |t: f64| f64::from(right[(t * 20.0).round() as usize % 20]) / 1024.0;
        assert!(
            Synthetic::new(100).every("eval/accuracy", 5, share).quiet(&CHECK),
            "an end of 0.21 after a start of 0.03"
        );
    }

    #[test]
    fn a_best_evaluation_that_is_the_last_has_not_been_lost() {
        let found = scores(&[0.3, 0.31, 0.29, 0.3, 0.31, 0.3, 0.31, 0.5]).finding(&CHECK);
        assert!(found.title.to_string().contains("is 0.5 at its last evaluation (step 351)"), "{}", found.title);
    }

    #[test]
    fn a_best_evaluation_that_differs_in_no_digit_is_not_called_a_gain() {
        let found = scores(&[38.4, 37.3, 38.1, 37.5, 38.41, 37.2, 38.2, 37.9]).finding(&CHECK);
        assert!(found.title.to_string().contains("none of the 7 evaluations"), "{}", found.title);
    }

    #[test]
    fn of_equal_best_evaluations_the_first_is_named() {
        let found = scores(&[0.3, 0.31, 0.29, 0.5, 0.31, 0.3, 0.5, 0.31]).finding(&CHECK);
        assert!(found.title.to_string().contains("(step 151)"), "{}", found.title);
    }

    #[test]
    fn an_accuracy_of_each_step_beside_a_rarer_one_is_of_its_own_responses() {
        let is_asked = |every: usize| {
            let run = Synthetic::new(15).noisy("train/reward", 0.1, |_| 0.5).noisy("success", 0.02, |_| 0.1);
            !matches!(run.every("Success rate", every, |_| 0.04).check(&CHECK), Outcome::Skipped(_))
        };
        assert!(!is_asked(10) && is_asked(1));
        assert!(is_asked(15), "a single one may be a test at the end");
    }

    #[test]
    fn more_of_an_accuracy_of_each_step_is_not_asked_for() {
        let run = Synthetic::new(15).noisy("train/reward", 0.1, |_| 0.5).noisy("success", 0.02, |_| 0.1);
        let Outcome::Skipped(need) = run.every("Success rate", 10, |_| 0.04).check(&CHECK) else {
            panic!("not skipped")
        };
        let hint = need.hint.to_string();
        assert!(hint.contains("of the same tasks each time: success is of"), "{hint}");
    }

    #[test]
    fn noise_that_could_hide_a_gain_is_named_where_the_first_evaluation_was_the_best() {
        let found = scores(&[0.38, 0.2, 0.35, 0.15, 0.37, 0.18, 0.33, 0.36]).finding(&CHECK);
        assert!(found.title.to_string().contains("never better than 0.38"), "{}", found.title);
    }

    #[test]
    fn a_clear_gain_and_none_at_all_are_quiet() {
        assert!(scores(&[0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]).quiet(&CHECK));
        assert!(scores(&[0.3, 0.29, 0.28, 0.29, 0.28, 0.29, 0.28, 0.29]).quiet(&CHECK));
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(matches!(Synthetic::new(100).check(&CHECK), Outcome::Skipped(_)));
    }
}

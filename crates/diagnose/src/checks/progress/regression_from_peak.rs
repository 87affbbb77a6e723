//! The model was better before.
//!
//! # What it checks
//! The primary metric fell from the best level that it held, by more than the selection of the best and the noise
//! explain. A warning when it ended below its start, or lost a third of its gain or more; a note when it lost less; critical when a
//! share fell below 2 % of its start and stayed there for the last third, five points at least, or an evaluation ended below half of
//! its start by ten standard errors of its tasks, or is 0 in its last five points, or stayed below a tenth of its best level in
//! those, five standard errors below it, whatever the first evaluation was, or if a score falls in both of its last two points, to
//! below a tenth of its best level, and both are ten standard deviations of a point and a quarter of that level below it. Besides, a
//! level that collapsed for a tenth of the run or longer, by three quarters of its gain at least, and recovered in part.
//!
//! # Why it matters
//! The last checkpoint is not the best one, and the steps since then did harm.
//!
//! # Evidence needed
//! An evaluation with five points, or sixty points of the reward; in a run that is too short to be checked, one that improved or
//! declined beyond doubt.
//!
//! # Threshold and where it comes from
//! Three standard errors, after `SE * sqrt(2 ln k)` is taken off: so much better than the others is the best of k equal
//! levels by chance alone. Fewer, where all values that follow the best fall on, or stay lower, by three. Seven of a level of a
//! tenth of the run for a collapse, whose depth and place were both picked.
//!
//! # Known false alarms
//! A reward falls when the data moves on to harder prompts: where their length, a stage or an epoch changes at the onset,
//! the finding says so. Where one part of the reward accounts for its fall, the finding names it, and is a note where that part lies
//! on a straight line over the steps: a schedule lowers its weight. Levels are compared, not single evaluations.
//!
//! # What to do
//! Use the checkpoint of the peak; find out what began there.
//!
//! # References
//! Henderson et al. 2017, arXiv 1709.06560 and Agarwal et al. 2021, arXiv 2108.13264 (noise of evaluations).

mod fallen_part;
mod severity;

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT, go_back_to_best};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::drop_from_peak::{Collapse, DropFromPeak, collapse, drop_from_peak};
use crate::topics::reward_parts::fell_or_rose;
use crate::topics::{data_shift, reward_swings, update_size};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, percent, step};
use rundown_vocabulary::Concept;
use severity::severity;

pub const CHECK: Check = Check::of_run(Code::RegressionFromPeak, run);

/// How many times the gain the loss is where nothing was gained: less than a tenth of the fall is mostly noise.
const NO_GAIN: f64 = 10.0;

fn run(context: &Context<'_>) -> Outcome {
    let Some(signal) = context.measure() else {
        return Outcome::Skipped(context.need(&[Concept::Evaluation, Concept::Reward]));
    };
    // Few points that show a change show its loss as well.
    let is_decided = matches!(context.learning.state, LearningState::Improved | LearningState::Declined);
    let shown = context.is_long_enough() || is_decided;
    let Some(fall) = drop_from_peak(signal).filter(|_| shown) else {
        return Outcome::Quiet(Vec::new());
    };
    if let Some(collapse) = partly_recovered_collapse(context, signal) {
        return Outcome::Found(vec![collapsed(context, signal, &collapse)]);
    }
    match severity(context, signal, &fall) {
        Some(severity) => Outcome::Found(vec![finding(context, signal, &fall, severity)]),
        None if is_short(context, signal) => {
            Outcome::QuietBecause(QuietReason::TooFewPoints, evidence(context, signal, &fall))
        }
        None => Outcome::Quiet(evidence(context, signal, &fall)),
    }
}

/// True for too few points to tell a fall from noise.
fn is_short(context: &Context<'_>, signal: &MetricSeries<'_>) -> bool {
    let book = context.rulebook;
    let evaluated = context.learning.is_evaluated();
    let least = if evaluated { book.learning_evaluations() } else { book.conservative_points() };
    (signal.len() as f64) < least.value
}

/// A collapse that recovered in part; one of several is `reward_unstable`.
fn partly_recovered_collapse(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<Collapse> {
    collapse(signal).filter(|_| !reward_swings::swings(context, signal))
}

fn evidence(context: &Context<'_>, signal: &MetricSeries<'_>, fall: &DropFromPeak) -> Vec<Evidence> {
    let book = context.rulebook;
    let mut evidence = vec![
        Evidence::new("level at the start", fall.first, ""),
        Evidence::new("best level that lasted", fall.peak, ""),
        Evidence::new("level at the end", fall.last, ""),
        Evidence::new("levels that the best was picked from", fall.looks, ""),
    ];
    evidence.extend(fall.evidence(signal, "drop from peak", book));
    // Without a gain there is no share of it.
    let lost = Evidence::new("share of the gain that was lost", fall.share_of_gain(), "");
    evidence.extend((!gained_nothing(fall)).then(|| lost.above(book.regression_lost())));
    evidence
}

/// True where the best level was hardly better than the start, measured by what was lost: nothing had been learned that
/// could be lost.
fn gained_nothing(fall: &DropFromPeak) -> bool {
    fall.share_of_gain() >= NO_GAIN
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates lose what smaller ones have gained."),
        (Hyperparameter::KlCoefficient, "A weak KL term does not hold what the reference could do."),
        (Hyperparameter::EpochsPerBatch, "Many updates from one batch overfit it."),
        (Hyperparameter::MinibatchSize, "Many updates from one batch overfit it."),
    ],
    actions: &[
        Advice::GoBack,
        Advice::Change(&LOWER_LEARNING_RATE, "the evaluation does not fall below its best interval"),
        Advice::Change(&RAISE_KL_COEFFICIENT, "the evaluation does not fall below its best interval"),
    ],
    alternative: "The evaluation changed (another prompt, parser or set of tasks), or the data became harder.",
    refute: "The checkpoint of the peak and the last one solve the same share of 1,000 fresh tasks.",
    references: &["arXiv 1709.06560 and 2108.13264 (noise of evaluations)"],
};
/// The same of a policy whose updates were measured and are small.
const SMALL_UPDATES: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::KlCoefficient, "A weak KL term does not hold what the reference could do.")],
    actions: &[
        Advice::GoBack,
        Advice::Change(&RAISE_KL_COEFFICIENT, "the evaluation does not fall below its best interval"),
    ],
    ..TEXTS
};
const START_AGAIN: Advice = Advice::Do([
    "Start again from the initial weights: no later level is better than that of the start",
    "undoes the damage",
    "loses all steps",
    "the reward stays at its first level or above",
]);

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, fall: &DropFromPeak, severity: Severity) -> Finding {
    let learning = &context.learning;
    let gained = fall.share_of_gain() < 1.0 || learning.state == LearningState::Improved;
    let was_never_better = gained_nothing(fall);
    let title = if was_never_better || learning.state == LearningState::Declined && !gained {
        let verb = fell_or_rose(fall.peak, fall.last);
        rich!("{} {} from {} to {}", metric(signal.key()), verb, number(fall.peak), number(fall.last))
    } else {
        rich!(
            "{} was {} around step {} and ends at {}: {} of the gain is lost",
            metric(signal.key()),
            number(fall.peak),
            step(fall.peak_step.round()),
            number(fall.last),
            percent(fall.share_of_gain().min(1.0))
        )
    };
    // The first evaluation may be of a checkpoint that was trained.
    let is_start = !learning.is_evaluated() || context.evaluates_start();
    let detail = if context.starts_best() {
        "It was never better than at its start: no checkpoint of this run is better than the initial weights.".into()
    } else if was_never_better && !is_start {
        rich!("It gets worse from step {} on: an earlier checkpoint is better.", step(fall.onset))
    } else if was_never_better {
        rich!(
            "It was hardly better than at its start at any time, and gets worse from step {} on: the policy is worse than \
             before its training.",
            step(fall.onset)
        )
    } else {
        rich!("What was learned before step {} has been lost since: an earlier checkpoint is better.", step(fall.onset))
    };
    let (evidence, confidence) = (evidence(context, signal, fall), if learning.is_evaluated() { 0.9 } else { 0.75 });
    let texts = if update_size::are_small(context) { &SMALL_UPDATES } else { &TEXTS };
    let mut finding = context.finding(Code::RegressionFromPeak, severity, title, Some(fall.onset), texts);
    if was_never_better && is_start && !context.starts_best() {
        let others = texts.actions.iter().filter(|advice| !matches!(advice, Advice::GoBack));
        let advice = std::iter::once(&START_AGAIN).chain(others);
        finding.actions = advice.flat_map(|advice| context.actions(std::slice::from_ref(advice), None)).collect();
    }
    go_back_to_best(context, &mut finding, fall.peak_step, signal.key());
    let shown = [Some(signal), context.signal(Concept::Reward)];
    let mut finding = finding.supported_by(detail, &shown, evidence, confidence);
    if let (Some(rise), Some(reward)) = (context.reward_rise_since(fall.onset), context.signal(Concept::Reward)) {
        finding.detail.append(rich!(
            " Meanwhile {} went on rising, from {} to {}: what is optimised is not what this evaluation measures.",
            metric(reward.key()),
            number(rise.first),
            number(rise.last)
        ));
    }
    data_shift::add_to(&mut finding, context);
    fallen_part::tell(&mut finding, context, signal, fall);
    finding
}

fn collapsed(context: &Context<'_>, signal: &MetricSeries<'_>, collapse: &Collapse) -> Finding {
    let Collapse { peak, peak_step, low, low_step, back_step, last, size, .. } = *collapse;
    // Of a metric where less is better, the worst level is the highest.
    let verb = fell_or_rose(peak, low);
    let title = rich!(
        "{} {} from {} around step {} to {} around step {}, and ended at {}",
        metric(signal.key()),
        verb,
        number(peak),
        step(peak_step.round()),
        number(low),
        step(low_step.round()),
        number(last)
    );
    let detail = rich!(
        "It gets better again from step {} on and has regained {} of what it lost: an earlier checkpoint is better.",
        step(back_step),
        percent((last - low) / (peak - low))
    );
    let evidence = vec![
        Evidence::new("best level that lasted", peak, ""),
        Evidence::new("worst level after it", low, ""),
        Evidence::new("level at the end", last, ""),
        Evidence::new("change to the worst level", size, "SE"),
    ];
    let texts = if update_size::are_small(context) { &SMALL_UPDATES } else { &TEXTS };
    let mut finding = context.finding(Code::RegressionFromPeak, Severity::Warning, title, Some(collapse.onset), texts);
    go_back_to_best(context, &mut finding, peak_step, signal.key());
    let shown = [Some(signal), context.signal(Concept::Reward)];
    let mut finding = finding.supported_by(detail, &shown, evidence, 0.8);
    finding.end = Some(back_step);
    data_shift::add_to(&mut finding, context);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump, saturating};

    fn evaluated(level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(400).every("eval/accuracy", 10, level)
    }

    #[test]
    fn a_gain_that_is_lost_is_found_where_the_loss_begins() {
        let lost = evaluated(|t| 0.4 + 0.4 * saturating(t).min(0.9) - 0.3 * jump(t, 0.6)).finding(&CHECK);
        assert_eq!(lost.severity, Severity::Warning);
        assert!((231.0..=252.0).contains(&lost.onset.unwrap()), "{:?}", lost.onset);
        let fallen = evaluated(|t| 0.5 - 0.4 * (2.0 * (t - 0.25)).clamp(0.0, 1.0)).finding(&CHECK);
        assert!(fallen.title.to_string().contains("fell from 0.5"), "{}", fallen.title);
        assert!((85.0..=115.0).contains(&fallen.onset.unwrap()), "{:?}", fallen.onset);
    }

    #[test]
    fn a_reward_that_goes_on_rising_is_told() {
        let fallen = || evaluated(|t| 0.4 + 0.4 * saturating(3.0 * t).min(0.9) - 0.3 * (t - 0.4).clamp(0.0, 0.5));
        let rising = fallen().noisy("train/reward", 0.02, |t| 0.5 + t).finding(&CHECK).detail.to_string();
        assert!(rising.contains("Meanwhile train/reward went on rising"), "{rising}");
        let flat =
            fallen().noisy("train/reward", 0.02, |t| 0.5 + saturating(5.0 * t)).finding(&CHECK).detail.to_string();
        assert!(!flat.contains("Meanwhile"), "{flat}");
    }

    #[test]
    fn small_updates_are_no_cause_and_nothing_to_change() {
        let of = |kl: f64| {
            let run =
                evaluated(|t| 0.4 + 0.4 * saturating(t).min(0.9) - 0.3 * jump(t, 0.6)).config("learning_rate", 1e-6);
            let run = run.every("policy/approxkl_avg", 1, move |_| kl).every("policy/clipfrac_avg", 1, |_| 0.001);
            let finding = run.finding(&CHECK);
            (format!("{:?}", finding.causes), format!("{:?}", finding.actions))
        };
        let (causes, actions) = of(0.0005);
        assert!(!causes.contains("Large updates") && !actions.contains("learning_rate"), "{causes} {actions}");
        let (causes, actions) = of(0.05);
        assert!(causes.contains("Large updates") && actions.contains("learning_rate"), "{causes} {actions}");
    }

    #[test]
    fn no_checkpoint_is_advised_where_none_is_better_than_the_start() {
        let changes = |finding: &Finding| -> Vec<String> {
            finding.actions.iter().map(|action| change(action).0.to_string()).collect()
        };
        let falling = evaluated(|t| 0.5 - 0.4 * saturating(t)).finding(&CHECK);
        assert!(changes(&falling)[0].contains("initial weights"), "{:?}", changes(&falling));
        // The first of the best evaluations is that of the start, the best level that of all of them.
        let tied = evaluated(|t| if t < 0.25 { 1.0 } else { 0.6 - 0.2 * t }).finding(&CHECK);
        assert!(changes(&tied)[0].contains("initial weights"), "{:?}", changes(&tied));
        let lost = evaluated(|t| 0.4 + 0.4 * saturating(t).min(0.9) - 0.3 * jump(t, 0.6)).finding(&CHECK);
        let best = changes(&lost)[0].starts_with("Go back to the checkpoint nearest to step 191");
        assert!(best && changes(&lost)[0].ends_with("around which eval/accuracy was best"), "{:?}", changes(&lost));
    }

    #[test]
    fn a_start_that_is_the_best_level_has_no_gain_to_lose() {
        let fallen = Synthetic::healthy(300).without("eval/accuracy");
        let fallen = fallen.noisy("train/reward", 0.03, |t| 0.9 - 0.4 * ((t - 0.5) * 5.0).clamp(0.0, 1.0));
        let worse = fallen.finding(&CHECK);
        assert!(worse.title.to_string().contains("fell from 0.9"), "{}", worse.title);
        assert!(worse.detail.to_string().contains("worse than before"), "{}", worse.detail);
        assert!(worse.evidence.iter().all(|number| number.value.is_finite()), "{:?}", worse.evidence);
        assert!(change(&worse.actions[0]).0.contains("initial weights"), "{:?}", worse.actions);
        let at_once = Synthetic::healthy(300).without("eval/accuracy");
        let at_once = at_once.noisy("train/reward", 0.03, |t| 0.9 - 0.4 * saturating(t)).finding(&CHECK);
        assert!(at_once.evidence.iter().all(|number| number.value.is_finite()), "{:?}", at_once.evidence);
    }

    #[test]
    fn a_collapse_that_recovered_in_part_is_dated() {
        let fallen = |back: f64| {
            Synthetic::healthy(400).without("eval/accuracy").noisy("train/reward", 0.3, move |t| {
                let lost = ((t - 0.4) * 10.0).clamp(0.0, 1.0) - back * ((t - 0.65) * 6.0).clamp(0.0, 1.0);
                0.5 + 0.4 * saturating(4.0 * t) - 0.8 * lost
            })
        };
        let finding = fallen(0.6).finding(&CHECK);
        assert!(finding.title.to_string().contains("and ended at 0."), "{}", finding.title);
        assert!((150.0..=185.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!((260.0..=310.0).contains(&finding.end.unwrap()), "{:?}", finding.end);
        assert!(fallen(1.0).quiet(&CHECK), "recovered");
    }

    #[test]
    fn few_evaluations_that_show_a_gain_show_its_loss() {
        let right = [31, 131, 266, 290, 295, 254, 211, 164, 175, 149, 163, 152, 170, 183, 186, 202, 173, 179, 178, 166];
        let run = Synthetic::new(100)
            .every("eval/accuracy", 5, move |t| f64::from(right[(t * 20.0).round() as usize % 20]) / 1024.0);
        let diagnosis = crate::diagnose(&run.build(), &crate::Rulebook::default());
        assert_eq!(diagnosis.learning.state, LearningState::Improved);
        assert_eq!(diagnosis.verdict, crate::Verdict::Bad, "{:?}", diagnosis.findings);
    }

    #[test]
    fn a_small_loss_is_a_note_and_none_is_quiet() {
        let small = evaluated(|t| 0.4 + 0.4 * saturating(t) - 0.05 * jump(t, 0.7));
        assert_eq!(small.finding(&CHECK).severity, Severity::Note);
        assert!(Synthetic::healthy(400).quiet(&CHECK));
        let noisy = Synthetic::healthy(400).without("eval/accuracy").noisy("train/reward", 0.3, |_| 1.0);
        assert!(noisy.quiet(&CHECK));
        assert!(matches!(Synthetic::new(100).check(&CHECK), Outcome::Skipped(_)));
    }
}

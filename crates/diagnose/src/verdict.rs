//! From the outcomes of all checks to one verdict.

use crate::advice::{damage::tell_damage, direction::one_direction_each};
use crate::causes::{explain, order, suppress};
use crate::checks::{self, lower_confidence};
use crate::context::Context;
use crate::cost::{Price, cost};
use crate::measure::Z_95;
use crate::measure::series::{Fifth, MetricSeries};
use crate::samples::around_onsets;
use crate::summary::{headline, summary};
use crate::topics::time_cost::{costs_time_alone, is_left_out_of_verdict};
use crate::topics::{kl_penalty, parts_in_use};
use crate::{
    Code, Diagnosis, Finding, LearningState, Movement, Outcome, Quiet, QuietReason, Rulebook, Severity, Skipped,
    Verdict,
};
use rundown_run::Run;
use rundown_stats::{self as stats, CompactSort as _};
use rundown_vocabulary::{Concept, Direction, Overrides, bind_with};

/// Metrics of one concept whose movements are kept, such as reward functions, opponents or criteria.
const MOVEMENTS: usize = 24;

/// What a diagnosis takes beside the run and the rulebook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// What metrics stand for, where the user says so.
    pub choices: Overrides,
    /// What the run cost, as the user says.
    pub price: Price,
}

/// Runs every check over a run and says what came out. Pure: the same run and rulebook give the same diagnosis.
pub fn diagnose(run: &Run, rulebook: &Rulebook) -> Diagnosis {
    diagnose_with(run, rulebook, &Options::default())
}

/// [`diagnose`] with what the user said besides.
pub fn diagnose_with(run: &Run, rulebook: &Rulebook, options: &Options) -> Diagnosis {
    let mut bindings = bind_with(run, &options.choices);
    let of_rows = rulebook.for_rows_of(run, &bindings);
    let context = Context::new(run, &bindings, &of_rows);
    let Outcomes { mut findings, quiet, skipped } = Outcomes::of(&context);
    findings.iter_mut().for_each(|finding| lower_confidence(finding, run, rulebook));
    explain(&mut findings, run.step_range().unwrap_or_default(), &|key| context.signal_of(key));
    tell_damage(&mut findings, &context);
    parts_in_use::tell_what_broke_with_reward(&mut findings, &context);
    order(&mut findings, |finding| costs_time_alone(&context, finding));
    let verdict = verdict(&context, &findings);
    kl_penalty::explain(&mut findings, &context);
    let movements = movements(&context);
    for finding in &mut findings {
        finding.keep_met_limits();
        // A setting may already be where the advice would put it.
        finding.actions.retain(|action| action.kind.changes_anything());
    }
    one_direction_each(&mut findings);
    let cost = cost(&context, &findings, options.price);
    let headline = headline(&context, verdict, &findings);
    let summary = summary(&context, verdict, &findings, &headline);
    let learning = context.learning.clone();
    let acts_in_environment = context.acts_in_environment();
    if acts_in_environment {
        bindings.set_action_units();
    }
    Diagnosis {
        verdict,
        headline,
        summary,
        learning,
        acts_in_environment,
        samples: around_onsets(run, &findings),
        findings,
        quiet,
        skipped,
        movements,
        cost,
        points: distinct_steps(run),
        nonfinite: run.columns.values().map(|column| column.nonfinite()).sum(),
        rulebook: rulebook.clone(),
        bindings,
    }
}

/// What all checks say of a run, redundant findings removed.
pub(crate) struct Outcomes {
    /// Findings, in the order of the catalogue.
    pub findings: Vec<Finding>,
    /// Checks that found nothing, in the order of the catalogue.
    pub quiet: Vec<Quiet>,
    /// Checks that lack a metric, in the order of the catalogue.
    pub skipped: Vec<Skipped>,
}

impl Outcomes {
    /// Runs every check.
    #[inline(never)]
    pub fn of(context: &Context<'_>) -> Self {
        let mut all = Self { findings: Vec::new(), quiet: Vec::new(), skipped: Vec::new() };
        for check in checks::ALL {
            match check.outcome(context) {
                Outcome::Found(found) => all.findings.extend(found),
                Outcome::Quiet(evidence) => all.quiet.push(Quiet::new(check.code, evidence, None)),
                Outcome::QuietBecause(reason, evidence) => {
                    all.quiet.push(Quiet::new(check.code, evidence, Some(reason)));
                }
                Outcome::Skipped(need) => all.skipped.push(Skipped { code: check.code, need }),
            }
        }
        // What another finding says is said only where that was made.
        let is_made = |code: Code| all.findings.iter().any(|finding| finding.code == code);
        for quiet in &mut all.quiet {
            if quiet.covered_by().is_some_and(|code| !is_made(code)) {
                quiet.reason = Some(QuietReason::OtherConditions);
            }
        }
        all.quiet.extend(suppress(&mut all.findings));
        all.quiet.compact_sort_by_key(|quiet| quiet.code);
        all
    }
}

/// The verdict: ugly for any critical finding; bad for any warning or no learning; undecided for too little
/// data, nothing that measures learning or nothing left to learn; good otherwise. A run that learned is not bad for having been slow,
/// nor for a setting that contradicts another one. A stall that is over makes no run bad.
fn verdict(context: &Context<'_>, findings: &[Finding]) -> Verdict {
    let learned = match context.learning.state {
        LearningState::Improved => true,
        LearningState::Flat | LearningState::Unknown => !context.learning.room,
        LearningState::Declined => false,
    };
    let counted = findings.iter().filter(|finding| !is_left_out_of_verdict(context, finding, learned));
    let worst = counted.map(|finding| finding.severity).max();
    match worst {
        Some(Severity::Critical) => return Verdict::Ugly,
        Some(Severity::Warning) => return Verdict::Bad,
        _ => {}
    }
    if findings.iter().any(Finding::leaves_open) {
        return Verdict::Undecided;
    }
    // Neither its settings nor its updates were put to the test, or the reward does not measure what they did.
    if context.starts_solved() || context.is_lowered_by_schedule(findings) {
        return Verdict::Undecided;
    }
    let learning = &context.learning;
    match learning.state {
        LearningState::Declined => Verdict::Bad,
        LearningState::Flat if learning.room => Verdict::Bad,
        LearningState::Flat | LearningState::Improved => Verdict::Good,
        // It ends at its ceiling, however noisy the way there.
        LearningState::Unknown if !learning.room => Verdict::Good,
        LearningState::Unknown => Verdict::Undecided,
    }
}

#[inline(never)]
fn movements(context: &Context<'_>) -> Vec<Movement> {
    let logged = |concept: &Concept| context.signals(*concept).iter().filter(|signal| signal.tells_values());
    Concept::ALL.iter().flat_map(|concept| logged(concept).take(MOVEMENTS)).map(movement).collect()
}

fn movement(signal: &MetricSeries<'_>) -> Movement {
    let best = match signal.binding.direction {
        Direction::Up => signal.values.iter().copied().reduce(f64::max),
        Direction::Down => signal.values.iter().copied().reduce(f64::min),
        Direction::Neutral => None,
    };
    let place = best.and_then(|best| signal.values.iter().position(|value| *value == best));
    Movement {
        concept: signal.binding.concept,
        key: signal.key().to_owned(),
        first: signal.shown_level(Fifth::First),
        starts_near_zero: is_near_zero(signal.shown_points(Fifth::First)),
        mid: signal.shown_level(Fifth::Middle),
        last: signal.shown_end(),
        best: best.unwrap_or(f64::NAN),
        best_step: place.map_or(f64::NAN, |index| signal.step(index)),
        slope: signal.slope_per_hundred(),
    }
}

/// True for points whose 95 % interval of the mean holds 0.
fn is_near_zero(points: &[f64]) -> bool {
    let error = stats::std_dev(points).map(|spread| spread / (points.len() as f64).sqrt());
    error.zip(stats::mean(points)).is_some_and(|(error, mean)| mean.abs() < Z_95 * error)
}

/// Number of different steps at which something was logged.
#[inline(never)]
fn distinct_steps(run: &Run) -> usize {
    let mut steps = run.axis.steps.clone();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    steps.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump, saturating};
    use proptest::prelude::*;

    const KEYS: [&str; 14] = [
        "train/reward",
        "train/rewards/answer/mean",
        "train/rewards/format/mean",
        "eval/accuracy",
        "train/kl",
        "objective/kl",
        "actor/kl_coef",
        "train/entropy",
        "train/grad_norm",
        "train/completions/mean_length",
        "train/completions/clipped_ratio",
        "train/frac_reward_zero_std",
        "critic/advantages/max",
        "train/learning_rate",
    ];

    fn odd_value() -> impl Strategy<Value = f64> {
        prop_oneof![
            4 => -2.0..2.0_f64,
            2 => Just(0.0),
            1 => prop::num::f64::ANY,
            1 => Just(f64::NAN),
        ]
    }

    #[test]
    fn a_coefficient_that_outweighs_the_score_is_lowered_and_not_raised() {
        let run = |penalty: f64| {
            diagnosed(
                Synthetic::healthy(100)
                    .without("train/reward")
                    .noisy("critic/score/mean", 0.05, |t| -0.6 + 0.4 * t)
                    .noisy("critic/rewards/mean", 0.05, move |t| -0.6 + 0.4 * t - penalty * (1.0 - t))
                    .every("critic/score/max", 1, |_| 1.0)
                    .every("critic/score/min", 1, |_| -1.0)
                    .noisy("train/kl", 0.1, |t| 0.8 + 15.0 * t)
                    .config("algorithm.kl_ctrl.kl_coef", 0.02)
                    .without("eval/accuracy"),
            )
        };
        let values = |diagnosis: &Diagnosis| -> Vec<String> {
            let changes = diagnosis.findings.iter().flat_map(|finding| &finding.actions).map(change);
            changes.filter(|(key, ..)| key.contains("kl_coef")).map(|(_, _, to)| to).collect()
        };
        let large = run(13.0);
        assert!(values(&large).contains(&"0.004".to_owned()) && !values(&large).contains(&"0.1".to_owned()));
        assert_eq!(large.summary.to_string().matches("off a score whose range is 2").count(), 1, "{}", large.summary);
        assert!(values(&run(0.2)).contains(&"0.1".to_owned()));
    }

    #[test]
    fn a_mismatch_that_is_the_same_all_along_does_not_explain_a_fall_within_one_step() {
        let explained = |mismatch: fn(f64) -> f64| {
            let run = Synthetic::healthy(300)
                .noisy("rollout_corr/kl", 0.002, mismatch)
                .noisy("train/reward", 0.1, |t| 1.4 - jump(t, 0.75))
                .every("eval/accuracy", 10, |t| 0.5 - 0.3 * jump(t, 0.75));
            let findings = diagnosed(run).findings;
            let of = |code| findings.iter().find(|finding| finding.code == code).unwrap();
            assert!(of(Code::SamplerMismatch).severity > Severity::Note);
            of(Code::RewardBreak).explained_by.clone()
        };
        assert_eq!(explained(|_| 0.05), []);
        assert_eq!(explained(|t| 0.05 + 0.2 * jump(t, 0.7)), [Code::SamplerMismatch]);
        assert_eq!(explained(|t| 0.02 + 0.3 * t), [Code::SamplerMismatch], "it grows from the start");
    }

    proptest! {
        /// Whatever was logged, every check ends, in one of three ways, and the verdict follows the worst finding.
        #[test]
        fn any_run_is_diagnosed(
            rows in prop::collection::vec((0..KEYS.len(), 0_u16..90, odd_value()), 0..600),
            backward in any::<bool>(),
        ) {
            let mut run = Run::default();
            for (key, step, value) in rows {
                let step = if backward { f64::from(step) } else { run.row_steps.len() as f64 / 6.0 };
                let row = run.push_row(step, f64::NAN);
                run.push_value(KEYS[key], row, value);
            }
            run.choose_axis();
            let diagnosis = diagnose(&run, &Rulebook::default());
            let found: std::collections::BTreeSet<_> = diagnosis.findings.iter().map(|finding| finding.code).collect();
            prop_assert_eq!(found.len() + diagnosis.quiet.len() + diagnosis.skipped.len(), checks::ALL.len());
            let critical = diagnosis.findings.iter().any(|finding| finding.severity == Severity::Critical);
            prop_assert_eq!(critical, diagnosis.verdict == Verdict::Ugly);
            prop_assert!(!diagnosis.headline.is_empty() && !diagnosis.summary.is_empty());
            for finding in &diagnosis.findings {
                prop_assert!((0.0..=1.0).contains(&finding.confidence) && !finding.title.is_empty());
                let explained = finding.explained_by.iter().all(|code| found.contains(code));
                prop_assert!(explained && finding.evidence.iter().all(|number| number.is_met() != Some(false)));
            }
        }
    }

    fn diagnosed(synthetic: Synthetic) -> Diagnosis {
        diagnose(&synthetic.build(), &Rulebook::default())
    }

    #[test]
    fn a_healthy_run_is_good() {
        let diagnosis = diagnosed(Synthetic::healthy(300));
        assert_eq!(diagnosis.verdict, Verdict::Good, "{:?}", diagnosis.findings);
        assert!(
            diagnosis.headline.to_string().starts_with("Healthy: eval/accuracy rose from 0.48"),
            "{}",
            diagnosis.headline
        );
        assert_eq!(diagnosis.learning.state, LearningState::Improved);
        assert_eq!(diagnosis.points, 300);
        let outcomes = diagnosis.findings.len() + diagnosis.quiet.len() + diagnosis.skipped.len();
        assert_eq!(outcomes, checks::ALL.len());
    }

    #[test]
    fn a_run_that_learned_is_not_bad_for_being_slow() {
        let seconds = |t: f64| 80.0 + 70.0 * crate::checks::testing::jump(t, 0.5);
        let slow = |run: Synthetic| diagnosed(run.noisy("rollout/duration_p95", 6.0, seconds));
        let learned = slow(Synthetic::healthy(300));
        assert_eq!(learned.verdict, Verdict::Good);
        let (headline, summary) = (learned.headline.to_string(), learned.summary.to_string().to_lowercase());
        let told = "the slowest rollouts of a step take";
        assert!(headline.starts_with("Healthy: eval/accuracy rose") && headline.contains(told), "{headline}");
        assert!(!summary.contains(told), "{summary}");
        let flat = Synthetic::healthy(300).every("eval/accuracy", 10, |_| 0.5);
        let failed = slow(flat.noisy("train/reward", 0.15, |_| 1.4));
        assert_eq!(failed.verdict, Verdict::Bad);
        assert!(failed.headline.to_string().starts_with("No learning"), "{}", failed.headline);
        let unknown = slow(Synthetic::new(300).noisy("train/kl", 0.01, |_| 0.1));
        assert_eq!(unknown.verdict, Verdict::Bad);
        assert!(unknown.headline.to_string().starts_with("The slowest rollouts"), "{}", unknown.headline);
    }

    #[test]
    fn an_evaluation_that_falls_is_bad() {
        let falling = Synthetic::healthy(300).every("eval/accuracy", 10, |t| 0.48 - 0.3 * saturating(t)).noisy(
            "train/reward",
            0.2,
            |_| 1.5,
        );
        let diagnosis = diagnosed(falling);
        assert_eq!(diagnosis.verdict, Verdict::Bad);
        assert_eq!(diagnosis.learning.state, LearningState::Declined);
        assert!(
            diagnosis.headline.to_string().starts_with("Got worse: eval/accuracy fell from 0.48"),
            "{}",
            diagnosis.headline
        );
        let times = diagnosis.summary.to_string().matches("0.18").count();
        assert_eq!(times, 1, "said once: {}", diagnosis.summary);
    }

    #[test]
    fn a_reward_that_rose_while_the_evaluation_fell_is_said_beside_it() {
        let mut run = Synthetic::new(300).noisy("train/reward", 0.05, |t| 0.3 + 0.3 * saturating(t)).build();
        // The first evaluation came late: what it was before the reward rose is not known.
        for row in (160..300).step_by(20) {
            run.push_value("eval/accuracy", row, 0.7 - 0.3 * f64::from(row) / 300.0 + 0.002 * f64::from(row % 3));
        }
        let diagnosis = diagnose(&run, &Rulebook::default());
        assert_eq!(diagnosis.learning.state, LearningState::Declined);
        let headline = diagnosis.headline.to_string();
        assert!(headline.starts_with("Over-optimised: the reward rose while eval/accuracy fell"), "{headline}");
    }

    #[test]
    fn what_was_learned_and_lost_is_reported_as_that() {
        let lost = Synthetic::healthy(150)
            .without("eval/accuracy")
            .noisy("train/reward", 0.05, |t| if t < 0.5 { 0.2 + t } else { 1.3 - 1.2 * t });
        let headline = diagnosed(lost).headline.to_string();
        assert!(headline.starts_with("Learned, then regressed: train/reward reached 0.6"), "{headline}");
    }

    #[test]
    fn an_empty_run_is_undecided() {
        let diagnosis = diagnose(&Run::default(), &Rulebook::default());
        assert_eq!(diagnosis.verdict, Verdict::Undecided);
        assert!(!diagnosis.headline.is_empty() && !diagnosis.summary.is_empty());
    }

    #[test]
    fn hacking_comes_first_and_its_consequences_after_it() {
        let hacked = Synthetic::healthy(300)
            .noisy("train/reward", 0.05, |t| 0.4 + 2.8 * saturating(t))
            .every("eval/accuracy", 10, |t| 0.48 - 0.48 * saturating(t))
            .noisy("train/kl", 0.2, |t| 7.0 * saturating(t))
            .noisy("train/entropy", 0.01, |t| 0.6 - 0.57 * saturating(t));
        let diagnosis = diagnosed(hacked);
        assert_eq!(diagnosis.verdict, Verdict::Ugly);
        assert_eq!(diagnosis.findings.first().map(|finding| finding.code), Some(Code::RewardHacking));
        assert!(diagnosis.findings.iter().skip(1).all(|finding| finding.explained_by == [Code::RewardHacking]));
        assert_eq!(diagnosis.headline.to_string(), "The policy games the reward instead of learning the task");
    }
}

//! Tests of the entropy collapse.

use super::*;
use crate::checks::testing::{Synthetic, edited, jump, saturating};

#[test]
fn entropy_that_dies_while_the_task_is_lost_is_critical() {
    let lost = || {
        Synthetic::healthy(300).noisy("train/entropy", 0.01, |t| 0.6 - 0.58 * saturating(t)).every(
            "eval/accuracy",
            10,
            |t| 0.5 - 0.45 * saturating(t),
        )
    };
    let finding = lost().noisy("train/reward", 0.15, |t| 1.4 - 0.5 * t).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Critical);
    assert!(finding.detail.to_string().contains("below 20 % of its start"), "{}", finding.detail);
    let lax = lost().finding_by(&edited("entropy_drop", 0.7), &CHECK);
    assert!(lax.detail.to_string().contains("below 30 % of its start"), "{}", lax.detail);
    assert!(finding.onset.unwrap() < 120.0, "{:?}", finding.onset);
    assert_eq!(lost().finding(&CHECK).severity, Severity::Warning, "the training reward rose: over-training");
}

#[test]
fn entropy_that_was_as_low_while_the_task_was_learned_is_not_why_it_was_lost() {
    let run = |early: f64| {
        Synthetic::healthy(400)
            .without("eval/accuracy")
            .noisy("train/entropy", 0.005, move |t| match (t * 100.0) as u32 {
                10..=25 => early,
                ..=60 => 0.6,
                _ => 0.05,
            })
            .noisy("train/reward", 0.05, |t| if t < 0.55 { 1.0 + 3.0 * t } else { 0.5 })
    };
    assert!(run(0.05).quiet(&CHECK));
    assert_eq!(run(0.6).finding(&CHECK).severity, Severity::Critical);
}

#[test]
fn entropy_that_leaps_above_its_start_has_not_collapsed() {
    let run = |high: f64| {
        Synthetic::healthy(300)
            .noisy("train/entropy", 0.001, move |t| match (t * 300.0) as u32 {
                ..=200 => 0.5,
                step if step.is_multiple_of(3) => high,
                _ => 0.02,
            })
            .every("eval/accuracy", 10, |t| 0.5 - 0.45 * t)
    };
    assert!(run(4.0).quiet(&CHECK));
    assert!(matches!(run(0.03).check(&CHECK), Outcome::Found(_)));
}

#[test]
fn a_reward_that_broke_after_the_collapse_had_another_cause() {
    let run = |rises: f64| {
        Synthetic::healthy(400)
            .without("eval/accuracy")
            .noisy("train/entropy", 0.005, |t| 0.5 - 0.46 * jump(t, 0.3))
            .noisy("train/reward", 0.02, move |t| 0.1 + rises * t - if t > 0.76 { 0.12 + rises * t } else { 0.0 })
    };
    assert!(run(0.4).quiet(&CHECK), "it went on rising without entropy");
    assert_eq!(run(0.0).finding(&CHECK).severity, Severity::Critical);
}

#[test]
fn entropy_that_is_spent_on_learning_is_quiet() {
    let run = || Synthetic::healthy(300).noisy("train/entropy", 0.005, |t| 0.5 - 0.48 * saturating(t));
    assert!(run().quiet(&CHECK));
    assert_eq!(run().quiet_reason(&CHECK), Some(QuietReason::Improved));
    assert_eq!(Synthetic::healthy(300).quiet_reason(&CHECK), None, "no number meets its limit");
}

#[test]
fn a_policy_without_entropy_and_gradient_is_dead_in_any_run() {
    let run = |entropy: f64, norm: f64| {
        let gone = move |first: f64, last: f64| move |t: f64| if t < 0.5 { first } else { last };
        Synthetic::new(24)
            .every("train/reward", 1, |t| 0.1 * libm::sin(40.0 * t))
            .every("train/entropy", 1, gone(0.85, entropy))
            .every("train/grad_norm", 1, gone(2.0, norm))
    };
    assert_eq!(run(1e-14, 1e-15).finding(&CHECK).severity, Severity::Critical);
    let unmeasured = run(1e-14, 1e-15).without("train/reward").finding(&CHECK);
    assert!(unmeasured.title.to_string().ends_with("lost)") && unmeasured.severity == Severity::Note);
    assert!(run(1e-14, 0.5).quiet(&CHECK) && run(0.1, 1e-15).quiet(&CHECK));
}

#[test]
fn a_low_entropy_from_the_start_is_quiet() {
    let run = Synthetic::healthy(300).noisy("train/entropy", 0.001, |t| 0.04 - 0.035 * saturating(t)).every(
        "eval/accuracy",
        10,
        |_| 0.5,
    );
    assert!(run.quiet(&CHECK));
}

#[test]
fn a_collapse_begins_where_the_entropy_goes_and_not_where_it_last_comes_back_a_little() {
    let run = Synthetic::healthy(300)
        .noisy("train/entropy", 0.002, |t| match (t * 300.0) as u32 {
            ..=10 => 0.75,
            200 | 201 | 202 | 290..=294 => 0.2,
            _ => 0.08,
        })
        .noisy("train/reward", 0.15, |_| 1.4)
        .every("eval/accuracy", 10, |_| 0.5);
    let onset = run.finding(&CHECK).onset.unwrap();
    assert!((9.0..=18.0).contains(&onset), "{onset}");
}

#[test]
fn without_entropy_it_is_skipped() {
    let outcome = Synthetic::healthy(300).without("train/entropy").check(&CHECK);
    assert!(matches!(outcome, Outcome::Skipped(need) if need.hint.to_string().contains("train/entropy")));
}

#[test]
fn a_late_collapse_that_costs_what_was_learned_is_found() {
    let run = |lost: f64| {
        Synthetic::healthy(600)
            .every("eval/accuracy", 10, move |t| 0.3 + 0.5 * t.min(0.8) - if t > 0.85 { lost } else { 0.0 })
            .noisy("train/entropy", 0.01, |t| if t < 0.85 { 0.6 } else { 0.05 })
    };
    let finding = run(0.2).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    assert!((505.0..=530.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    assert!(finding.detail.to_string().contains("learned, became nearly"), "{}", finding.detail);
    assert!(run(0.0).quiet(&CHECK));
}

#[test]
fn a_kl_to_the_teacher_does_not_excuse_a_policy_that_repeats_itself() {
    let run = |end: f64| {
        Synthetic::new(60)
            .every("env/all/reward/total", 1, |_| 0.0)
            .noisy("teacher_kl", 0.001, |t| 4.0 * (1.0 - t) + 0.01)
            .every("optim/entropy", 1, move |t| if t < 0.3 { 3.0 } else { end })
            .every("env/all/ac_tokens_per_turn", 1, |t| if t < 0.4 { 500.0 } else { 4096.0 })
            .config("max_completion_length", 4096.0)
    };
    let finding = run(0.006).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    assert!(finding.detail.to_string().contains("repeats itself"), "{}", finding.detail);
    assert!(run(0.2).quiet(&CHECK), "a teacher may be as sure");
    let found = crate::diagnose(&run(0.006).build(), &crate::Rulebook::default()).findings;
    let pinned = found.iter().find(|finding| finding.code == Code::LengthPinnedAtCap).unwrap();
    assert_eq!(pinned.explained_by, [Code::EntropyCollapse]);
    let evaluated = run(0.006).every("test/env/all/reward/total", 5, |t| 0.2 + 0.7 * t);
    assert!(evaluated.quiet(&CHECK), "an evaluation tells");
}

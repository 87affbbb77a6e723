//! Tests of the verdict in words.

use super::*;
use crate::checks::testing::{Synthetic, within};
use crate::{Rulebook, diagnose};

#[test]
fn the_summary_does_not_repeat_the_headline() {
    let mut run = Synthetic::healthy(300).build();
    run.ending.state = rundown_run::RunState::Crashed;
    let diagnosis = diagnose(&run, &Rulebook::default());
    let headline = diagnosis.headline.to_string();
    assert_eq!(headline, diagnosis.findings[0].title.to_string());
    assert!(!diagnosis.summary.to_string().contains(&headline), "{}", diagnosis.summary);
}

#[test]
fn a_fall_that_is_too_small_is_no_learning_that_is_too_small() {
    let scores = [0.023228, 0.022213, 0.020314, 0.020261, 0.020393, 0.020195];
    let run = Synthetic::new(60)
        .noisy("train/reward", 0.1, |_| 0.5)
        .every("eval/ndcg@10", 10, |t| scores[(t * 6.0).round() as usize]);
    let headline = diagnose(&run.build(), &Rulebook::default()).headline.to_string();
    assert!(headline.ends_with("too uncertain, to count as a decline"), "{headline}");
}

#[test]
fn what_was_learned_before_the_first_evaluation_is_told() {
    let begun = [0.125, 0.15, 0.219, 0.267, 0.314, 0.367, 0.359, 0.525, 0.594, 0.598];
    let said = |begun: [f64; 10]| {
        let run = Synthetic::new(50).every("train/reward", 1, |t| {
            let late = 0.85 + 0.1 * libm::sin(7919.0 * t);
            begun.get((50.0 * t).round() as usize).copied().unwrap_or(late)
        });
        let mut run = run.build();
        for (place, score) in [0.68, 0.85, 0.78, 0.87, 0.81].into_iter().enumerate() {
            run.push_value("eval/accuracy", 10 * place as u32 + 9, score);
        }
        within(&run, learned_before).map(|told| told.to_string())
    };
    let late = said(begun).unwrap_or_default();
    assert!(late.starts_with("; before its first point train/reward went from 0.16"), "{late}");
    assert_eq!(said([0.85; 10]), None);
}

#[test]
fn a_likely_gain_is_no_noise_and_what_training_shows_is_told() {
    // The p of the change is 0.026.
    let solved = [8.0, 11.0, 12.0, 21.0, 16.0, 15.0, 20.0, 18.0, 19.0];
    let said = |rise: f64| {
        let run = Synthetic::new(225)
            .noisy("train/rewards/correctness/mean", 0.01, |t| 0.1 + rise * t)
            .every("eval/accuracy", 25, |t| solved[(t * 9.0).round() as usize] / 128.0)
            .build();
        within(&run, |context| headline(context, Verdict::Undecided, &[])).to_string()
    };
    let told = said(0.05);
    assert!(told.contains("too uncertain, to count as learning; in training, train/rewards/corr"), "{told}");
    assert!(said(0.0).ends_with("too uncertain, to count as learning"), "{}", said(0.0));
}

#[test]
fn a_policy_that_learned_did_not_stop_exploring_before_it() {
    let told = |run: Synthetic| {
        let run = run.build();
        let finding = Finding::new(Code::EntropyCollapse, Severity::Warning, "");
        within(&run, |context| of_finding(context, &finding)).to_string()
    };
    assert_eq!(told(Synthetic::healthy(300)), "The policy has become nearly deterministic");
    assert_eq!(told(Synthetic::new(20)), "The policy stopped exploring", "it is not known");
    let flat = told(Synthetic::healthy(300).every("eval/accuracy", 10, |_| 0.5));
    assert!(flat.ends_with("before it had learned the task"), "{flat}");
}

#[test]
fn few_points_without_a_known_change_have_the_levels_of_the_table() {
    let said = |values: [f64; 8]| {
        let run = Synthetic::new(8).every("train/reward", 1, |t| values[(8.0 * t).round() as usize]);
        diagnose(&run.build(), &Rulebook::default()).summary.to_string()
    };
    // From the first point to the last two it falls, between the means of two it rises.
    let noisy = said([2.4, 1.5, 1.8, 1.7, 1.9, 1.8, 1.9, 2.06]);
    let expected = "train/reward goes from 1.95 to 1.98 (means of the first 2 and the last 2 of 8 points).";
    assert!(noisy.contains(expected), "{noisy}");
    let still = said([0.2061, 0.2059, 0.2063, 0.206, 0.2058, 0.2061, 0.2062, 0.206]);
    assert!(still.contains("train/reward stays at 0.206 (means"), "{still}");
}

#[test]
fn a_gain_shows_in_the_digits_of_its_levels() {
    let run = Synthetic::new(300).noisy("train/reward", 0.001, |t| 1.0864 + 0.0068 * t);
    let headline = diagnose(&run.build(), &Rulebook::default()).headline.to_string();
    assert!(headline.starts_with("Healthy: train/reward rose from 1.08"), "{headline}");
}

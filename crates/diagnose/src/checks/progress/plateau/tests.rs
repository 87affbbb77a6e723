//! Tests of the plateau.

use super::*;
use crate::checks::testing::{Synthetic, change, jump};

fn rewarded(level: impl Fn(f64) -> f64) -> Synthetic {
    Synthetic::healthy(300).without("eval/accuracy").noisy("train/reward", 0.1, level)
}

#[test]
fn a_plateau_is_a_note_and_begins_where_the_gain_ends() {
    let finding = rewarded(|t| 0.2 + 2.0 * t.min(0.4)).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Note);
    assert!((110.0..=130.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    let decayed =
        rewarded(|t| 0.2 + 2.0 * t.min(0.4)).every("train/learning_rate", 1, |t| 1e-5 * (1.0 - 2.0 * t).max(0.0));
    assert!(decayed.finding(&CHECK).detail.to_string().contains("learning rate"));
    let broken = |t: f64| if (0.6..0.75).contains(&t) { 0.2 } else { flat(t) };
    assert!(rewarded(broken).quiet(&CHECK), "it came back to its level");
}

#[test]
fn a_reward_shows_the_plateau_of_an_evaluation_that_is_too_noisy() {
    let noisy = |t: f64| flat(t) + 0.15 * libm::sin(1000.0 * t);
    let run =
        |reward: fn(f64) -> f64| rewarded(reward).noisy("train/reward", 0.04, reward).every("eval/accuracy", 12, noisy);
    let finding = run(flat).finding(&CHECK);
    assert!(finding.title.to_string().starts_with("train/reward has stayed"), "{}", finding.title);
    assert!(run(|t| 0.2 + 0.8 * t).quiet(&CHECK));
}

/// What is advised, in the order of the finding.
fn advised(run: Synthetic) -> Vec<String> {
    run.finding(&CHECK).actions.iter().map(|action| change(action).0).collect()
}

fn flat(t: f64) -> f64 {
    0.2 + 2.0 * t.min(0.4)
}

#[test]
fn more_steps_are_advised_only_where_the_last_third_rises() {
    let stands = advised(rewarded(flat));
    assert!(stands.iter().any(|advice| advice.starts_with("Stop here")), "{stands:?}");
    let creep = |t: f64| flat(t) + 0.11 * (t - 0.4).max(0.0);
    let creeping = || rewarded(creep).noisy("train/reward", 0.02, creep);
    let title = creeping().finding(&CHECK).title.to_string();
    assert!(title.contains("has gained at most"), "{title}");
    let creeps = advised(creeping());
    assert!(creeps.iter().any(|advice| advice.starts_with("Go on")), "{creeps:?}");
}

#[test]
fn the_schedule_of_the_learning_rate_is_advised_on_by_what_it_was() {
    let with_rate = |rate: fn(f64) -> f64| {
        let run =
            rewarded(flat).noisy("train/entropy", 0.03, |_| 0.5).noisy("train/frac_reward_zero_std", 0.02, |_| 0.1);
        advised(run.every("train/learning_rate", 1, rate))
    };
    let constant = with_rate(|_| 1e-6);
    assert!(constant.iter().any(|advice| advice.starts_with("Let the learning rate decay")), "{constant:?}");
    let decayed = with_rate(|t| 1e-6 * (1.0 - 2.0 * t).max(0.0));
    assert!(decayed.iter().any(|advice| advice.starts_with("Plan the decay")), "{decayed:?}");
    let cosine = with_rate(|t| 1e-6 * (1.0 - 0.7 * t));
    assert!(cosine.iter().all(|advice| !advice.contains("learning rate")), "{cosine:?}");
}

#[test]
fn temperature_is_advised_where_the_entropy_is_spent_and_opponents_in_a_league() {
    let spent = rewarded(flat).noisy("train/entropy", 0.001, |t| 0.5 * libm::exp(-6.0 * t));
    let spent = advised(spent.config("temperature", 0.8));
    assert_eq!(spent.first().map(String::as_str), Some("temperature"), "{spent:?}");
    let negative = rewarded(flat).noisy("train/entropy", 0.001, |_| -5.0).finding(&CHECK).detail.to_string();
    assert!(!negative.contains("is spent"), "{negative}");
    let league = rewarded(flat).noisy("elo/challenger", 5.0, |t| 1000.0 + 100.0 * t);
    let league = advised(league);
    assert!(league.iter().any(|advice| advice.contains("opponents")), "{league:?}");
    assert!(advised(rewarded(flat)).iter().all(|advice| !advice.contains("opponents")));
}

#[test]
fn steady_gains_late_lift_off_and_no_gain_are_quiet() {
    assert!(rewarded(|t| 0.2 + t).quiet(&CHECK));
    assert!(rewarded(|t| 0.1 + 2.0 * (t - 0.6).max(0.0)).quiet(&CHECK));
    assert!(rewarded(|_| 0.5).quiet(&CHECK));
    assert!(rewarded(|t| 0.2 + jump(t, 0.9)).quiet(&CHECK));
    assert!(matches!(Synthetic::new(100).check(&CHECK), Outcome::Skipped(_)));
}

#[test]
fn groups_that_hardly_differ_any_more_are_the_cause() {
    let cause_by = |key: &str, last: f64, run: Synthetic| {
        let spread = move |t: f64| if t < 0.4 { 0.35 } else { last };
        run.every(key, 1, spread).finding(&CHECK).detail.to_string()
    };
    let cause = |last: f64, run: Synthetic| cause_by("train/reward_std", last, run);
    let run = || rewarded(flat).noisy("train/entropy", 0.03, |_| 0.5).without("train/frac_reward_zero_std");
    let spent = "hardly any variance";
    assert!(cause(0.003, run()).contains(spent), "{}", cause(0.003, run()));
    assert!(!cause(0.1, run()).contains(spent), "{}", cause(0.1, run()));
    assert!(!cause(0.003, run().noisy("train/value_loss", 0.01, |_| 0.2)).contains(spent), "a critic needs no groups");
    let mut game = Synthetic::new(300).noisy("rollout/ep_rew_mean", 0.1, flat);
    game.run.config = rundown_run::Config::default();
    assert!(!cause_by("rollout/reward_std", 0.003, game).contains(spent), "episodes are in no groups");
}

//! Tests of a reward that breaks.

use super::*;
use crate::checks::testing::{Synthetic, change, jump, saturating, within};

#[test]
fn a_function_that_stops_working_is_named() {
    let run = Synthetic::healthy(400)
        .noisy("train/reward", 0.15, |t| 1.4 + 0.7 * saturating(t) - 0.95 * jump(t, 0.55))
        .noisy("train/rewards/number_check/mean", 0.02, |t| 0.95 - 0.95 * jump(t, 0.55));
    let finding = run.finding(&CHECK);
    assert!((219.0..=223.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    assert!(finding.detail.to_string().contains("number_check"), "{}", finding.detail);
    assert!(finding.detail.to_string().contains("not the policy"), "{}", finding.detail);
}

#[test]
fn a_rate_of_errors_that_rises_with_the_break_is_a_damaged_policy() {
    let run = Synthetic::healthy(400)
        .noisy("train/reward", 0.05, |t| 2.0 - 1.1 * jump(t, 0.6))
        .without("eval/accuracy")
        .every("eval/error_rate", 10, |t| 0.2 + 0.5 * jump(t, 0.6));
    let finding = run.finding(&CHECK);
    assert!(finding.detail.to_string().contains("got worse with it, from 0.2 to 0.7"), "{}", finding.detail);
}

#[test]
fn one_odd_point_makes_no_level() {
    let reward = |t: f64| match (44.0 * t).round() as u32 {
        place @ 0..9 => 4.9 + 0.1 * f64::from(place % 3),
        9 => -5.0,
        place => 0.02 + 0.01 * f64::from(place % 4),
    };
    let title = Synthetic::new(44).every("train/reward", 1, reward).finding(&CHECK).title.to_string();
    assert!(title.starts_with("Reward fell from 5") && title.contains("to 0.03"), "{title}");
}

#[test]
fn time_outs_that_begin_with_the_break_are_told() {
    let told = |key: &str, level: fn(f64) -> f64| {
        let run = Synthetic::healthy(400).noisy("train/reward", 0.05, |t| 2.0 - 1.1 * jump(t, 0.51));
        run.every(key, 100, level).finding(&CHECK).detail.to_string()
    };
    let detail = |level: fn(f64) -> f64| told("val-aux/hotpotqa/search_timeout_count", level);
    let begun = detail(|t| 0.3 * jump(t, 0.5));
    assert!(begun.contains("search_timeout_count was 0 before and is 0.3 at step 201"), "{begun}");
    assert!(!detail(|_| 0.3).contains("timeout"), "they were there all along");
    assert!(!detail(|t| 0.3 * jump(t, 0.25)).contains("timeout"), "they began long before");
    assert!(detail(|t| 0.05 * jump(t, 0.5)).contains("timeout"), "few, and they go on");
    assert!(!detail(|t| 0.05 * (jump(t, 0.5) - jump(t, 0.6))).contains("timeout"), "few, and once");
    assert!(told("search/Timeouts", |t| 0.3 * jump(t, 0.5)).contains("Timeouts"), "in capitals");
    assert!(!told("episodes/timed_out", |t| 0.3 * jump(t, 0.5)).contains("timed_out"), "without tools");
}

#[test]
fn the_last_step_before_the_break_is_a_logged_one() {
    let finding =
        Synthetic::new(400).every("train/reward", 10, |t| if t < 0.5 { 2.0 + t } else { 0.0 }).finding(&CHECK);
    assert_eq!(finding.onset, Some(201.0));
    assert!(finding.refute.to_string().starts_with("Responses from step 191 "), "{}", finding.refute);
}

#[test]
fn a_break_that_recovers_later_is_still_one() {
    let run = Synthetic::healthy(400).noisy("train/reward", 0.15, |t| 2.0 - jump(t, 0.6) * (1.1 - 1.5 * (t - 0.6)));
    let finding = run.finding(&CHECK);
    assert!((238.0..=244.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
}

#[test]
fn a_break_that_was_made_good_in_a_run_that_learned_is_a_note() {
    let run = |back: f64| {
        Synthetic::healthy(400)
            .without("eval/accuracy")
            .noisy("train/reward", 0.1, move |t| {
                1.0 + 2.0 * t - 1.2 * jump(t, 0.4) * (1.0 - back * (t - 0.4) / 0.4).max(0.0)
            })
            .finding(&CHECK)
    };
    let recovered = run(1.0);
    assert_eq!(recovered.severity, Severity::Note);
    assert!(recovered.detail.to_string().contains("It rose again"), "{}", recovered.detail);
    assert!(!recovered.detail.to_string().contains("No single"), "no reward functions are logged");
}

#[test]
fn a_reward_that_is_zero_to_the_end_is_a_break_in_few_points() {
    let run = || Synthetic::new(25).every("train/reward", 1, |t| if t < 0.2 { 2.0 + t } else { 0.0 });
    let finding = run().finding(&CHECK);
    assert_eq!((finding.onset, finding.severity), (Some(6.0), Severity::Warning));
    assert!(finding.title.to_string().starts_with("Reward is 0 in every step from step 6 on"), "{}", finding.title);
    assert_eq!(finding.causes, Vec::new(), "no setting is known");
    let fast = run().config("learning_rate", 0.01).finding(&CHECK);
    assert_eq!(fast.causes.first().map(|cause| cause.config.as_str()), Some("learning_rate"));
    assert_eq!(change(&fast.actions[0]).0, "learning_rate");
    let noisy = Synthetic::new(25).noisy("train/reward", 0.3, |t| if t < 0.2 { 2.0 } else { 0.0 });
    assert!(noisy.quiet(&CHECK), "few points and no constant");
}

#[test]
fn a_break_in_the_last_steps_is_found_before_the_run_goes_on() {
    let run = |points: f64| {
        Synthetic::new(80).noisy("train/reward", 0.1, move |t| if t > 1.0 - points / 80.0 { 0.2 } else { 0.8 })
    };
    for points in [3.0, 4.0, 5.0] {
        let onset = run(points + 0.5).finding(&CHECK).onset.unwrap();
        assert!((onset - (81.0 - points)).abs() <= 1.0, "{points} points: {onset}");
    }
    assert!(run(1.5).quiet(&CHECK), "one point");
    for seed in 0..200 {
        let noise = rundown_stats::testing::ar1(seed, 80, 0.5);
        let run = Synthetic::new(80).every("train/reward", 1, |t| noise[(80.0 * t).round() as usize]);
        assert!(run.quiet(&CHECK), "seed {seed}");
    }
}

#[test]
fn slow_declines_rises_spikes_and_noise_are_quiet() {
    assert!(Synthetic::healthy(400).quiet(&CHECK));
    let decline = Synthetic::healthy(400).noisy("train/reward", 0.02, |t| 2.0 - 1.5 * t);
    assert!(decline.quiet(&CHECK));
    let rising = Synthetic::healthy(400).noisy("train/reward", 0.1, |t| 1.0 + jump(t, 0.5));
    assert!(rising.quiet(&CHECK));
    let dip = Synthetic::healthy(400).noisy("train/reward", 0.1, |t| if (0.5..0.51).contains(&t) { 0.2 } else { 2.0 });
    assert!(dip.quiet(&CHECK));
}

#[test]
fn correlated_noise_is_quiet() {
    for seed in 0..60 {
        let noise = rundown_stats::testing::ar1(seed, 500, 0.9);
        let fall = largest_fall(&noise).unwrap();
        let run = Synthetic::healthy(60).build();
        assert!(!within(&run, |context| fall.is_break(context)), "seed {seed}: {fall:?}");
    }
}

#[test]
fn harder_data_while_the_evaluation_goes_on_rising_is_a_note() {
    let run = |gain: f64| {
        Synthetic::healthy(400)
            .noisy("train/reward", 0.15, |t| 1.4 + 0.7 * saturating(t) - 0.8 * jump(t, 0.55))
            .every("eval/accuracy", 10, move |t| 0.4 + 0.2 * t.min(0.55) + gain * (t - 0.55).max(0.0))
            .finding(&CHECK)
    };
    let harder = run(0.5);
    assert_eq!(harder.severity, Severity::Note);
    assert!(harder.detail.to_string().contains("goes on improving"), "{}", harder.detail);
    let broken = run(0.0);
    assert_eq!(broken.severity, Severity::Warning);
    // The policy is as good as it was.
    assert!(broken.actions.iter().all(|action| !change(action).0.starts_with("Go back")), "{:?}", broken.actions);
}

#[test]
fn data_that_alternate_are_no_break() {
    let run = |times: f64| {
        Synthetic::healthy(400).noisy("train/reward", 0.05, move |t| {
            let high = libm::sin(std::f64::consts::TAU * times * t) >= 0.0;
            if high { 2.0 } else { 1.2 }
        })
    };
    assert!(run(6.0).quiet(&CHECK));
    assert!(!run(1.0).quiet(&CHECK));
}

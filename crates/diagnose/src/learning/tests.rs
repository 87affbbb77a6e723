//! Tests of the primary metric.

use super::*;
use crate::checks::testing::{Synthetic, jump};
use crate::{Context, Rulebook};
use rundown_run::Run;
use rundown_stats::testing::{ar1, white};
use rundown_vocabulary::bind;

fn assessed(run: &Run) -> Learning {
    let bindings = bind(run);
    let rulebook = Rulebook::default();
    Context::new(run, &bindings, &rulebook).learning
}

/// How many of 200 runs with `points` evaluations of `tasks` tasks, which truly gain `gain`, are in a state.
fn states(gain: f64, points: u32, tasks: f64, wanted: LearningState) -> usize {
    let run = |seed: u64| {
        let noise = white(seed, points as usize);
        let mut run = Run::default();
        for (index, draw) in (0..points).zip(noise) {
            let share = 0.5 + gain * (1.0 - libm::exp(-4.0 * f64::from(index) / f64::from(points)));
            let score = share + draw * (share * (1.0 - share) / tasks).sqrt();
            let row = run.push_row(10.0 * f64::from(index), f64::NAN);
            run.push_value("eval/accuracy", row, (score * tasks).round() / tasks);
        }
        run.choose_axis();
        run
    };
    (0..200).filter(|seed| assessed(&run(*seed)).state == wanted).count()
}

#[test]
fn chance_is_seldom_taken_for_learning() {
    for (points, tasks) in [(7, 64.0), (17, 64.0), (31, 64.0), (31, 500.0)] {
        assert!(states(0.0, points, tasks, LearningState::Improved) <= 8, "{points} of {tasks}");
        assert!(states(0.0, points, tasks, LearningState::Declined) <= 8, "{points} of {tasks}");
    }
}

#[test]
fn learning_is_found_and_a_small_gain_seldom_called_flat() {
    for (points, tasks) in [(17, 64.0), (31, 64.0), (31, 500.0)] {
        assert!(states(0.3, points, tasks, LearningState::Improved) >= 180, "{points} of {tasks}");
        assert!(states(-0.3, points, tasks, LearningState::Declined) >= 180, "{points} of {tasks}");
    }
    assert!(states(0.05, 31, 500.0, LearningState::Flat) <= 25);
    assert!(states(0.0, 31, 500.0, LearningState::Flat) >= 150);
}

#[test]
fn evaluations_of_few_tasks_that_climb_are_not_called_flat() {
    // Of 8 tasks each, from 1 in 9 to 1 in 3.
    let solved = [1, 0, 1, 1, 0, 1, 3, 1, 3, 3, 1, 2, 2, 2, 4, 2].map(|tasks| f64::from(tasks) / 8.0);
    let at = move |t: f64| solved[((t * 16.0) as usize).min(15)];
    let run = Synthetic::new(320).every("eval/accuracy", 20, at).noisy("train/reward", 0.4, |_| 0.3).build();
    assert_eq!(assessed(&run).state, LearningState::Unknown);
}

#[test]
fn a_logged_number_of_tasks_is_taken() {
    let run = |tasks: f64| {
        let level = |t: f64| 0.4 + 0.08 * jump(t, 0.5) + 0.001_234_5 * libm::sin(10.0 * t);
        let run = Synthetic::new(160).every("eval/accuracy", 10, level);
        assessed(&run.every("eval/num_examples", 10, move |_| tasks).build())
    };
    for name in ["eval/n_scored", "eval/num_questions"] {
        let run = Synthetic::new(160).every("eval/accuracy", 10, |t| 0.4 + 0.001_234_5 * libm::sin(10.0 * t));
        assert_eq!(assessed(&run.every(name, 10, |_| 40.0).build()).tasks, Some(40), "{name}");
    }
    assert_eq!((run(40.0).tasks, run(40.0).state), (Some(40), LearningState::Unknown));
    assert_eq!((run(5000.0).tasks, run(5000.0).state), (Some(5000), LearningState::Improved));
    let growing = Synthetic::new(160).every("eval/accuracy", 10, |t| 0.4 + 0.001_234_5 * libm::sin(10.0 * t));
    assert_eq!(assessed(&growing.every("eval/num_examples", 10, |t| 100.0 * t).build()).tasks, None);
}

#[test]
fn an_unlucky_first_evaluation_is_no_gain_where_the_reward_stands_still() {
    let run = |first: f64| {
        Synthetic::new(300)
            .every("eval/accuracy", 10, move |t| 0.3 + 0.02 * libm::sin(900.0 * t) - if t == 0.0 { first } else { 0.0 })
            .noisy("train/reward", 0.04, |_| 0.3)
            .build()
    };
    assert_eq!(assessed(&run(0.0)).state, LearningState::Flat);
    assert_eq!(assessed(&run(0.03)).state, LearningState::Flat);
}

#[test]
fn a_first_evaluation_far_from_all_others_is_a_change_however_fast_it_was() {
    let level = |first: f64, later: f64| {
        let scores = [first, 0.036, 0.04, 0.002, 0.008, 0.0, 0.008, -0.006, 0.002, -0.022, 0.0];
        let run = Synthetic::new(500).every("eval/accuracy", 50, move |t| {
            let place = (t * 10.0).round() as usize;
            scores.get(place).map_or(later, |score| if place == 0 { *score } else { later + score })
        });
        assessed(&run.noisy("train/reward", 0.4, |_| 0.5).build()).state
    };
    assert_eq!(level(0.156, 0.416), LearningState::Improved);
    assert_eq!(level(0.716, 0.416), LearningState::Declined);
    assert_ne!(level(0.376, 0.416), LearningState::Improved, "an unlucky start");
}

#[test]
fn a_slow_rise_over_the_whole_run_is_a_gain() {
    let noise = white(4, 30);
    let run = Synthetic::new(300).every("eval/accuracy", 10, |t| {
        0.3 + 0.07 * t + 0.02 * noise.get((t * 30.0).round() as usize).copied().unwrap_or(0.0)
    });
    assert_eq!(assessed(&run.build()).state, LearningState::Improved);
}

#[test]
fn a_gain_that_is_lost_again_is_a_decline() {
    let run =
        Synthetic::new(400).every("eval/accuracy", 10, |t| 0.5 + 0.35 * jump(t, 0.1) - 0.34 * jump(t, 0.6)).build();
    assert_eq!(assessed(&run).state, LearningState::Declined);
}

#[test]
fn two_points_do_not_show_their_noise() {
    let mut run = Run::default();
    for (step, reward) in [(10.0, 0.15), (14.0, 0.125)] {
        let row = run.push_row(step, f64::NAN);
        run.push_value("reward", row, reward);
    }
    run.choose_axis();
    let learning = assessed(&run);
    assert!(learning.p.is_nan() && learning.why.to_string().contains("too few points to tell"), "{}", learning.why);
    let summary = crate::diagnose(&run, &Rulebook::default()).summary.to_string();
    assert!(summary.contains("reward goes from 0.15 to 0.125 (the first and the last of 2 points)"), "{summary}");
}

#[test]
fn too_few_evaluations_leave_it_to_the_reward() {
    let run = Synthetic::new(200).every("eval/accuracy", 60, |t| t).noisy("train/reward", 0.1, |t| t).build();
    let learning = assessed(&run);
    assert_eq!(learning.measure.as_ref().map(|measure| measure.key.as_str()), Some("train/reward"));
    assert_eq!(learning.state, LearningState::Improved);
    assert!(learning.why.to_string().contains("too few for a verdict"), "{}", learning.why);
    // More than two rewards for each accuracy of the training prompts.
    let run = Synthetic::new(500).every("train/accuracy", 10, |t| t).noisy("train/reward", 0.1, |t| t).build();
    let learning = assessed(&run);
    assert_eq!(learning.measure.as_ref().map(|measure| measure.key.as_str()), Some("train/reward"));
    assert!(!learning.why.to_string().contains("too few"), "{}", learning.why);
}

#[test]
fn nothing_logged_is_unknown() {
    assert_eq!(assessed(&Run::default()).state, LearningState::Unknown);
}

#[test]
fn a_reward_near_its_floor_may_double_within_the_noise_of_a_point() {
    let run = |noise: f64| {
        let draws = white(11, 130);
        let run = Synthetic::new(130).every("train/reward", 1, |t| {
            let draw = draws.get((t * 130.0).round() as usize).copied().unwrap_or(0.0);
            ((0.05 + 0.015 * t + noise * draw).max(0.0) * 16.0).round() / 16.0
        });
        assessed(&run.build()).state
    };
    assert_eq!(run(0.07), LearningState::Unknown);
    let far = Synthetic::new(300).noisy("train/reward", 0.07, |_| 0.5);
    assert_eq!(assessed(&far.build()).state, LearningState::Flat);
}

#[test]
fn few_points_of_a_reward_that_climb_all_along_are_a_gain() {
    let improved = |gain: f64, correlation: f64| {
        let run = |seed: u64| {
            let draws = ar1(seed, 26, correlation);
            Synthetic::new(25)
                .every("train/reward", 1, move |t| {
                    let draw = draws.get((t * 25.0).round() as usize).copied().unwrap_or(0.0);
                    0.5 + gain * (1.0 - libm::exp(-3.0 * t)) + 0.2 * draw
                })
                .build()
        };
        (0..200).filter(|seed| assessed(&run(*seed)).state == LearningState::Improved).count()
    };
    let found = [improved(0.8, 0.0), improved(0.0, 0.0), improved(0.0, 0.5)];
    assert!(found[0] >= 150 && found[1] <= 1 && found[2] <= 4, "{found:?}");
}

#[test]
fn penalties_for_crashes_do_not_hide_what_was_learned() {
    let run = |gain: f64, crashes: &'static [usize]| {
        Synthetic::new(200)
            .noisy("train/reward", 0.1, move |t| {
                if crashes.contains(&((200.0 * t).round() as usize)) { -1000.0 } else { 0.3 + gain * t }
            })
            .build()
    };
    assert_eq!(assessed(&run(0.5, &[30, 120])).state, LearningState::Improved);
    assert_eq!(assessed(&run(-0.5, &[30, 120])).state, LearningState::Declined);
    let gained = assessed(&run(0.5, &[3, 180]));
    assert_eq!(gained.state, LearningState::Improved, "within both levels");
    assert!(gained.first > 0.0 && gained.last < 1.0, "{}", gained.why);
}

#[test]
fn one_lucky_batch_among_the_first_is_no_level_that_was_lost() {
    let state = |high: &'static [usize]| {
        let run = Synthetic::new(100).noisy("train/reward", 0.012, move |t| {
            if high.contains(&((100.0 * t).round() as usize)) { 0.45 } else { 0.065 }
        });
        assessed(&run.build()).state
    };
    assert_ne!(state(&[2]), LearningState::Declined);
    assert_eq!(state(&[0, 1, 2, 3]), LearningState::Declined, "the first point is high as well");
}

/// Evaluations of 64 tasks, as counts of right answers, every ten steps.
fn evaluated(right: &'static [u32], reward: impl Fn(f64) -> f64) -> Learning {
    let (steps, last) = (10 * right.len(), right.len() - 1);
    let share = |t: f64| f64::from(right[((t * right.len() as f64).round() as usize).min(last)]) / 64.0;
    assessed(&Synthetic::new(steps).every("eval/accuracy", 10, share).noisy("train/reward", 0.06, reward).build())
}

#[test]
fn a_few_tasks_more_are_no_sure_gain_however_steadily_they_came() {
    const FIVE: &[u32] = &[31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 32, 33, 34, 34, 35, 35, 36, 36, 36];
    const TWELVE: &[u32] = &[31, 31, 31, 31, 31, 32, 33, 33, 34, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 43, 43];
    assert_ne!(evaluated(FIVE, |_| 0.3).state, LearningState::Improved);
    assert_eq!(evaluated(TWELVE, |_| 0.3).state, LearningState::Improved);
    const LOST: &[u32] = &[1, 1, 2, 3, 3, 3, 3, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    assert_ne!(evaluated(LOST, |t| 0.3 + 0.2 * t).state, LearningState::Declined);
}

#[test]
fn what_the_first_steps_gained_counts_where_the_reward_agrees() {
    const SOLVED: &[u32] =
        &[31, 37, 37, 47, 32, 38, 41, 42, 40, 50, 52, 49, 50, 48, 42, 51, 33, 31, 33, 35, 37, 39, 46, 50, 35, 40];
    let agreed = evaluated(SOLVED, |t| 0.25 + 0.25 * t);
    assert_eq!(agreed.state, LearningState::Improved);
    assert!(agreed.why.to_string().contains("agrees"), "{}", agreed.why);
    assert_ne!(evaluated(SOLVED, |_| 0.3).state, LearningState::Improved);
}

#[test]
fn a_likely_gain_of_few_evaluations_counts_where_they_climb_and_the_reward_agrees() {
    // Right answers of 664: the mean of the last two lies 2.9 standard errors above the first.
    let of = |scores: [f64; 5], reward: fn(f64) -> f64| {
        let run = Synthetic::new(51).noisy("train/reward", 0.05, reward);
        assessed(&run.every("eval/accuracy", 12, |t| scores[(t * 51.0 / 12.0).round() as usize] / 664.0).build()).state
    };
    let climbing = [353.0, 363.0, 379.0, 387.0, 409.0];
    assert_eq!(of(climbing, |t| 0.2 + 0.2 * t), LearningState::Improved);
    assert_eq!(of(climbing, |_| 0.3), LearningState::Unknown, "too few by themselves");
    assert_eq!(of([353.0, 387.0, 363.0, 379.0, 409.0], |t| 0.2 + 0.2 * t), LearningState::Unknown, "they do not climb");
}

#[test]
fn evaluations_far_below_the_first_one_are_a_decline() {
    const SOLVED: &[u32] =
        &[31, 22, 4, 17, 17, 22, 13, 13, 14, 14, 18, 15, 14, 17, 17, 14, 12, 12, 18, 12, 10, 14, 16, 20, 19, 18];
    assert_eq!(evaluated(SOLVED, |_| 0.3).state, LearningState::Declined);
}

#[test]
fn a_run_of_final_values_alone_says_so() {
    let mut run = Run::default();
    assert!(assessed(&run).why.to_string().starts_with("No logged metric"));
    run.summary.insert("final_reward", rundown_run::ConfigValue::Number(0.5));
    assert!(assessed(&run).why.to_string().starts_with("Only final values"));
}

#[test]
fn an_accuracy_of_each_step_s_own_responses_is_measured_as_a_reward_is() {
    let right = |t: f64| if ((t * 500.0).round() as usize).is_multiple_of(3) { 0.03 } else { 0.0 };
    let run = |key: &str| {
        assessed(&Synthetic::new(500).every(key, 1, right).noisy("train/reward", 0.05, |t| 0.3 + 0.1 * t).build())
    };
    let (of_batches, evaluation) = (run("correct"), run("eval/accuracy"));
    assert_eq!(of_batches.state, LearningState::Flat, "{}", of_batches.why);
    assert!(of_batches.why.to_string().contains("means of the first 50"), "{}", of_batches.why);
    assert!(evaluation.why.to_string().contains("means of the first 10"), "{}", evaluation.why);
}

#[test]
fn a_score_that_was_never_computed_is_no_measure_beside_one_that_was() {
    let run = |other: fn(f64) -> f64| {
        let run = Synthetic::new(300).every("eval/quality_score", 5, |_| 0.0).every("eval/select_score", 5, other);
        assessed(&run.noisy("train/reward", 0.05, |t| 0.3 + 0.3 * t).build())
    };
    let measured = run(|t| 0.6 + 0.5 * t);
    assert_eq!(measured.measure.unwrap().key, "eval/select_score");
    assert!(run(|_| 0.0).why.to_string().contains("_score"), "both are 0");
}

#[test]
fn equal_rewards_with_a_few_bad_steps_are_no_gain_where_the_first_step_is_one_of_them() {
    let state = |rewards: &[f64]| {
        let mut run = Run::default();
        for (step, reward) in rewards.iter().enumerate() {
            let row = run.push_row(5.0 * step as f64, f64::NAN);
            run.push_value("reward", row, *reward);
        }
        run.choose_axis();
        assessed(&run).state
    };
    // One answer for nearly every prompt: 0.64 in most steps, and less in a few at any time.
    let mut same = [0.64; 40];
    let others =
        [(0, 0.544), (2, 0.586), (11, 0.5825), (16, 0.5975), (22, 0.565), (23, 0.544), (28, 0.565), (34, 0.589)];
    others.iter().for_each(|(at, reward)| same[*at] = *reward);
    assert_ne!(state(&same), LearningState::Improved);
    let mut first_steps = [-0.1; 29];
    for (at, reward) in [(0, -0.1425), (1, -0.105), (2, -0.125), (3, -0.105), (6, -0.085), (10, -0.085), (13, -0.11)] {
        first_steps[at] = reward;
    }
    let others = [(15, -0.085), (17, -0.105), (18, -0.1075), (20, -0.105), (21, -0.11), (23, -0.11), (24, -0.105)];
    others.iter().for_each(|(at, reward)| first_steps[*at] = *reward);
    assert_ne!(state(&first_steps), LearningState::Improved);
    // A climb within the first steps is no noise.
    let mut learned = [0.8; 40];
    learned[..5].copy_from_slice(&[0.2, 0.35, 0.5, 0.64, 0.72]);
    assert_eq!(state(&learned), LearningState::Improved);
}

#[test]
fn an_accuracy_of_the_training_is_no_evaluation_however_few_its_points() {
    let run = Synthetic::new(70).every("train/accuracy", 10, |t| 0.8 + 0.1 * t).noisy("train/reward", 0.05, |_| 0.5);
    let run = run.build();
    let (bindings, rulebook) = (bind(&run), Rulebook::default());
    let context = Context::new(&run, &bindings, &rulebook);
    assert!(context.signals(Concept::Evaluation).iter().all(|signal| !signal.repeats_tasks()));
    assert_eq!(context.learning.measure.as_ref().map(|measure| measure.key.as_str()), Some("train/reward"));
}

#[test]
fn a_window_that_fills_at_the_start_is_no_gain_that_was_lost() {
    // The share of the last 20 episodes that succeeded, four more at each step.
    let lost = |seed: u64| {
        let won: Vec<f64> = white(seed, 1600).iter().map(|draw| f64::from(*draw > 1.5)).collect();
        let mut run = Run::default();
        for step in 0..400 {
            let row = run.push_row(step as f64, f64::NAN);
            let window = &won[(4 * step + 4_usize).saturating_sub(20)..4 * step + 4];
            run.push_value("success_rate", row, window.iter().sum::<f64>() / window.len() as f64);
        }
        run.choose_axis();
        let learning = assessed(&run);
        learning.state == LearningState::Declined && learning.last >= learning.first
    };
    let count = (0..200).filter(|seed| lost(*seed)).count();
    assert!(count <= 2, "{count} of 200");
}

#[test]
fn a_change_is_too_small_to_see_only_where_noise_hides_it() {
    let book = Rulebook::default();
    let of = |error: f64, is_share| {
        let change =
            LevelChange { first: 0.2, last: 0.2, sigma: error, error, points: (5, 5), noise_points: f64::INFINITY };
        detectable(&book, &change, is_share)
    };
    assert_eq!(of(0.05, true), book.learning_z().value * 0.05);
    assert!(of(0.001, true).is_nan() && of(0.001, false) > 0.0, "a share that changes by less does not matter");
    assert!(of(0.0, false).is_nan());
}

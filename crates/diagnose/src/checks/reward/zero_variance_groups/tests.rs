//! Tests of zero-variance groups.

use super::*;
use crate::checks::testing::{Synthetic, change, jump, saturating};

#[test]
fn a_constant_reward_is_critical() {
    let run = Synthetic::healthy(300).noisy("train/reward", 0.0, |_| 1.0).every("eval/accuracy", 10, |_| 0.484).noisy(
        "train/frac_reward_zero_std",
        0.0,
        |_| 1.0,
    );
    let finding = run.finding(&CHECK);
    assert_eq!(finding.severity, Severity::Critical);
    assert_eq!(finding.onset, Some(1.0));
    assert!(finding.title.to_string().contains("constant"), "{}", finding.title);
    assert!(finding.causes.is_empty(), "whatever the size of a group");
}

#[test]
fn a_share_that_rises_without_learning_is_a_warning() {
    let run =
        Synthetic::healthy(300)
            .every("eval/accuracy", 10, |_| 0.484)
            .noisy("train/frac_reward_zero_std", 0.01, |t| 0.2 + 0.7 * jump(t, 0.6));
    let finding = run.finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    assert!((170.0..=195.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
}

#[test]
fn success_is_a_note_and_a_usual_share_is_quiet() {
    let solved = Synthetic::healthy(300).noisy("train/frac_reward_zero_std", 0.01, |t| 0.97 * t.min(0.5) * 2.0);
    assert_eq!(solved.finding(&CHECK).severity, Severity::Note);
    assert!(Synthetic::healthy(300).quiet(&CHECK));
}

#[test]
fn a_solved_task_that_is_lost_is_not_told_as_learned() {
    let run = Synthetic::new(300).noisy("train/reward", 0.01, |t| 0.97 - 0.97 * jump(t, 0.4)).noisy(
        "train/frac_reward_zero_std",
        0.02,
        |t| 0.1 + 0.9 * jump(t, 0.4),
    );
    let finding = run.finding(&CHECK);
    assert!(finding.severity >= Severity::Warning, "{:?}", finding.severity);
    assert!(!finding.detail.to_string().contains("is learned"), "{}", finding.detail);
}

#[test]
fn without_the_share_the_largest_advantage_tells() {
    let base = || Synthetic::healthy(300).without("train/frac_reward_zero_std").every("eval/accuracy", 10, |_| 0.3);
    let dead = base().noisy("critic/advantages/max", 0.0, |t| if t > 0.2 { 0.0 } else { 1.5 });
    assert_eq!(dead.finding(&CHECK).confidence, 0.75);
    assert!(base().noisy("critic/advantages/max", 0.1, |_| 1.5).quiet(&CHECK));
    assert!(matches!(base().check(&CHECK), Outcome::Skipped(_)));
}

#[test]
fn most_steps_of_the_run_count_though_fewer_of_the_last_fifth() {
    let run = |alike: usize| {
        Synthetic::healthy(300).without("train/frac_reward_zero_std").every("eval/accuracy", 10, |_| 0.3).noisy(
            "train/reward_std",
            0.0,
            move |t| if (t * 300.0) as usize % 12 < alike { 0.0 } else { 0.3 },
        )
    };
    let finding = run(7).finding(&CHECK);
    assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
    assert!(finding.title.to_string().contains("of the steps of the run"), "{}", finding.title);
    assert!(run(5).quiet(&CHECK));
}

#[test]
fn with_one_group_a_step_the_share_of_all_steps_decides() {
    let run = |steps: usize, alike: usize| {
        Synthetic::healthy(steps).every("eval/accuracy", 10, |_| 0.3).every("train/frac_reward_zero_std", 1, move |t| {
            if (t * steps as f64).round() as usize % 20 < alike { 1.0 } else { 0.0 }
        })
    };
    assert_eq!(run(400, 12).finding(&CHECK).severity, Severity::Warning, "60 % of 400 steps");
    assert_eq!(run(400, 16).finding(&CHECK).severity, Severity::Warning, "80 % may be less by chance");
    assert_eq!(run(400, 19).finding(&CHECK).severity, Severity::Critical, "95 %");
    assert!(run(60, 11).quiet(&CHECK), "55 % of 60 steps may be half of them");
    let later =
        Synthetic::healthy(100)
            .every("eval/accuracy", 10, |_| 0.3)
            .every("train/frac_reward_zero_std", 1, |t| if t < 0.45 { 0.0 } else { 1.0 });
    assert_eq!(later.finding(&CHECK).severity, Severity::Critical, "all of its second half");
}

#[test]
fn rows_of_ten_steps_each_count_as_those_steps() {
    let run = |steps: usize, every: usize, share: f64| {
        Synthetic::new(steps)
            .every("train/reward", every, |_| 0.0)
            .every("train/reward_std", every, |_| 0.0)
            .every("train/completions/mean_length", every, |t| 100.0 + t)
            .every("train/completions/clipped_ratio", every, |_| 0.1)
            .every("train/frac_reward_zero_std", every, move |_| share)
    };
    assert_eq!(run(60, 10, 1.0).finding(&CHECK).severity, Severity::Warning);
    assert!(run(6, 1, 1.0).quiet(&CHECK), "six steps");
    assert!(run(60, 10, 0.95).quiet(&CHECK), "each mean of ten steps may be of any share in them");
}

#[test]
fn the_ups_and_downs_of_one_level_are_no_scale() {
    let alike = |reward: fn(f64) -> f64| {
        Synthetic::new(300).every("train/reward", 1, reward).every("train/frac_reward_zero_std", 1, |_| 1.0).noisy(
            "train/grad_norm",
            0.3,
            |_| 3.0,
        )
    };
    let floor: fn(f64) -> f64 = |t| if ((t * 300.0).round() as usize).is_multiple_of(7) { -0.105 } else { -0.1 };
    let unclear = alike(floor).finding(&CHECK);
    assert!(!unclear.title.to_string().contains("top"), "{}", unclear.title);
    assert!(unclear.title.to_string().contains("the same in most steps"), "{}", unclear.title);
    let first = crate::checks::testing::change(&unclear.actions[0]).0;
    assert!(first.starts_with("Score a right and a wrong answer"), "{first}");
    let learned = alike(|t| 2.0 * jump(t, 0.3) - 1.0).finding(&CHECK);
    assert!(learned.title.to_string().contains("top"), "{}", learned.title);
    let known = alike(floor).every("critic/score/max", 1, |_| 1.0).every("critic/score/min", 1, |_| -0.11);
    assert!(known.finding(&CHECK).title.to_string().contains("bottom"));
}

#[test]
fn answers_that_are_cut_off_are_alike_for_that() {
    let run = Synthetic::new(300)
        .noisy("train/reward", 0.001, |_| -0.1)
        .every("train/frac_reward_zero_std", 1, |_| 1.0)
        .every("train/completions/mean_length", 1, |_| 48.0)
        .every("train/completions/clipped_ratio", 1, |_| 1.0)
        .config("max_completion_length", 48.0)
        .build();
    let diagnosis = crate::diagnose(&run, &crate::Rulebook::default());
    let finding = diagnosis.findings.iter().find(|finding| finding.code == Code::ZeroVarianceGroups).unwrap();
    assert_eq!(finding.explained_by, [Code::LengthPinnedAtCap]);
    assert!(finding.title.to_string().contains("cut off"), "{}", finding.title);
}

#[test]
fn answers_that_were_always_cut_off_are_not_alike_for_that() {
    let run = |alike: fn(f64) -> f64| {
        Synthetic::new(300)
            .noisy("train/reward", 0.01, |t| 0.4 * jump(t, 0.3) - 0.42)
            .every("train/frac_reward_zero_std", 1, alike)
            .every("train/completions/clipped_ratio", 1, |_| 1.0)
            .finding(&CHECK)
    };
    let title = |alike| run(alike).title.to_string();
    assert!(!title(|t| 0.05 + 0.9 * jump(t, 0.3)).contains("cut off"));
    assert!(title(|_| 0.95).contains("cut off"));
    let solved = Synthetic::new(300)
        .noisy("train/reward", 0.01, |t| 0.3 + 0.65 * jump(t, 0.3))
        .every("train/frac_reward_zero_std", 1, |t| 0.05 + 0.9 * jump(t, 0.3))
        .every("train/completions/clipped_ratio", 1, |t| 0.2 + 0.8 * jump(t, 0.4));
    assert!(solved.finding(&CHECK).title.to_string().contains("near the top"), "answers that score are right");
    let never = Synthetic::new(300)
        .noisy("train/reward", 0.01, |_| 0.88)
        .every("train/frac_reward_zero_std", 1, |_| 1.0)
        .every("train/completions/clipped_ratio", 1, |_| 1.0);
    assert!(never.finding(&CHECK).title.to_string().contains("cut off"), "nothing was learned");
    let constant = |reward: f64| {
        let run = Synthetic::new(300).every("train/reward", 1, move |_| reward);
        let run =
            run.every("train/frac_reward_zero_std", 1, |_| 1.0).every("train/completions/clipped_ratio", 1, |_| 1.0);
        run.finding(&CHECK).title.to_string()
    };
    assert!(constant(0.0).contains("cut off"), "no response earns anything");
    assert!(constant(1.0).contains("constant"), "a limit gives no reward");
}

#[test]
fn a_gain_beside_groups_that_agreed_from_the_start_is_no_success() {
    let run = |alike: fn(f64) -> f64| {
        Synthetic::new(300)
            .noisy("train/reward", 0.02, |t| 0.3 * saturating(t) - 0.3)
            .every("train/frac_reward_zero_std", 1, alike)
            .finding(&CHECK)
    };
    assert_eq!(run(|_| 1.0).severity, Severity::Warning);
    assert_eq!(run(|t| jump(t, 0.4)).severity, Severity::Note);
}

#[test]
fn a_critic_needs_no_groups() {
    let run = || Synthetic::new(300).noisy("train/reward", 0.1, |_| 0.5).noisy("train/reward_std", 0.0, |_| 0.0);
    assert!(matches!(run().check(&CHECK), Outcome::Found(_)));
    let critic = run().noisy("train/value_loss", 0.01, |_| 0.2);
    assert!(matches!(critic.check(&CHECK), Outcome::Skipped(_)));
    assert!(matches!(run().config("num_generations", 1.0).check(&CHECK), Outcome::Skipped(_)));
}

#[test]
fn prompts_that_were_too_easy_from_the_start_are_a_warning() {
    let run = |share: fn(f64) -> f64| {
        Synthetic::healthy(300)
            .without("eval/accuracy")
            .noisy("train/reward", 0.005, |_| 0.97)
            .noisy("train/frac_reward_zero_std", 0.01, share)
            .finding(&CHECK)
            .severity
    };
    assert_eq!(run(|_| 0.88), Severity::Warning);
    assert_eq!(run(|t| 0.5 + 0.45 * (2.0 * t).min(1.0)), Severity::Note);
}

#[test]
fn a_distillation_needs_no_reward() {
    let run = |teacher: fn(f64) -> f64| {
        Synthetic::new(60)
            .every("env/all/reward/total", 1, |_| 0.0)
            .every("env/all/by_group/frac_mixed", 1, |_| 0.0)
            .noisy("teacher_kl", 0.001, teacher)
    };
    let learned = || run(|t| 2.0 * (1.0 - t) + 0.1);
    assert!(learned().quiet(&CHECK));
    let diagnosis = crate::diagnose(&learned().build(), &crate::Rulebook::default());
    assert_eq!(diagnosis.learning.state, LearningState::Improved, "{}", diagnosis.learning.why);
    assert_eq!(diagnosis.verdict, crate::Verdict::Good, "{:?}", diagnosis.findings);
    let with_reward = run(|t| 2.0 - t).noisy("env/all/reward/total", 0.1, |_| 0.5);
    assert!(matches!(with_reward.check(&CHECK), Outcome::Found(_)));
}

#[test]
fn groups_that_agree_near_the_bottom_are_not_right() {
    let run = |last: f64| {
        Synthetic::new(100)
            .noisy("train/reward", 0.01, move |t| 0.01 + last * t.min(0.5))
            .noisy("train/frac_reward_zero_std", 0.01, |t| 0.2 + 1.4 * t.min(0.5))
            .finding(&CHECK)
    };
    let low = run(0.2);
    assert_eq!(low.severity, Severity::Warning);
    assert!(low.title.to_string().contains("near the bottom"), "{}", low.title);
    let middle = run(1.1);
    assert_eq!(middle.severity, Severity::Note);
    assert!(!middle.detail.to_string().contains("because their answers are right"), "{}", middle.detail);
}

#[test]
fn groups_near_the_bottom_are_a_cost_where_an_evaluation_rose() {
    let run = |evaluated: f64| {
        Synthetic::healthy(100)
            .noisy("train/reward", 0.01, |t| 0.01 + 0.2 * t.min(0.5))
            .every("eval/accuracy", 5, move |t| 0.1 + evaluated * t)
            .noisy("train/frac_reward_zero_std", 0.01, |t| 0.2 + 1.4 * t.min(0.5))
            .finding(&CHECK)
            .severity
    };
    assert_eq!((run(0.6), run(0.0)), (Severity::Note, Severity::Warning));
}

#[test]
fn five_of_six_steps_are_not_most_of_them() {
    let run = |differs: usize| {
        let level = move |t: f64| {
            if matches!((t * 32.0).round() as usize, row if row < 20 || row == differs) { 0.3 } else { 0.0 }
        };
        let base = Synthetic::healthy(32).without("train/frac_reward_zero_std").every("eval/accuracy", 4, |_| 0.3);
        base.every("train/reward_std", 1, level)
    };
    assert_eq!(run(28).quiet_reason(&CHECK), Some(QuietReason::TooFewPoints), "one of the last six differs");
    assert!(matches!(run(1).check(&CHECK), Outcome::Found(_)), "none of them");
}

#[test]
fn only_an_evaluation_tells_that_answers_are_right() {
    let run = || {
        Synthetic::healthy(300).noisy("train/reward", 0.01, |t| 0.3 + 0.65 * jump(t, 0.3)).noisy(
            "train/frac_reward_zero_std",
            0.01,
            |t| 0.05 + 0.9 * jump(t, 0.3),
        )
    };
    let detail = |run: Synthetic| {
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        finding.detail.to_string()
    };
    assert!(detail(run()).contains("because their answers are right"));
    let alone = detail(run().without("eval/accuracy"));
    assert!(alone.contains("an evaluation tells whether the answers are right"), "{alone}");
    let halfway = run().noisy("train/reward", 0.01, |t| 0.1 + 0.45 * jump(t, 0.3));
    let halfway = detail(halfway.every("eval/accuracy", 10, |t| 0.3 + 0.3 * saturating(t)));
    assert!(halfway.ends_with("teach little, though the evaluation still has room."), "{halfway}");
}

#[test]
fn where_no_answer_was_ever_right_easier_prompts_are_advised() {
    let run = |key: &str, score: f64| {
        Synthetic::new(300)
            .noisy("train/reward", 0.01, |_| -0.02)
            .every(key, 1, move |t| score * t)
            .every("train/frac_reward_zero_std", 1, |_| 0.97)
            .finding(&CHECK)
    };
    let never = run("train/rewards/correctness_reward_func/mean", 0.0);
    assert!(never.title.to_string().contains("no response scores on the task"), "{}", never.title);
    let changes: Vec<String> = never.actions.iter().map(|action| crate::checks::testing::change(action).0).collect();
    assert!(changes.iter().any(|change| change.contains("easier prompts")), "{changes:?}");
    for (key, score) in [
        ("train/rewards/correctness_reward_func/mean", 0.1),
        ("train/rewards/wrong_answer_penalty/mean", 0.0),
        ("train/rewards/wrong_answer_cost/mean", 0.0),
        ("train/rewards/format_reward_func/mean", 0.0),
    ] {
        assert!(!run(key, score).title.to_string().contains("no response scores"), "{key}");
    }
}

#[test]
fn where_0_may_be_the_best_reward_it_does_not_show_that_no_answer_was_right() {
    let title = |end: f64| {
        let run = Synthetic::new(300)
            .every("train/reward", 1, move |t| if t < 0.5 { t - 0.5 } else { end })
            .every("train/rewards/correctness_reward_func/mean", 1, |_| 0.0)
            .every("train/frac_reward_zero_std", 1, |_| 0.97);
        run.finding(&CHECK).title.to_string()
    };
    assert!(!title(0.0).contains("no response scores"), "{}", title(0.0));
    assert!(title(-0.1).contains("no response scores"), "{}", title(-0.1));
}

#[test]
fn groups_that_dynamic_sampling_replaces_cost_their_generation_alone() {
    let finding = |sampling: &str, share: f64| {
        let mut run = Synthetic::healthy(300).every("eval/accuracy", 10, |_| 0.484).noisy(
            "train/frac_reward_zero_std",
            0.01,
            move |_| share,
        );
        run.run.config.insert("active_sampling", rundown_run::ConfigValue::Text(sampling.to_owned()));
        run.finding(&CHECK)
    };
    let replaced = finding("True", 0.9);
    assert_eq!(replaced.severity, Severity::Note);
    assert!(replaced.detail.to_string().contains("leaves such groups out"), "{}", replaced.detail);
    assert!(replaced.actions.iter().all(|action| !format!("{:?}", action.kind).contains("Drop groups")));
    assert_eq!(finding("False", 0.9).severity, Severity::Warning);
    assert_eq!(finding("True", 1.0).severity, Severity::Critical, "nothing can have taken their place");
}

#[test]
fn one_answer_to_every_prompt_is_found_where_most_later_steps_have_it() {
    let run = |rare: usize, length: f64| {
        let is_other = move |t: f64| t < 0.2 || ((t * 60.0).round() as usize).is_multiple_of(rare);
        Synthetic::new(60)
            .every("train/reward", 1, move |t| if is_other(t) { 0.6 - 0.1 * t } else { 0.64 })
            .every("train/reward_std", 1, move |t| if is_other(t) { 0.1 } else { 0.0 })
            .every("completions/mean_length", 1, move |t| if is_other(t) { 40.0 - t } else { length })
    };
    let found = run(3, 9.0).finding(&CHECK);
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.title.to_string().contains("same answer to every prompt: reward 0.64, 9 tokens"), "{}", found.title);
    assert!((10.0..=20.0).contains(&found.onset.unwrap()), "{:?}", found.onset);
    assert!(run(2, 9.0).quiet(&CHECK), "half of the steps");
    assert!(run(3, 128.0).quiet(&CHECK), "cut off at the longest length");
    let varied = run(3, 9.0).every("completions/mean_length", 1, |t| 40.0 - t);
    assert!(varied.quiet(&CHECK), "other answers that score alike");
}

#[test]
fn a_constant_reward_without_any_gradient_is_found_whatever_the_size_of_the_groups() {
    let run = |norm: f64, reward: f64| {
        Synthetic::new(44).config("num_generations", 1.0).every("train/reward", 1, move |t| reward * t).every(
            "train/grad_norm",
            1,
            move |t| norm * (1.0 + t),
        )
    };
    let finding = run(0.0, 0.0).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Critical);
    assert!(finding.title.to_string().contains("the reward is constant"), "{}", finding.title);
    assert!(matches!(run(1e-3, 0.0).check(&CHECK), Outcome::Skipped(_)), "something was trained");
    assert!(matches!(run(0.0, 0.1).check(&CHECK), Outcome::Skipped(_)), "responses differ");
}

#[test]
fn nearly_constant_groups_leave_nothing_to_sample_instead() {
    let advised = |share: f64| {
        let run = Synthetic::new(100).noisy("train/reward", 0.02, |_| 5.5);
        let finding = run.noisy("train/frac_reward_zero_std", 0.002, move |_| share).finding(&CHECK);
        finding.actions.iter().any(|action| crate::checks::testing::change(action).0.contains("sample others"))
    };
    assert!(advised(0.85) && !advised(0.98));
}

#[test]
fn pairs_that_agree_all_along_do_so_from_the_start_and_want_more_responses() {
    let share = |t: f64| if (0.6..0.8).contains(&t) { 0.65 } else { 0.86 };
    let run = Synthetic::healthy(300).every("eval/accuracy", 10, |_| 0.484).config("num_generations", 2.0);
    let finding = run.noisy("train/frac_reward_zero_std", 0.01, share).finding(&CHECK);
    assert_eq!(finding.onset, Some(1.0), "{}", finding.title);
    assert!(change(&finding.actions[0]).0.contains("num_generations"), "{:?}", finding.actions);
}

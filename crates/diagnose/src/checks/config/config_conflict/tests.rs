//! Each contradiction, and the config that is nearest to it and all right.

use super::*;
use crate::checks::testing::{Synthetic, change, jump};
use rundown_run::ConfigValue;

/// A healthy run with these settings: numbers, `true`, `false`, `null` and words.
fn with(settings: &[(&str, &str)]) -> Synthetic {
    on(Synthetic::healthy(200).without("train/kl").without("train/frac_reward_zero_std"), settings)
}

fn on(mut synthetic: Synthetic, settings: &[(&str, &str)]) -> Synthetic {
    synthetic.run.config = Config::default();
    for (key, value) in settings {
        let value = match *value {
            "true" => ConfigValue::Bool(true),
            "false" => ConfigValue::Bool(false),
            "null" => ConfigValue::Null,
            text => text.parse().map_or_else(|_| ConfigValue::Text(text.to_owned()), ConfigValue::Number),
        };
        synthetic.run.config.insert(*key, value);
    }
    synthetic
}

#[track_caller]
fn severity(settings: &[(&str, &str)]) -> Severity {
    with(settings).finding(&CHECK).severity
}

#[track_caller]
fn fine(settings: &[(&str, &str)]) {
    let outcome = with(settings).check(&CHECK);
    assert!(matches!(outcome, Outcome::Quiet(_)), "{outcome:?}");
}

const VERL: [(&str, &str); 5] = [
    ("actor_rollout_ref.actor.use_kl_loss", "false"),
    ("actor_rollout_ref.actor.kl_loss_coef", "0.001"),
    ("algorithm.use_kl_in_reward", "false"),
    ("algorithm.kl_ctrl.kl_coef", "0.001"),
    ("algorithm.adv_estimator", "gae"),
];

fn verl(changes: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let mut settings: Vec<(&str, &str)> = VERL.to_vec();
    settings.retain(|(key, _)| changes.iter().all(|(changed, _)| changed != key));
    settings.extend(changes.iter().copied().filter(|(_, value)| *value != "gone"));
    settings
}

#[test]
fn a_run_that_learned_in_spite_of_a_conflict_is_not_bad() {
    let settings = verl(&[("actor_rollout_ref.actor.kl_loss_coef", "0.04")]);
    let diagnosed = |run: Synthetic| crate::diagnose(&run.build(), &crate::Rulebook::default());
    let learned = diagnosed(with(&settings));
    let headline = learned.headline.to_string();
    assert_eq!(learned.verdict, crate::Verdict::Good, "{:?}", learned.findings);
    assert!(headline.starts_with("Healthy") && headline.ends_with("its settings contradict each other"), "{headline}");
    assert!(learned.summary.to_string().contains("no KL term is on"), "{}", learned.summary);
    let flat = with(&settings).every("eval/accuracy", 10, |_| 0.5).noisy("train/reward", 0.15, |_| 1.4);
    assert_eq!(diagnosed(flat).verdict, crate::Verdict::Bad);
}

#[test]
fn a_coefficient_that_nothing_reads() {
    let finding = with(&verl(&[("actor_rollout_ref.actor.kl_loss_coef", "0.04")])).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    assert_eq!(finding.title.to_string(), "actor_rollout_ref.actor.kl_loss_coef is 0.04, but no KL term is on");
    assert_eq!(finding.onset, Some(1.0));
    let action = &finding.actions[0];
    let (key, from, to) = change(action);
    let change = (key.as_str(), from.as_str(), to.as_str());
    assert_eq!(change, ("actor_rollout_ref.actor.use_kl_loss", "false", "true"));
    // Defaults were set by nobody, and a coefficient of 0 is meant so.
    fine(&verl(&[]));
    fine(&verl(&[("actor_rollout_ref.actor.kl_loss_coef", "0")]));
    fine(&verl(&[("actor_rollout_ref.actor.kl_loss_coef", "0.04"), ("actor_rollout_ref.actor.use_kl_loss", "true")]));
    // The other term is on.
    let other = verl(&[("algorithm.use_kl_in_reward", "true"), ("actor_rollout_ref.actor.kl_loss_coef", "0.04")]);
    assert_eq!(severity(&other), Severity::Note);
    let in_loss = [("actor_rollout_ref.actor.use_kl_loss", "true"), ("algorithm.kl_ctrl.kl_coef", "0.02")];
    let finding = with(&verl(&in_loss)).finding(&CHECK);
    assert!(!finding.detail.to_string().contains("nothing holds"), "{}", finding.detail);
    assert_eq!(crate::checks::testing::change(&finding.actions[0]).2, "0", "both would count");
    // Older verl: the KL goes into the reward where it is not in the loss.
    fine(&verl(&[("algorithm.use_kl_in_reward", "gone"), ("algorithm.kl_ctrl.kl_coef", "0.01")]));
    // A fork that logs a KL has one.
    let logged = on(Synthetic::healthy(200), &verl(&[("actor_rollout_ref.actor.kl_loss_coef", "0.04")]));
    assert!(logged.quiet(&CHECK));
    assert_eq!(severity(&[("use_kl_loss", "false"), ("kl_loss_coef", "0.01")]), Severity::Warning);
    fine(&[("use_kl_loss", "true"), ("kl_loss_coef", "0.01"), ("kl_loss_type", "low_var_kl")]);
}

#[test]
fn kl_twice_and_kl_without_a_gradient() {
    let both = verl(&[("actor_rollout_ref.actor.use_kl_loss", "true"), ("algorithm.use_kl_in_reward", "true")]);
    assert_eq!(severity(&both), Severity::Note);
    let k1 = [("actor_rollout_ref.actor.kl_loss_type", "kl"), ("actor_rollout_ref.actor.use_kl_loss", "true")];
    assert_eq!(severity(&verl(&k1)), Severity::Note);
    fine(&verl(&[("actor_rollout_ref.actor.kl_loss_type", "kl")]));
    assert_eq!(severity(&[("actor.kl_ctl", "0.1"), ("ref", "null")]), Severity::Warning);
    fine(&[("actor.kl_ctl", "0.1"), ("ref.path", "model")]);
}

#[test]
fn a_group_of_one() {
    let grpo = [("algorithm.adv_estimator", "grpo"), ("actor_rollout_ref.rollout.n", "1")];
    assert_eq!(severity(&grpo), Severity::Warning);
    fine(&[("algorithm.adv_estimator", "gae"), ("actor_rollout_ref.rollout.n", "1")]);
    fine(&[("algorithm.adv_estimator", "grpo")]);
    for fork in ["env.rollout.n", "actor_rollout_ref.rollout.n_agent", "es_manager.train.group_size"] {
        fine(&[grpo[0], grpo[1], (fork, "5")]);
    }
    let validation = [grpo[0], grpo[1], ("actor_rollout_ref.rollout.val_kwargs.n", "8")];
    assert_eq!(severity(&validation), Severity::Warning);
    // The advantages are not the rewards: somewhere there is a group.
    let grouped = with(&grpo).noisy("critic/advantages/max", 0.01, |_| 1.79).noisy("critic/score/max", 0.01, |_| 1.0);
    assert!(grouped.quiet(&CHECK));
}

#[test]
fn sampling() {
    assert_eq!(severity(&[("temperature", "0"), ("num_generations", "8")]), Severity::Warning);
    fine(&[("temperature", "0.7"), ("num_generations", "8")]);
    let spread =
        with(&[("temperature", "0"), ("num_generations", "8")]).noisy("train/frac_reward_zero_std", 0.1, |_| 0.3);
    assert!(spread.quiet(&CHECK));
    assert_eq!(severity(&[("gconfig.temperature", "1.0"), ("actor.temperature", "0.6")]), Severity::Warning);
    fine(&[("gconfig.temperature", "1.0"), ("actor.temperature", "1.0")]);
    let cut = |mode, top_p| {
        [
            ("use_vllm", "true"),
            ("vllm_importance_sampling_correction", "true"),
            ("vllm_importance_sampling_mode", mode),
            ("top_p", top_p),
        ]
    };
    assert_eq!(severity(&cut("sequence_mask", "0.9")), Severity::Warning);
    assert_eq!(severity(&cut("token_truncate", "0.9")), Severity::Note);
    fine(&cut("sequence_mask", "1.0"));
    let heavy =
        with(&cut("sequence_mask", "0.99")).noisy("train/sampling/importance_sampling_ratio/mean", 0.01, |_| 0.98);
    assert_eq!(heavy.finding(&CHECK).severity, Severity::Note);
}

#[test]
fn batches() {
    assert_eq!(severity(&[("generation_batch_size", "60"), ("num_generations", "8")]), Severity::Warning);
    fine(&[("generation_batch_size", "64"), ("num_generations", "8")]);
    let mini = ("actor_rollout_ref.actor.ppo_mini_batch_size", "256");
    assert_eq!(severity(&[mini, ("data.train_batch_size", "600")]), Severity::Note);
    fine(&[mini, ("data.train_batch_size", "512")]);
    fine(&[mini, ("data.train_batch_size", "512"), ("actor_rollout_ref.rollout.n_agent", "5")]);
}

#[test]
fn a_critic_that_is_not_there() {
    let warmup = |estimator, steps| {
        [
            ("algorithm.adv_estimator", estimator),
            ("trainer.critic_warmup", steps),
            ("trainer.total_training_steps", "200"),
        ]
    };
    assert_eq!(severity(&warmup("grpo", "50")), Severity::Warning);
    assert_eq!(severity(&warmup("grpo", "5")), Severity::Note);
    fine(&warmup("grpo", "0"));
    fine(&warmup("gae", "50"));
    assert_eq!(severity(&[("algorithm.adv_estimator", "grpo"), ("critic.optim.lr", "1e-4")]), Severity::Note);
    fine(&[("algorithm.adv_estimator", "grpo"), ("critic.optim.lr", "1e-5")]);
    assert_eq!(severity(&[("algorithm.filter_groups.enable", "true")]), Severity::Note);
    let dapo = with(&[("algorithm.filter_groups.enable", "true")]).noisy("train/num_gen_batches", 0.1, |_| 2.0);
    assert!(dapo.quiet(&CHECK));
}

#[test]
fn losses() {
    let masked = |share: f64| {
        with(&[("mask_truncated_completions", "true"), ("max_completion_length", "256")]).noisy(
            "train/completions/clipped_ratio",
            0.001,
            move |t| 0.2 + (share - 0.2) * jump(t, 0.3),
        )
    };
    let finding = masked(0.999).finding(&CHECK);
    assert_eq!(finding.severity, Severity::Warning);
    assert!((59.0..=63.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    assert!(masked(0.6).quiet(&CHECK));
    assert_eq!(severity(&[("loss_type", "cispo"), ("epsilon", "0.2"), ("epsilon_high", "null")]), Severity::Warning);
    fine(&[("loss_type", "cispo"), ("epsilon", "0.2"), ("epsilon_high", "5")]);
    let masking = "actor_rollout_ref.actor.state_masking";
    assert_eq!(severity(&[(masking, "false"), ("do_search", "true")]), Severity::Note);
    let masked = with(&[(masking, "false"), ("do_search", "true")]).finding(&CHECK);
    assert!(
        masked.references.iter().any(|place| place.contains("generation.py (info_mask)")),
        "{:?}",
        masked.references
    );
    fine(&[(masking, "false")]);
    fine(&[(masking, "true"), ("do_search", "true")]);
    assert_eq!(severity(&[("num_generations", "8"), ("delta", "1.1"), ("epsilon", "0.2")]), Severity::Note);
    fine(&[("num_generations", "8"), ("delta", "4"), ("epsilon", "0.2")]);
    let gspo = |loss, clip| [("importance_sampling_level", "sequence"), ("loss_type", loss), ("epsilon", clip)];
    assert_eq!(severity(&gspo("dapo", "3e-4")), Severity::Note);
    assert_eq!(severity(&gspo("grpo", "0.2")), Severity::Note);
    fine(&gspo("grpo", "3e-4"));
    assert_eq!(severity(&[("num_iterations", "4"), ("epsilon", "1")]), Severity::Note);
    fine(&[("num_iterations", "4"), ("epsilon", "0.2")]);
    assert_eq!(severity(&[("kl_penalty_coef", "0.01"), ("temperature", "0.6")]), Severity::Note);
    fine(&[("kl_penalty_coef", "0.01"), ("temperature", "1")]);
    let mut weights = with(&[]);
    weights.run.config.insert("reward_weights", ConfigValue::List(vec![ConfigValue::Number(0.0); 2]));
    assert_eq!(weights.finding(&CHECK).severity, Severity::Warning);
}

#[test]
fn the_best_checkpoint_by_the_loss() {
    let best = |metric| [("load_best_model_at_end", "true"), ("metric_for_best_model", metric)];
    assert_eq!(["null", "None", "eval_loss"].map(|metric| severity(&best(metric))), [Severity::Note; 3]);
    fine(&best("eval_reward"));
    fine(&[("load_best_model_at_end", "false"), ("metric_for_best_model", "loss")]);
    let state = |chosen: f64| {
        let mut run = with(&[("max_steps", "200")]).every("eval_loss", 50, |t| 0.01 + 0.01 * t);
        run.run.summary.insert("best_metric", ConfigValue::Number(chosen));
        run.run.summary.insert("best_global_step", ConfigValue::Number(51.0));
        run
    };
    let title = state(0.01 + 0.01 * 0.25).finding(&CHECK).title.to_string();
    assert!(title.contains("of step 51, is the one with the lowest loss"), "{title}");
    assert!(state(0.7).quiet(&CHECK));
}

#[test]
fn learning_rates() {
    let run = |settings: &[(&str, &str)], level: fn(f64) -> f64| with(settings).every("train/learning_rate", 1, level);
    let ended = run(&[("lr_scheduler_type", "linear")], |t| 1e-6 * (1.0 - 2.0 * t).max(0.0)).finding(&CHECK);
    assert_eq!((ended.severity, ended.onset), (Severity::Warning, Some(101.0)));
    assert!(run(&[("lr_scheduler_type", "linear")], |t| 1e-6 * (0.98 - t).max(0.0)).quiet(&CHECK));
    assert_eq!(severity(&[("learning_rate", "0")]), Severity::Warning);
    assert!(run(&[("learning_rate", "0")], |_| 1e-6).quiet(&CHECK));
    assert_eq!(severity(&[("warmup_steps", "300"), ("max_steps", "200")]), Severity::Warning);
    fine(&[("warmup_steps", "20"), ("max_steps", "200")]);
    fine(&[("warmup_steps", "20"), ("max_steps", "-1")]);
    assert_eq!(severity(&[("max_completion_length", "9000"), ("max_position_embeddings", "4096")]), Severity::Warning);
    let both = [("data.max_prompt_length", "2048"), ("data.max_response_length", "3000")];
    assert_eq!(severity(&[both[0], both[1], ("actor_rollout_ref.rollout.max_model_len", "4096")]), Severity::Note);
    fine(&[both[0], both[1], ("actor_rollout_ref.rollout.max_model_len", "8192")]);
}

#[test]
fn several_are_one_finding() {
    let finding =
        with(&verl(&[("actor_rollout_ref.actor.kl_loss_coef", "0.04"), ("algorithm.filter_groups.enable", "true")]))
            .finding(&CHECK);
    assert!(finding.title.to_string().ends_with("(and 1 other conflict)"), "{}", finding.title);
    assert_eq!((finding.actions.len(), finding.references.len()), (2, 2));
    assert!(finding.causes.iter().all(|cause| !cause.why.is_empty()));
}

#[test]
fn no_config_is_skipped_and_a_healthy_one_is_quiet() {
    assert!(matches!(with(&[]).check(&CHECK), Outcome::Skipped(_)));
    assert!(Synthetic::healthy(300).quiet(&CHECK));
}

#[test]
fn a_kl_term_without_weight() {
    let zero = [("actor_rollout_ref.actor.use_kl_loss", "true"), ("actor_rollout_ref.actor.kl_loss_coef", "0")];
    assert_eq!(severity(&zero), Severity::Note);
    fine(&[("use_kl_loss", "true"), ("kl_loss_coef", "0.001")]);
    let in_reward = [("algorithm.use_kl_in_reward", "true"), ("algorithm.kl_ctrl.kl_coef", "0")];
    let in_loss = [("actor_rollout_ref.actor.use_kl_loss", "true"), ("actor_rollout_ref.actor.kl_loss_coef", "0.01")];
    assert!(with(&verl(&in_reward)).finding(&CHECK).detail.to_string().contains("nothing holds the policy"));
    let beside = with(&verl(&[in_reward, in_loss].concat())).finding(&CHECK);
    let (key, from, to) = change(&beside.actions[0]);
    assert_eq!((key.as_str(), from.as_str(), to.as_str()), ("algorithm.use_kl_in_reward", "true", "false"));
    assert!(beside.detail.to_string().contains("the other one is on"), "{}", beside.detail);
}

#[test]
fn a_mini_batch_above_the_batch() {
    let size = "actor_rollout_ref.actor.ppo_mini_batch_size";
    assert_eq!(severity(&[(size, "256"), ("data.train_batch_size", "128")]), Severity::Note);
    fine(&[(size, "256"), ("data.train_batch_size", "128"), ("actor_rollout_ref.rollout.n_agent", "4")]);
}

#[test]
fn a_form_that_pays() {
    assert_eq!(severity(&[("reward_model.format_score", "0.5")]), Severity::Note);
    fine(&[("reward_model.format_score", "0.1")]);
}

//! Which keys of made-up runs stand for what.

use super::*;
use crate::{Framework, Override};
use rundown_run::ConfigValue;

pub(super) fn run(keys: &[&str]) -> Run {
    let mut run = Run::default();
    for step in 0..3 {
        let row = run.push_row(f64::from(step), f64::NAN);
        for key in keys {
            run.push_value(key, row, 0.25 * f64::from(step));
        }
    }
    run.choose_axis();
    run
}

pub(super) fn first(bindings: &Bindings, concept: Concept) -> Option<&str> {
    bindings.first(concept).map(|binding| binding.key.as_str())
}

#[test]
fn trl_in_all_spellings() {
    let new = bind(&run(&[
        "train/reward",
        "train/reward_std",
        "train/kl",
        "train/completions/mean_length",
        "train/rewards/acc/mean",
        "eval/format_rate",
        "eval/accuracy",
        "train/entropy",
    ]));
    assert_eq!(new.framework, Framework::Trl);
    assert_eq!(first(&new, Concept::Reward), Some("train/reward"));
    assert_eq!(first(&new, Concept::Evaluation), Some("eval/accuracy"));
    assert_eq!(new.first(Concept::RewardComponent).and_then(|binding| binding.name.as_deref()), Some("acc"));
    assert_eq!(new.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerToken));
    let old = bind(&run(&["reward", "reward_std", "kl", "completion_length", "rewards/int_reward_func"]));
    assert_eq!(old.framework, Framework::Trl);
    assert_eq!(first(&old, Concept::ResponseLength), Some("completion_length"));
    let ppo = bind(&run(&["objective/kl", "objective/rlhf_reward", "policy/approxkl_avg"]));
    assert_eq!(ppo.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerSequence));
    let scored = bind(&run(&["objective/kl", "objective/rlhf_reward", "objective/scores"]));
    assert_eq!(first(&scored, Concept::Reward), Some("objective/scores"), "the KL penalty is no part of the task");
    let swift = bind(&run(&["reward", "memory(GiB)", "train_speed(s/it)", "entropy/mean", "step_time"]));
    assert_eq!(first(&swift, Concept::StepTime), Some("step_time"), "no mean since the start");
}

#[test]
fn remarks_on_a_bare_name_are_of_the_framework_that_logs_it() {
    let why = |keys: &[&str], concept| bind(&run(keys)).first(concept).unwrap().why.clone();
    let loss = |keys: &[&str]| why(keys, Concept::PolicyLoss);
    assert_eq!(loss(&["Loss", "reward", "reward_std", "kl"]), "A usual name of policy loss.", "TRL writes it small");
    assert!(loss(&["loss", "reward", "reward_std", "kl"]).starts_with("TRL logs it under this name: the whole loss"));
    assert_eq!(why(&["Loss/entropy", "Loss/v"], Concept::Entropy), "A usual name of entropy.");
}

#[test]
fn verl_old_and_new() {
    let old = bind(&run(&[
        "critic/score/mean", "critic/rewards/mean", "critic/kl", "actor/entropy_loss", "actor/grad_norm",
        "critic/grad_norm", "actor/lr(1e-4)", "test_score/openai/gsm8k", "response_length/mean",
    ]));
    assert_eq!(old.framework, Framework::Verl);
    assert_eq!(first(&old, Concept::Reward), Some("critic/score/mean"));
    assert_eq!(first(&old, Concept::GradientNorm), Some("actor/grad_norm"));
    assert_eq!(first(&old, Concept::Evaluation), Some("test_score/openai/gsm8k"));
    assert_eq!(old.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerTokenSigned));
    let unbound = run(&["critic/grad_norm", "actor/grad_norm", "critic/returns/max"]);
    assert_eq!(bind(&unbound).unbound(&unbound), ["critic/returns/max"]);
    assert_eq!(first(&bind(&unbound), Concept::GradientNorm), Some("actor/grad_norm"));
    assert_eq!(first(&bind(&unbound), Concept::CriticGradientNorm), Some("critic/grad_norm"));
}

#[test]
fn plain_parts_count_beside_a_total_alone() {
    let parts = |keys: &[&str]| {
        let bindings = bind(&run(keys));
        let parts = bindings.all(Concept::RewardComponent).iter().map(|binding| binding.key.clone());
        parts.collect::<Vec<_>>()
    };
    assert_eq!(parts(&["reward_mean", "answer_rate", "Format Reward"]), ["answer_rate", "Format Reward"]);
    assert_eq!(parts(&["reward_avg", "format_reward_avg"]), ["format_reward_avg"]);
    let sampled = ["mean_reward", "answer_reward", "mean_answer_reward", "format_reward"];
    assert_eq!(parts(&sampled), ["format_reward", "mean_answer_reward"], "a single answer beside the mean");
    assert_eq!(parts(&["Format Reward", "answer_rate"]), [""; 0]);
    assert_eq!(parts(&["reward_mean", "rewards/a/mean", "format_rate"]), ["rewards/a/mean"]);
    let object = ["reward.total", "reward.correctness", "reward.brevity", "reward.mean", "cost.total", "cost.energy"];
    assert_eq!(parts(&object), ["reward.brevity", "reward.correctness"]);
    assert_eq!(parts(&["reward.mean", "reward.brevity"]), [""; 0], "without a total");
    let mut percent = run(&["reward_mean", "answer_rate", "eval_answer_rate"]);
    for key in ["answer_rate", "eval_answer_rate"] {
        percent.push_value(key, 0, 40.0);
    }
    let bindings = bind(&percent);
    assert!(bindings.first(Concept::RewardComponent).is_none());
    assert_eq!(bindings.first(Concept::Evaluation).map(|binding| binding.direction), Some(Direction::Neutral));
}

#[test]
fn consoles_of_prime_rl_and_nemo_rl() {
    let prime = bind(&run(&["Time", "Reward", "Throughput", "Seq. Length", "Async Level", "Max. Off-Policy Level"]));
    assert_eq!(prime.framework, Framework::PrimeRl);
    assert_eq!(first(&prime, Concept::StepTime), Some("Time"));
    assert_eq!(first(&prime, Concept::StalenessMax), Some("Max. Off-Policy Level"));
    let keys = ["Loss", "Generation KL Error", "generation", "policy_training", "policy_and_reference_logprobs"];
    let nemo = bind(&run(&keys));
    assert_eq!(nemo.framework, Framework::NemoRl);
    assert_eq!(first(&nemo, Concept::MismatchKl), Some("Generation KL Error"));
    assert_eq!(first(&nemo, Concept::RolloutTime), Some("generation"));
}

#[test]
fn the_primary_evaluation_is_an_accuracy_then_the_longest() {
    let mut run = run(&["eval/reward", "val/nq_success_rate", "val/success_rate"]);
    let row = run.push_row(9.0, f64::NAN);
    run.push_value("eval/reward", row, 1.0);
    let bindings = bind(&run);
    let keys: Vec<&str> = bindings.all(Concept::Evaluation).iter().map(|binding| binding.key.as_str()).collect();
    assert_eq!(keys, ["val/success_rate", "val/nq_success_rate", "eval/reward"]);
}

#[test]
fn plain_loops_are_bound_by_words() {
    let bindings = bind(&run(&["mean_reward", "accuracy", "approx_kl", "avg_gen_tokens", "format_rate", "entropy"]));
    assert_eq!(bindings.framework, Framework::Unknown);
    let concepts = [Concept::Reward, Concept::Evaluation, Concept::KlToReference, Concept::KlToSampler];
    let found = concepts.map(|concept| first(&bindings, concept));
    assert_eq!(found, [Some("mean_reward"), Some("accuracy"), None, Some("approx_kl")]);
}

#[test]
fn a_reward_or_a_length_that_is_seldom_logged_is_no_primary_one() {
    let mut run = run(&["mean_reward", "mean generation length"]);
    for step in 3..12 {
        let row = run.push_row(f64::from(step), f64::NAN);
        ["mean_reward", "mean generation length"].into_iter().for_each(|key| run.push_value(key, row, 0.5));
    }
    ["reward", "average response length"].into_iter().for_each(|key| run.push_value(key, 1, 1.0));
    assert_eq!(first(&bind(&run), Concept::Reward), Some("mean_reward"));
    assert_eq!(first(&bind(&run), Concept::ResponseLength), Some("mean generation length"));
    run.push_value("response_length/mean", 1, 1.0);
    assert_eq!(first(&bind(&run), Concept::ResponseLength), Some("response_length/mean"), "verl's own name");
    let mut chosen = Overrides::default();
    chosen.set(Override::of("reward", "reward").unwrap());
    assert_eq!(first(&bind_with(&run, &chosen), Concept::Reward), Some("reward"));
}

#[test]
fn settings_alone_name_a_framework() {
    let mut run = run(&["reward"]);
    for key in ["actor_rollout_ref.actor.optim.lr", "algorithm.adv_estimator", "algorithm.kl_ctrl.kl_coef"] {
        run.config.insert(key, ConfigValue::Number(1.0));
    }
    assert_eq!(bind(&run).framework, Framework::Verl);
}

#[test]
fn a_kl_comes_before_its_penalty() {
    let both = bind(&run(&["train_reward", "kl_penalty", "reference_kl"]));
    assert_eq!(first(&both, Concept::KlToReference), Some("reference_kl"));
    assert_eq!(first(&bind(&run(&["train_reward", "kl_penalty"])), Concept::KlToReference), Some("kl_penalty"));
}

#[test]
fn percent_complements_and_odd_units_are_scaled() {
    let scale = |keys: &[&str], concept| bind(&run(keys)).first(concept).map(|binding| binding.scale);
    let old = ["actor/lr(1e-4)", "actor/pg_loss", "critic/score/mean", "timing/step", "actor/entropy_loss"];
    assert_eq!(scale(&old, Concept::LearningRate), Some(Scale::TenThousandth));
    let nemo = ["train/baseline_reward/pct_mixed", "train/gen_kl_error", "train/probs_ratio", "train/kl_penalty"];
    assert_eq!(scale(&nemo, Concept::ZeroVarianceGroups), Some(Scale::PercentComplement));
    let why = bind(&run(&nemo)).first(Concept::ZeroVarianceGroups).map(|binding| binding.why.clone()).unwrap();
    assert!(why.ends_with("It is logged in percent, read as 1 minus that share."), "{why}");
    assert_eq!(scale(&["truncated_pct"], Concept::TruncatedShare), Some(Scale::One), "its values are shares");
    let mut percent = run(&["truncated_pct"]);
    percent.push_value("truncated_pct", 2, 40.0);
    let bindings = bind(&percent);
    assert_eq!(bindings.first(Concept::TruncatedShare).map(|binding| binding.scale), Some(Scale::Percent));
}

#[test]
fn a_negative_value_shows_a_signed_estimate() {
    let unit = |low: f64| {
        let mut run = run(&["train/kl"]);
        run.push_value("train/kl", 2, low);
        bind(&run).first(Concept::KlToReference).map(|binding| binding.unit)
    };
    assert_eq!([-0.01, -1e-9].map(unit), [Unit::NatsPerTokenSigned, Unit::NatsPerToken].map(Some));
}

#[test]
fn what_says_val_is_held_out_only_where_it_is() {
    let keys = ["scores", "val/stop_rate", "val/sequence_lengths", "val/good_share", "objective/kl0_avg", "kl"];
    let bindings = bind(&run(&keys));
    assert_eq!(bindings.framework, Framework::OpenInstruct);
    assert_eq!(first(&bindings, Concept::TruncatedShare), Some("val/stop_rate"));
    assert_eq!(first(&bindings, Concept::Evaluation), None);
    let slime = ["rollout/raw_reward", "rollout/rewards", "rollout/repetition_frac", "perf/train_wait_time"];
    let slime = [&slime[..], &["eval/aime", "eval/aime-truncated_ratio", "eval/step"]].concat();
    let bindings = bind(&run(&slime));
    assert_eq!(first(&bindings, Concept::Reward), Some("rollout/raw_reward"));
    let held_out: Vec<&str> = bindings.all(Concept::Evaluation).iter().map(|found| found.key.as_str()).collect();
    assert_eq!(held_out, ["eval/aime"]);
}

#[test]
fn a_bare_name_of_another_framework_means_nothing() {
    // torchtune's `kl` of PPO is a sum over the sequence: one of its marks does not make it torchtune's.
    let bindings = bind(&run(&["kl", "response_lengths", "my_metric"]));
    assert_eq!(bindings.first(Concept::KlToReference).map(|binding| binding.unit), Some(Unit::NatsPerToken));
}

#[test]
fn the_user_decides_first() {
    let run = run(&["train/reward", "train/kl", "train/reward_std", "train/completions/mean_length", "my_score"]);
    let mut choices = Overrides::default();
    for choice in ["my_score=evaluation", "kl=none", "train/reward=reward_component", "missing=reward"] {
        choices.set(Override::parse(choice).unwrap());
    }
    let bindings = bind_with(&run, &choices);
    let evaluation = bindings.first(Concept::Evaluation).unwrap();
    assert_eq!((evaluation.key.as_str(), evaluation.why.as_str()), ("my_score", "Chosen by the user."));
    assert_eq!((evaluation.unit, evaluation.direction), (Unit::Share, Direction::Up));
    assert_eq!(first(&bindings, Concept::KlToReference), None);
    assert_eq!(bindings.unbound(&run), ["train/kl"]);
    assert_eq!(bindings.first(Concept::RewardComponent).and_then(|found| found.name.as_deref()), Some("reward"));
    assert_eq!(first(&bindings, Concept::Reward), None);
    choices.set(Override::parse("kl=kl_to_reference:nats_per_sequence").unwrap());
    let kl = bind_with(&run, &choices).first(Concept::KlToReference).map(|binding| binding.unit);
    assert_eq!(kl, Some(Unit::NatsPerSequence));
}

#[test]
fn keys_of_every_table_are_bound_to_what_their_table_says() {
    for family in FAMILIES {
        for entry in family.entries() {
            let named = entry.key.replace("{data}", "gsm8k").replace(['{', '}'], "");
            let parent = FAMILIES.iter().find(|other| Some(other.framework) == family.parent);
            let alike = || parent.into_iter().chain([family]);
            let flagged = alike().flat_map(Family::entries).filter(|entry| entry.is_mark).map(|entry| entry.key);
            let whole = alike().flat_map(|family| family.marks).copied().filter(|mark| !mark.ends_with('/'));
            let prefixed = family.marks.iter().filter(|mark| mark.ends_with('/')).map(|mark| format!("{mark}x"));
            let keys: BTreeSet<String> = [named.clone()]
                .into_iter()
                .chain(flagged.chain(whole).map(str::to_owned))
                .chain(prefixed)
                .filter(|key| *key == named || normal(key) != normal(&named))
                .collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let bindings = bind(&run(&keys));
            assert_eq!(bindings.framework, family.framework, "{named}");
            let found = bindings.all(entry.concept).iter().find(|binding| binding.key == named);
            assert_eq!(found.map(|found| (found.unit, found.scale)), Some((entry.unit, entry.scale)), "{named}");
        }
    }
}

#[test]
fn thousands_of_columns_are_bound_once_each() {
    let names: Vec<String> = (0..5_000).map(|place| format!("rewards/function_{place}/mean")).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let bindings = bind(&run(&keys));
    assert_eq!(bindings.all(Concept::RewardComponent).len(), 5_000);
}

#[test]
fn a_clip_fraction_far_above_one_is_in_percent() {
    let scale = |value: f64| {
        let mut run = run(&["clip_frac", "reward"]);
        run.push_value("clip_frac", 1, value);
        bind(&run).first(Concept::ClipFraction).map(|binding| binding.scale)
    };
    assert_eq!([0.3, 1.2, 30.0, 300.0].map(scale), [Scale::One, Scale::One, Scale::Percent, Scale::One].map(Some));
}

#[test]
fn accuracies_in_percent_are_shares_and_numbers_of_tasks_are_not() {
    let evaluation = |key: &str, value: f64| {
        let mut run = run(&[key]);
        run.push_value(key, 1, value);
        let bindings = bind(&run);
        bindings.first(Concept::Evaluation).map(|binding| (binding.unit, binding.scale))
    };
    for key in ["accuracy", "eval/accuracy", "test_acc", "success_rate", "acc_pct", "Percentage of correct examples"] {
        assert_eq!(evaluation(key, 0.5), Some((Unit::Share, Scale::One)), "{key}");
        assert_eq!(evaluation(key, 59.5), Some((Unit::Share, Scale::Percent)), "{key}");
        assert_eq!(evaluation(key, 640.0), Some((Unit::Plain, Scale::One)), "{key}");
    }
    assert_eq!(evaluation("eval/solved", 12.0), Some((Unit::Plain, Scale::One)));
    assert_eq!(evaluation("eval/gsm8k", 0.5), Some((Unit::Share, Scale::One)));
    assert_eq!(evaluation("eval/gsm8k", 50.0), Some((Unit::Plain, Scale::One)));
    assert_eq!((evaluation("gsm8k", 0.5), evaluation("gsm8k", 50.0)), (Some((Unit::Share, Scale::One)), None));
}

#[test]
fn an_accuracy_that_is_the_reward_is_no_evaluation() {
    let with = |accuracy: fn(f64) -> f64| {
        let mut run = Run::default();
        for step in 0..8 {
            let row = run.push_row(f64::from(step), f64::NAN);
            let reward = 0.125 * f64::from(step);
            run.push_value("reward", row, reward);
            run.push_value("acc", row, accuracy(reward));
        }
        run.choose_axis();
        first(&bind(&run), Concept::Evaluation).map(str::to_owned)
    };
    assert_eq!(with(|reward| (100.0 * reward).round()), None, "printed in whole percents");
    assert_eq!(with(|reward| 1.0 - reward).as_deref(), Some("acc"));
}

#[test]
fn a_true_reward_beside_another_is_an_evaluation() {
    for (reward, truth) in [
        ("proxy_reward", "gold_reward"),
        ("reward/proxy", "reward/gold"),
        ("mean_reward", "true_reward"),
        ("train/reward", "golden_score_mean"),
    ] {
        let bindings = bind(&run(&[reward, truth, "kl"]));
        assert_eq!(
            (first(&bindings, Concept::Reward), first(&bindings, Concept::Evaluation)),
            (Some(reward), Some(truth))
        );
        assert!(bindings.first(Concept::RewardComponent).is_none(), "{truth}");
    }
    assert!(first(&bind(&run(&["true_reward", "kl"])), Concept::Evaluation).is_none(), "nothing else is trained on");
    let bare = bind(&run(&["proxy", "gold", "kl"]));
    assert_eq!((first(&bare, Concept::Reward), first(&bare, Concept::Evaluation)), (Some("proxy"), Some("gold")));
    assert_eq!(first(&bind(&run(&["gold", "kl"])), Concept::Evaluation), None);
    assert_eq!(first(&bind(&run(&["proxy_reward", "kl"])), Concept::Reward), Some("proxy_reward"));
}

#[test]
fn a_win_rate_is_an_evaluation_outside_of_leagues() {
    let found = |keys: &[&str]| {
        let bindings = bind(&run(keys));
        bindings.first(Concept::Evaluation).map(|found| (found.key.clone(), found.unit))
    };
    assert_eq!(found(&["reward", "winrate"]), Some(("winrate".to_owned(), Unit::Share)));
    assert_eq!(found(&["reward", "win_rate", "eval/win_rate"]), Some(("eval/win_rate".to_owned(), Unit::Share)));
    assert_eq!(found(&["reward", "win_rate", "winrate", "elo/win_rate"]), None);
    let mut wins = run(&["reward", "win_rate"]);
    wins.push_value("win_rate", 0, 120.0);
    assert!(first(&bind(&wins), Concept::Evaluation).is_none(), "a number of wins");
}

#[test]
fn rewards_of_preference_training_are_no_rewards() {
    let keys =
        ["rewards/accuracies", "rewards/margins", "rewards/chosen", "rewards/rejected", "eval/rewards/accuracies"];
    let bindings = bind(&run(&keys));
    for concept in [Concept::Reward, Concept::RewardComponent, Concept::Evaluation] {
        assert!(bindings.first(concept).is_none(), "{concept:?}");
    }
}

/// A run with these keys, of values from 0 down to `lowest`.
fn falling(keys: &[&str], lowest: f64) -> Run {
    let mut run = run(keys);
    for key in keys.iter().filter(|key| key.contains("entropy")) {
        run.columns.remove(*key);
        for row in 0..3 {
            run.push_value(key, row, lowest * f64::from(row) / 2.0);
        }
    }
    run
}

#[test]
fn a_negative_loss_of_the_entropy_is_the_entropy() {
    let keys = ["rollout/ep_rew_mean", "train/entropy_loss", "train/value_loss"];
    let bound = bind(&falling(&keys, -7.5));
    let entropy = bound.first(Concept::Entropy).expect("bound");
    assert_eq!((entropy.key.as_str(), entropy.scale.apply(-7.5)), ("train/entropy_loss", 7.5));
    assert_eq!(first(&bind(&falling(&keys, 0.5)), Concept::Entropy), None, "with a coefficient, perhaps");
}

#[test]
fn a_kl_beside_a_critic_is_that_of_an_update_unless_something_tells_of_a_reference() {
    let game = ["episode_reward", "train/kl_divergence", "train/value_loss"];
    let of = |more: &[&str]| first(&bind(&run(&[&game[..], more].concat())), Concept::KlToSampler).map(str::to_owned);
    assert_eq!(of(&[]).as_deref(), Some("train/kl_divergence"));
    for more in ["response_length", "ref_logprob_mean", "kl_coef"] {
        assert_eq!(of(&[more]), None, "{more}");
    }
    assert_eq!(first(&bind(&run(&["objective/kl", "episode_reward", "value_loss"])), Concept::KlToSampler), None);
    let mut with_beta = run(&game);
    with_beta.config.insert("init_kl_coef", ConfigValue::Number(0.1));
    assert_eq!(first(&bind(&with_beta), Concept::KlToReference), Some("train/kl_divergence"));
}

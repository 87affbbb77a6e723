//! Configs as projects have them.

use super::*;
use crate::testing::{refs, summary};

fn number(value: f64) -> ConfigValue {
    ConfigValue::Number(value)
}

fn text(value: &str) -> ConfigValue {
    ConfigValue::Text(value.to_owned())
}

#[test]
fn what_varies_is_sorted_from_what_does_not() {
    let runs: Vec<RunSummary> = (0..6)
        .map(|run| {
            summary(&[
                ("learning_rate", number([1e-6, 1e-5, 1e-4][run % 3])),
                ("loss_type", text(["grpo", "dapo"][run % 2])),
                ("use_lora", ConfigValue::Bool(run < 3)),
                ("layers", ConfigValue::List(vec![number((run % 2) as f64), number(run as f64)])),
                ("beta", number([0.0, 0.02, 0.1][run / 2])),
                ("temperature", number(1.0)),
                ("seed", number(run as f64)),
                ("output_dir", text(["a", "b"][run % 2])),
                ("run_name", text(["x", "y", "z", "u", "v", "w"][run])),
                ("note", text(["x1", "y1", "z1", "u1", "v1", "w1"][run])),
            ])
        })
        .collect();
    let found = parameters(&refs(&runs));
    let varying: Vec<(&str, ParameterKind, usize)> =
        found.varying.iter().map(|p| (p.words.as_str(), p.kind, p.levels.len())).collect();
    assert_eq!(
        varying,
        [
            ("loss type", ParameterKind::Category, 2),
            ("KL coefficient", ParameterKind::Number, 3),
            ("learning rate", ParameterKind::Logarithm, 3),
            ("use_lora", ParameterKind::Switch, 2),
        ]
    );
    let texts: Vec<_> = found.varying[2].levels.iter().map(ParameterLevel::text).collect();
    assert_eq!(texts, ["1e-6", "1e-5", "1e-4"]);
    let constant: Vec<&str> = found.constant.iter().map(|constant| constant.key.as_str()).collect();
    assert_eq!(constant, ["temperature"]);
    let dropped: Vec<(&str, ExclusionReason)> =
        found.dropped.iter().map(|dropped| (dropped.key.as_str(), dropped.why)).collect();
    assert_eq!(
        dropped,
        [
            ("layers", ExclusionReason::Unique),
            ("note", ExclusionReason::Name),
            ("output_dir", ExclusionReason::Path),
            ("run_name", ExclusionReason::Name),
            ("seed", ExclusionReason::Seed),
        ]
    );
}

#[test]
fn one_setting_under_two_names_is_one() {
    let runs = [
        summary(&[("learning_rate", number(1e-6))]),
        summary(&[("learning_rate", number(1e-5))]),
        summary(&[("actor_rollout_ref.actor.optim.lr", number(1e-5))]),
    ];
    let found = parameters(&refs(&runs));
    assert_eq!(found.varying.len(), 1);
    let rate = &found.varying[0];
    assert_eq!((rate.words.as_str(), rate.key.as_str()), ("learning rate", "learning_rate"));
    assert_eq!(rate.of, [Some(0), Some(1), Some(1)]);
    assert!(found.dropped.is_empty() && found.constant.is_empty());
}

#[test]
fn what_changes_together_is_named_together() {
    let runs: Vec<RunSummary> = (0..8)
        .map(|run| {
            let rate = f64::from(run + 1);
            summary(&[
                ("learning_rate", number(1e-6 * rate)),
                ("warmup_steps", number(10.0 * rate)),
                ("gamma", number(rate + if run == 3 { 1.5 } else { 0.0 })),
                ("batch_size", number(f64::from(run % 2 * 8 + 8))),
            ])
        })
        .collect();
    let found = parameters(&refs(&runs));
    let rate = &found.varying[0];
    assert_eq!(rate.same, ["warmup_steps"]);
    assert_eq!(rate.near.iter().map(|near| near.key.as_str()).collect::<Vec<_>>(), ["gamma"]);
    assert_eq!(found.varying.len(), 3);
}

#[test]
fn a_switched_off_coefficient_is_zero_and_a_null_is_a_choice() {
    let kl = |used: bool| {
        summary(&[
            ("actor_rollout_ref.actor.kl_loss_coef", number(0.001)),
            ("actor_rollout_ref.actor.use_kl_loss", ConfigValue::Bool(used)),
            ("epsilon_high", if used { number(0.28) } else { ConfigValue::Null }),
        ])
    };
    let found = parameters(&refs(&[kl(true), kl(false), kl(true)]));
    let coefficient = found.varying.iter().find(|p| p.words == "KL coefficient").unwrap();
    assert_eq!(coefficient.levels.iter().map(|level| level.value).collect::<Vec<_>>(), [0.0, 0.001]);
    assert!(coefficient.same.iter().any(|key| key == "actor_rollout_ref.actor.use_kl_loss"));
    assert!(
        found.varying.iter().any(|p| p.words == "upper clip range")
            || coefficient.same.iter().any(|key| key == "epsilon_high")
    );
    assert_eq!(parameters(&[]), Parameters::default());
}

#[test]
fn logarithms_are_for_values_that_were_chosen_by_them() {
    let kind = |values: &[f64]| {
        let runs: Vec<RunSummary> = values.iter().map(|value| summary(&[("dropout", number(*value))])).collect();
        parameters(&refs(&runs)).varying[0].kind
    };
    let even: Vec<f64> = (1..200).map(|step| f64::from(step) / 200.0).collect();
    assert_eq!(kind(&even), ParameterKind::Number);
    assert_eq!(kind(&[1e-5, 1e-4, 1e-3]), ParameterKind::Logarithm);
    assert_eq!(kind(&[0.0, 1e-3, 1e-2, 1e-1]), ParameterKind::Logarithm);
    assert_eq!(kind(&[-1.0, 0.01, 10.0]), ParameterKind::Number);
    assert_eq!(kind(&[0.0, 0.02, 0.2]), ParameterKind::Number);
}

#[test]
fn a_copy_of_the_model_for_each_run_is_no_model() {
    let runs: Vec<RunSummary> = ["sweep-01", "sweep-02", "sweep-03"]
        .iter()
        .map(|name| {
            let model = ["models/", *name].concat();
            RunSummary { name: (*name).to_owned(), ..summary(&[("model_name_or_path", text(&model))]) }
        })
        .collect();
    let found = parameters(&refs(&runs));
    assert!(found.varying.is_empty());
    assert_eq!(found.dropped[0].why, ExclusionReason::Name);
}

#[test]
fn the_same_written_in_two_ways_is_the_same() {
    let run = |flag: ConfigValue, rate: ConfigValue, layers: ConfigValue| {
        summary(&[("use_kl", flag), ("learning_rate", rate), ("layers", layers)])
    };
    let list = ConfigValue::List(vec![number(1.0), number(2.0)]);
    let runs = [
        run(ConfigValue::Bool(true), number(1e-5), list.clone()),
        run(text("True"), text("1e-05"), text(&list.to_string())),
        run(text("false"), text("0.00003"), list.clone()),
        run(ConfigValue::Bool(true), number(3e-5), list),
    ];
    let found = parameters(&refs(&runs));
    let varying: Vec<(&str, usize)> = found.varying.iter().map(|p| (p.key.as_str(), p.levels.len())).collect();
    assert_eq!(varying, [("learning_rate", 2), ("use_kl", 2)]);
    assert_eq!(found.varying[1].kind, ParameterKind::Switch);
    let constant: Vec<&str> = found.constant.iter().map(|constant| constant.key.as_str()).collect();
    assert_eq!((constant.as_slice(), found.dropped.len()), (["layers"].as_slice(), 0));
}

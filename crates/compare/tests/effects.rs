//! Projects with known effects.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may panic")]

use rundown_compare::testing::{critical, refs, summary};
use rundown_compare::*;
use rundown_compare::{RunSummary, parameters, sample};
use rundown_diagnose::Code;
use rundown_present::compare::{effect_notes, effect_sentence};
use rundown_run::ConfigValue;
use rundown_stats::testing::white;
use rundown_stats::{Shape, SplitMix64};
use rundown_vocabulary::Direction;

fn number(value: f64) -> ConfigValue {
    ConfigValue::Number(value)
}

fn sentence(effect: &Effect) -> String {
    effect_sentence(effect, "eval/accuracy").to_string()
}

fn effects(summaries: &[&RunSummary], target: &Target<'_>) -> EffectAnalysis {
    effects_of(parameters(summaries), &sample(summaries, target), target)
}

fn of(summaries: &[RunSummary], values: &[f64]) -> EffectAnalysis {
    let values: Vec<Option<f64>> = values.iter().map(|value| Some(*value).filter(|value| value.is_finite())).collect();
    effects(&refs(summaries), &Target { key: "eval/accuracy", direction: Direction::Up, values: &values })
}

fn of_words<'s>(found: &'s EffectAnalysis, words: &str) -> &'s Effect {
    found.effects.iter().find(|effect| effect.parameter.words == words).unwrap()
}

/// A random search over five parameters.
fn search(seed: u64, runs: usize) -> (Vec<RunSummary>, Vec<[f64; 5]>) {
    let mut random = SplitMix64::new(seed);
    let drawn: Vec<[f64; 5]> = (0..runs).map(|_| [(); 5].map(|()| random.uniform())).collect();
    let summaries = drawn.iter().map(|[rate, beta, temperature, loss, size]| {
        summary(&[
            ("learning_rate", number(libm::pow(10.0, -7.0 + 3.0 * rate))),
            ("beta", number(0.1 * beta)),
            ("temperature", number(0.6 + 0.6 * temperature)),
            ("loss_type", ConfigValue::Text(["grpo", "dapo", "dr_grpo"][(3.0 * loss) as usize].to_owned())),
            ("batch_size", number([64.0, 128.0, 256.0][(3.0 * size) as usize])),
        ])
    });
    (summaries.collect(), drawn)
}

#[test]
fn a_random_search_shows_its_optimum() {
    let mut right = 0;
    for seed in 0..10 {
        let (summaries, drawn) = search(seed, 48);
        let noise = white(seed, 48);
        let values: Vec<f64> = drawn
            .iter()
            .zip(&noise)
            .map(|([rate, ..], e)| 0.8 - 1.5 * (rate - 0.5) * (rate - 0.5) + 0.04 * e)
            .collect();
        let found = of(&summaries, &values);
        let rate = of_words(&found, "learning rate");
        let best = &rate.bins[rate.best.unwrap()];
        right += usize::from(
            rate.is_claimed && rate.shape == Shape::InvertedU && best.range.0 < 5e-6 && best.range.1 > 1e-6,
        );
        assert!(found.effects.iter().filter(|effect| effect.is_claimed).count() <= 2);
    }
    assert!(right >= 9, "{right}");
}

#[test]
fn without_an_effect_nothing_is_claimed() {
    let claims = (0..200).filter(|seed| {
        let (summaries, _) = search(seed + 1000, 16 + (seed % 3) as usize * 8);
        of(&summaries, &white(seed + 500, summaries.len())).effects.iter().any(|effect| effect.is_claimed)
    });
    let claims = claims.count();
    assert!(claims <= 10, "{claims} of 200");
}

#[test]
fn few_runs_claim_a_perfect_order_and_little_else() {
    let of_betas = |values: &[f64]| {
        let summaries: Vec<RunSummary> =
            (0..values.len()).map(|run| summary(&[("beta", number(0.01 * run as f64))])).collect();
        of(&summaries, values).effects[0].clone()
    };
    let ordered = of_betas(&[0.28, 0.27, 0.26, 0.24, 0.2]);
    assert!(ordered.is_claimed && sentence(&ordered).contains("falling, strong"), "{}", sentence(&ordered));
    assert!(!of_betas(&[0.28, 0.26, 0.27, 0.24, 0.2]).is_claimed, "one of 15 orders");
    assert!(of_betas(&[0.28, 0.26, 0.27, 0.24, 0.2, 0.19, 0.18]).is_claimed, "one of hundreds");
    let claims = (0..400).filter(|seed| {
        let (summaries, _) = search(seed + 3000, 5 + (seed % 3) as usize);
        of(&summaries, &white(seed + 700, summaries.len())).effects.iter().any(|effect| effect.is_claimed)
    });
    let claims = claims.count();
    assert!(claims <= 20, "{claims} of 400");
}

#[test]
fn a_setting_that_one_run_changes_is_not_tested_and_hides_no_effect() {
    let noise = white(11, 12);
    let summaries: Vec<RunSummary> = (0..12)
        .map(|run| {
            let mut settings = vec![("beta".to_owned(), number(if run < 6 { 0.0 } else { 0.04 }))];
            settings
                .extend((0..12).map(|other| (format!("option_{other}"), number(f64::from(u8::from(run == other))))));
            let settings: Vec<(&str, ConfigValue)> =
                settings.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
            summary(&settings)
        })
        .collect();
    let values: Vec<f64> =
        noise.iter().enumerate().map(|(run, e)| if run < 6 { 0.5 } else { 0.6 } + 0.01 * e).collect();
    let found = of(&summaries, &values);
    let of_key = |key: &str| found.effects.iter().find(|effect| effect.parameter.key == key).unwrap();
    assert!(of_key("beta").is_claimed && of_key("option_3").p.is_none());
    let told = sentence(of_key("option_3"));
    assert!(told.contains("too few of 12 runs differ in it"), "{told}");
}

#[test]
fn a_category_that_matters_is_found() {
    let (summaries, drawn) = search(3, 36);
    let noise = white(3, 36);
    let values: Vec<f64> = drawn
        .iter()
        .zip(&noise)
        .map(|([.., loss, _], e)| if (3.0 * loss) as usize == 1 { 0.8 } else { 0.6 } + 0.03 * e)
        .collect();
    let found = of(&summaries, &values);
    let loss = &found.effects[0];
    assert_eq!((loss.parameter.words.as_str(), loss.is_claimed), ("loss type", true));
    assert_eq!(loss.bins[loss.best.unwrap()].label, "dapo");
    assert_eq!(loss.strength, Strength::Strong);
    assert!(found.forest_r2.is_some_and(|r2| r2 > 0.3) && loss.importance.is_some_and(|found| found.mean > 0.2));
    assert!(sentence(loss).starts_with("loss type: its values differ, strong"), "{}", sentence(loss));
}

#[test]
fn few_runs_give_ranks_and_no_p() {
    let (summaries, _) = search(1, 4);
    let found = of(&summaries, &[0.1, 0.5, 0.7, 0.9]);
    assert!(found.effects.iter().all(|effect| effect.p.is_none() && !effect.is_claimed));
    assert!(effect_notes(&found)[0].to_string().starts_with("4 runs have this outcome: with fewer than 5"));
    assert!(sentence(of_words(&found, "learning rate")).contains("as only 4 runs set it; their outcome is best with"));
    let one = of(&summaries[..1], &[0.5]);
    assert!(one.effects.is_empty());
    assert!(of(&[], &[]).effects.is_empty());
}

#[test]
fn what_changed_together_is_reported() {
    let summaries: Vec<RunSummary> = (0..12)
        .map(|run| {
            let high = run % 2 == 1;
            summary(&[
                ("learning_rate", number(if high { 1e-5 } else { 1e-6 })),
                ("warmup_steps", number(if high { 20.0 } else { 0.0 })),
            ])
        })
        .collect();
    let values: Vec<f64> = (0..12).map(|run| f64::from(run % 2) + 0.01 * f64::from(run)).collect();
    let found = of(&summaries, &values);
    assert_eq!(found.effects.len(), 1);
    assert!(found.effects[0].is_claimed);
    assert!(sentence(&found.effects[0]).contains("is confounded with warmup_steps"));
}

#[test]
fn runs_that_broke_tell_of_the_setting_that_broke_them() {
    let mut summaries: Vec<RunSummary> =
        (0..12).map(|run| summary(&[("learning_rate", number(if run < 6 { 1e-6 } else { 1e-3 }))])).collect();
    for summary in &mut summaries[6..] {
        summary.findings = vec![rundown_compare::testing::critical(rundown_diagnose::Code::NonfiniteValues)];
        summary.verdict = rundown_diagnose::Verdict::Ugly;
    }
    let mut values = vec![f64::NAN; 12];
    values[..6].copy_from_slice(&[0.5, 0.6, 0.55, 0.52, 0.58, 0.61]);
    let found = of(&summaries, &values);
    assert!(found.effects[0].is_claimed && found.effects[0].shape == Shape::Falling, "{found:?}");
    assert_eq!((found.broken, found.runs), (6, 12));
}

#[test]
fn what_goes_along_with_a_cause_is_not_one() {
    // The larger model was mostly run with the lower rate; the rate does nothing by itself.
    let noise = white(6, 48);
    let summaries: Vec<RunSummary> = (0..48)
        .map(|run| {
            let (large, usual) = (run % 2 == 1, run % 12 > 1);
            let low = large == usual;
            let rate = if low { [1e-6, 2e-6] } else { [1e-5, 2e-5] }[run / 2 % 2];
            let model = if large { "7B" } else { "1.5B" };
            summary(&[("model_name", ConfigValue::Text(model.to_owned())), ("learning_rate", number(rate))])
        })
        .collect();
    let values: Vec<f64> =
        noise.iter().enumerate().map(|(run, e)| if run % 2 == 1 { 0.65 } else { 0.45 } + 0.03 * e).collect();
    let found = of(&summaries, &values);
    assert!(of_words(&found, "model").is_claimed);
    let rate = of_words(&found, "learning rate");
    assert!(rate.q.is_some_and(|q| q < SIGNIFICANCE) && !rate.is_claimed, "{}", sentence(rate));
    assert_eq!(rate.confounding, Some(Confounding::OtherSetting { key: "model_name".to_owned() }));
    assert!(sentence(rate).contains("no effect of its own"), "{}", sentence(rate));
}

#[test]
fn what_is_not_refuted_is_inseparable() {
    // As above, with a small effect of the rate: among runs of one model its p is about 0.09.
    let noise = white(6, 48);
    let mut summaries = Vec::new();
    let mut values = Vec::new();
    for (run, noise) in noise.iter().enumerate() {
        let (large, usual) = (run % 2 == 1, run % 12 > 1);
        let low = large == usual;
        let model = ConfigValue::Text(if large { "7B" } else { "1.5B" }.to_owned());
        summaries.push(summary(&[("model_name", model), ("learning_rate", number(if low { 1e-6 } else { 1e-5 }))]));
        values.push(if large { 0.65 } else { 0.45 } + if low { 0.03 } else { 0.0 } + 0.03 * noise);
    }
    let found = of(&summaries, &values);
    let rate = of_words(&found, "learning rate");
    assert_eq!((rate.is_claimed, &rate.inseparable), (true, &vec!["model_name".to_owned()]), "{}", sentence(rate));
    assert!(sentence(rate).contains("confounded with model_name"), "{}", sentence(rate));
    let model = of_words(&found, "model");
    assert!(model.is_claimed && model.inseparable.is_empty(), "{}", sentence(model));
}

#[test]
fn a_reward_says_nothing_of_what_is_rewarded() {
    use rundown_compare::testing::TestRun;
    let mut runs: Vec<RunSummary> = (0..12)
        .map(|run| {
            let scale = [1.0, 2.0, 4.0][run % 3];
            let values: Vec<f64> = white(run as u64, 30).iter().map(|e| scale * (0.5 + 0.02 * e)).collect();
            let mut summary = RunSummary::of(run as u32, TestRun::new("a").reward("reward", &values).diagnosed());
            summary.config.insert("reward_scale", number(scale));
            summary.config.insert("scale_rewards", ConfigValue::Bool(run % 2 == 0));
            summary
        })
        .collect();
    let values: Vec<Option<f64>> = runs.iter().map(|summary| Some(summary.traces[0].tail)).collect();
    let target = Target { key: "reward", direction: Direction::Up, values: &values };
    let found = effects(&refs(&runs), &target);
    let scale = found.effects.iter().find(|effect| effect.parameter.key == "reward_scale").unwrap();
    let redefined = Some(Confounding::OutcomeRedefined { by: "reward_scale".to_owned() });
    assert_eq!((scale.is_claimed, &scale.confounding), (false, &redefined));
    assert!(found.effects.iter().all(|effect| effect.parameter.key != "scale_rewards" || effect.confounding.is_none()));
    assert_eq!(rewarded_by(&setting_columns(&refs(&runs)), |_| true), Some("reward_scale"));
    assert_eq!(rewarded_by(&setting_columns(&refs(&runs)), |run| run % 3 == 0), None, "those with the reward agree");
    let on = |data: &str| summary(&[("data.train_files", ConfigValue::Text(data.to_owned())), ("seed", number(1.0))]);
    assert_eq!(rewarded_by(&setting_columns(&refs(&[on("gsm8k"), on("math")])), |_| true), Some("data.train_files"));
    assert_eq!(rewarded_by(&setting_columns(&refs(&[on("math"), on("math")])), |_| true), None);
    for (key, is_reward) in [
        ("args.lambda_fair", true),
        ("format_lambda", true),
        ("gae_lambda", false),
        ("lambda", false),
        ("agent.lambda_", false),
        ("adv_lambda", false),
        ("lambda_entropy", false),
        ("lambda_kl", false),
    ] {
        let two = [0.1, 0.5].map(|weight| summary(&[(key, number(weight))]));
        assert_eq!(rewarded_by(&setting_columns(&refs(&two)), |_| true), is_reward.then_some(key), "{key}");
    }
    // What changed together with it is excluded by its name, and a value that no run with the reward has redefines nothing.
    for summary in &mut runs {
        let scale = summary.config.get("reward_scale").cloned().unwrap();
        summary.config.insert("batch", scale);
    }
    let found = effects(&refs(&runs), &target);
    let batch = found.effects.iter().find(|effect| effect.parameter.key == "batch").unwrap();
    assert_eq!((batch.is_claimed, &batch.confounding), (false, &redefined));
    let values: Vec<Option<f64>> =
        values.iter().enumerate().map(|(run, value)| value.filter(|_| run % 3 == 0)).collect();
    let found = effects(&refs(&runs), &Target { values: &values, ..target });
    assert!(found.effects.iter().all(|effect| effect.confounding.is_none()), "{:?}", found.effects);
}

#[test]
fn what_goes_with_another_reward_has_no_effect_of_its_own() {
    use rundown_compare::testing::TestRun;
    let found = |own: f64| {
        let runs: Vec<RunSummary> = (0..24)
            .map(|run| {
                let (scale, is_odd) = (1.0 + f64::from(run % 2), run < 4);
                let group = if (run % 2 == 1) != is_odd { 8.0 } else { 4.0 };
                let level = scale * (0.5 + own * group);
                let values: Vec<f64> = white(run.into(), 30).iter().map(|e| level + 0.02 * e).collect();
                let mut summary = RunSummary::of(run, TestRun::new("a").reward("reward", &values).diagnosed());
                summary.config.insert("lambda_format", number(scale));
                summary.config.insert("num_generations", number(group));
                summary
            })
            .collect();
        let values: Vec<Option<f64>> = runs.iter().map(|summary| Some(summary.traces[0].tail)).collect();
        let found = effects(&refs(&runs), &Target { key: "reward", direction: Direction::Up, values: &values });
        let group = found.effects.into_iter().find(|effect| effect.parameter.key == "num_generations").unwrap();
        (group.is_claimed, group.confounding)
    };
    let by_reward = Confounding::OtherSetting { key: "lambda_format".to_owned() };
    assert_eq!(found(0.0), (false, Some(by_reward)));
    assert_eq!(found(0.05), (true, None), "it shows among runs with the same reward");
}

#[test]
fn longer_training_is_no_effect_of_a_setting() {
    use rundown_compare::testing::TestRun;
    let lengths = [200, 150, 100, 50];
    let mut runs: Vec<RunSummary> = (0..16)
        .map(|run| {
            let noise = white(run as u64, 200);
            let values: Vec<f64> =
                noise.iter().take(lengths[run % 4]).enumerate().map(|(at, e)| at as f64 / 200.0 + 0.02 * e).collect();
            let mut summary = RunSummary::of(run as u32, TestRun::new("a").evaluation("eval/acc", &values).diagnosed());
            summary.config.insert("learning_rate", number([1e-6, 2e-6, 4e-6, 8e-6][run % 4]));
            summary
        })
        .collect();
    let mut values: Vec<Option<f64>> = runs.iter().map(|summary| Some(summary.traces[0].tail)).collect();
    let check = |said: &str, runs: &[RunSummary], values: &[Option<f64>]| {
        let found = effects(&refs(runs), &Target { key: "eval/acc", direction: Direction::Up, values });
        let words = sentence(&found.effects[0]);
        assert_eq!(found.effects[0].confounding, Some(Confounding::RunLength { step: 50.0, runs: 16 }), "{words}");
        assert!(words.contains(said), "{words}");
    };
    check("all 16 runs reached", &runs, &values);
    // One that broke before it had an outcome was not there.
    let broken =
        RunSummary { findings: vec![critical(Code::NonfiniteValues)], curve_fingerprint: None, ..runs[3].clone() };
    runs.push(RunSummary { traces: Vec::new(), ..broken });
    values.push(None);
    check("all 16 unbroken runs with a curve reached", &runs, &values);
}

/// Not a limit of time: says what it takes when it is run by hand with `--nocapture`.
#[test]
fn a_thousand_runs_with_fifty_settings_are_answered() {
    let mut random = SplitMix64::new(9);
    let names: Vec<String> = (0..50).map(|index| format!("section.hyperparameter_{index}")).collect();
    let summaries: Vec<RunSummary> = (0..1000)
        .map(|_| {
            let settings: Vec<(&str, ConfigValue)> = names
                .iter()
                .enumerate()
                .map(|(index, name)| {
                    let value = random.uniform();
                    let value = if index % 5 == 0 { (4.0 * value).floor() } else { value };
                    (name.as_str(), number(value))
                })
                .collect();
            summary(&settings)
        })
        .collect();
    let values: Vec<f64> = summaries
        .iter()
        .map(|summary| match summary.config.get("section.hyperparameter_7") {
            Some(ConfigValue::Number(value)) => (value - 0.4) * (value - 0.4),
            _ => 0.0,
        })
        .collect();
    let start = std::time::Instant::now();
    let found = of(&summaries, &values);
    println!("1,000 runs x 50 settings: {:?}", start.elapsed());
    assert_eq!(
        (found.effects[0].parameter.key.as_str(), found.effects[0].shape),
        ("section.hyperparameter_7", Shape::U)
    );
    assert!(found.forest_r2.is_some_and(|r2| r2 > 0.5));
}

//! Projects and what follows from them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may panic")]

use rundown_compare::testing::{TestRun, critical, refs, summary};
use rundown_compare::*;
use rundown_diagnose::{Code, Severity, Verdict};
use rundown_present::compare::{ExperimentWords, experiment_words};
use rundown_run::ConfigValue;
use rundown_stats::testing::white;
use rundown_vocabulary::{Concept, Direction};

fn number(value: f64) -> ConfigValue {
    ConfigValue::Number(value)
}

fn next(summaries: &[RunSummary], values: &[f64], direction: Direction) -> Recommendations {
    let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    advise(&refs(summaries), &Target { key: "eval/accuracy", direction, values: &values })
}

fn words(found: &Recommendations, experiment: &Experiment) -> ExperimentWords {
    experiment_words(experiment, &found.analysis)
}

/// Five learning rates, four runs each, with the temperature varied beside.
fn sweep(outcome: impl Fn(f64) -> f64) -> (Vec<RunSummary>, Vec<f64>) {
    let noise = white(11, 20);
    let mut summaries = Vec::new();
    let mut values = Vec::new();
    for (run, noise) in noise.iter().enumerate() {
        let rate = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3][run % 5];
        summaries.push(summary(&[
            ("learning_rate", number(rate)),
            ("temperature", number([0.7, 0.8, 0.9, 1.0][run / 5])),
            ("num_generations", number(8.0)),
        ]));
        summaries[run].name = format!("run-{run}");
        values.push(outcome(libm::log10(rate)) + 0.02 * noise);
    }
    (summaries, values)
}

/// The experiments with such a reason.
fn of(found: &Recommendations, is_wanted: fn(&ExperimentReason) -> bool) -> Vec<&Experiment> {
    found.experiments.iter().filter(|experiment| is_wanted(&experiment.reason)).collect()
}

fn refine(reason: &ExperimentReason) -> bool {
    matches!(reason, ExperimentReason::PeakBetween { .. } | ExperimentReason::PeakInEdgeBin { .. })
}

fn extend(reason: &ExperimentReason) -> bool {
    matches!(reason, ExperimentReason::BestAtEdge { .. })
}

fn separate(reason: &ExperimentReason) -> bool {
    matches!(reason, ExperimentReason::ChangedTogether { .. })
}

fn confirm(reason: &ExperimentReason) -> bool {
    matches!(reason, ExperimentReason::BestCategory { .. })
}

fn remedy(reason: &ExperimentReason) -> bool {
    matches!(reason, ExperimentReason::SharedFinding { .. })
}

#[test]
fn a_peak_is_refined_and_set() {
    for direction in [Direction::Up, Direction::Down] {
        let sign = if direction == Direction::Down { -1.0 } else { 1.0 };
        let (summaries, values) = sweep(|place| sign * (0.8 - 0.2 * (place + 5.0) * (place + 5.0)));
        let found = next(&summaries, &values, direction);
        let found_refine = of(&found, refine);
        assert_eq!(found_refine.len(), 1, "{:?}", found.analysis.effects[0]);
        assert_eq!((found_refine[0].from.as_str(), found_refine[0].words.as_str()), ("1e-5", "learning rate"));
        let expected = words(&found, found_refine[0]).expected.to_string();
        assert!(expected.contains("parabola") && !expected.contains("Less than"), "{expected}");
        let mut to = found_refine[0].to.clone();
        to.sort();
        assert_eq!(to, ["3e-5", "3e-6"]);
        let rate = &found.best_config.values[0];
        assert_eq!((rate.value.as_str(), rate.is_claimed), ("1e-5", true));
        assert!(matches!(rate.origin, ValueOrigin::MatchedRuns { .. }));
        assert!(found.best_config.run.is_some());
        assert!((3..=6).contains(&found.experiments.len()));
        let constant = found.best_config.values.iter().find(|value| value.key == "num_generations").unwrap();
        assert_eq!(constant.origin, ValueOrigin::OnlyTried);
    }
}

#[test]
fn an_edge_is_extended() {
    let (summaries, values) = sweep(|place| 0.1 * place);
    let found = next(&summaries, &values, Direction::Up);
    let effect = &found.analysis.effects[0];
    assert_eq!(effect.shape, rundown_stats::Shape::Rising);
    // 1e-3 is as far as any recipe goes.
    assert!(of(&found, extend).is_empty() && of(&found, refine).is_empty());
    let found = next(&summaries, &values, Direction::Down);
    let found_extend = of(&found, extend);
    assert_eq!((found_extend[0].from.as_str(), found_extend[0].to[0].as_str()), ("1e-7", "5e-8"));
}

/// Gives each run a curve of the outcome that rises evenly to its value, over so many steps.
fn with_curves(summaries: &mut [RunSummary], values: &[f64], steps: impl Fn(usize) -> usize) {
    for (run, (summary, value)) in summaries.iter_mut().zip(values).enumerate() {
        let curve: Vec<f64> = (1..=steps(run)).map(|step| value * step as f64 / steps(run) as f64).collect();
        let logged = RunSummary::of(0, TestRun::new("a").evaluation("eval/accuracy", &curve).diagnosed());
        (summary.traces, summary.steps) = (logged.traces, logged.steps);
    }
}

#[test]
fn runs_that_are_compared_by_their_mean_are_not_stopped() {
    let noise = white(5, 12);
    let loss = |run: usize| ("loss_type", ConfigValue::Text(["grpo", "dapo", "dr_grpo"][run % 3].to_owned()));
    let of_rate = |run: usize| ("learning_rate", number(1e-6 * run as f64));
    let mut summaries: Vec<RunSummary> = (0..12).map(|run| summary(&[loss(run), of_rate(run)])).collect();
    let values: Vec<f64> = noise.iter().enumerate().map(|(run, e)| [0.5, 0.62, 0.52][run % 3] + 0.01 * e).collect();
    with_curves(&mut summaries, &values, |_| 20);
    let found = next(&summaries, &values, Direction::Up);
    assert_eq!(of(&found, confirm)[0].stop, StopRule::FullLength);
    let repeated = of(&found, |reason| matches!(reason, ExperimentReason::FewRepeats { .. }))[0];
    assert_eq!((repeated.stop, repeated.to.as_slice()), (StopRule::FullLength, ["4 more seeds".to_owned()].as_slice()));
    let expected = words(&found, repeated).expected.to_string();
    assert!(expected.ends_with("takes 5 runs of each."), "{expected}");
}

#[test]
fn top_runs_are_measured_over_the_same_steps() {
    // The best run is the longest: the others are asked where it was around the middle, not at their own middles.
    for (direction, worst) in [(Direction::Up, 0.45), (Direction::Down, 0.5)] {
        let mut summaries = sweep(|place| place).0;
        summaries.truncate(3);
        let values = if direction == Direction::Up { [1.0, 0.9, 0.1] } else { [0.8, 1.0, 2.0] };
        with_curves(&mut summaries, &values, |run| if run == 2 { 30 } else { 60 });
        let found = next(&summaries, &values, direction);
        let experiment = of(&found, |reason| matches!(reason, ExperimentReason::NeverVaried { .. }))[0];
        let StopRule::WorseThan { value, steps } = experiment.stop else { panic!("{experiment:?}") };
        assert!(steps == (25.0, 37.0) && (value - worst).abs() < 0.02, "{steps:?} {value}");
        let stop = words(&found, experiment).stop.to_string();
        assert!(stop.ends_with("the mean of the worst of the top runs there with its noise allowed for."), "{stop}");
    }
}

#[test]
fn a_reward_stops_no_run_that_is_rewarded_otherwise() {
    let (mut summaries, values) = sweep(|place| 0.1 * place);
    let finding = FindingSummary { severity: Severity::Warning, ..critical(Code::ProxyOnlyGain) };
    summaries.iter_mut().for_each(|summary| summary.findings = vec![finding.clone()]);
    with_curves(&mut summaries, &values, |_| 20);
    let stop = |summaries: &[RunSummary]| of(&next(summaries, &values, Direction::Up), remedy)[0].stop;
    assert!(matches!(stop(&summaries), StopRule::WorseThan { .. }), "an evaluation stays what it is");
    summaries.iter_mut().flat_map(|summary| &mut summary.traces).for_each(|trace| trace.concept = Concept::Reward);
    assert_eq!(stop(&summaries), StopRule::NoGain);
}

#[test]
fn what_the_good_runs_suffer_from_is_treated() {
    let (mut summaries, values) = sweep(|place| 0.8 - 0.2 * (place + 5.0) * (place + 5.0));
    for summary in &mut summaries {
        summary.findings = vec![FindingSummary { severity: Severity::Warning, ..critical(Code::EntropyCollapse) }];
    }
    let found = next(&summaries, &values, Direction::Up);
    let found_remedy = of(&found, remedy);
    assert_eq!((found_remedy[0].words.as_str(), found_remedy[0].to[0].as_str()), ("upper clip range", "at least 0.28"));
    assert!(words(&found, found_remedy[0]).evidence.to_string().starts_with("Entropy collapse in 20 of 20 runs"));
    // Of the worst runs alone it is no reason.
    for (summary, value) in summaries.iter_mut().zip(&values) {
        if *value > 0.3 {
            summary.findings.clear();
        }
    }
    assert!(of(&next(&summaries, &values, Direction::Up), remedy).is_empty());
}

#[test]
fn no_default_without_support() {
    let (summaries, values) = sweep(|_| 0.5);
    let found = next(&summaries, &values, Direction::Up);
    assert!(found.best_config.values.is_empty() && found.best_config.none == Some(NoBestConfig::NoEffect));
    assert!(found.best_config.best_run.is_some());
    assert!(of(&found, refine).is_empty() && found.experiments.len() >= 3);

    let few = next(&summaries[..4], &values[..4], Direction::Up);
    assert!(few.best_config.none == Some(NoBestConfig::TooFewRuns) && few.experiments.len() >= 3);
    let one = next(&summaries[..1], &values[..1], Direction::Up);
    assert!(one.best_config.none == Some(NoBestConfig::NoVariation));
    assert!((3..=6).contains(&one.experiments.len()), "{:?}", one.experiments);
    assert_eq!(next(&[], &[], Direction::Up).experiments, []);
}

#[test]
fn runs_without_settings_are_not_called_alike() {
    let bare: Vec<RunSummary> = (0..10).map(|_| summary(&[])).collect();
    let values: Vec<f64> = (0..10).map(|place| 0.1 * f64::from(place)).collect();
    let found = next(&bare, &values, Direction::Up);
    assert!(found.best_config.none == Some(NoBestConfig::NoSettings) && found.analysis.has_no_settings());
    let is_about_settings = |reason: &ExperimentReason| {
        matches!(
            reason,
            ExperimentReason::NeverVaried { .. }
                | ExperimentReason::FewRepeats { .. }
                | ExperimentReason::WithinNoise { .. }
        )
    };
    assert!(of(&found, is_about_settings).is_empty(), "{:?}", found.experiments);
}

#[test]
fn ugly_runs_lead_nowhere() {
    let (mut summaries, values) = sweep(|place| 0.1 * place);
    for summary in &mut summaries {
        summary.verdict = Verdict::Ugly;
        summary.findings = vec![critical(Code::KlBlowUp)];
    }
    let found = next(&summaries, &values, Direction::Up);
    assert!(found.best_config.none == Some(NoBestConfig::AllUgly));
    assert!(found.best_config.best_run.is_none());
    let found_remedy = of(&found, remedy);
    assert_eq!(found_remedy[0].words, "KL coefficient");
    assert!(found.experiments.len() <= 6);
}

#[test]
fn what_changed_together_is_taken_apart() {
    let noise = white(4, 16);
    let summaries: Vec<RunSummary> = (0..16)
        .map(|run| {
            let high = run % 2 == 1;
            let rate = if high { 1e-5 } else { 1e-6 };
            summary(&[("learning_rate", number(rate)), ("warmup_steps", number(if high { 20.0 } else { 0.0 }))])
        })
        .collect();
    let values: Vec<f64> = noise.iter().enumerate().map(|(run, e)| (run % 2) as f64 + 0.1 * e).collect();
    let found = next(&summaries, &values, Direction::Up);
    let found_separate = of(&found, separate);
    assert_eq!(found_separate[0].words, "learning rate");
    // The default names both: one alone would be a config that nobody ran.
    let value = |key: &str| found.best_config.values.iter().find(|value| value.key == key).unwrap();
    assert_eq!((value("learning_rate").value.as_str(), value("warmup_steps").value.as_str()), ("1e-5", "20"));
    assert_eq!(value("warmup_steps").origin, ValueOrigin::ChangedTogether { with: "learning_rate".to_owned() });
    assert!(words(&found, found_separate[0]).hypothesis.to_string().contains("warmup_steps"));
    assert!(of(&found, extend).is_empty());
}

#[test]
fn a_shorter_training_is_not_proposed() {
    let planned = |run: usize| 1000.0 * (1 + run % 4) as f64;
    let summaries: Vec<RunSummary> = (0..16).map(|run| summary(&[("max_steps", number(planned(run)))])).collect();
    for (slope, extended) in [(1e-4, 1), (-1e-4, 0)] {
        let values: Vec<f64> = (0..16).map(|run| slope * planned(run) + 1e-3 * run as f64).collect();
        assert_eq!(of(&next(&summaries, &values, Direction::Up), extend).len(), extended);
    }
}

#[test]
fn equal_outcomes_have_no_best_value() {
    let (summaries, _) = sweep(|_| 0.5);
    let found = next(&summaries[..5], &[0.5; 5], Direction::Up);
    let told = rundown_present::compare::effect_sentence(&found.analysis.effects[0], "eval/accuracy").to_string();
    assert!(told.contains("the same outcome with all of its values") && !told.contains("best with"), "{told}");
    let repeated = of(&found, |reason| matches!(reason, ExperimentReason::FewRepeats { .. }))[0];
    assert!(words(&found, repeated).evidence.to_string().contains("is as good"));
}

#[test]
fn a_gamed_reward_is_not_followed() {
    let (mut summaries, values) = sweep(|place| 0.1 * place);
    for (summary, value) in summaries.iter_mut().zip(&values) {
        // The highest learning rate has the most reward, and every run of it is ugly.
        if *value > -0.35 {
            summary.verdict = Verdict::Ugly;
            summary.findings = vec![critical(Code::RewardHacking)];
        }
    }
    let found = next(&summaries, &values, Direction::Up);
    assert!(found.analysis.effects[0].is_claimed);
    assert!(of(&found, extend).is_empty());
    assert_eq!(found.best_config.values[0].value, "1e-4");
}

#[test]
fn a_peak_inside_the_last_bin_is_not_passed() {
    // Nine rates, best at the seventh: the bins are too wide to show the turn.
    let rates = [3e-7, 6e-7, 1e-6, 2e-6, 3e-6, 6e-6, 1e-5, 2e-5, 3e-5];
    let values = [0.12, 0.13, 0.15, 0.44, 0.52, 0.64, 0.7, 0.6, 0.5];
    let summaries: Vec<RunSummary> = rates.iter().map(|rate| summary(&[("learning_rate", number(*rate))])).collect();
    let found = next(&summaries, &values, Direction::Up);
    assert!(found.analysis.effects[0].is_claimed && of(&found, extend).is_empty());
    let found_refine = of(&found, refine);
    assert_eq!(
        (found_refine[0].from.as_str(), found_refine[0].to.as_slice()),
        ("1e-5", ["1.5e-5", "7e-6"].map(String::from).as_slice())
    );
}

#[test]
fn a_plateau_at_the_edge_is_no_reason_to_go_on() {
    // All the same up to 1e-5, nothing beyond: the lowest is no better than its neighbour.
    let (summaries, values) = sweep(|place| if place > -4.5 { 0.0 } else { 0.6 });
    let found = next(&summaries, &values, Direction::Up);
    assert!(found.analysis.effects[0].is_claimed, "{:?}", found.analysis.effects[0]);
    assert!(of(&found, extend).is_empty(), "{:?}", found.experiments[0]);
}

#[test]
fn values_by_one_factor_go_on_by_it() {
    let (summaries, values) = by_group_size(15);
    let found = next(&summaries, &values, Direction::Up);
    assert_eq!(of(&found, extend)[0].to, ["64"]);
}

fn by_group_size(runs: usize) -> (Vec<RunSummary>, Vec<f64>) {
    let sizes = [2.0, 4.0, 8.0, 16.0, 32.0];
    let summaries = (0..runs).map(|run| summary(&[("num_generations", number(sizes[run % 5]))])).collect();
    let noise = white(2, runs);
    let values = noise.iter().enumerate().map(|(run, e)| 0.3 + 0.06 * (run % 5) as f64 + 0.01 * e).collect();
    (summaries, values)
}

#[test]
fn values_of_two_runs_or_of_ugly_ones_are_not_followed() {
    let (summaries, values) = by_group_size(10);
    let found = next(&summaries, &values, Direction::Up);
    assert!(found.analysis.effects[0].is_claimed && of(&found, extend).is_empty(), "two runs each");
    let (mut summaries, values) = by_group_size(15);
    for summary in summaries.iter_mut().skip(3).step_by(5) {
        summary.verdict = Verdict::Ugly;
        summary.findings = vec![critical(Code::RewardHacking)];
    }
    let found = next(&summaries, &values, Direction::Up);
    assert!(of(&found, extend).is_empty(), "a critical finding explains the runs with 16");
}

#[test]
fn a_category_that_matters_is_tried_again() {
    let noise = white(5, 12);
    let summaries: Vec<RunSummary> = (0..12)
        .map(|run| {
            let mut summary =
                summary(&[("loss_type", ConfigValue::Text(["grpo", "dapo", "dr_grpo"][run % 3].to_owned()))]);
            summary.name = format!("run-{run}");
            summary
        })
        .collect();
    let values: Vec<f64> = noise.iter().enumerate().map(|(run, e)| [0.5, 0.62, 0.52][run % 3] + 0.01 * e).collect();
    let found = next(&summaries, &values, Direction::Up);
    let found_confirm = of(&found, confirm);
    assert_eq!((found_confirm[0].from.as_str(), found_confirm[0].to[0].as_str()), ("dr_grpo", "dapo"));
    // As many seeds as a claim takes, and of the runs with all values the best is named.
    assert!(words(&found, found_confirm[0]).watch.to_string().contains("over 5 seeds or more"));
    assert!(found.best_config.run.is_some() && found.best_config.run == found.best_config.best_run);
    assert_eq!(found.best_config.values[0].value, "dapo");
}

#[test]
fn where_most_runs_break_that_comes_first() {
    let (mut summaries, values) = sweep(|_| 0.5);
    for (run, summary) in summaries.iter_mut().enumerate().filter(|(run, _)| run % 5 > 1) {
        summary.verdict = Verdict::Ugly;
        summary.findings = vec![critical(Code::NonfiniteValues)];
        summary.name = format!("broken-{run}");
    }
    let found = next(&summaries, &values, Direction::Up);
    let first = of(&found, remedy)[0];
    assert_eq!(first.words, "learning rate");
    assert!(words(&found, first).evidence.to_string().contains("12 of 20 runs"));
}

#[test]
fn runs_of_games_get_no_settings_of_language_models() {
    let values = [100.0, 120.0, 110.0, 130.0];
    let changes = |acts_in_environment: bool| -> Vec<String> {
        let runs: Vec<RunSummary> = (0..values.len())
            .map(|place| RunSummary {
                name: format!("run-{place}"),
                acts_in_environment,
                findings: vec![critical(Code::EntropyCollapse)],
                ..summary(&[("learning_rate", number(3e-4)), ("seed", number(place as f64))])
            })
            .collect();
        let found = next(&runs, &values, Direction::Up);
        found.experiments.into_iter().map(|experiment| experiment.words).collect()
    };
    let of_language = ["evaluation on held-out tasks", "upper clip range", "KL coefficient", "responses per prompt"];
    let known = changes(false);
    assert!(of_language[..2].iter().all(|words| known.iter().any(|change| change == words)), "{known:?}");
    let games = changes(true);
    assert!(games.iter().all(|change| !of_language.contains(&change.as_str())), "{games:?}");
    assert!(games.iter().any(|change| change == "learning rate"), "{games:?}");
}

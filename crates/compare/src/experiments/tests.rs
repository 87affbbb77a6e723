//! When an experiment is stopped, which runs it is compared with, and which settings the runs do not have.

use super::*;
use crate::testing::{TestRun, critical, refs, summary};
use crate::{FindingSummary, Recommendations, advise};
use rundown_diagnose::Severity;
use rundown_run::ConfigValue;
use rundown_stats::testing::white;
use rundown_vocabulary::{Concept, Direction, Framework};

/// What follows from two runs with such rewards, the values of which are noise around a level, and their parts; the second one
/// has a collapsed entropy.
fn after(runs: [(f64, &str); 2]) -> Recommendations {
    let made = |(place, (level, part)): (usize, (f64, &str))| {
        let curve: Vec<f64> = white(place as u64 + 1, 60).iter().map(|e| level + 0.1 * e).collect();
        let run = TestRun::new("a").reward("reward", &curve).metric(Concept::RewardComponent, part, &curve);
        let config = summary(&[("learning_rate", ConfigValue::Number(1e-6 * (place as f64 + 1.0)))]).config;
        let collapse = FindingSummary { severity: Severity::Warning, ..critical(Code::EntropyCollapse) };
        let findings = if place == 1 { vec![collapse] } else { Vec::new() };
        RunSummary { config, findings, ..RunSummary::of(0, run.diagnosed()) }
    };
    let summaries: Vec<RunSummary> = runs.into_iter().enumerate().map(made).collect();
    let values = runs.map(|(level, _)| Some(level));
    advise(&refs(&summaries), &Target { key: "reward", direction: Direction::Up, values: &values })
}

fn stop(found: &Recommendations) -> (f64, (f64, f64)) {
    let mut rules = found.experiments.iter().map(|experiment| experiment.stop);
    let rule = rules.find_map(|rule| match rule {
        StopRule::WorseThan { value, steps } => Some((value, steps)),
        _ => None,
    });
    rule.unwrap()
}

#[test]
fn repeats_of_the_worst_top_run_are_seldom_stopped() {
    let (value, steps) = stop(&after([(0.5, "rewards/a"), (0.4, "rewards/a")]));
    assert_eq!(steps, (25.0, 37.0));
    let mean = |seed: u64| 0.4 + 0.1 * stats::mean(&white(seed, 60)[24..37]).unwrap();
    let stopped = (10..210).filter(|seed| mean(*seed) < value).count();
    assert!((0.25..0.42).contains(&value) && stopped <= 6, "{value}, {stopped} of 200 repeats");
}

#[test]
fn a_run_of_another_reward_says_nothing_of_the_best_one() {
    let lead = |found: &Recommendations| {
        let mut reasons = found.experiments.iter().map(|experiment| experiment.reason.clone());
        let lead = reasons.find_map(|reason| match reason {
            ExperimentReason::FewRepeats { lead, .. } => Some(lead.is_some()),
            _ => None,
        });
        lead.unwrap()
    };
    let (same, other) =
        (after([(9.0, "rewards/a"), (0.4, "rewards/a")]), after([(9.0, "rewards/a"), (0.4, "rewards/b")]));
    assert!(stop(&same).0 < 1.0 && stop(&other).0 > 8.0, "{same:?} {other:?}");
    assert!(lead(&same) && !lead(&other));
    let treats = |found: &Recommendations| {
        found.experiments.iter().any(|found| matches!(found.reason, ExperimentReason::SharedFinding { .. }))
    };
    assert!(treats(&same) && !treats(&other));
}

#[test]
fn a_run_without_a_result_is_not_repeated_and_a_bad_one_after_its_remedies() {
    let score = |verdict: Verdict, code: Code| {
        let finding = FindingSummary { severity: Severity::Warning, ..critical(code) };
        let rate = ("learning_rate", ConfigValue::Number(1e-6));
        let run = RunSummary { verdict, findings: vec![finding], points: 12, ..summary(&[rate]) };
        let target = Target { key: "reward", direction: Direction::Up, values: &[Some(0.5)] };
        let experiments = advise(&[&run], &target).experiments.into_iter();
        let mut seeds = experiments.filter(|other| matches!(other.reason, ExperimentReason::FewRepeats { .. }));
        seeds.next().map(|seeds| seeds.score)
    };
    assert_eq!(score(Verdict::Good, Code::EntropyCollapse), Some(0.7));
    assert_eq!(score(Verdict::Bad, Code::EntropyCollapse), Some(0.3));
    assert_eq!(score(Verdict::Undecided, Code::InsufficientData), None);
}

#[test]
fn a_kl_term_that_is_on_is_not_proposed() {
    let is_proposed = |framework: Framework, kl: [f64; 2]| {
        let made = kl.map(|kl| {
            let run = TestRun::new("a").reward("reward", &[0.5; 12]).metric(Concept::KlToReference, "kl", &[kl; 12]);
            let config = summary(&[("learning_rate", ConfigValue::Number(1e-6))]).config;
            RunSummary { framework, config, ..RunSummary::of(0, run.diagnosed()) }
        });
        let target = Target { key: "reward", direction: Direction::Up, values: &[Some(0.5), Some(0.4)] };
        advise(&refs(&made), &target).experiments.iter().any(|experiment| experiment.words == "KL coefficient")
    };
    // The first run is the best one.
    assert!(is_proposed(Framework::Trl, [0.0, 0.1]) && !is_proposed(Framework::Trl, [0.1, 0.0]));
    assert!(!is_proposed(Framework::MsSwift, [0.1, 0.0]) && is_proposed(Framework::Verl, [0.1, 0.0]));
}

#[test]
fn one_log_that_lacks_the_signs_makes_no_folder_of_language_models() {
    let proposed = |games: std::ops::Range<usize>| {
        let run = |place: usize| {
            let rate = ("learning_rate", ConfigValue::Number(1e-3));
            RunSummary { acts_in_environment: games.contains(&place), ..summary(&[rate]) }
        };
        let runs: Vec<RunSummary> = (0..4).map(run).collect();
        let target = Target { key: "reward", direction: Direction::Up, values: &[0.8, 0.7, 0.6, 0.5].map(Some) };
        let found = advise(&refs(&runs), &target).experiments;
        let of_language = ["evaluation on held-out tasks", "KL coefficient"];
        found.iter().filter(|experiment| of_language.contains(&experiment.words.as_str())).count()
    };
    // Experiments change the config of the first run, which is the best one.
    assert_eq!([2..4, 1..4, 0..1].map(proposed), [2, 0, 0]);
}

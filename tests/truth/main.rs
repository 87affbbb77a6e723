//! The truth table: runs whose cause is known, and what is found in them.
//!
//! A generator simulates training runs with one fault each, or none, and writes them under the names of several
//! frameworks; nothing in it knows how the checks work. The table says for each code how often it is found, how far
//! off its onset is, and how often healthy runs are accused, on seeds that rules were tuned on and on fresh ones.
//!
//! `make truth` writes the table to `docs/truth.md`. `RUNDOWN_TRUTH_CASE=word` shows every run of the cases whose name
//! contains the word, one line each, asserts nothing, and leaves the runs as exports in `target/tmp/truth`, to be
//! dropped on the page.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod case;
mod corpus_runs;
mod healthy;
#[path = "../labels/labels.rs"]
#[allow(dead_code, reason = "what the tests of labels assert is not needed here")]
mod labels;
mod league;
mod lengths;
mod level;
mod logging;
mod markdown;
mod measure;
mod optimiser;
mod page;
mod pipeline;
mod plan;
mod policy;
mod progress;
mod random;
mod reward;
mod score;
mod simulated_run;
mod story;
mod style;
#[path = "../support/mod.rs"]
mod support;
mod systems;
mod table;
mod write;

use std::collections::BTreeMap;

use case::{Case, FRESH, SPENT, TUNED};
use logging::Logging;
use rundown_diagnose::Code;
use score::{Outcome, Tally, outcomes, tally};
use style::Style;
use table::Measured;

/// Runs of a code in which it must be found.
const RECALL: f64 = 0.95;
/// The same under the names of one framework, where that many runs show it.
const RECALL_OF_STYLE: (f64, usize) = (0.85, 10);
/// Healthy runs that may have a critical finding.
const ACCUSED: f64 = 0.01;
/// Median onset error, as a share of the run.
const ONSET: f64 = 0.03;

/// Codes without a case of their own: two runs are needed, or exported events, or a log without metrics.
const WITHOUT_CASE: &[&str] = &["duplicate_run", "error_rate_high", "no_metrics"];

/// Runs of trainers, under each framework's names.
fn training() -> Vec<&'static Case> {
    let of_all = [
        healthy::SHAPES,
        policy::FAULTS,
        reward::FAULTS,
        progress::FAULTS,
        optimiser::FAULTS,
        lengths::FAULTS,
        pipeline::FAULTS,
    ];
    of_all.into_iter().flatten().collect()
}

/// Runs of the source documents' systems.
fn systems() -> Vec<&'static Case> {
    [systems::SHAPES, systems::FAULTS].into_iter().flatten().collect()
}

#[test]
fn every_code_has_a_case_and_every_case_a_code() {
    let (training, systems) = (training(), systems());
    let cases: Vec<&Case> = training.iter().chain(&systems).copied().collect();
    let asked: Vec<&str> = cases.iter().flat_map(|case| case.codes.iter().copied()).collect();
    let catalogue: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let unknown: Vec<&&str> = asked.iter().filter(|code| !catalogue.contains(code)).collect();
    assert!(unknown.is_empty(), "not in the catalogue: {unknown:?}");
    let missing = |code: &&&str| !asked.contains(code) && !WITHOUT_CASE.contains(code);
    let missing: Vec<&&str> = catalogue.iter().filter(missing).collect();
    assert!(missing.is_empty(), "no case: {missing:?}");
    let faults = cases.iter().filter(|case| !case.codes.is_empty());
    assert!(faults.clone().count() >= 24 && cases.len() - faults.count() >= 8);
    let mut names: Vec<&str> = cases.iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "a name is the start of its random numbers");
    for case in &training {
        let is_shown =
            Style::TRAINING.iter().any(|style| style.shows(case.needs, false) || style.shows(case.needs, true));
        assert!(is_shown, "{} is seen in no style", case.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for case in training().into_iter().step_by(9) {
        for style in Style::TRAINING {
            let run = |seed| write::write(&case::simulate(case, seed), style, case.needs, seed);
            assert!(run(3).columns.len() > 5, "{}", case.name);
            let [first, again, other] = [3, 3, 4].map(|seed| format!("{:?}", run(seed)));
            assert!(first == again, "{}", case.name);
            assert!(first != other, "{}", case.name);
        }
    }
}

/// Every so many cases are measured again to see whether the page is stale.
const SAMPLED: usize = 12;

#[test]
fn the_truth_table_holds() {
    let wanted = std::env::var("RUNDOWN_TRUTH_CASE").ok();
    let (training, systems) = (training(), systems());
    let of_training = |logging: Logging| outcomes(&training, logging.styles(), logging, &TUNED, wanted.as_deref());
    let (of_training, of_few) = (of_training(Logging::EveryStep), of_training(Logging::EveryTenthStep));
    let of_systems = outcomes(&systems, &[Style::Sources], Logging::EveryStep, &TUNED, wanted.as_deref());
    if wanted.is_some() {
        for outcome in of_training.iter().chain(&of_few).chain(&of_systems) {
            println!("{}{}", if outcome.found.is_some() { "" } else { "MISSED " }, outcome.line);
        }
        return;
    }

    let mut wrong = by_style(&training, &of_training);
    for (code, tally) in by_code(&training, &of_training).into_iter().chain(by_code(&systems, &of_systems)) {
        wrong.extend(below(code, &tally));
    }
    for (cases, outcomes) in [(&training, &of_training), (&training, &of_few), (&systems, &of_systems)] {
        let healthy = tally(outcomes.iter().filter(|outcome| cases[outcome.case].codes.is_empty()));
        let share = healthy.criticals as f64 / healthy.runs.max(1) as f64;
        if share > ACCUSED {
            wrong.push(format!("{} of {} healthy runs have a critical finding", healthy.criticals, healthy.runs));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Measures cases and shows them to `then`.
fn measured<T>(is_wanted: impl Fn(usize) -> bool, then: impl FnOnce(&Measured, &Measured, &Measured) -> T) -> T {
    let sampled = |cases: Vec<&'static Case>| -> Vec<&'static Case> {
        cases.into_iter().enumerate().filter(|(index, _)| is_wanted(*index)).map(|(_, case)| case).collect()
    };
    let (training, systems) = (sampled(training()), sampled(systems()));
    let of = |cases: &[&Case], styles: &[Style], logging| {
        [&TUNED, &FRESH.1].map(|seeds| outcomes(cases, styles, logging, seeds, None))
    };
    let of_training = of(&training, Logging::EveryStep.styles(), Logging::EveryStep);
    let of_few = of(&training, Logging::EveryTenthStep.styles(), Logging::EveryTenthStep);
    let of_systems = of(&systems, &[Style::Sources], Logging::EveryStep);
    then(
        &Measured { cases: &training, tuned: &of_training[0], fresh: &of_training[1] },
        &Measured { cases: &training, tuned: &of_few[0], fresh: &of_few[1] },
        &Measured { cases: &systems, tuned: &of_systems[0], fresh: &of_systems[1] },
    )
}

#[test]
fn the_page_is_not_stale() {
    let page = std::fs::read_to_string(page::path()).expect("docs/truth.md is there");
    let is_sampled = |index: usize| index.is_multiple_of(SAMPLED);
    let stale = measured(is_sampled, |training, few, systems| page::stale(&page, &[training, systems], few));
    assert!(stale.is_empty(), "docs/truth.md is stale, make truth writes it; it lacks: {stale:#?}");
}

#[test]
#[ignore = "takes minutes: make truth"]
fn write_the_page() {
    assert!(support::corpus("public-logs").is_some(), "the page lists the public logs too");
    let text = measured(|_| true, page::page);
    std::fs::write(page::path(), text).expect("docs/ can be written to");
}

#[test]
fn fresh_seeds_are_new_with_each_release() {
    let (release, fresh) = FRESH;
    assert_eq!(release, env!("CARGO_PKG_VERSION"), "a release needs seeds that no rule has seen: move FRESH on");
    for used in SPENT.iter().map(|(_, range)| range).chain([&TUNED]) {
        assert!(fresh.end <= used.start || used.end <= fresh.start, "{fresh:?} were used: {used:?}");
    }
}

/// What was counted for each code that has a check; a case counts for its first code.
fn by_code(cases: &[&Case], outcomes: &[Outcome]) -> BTreeMap<&'static str, Tally> {
    let mut codes: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(code) = cases[outcome.case].codes.first().filter(|code| labels::exists(code)) {
            codes.entry(code).or_default().add(outcome);
        }
    }
    codes
}

/// The codes that are found under the names of one framework and not under those of another.
fn by_style(cases: &[&Case], outcomes: &[Outcome]) -> Vec<String> {
    let (recall, runs) = RECALL_OF_STYLE;
    let mut tallies: BTreeMap<(&'static str, Style), Tally> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(code) = cases[outcome.case].codes.first().filter(|code| labels::exists(code)) {
            tallies.entry((code, outcome.style)).or_default().add(outcome);
        }
    }
    let below = tallies.into_iter().filter(|(_, tally)| tally.runs >= runs && tally.recall() < recall);
    below
        .map(|((code, style), tally)| format!("{code} as {}: {} of {} runs", style.as_str(), tally.found, tally.runs))
        .collect()
}

/// The bars that a code misses.
fn below(code: &str, tally: &Tally) -> Vec<String> {
    let mut below = Vec::new();
    if tally.recall() < RECALL - 1e-9 {
        below.push(format!("{code} is found in {} of {} runs", tally.found, tally.runs));
    }
    if let Some(error) = tally.onset_error().filter(|error| *error > ONSET + 1e-9) {
        below.push(format!("{code} has its onset off by {:.1} % of the run", 100.0 * error));
    }
    below
}

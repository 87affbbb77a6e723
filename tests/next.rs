//! What follows from real sweeps: signals, the best default config and the next experiments of the labelled runs. Nothing
//! is fitted to these files.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

use rundown_compare::{ExperimentReason, Recommendations, RunSummary, Target, advise};
use rundown_diagnose::{Rulebook, diagnose};
use rundown_stats::Shape;
use rundown_vocabulary::Direction;

mod support;

use support::{ingest_folder, labelled};

const OUTCOME: &str = "eval/accuracy";

/// The nine runs of the sweep, with the mean of the last evaluations as outcome, or the last one alone.
fn sweep(last: bool) -> Recommendations {
    let folder = labelled("tiny-grpo");
    let mut summaries = Vec::new();
    for number in 1..=9 {
        let read = ingest_folder(&folder.join(format!("sweep-0{number}")));
        let run = read.runs.first().expect("a run");
        let diagnosis = diagnose(run, &Rulebook::default());
        summaries.push(RunSummary::of(number, (run, &diagnosis)));
    }
    let value = |summary: &RunSummary| summary.trace(OUTCOME).map(|trace| if last { trace.last } else { trace.tail });
    let values: Vec<Option<f64>> = summaries.iter().map(value).collect();
    println!("{values:?}");
    advise(&summaries.iter().collect::<Vec<_>>(), &Target { key: OUTCOME, direction: Direction::Up, values: &values })
}

#[test]
fn the_sweep_says_what_it_was_made_to_say() {
    for last in [false, true] {
        let found = sweep(last);
        for effect in &found.analysis.effects {
            println!("{effect:#?}");
        }
        for experiment in &found.experiments {
            println!("{experiment:#?}");
        }
        println!("{:#?}\n{:#?}", found.best_config, found.analysis.dropped);
        let of = |words: &str| found.analysis.effects.iter().find(|effect| effect.parameter.words == words).unwrap();
        let rate = of("learning rate");
        assert!(rate.is_claimed && rate.shape == Shape::InvertedU, "{rate:?}");
        assert_eq!(rate.bins[rate.best.unwrap()].label, "1e-4");
        assert!(!of("KL coefficient").is_claimed);
        let value = |words: &str| {
            found.best_config.values.iter().find(|value| value.words == words).map(|value| value.value.as_str())
        };
        assert_eq!((value("learning rate"), value("KL coefficient")), (Some("1e-4"), Some("0.02")));
        let refine: Vec<&str> = found
            .experiments
            .iter()
            .filter(|experiment| matches!(experiment.reason, ExperimentReason::PeakBetween { .. }))
            .flat_map(|experiment| experiment.to.iter().map(String::as_str))
            .collect();
        assert!(refine.contains(&"3e-5") && refine.contains(&"3e-4"), "{refine:?}");
        assert!((3..=6).contains(&found.experiments.len()));
    }
}

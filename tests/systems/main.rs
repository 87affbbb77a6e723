//! What comparisons say of the simulated systems of the corpus, whose causes are known: leagues in their right order,
//! the exponent of a power law, a slow pipeline by its figures, final scores and rubrics.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write as _;

use rundown_compare::RunSummary;
use rundown_compare::facts::{GainBasis, RewardTarget, standings};
use rundown_content::{Block, Span, Table};
use rundown_diagnose::{Rulebook, diagnose};
use rundown_present::compare::{WIDTH, league, pipeline, rubric, scaling, tracker_row};

mod events;
mod golden;
#[path = "../support/mod.rs"]
mod support;

use support::{ingest_folder, labelled};

/// Entries of runs or files below the folder of the systems.
fn summaries(names: &[&str]) -> Vec<RunSummary> {
    let folder = labelled("systems");
    let read = |(number, name): (usize, &&str)| {
        let runs = ingest_folder(&folder.join(name)).runs;
        assert_eq!(runs.len(), 1, "{name}");
        RunSummary::of(number as u32, (&runs[0], &diagnose(&runs[0], &Rulebook::default())))
    };
    names.iter().enumerate().map(read).collect()
}

fn words(spans: &[Span]) -> String {
    spans.iter().map(Span::plain).collect()
}

/// Blocks as plain text, also for the eye: `cargo test --test systems -- --nocapture`.
fn plain_text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading { text: heading, .. } => writeln!(text, "# {heading}").unwrap(),
            Block::Text(spans) => writeln!(text, "{}", words(spans)).unwrap(),
            Block::Code(code) => writeln!(text, "{code}").unwrap(),
            Block::List(items) | Block::Numbered(items) => {
                items.iter().for_each(|item| writeln!(text, "- {}", words(item)).unwrap())
            }
            Block::Table(table) => {
                let names: Vec<String> = table.columns.iter().map(|column| column.name.to_string()).collect();
                writeln!(text, "[{}] {}", table.caption, names.join(" | ")).unwrap();
                for row in &table.rows {
                    assert_eq!(row.len(), table.columns.len(), "{}", table.caption);
                    let cells: Vec<String> = row.iter().map(|cell| words(&cell.text)).collect();
                    writeln!(text, "  {}", cells.join(" | ")).unwrap();
                }
            }
            Block::Figure(figure) => writeln!(text, "({}: {})", figure.title, figure.summary).unwrap(),
            Block::SideBySide(left, right) => text.push_str(&[plain_text(left), plain_text(right)].concat()),
            Block::Panels(panels) => panels.iter().for_each(|panel| text.push_str(&plain_text(panel))),
            Block::Fold { title, blocks } => text.push_str(&format!("{title}\n{}", plain_text(blocks))),
        }
    }
    eprintln!("{text}");
    text
}

fn table<'b>(blocks: &'b [Block], caption: &str) -> &'b Table {
    let mut tables = blocks.iter().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None });
    tables.find(|table| table.caption.to_string().contains(caption)).unwrap_or_else(|| panic!("no table {caption}"))
}

/// lattice-01 learns to the end; -03 kept a good checkpoint of what it lost; -02 gained nothing.
#[test]
fn the_three_leagues_stand_in_their_right_order() {
    let summaries = summaries(&["lattice-02", "lattice-03", "lattice-01", "lattice-04"]);
    let summaries: Vec<&RunSummary> = summaries.iter().collect();
    let (against, found) = standings(summaries.iter().map(|summary| summary.league.as_ref()));
    assert_eq!(against, GainBasis::Base);
    let blocks = league(&summaries, WIDTH);
    let text = plain_text(&blocks);
    let order: Vec<usize> =
        found.iter().filter(|standing| standing.best.is_some()).map(|standing| standing.index).collect();
    assert_eq!(order, [2, 1, 0]);
    let shown: Vec<bool> = found.iter().filter_map(|standing| Some(standing.best.as_ref()?.is_shown())).collect();
    assert_eq!(shown, [true, true, false]);
    // The simulated difference of skill is 449 Elo.
    let best = found[0].best.as_ref().unwrap();
    assert!((best.value - 449.0).abs() < best.half(), "{best:?}");
    assert!(
        text.contains("lattice-01 gained the most") && text.contains("lattice-03 declined from its best checkpoint")
    );
    assert!(text.contains("lattice-02 shows no significant gain"));
    for said in [
        "lattice-01: learning signal: yes, because adapter_v200 is",
        "lattice-03: learning signal: no, because adapter_v125 is",
        "lattice-02: learning signal: no, because",
        "| challenger | policy | 1424 ± 50 | rising |",
        "| challenger | policy | 1088 ± 50 | fallen from its peak |",
        "| chaos_bot | fixed | 889 ± 50 | falling |",
    ] {
        assert!(text.contains(said), "{said}");
    }
    let base_ranks: Vec<f64> = table(&blocks, "Rankings").rows.iter().filter_map(|row| row[4].value).collect();
    assert_eq!(base_ranks, [2.0, 1.0, 3.0], "a low rating of the base model is good");
    assert_eq!(table(&blocks, "Bradley").rows.len() % 4, 0, "two opponents with games, and the policy, in each run");
}

/// The simulated reward is a power law of exponent 0.3.
#[test]
fn the_exponent_is_recovered_and_the_ceiling_named() {
    let summaries = summaries(&["lattice-08", "lattice-01", "lattice-09", "lattice-02"]);
    let law = summaries[1].scaling.as_ref().unwrap().law.unwrap();
    assert!(law.low <= 0.3 && 0.3 <= law.high && law.half() < 0.01, "{law:?}");
    let offset = summaries[1].scaling.as_ref().unwrap().offset.unwrap();
    assert!(offset.low <= 0.3 && 0.3 <= offset.high, "{offset:?}");
    let blocks = scaling(&summaries.iter().collect::<Vec<_>>(), RewardTarget::NinetyFive, WIDTH);
    let text = plain_text(&blocks);
    assert!(text.contains("lattice-08 stops scaling") && text.contains("lattice-08 reaches a reward of"), "{text}");
    let uneven = table(&blocks, "Steepest").rows.iter().find(|row| words(&row[0].text) == "lattice-09").unwrap();
    assert!(uneven.last().unwrap().value.unwrap() > 0.05);
    let ceiling = summaries[0].scaling.as_ref().unwrap().ceiling().unwrap();
    assert!((ceiling.level - 7.0).abs() < 0.1 && ceiling.is_near(), "{ceiling:?}");
    assert_eq!(summaries[1].scaling.as_ref().unwrap().ceiling(), None, "it never stops growing");
}

/// From the events themselves: p95 215 s, 7.5 % of the rollouts fail, 89.2 % extracted, 31 tokens/s, 432 trajectories an
/// hour.
#[test]
fn a_slow_pipeline_shows_in_its_figures() {
    let summaries = summaries(&["axiom-healthy.ndjson", "axiom-slow.ndjson", "lattice-05", "lattice-06", "lattice-04"]);
    let slow = summaries[1].pipeline.as_ref().unwrap();
    let rollouts = slow.rollouts.as_ref().unwrap();
    assert!(rollouts.is_single && (rollouts.p95 - 215.4).abs() < 0.1, "{rollouts:?}");
    assert!((slow.failed.as_ref().unwrap().share - 0.0746).abs() < 1e-3);
    assert!((slow.extraction.as_ref().unwrap().share - 0.8918).abs() < 1e-3);
    assert!((slow.trajectories_per_second.unwrap() * 3600.0 / 432.0 - 1.0).abs() < 0.01);
    let blocks = pipeline(&summaries.iter().collect::<Vec<_>>(), WIDTH);
    let text = plain_text(&blocks);
    for said in ["up to 215 s", "7.5 % of the rollouts fail", "89.2 % of the outputs", "tokens/s (target"] {
        assert!(text.contains(said), "{said}");
    }
    assert!(text.contains("axiom-slow is unhealthy") && text.contains("30 of 402 | 30 of 2664"));
    assert!(text.contains("rollout_error | game step raised ValueError | 30") && text.contains("| FRANCE | 13.8 %"));
    // The simulated caches warm up to 22 % and 72 %, in 40 batches of each of 250 steps.
    let caches = &table(&blocks, "Prefix cache").rows;
    let cold = caches.last().unwrap();
    assert_eq!(words(&cold[0].text), "lattice-06");
    let number = |place: usize| cold[place].value.unwrap();
    assert!((number(4) - 0.2).abs() < 0.01 && number(5) == 10_000.0, "{cold:?}");
    assert!((number(7) / (number(4) * number(6)) - 1.0).abs() < 1e-9, "tokens from the cache: {cold:?}");
    assert!(text.contains("68.5 % of all, were not computed again"), "cost of the cache");
    let healthy = plain_text(&pipeline(&[&summaries[0]], WIDTH));
    assert!(healthy.contains("meets every target"), "{healthy}");
}

#[test]
fn a_tracker_row_has_signal_exploitation_course_and_rates() {
    let summaries = summaries(&["lattice-01", "axiom-slow.ndjson"]);
    let league = plain_text(&tracker_row(&summaries[0]));
    for said in ["completed | good | yes, because adapter_v200", "| 333 Elo | adapter_v200: 1455, 432 ± 70", "98.5 %"]
    {
        assert!(league.contains(said), "{said}");
    }
    // The simulated reward is a power law from 1.
    assert!(league.contains(" → ") && league.contains("Reward: start → peak → end"));
    let events = plain_text(&tracker_row(&summaries[1]));
    assert!(events.contains("unhealthy; 1.1 % errors; 7.5 % failed rollouts; 435 trajectories an hour"), "{events}");
}

#[test]
fn rewards_and_rubrics_stand_side_by_side() {
    let summaries = summaries(&["lattice-10", "lattice-11"]);
    let blocks = rubric(&summaries.iter().collect::<Vec<_>>(), WIDTH);
    let text = plain_text(&blocks);
    assert!(text.contains("The lowest criterion is rubric/math/brevity in lattice-10"));
    let finals = table(&blocks, "Final scores");
    assert_eq!(finals.rows.len(), 10);
    assert!(words(&finals.rows[0][2].text).contains('±'));
    assert_eq!(table(&blocks, "Criteria over the run").rows.len(), 8);
    assert!(!table(&blocks, "Spread of the scores").rows.is_empty());
}

/// Ten thousand of them are kept.
#[test]
fn facts_of_a_summary_stay_small() {
    for summary in &summaries(&["lattice-01", "lattice-10"]) {
        let facts =
            serde_json::to_string(&(&summary.league, &summary.scaling, &summary.pipeline, &summary.rubric)).unwrap();
        eprintln!("{}: {} bytes", summary.name, facts.len());
        assert!(facts.len() < 40_000, "{}", facts.len());
    }
}

//! The page `docs/truth.md`: its text, and whether what stands in it is still so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::case::{FRESH, SPENT, TUNED};
use super::corpus_runs::{Labelled, labelled};
use super::markdown::markdown;
use super::score::Share;
use super::table::{FAULTS, FEW, Measured, SHAPES};

pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/truth.md")
}

/// The page. `training` are runs of trainers, `few` the same logged every tenth step, `systems` those of the source documents'
/// systems.
pub fn page(training: &Measured, few: &Measured, systems: &Measured) -> String {
    let healthy = [training.healthy(), systems.healthy()];
    let all = |of: usize, holds: fn(&super::score::Seed) -> bool| {
        let shares = healthy.iter().map(|tallies| tallies[of].seeds(holds));
        shares.fold(Share { count: 0, of: 0 }, |sum, share| Share {
            count: sum.count + share.count,
            of: sum.of + share.of,
        })
    };
    let mut text = format!("# Truth table\n\n{}\n\n", introduction());
    text.push_str("## Healthy runs\n\n");
    for (of, seeds) in ["seeds that rules were tuned on", "fresh seeds"].iter().enumerate() {
        let (critical, warned) = (all(of, |seed| seed.is_critical), all(of, |seed| seed.is_warned));
        writeln!(
            text,
            "- On {seeds}, {} healthy runs have a critical finding (95 % interval {}), and {} a warning or worse ({}).",
            critical.counted(),
            critical.interval(),
            warned.counted(),
            warned.interval()
        )
        .expect("memory takes every byte");
    }
    let shapes = [training.shapes(), systems.shapes()].concat();
    write!(text, "\n{}", markdown(&SHAPES, &shapes)).expect("memory takes every byte");
    write!(text, "\n## Faults of training runs\n\n{}", markdown(&FAULTS, &training.faults())).expect("as above");
    write!(text, "\n## Logged every tenth step\n\n{}\n\n{}", few_points(few), markdown(&FEW, &few.few()))
        .expect("as above");
    write!(text, "\n## Faults of the source documents' systems\n\n{}", markdown(&FAULTS, &systems.faults()))
        .expect("as above");
    write!(text, "\n## Labelled runs of the corpus\n\n{}", markdown(&["run", "label", "Rundown", ""], &corpus_rows()))
        .expect("as above");
    text
}

/// What the table is, and on which seeds.
fn introduction() -> String {
    let (release, fresh) = FRESH;
    let spent: Vec<String> = SPENT.iter().map(|(_, range)| format!("{} to {}", range.start, range.end - 1)).collect();
    format!(
        "Simulated runs with one known fault each, or none, and what is found in them. `make truth` writes this page, and a\n\
         test computes a sample of it again.\n\n\
         A run is made from a seed and written under the names of several frameworks. The same seed under several names is\n\
         one run: it counts as found where it is found under every name that can show it, and as having a critical finding\n\
         where it has one under any. Intervals are Wilson's, of 95 %. The columns of frameworks, warned (a warning or worse),\n\
         onset and lead (how much of the run was still to come) are medians or shares of the tuned seeds.\n\n\
         Rules were tuned on seeds {} to {}, and changed after a look at {}. The fresh seeds of\n\
         release {release}, {} to {}, were used by nothing before this page; each release takes new ones.",
        TUNED.start,
        TUNED.end - 1,
        spent.join(", "),
        fresh.start,
        fresh.end - 1
    )
}

/// What the table of few points is.
fn few_points(few: &Measured) -> String {
    let warned = few.healthy().map(|tally| tally.seeds(|seed| seed.is_warned).counted());
    format!(
        "The same runs of trainers in 20 to 48 rows, each with the means of ten steps. Of the healthy ones {} have a warning or\n\
         worse, and {} of those of fresh seeds.",
        warned[0], warned[1]
    )
}

/// One row for each labelled run that this machine has.
fn corpus_rows() -> Vec<Vec<String>> {
    let row = |run: &Labelled| {
        let mut remarks: Vec<String> = run.missed().iter().map(|list| format!("missed {}", list.join(" / "))).collect();
        remarks.extend(run.unchecked().iter().map(|list| format!("no check yet: {}", list.join(" / "))));
        remarks.extend(run.forbidden_found().iter().map(|code| format!("must not say {code}")));
        let remarks = if remarks.is_empty() { "as labelled".to_owned() } else { remarks.join("; ") };
        vec![run.name.clone(), run.label(), run.findings(), remarks]
    };
    labelled().iter().map(row).collect()
}

/// Rows that the page lacks: of the cases that were measured again, and of the labelled runs.
pub fn stale(page: &str, sample: &[&Measured], few: &Measured) -> Vec<String> {
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let shown: Vec<Vec<String>> = page.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    let rows = sample.iter().flat_map(|measured| [measured.faults(), measured.shapes()].concat());
    let rows = rows.chain(few.few()).chain(corpus_rows());
    let mut stale: Vec<String> = rows.filter(|row| !shown.contains(row)).map(|row| row.join(" | ")).collect();
    if !page.contains(&introduction()) {
        stale.push(introduction());
    }
    stale
}

//! The report that people read, keep and send.
//!
//! Plain CommonMark with GitHub's tables, no HTML. Everything that came from a file goes through `escape`.

mod blocks;
mod cost;
mod escape;
mod finding;
mod page;
mod run;

use std::collections::BTreeMap;

use crate::compare::{LeaderboardRow, Measure, leaderboard, shared_measure};
use crate::diagnose::{Diagnosis, LearningState, Verdict};
use crate::run::Run;

use super::numbers::number;
pub use blocks::markdown_blocks;
use escape::{code, text, text_of};
use page::Page;

/// The report of one run.
pub fn markdown_run(run: &Run, diagnosis: &Diagnosis) -> String {
    let mut page = Page::new();
    page.heading(0, &format!("Run {}", title(run)));
    run::write(&mut page, run, diagnosis);
    page.finish()
}

/// The report of several runs: verdicts and numbers in one table, then each run in the order of the table.
pub fn markdown_project(runs: &[(&Run, &Diagnosis)]) -> String {
    let measure = shared_measure(runs);
    let rows = leaderboard(runs, measure.as_ref());
    let mut page = Page::new();
    page.heading(0, &project_title(runs));
    page.paragraph(&verdict_counts(&rows));
    page.paragraph(&measure_line(measure.as_ref(), runs.len()));
    verdict_table(&mut page, measure.as_ref(), &rows, runs);
    page.nest(1);
    for (run, diagnosis) in rows.iter().filter_map(|row| runs.get(row.index)) {
        page.heading(0, &format!("Run {}", title(run)));
        run::write(&mut page, run, diagnosis);
    }
    page.finish()
}

fn title(run: &Run) -> String {
    match (run.name.is_empty(), run.id.is_empty()) {
        (false, _) => text_of(&run.name, &run.id),
        (true, false) => text_of(&run.id, &run.id),
        (true, true) => "without a name".to_owned(),
    }
}

/// The project that all runs share, or how many there are.
fn project_title(runs: &[(&Run, &Diagnosis)]) -> String {
    let mut projects: Vec<Option<&str>> = runs.iter().map(|(run, _)| run.project.as_deref()).collect();
    projects.dedup();
    let count = match runs.len() {
        1 => "1 run".to_owned(),
        many => format!("{many} runs"),
    };
    match projects.as_slice() {
        [Some(project)] => format!("{}: {count}", text(project)),
        _ => count,
    }
}

fn verdict_counts(rows: &[LeaderboardRow]) -> String {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.verdict).or_default() += 1;
    }
    if counts.is_empty() {
        return "No run could be read.".to_owned();
    }
    let parts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.as_str())).collect();
    format!("{}.", parts.join(", "))
}

fn measure_line(measure: Option<&Measure>, runs: usize) -> String {
    match measure {
        Some(measure) => format!(
            "Compared by {}, the {} that {} of {runs} have. Verdicts go first: a run that games its reward does not \
             lead the list.",
            code(&measure.key),
            measure.concept.words(),
            measure.runs,
        ),
        None if runs > 0 => "The runs share no evaluation or reward metric to compare them by.".to_owned(),
        None => String::new(),
    }
}

fn verdict_table(page: &mut Page, measure: Option<&Measure>, rows: &[LeaderboardRow], runs: &[(&Run, &Diagnosis)]) {
    let measure_head = measure.map_or_else(|| "measure".to_owned(), |measure| format!("last {}", code(&measure.key)));
    let header = ["verdict", "run", &measure_head, "best (at step)", "last step", "state", "main findings"];
    let cells: Vec<[String; 7]> = rows
        .iter()
        .map(|row| {
            let mut worst: Vec<&str> = row.worst.iter().map(|code| code.words()).collect();
            worst.extend(runs.get(row.index).and_then(|(_, diagnosis)| no_learning(diagnosis)));
            [
                row.verdict.as_str().to_owned(),
                text_of(if row.name.is_empty() { &row.id } else { &row.name }, &row.id),
                row.value.map(number).unwrap_or_default(),
                row.best.map(|(value, step)| format!("{} ({})", number(value), number(step))).unwrap_or_default(),
                row.last_step.map(number).unwrap_or_default(),
                row.state.as_str().to_owned(),
                worst.join(", "),
            ]
        })
        .collect();
    page.table(header, &cells);
}

/// What a verdict may rest on beside the findings.
fn no_learning(diagnosis: &Diagnosis) -> Option<&'static str> {
    match diagnosis.learning.state {
        LearningState::Flat => Some("no learning"),
        LearningState::Declined => Some("got worse at its task"),
        LearningState::Improved | LearningState::Unknown => None,
    }
}

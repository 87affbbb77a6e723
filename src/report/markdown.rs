//! The report that people read, keep and send.
//!
//! Plain CommonMark with GitHub's tables, no HTML. Everything that came from a file goes through `escape`. The HTML
//! report is made of the same sections, which write blocks then.

mod areas;
mod behaviour;
mod blocks;
mod checks;
mod cost;
mod escape;
mod facts;
mod finding;
mod keys;
mod next;
mod page;
mod run;
mod samples;
mod spoken;

pub use blocks::markdown_blocks;

use super::run_set::RunSet;
use crate::compare::{DiagnosedRun, RunSummary};
use crate::content::Block;
use crate::format::counted;
use crate::present::compare::{many, shortly};
use crate::run::Run;
use escape::{text, text_of};
use page::Page;

/// Up to so many runs have their whole reports within that of all.
pub(super) const WHOLE: usize = 12;

/// The report: of one run in its own shape; of several what they say together, then each.
pub(super) fn markdown(runs: &RunSet<'_>) -> String {
    let mut page = Page::new();
    if let Some((run, diagnosis)) = runs.single() {
        page.heading(0, &format!("Run {}", title(run)));
        run::write(&mut page, run, diagnosis);
        return page.finish();
    }
    let entries = runs.refs();
    page.heading(0, &project_title(&entries));
    if entries.is_empty() {
        page.paragraph("No run could be read.");
        return page.finish();
    }
    let selection = runs.selection(&entries);
    blocks::write(&mut page, &many(&entries, &selection), "");
    let (whole, short) = parted(runs, &selection.ranked(&entries).iter().map(|row| row.index).collect::<Vec<_>>());
    page.nest(1);
    for (run, diagnosis) in whole {
        page.heading(0, &format!("Run {}", title(run)));
        run::write(&mut page, run, diagnosis);
    }
    let short: Vec<&RunSummary> = short.into_iter().filter_map(|place| entries.get(place).copied()).collect();
    page.unnest(1);
    blocks::write(&mut page, &shortly(&short), "");
    page.finish()
}

/// The sections of one run as blocks; `depth` 0 for a report of its own, 1 for a part of one, under its name.
pub(super) fn run_blocks((run, diagnosis): DiagnosedRun<'_>, depth: usize) -> Vec<Block> {
    let mut page = Page::of_blocks();
    page.nest(depth);
    if depth > 0 {
        page.heading(0, &format!("Run {}", title(run)));
    }
    run::write(&mut page, run, diagnosis);
    page.into_blocks()
}

/// Runs of which the report says everything, and places of those that it says little of, both in this order.
pub(super) fn parted<'a>(runs: &RunSet<'a>, order: &[usize]) -> (Vec<DiagnosedRun<'a>>, Vec<usize>) {
    let are_few = order.len() <= WHOLE;
    let (mut whole, mut short) = (Vec::new(), Vec::new());
    for place in order {
        match runs.judged(*place).filter(|_| are_few) {
            Some(judged) => whole.push(judged),
            None => short.push(*place),
        }
    }
    (whole, short)
}

fn title(run: &Run) -> String {
    match (run.name.is_empty(), run.id.is_empty()) {
        (false, _) => text_of(&run.name, &run.id),
        (true, false) => text_of(&run.id, &run.id),
        (true, true) => "without a name".to_owned(),
    }
}

/// The name of a run as plain words.
pub(super) fn plain_title(run: &Run) -> String {
    spoken::plain(&title(run))
}

/// The project that all runs share, or how many there are, as plain words.
pub(super) fn plain_project_title(entries: &[&RunSummary]) -> String {
    spoken::plain(&project_title(entries))
}

fn project_title(entries: &[&RunSummary]) -> String {
    let mut projects: Vec<Option<&str>> = entries.iter().map(|entry| entry.project.as_deref()).collect();
    projects.dedup();
    let count = counted(entries.len(), "run");
    match projects.as_slice() {
        [Some(project)] => format!("{}: {count}", text(project)),
        _ => count,
    }
}

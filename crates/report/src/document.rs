//! What a report says, without secrets, before it is rendered: the Markdown file, the HTML file and the Report view show
//! the same document.

use super::run_set::RunSet;
use rundown_compare::{DiagnosedRun, RunSummary};
use rundown_content::{Block, RichText};
use rundown_format::rich_text::key;
use rundown_format::{counted, rich};
use rundown_present::compare::{many, shortly, tracker_row};
use rundown_present::{clean_blocks, clean_rich, run_report};
use rundown_run::Run;

/// Up to so many runs have their whole reports within that of all.
const WHOLE: usize = 12;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    title: RichText,
    blocks: Vec<Block>,
}

impl Document {
    /// A document of these blocks, whose secrets are removed here. `id` is that of the one run that it is about, or empty:
    /// see [`rundown_format::redact_around_id`].
    pub fn new(title: impl Into<RichText>, blocks: &[Block], id: &str) -> Self {
        Self { title: clean_rich(title.into(), id), blocks: clean_blocks(blocks.to_vec(), id) }
    }

    /// The report of any number of runs. One run has a report of its own shape; several are compared first, then each
    /// has its report: whole where they are few, else in a few words.
    pub fn of(runs: &RunSet<'_>) -> Self {
        if let Some((run, diagnosis)) = runs.single() {
            let mut blocks = run_report(run, diagnosis);
            blocks.extend(runs.refs().first().map(|summary| tracker_row(summary)).unwrap_or_default());
            return Self::new(run_title(run), &blocks, &run.id);
        }
        let summaries = runs.refs();
        if summaries.is_empty() {
            return Self::new(project_title(&summaries), &[Block::text("No run could be read.")], "");
        }
        let selection = runs.selection(&summaries);
        let mut document = Self::new(project_title(&summaries), &many(&summaries, &selection), "");
        let order: Vec<usize> = selection.ranked(&summaries).iter().map(|row| row.index).collect();
        let (whole, short) = parted(runs, &order);
        for (run, diagnosis) in whole {
            let mut blocks = vec![Block::section(run_title(run))];
            blocks.extend(run_report(run, diagnosis).into_iter().map(|block| block.nested(1)));
            // Each with its own id, which may look like a secret.
            document.blocks.extend(clean_blocks(blocks, &run.id));
        }
        let short: Vec<&RunSummary> = short.into_iter().filter_map(|place| summaries.get(place).copied()).collect();
        document.blocks.extend(clean_blocks(shortly(&short), ""));
        document
    }

    /// Its title.
    pub fn title(&self) -> &RichText {
        &self.title
    }

    /// What stands below the title. Sections are headings of level 2.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The document as a part of a page that has a heading of level 1: its title is a heading of level 2.
    pub fn into_section(self) -> Vec<Block> {
        let mut blocks = vec![Block::section(self.title)];
        blocks.extend(self.blocks.into_iter().map(|block| block.nested(1)));
        blocks
    }
}

/// Runs whose report is part of the document, and places of those that are said in a few words, both in this order.
fn parted<'a>(runs: &RunSet<'a>, order: &[usize]) -> (Vec<DiagnosedRun<'a>>, Vec<usize>) {
    let are_few = order.len() <= WHOLE;
    let (mut whole, mut short) = (Vec::new(), Vec::new());
    for place in order {
        match runs.diagnosed(*place).filter(|_| are_few) {
            Some(diagnosed) => whole.push(diagnosed),
            None => short.push(*place),
        }
    }
    (whole, short)
}

fn run_title(run: &Run) -> RichText {
    match (run.name.is_empty(), run.id.is_empty()) {
        (false, _) => rich!("Run {}", &run.name),
        (true, false) => rich!("Run {}", key(&run.id)),
        (true, true) => "Run without a name".into(),
    }
}

/// The project that all runs share, or how many there are.
fn project_title(summaries: &[&RunSummary]) -> RichText {
    let mut projects: Vec<Option<&str>> = summaries.iter().map(|summary| summary.project.as_deref()).collect();
    projects.dedup();
    let count = counted(summaries.len(), "run");
    match projects.as_slice() {
        [Some(project)] => rich!("{}: {}", *project, count),
        _ => count.into(),
    }
}

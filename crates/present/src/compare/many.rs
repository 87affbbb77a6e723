//! The whole comparison of many runs, in the order of reading, and a short list of the runs.

use super::verdicts::verdicts;
use super::{
    Selection, advice, board, effects, front, league, next, pipeline, repeats, rubric, scaling, settings, tracker,
};
use crate::compare::parts::{push_list, run_span};
use rundown_compare::facts::RewardTarget;
use rundown_compare::{FindingSummary, Recommendations, RunSummary, config_diff, setting_columns};
use rundown_content::{Block, Span};
use rundown_format::{counted, number, plural, redact, rich};

/// Most runs in the short list.
const MAX_SHORT_LIST: usize = 200;
/// Most findings of one of them.
const FINDINGS: usize = 6;

/// The comparison of these runs; of a single one its league, scaling, pipeline and rewards.
pub fn many(summaries: &[&RunSummary], selection: &Selection) -> Vec<Block> {
    let width = selection.width;
    let views = [
        league(summaries, width),
        scaling(summaries, RewardTarget::default(), width),
        pipeline(summaries, width),
        rubric(summaries, width),
    ]
    .concat();
    if summaries.len() < 2 {
        return views;
    }
    let columns = setting_columns(summaries);
    let diff = config_diff(summaries, &columns);
    let found: Option<Recommendations> = advice(summaries, selection);
    let row = tracker(summaries, selection, found.as_ref(), &diff);
    let mut blocks = board(summaries, &columns, selection);
    blocks.extend(verdicts(summaries, &selection.ranked(summaries)));
    blocks.extend(front(summaries, selection));
    blocks.extend(settings(summaries, selection, &diff));
    blocks.extend(repeats(summaries, &columns, selection));
    if let Some(advice) = &found {
        blocks.extend(effects(summaries, advice));
        blocks.extend(next(summaries, advice));
    }
    blocks.extend(views);
    blocks.extend(row);
    blocks
}

/// Each run in a few words: for runs whose whole reports stand elsewhere. Nothing without runs.
pub fn shortly(summaries: &[&RunSummary]) -> Vec<Block> {
    if summaries.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("Run summaries"), Block::text("See each run's own report for the evidence.")];
    push_list(&mut blocks, summaries.iter().take(MAX_SHORT_LIST).map(|summary| in_short(summary)).collect());
    let more = summaries.len().saturating_sub(MAX_SHORT_LIST);
    if more > 0 {
        let runs = counted(more, "more run");
        let are = plural(more, "is", "are");
        blocks.push(Block::text(format!("{runs} {are} not listed; the JSON report has all of them.")));
    }
    blocks
}

fn in_short(summary: &RunSummary) -> Vec<Span> {
    let to = summary.steps.map(|(_, last)| format!(", to step {}", number(last))).unwrap_or_default();
    let mut item = rich!(
        "{} ({}, {}{}): {}",
        run_span(summary),
        summary.verdict.as_str(),
        summary.state.as_str(),
        to,
        redact(&summary.headline)
    );
    let findings: Vec<String> = summary.findings.iter().take(FINDINGS).map(finding).collect();
    if !findings.is_empty() {
        let more = summary.findings.len().saturating_sub(FINDINGS);
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        item.append(format!(". Findings: {}{rest}.", findings.join("; ")));
    }
    item.into()
}

fn finding(found: &FindingSummary) -> String {
    let from = found.onset.map(|onset| format!(", from step {}", number(onset))).unwrap_or_default();
    let follows = if found.is_root { "" } else { ", a consequence" };
    format!("{} ({}{from}{follows})", found.code.phrase(), found.severity.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_more_is_no_plural() {
        let run = RunSummary::default();
        let last = |runs: usize| rundown_content::markdown(&shortly(&vec![&run; runs])).trim_end().to_owned();
        assert!(last(201).ends_with("1 more run is not listed; the JSON report has all of them."));
        assert!(last(202).ends_with("2 more runs are not listed; the JSON report has all of them."));
    }
}

//! Good, bad and ugly: which runs, and why, those with the same finding together.

use rundown_format::{RichText, counted, number, redact, rich};
use rundown_stats::CompactCollect as _;
use std::collections::BTreeSet;

use super::parts::{MAX_DRAWN, push_list, run_span};
use rundown_compare::{RankedRun, RunSummary};
use rundown_content::{Block, Span};
use rundown_diagnose::{Code, Severity, Verdict};
use rundown_stats::CompactSort as _;

/// Runs with one finding, and the step from which on each has it.
type AffectedRuns<'e> = Vec<(&'e RunSummary, Option<f64>)>;

/// Fewest runs of which it is worth saying that all of them have a finding: two are named.
const MANY_RUNS: usize = 3;

/// Each verdict with its runs in the order of the leaderboard.
pub fn verdicts(summaries: &[&RunSummary], rows: &[RankedRun]) -> Vec<Block> {
    let mut blocks = vec![Block::section("Good, bad and ugly")];
    let severity = |summary: &RunSummary, code: Code| {
        let found = summary.findings.iter().filter(|finding| finding.code == code);
        found.map(|finding| finding.severity).max().filter(|severity| *severity > Severity::Note)
    };
    // Where it is worse in some of them it may explain a difference.
    let is_in_all = |code: Code| {
        let mut all = summaries.iter().map(|summary| severity(summary, code));
        let first = all.next().flatten();
        summaries.len() >= MANY_RUNS && first.is_some() && all.all(|severity| severity == first)
    };
    for (verdict, title) in [
        (Verdict::Good, "Good"),
        (Verdict::Bad, "Bad"),
        (Verdict::Ugly, "Ugly"),
        (Verdict::Undecided, "Undecided: the logged metrics do not allow a verdict"),
    ] {
        let of_it: Vec<&RunSummary> = rows
            .iter()
            .filter_map(|row| summaries.get(row.index).copied())
            .filter(|summary| summary.verdict == verdict)
            .collect();
        if of_it.is_empty() {
            continue;
        }
        blocks.push(Block::part(format!("{title} ({})", counted(of_it.len(), "run"))));
        let mut items = Vec::new();
        // A good run has no finding to be grouped by.
        let least = match verdict {
            Verdict::Ugly => Severity::Critical,
            _ => Severity::Warning,
        };
        let mut alone = of_it.clone();
        if verdict != Verdict::Good {
            let found = shared_findings(&of_it, least);
            let named: BTreeSet<u32> =
                found.iter().flat_map(|(_, runs)| runs).map(|(run, _)| run.number).compact_collect();
            alone.retain(|summary| !named.contains(&summary.number));
            items.extend(found.iter().map(|(code, runs)| {
                let in_all =
                    if is_in_all(*code) { " All runs have it: by itself it explains no difference." } else { "" };
                rich!("{}{}", shared_finding(*code, runs), in_all)
            }));
        }
        let more = alone.len().saturating_sub(MAX_DRAWN);
        for summary in alone.iter().take(MAX_DRAWN) {
            items.push(rich!("{}: {}", run_span(summary), redact(&summary.headline)));
        }
        if more > 0 {
            items.push(rich!("And {} more.", counted(more, "run")));
        }
        push_list(&mut blocks, items.into_iter().map(Vec::from).collect());
    }
    blocks
}

/// What is wrong at its root with these runs, what most of them have first, and from which step on.
fn shared_findings<'e>(summaries: &[&'e RunSummary], least: Severity) -> Vec<(Code, AffectedRuns<'e>)> {
    let mut found: Vec<(Code, AffectedRuns<'e>)> = Vec::new();
    for summary in summaries {
        for finding in summary.findings.iter().filter(|finding| finding.is_root && finding.severity >= least) {
            match found.iter_mut().find(|(code, _)| *code == finding.code) {
                Some((_, runs)) if runs.last().is_some_and(|(last, _)| last.number == summary.number) => {}
                Some((_, runs)) => runs.push((summary, finding.onset)),
                None => found.push((finding.code, vec![(summary, finding.onset)])),
            }
        }
    }
    found.compact_sort_by_key(|found| std::cmp::Reverse(found.1.len()));
    found
}

fn shared_finding(code: Code, runs: &[(&RunSummary, Option<f64>)]) -> RichText {
    let named = runs.iter().take(MAX_DRAWN).map(|(summary, onset)| {
        let from = onset.map(|onset| format!(" from step {}", number(onset))).unwrap_or_default();
        rich!("{}{}", run_span(summary), from)
    });
    let more = runs.len().saturating_sub(MAX_DRAWN);
    rich!(
        "{} in {}: {}{}.",
        Span::Strong(code.words().to_owned()),
        counted(runs.len(), "run"),
        RichText::joined(named, ", ", ", "),
        if more > 0 { format!(", and {more} more") } else { String::new() }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::{FindingSummary, ranking};
    use rundown_report::{Document, markdown};

    #[test]
    fn runs_with_one_finding_stand_together() {
        let found = |code, severity, onset, is_root| FindingSummary { code, severity, onset, is_root };
        let summary = |number: u32, verdict, findings: Vec<FindingSummary>| RunSummary {
            number,
            name: format!("run-{number}"),
            verdict,
            headline: format!("headline {number}"),
            findings,
            ..RunSummary::default()
        };
        let blow_up = |step| found(Code::KlBlowUp, Severity::Critical, Some(step), true);
        let runs = [
            summary(0, Verdict::Good, vec![found(Code::KlDrift, Severity::Note, None, true)]),
            summary(1, Verdict::Ugly, vec![blow_up(4.0), found(Code::Truncation, Severity::Critical, None, false)]),
            summary(2, Verdict::Ugly, vec![blow_up(9.0), blow_up(12.0)]),
            summary(3, Verdict::Bad, Vec::new()),
        ];
        let runs: Vec<&RunSummary> = runs.iter().collect();
        let wording = markdown(&Document::new("x", &verdicts(&runs, &ranking(&runs, None)), ""));
        assert!(wording.contains("### Good (1 run)") || wording.contains("Good (1 run)"), "{wording}");
        assert!(wording.contains("- run-0: headline 0\n") && wording.contains("- run-3: headline 3\n"), "{wording}");
        assert!(wording.contains("in 2 runs: run-1 from step 4, run-2 from step 9.\n"), "{wording}");
        assert!(!wording.contains("headline 1") && !wording.contains("runcation"), "{wording}");
        assert!(!wording.contains("All runs have it"), "{wording}");
        // In one of them it follows from something else.
        let all = [blow_up(4.0), blow_up(9.0), FindingSummary { is_root: false, ..blow_up(2.0) }]
            .map(|blow_up| summary(4, Verdict::Ugly, vec![blow_up]));
        let worded = |all: &[RunSummary]| {
            let all: Vec<&RunSummary> = all.iter().collect();
            markdown(&Document::new("x", &verdicts(&all, &ranking(&all, None)), ""))
        };
        assert!(worded(&all).contains("All runs have it"), "{}", worded(&all));
        let mut worse = all.clone();
        worse[2].findings[0].severity = Severity::Warning;
        assert!(!worded(&worse).contains("All runs have it"), "worse in two of them: {}", worded(&worse));
    }
}

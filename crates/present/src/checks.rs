//! Checks without a finding as blocks: quiet ones with the numbers they looked at, skipped ones with what would enable
//! them. The Run view and the reports show the same.

use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Span, Table};
use rundown_diagnose::{Diagnosis, Evidence, Quiet, Verdict, by_interest};
use rundown_format::{RichText, counted, number, quantity, rich};
use rundown_run::Run;

/// Numbers of a quiet check that are shown: the first ones are those that it decides by.
const MAX_NUMBERS: usize = 4;
/// Quiet checks that are named where the good things stand; the tables have all of them.
const MAX_NAMED_CHECKS: usize = 6;

/// Every quiet check with its numbers, the most important ones at the top.
pub(super) fn quiet(diagnosis: &Diagnosis) -> Vec<Block> {
    let (measured, unmeasured) = ordered(diagnosis);
    let mut blocks = Vec::new();
    let mut table = Table::new("", &[Words("Check"), Words("Numbers")]);
    for quiet in measured {
        let shown: Vec<&Evidence> = finite(&quiet.evidence).take(MAX_NUMBERS).collect();
        table.rows.push(vec![Cell::text(quiet.code.words()), Cell::text(numbers(&shown))]);
    }
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    if !unmeasured.is_empty() {
        let names: Vec<String> = unmeasured.iter().map(|quiet| quiet.code.phrase()).collect();
        blocks.push(Block::text(format!("No numbers available: {}.", names.join(", "))));
    }
    blocks
}

/// One row for each thing to log, with the checks that wait for it.
pub(super) fn skipped(diagnosis: &Diagnosis) -> Vec<Block> {
    let mut rows: Vec<(&RichText, Vec<String>)> = Vec::new();
    for skipped in &diagnosis.skipped {
        let hint = &skipped.need.hint;
        match rows.iter_mut().find(|(known, _)| *known == hint) {
            Some((_, checks)) => checks.push(skipped.code.phrase()),
            None => rows.push((hint, vec![skipped.code.phrase()])),
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new("", &[Words("What would enable it"), Words("Checks")]);
    table.rows = rows.into_iter().map(|(hint, checks)| vec![Cell::text(hint), Cell::text(checks.join(", "))]).collect();
    vec![Block::Table(table)]
}

/// How many checks found nothing, and the most interesting of them with their numbers; nothing without quiet checks.
pub(super) fn quiet_in_short(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let (mut measured, unmeasured) = ordered(diagnosis);
    measured.retain(|quiet| !is_covered(quiet));
    let count = measured.len() + unmeasured.len();
    if count == 0 {
        return Vec::new();
    }
    let checks = counted(count, "check");
    let steps = run.step_range().map(|(first, last)| format!(" from step {} to {}", number(first), number(last)));
    let steps = steps.unwrap_or_default();
    // A name without a number says nothing.
    let shown = measured.into_iter().filter_map(|quiet| Some((quiet, decisive(&quiet.evidence)?)));
    let items = shown
        .take(MAX_NAMED_CHECKS)
        .map(|(quiet, evidence)| vec![Span::from(quiet.code.words()), Span::Note(numbers(&[evidence]).to_string())]);
    let items: Vec<_> = items.collect();
    // The numbers of a run with faults are not listed as good ones.
    if diagnosis.verdict != Verdict::Good || items.is_empty() {
        return vec![Block::text(format!("{checks} found nothing{steps}."))];
    }
    let which = if count > items.len() { "among them:" } else { "with these numbers:" };
    vec![Block::text(format!("{checks} found nothing{steps}, {which}")), Block::List(items)]
}

/// Quiet checks with numbers, and those without, each by interest.
fn ordered(diagnosis: &Diagnosis) -> (Vec<&Quiet>, Vec<&Quiet>) {
    by_interest(&diagnosis.quiet).into_iter().partition(|quiet| finite(&quiet.evidence).next().is_some())
}

/// True for a check whose conditions all hold: its finding was left out because another finding covers it.
fn is_covered(quiet: &Quiet) -> bool {
    let mut met = finite(&quiet.evidence).filter_map(Evidence::is_met).peekable();
    met.peek().is_some() && met.all(|is_met| is_met)
}

fn finite(evidence: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    evidence.iter().filter(|evidence| evidence.value.is_finite())
}

/// What kept a check quiet, as far as a number tells: of several conditions some may hold, and their numbers are left out.
fn decisive(evidence: &[Evidence]) -> Option<&Evidence> {
    finite(evidence).find(|evidence| evidence.is_met() == Some(false))
}

/// Numbers with their thresholds, without the sources of these.
fn numbers(evidence: &[&Evidence]) -> RichText {
    let parts = evidence.iter().map(|evidence| {
        let limit = evidence.limit.as_ref().map(|limit| limit.with_unit(&evidence.unit));
        let limit = limit.map_or_else(String::new, |limit| format!(" (threshold {limit})"));
        rich!("{}: {}{}", &evidence.name, quantity(evidence.value, &evidence.unit), limit)
    });
    RichText::joined(parts, "; ", "; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::Relation;

    #[test]
    fn the_condition_that_failed_decides() {
        let limited = |evidence: Evidence, value| evidence.limited(Relation::Above, value, "a source");
        let gain = limited(Evidence::new("rise", 7.5, "SE"), 3.0);
        let fall = limited(Evidence::new("fall of the evaluation", 0.5, ""), 2.0);
        assert_eq!(decisive(&[gain.clone(), fall.clone()]), Some(&fall));
        assert_eq!(decisive(std::slice::from_ref(&gain)), None, "what was met keeps no check quiet");
        assert_eq!(numbers(&[&gain]).to_string(), "rise: 7.5 SE (threshold ≥ 3 SE)");
    }
}

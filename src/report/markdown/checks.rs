//! What was looked at and found quiet, and what could not be looked at.

use super::blocks::rich_inside;
use super::escape::{inside, prose};
use super::keys::above_or_below;
use super::page::Page;
use crate::diagnose::{Diagnosis, Evidence, by_interest};
use crate::format::{RichText, quantity};
use crate::vocabulary::Concept;

/// Numbers of a quiet check that are shown: the first ones are those that it decides by.
const NUMBERS: usize = 4;

pub(super) fn quiet(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Quiet checks");
    let (told, untold): (Vec<_>, Vec<_>) =
        by_interest(&diagnosis.quiet).into_iter().partition(|quiet| !quiet.evidence.is_empty());
    let rows: Vec<[String; 2]> = told
        .iter()
        .map(|quiet| {
            let numbers: Vec<String> = quiet.evidence.iter().take(NUMBERS).map(in_words).collect();
            [quiet.code.words().to_owned(), numbers.join("; ")]
        })
        .collect();
    if !rows.is_empty() {
        page.paragraph(
            "They looked and found nothing. In brackets: what would have been found. docs/checks.md says where each \
             threshold comes from.",
        );
    }
    page.table(["check", "numbers"], &rows);
    let names: Vec<String> = untold.iter().map(|quiet| quiet.code.phrase()).collect();
    match (rows.is_empty(), names.is_empty()) {
        (true, true) => page.paragraph("None."),
        (_, false) => page.paragraph(&format!("Quiet without a number to show: {}.", names.join(", "))),
        (false, true) => {}
    }
}

fn in_words(evidence: &Evidence) -> String {
    let number = format!("{} {}", rich_inside(&evidence.name), inside(&quantity(evidence.value, &evidence.unit)));
    match &evidence.limit {
        Some(limit) => format!("{number} ({})", prose(&above_or_below(limit, &evidence.unit))),
        None => number,
    }
}

/// One row for each thing to log, with the checks that wait for it.
pub(super) fn skipped(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Skipped checks");
    if diagnosis.skipped.is_empty() {
        page.paragraph("None.");
    }
    let mut rows: Vec<(&RichText, Vec<String>)> = Vec::new();
    for skipped in &diagnosis.skipped {
        let hint = &skipped.need.hint;
        match rows.iter_mut().find(|(known, _)| *known == hint) {
            Some((_, checks)) => checks.push(skipped.code.phrase()),
            None => rows.push((hint, vec![skipped.code.phrase()])),
        }
    }
    let rows: Vec<[String; 2]> =
        rows.into_iter().map(|(hint, checks)| [rich_inside(hint), checks.join(", ")]).collect();
    page.table(["what would enable it", "checks"], &rows);
}

/// What a diagnosis rests on, and was not logged.
pub(super) fn missing_core(diagnosis: &Diagnosis) -> Vec<Concept> {
    const CORE: [Concept; 8] = [
        Concept::Reward,
        Concept::Evaluation,
        Concept::RewardComponent,
        Concept::KlToReference,
        Concept::Entropy,
        Concept::GradientNorm,
        Concept::ResponseLength,
        Concept::TruncatedShare,
    ];
    CORE.into_iter().filter(|concept| diagnosis.bindings.first(*concept).is_none()).collect()
}

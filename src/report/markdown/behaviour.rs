//! How the policy behaves, in sentences: what it earns, how long and how varied its answers are, what goes wrong in them.

use super::escape::code;
use super::page::Page;
use crate::diagnose::{Diagnosis, Movement};
use crate::format::{number, percent};
use crate::vocabulary::{Concept, Unit};

/// Smallest changes that are said: a tenth of the highest level, two points of a share.
const TOLD: (f64, f64) = (0.1, 0.02);
/// Reward functions that are named.
const PARTS: usize = 8;

/// Quantities of behaviour, and how a sentence on them begins.
const SYMPTOMS: [(Concept, &str); 12] = [
    (Concept::ResponseLength, "Mean length of the answers in tokens"),
    (Concept::TruncatedShare, "Answers that are cut off at the limit"),
    (Concept::RepetitionShare, "Answers that repeat themselves"),
    (Concept::Turns, "Turns of an episode"),
    (Concept::InvalidOutputs, "Outputs that cannot be parsed or are not allowed"),
    (Concept::ValidOutputs, "Outputs that can be parsed and are allowed"),
    (Concept::ExtractionRate, "Outputs that could be extracted"),
    (Concept::EmptyResponses, "Answers without any output"),
    (Concept::PartialResponses, "Answers with a part of their outputs missing"),
    (Concept::Entropy, "Entropy (less: answers vary less)"),
    (Concept::ZeroStdGroups, "Groups whose answers all score alike"),
    (Concept::KlToReference, "KL to the reference"),
];

pub(super) fn write(page: &mut Page, diagnosis: &Diagnosis) {
    let mut items: Vec<String> = parts(diagnosis).into_iter().collect();
    let mut still: Vec<&str> = Vec::new();
    for (concept, words) in SYMPTOMS {
        let Some(movement) = diagnosis.movements.iter().find(|movement| movement.concept == concept) else { continue };
        let unit = diagnosis.bindings.first(concept).map(|binding| binding.unit);
        let is_share = unit == Some(Unit::Share);
        if movement.slope.is_nan() {
            continue;
        }
        if has_changed(movement, unit) {
            items.push(format!("{words}: {}", change(movement, is_share)));
        } else {
            still.push(concept.words());
        }
    }
    if !still.is_empty() {
        items.push(format!("About the same from start to end: {}.", still.join(", ")));
    }
    if let Some(samples) = diagnosis.samples.first() {
        items.push(format!("What it wrote before and after stands under finding {}.", samples.finding + 1));
    }
    if items.is_empty() {
        return;
    }
    page.heading(1, "Behaviour");
    page.bullets(&items);
}

/// How each reward function moved.
fn parts(diagnosis: &Diagnosis) -> Option<String> {
    let parts = diagnosis.movements.iter().filter(|movement| movement.concept == Concept::RewardComponent);
    let said: Vec<String> = parts
        .take(PARTS)
        .map(|part| format!("{} {} → {}", code(&part.key), number(part.first), number(part.last)))
        .collect();
    (said.len() > 1).then(|| format!("What it earns: {}.", said.join(", ")))
}

fn has_changed(movement: &Movement, unit: Option<Unit>) -> bool {
    let levels = [movement.first, movement.mid, movement.last];
    let high = levels.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let low = levels.into_iter().fold(f64::INFINITY, f64::min);
    let least = match unit {
        Some(Unit::Share) => TOLD.1,
        // Less than one in a step is a few accidents.
        Some(Unit::Count) => 1.0,
        _ => TOLD.0 * high.abs().max(low.abs()),
    };
    high - low > least
}

fn change(movement: &Movement, is_share: bool) -> String {
    let said = if is_share { percent } else { number };
    let (first, mid, last) = (movement.first, movement.mid, movement.last);
    let within = (mid - first.min(last)) >= 0.0 && (mid - first.max(last)) <= 0.0;
    let through = if within { String::new() } else { format!("{} in the middle, ", said(mid)) };
    format!("{} at the start, {through}{} at the end.", said(first), said(last))
}

//! What to try first, over all findings: the best action of each root cause, then the second best ones.

use super::escape::sentence;
use super::finding::change;
use super::page::Page;
use crate::diagnose::{ActionKind, Diagnosis, Finding, Severity};

/// Actions that are listed.
const SHOWN: usize = 5;

pub(super) fn write(page: &mut Page, diagnosis: &Diagnosis) {
    let is_root = |finding: &Finding| finding.severity > Severity::Note && finding.explained_by.is_empty();
    let roots: Vec<(usize, &Finding)> =
        diagnosis.findings.iter().enumerate().filter(|(_, finding)| is_root(finding)).collect();
    let most = roots.iter().map(|(_, finding)| finding.actions.len()).max().unwrap_or(0);
    let mut planned: Vec<&ActionKind> = Vec::new();
    let mut items = Vec::new();
    for place in 0..most {
        for (index, finding) in &roots {
            let Some(action) = finding.actions.get(place) else { continue };
            // One value for a setting: the finding that comes first decides.
            if items.len() == SHOWN || planned.iter().any(|kind| same_change(kind, &action.kind)) {
                continue;
            }
            planned.push(&action.kind);
            let effect =
                if action.effect.is_empty() { String::new() } else { format!(": {}", sentence(&action.effect)) };
            let why = finding.code.phrase();
            items.push(format!("**{}** (finding {}, {why}){effect}", change(action), index + 1));
        }
    }
    if items.is_empty() {
        return;
    }
    page.heading(1, "What to try first");
    page.numbered(&items);
}

/// True for two actions on the same setting, or the same advice.
fn same_change(one: &ActionKind, other: &ActionKind) -> bool {
    match (one, other) {
        (ActionKind::Set { setting: one, .. }, ActionKind::Set { setting: other, .. }) => one == other,
        _ => one == other,
    }
}

//! What to try first, over all findings: the best action of each root cause, then the second best ones.

use crate::finding::change;
use rundown_content::{Block, Span};
use rundown_diagnose::{ActionKind, Diagnosis, Finding, Severity};

/// Actions that are listed.
const MAX_ACTIONS: usize = 5;

pub(super) fn first_actions(diagnosis: &Diagnosis) -> Vec<Block> {
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
            if items.len() == MAX_ACTIONS || planned.iter().any(|kind| same_change(kind, &action.kind)) {
                continue;
            }
            planned.push(&action.kind);
            let mut note = format!("finding {}, {}", index + 1, finding.code.phrase());
            if !action.effect.is_empty() {
                note.push_str(": ");
                note.push_str(&action.effect);
            }
            let mut item: Vec<Span> = change(&action.kind).into();
            item.push(Span::Note(note));
            items.push(item);
        }
    }
    if items.is_empty() {
        return Vec::new();
    }
    vec![Block::section("What to try first"), Block::Numbered(items)]
}

/// True for two actions on the same setting, or the same advice.
fn same_change(one: &ActionKind, other: &ActionKind) -> bool {
    match (one, other) {
        (ActionKind::Set { setting: one, .. }, ActionKind::Set { setting: other, .. }) => one == other,
        _ => one == other,
    }
}

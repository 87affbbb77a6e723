//! What to try first, over all findings: the best action of each root cause, then the second best ones.

use super::escape::sentence;
use super::finding::change;
use super::page::Page;
use crate::diagnose::{Diagnosis, Finding, Severity};

/// Actions that are listed.
const SHOWN: usize = 5;

pub(super) fn write(page: &mut Page, diagnosis: &Diagnosis) {
    let is_root = |finding: &Finding| finding.severity > Severity::Note && finding.explained_by.is_empty();
    let roots: Vec<(usize, &Finding)> =
        diagnosis.findings.iter().enumerate().filter(|(_, finding)| is_root(finding)).collect();
    let most = roots.iter().map(|(_, finding)| finding.actions.len()).max().unwrap_or(0);
    let mut told: Vec<&str> = Vec::new();
    let mut items = Vec::new();
    for place in 0..most {
        for (index, finding) in &roots {
            let Some(action) = finding.actions.get(place) else { continue };
            // One value for a setting: the finding that comes first decides.
            if items.len() == SHOWN || told.contains(&action.change.as_str()) {
                continue;
            }
            told.push(&action.change);
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

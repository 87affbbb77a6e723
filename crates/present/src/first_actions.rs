//! What to try first, over all findings: the best action of each root cause, then the second best ones.

use crate::finding::change;
use rundown_content::{Block, Span};
use rundown_diagnose::{Action, ActionKind, Diagnosis, Finding, Severity};
use rundown_format::RichText;

/// Actions that a report lists.
const MAX_ACTIONS: usize = 5;

/// An action, and the finding that it is taken against.
pub(crate) struct FirstAction<'d> {
    /// Its place in [`Diagnosis::findings`].
    pub place: usize,
    /// The finding.
    pub finding: &'d Finding,
    action: &'d Action,
}

impl FirstAction<'_> {
    /// The change in words.
    pub fn change(&self) -> RichText {
        change(&self.action.kind)
    }
}

/// The plan, the first action first: one value for a setting, which the finding that comes first decides.
pub(crate) fn first_actions(diagnosis: &Diagnosis) -> Vec<FirstAction<'_>> {
    let is_root = |finding: &Finding| finding.severity > Severity::Note && finding.explained_by.is_empty();
    let roots = || diagnosis.findings.iter().enumerate().filter(|(_, finding)| is_root(finding));
    let most = roots().map(|(_, finding)| finding.actions.len()).max().unwrap_or(0);
    let mut planned: Vec<FirstAction<'_>> = Vec::new();
    for rank in 0..most {
        for (place, finding) in roots() {
            let Some(action) = finding.actions.get(rank) else { continue };
            if !planned.iter().any(|planned| same_change(&planned.action.kind, &action.kind)) {
                planned.push(FirstAction { place, finding, action });
            }
        }
    }
    planned
}

/// The section of a report.
pub(crate) fn section(diagnosis: &Diagnosis) -> Vec<Block> {
    let item = |first: FirstAction<'_>| {
        let mut note = format!("finding {}, {}", first.place + 1, first.finding.code.phrase());
        if !first.action.effect.is_empty() {
            note.push_str(": ");
            note.push_str(&first.action.effect);
        }
        let mut item: Vec<Span> = first.change().into();
        item.push(Span::Note(note));
        item
    };
    let items: Vec<Vec<Span>> = first_actions(diagnosis).into_iter().take(MAX_ACTIONS).map(item).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Code, SettingName};

    #[test]
    fn the_best_action_of_each_cause_comes_before_second_best_ones_and_a_setting_gets_one_value() {
        let set = |key: &str, to: f64| Action {
            kind: ActionKind::Set { setting: SettingName::Key(key.to_owned()), from: None, to: to.into() },
            effect: String::new(),
            risk: String::new(),
            watch: String::new(),
        };
        let finding = |code, actions| Finding { actions, ..Finding::new(code, Severity::Warning, "") };
        let diagnosis = Diagnosis {
            findings: vec![
                finding(Code::KlBlowUp, vec![set("lr", 1e-6), set("beta", 0.1)]),
                finding(Code::EntropyCollapse, vec![set("clip", 0.28), set("lr", 3e-6)]),
                Finding::new(Code::Plateau, Severity::Note, ""),
            ],
            ..Diagnosis::default()
        };
        let planned: Vec<(usize, String)> =
            first_actions(&diagnosis).iter().map(|first| (first.place, first.change().to_string())).collect();
        let expected = [(0, "lr → 1e-6"), (1, "clip → 0.28"), (0, "beta → 0.1")];
        assert_eq!(planned, expected.map(|(place, change)| (place, change.to_owned())));
    }
}

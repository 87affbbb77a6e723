//! What to try first, over all findings: the best action of each root cause, then the second best ones.

use crate::finding::change;
use rundown_content::{Block, Span};
use rundown_diagnose::{Action, ActionKind, Code, Diagnosis, Finding, Severity};
use rundown_format::RichText;

/// Actions that a report lists.
const MAX_ACTIONS: usize = 5;
/// From this factor on a change is that of a value far from what is usual; other advice changes a value by up to five times.
const FAR: f64 = 10.0;

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

/// The plan, the first action first: one value for a setting, which the finding that comes first decides. A setting far from what is
/// usual comes right behind the best action of each root cause, also where the finding that names it is explained by one; so does the way
/// back from a policy that lost its task.
pub(crate) fn first_actions(diagnosis: &Diagnosis) -> Vec<FirstAction<'_>> {
    let serious = || diagnosis.findings.iter().enumerate().filter(|(_, finding)| finding.severity > Severity::Note);
    let roots = || serious().filter(|(_, finding)| finding.explained_by.is_empty());
    let most = roots().map(|(_, finding)| finding.actions.len()).max().unwrap_or(0);
    let mut planned: Vec<FirstAction<'_>> = Vec::new();
    for rank in 0..most {
        for (place, finding) in roots() {
            add(&mut planned, place, finding, finding.actions.get(rank));
        }
        if rank == 0 {
            for (place, finding) in serious() {
                let is_lost = finding.code == Code::RegressionFromPeak && finding.severity == Severity::Critical;
                add(&mut planned, place, finding, finding.actions.first().filter(|_| is_lost));
                add(&mut planned, place, finding, finding.actions.iter().find(|action| is_far(action)));
            }
        }
    }
    planned
}

/// Adds an action to the plan, unless it has one on the same setting.
fn add<'d>(planned: &mut Vec<FirstAction<'d>>, place: usize, finding: &'d Finding, action: Option<&'d Action>) {
    let Some(action) = action else { return };
    if !planned.iter().any(|planned| same_change(&planned.action.kind, &action.kind)) {
        planned.push(FirstAction { place, finding, action });
    }
}

/// True for a change of a setting to many times its value, or to a small part of it: advice goes that far only from a value that is
/// far from what is usual.
fn is_far(action: &Action) -> bool {
    let ActionKind::Set { from: Some(from), to, .. } = &action.kind else { return false };
    let values = from.number.zip(to.number).filter(|(from, to)| *from > 0.0 && *to > 0.0);
    values.is_some_and(|(from, to)| (to / from).max(from / to) >= FAR)
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
    use rundown_diagnose::SettingName;

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

    #[test]
    fn a_setting_far_from_what_is_usual_is_among_the_first_where_its_finding_is_explained() {
        let set = |key: &str, from: f64, to: f64| Action {
            kind: ActionKind::Set { setting: SettingName::Key(key.to_owned()), from: Some(from.into()), to: to.into() },
            effect: String::new(),
            risk: String::new(),
            watch: String::new(),
        };
        let finding = |code, actions| Finding { actions, ..Finding::new(code, Severity::Warning, "") };
        let root = finding(Code::ZeroVarianceGroups, vec![set("group", 8.0, 16.0), set("batch", 8.0, 16.0)]);
        let explained = finding(Code::NoLearning, vec![set("beta", 0.1, 0.02), set("lr", 2e-7, 1e-5)]);
        let explained = Finding { explained_by: vec![Code::ZeroVarianceGroups], ..explained };
        let diagnosis = Diagnosis { findings: vec![root, explained], ..Diagnosis::default() };
        let planned: Vec<usize> = first_actions(&diagnosis).iter().map(|first| first.place).collect();
        assert_eq!(planned, [0, 1, 0]);
    }

    #[test]
    fn the_way_back_from_a_policy_that_lost_its_task_is_among_the_first() {
        let to_do = |what: &str| Action {
            kind: ActionKind::Do(what.into()),
            effect: String::new(),
            risk: String::new(),
            watch: String::new(),
        };
        let planned = |severity| {
            let root = Finding::new(Code::TooAggressive, Severity::Warning, "");
            let lost = Finding::new(Code::RegressionFromPeak, severity, "");
            let findings = vec![
                Finding { actions: vec![to_do("lower the rate"), to_do("smaller updates")], ..root },
                Finding { actions: vec![to_do("go back")], explained_by: vec![Code::TooAggressive], ..lost },
            ];
            let diagnosis = Diagnosis { findings, ..Diagnosis::default() };
            first_actions(&diagnosis).iter().map(|first| first.place).collect::<Vec<usize>>()
        };
        assert_eq!(planned(Severity::Critical), [0, 1, 0]);
        assert_eq!(planned(Severity::Warning), [0, 0]);
    }
}

//! One finding: its numbers first, then what could explain it, what to try, and what would show it wrong.

use super::blocks::{rich, rich_inside};
use super::escape::{self, code, inside, prose, text};
use super::keys::above_or_below;
use super::page::Page;
use super::samples;
use crate::diagnose::samples::Samples;
use crate::diagnose::{Action, ActionKind, Finding, SettingName};
use crate::format::{number, percent, quantity, redact_setting};
use crate::vocabulary::Bindings;

/// The finding as an item of a list; `causes` are the findings that explain it.
pub(super) fn one_line(finding: &Finding, causes: &[String]) -> String {
    let said = format!("**{}:** {}", finding.code.words(), rich_inside(&finding.title.clone().sentence()));
    if causes.is_empty() { said } else { format!("{said} It follows from {}.", causes.join(", ")) }
}

pub(super) fn write(
    page: &mut Page,
    number_in_list: usize,
    finding: &Finding,
    explained_by: &[String],
    samples: Option<&Samples>,
    bindings: &Bindings,
) {
    let name = finding.code.words();
    page.heading(2, &format!("{number_in_list}. {name} ({})", finding.severity.as_str()));
    page.paragraph(&rich(&finding.title.clone().sentence()));
    page.paragraph(&rich(&finding.detail));
    page.paragraph(&facts(finding, explained_by));
    evidence(page, finding);
    trend(page, finding);
    samples.into_iter().for_each(|samples| samples::write(page, samples));
    causes(page, finding);
    actions(page, &finding.actions, explained_by);
    let mut closing = Vec::new();
    for (label, sentence) in
        [("Competing explanation", &finding.alternative), ("What would show it wrong", &finding.refute)]
    {
        if !sentence.is_empty() {
            closing.push(format!("{label}: {}", rich_inside(sentence)));
        }
    }
    closing.extend(origins(finding, bindings));
    if !finding.references.is_empty() {
        let references: Vec<String> = finding.references.iter().map(|reference| text(reference)).collect();
        closing.push(format!("References: {}", references.join("; ")));
    }
    page.bullets(&closing);
}

/// Where the code stands that computed the metrics, each place once.
fn origins(finding: &Finding, bindings: &Bindings) -> Option<String> {
    let mut places: Vec<(&str, Vec<String>)> = Vec::new();
    for key in &finding.metrics {
        let Some(place) = bindings.iter().find(|binding| binding.key == *key).and_then(|found| found.origin(bindings))
        else {
            continue;
        };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, keys)) => keys.push(code(key)),
            None => places.push((place, vec![code(key)])),
        }
    }
    let said: Vec<String> =
        places.iter().map(|(place, keys)| format!("{} in {}", keys.join(" and "), code(place))).collect();
    (!said.is_empty()).then(|| format!("Computed: {}", said.join("; ")))
}

fn facts(finding: &Finding, explained_by: &[String]) -> String {
    let mut facts = vec![code(finding.code.as_str())];
    match (finding.onset, finding.end) {
        (Some(onset), Some(end)) => facts.push(format!("steps {} to {}", number(onset), number(end))),
        (Some(onset), None) => facts.push(format!("from step {}", number(onset))),
        (None, Some(end)) => facts.push(format!("until step {}", number(end))),
        (None, None) => {}
    }
    if let Some(step) = finding.first_alarm {
        facts.push(format!("would first have fired at step {}", number(step)));
    }
    facts.push(format!("confidence {}", percent(finding.confidence)));
    if !finding.metrics.is_empty() {
        let metrics: Vec<String> = finding.metrics.iter().map(|metric| code(metric)).collect();
        facts.push(format!("metrics {}", metrics.join(", ")));
    }
    if !explained_by.is_empty() {
        facts.push(format!("explained by {}", explained_by.join(", ")));
    }
    facts.join(" · ")
}

fn evidence(page: &mut Page, finding: &Finding) {
    let rows: Vec<[String; 3]> = finding
        .evidence
        .iter()
        .map(|evidence| {
            [
                rich_inside(&evidence.name),
                inside(&quantity(evidence.value, &evidence.unit)),
                evidence.limit.as_ref().map_or_else(String::new, |limit| {
                    prose(&format!("{} ({})", above_or_below(limit, &evidence.unit), limit.source))
                }),
            ]
        })
        .collect();
    if rows.iter().any(|[.., threshold]| !threshold.is_empty()) {
        page.table(["evidence", "value", "found if, and by which source"], &rows);
    } else {
        let rows: Vec<[String; 2]> = rows.into_iter().map(|[name, value, _]| [name, value]).collect();
        page.table(["evidence", "value"], &rows);
    }
}

fn trend(page: &mut Page, finding: &Finding) {
    let rows: Vec<[String; 5]> = finding
        .trend
        .iter()
        .map(|trend| {
            let numbers = [trend.first, trend.mid, trend.last, trend.slope].map(number);
            let [first, mid, last, slope] = numbers;
            [code(&trend.metric), first, mid, last, slope]
        })
        .collect();
    page.table(["metric", "first", "middle", "last", "slope per 100 steps"], &rows);
}

fn causes(page: &mut Page, finding: &Finding) {
    let rows: Vec<[String; 3]> = finding
        .causes
        .iter()
        .map(|cause| {
            let value = redact_setting(&cause.config, &cause.value);
            [code(&cause.config), code(&value), rich_inside(&cause.why)]
        })
        .collect();
    page.table(["likely cause", "value", "why"], &rows);
}

fn actions(page: &mut Page, actions: &[Action], explained_by: &[String]) {
    if actions.is_empty() {
        return;
    }
    page.paragraph(&match explained_by {
        [] => "What to try, one change at a time:".to_owned(),
        causes => {
            format!("What explains it comes first: {}. If this finding stays, one change at a time:", causes.join(", "))
        }
    });
    let items: Vec<String> = actions.iter().map(action).collect();
    page.numbered(&items);
}

/// What to change, from what to what. What is words and no key or value stays words.
pub(super) fn change(action: &Action) -> String {
    let (setting, from, to) = match &action.kind {
        ActionKind::Do(change) => return rich_inside(change),
        ActionKind::Set { setting, from, to } => (setting, from, to),
    };
    let (name, key) = match setting {
        SettingName::Key(key) => (code(key), key.as_str()),
        SettingName::Words(words) => (prose(words), ""),
    };
    let value = |value: &str| shown(&redact_setting(key, value));
    match from {
        Some(from) => format!("{name}: {} → {}", value(from), value(to)),
        None => format!("{name} → {}", value(to)),
    }
}

fn shown(words: &str) -> String {
    if words.contains(' ') { prose(words) } else { code(words) }
}

fn action(action: &Action) -> String {
    let change = change(action);
    let mut said = format!("**{change}**");
    if !action.effect.is_empty() {
        said.push(':');
    }
    for (label, phrase) in [("", &action.effect), ("Risk: ", &action.risk), ("Watch: ", &action.watch)] {
        if !phrase.is_empty() {
            said.push_str(&format!(" {label}{}", escape::sentence(phrase)));
        }
    }
    said
}

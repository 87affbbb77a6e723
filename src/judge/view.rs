//! The Run view, made from a diagnosis: words and formatted numbers, so that the page only has to place them.

use super::list::{mark, severity_mark};
use crate::diagnose::samples::{Samples, Side};
use crate::diagnose::{Action, Diagnosis, Evidence, Finding, Group, Knob, Quiet, Setting, by_interest, settings_of};
use crate::document::spans;
use crate::engine::messages::{ActionRow, BindingRow, CheckNote, Fact, FindingCard, RunView};
use crate::report::samples::{about, asked, changes, side, told};
use crate::report::{bytes, number, quantity, redact, redact_setting};
use crate::run::{Artifact, ConfigValue, Run};
use crate::vocabulary::Framework;

/// Lanes of the timeline, in the order of telling.
const LANES: [Group; 6] =
    [Group::Reward, Group::Lengths, Group::Policy, Group::Optimiser, Group::Exploration, Group::Integrity];
/// Metrics that an evidence chart draws.
const CHART_METRICS: usize = 2;

/// The Run view of a run; `number` is the engine's number for it.
pub fn run_view(number: u32, run: &Run, diagnosis: &Diagnosis) -> RunView {
    let lanes = lanes(diagnosis);
    let findings = diagnosis.findings.iter().map(|finding| card(run, diagnosis, &lanes, finding)).collect();
    RunView {
        run: number,
        name: run.name.clone(),
        verdict: mark(diagnosis.verdict),
        headline: diagnosis.headline.clone(),
        summary: spans(&diagnosis.summary),
        facts: facts(run, diagnosis),
        step_key: run.axis.key.clone(),
        step_why: run.axis.why.clone(),
        steps: run.step_range().unwrap_or((f64::NAN, f64::NAN)),
        lanes: lanes.iter().map(|group| group.as_str().to_owned()).collect(),
        findings,
        quiet: quiet(diagnosis),
        skipped: diagnosis.skipped.iter().map(|skipped| note(skipped.code.words(), &skipped.need.hint)).collect(),
        bindings: bindings(diagnosis),
        files: run.files.iter().map(|file| format!("{} ({}, {})", file.path, file.format, bytes(file.bytes))).collect(),
        listed: run.artifacts.iter().map(listed).collect(),
        warnings: run.warnings.iter().map(|warning| warning.text.clone()).collect(),
        config: run.config.iter().map(|(key, value)| (key.to_owned(), redact_setting(key, value))).collect(),
        measure: diagnosis.learning.measure.as_ref().map(|binding| binding.key.clone()).unwrap_or_default(),
    }
}

/// An artifact or a file of the run's server, in a line.
fn listed(artifact: &Artifact) -> String {
    let size = artifact.bytes.map(|size| bytes(size as u64));
    let words: Vec<&str> =
        [Some(artifact.kind.as_str()).filter(|kind| !kind.is_empty()), size.as_deref()].into_iter().flatten().collect();
    let name = redact(&artifact.name);
    if words.is_empty() { name.into_owned() } else { format!("{name} ({})", words.join(", ")) }
}

fn lanes(diagnosis: &Diagnosis) -> Vec<Group> {
    let mut lanes = LANES.to_vec();
    for finding in &diagnosis.findings {
        let group = finding.code.group();
        if !lanes.contains(&group) {
            lanes.push(group);
        }
    }
    lanes
}

fn facts(run: &Run, diagnosis: &Diagnosis) -> Vec<Fact> {
    let plain = |value: String| Fact { label: String::new(), value, remark: String::new() };
    let steps = match run.step_range() {
        Some((_, last)) => format!("{}, {} steps", run.ending.state.as_str(), number(last)),
        None => run.ending.state.as_str().to_owned(),
    };
    let framework = match diagnosis.bindings.framework {
        Framework::Unknown => "no known trainer's names",
        framework => framework.as_str(),
    };
    let mut facts = vec![plain(steps), plain(framework.to_owned())];
    let setting = |setting: Setting| Fact { label: setting.key, value: setting.text, remark: setting.remark };
    facts.extend(settings_of(&run.config, Knob::HEADLINE).into_iter().map(setting));
    facts
}

fn card(run: &Run, diagnosis: &Diagnosis, lanes: &[Group], finding: &Finding) -> FindingCard {
    let lane = lanes.iter().position(|group| *group == finding.code.group()).unwrap_or(0);
    let cause = finding.explained_by.first();
    let explained_by =
        cause.and_then(|cause| diagnosis.findings.iter().position(|other| other.code == *cause && other != finding));
    FindingCard {
        code: finding.code.as_str().to_owned(),
        name: finding.code.words().to_owned(),
        lane: lane as u32,
        severity: severity_mark(finding.severity),
        title: sentence(&redact(&finding.title)),
        detail: spans(&redact(&finding.detail)),
        onset: finding.onset.unwrap_or(f64::NAN),
        end: finding.end.unwrap_or(f64::NAN),
        confidence: finding.confidence,
        chart: finding
            .metrics
            .iter()
            .filter(|key| run.columns.get(*key).is_some_and(|column| column.len() > 1))
            .take(CHART_METRICS)
            .cloned()
            .collect(),
        trend: finding
            .trend
            .iter()
            .map(|trend| {
                let [first, mid, last, slope] = [trend.first, trend.mid, trend.last, trend.slope].map(number);
                let sign = if trend.slope > 0.0 { "+" } else { "" };
                [trend.metric.clone(), first, mid, last, format!("{sign}{slope}")]
            })
            .collect(),
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| {
                [evidence.name.clone(), quantity(evidence.value, &evidence.unit), evidence.threshold.clone()]
            })
            .collect(),
        causes: finding
            .causes
            .iter()
            .map(|cause| {
                let value = redact_setting(&cause.config, &ConfigValue::Text(cause.value.clone()));
                [cause.config.clone(), value, cause.why.clone()]
            })
            .collect(),
        actions: finding.actions.iter().map(action).collect(),
        alternative: finding.alternative.clone(),
        refute: finding.refute.clone(),
        references: finding.references.clone(),
        samples: diagnosis
            .samples
            .iter()
            .find(|samples| {
                diagnosis.findings.get(samples.finding as usize).is_some_and(|told| std::ptr::eq(told, finding))
            })
            .map(samples)
            .unwrap_or_default(),
        explained_by: explained_by.map(|index| index as u32),
    }
}

/// Completions of both sides as the rows of one table: what changed, then the texts beside each other.
fn samples(samples: &Samples) -> Vec<[String; 3]> {
    let head = |word: &str, shown: &Side| format!("{word}: {}", side(shown));
    let mut rows = vec![[String::new(), head("before", &samples.before), head("after", &samples.after)]];
    rows.extend(changes(samples));
    let text = |side: &Side, place: usize| {
        side.shown.get(place).map_or_else(String::new, |excerpt| {
            let prompt = asked(excerpt);
            let asked = if prompt.is_empty() { String::new() } else { format!("\n\nasked: {prompt}") };
            format!("{}{asked}\n\n{}", about(excerpt), told(excerpt))
        })
    };
    let many = samples.before.shown.len().max(samples.after.shown.len());
    rows.extend(
        (0..many).map(|place| {
            [format!("completion {}", place + 1), text(&samples.before, place), text(&samples.after, place)]
        }),
    );
    rows
}

fn action(action: &Action) -> ActionRow {
    let risk = if action.risk.is_empty() { String::new() } else { format!("risk: {}", action.risk) };
    let watch = if action.watch.is_empty() { String::new() } else { format!("watch {}", action.watch) };
    let note: Vec<&str> = [action.effect.as_str(), &risk, &watch].into_iter().filter(|part| !part.is_empty()).collect();
    ActionRow { change: action.change.clone(), from: action.from.clone(), to: action.to.clone(), note: note.join("; ") }
}

fn bindings(diagnosis: &Diagnosis) -> Vec<BindingRow> {
    let row = |binding: &crate::vocabulary::Binding| BindingRow {
        concept: binding.concept.words().to_owned(),
        key: binding.key.clone(),
        unit: binding.unit.as_str().to_owned(),
        why: binding.why_and_origin(&diagnosis.bindings),
    };
    diagnosis.bindings.iter().map(row).collect()
}

fn note(name: &str, text: &str) -> CheckNote {
    CheckNote { name: name.to_owned(), text: text.to_owned() }
}

/// Checks with numbers first, what a person asks first at their head.
fn quiet(diagnosis: &Diagnosis) -> Vec<CheckNote> {
    let (told, untold): (Vec<&Quiet>, Vec<&Quiet>) = by_interest(&diagnosis.quiet)
        .into_iter()
        .partition(|quiet| quiet.evidence.iter().any(|evidence| evidence.value.is_finite()));
    told.into_iter().chain(untold).map(|quiet| note(quiet.code.words(), &numbers(&quiet.evidence))).collect()
}

/// The numbers of a quiet check in one sentence; thresholds without their source, which the report gives.
fn numbers(evidence: &[Evidence]) -> String {
    let parts: Vec<String> = evidence
        .iter()
        .filter(|evidence| evidence.value.is_finite())
        .map(|evidence| {
            let limit = evidence.threshold.split(" (").next().unwrap_or_default();
            let against = if limit.is_empty() { String::new() } else { format!(" (would need {limit})") };
            format!("{} {}{against}", evidence.name, quantity(evidence.value, &evidence.unit))
        })
        .collect();
    if parts.is_empty() { "nothing of the kind".to_owned() } else { parts.join("; ") }
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?', ':']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::samples::Excerpt;

    #[test]
    fn completions_stand_beside_each_other() {
        let excerpt = |step: f64, text: &str| Excerpt {
            step,
            prompt: "1+1=".to_owned(),
            text: text.to_owned(),
            end: String::new(),
            length: 3,
            repeated: String::new(),
            times: 0,
            scores: vec![("reward".to_owned(), 0.5)],
        };
        let side = |shown: Vec<Excerpt>| Side { compared: 9, steps: (1.0, 8.0), shown };
        let told = Samples {
            finding: 0,
            before: side(vec![excerpt(8.0, "<b>")]),
            after: side(vec![excerpt(9.0, "###"), excerpt(12.0, "####")]),
            measures: Vec::new(),
            phrases: Vec::new(),
        };
        let rows = samples(&told);
        assert_eq!(rows[0], ["", "before: steps 1 to 8, 9 completions", "after: steps 1 to 8, 9 completions"]);
        assert_eq!(rows[1][0], "completion 1");
        assert_eq!(rows[1][1], "step 8 · 3 characters · reward 0.5\n\nasked: 1+1=\n\n<b>");
        assert_eq!((rows[2][1].as_str(), rows.len()), ("", 3));
    }
}

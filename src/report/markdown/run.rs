//! The sections of one run: what it is, what came of it, what was looked at, how it was computed.

use super::blocks::{rich, rich_inside};
use super::escape::{code, code_of, prose, text};
use super::page::Page;
use super::{areas, behaviour, checks, cost, finding, next};
use crate::diagnose::samples::holds_completions;
use crate::diagnose::{Code, Diagnosis, Finding, Group, LearningState, Severity, by_interest};
use crate::format::{bytes, counted, number, utc};
use crate::present::config::{setting_rows, setting_value};
use crate::run::{ConfigValue, Run, RunState};
use crate::vocabulary::{Concept, Framework};

/// Keys without a meaning that are named before the rest is only counted.
const UNBOUND_NAMED: usize = 20;
/// Settings beyond the known ones that are all shown.
const FEW_SETTINGS: usize = 16;
/// Checks that found nothing and are named where the good things stand.
const QUIET_NAMED: usize = 8;

pub(super) fn write(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    let headline = rich_inside(&diagnosis.headline.clone().sentence());
    page.paragraph(&format!("**Verdict: {}.** {headline}", diagnosis.verdict.as_str()));
    page.paragraph(&rich(&diagnosis.summary));
    identity(page, run, diagnosis);
    config(page, run);
    good_bad_ugly(page, diagnosis);
    next::write(page, diagnosis);
    findings(page, diagnosis);
    behaviour::write(page, diagnosis);
    areas::write(page, run, diagnosis);
    cost::write(page, diagnosis);
    checks::quiet(page, diagnosis);
    checks::skipped(page, diagnosis);
    bindings(page, diagnosis);
    unknowns(page, run, diagnosis);
    provenance(page, run, diagnosis);
}

fn identity(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    page.heading(1, "Identity and state");
    let mut items = Vec::new();
    let mut item = |label: &str, value: String| {
        if !value.is_empty() {
            items.push(format!("{label}: {value}"));
        }
    };
    item("Id", code_of(&run.id, &run.id));
    let project: Vec<&str> = run.entity.iter().chain(&run.project).map(String::as_str).collect();
    item("Project", code(&project.join("/")));
    item("Group", run.group.as_deref().map(code).unwrap_or_default());
    item("Sweep", run.sweep.as_deref().map(code).unwrap_or_default());
    item("Job type", run.job_type.as_deref().map(code).unwrap_or_default());
    item("Tags", run.tags.iter().map(|tag| code(tag)).collect::<Vec<_>>().join(", "));
    item("Started", run.started_at.and_then(utc).unwrap_or_default());
    item("Notes", run.notes.as_deref().map(text).unwrap_or_default());
    let mut state = run.ending.state.as_str().to_owned();
    if let Some(exit_code) = run.ending.exit_code {
        state.push_str(&format!(", exit code {exit_code}"));
    }
    for evidence in &run.ending.evidence {
        state.push_str(&format!("; {}", text(evidence)));
    }
    item("State", state);
    let framework = match diagnosis.bindings.framework {
        Framework::Unknown => "none that is known by its names",
        framework => framework.as_str(),
    };
    item("Framework", framework.to_owned());
    if let Some((first, last)) = run.step_range() {
        let axis = format!("{}: {}", code(&run.axis.key), prose(run.axis.why.message()));
        item("Steps", format!("{} to {}, {} logged ({axis})", number(first), number(last), diagnosis.points));
    }
    page.bullets(&items);
}

fn config(page: &mut Page, run: &Run) {
    page.heading(1, "Important config");
    let known = setting_rows(&run.config);
    let rows: Vec<[String; 3]> = known
        .iter()
        .map(|row| {
            let remark = if row.remark.is_empty() { String::new() } else { format!(" ({})", prose(&row.remark)) };
            [row.what.to_owned(), code(&row.key), format!("{}{remark}", code(&row.value))]
        })
        .collect();
    page.table(["what", "setting", "value"], &rows);
    let others: Vec<(&str, &ConfigValue)> =
        run.config.iter().filter(|(key, _)| known.iter().all(|row| row.key != *key)).collect();
    if !others.is_empty() && others.len() <= FEW_SETTINGS {
        let said: Vec<String> =
            others.iter().map(|(key, value)| format!("{} = {}", code(key), code(&setting_value(key, value)))).collect();
        page.paragraph(&format!("Other settings: {}.", said.join(", ")));
        return;
    }
    page.paragraph(&match (rows.is_empty(), others.len()) {
        (true, 0) => "The files hold no config.".to_owned(),
        (true, others) => format!("None is known as a training setting, of {}.", counted(others, "setting")),
        (false, 0) => String::new(),
        (false, others) => format!("Not shown: {}.", counted(others, "other setting")),
    });
}

fn good_bad_ugly(page: &mut Page, diagnosis: &Diagnosis) {
    let learning = rich_inside(&diagnosis.learning.why.clone().sentence());
    let learned = |states: &[LearningState]| {
        let matches = states.contains(&diagnosis.learning.state) && !learning.is_empty();
        matches.then(|| learning.clone())
    };
    let of = |severity: Severity| -> Vec<String> {
        let findings = diagnosis.findings.iter().filter(|finding| finding.severity == severity);
        findings.map(|finding| finding::one_line(finding, &explained_by(finding, diagnosis))).collect()
    };

    // A reward that is gamed or broken proves nothing by its rise.
    let is_reward = diagnosis.learning.measure.as_ref().is_some_and(|measure| measure.concept != Concept::Evaluation);
    let is_doubted = |finding: &Finding| finding.severity > Severity::Note && finding.code.group() == Group::Reward;
    let is_proof = !(is_reward && diagnosis.findings.iter().any(is_doubted));
    let mut good: Vec<String> = learned(&[LearningState::Improved]).filter(|_| is_proof).into_iter().collect();
    let quiet: Vec<String> = by_interest(&diagnosis.quiet)
        .into_iter()
        .filter(|quiet| !quiet.evidence.is_empty())
        .map(|quiet| quiet.code.phrase())
        .collect();
    let named: Vec<&str> = quiet.iter().take(QUIET_NAMED).map(String::as_str).collect();
    if !named.is_empty() {
        let rest = match quiet.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more (see “Quiet checks”)"),
        };
        good.push(format!("Looked for and not found: {}{rest}.", named.join(", ")));
    }
    section(page, "Good", good);

    let mut bad = of(Severity::Warning);
    // The check of the same name says it already.
    if diagnosis.findings.iter().all(|finding| finding.code != Code::NoLearning) {
        bad.extend(learned(&[LearningState::Flat, LearningState::Declined]));
    }
    section(page, "Bad", bad);

    section(page, "Ugly", of(Severity::Critical));
    let notes = of(Severity::Note);
    if !notes.is_empty() {
        section(page, "Worth knowing", notes);
    }
}

fn section(page: &mut Page, title: &str, items: Vec<String>) {
    page.heading(1, title);
    if items.is_empty() {
        page.paragraph("Nothing.");
    }
    page.bullets(&items);
}

fn findings(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Findings");
    if diagnosis.findings.is_empty() {
        page.paragraph("None.");
    }
    for (place, finding) in diagnosis.findings.iter().enumerate() {
        let samples = diagnosis.samples.iter().find(|samples| samples.finding as usize == place);
        finding::write(page, place + 1, finding, &explained_by(finding, diagnosis), samples, &diagnosis.bindings);
    }
}

/// Names of the findings that explain this one, of those that the report holds.
fn explained_by(finding: &Finding, diagnosis: &Diagnosis) -> Vec<String> {
    let present = |code: &&Code| diagnosis.findings.iter().any(|other| other.code == **code);
    finding.explained_by.iter().filter(present).map(|code| code.phrase()).collect()
}

fn bindings(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Which metric stands for what");
    let rows: Vec<[String; 4]> = diagnosis
        .bindings
        .iter()
        .map(|binding| {
            let origin = binding.origin(&diagnosis.bindings).map(code).unwrap_or_default();
            [binding.concept.words().to_owned(), code(&binding.key), prose(&binding.why), origin]
        })
        .collect();
    if rows.is_empty() {
        page.paragraph("No key has a known meaning.");
    }
    if rows.iter().any(|[.., origin]| !origin.is_empty()) {
        page.table(["what", "metric", "why", "computed in"], &rows);
    } else {
        let rows: Vec<[String; 3]> = rows.into_iter().map(|[what, key, why, _]| [what, key, why]).collect();
        page.table(["what", "metric", "why"], &rows);
    }
}

fn unknowns(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    page.heading(1, "Unknowns and missing logs");
    let mut items: Vec<String> = Vec::new();
    for warning in &run.warnings {
        let at = warning.step().map(|step| format!(" (step {})", number(step))).unwrap_or_default();
        items.push(format!("{}{at}", text(&warning.message())));
    }
    if run.ending.state == RunState::Unknown {
        items.push("Nothing says how the run ended.".to_owned());
    }
    if run.ending.state == RunState::Running {
        items.push("The run goes on: what is said here may change.".to_owned());
    }
    if diagnosis.bindings.first(Concept::Evaluation).is_none() {
        items.push("No evaluation was logged: whether the reward stands for the task can't be told.".to_owned());
    }
    let framework = diagnosis.bindings.framework;
    let missing: Vec<String> = checks::missing_core(diagnosis)
        .into_iter()
        .map(|concept| format!("{} ({})", concept.words(), code(concept.key_hint(framework))))
        .collect();
    if !missing.is_empty() {
        items.push(format!("Not logged of what a diagnosis rests on: {}.", missing.join(", ")));
    }
    if !run.tables.iter().filter_map(|file| file.content.as_ref()).any(holds_completions) {
        let how = match framework {
            Framework::Trl => " (`log_completions=True`)",
            Framework::Verl => " (`trainer.log_val_generations` above 0)",
            _ => "",
        };
        items.push(format!("No completions were logged{how}: what the policy writes can't be seen."));
    }
    if !diagnosis.skipped.is_empty() {
        let checks = counted(diagnosis.skipped.len(), "check");
        items.push(format!("Skipped for want of a metric: {checks}, see above."));
    }
    if diagnosis.nonfinite > 0 {
        let values = counted(diagnosis.nonfinite, "logged value");
        items.push(format!("NaN or infinite: {values}. Statistics leave them out."));
    }
    let unbound = crate::report::unbound(run, diagnosis);
    if !unbound.is_empty() {
        let named: Vec<String> = unbound.iter().take(UNBOUND_NAMED).map(|key| code(key)).collect();
        let rest = match unbound.len().saturating_sub(UNBOUND_NAMED) {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        let count = counted(unbound.len(), "key");
        items.push(format!("No check reads {count}: {}{rest}.", named.join(", ")));
    }
    if items.is_empty() {
        page.paragraph("None.");
    }
    page.bullets(&items);
}

fn provenance(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    page.heading(1, "How it was computed");
    page.paragraph(&format!(
        "Rundown {}, rulebook {}. The same files give the same report.",
        env!("CARGO_PKG_VERSION"),
        text(&diagnosis.rulebook),
    ));
    let rows: Vec<[String; 4]> = run
        .files
        .iter()
        .map(|file| {
            [code_of(&file.path, &run.id), text(file.format.name()), bytes(file.bytes), format!("`{:08x}`", file.crc32)]
        })
        .collect();
    page.table(["file", "read as", "size", "CRC-32"], &rows);
}

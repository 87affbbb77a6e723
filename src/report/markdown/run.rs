//! The sections of one run: what it is, what came of it, what was looked at, how it was computed.

use super::escape::{code, code_of, inside, prose, sentence, text};
use super::page::Page;
use super::{cost, finding};
use crate::diagnose::{Code, Diagnosis, Evidence, Finding, LearningState, Severity};
use crate::report::config::setting_rows;
use crate::report::numbers::{bytes, number, quantity, utc};
use crate::run::{Run, RunState};
use crate::vocabulary::Concept;

/// Keys without a meaning that are named before the rest is only counted.
const UNBOUND_NAMED: usize = 20;

pub(super) fn write(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    page.paragraph(&format!("**Verdict: {}.** {}", diagnosis.verdict.as_str(), sentence(&diagnosis.headline)));
    page.paragraph(&prose(&diagnosis.summary));
    identity(page, run, diagnosis);
    config(page, run);
    good_bad_ugly(page, diagnosis);
    findings(page, diagnosis);
    cost::write(page, diagnosis);
    movements(page, diagnosis);
    quiet(page, diagnosis);
    skipped(page, diagnosis);
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
    item("Framework", diagnosis.bindings.framework.as_str().to_owned());
    if let Some((first, last)) = run.step_range() {
        let axis = format!("{}: {}", code(&run.axis.key), prose(&run.axis.why));
        item("Steps", format!("{} to {}, {} logged ({axis})", number(first), number(last), diagnosis.points));
    }
    page.bullets(&items);
}

fn config(page: &mut Page, run: &Run) {
    page.heading(1, "Important config");
    let rows: Vec<[String; 3]> =
        setting_rows(&run.config).iter().map(|[key, value, remark]| [code(key), code(value), prose(remark)]).collect();
    page.table(["setting", "value", "unusual"], &rows);
    let others = run.config.len().saturating_sub(rows.len());
    page.paragraph(&match (rows.is_empty(), others) {
        (true, 0) => "The files hold no config.".to_owned(),
        (true, others) => format!("None is known as a training setting, of {}.", counted(others, "setting")),
        (false, 0) => String::new(),
        (false, others) => format!("Not shown: {}.", counted(others, "other setting")),
    });
}

fn good_bad_ugly(page: &mut Page, diagnosis: &Diagnosis) {
    let learning = sentence(&diagnosis.learning.why);
    let learned = |states: &[LearningState]| {
        let matches = states.contains(&diagnosis.learning.state) && !learning.is_empty();
        matches.then(|| learning.clone())
    };
    let of = |severity: Severity| -> Vec<String> {
        let findings = diagnosis.findings.iter().filter(|finding| finding.severity == severity);
        findings.map(|finding| finding::one_line(finding, &explained_by(finding, diagnosis))).collect()
    };

    let mut good: Vec<String> = learned(&[LearningState::Improved]).into_iter().collect();
    let quiet: Vec<String> = diagnosis.quiet.iter().map(|quiet| lower(quiet.code.words())).collect();
    if !quiet.is_empty() {
        good.push(format!("Looked for and not found: {}.", quiet.join(", ")));
    }
    section(page, "Good", good);

    let mut bad = of(Severity::Warning);
    bad.extend(learned(&[LearningState::Flat, LearningState::Declined]));
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
    finding.explained_by.iter().filter(present).map(|code| lower(code.words())).collect()
}

fn movements(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "How the metrics moved");
    if diagnosis.movements.is_empty() {
        page.paragraph("No metric of a known meaning was logged.");
        return;
    }
    page.paragraph(
        "Means of the first, middle and last 5 % of the points (five at least), and the least-squares slope.",
    );
    let rows: Vec<[String; 7]> = diagnosis
        .movements
        .iter()
        .map(|movement| {
            let best = match movement.best.is_nan() {
                true => String::new(),
                false => format!("{} ({})", number(movement.best), number(movement.best_step)),
            };
            [
                movement.concept.words().to_owned(),
                code(&movement.key),
                number(movement.first),
                number(movement.mid),
                number(movement.last),
                best,
                number(movement.slope),
            ]
        })
        .collect();
    page.table(["what", "metric", "first", "middle", "last", "best (at step)", "slope per 100 steps"], &rows);
}

fn quiet(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Quiet checks");
    if diagnosis.quiet.is_empty() {
        page.paragraph("None.");
    }
    let items: Vec<String> = diagnosis
        .quiet
        .iter()
        .map(|quiet| {
            let numbers: Vec<String> = quiet.evidence.iter().map(evidence_in_words).collect();
            let name = format!("**{}** ({})", quiet.code.words(), code(quiet.code.as_str()));
            if numbers.is_empty() { name } else { format!("{name}: {}", numbers.join("; ")) }
        })
        .collect();
    page.bullets(&items);
}

fn evidence_in_words(evidence: &Evidence) -> String {
    let said = format!("{} {}", prose(&evidence.name), inside(&quantity(evidence.value, &evidence.unit)));
    if evidence.threshold.is_empty() { said } else { format!("{said} (threshold {})", prose(&evidence.threshold)) }
}

fn skipped(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Skipped checks");
    if diagnosis.skipped.is_empty() {
        page.paragraph("None.");
    }
    let rows: Vec<[String; 3]> = diagnosis
        .skipped
        .iter()
        .map(|skipped| {
            let missing: Vec<&str> = skipped.need.concepts.iter().map(|concept| concept.words()).collect();
            [skipped.code.words().to_owned(), missing.join(", "), prose(&skipped.need.hint)]
        })
        .collect();
    page.table(["check", "missing", "what would enable it"], &rows);
}

fn bindings(page: &mut Page, diagnosis: &Diagnosis) {
    page.heading(1, "Which metric stands for what");
    let rows: Vec<[String; 3]> = diagnosis
        .bindings
        .iter()
        .map(|binding| {
            [
                binding.concept.words().to_owned(),
                code(&binding.key),
                prose(&binding.why_and_origin(&diagnosis.bindings)),
            ]
        })
        .collect();
    if rows.is_empty() {
        page.paragraph("No key has a known meaning.");
    }
    page.table(["what", "metric", "why"], &rows);
}

fn unknowns(page: &mut Page, run: &Run, diagnosis: &Diagnosis) {
    page.heading(1, "Unknowns and missing logs");
    let mut items: Vec<String> = Vec::new();
    for warning in &run.warnings {
        let at = warning.step.map(|step| format!(" (step {})", number(step))).unwrap_or_default();
        items.push(format!("{}{at}", text(&warning.text)));
    }
    if run.ending.state == RunState::Unknown {
        items.push("Nothing says how the run ended.".to_owned());
    }
    if diagnosis.bindings.first(Concept::Evaluation).is_none() {
        items.push("No evaluation was logged: whether the reward stands for the task can't be told.".to_owned());
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
            [code_of(&file.path, &run.id), text(&file.format), bytes(file.bytes), format!("`{:08x}`", file.crc32)]
        })
        .collect();
    page.table(["file", "read as", "size", "CRC-32"], &rows);
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A name within a sentence: `KL blow-up` keeps its capitals, `Run crashed` does not.
fn lower(words: &str) -> String {
    let mut characters = words.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(characters).collect(),
        _ => words.to_owned(),
    }
}

//! The report on one run, as blocks: what came of it and what to try, what it is, what was looked at, how it was computed.
//!
//! Markdown, HTML and the Report view render the same blocks.

mod area;
mod behaviour;
mod cost;
mod curves;
mod facts;
mod identity;
mod metrics;
mod summary_values;
mod unknowns;

use super::appendix::mapping;
use super::distributions::distributions;
use super::failures::failures;
use super::open_question::open_question;
use super::{checks, finding, first_actions};
use rundown_content::{Block, Span};
use rundown_diagnose::{Code, Diagnosis, Finding, Group, LearningState, Severity};
use rundown_format::rich_text::{key, metric};
use rundown_format::{RichText, number, rich};
use rundown_run::Run;
use rundown_vocabulary::{Bindings, Concept};

/// The report on one run. Sections are headings of level 2; secrets are still in it (see [`clean_blocks`](super::clean_blocks)).
pub fn run_report(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    // What a reader in a hurry needs fits on one screen; tables to look things up in come last.
    let mut blocks = verdict(diagnosis);
    blocks.extend(first_actions::section(diagnosis));
    blocks.extend(good_bad_ugly(run, diagnosis));
    blocks.extend(identity::identity(run, diagnosis));
    blocks.extend(identity::config(run));
    blocks.extend(curves::curves(run, diagnosis));
    blocks.extend(findings(run, diagnosis));
    blocks.extend(behaviour::behaviour(run, diagnosis));
    let failed = failures(diagnosis);
    if !failed.is_empty() {
        blocks.push(Block::section("How responses fail"));
        blocks.extend(failed);
    }
    blocks.extend(metrics::metrics(run, diagnosis));
    blocks.extend(cost::cost(diagnosis));
    blocks.extend(unknowns::unknowns(run, diagnosis));
    blocks.extend(identity::provenance(run, diagnosis));
    blocks.extend(section_or("Checks without findings", checks::quiet(diagnosis), "None."));
    blocks.extend(section_or("Skipped checks", checks::skipped(diagnosis), "None."));
    blocks.extend(section_or("Metric mapping", mapping(diagnosis), "No metric was recognised."));
    let spread = distributions(run, diagnosis);
    if !spread.is_empty() {
        blocks.push(Block::section("Distributions"));
        blocks.extend(spread);
    }
    blocks
}

fn verdict(diagnosis: &Diagnosis) -> Vec<Block> {
    let mut first = vec![Span::Strong(format!("Verdict: {}.", diagnosis.verdict.as_str())), Span::from(" ")];
    first.extend(Vec::<Span>::from(diagnosis.headline.clone().sentence()));
    let mut blocks = vec![Block::Text(first)];
    if !diagnosis.summary.is_empty() {
        blocks.push(Block::text(&diagnosis.summary));
    }
    blocks.extend(open_question(diagnosis));
    blocks
}

/// A section of these blocks, or of a sentence where there are none.
fn section_or(title: &str, blocks: Vec<Block>, otherwise: &str) -> Vec<Block> {
    let mut section = vec![Block::section(title)];
    if blocks.is_empty() {
        section.push(Block::text(otherwise));
    }
    section.extend(blocks);
    section
}

fn list(items: Vec<Vec<Span>>) -> Vec<Block> {
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

fn good_bad_ugly(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let learning = diagnosis.learning.why.clone().sentence();
    let learned = |states: &[LearningState]| {
        let matches = states.contains(&diagnosis.learning.state) && !learning.is_empty();
        matches.then(|| learning.clone().into())
    };
    let of = |severity: Severity| -> Vec<Vec<Span>> {
        let findings = diagnosis.findings.iter().filter(|finding| finding.severity == severity);
        findings.map(|finding| one_line(finding, &explained_by(finding, diagnosis))).collect()
    };

    // A reward that is gamed or broken proves nothing by its rise, nor does a KL to the teacher that repeated text lowers.
    let measure = diagnosis.learning.measure.as_ref().map(|measure| measure.concept);
    let is_reward = measure.is_some_and(|concept| concept != Concept::Evaluation);
    let is_doubted = |finding: &Finding| {
        let is_repetition = measure == Some(Concept::TeacherKl) && finding.code == Code::EntropyCollapse;
        finding.severity > Severity::Note && (finding.code.group() == Group::Reward || is_repetition)
    };
    let is_proof = !(is_reward && diagnosis.findings.iter().any(is_doubted));
    let mut good = list(learned(&[LearningState::Improved]).filter(|_| is_proof).into_iter().collect());
    good.extend(checks::quiet_in_short(run, diagnosis));

    let mut bad = of(Severity::Warning);
    // The check of the same name reports it already.
    if diagnosis.findings.iter().all(|finding| finding.code != Code::NoLearning) {
        bad.extend(learned(&[LearningState::Flat, LearningState::Declined]));
    }

    let mut blocks = section_or("Good", good, "Nothing.");
    blocks.extend(section_or("Bad", list(bad), "Nothing."));
    blocks.extend(section_or("Ugly", list(of(Severity::Critical)), "Nothing."));
    let notes = of(Severity::Note);
    if !notes.is_empty() {
        blocks.extend(section_or("Worth knowing", list(notes), ""));
    }
    blocks
}

/// The finding as an item of a list; `causes` are the findings that explain it.
fn one_line(finding: &Finding, causes: &[String]) -> Vec<Span> {
    let mut item = vec![Span::Strong(format!("{}:", finding.code.words())), Span::from(" ")];
    item.extend(Vec::<Span>::from(finding::title(finding)));
    if !causes.is_empty() {
        item.push(Span::from(format!(" It follows from {}.", causes.join(", "))));
    }
    item
}

fn findings(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    const FINDING_LEVEL: u8 = 4;
    let last_step = run.step_range().map(|(_, last)| last);
    let part = |title: &str| Block::Heading { level: FINDING_LEVEL, text: title.into() };
    let mut blocks = Vec::new();
    for (place, found) in diagnosis.findings.iter().enumerate() {
        blocks.push(Block::part(rich!("{}. {} ({})", place + 1, found.code.words(), found.severity.as_str())));
        blocks.push(Block::text(facts(found, last_step, &explained_by(found, diagnosis))));
        blocks.extend(finding::body(found, FINDING_LEVEL));
        if let Some(evidence) = finding::evidence(found) {
            blocks.extend([part("Evidence"), evidence]);
        }
        if let Some(samples) = diagnosis.samples.iter().find(|samples| samples.finding as usize == place) {
            blocks.push(part("Responses before and after the onset"));
            blocks.extend(finding::completions(samples));
        }
        if let Some(references) = finding::references(found) {
            blocks.extend([part("References"), references]);
        }
        blocks.extend(origins(found, &diagnosis.bindings).map(Block::text));
    }
    section_or("Findings", blocks, "None.")
}

fn facts(finding: &Finding, last_step: Option<f64>, explained_by: &[String]) -> RichText {
    let mut facts: Vec<RichText> = vec![key(finding.code.as_str()).into(), finding::when(finding, last_step)];
    if let Some(step) = finding.first_alarm {
        facts.push(rich!("first alarm at step {}", number(step)));
    }
    facts.push(finding::confidence(finding));
    if !finding.metrics.is_empty() {
        let metrics = finding.metrics.iter().map(|key| metric(key).into());
        facts.push(rich!("metrics {}", RichText::joined(metrics, ", ", ", ")));
    }
    if !explained_by.is_empty() {
        facts.push(rich!("explained by {}", explained_by.join(", ")));
    }
    RichText::joined(facts, " · ", " · ")
}

/// Where the framework computes the metrics, each place once.
fn origins(finding: &Finding, bindings: &Bindings) -> Option<RichText> {
    let mut places: Vec<(&str, Vec<&str>)> = Vec::new();
    for key in &finding.metrics {
        let binding = bindings.iter().find(|binding| binding.key == *key);
        let Some(place) = binding.and_then(|binding| binding.origin(bindings)) else { continue };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, keys)) => keys.push(key),
            None => places.push((place, vec![key])),
        }
    }
    let places = places.into_iter().map(|(place, keys)| {
        rich!(
            "{} in {}",
            RichText::joined(keys.into_iter().map(|key| metric(key).into()), " and ", " and "),
            key(place)
        )
    });
    let places: Vec<RichText> = places.collect();
    (!places.is_empty()).then(|| rich!("Computed: {}.", RichText::joined(places, "; ", "; ")))
}

/// Names of the findings that explain this one, of those that the report holds.
fn explained_by(finding: &Finding, diagnosis: &Diagnosis) -> Vec<String> {
    let present = |code: &&Code| diagnosis.findings.iter().any(|other| other.code == **code);
    finding.explained_by.iter().filter(present).map(|code| code.phrase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::markdown;
    use rundown_diagnose::{Action, ActionKind, Learning};
    use rundown_vocabulary::{Binding, Direction, Unit};

    #[test]
    fn the_first_screen_says_what_came_of_it_and_what_to_try() {
        let action = |number: usize| Action {
            kind: ActionKind::Do(rich!("Try change {}", number)),
            effect: String::new(),
            risk: String::new(),
            watch: String::new(),
        };
        let finding = |code, severity| Finding {
            actions: (0..4).map(action).collect(),
            ..Finding::new(code, severity, "It went wrong")
        };
        let diagnosis = Diagnosis {
            findings: vec![
                finding(Code::KlBlowUp, Severity::Critical),
                finding(Code::Truncation, Severity::Warning),
                finding(Code::GradientSpikes, Severity::Note),
            ],
            ..Diagnosis::default()
        };
        let blocks = run_report(&Run::default(), &diagnosis);
        let sections = blocks.iter().filter_map(|block| match block {
            Block::Heading { level: 2, text } => Some(text.to_string()),
            _ => None,
        });
        let sections: Vec<String> = sections.collect();
        let first =
            ["What to try first", "Good", "Bad", "Ugly", "Worth knowing", "Identity and state", "Important config"];
        assert!(sections.iter().map(String::as_str).take(first.len()).eq(first), "{sections:?}");
        let place = |title: &str| sections.iter().position(|section| section == title);
        assert!(place("How it was computed") < place("Checks without findings"), "{sections:?}");

        let report = markdown(&blocks);
        let line = |title: &str| report.lines().position(|line| line == title);
        assert!(line("## What to try first").is_some_and(|line| line < 10), "{report}");
        assert!(line("## Identity and state").is_some_and(|line| line < 40), "{report}");
    }

    #[test]
    fn a_kl_to_the_teacher_that_repetition_lowers_is_not_good() {
        let told = |code: Code| {
            let measure = Binding::unscaled(Concept::TeacherKl, "teacher_kl", Unit::Plain, Direction::Down);
            let (state, why) = (LearningState::Improved, "It improved.".into());
            let learning = Learning { measure: Some(measure), state, why, ..Learning::default() };
            let findings = vec![Finding::new(code, Severity::Warning, "It went wrong")];
            let diagnosis = Diagnosis { learning, findings, ..Diagnosis::default() };
            markdown(&good_bad_ugly(&Run::default(), &diagnosis))
        };
        assert!(told(Code::Truncation).contains("It improved"));
        assert!(!told(Code::EntropyCollapse).contains("It improved"));
    }
}

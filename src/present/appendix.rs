//! The appendix of the Run view, as blocks: checks without a finding, metric mapping, files, settings; and what went well.

use crate::content::{Block, Cell, Span, Table};
use crate::diagnose::{Diagnosis, Evidence, Quiet, by_interest};
use crate::format::{bytes, counted, number, plural, quantity, redact};
use crate::present::config::redact_config_value;
use crate::protocol::Fold;
use crate::run::{Artifact, Run};

/// Checks that are named where the good things stand; the others are in the list below.
const QUIET_NAMED: usize = 6;

/// What went well; a good run deserves evidence too.
pub(super) fn well(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let mut notes = quiet(diagnosis, in_short);
    let what = if diagnosis.findings.is_empty() { "No incident" } else { "Nothing serious" };
    let which = if notes.len() > QUIET_NAMED { "among them:" } else { "with these numbers:" };
    let steps = run.step_range().map(|(first, last)| format!(" from step {} to {}", number(first), number(last)));
    let checks = counted(notes.len(), "check");
    let said = format!("{what}{}. {checks} looked and found nothing, {which}", steps.unwrap_or_default());
    notes.truncate(QUIET_NAMED);
    vec![Block::Text(vec![Span::Text(said)]), Block::List(notes)]
}

/// All of it, folded away; what there is nothing of is left out.
pub(super) fn sections(run: &Run, diagnosis: &Diagnosis) -> Vec<Fold> {
    let quiet = quiet(diagnosis, numbers);
    let skipped: Vec<Vec<Span>> =
        diagnosis.skipped.iter().map(|skipped| note(skipped.code.words(), &skipped.need.hint.to_string())).collect();
    let was = |count: usize| plural(count, "was", "were");
    let quiet_title = format!("{} {} quiet", counted(quiet.len(), "check"), was(quiet.len()));
    let skipped_title = format!("{} {} skipped", counted(skipped.len(), "check"), was(skipped.len()));
    let listed = match run.artifacts.len() {
        1 => "1 artifact or file".to_owned(),
        many => format!("{many} artifacts and files"),
    };
    let settings: Vec<(&str, String)> =
        run.config.iter().map(|(key, value)| (key, redact_config_value(key, value))).collect();
    let config = format!("Config: {}", counted(settings.len(), "setting"));
    let mut folds = vec![
        fold("quiet", quiet_title, list(quiet)),
        fold(Fold::SKIPPED, skipped_title, list(skipped)),
        fold("bindings", "Which key stands for what".to_owned(), bindings(diagnosis)),
        fold("files", counted(run.files.len(), "file"), read_from(run)),
        fold("listed", listed, list(run.artifacts.iter().map(|artifact| vec![Span::Key(line(artifact))]).collect())),
        fold(Fold::CONFIG, config, table(&["key", "value"], settings.into_iter().map(setting).collect())),
    ];
    folds.retain(|fold| !fold.blocks.is_empty());
    folds
}

fn fold(id: &str, title: String, blocks: Vec<Block>) -> Fold {
    Fold { id: id.to_owned(), title, blocks }
}

fn list(items: Vec<Vec<Span>>) -> Vec<Block> {
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

fn table(columns: &[&str], rows: Vec<Vec<Cell>>) -> Vec<Block> {
    if rows.is_empty() { Vec::new() } else { vec![Block::Table(Table { rows, ..Table::new("", columns) })] }
}

fn plain(text: String) -> Cell {
    Cell { text: if text.is_empty() { Vec::new() } else { vec![Span::Text(text)] }, value: None }
}

fn setting((key, value): (&str, String)) -> Vec<Cell> {
    vec![Cell::key(key), plain(value)]
}

fn bindings(diagnosis: &Diagnosis) -> Vec<Block> {
    let row = |binding: &crate::vocabulary::Binding| {
        let why = Cell { text: vec![Span::Note(binding.why_and_origin(&diagnosis.bindings))], value: None };
        let unit = plain(binding.unit.as_str().to_owned());
        vec![plain(binding.concept.words().to_owned()), Cell::key(binding.key.as_str()), unit, why]
    };
    table(&["stands for", "key", "unit", "why"], diagnosis.bindings.iter().map(row).collect())
}

fn read_from(run: &Run) -> Vec<Block> {
    if run.files.is_empty() && run.warnings.is_empty() {
        return Vec::new();
    }
    let file = |path: &str, format: &str, size: u64| vec![Span::Key(format!("{path} ({format}, {})", bytes(size)))];
    let mut blocks = list(run.files.iter().map(|read| file(&read.path, read.format.name(), read.bytes)).collect());
    blocks.extend(run.warnings.iter().map(|warning| Block::Text(vec![Span::Text(warning.message())])));
    if !run.axis.key.is_empty() {
        let why = format!(": {}", run.axis.why.message());
        let steps = [Span::Text("Steps are ".to_owned()), Span::Key(run.axis.key.clone()), Span::Text(why)];
        blocks.push(Block::Text(steps.into()));
    }
    blocks
}

/// An artifact or a file of the run's server, in a line.
fn line(artifact: &Artifact) -> String {
    let size = artifact.bytes.map(|size| bytes(size as u64));
    let words: Vec<&str> =
        [Some(artifact.kind.as_str()).filter(|kind| !kind.is_empty()), size.as_deref()].into_iter().flatten().collect();
    let name = redact(&artifact.name);
    if words.is_empty() { name.into_owned() } else { format!("{name} ({})", words.join(", ")) }
}

/// A check and what it says, less loud.
fn note(name: &str, said: &str) -> Vec<Span> {
    vec![Span::Text(name.to_owned()), Span::Note(said.to_owned())]
}

/// Checks with numbers first, what a person asks first at their head.
fn quiet(diagnosis: &Diagnosis, say: fn(&[Evidence]) -> String) -> Vec<Vec<Span>> {
    let (told, untold): (Vec<&Quiet>, Vec<&Quiet>) = by_interest(&diagnosis.quiet)
        .into_iter()
        .partition(|quiet| quiet.evidence.iter().any(|evidence| evidence.value.is_finite()));
    told.into_iter().chain(untold).map(|quiet| note(quiet.code.words(), &say(&quiet.evidence))).collect()
}

/// What a quiet check looked at, with two numbers at most: what kept it quiet and its limit, else the first two.
fn in_short(evidence: &[Evidence]) -> String {
    let known = || evidence.iter().filter(|evidence| evidence.value.is_finite());
    // Of several conditions some may hold: those say nothing for the run.
    if let Some(judged) = known().find(|evidence| evidence.is_met() == Some(false)) {
        return numbers(std::slice::from_ref(judged));
    }
    let first: Vec<Evidence> = known().take(2).cloned().collect();
    numbers(&first)
}

/// The numbers of a quiet check in one sentence; thresholds without their source, which the report gives.
fn numbers(evidence: &[Evidence]) -> String {
    let parts: Vec<String> = evidence
        .iter()
        .filter(|evidence| evidence.value.is_finite())
        .map(|evidence| {
            let limit = evidence.limit.as_ref().map(|limit| limit.with_unit(&evidence.unit));
            let against = limit.map_or_else(String::new, |limit| format!(" (would need {limit})"));
            format!("{} {}{against}", evidence.name, quantity(evidence.value, &evidence.unit))
        })
        .collect();
    if parts.is_empty() { "nothing of the kind".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Relation;

    #[test]
    fn what_kept_a_check_quiet_is_told() {
        let limited = |evidence: Evidence, value| evidence.limited(Relation::Above, value, "a source");
        let rise = limited(Evidence::new("its rise", 7.5, "standard errors"), 3.0);
        let fall = limited(Evidence::new("fall of the evaluation", 0.5, ""), 2.0);
        assert_eq!(in_short(&[rise.clone(), fall.clone()]), numbers(&[fall]));
        assert!(in_short(&[rise]).starts_with("its rise"));
    }
}

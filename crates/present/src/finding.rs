//! One finding as blocks: the same ones stand on its card in the Run view and in the reports.

use super::samples::{about, changes, excerpt_text, group_heading, prompt_end};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table, TableColumn};
use rundown_diagnose::samples::{CompletionGroup, Excerpt, Samples};
use rundown_diagnose::{Action, ActionKind, Cause, Finding, SettingName, SettingValue};
use rundown_format::rich_text::{percent, setting_key, step, tabular};
use rundown_format::{RichText, counted, quantity, redact_setting, rich};

/// What happened, likely causes, what to try, the competing explanation and what would refute it, as a report has them.
/// The headings have this level.
pub(super) fn body(finding: &Finding, level: u8) -> Vec<Block> {
    let mut blocks = vec![what_happened(finding)];
    blocks.extend(trend(finding));
    blocks.extend(causes(finding, level));
    if !finding.actions.is_empty() {
        blocks.extend([heading("Try", level), Block::Numbered(finding.actions.iter().map(action).collect())]);
    }
    blocks.extend(doubts(finding, level));
    blocks
}

/// What happened, in a sentence or two.
pub(super) fn what_happened(finding: &Finding) -> Block {
    let mut text = title(finding);
    text.append(" ");
    text.append(&finding.detail);
    Block::text(text)
}

/// What to try, the best first.
pub(super) fn actions(finding: &Finding) -> impl Iterator<Item = Vec<Span>> {
    finding.actions.iter().map(action)
}

/// Likely causes, the competing explanation and what would refute the finding.
pub(super) fn reasons(finding: &Finding, level: u8) -> Vec<Block> {
    causes(finding, level).into_iter().chain(doubts(finding, level)).collect()
}

/// The arithmetic behind a finding: how its metrics went, and its numbers.
pub(super) fn arithmetic(finding: &Finding) -> Vec<Block> {
    trend(finding).into_iter().chain(evidence(finding)).collect()
}

fn heading(text: &str, level: u8) -> Block {
    Block::Heading { level, text: text.into() }
}

fn causes(finding: &Finding, level: u8) -> Vec<Block> {
    if finding.causes.is_empty() {
        return Vec::new();
    }
    vec![heading("Likely causes", level), Block::List(finding.causes.iter().map(cause).collect())]
}

fn doubts(finding: &Finding, level: u8) -> Vec<Block> {
    let doubts = [("Competing explanation", &finding.alternative), ("What would refute it", &finding.refute)];
    let stated = doubts.into_iter().filter(|(_, text)| !text.is_empty());
    stated.flat_map(|(name, text)| [heading(name, level), Block::text(text)]).collect()
}

/// The finding in one sentence.
pub(super) fn title(finding: &Finding) -> RichText {
    finding.title.clone().sentence()
}

/// When a finding holds in a run that ends with this step.
pub(super) fn when(finding: &Finding, last_step: Option<f64>) -> RichText {
    let lasts = |end: f64| last_step.is_some_and(|last| end >= last);
    match (finding.onset, finding.end) {
        (None, None) => "whole run".into(),
        (None, Some(end)) => rich!("until step {}", step(end)),
        (Some(onset), Some(end)) if end <= onset => rich!("at step {}", step(onset)),
        (Some(onset), Some(end)) if !lasts(end) => rich!("steps {} to {}", step(onset), step(end)),
        (Some(onset), _) => rich!("from step {}", step(onset)),
    }
}

/// How sure a finding is.
pub(super) fn confidence(finding: &Finding) -> RichText {
    rich!("confidence {}", percent(finding.confidence))
}

/// The numbers of a finding with their thresholds; `None` without numbers.
pub(super) fn evidence(finding: &Finding) -> Option<Block> {
    let has_limits = finding.evidence.iter().any(|evidence| evidence.limit.is_some());
    let mut table = Table::new("", &[Words("Measurement"), Numbers("Value")]);
    table.columns.extend(has_limits.then(|| TableColumn::words("Threshold (source)")));
    for evidence in &finding.evidence {
        let mut row = vec![
            Cell::text(&evidence.name),
            Cell { text: vec![quantity(evidence.value, &evidence.unit).into()], value: Some(evidence.value) },
        ];
        if has_limits {
            let limit = evidence.limit.as_ref();
            let limit = limit.map(|limit| format!("{} ({})", limit.with_unit(&evidence.unit), limit.source));
            row.push(Cell::text(limit.unwrap_or_default()));
        }
        table.rows.push(row);
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

/// Where a rule and its advice come from; `None` without references.
pub(super) fn references(finding: &Finding) -> Option<Block> {
    let items: Vec<Vec<Span>> =
        finding.references.iter().map(|reference| vec![Span::from(reference.as_str())]).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

/// What the policy wrote before and after the onset, as a report has it: what changed, then completions of both sides.
pub(super) fn completions(samples: &Samples) -> Vec<Block> {
    let mut blocks: Vec<Block> = what_changed(samples).into_iter().collect();
    let (before, after) = (excerpts("Before", &samples.before.shown), excerpts("After", &samples.after.shown));
    if !before.is_empty() || !after.is_empty() {
        blocks.push(Block::SideBySide(before, after));
    }
    blocks
}

/// The same for a card: one completion of each side beside each other, the rest folded away.
pub(super) fn completions_in_short(samples: &Samples) -> Vec<Block> {
    let split = |word: &str, group: &CompletionGroup| {
        let (first, rest) = group.shown.split_at(group.shown.len().min(1));
        (excerpts(word, first), excerpts(word, rest))
    };
    let (before, more_before) = split("Before", &samples.before);
    let (after, more_after) = split("After", &samples.after);
    let mut blocks = Vec::new();
    if !before.is_empty() || !after.is_empty() {
        blocks.push(Block::SideBySide(before, after));
    }
    let mut folded: Vec<Block> = what_changed(samples).into_iter().collect();
    // Two blocks each.
    let more = (more_before.len() + more_after.len()) / 2;
    if more > 0 {
        folded.push(Block::SideBySide(more_before, more_after));
    }
    let title = match (folded.len(), more) {
        (0, _) => return blocks,
        (_, 0) => "What changed in the responses".to_owned(),
        (1, more) => counted(more, "more response"),
        (_, more) => format!("What changed, and {}", counted(more, "more response")),
    };
    blocks.push(Block::Fold { title: title.into(), blocks: folded });
    blocks
}

fn what_changed(samples: &Samples) -> Option<Block> {
    let headings = [&samples.before, &samples.after].map(group_heading);
    let mut table = Table::new("", &[Words("Responses")]);
    table.columns.extend(headings.map(TableColumn::numbers));
    table.rows.extend(changes(samples).into_iter().map(|row| row.map(Cell::text).into()));
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn excerpts(word: &str, shown: &[Excerpt]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for excerpt in shown {
        let prompt = prompt_end(excerpt);
        let prompt = if prompt.is_empty() { String::new() } else { format!("; prompt: {prompt}") };
        blocks.push(Block::text(format!("{word}, {}{prompt}", about(excerpt))));
        blocks.push(Block::Code(excerpt_text(excerpt)));
    }
    blocks
}

fn trend(finding: &Finding) -> Option<Block> {
    let mut table = Table::new(
        "",
        &[
            Words("Metric"),
            Numbers("First 5 %"),
            Numbers("Middle 5 %"),
            Numbers("Last 5 %"),
            Numbers("Slope / 100 steps"),
        ],
    );
    for trend in &finding.trend {
        let sign = if trend.slope > 0.0 { "+" } else { "" };
        table.rows.push(vec![
            Cell { text: vec![Span::Metric(trend.metric.clone())], value: None },
            Cell::tabular(trend.first),
            // Two points have no middle.
            if trend.mid.is_nan() && !trend.first.is_nan() { Cell::default() } else { Cell::tabular(trend.mid) },
            Cell::tabular(trend.last),
            Cell::number(rich!("{}{}", sign, tabular(trend.slope)), trend.slope),
        ]);
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn cause(cause: &Cause) -> Vec<Span> {
    let value = redact_setting(&cause.config, &cause.value);
    let mut item: Vec<Span> = vec![Span::Setting(cause.config.clone()), Span::from(format!(" {value}"))];
    if !cause.why.is_empty() {
        item.push(Span::Note(cause.why.to_string()));
    }
    item
}

fn action(action: &Action) -> Vec<Span> {
    let mut item: Vec<Span> = change(&action.kind).into();
    let risk = if action.risk.is_empty() { String::new() } else { format!("risk: {}", action.risk) };
    let watch = if action.watch.is_empty() { String::new() } else { format!("watch {}", action.watch) };
    let note: Vec<&str> = [action.effect.as_str(), &risk, &watch].into_iter().filter(|part| !part.is_empty()).collect();
    if !note.is_empty() {
        item.push(Span::Note(note.join("; ")));
    }
    item
}

/// What to change, from what to what.
pub(super) fn change(kind: &ActionKind) -> RichText {
    let (setting, from, to) = match kind {
        ActionKind::Do(change) => return change.clone(),
        ActionKind::Set { setting, from, to } => (setting, from, to),
    };
    let key = if let SettingName::Key(key) = setting { key } else { "" };
    let value = |value: &SettingValue| redact_setting(key, &value.text);
    let from = from.as_ref().map_or_else(String::new, |from| format!(" {}", value(from)));
    rich!("{}{} → {}", setting_name(setting), from, value(to))
}

/// The name of a setting in a sentence.
pub(super) fn setting_name(name: &SettingName) -> RichText {
    match name {
        SettingName::Key(key) => setting_key(key).into(),
        SettingName::Words(words) => words.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_before_and_after_share_a_row() {
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
        let group = |shown: Vec<Excerpt>| CompletionGroup { compared: 9, steps: (1.0, 8.0), shown };
        let samples = Samples {
            finding: 0,
            before: group(vec![excerpt(8.0, "<b> `x")]),
            after: group(vec![excerpt(9.0, "###"), excerpt(12.0, "####")]),
            measures: Vec::new(),
            phrases: Vec::new(),
        };
        let blocks = completions(&samples);
        let [Block::SideBySide(before, after)] = blocks.as_slice() else { panic!("{blocks:?}") };
        let about = Block::text("Before, step 8 · 3 characters · reward 0.5; prompt: 1+1=");
        assert_eq!(*before, [about, Block::Code("<b> `x".to_owned())]);
        assert_eq!(after.len(), 4);

        let blocks = completions_in_short(&samples);
        let [Block::SideBySide(before, after), Block::Fold { title, blocks }] = blocks.as_slice() else {
            panic!("{blocks:?}")
        };
        assert_eq!([before.len(), after.len(), blocks.len()], [2, 2, 1]);
        assert_eq!(title.to_string(), "1 more response");
    }
}

//! The inside of a finding's card, as blocks: what happened, why, what to try, what would prove it wrong.

use crate::content::{Block, Cell, Span, Table};
use crate::diagnose::samples::{Samples, Side};
use crate::diagnose::{Action, ActionKind, Cause, Diagnosis, Evidence, Finding, SettingName};
use crate::format::{RichText, counted, number, quantity, redact_setting};
use crate::present::samples::{about, asked, changes, side, told as excerpt_text};
use crate::protocol::Fold;

/// Everything beside the chart. Its headings stand below that of the card, which is lower for a consequence.
pub(super) fn body(finding: &Finding, is_root: bool) -> Vec<Block> {
    let heading = |text: &str| heading(text, is_root);
    let mut first = title(finding);
    first.append(" ");
    first.append(finding.detail.redacted());
    let mut blocks = vec![Block::Text(first.into())];
    if !finding.trend.is_empty() {
        blocks.push(trend(finding));
    }
    if !finding.causes.is_empty() {
        blocks.extend([heading("Likely causes"), Block::List(finding.causes.iter().map(cause).collect())]);
    }
    if !finding.actions.is_empty() {
        blocks.extend([heading("Try"), Block::Numbered(finding.actions.iter().map(action).collect())]);
    }
    for (name, said) in [("Competing explanation", &finding.alternative), ("Would refute it", &finding.refute)] {
        if !said.is_empty() {
            blocks.extend([heading(name), Block::Text(vec![Span::Note(said.redacted().to_string())])]);
        }
    }
    blocks
}

/// What the finding says in one sentence.
pub(super) fn title(finding: &Finding) -> RichText {
    finding.title.redacted().sentence()
}

/// The numbers of a finding.
pub(super) fn arithmetic(evidence: &[Evidence]) -> Fold {
    if evidence.is_empty() {
        return Fold::default();
    }
    let mut table = Table::new("", &["number", "#value", "compared with"]);
    for evidence in evidence {
        let value = quantity(evidence.value, &evidence.unit);
        let limit = evidence.limit.as_ref();
        let limit = limit.map(|limit| format!("{} ({})", limit.with_unit(&evidence.unit), limit.source));
        let name = Cell { text: evidence.name.clone().into(), value: None };
        table.rows.push(vec![name, plain(value), plain(limit.unwrap_or_default())]);
    }
    let title = format!("The arithmetic, {}", counted(evidence.len(), "number"));
    Fold { id: String::new(), title, blocks: vec![Block::Table(table)] }
}

/// Where a rule and its advice come from.
pub(super) fn references(references: &[String]) -> Fold {
    if references.is_empty() {
        return Fold::default();
    }
    let items = references.iter().map(|reference| linked(reference)).collect();
    Fold { id: String::new(), title: counted(references.len(), "reference"), blocks: vec![Block::List(items)] }
}

/// What the policy wrote before and after the onset, beside each other.
pub(super) fn samples(diagnosis: &Diagnosis, finding: &Finding, is_root: bool) -> Vec<Block> {
    let is_its = |samples: &&Samples| {
        diagnosis.findings.get(samples.finding as usize).is_some_and(|told| std::ptr::eq(told, finding))
    };
    let Some(samples) = diagnosis.samples.iter().find(is_its) else { return Vec::new() };
    vec![heading("What the policy wrote", is_root), Block::Table(completions(samples))]
}

fn heading(text: &str, is_root: bool) -> Block {
    Block::Heading { level: if is_root { 3 } else { 4 }, text: text.to_owned() }
}

fn text(text: impl Into<String>) -> Span {
    Span::Text(text.into())
}

/// A cell with a text as it is, backticks included.
fn plain(said: String) -> Cell {
    Cell { text: if said.is_empty() { Vec::new() } else { vec![Span::Text(said)] }, value: None }
}

fn trend(finding: &Finding) -> Block {
    let mut table = Table::new("", &["metric", "#first", "#middle", "#last", "#slope / 100 steps"]);
    for trend in &finding.trend {
        let [first, mid, last, slope] = [trend.first, trend.mid, trend.last, trend.slope].map(number);
        let sign = if trend.slope > 0.0 { "+" } else { "" };
        table.rows.push([trend.metric.clone(), first, mid, last, format!("{sign}{slope}")].map(plain).into());
    }
    Block::Table(table)
}

fn cause(cause: &Cause) -> Vec<Span> {
    let value = redact_setting(&cause.config, &cause.value);
    vec![Span::Key(cause.config.clone()), text(format!(" {value}")), Span::Note(cause.why.redacted().to_string())]
}

fn action(action: &Action) -> Vec<Span> {
    let mut said: Vec<Span> = match &action.kind {
        ActionKind::Do(change) => change.redacted().into(),
        ActionKind::Set { setting, from, to } => {
            let (name, key) = match setting {
                SettingName::Key(key) => (Span::Setting(key.clone()), key.as_str()),
                SettingName::Words(words) => (text(words.as_str()), ""),
            };
            let value = |value: &str| redact_setting(key, value);
            let from = from.as_ref().map_or_else(String::new, |from| format!(" {}", value(from)));
            vec![name, text(format!("{from} → {}", value(to)))]
        }
    };
    let risk = if action.risk.is_empty() { String::new() } else { format!("risk: {}", action.risk) };
    let watch = if action.watch.is_empty() { String::new() } else { format!("watch {}", action.watch) };
    let note: Vec<&str> = [action.effect.as_str(), &risk, &watch].into_iter().filter(|part| !part.is_empty()).collect();
    if !note.is_empty() {
        said.push(Span::Note(note.join("; ")));
    }
    said
}

/// A reference with its web address, if it has one, as a link.
fn linked(reference: &str) -> Vec<Span> {
    let start = reference.find("https://").unwrap_or(reference.len());
    let (before, rest) = reference.split_at_checked(start).unwrap_or((reference, ""));
    let length = rest.find([' ', ')', ',', ';']).unwrap_or(rest.len());
    let (address, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
    let link = Span::Link(address.trim_start_matches("https://").to_owned(), address.to_owned());
    let mut said = vec![text(before), link, text(after)];
    said.retain(|span| !matches!(span, Span::Text(words) | Span::Link(words, _) if words.is_empty()));
    said
}

/// What changed, then the texts of both sides beside each other.
fn completions(samples: &Samples) -> Table {
    let head = |word: &str, shown: &Side| format!("{word}: {}", side(shown));
    let mut table = Table::new("", &["", &head("before", &samples.before), &head("after", &samples.after)]);
    table.rows.extend(changes(samples).into_iter().map(|row| row.map(plain).into()));
    let text = |side: &Side, place: usize| {
        side.shown.get(place).map_or_else(String::new, |excerpt| {
            let prompt = asked(excerpt);
            let asked = if prompt.is_empty() { String::new() } else { format!("\n\nasked: {prompt}") };
            format!("{}{asked}\n\n{}", about(excerpt), excerpt_text(excerpt))
        })
    };
    for place in 0..samples.before.shown.len().max(samples.after.shown.len()) {
        let row = [format!("completion {}", place + 1), text(&samples.before, place), text(&samples.after, place)];
        table.rows.push(row.map(plain).into());
    }
    table
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
        let table = completions(&Samples {
            finding: 0,
            before: side(vec![excerpt(8.0, "<b> `x")]),
            after: side(vec![excerpt(9.0, "###"), excerpt(12.0, "####")]),
            measures: Vec::new(),
            phrases: Vec::new(),
        });
        assert_eq!(table.columns[1].name, "before: steps 1 to 8, 9 completions");
        assert_eq!(table.rows[0][0], plain("completion 1".to_owned()));
        let said = "step 8 · 3 characters · reward 0.5\n\nasked: 1+1=\n\n<b> `x";
        assert_eq!(table.rows[0][1], plain(said.to_owned()));
        assert_eq!((&table.rows[1][1], table.rows.len()), (&Cell::default(), 2));
    }

    #[test]
    fn addresses_in_references_are_links() {
        let link = Span::Link("b.c/d".to_owned(), "https://b.c/d".to_owned());
        assert_eq!(linked("A (https://b.c/d), 2"), [text("A ("), link.clone(), text("), 2")]);
        assert_eq!(linked("https://b.c/d"), [link]);
        assert_eq!(linked("none"), [text("none")]);
    }
}

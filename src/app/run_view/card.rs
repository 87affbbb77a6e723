//! A finding as a card: what happened, the arithmetic, why, what to try, and what would prove it wrong.

use super::spans;
use super::timeline::{card_id, when};
use crate::app::chart::{Shading, evidence_chart};
use crate::app::dom::{El, Part, a, article, code, details, div, h2, h3, h4, li, ol, p, span, summary, together, ul};
use crate::app::store::Store;
use crate::app::table::Rows;
use crate::app::{mark, text};
use crate::engine::messages::{ActionRow, FindingCard, RunView};
use crate::plot::digits;

/// The card of a root cause, its consequences folded in.
pub fn root(store: Store, view: &RunView, index: usize, consequences: &[usize]) -> Option<El> {
    let finding = view.findings.get(index)?;
    let card = card(store, view, index, finding, true);
    if consequences.is_empty() {
        return Some(card);
    }
    let mut title = text::count(consequences.len(), "consequence", "consequences");
    let mut cards = details().class("consequences");
    let mut folded = Vec::new();
    for index in consequences {
        let finding = view.findings.get(*index)?;
        title.push_str(if folded.is_empty() { ": " } else { ", " });
        title.push_str(&lower(&finding.name));
        folded.push(self::card(store, view, *index, finding, false));
    }
    cards.push((summary().child(title), folded));
    Some(card.child(cards))
}

/// Makes a heading within a card: its level depends on that of the card.
type Heading = fn(&'static str) -> El;

fn card(store: Store, view: &RunView, index: usize, finding: &FindingCard, is_root: bool) -> El {
    let title_id = format!("{}-title", card_id(index));
    let (title, sub): (El, Heading) = match is_root {
        true => (h2(), |words| h3().class("sub").child(words)),
        false => (h3(), |words| h4().class("sub").child(words)),
    };
    let title =
        title.id(title_id.clone()).child((mark::severity(finding.severity), span().child(finding.name.as_str())));
    article()
        .class(format!("panel card {}", mark::severity_class(finding.severity)))
        .id(card_id(index))
        .attr("tabindex", "-1")
        .attr("aria-labelledby", title_id)
        .attr("data-code", finding.code.clone())
        .child((
            div().class("told").child((
                div().class("card-head").child((title, span().class("muted").child(beside_title(view, finding)))),
                p().child((finding.title.as_str(), " ", spans(&finding.detail))),
                trend(finding),
                causes(finding, sub),
                actions(finding, sub),
                paragraph(sub("Competing explanation"), &finding.alternative),
                paragraph(sub("Would refute it"), &finding.refute),
                references(finding),
            )),
            div().class("shown").child((chart(store, view, finding), arithmetic(finding))),
            samples(finding, sub),
        ))
}

fn beside_title(view: &RunView, finding: &FindingCard) -> String {
    let cause = finding.explained_by.and_then(|cause| view.findings.get(cause as usize));
    let last = match cause {
        Some(cause) => format!("explained by {}", lower(&cause.name)),
        None => format!("confidence {}", digits(finding.confidence, 2)),
    };
    format!("{} · {last}", when(view, finding))
}

fn chart(store: Store, view: &RunView, finding: &FindingCard) -> Option<El> {
    if finding.chart.is_empty() {
        return None;
    }
    let shade = Shading { onset: finding.onset, end: finding.end, severity: finding.severity };
    Some(evidence_chart(store, view.run, finding.chart.clone(), shade))
}

fn trend(finding: &FindingCard) -> Option<Part> {
    let mut table = Rows::new("grid small trend", &[false, true, true, true, true]);
    table.head(["metric", "first", "middle", "last", "slope / 100 steps"]);
    for row in &finding.trend {
        table.row(row.iter().map(String::as_str));
    }
    (!finding.trend.is_empty()).then(|| table.view())
}

fn arithmetic(finding: &FindingCard) -> Option<El> {
    let mut table = Rows::new("grid small", &[false, true]);
    table.head(["number", "value", "compared with"]);
    for row in &finding.evidence {
        table.row(row.iter().map(String::as_str));
    }
    let title = format!("The arithmetic, {}", text::count(finding.evidence.len(), "number", "numbers"));
    (!finding.evidence.is_empty())
        .then(|| details().class("arithmetic").attr("open", "").child((summary().child(title), table.view())))
}

fn causes(finding: &FindingCard, sub: Heading) -> Option<(El, El)> {
    let row = |[key, value, why]: &[String; 3]| {
        li().child((code().child(key.as_str()), " ", value.as_str(), p().class("muted").child(why.as_str())))
    };
    (!finding.causes.is_empty()).then(|| (sub("Likely causes"), ul().class("causes").each(&finding.causes, row)))
}

fn actions(finding: &FindingCard, sub: Heading) -> Option<(El, El)> {
    let row = |action: &ActionRow| {
        let note = (!action.note.is_empty()).then(|| p().class("muted").child(action.note.as_str()));
        li().child((change(action), note))
    };
    (!finding.actions.is_empty()).then(|| (sub("Try"), ol().class("actions").each(&finding.actions, row)))
}

/// What the policy wrote before and after the onset, side by side; the texts of the model are text.
fn samples(finding: &FindingCard, sub: Heading) -> Option<El> {
    let (head, rows) = finding.samples.split_first()?;
    let mut table = Rows::new("grid small", &[]);
    table.head(head.iter().map(String::as_str));
    for row in rows {
        table.row(row.iter().map(String::as_str));
    }
    Some(div().class("samples").child((sub("What the policy wrote"), table.view())))
}

fn change(action: &ActionRow) -> Part {
    let values = match (action.from.as_str(), action.to.as_str()) {
        ("", "") => return together(action.change.as_str()),
        ("", to) => format!(" → {to}"),
        (from, "") => format!(" {from}"),
        (from, to) => format!(" {from} → {to}"),
    };
    together((code().child(action.change.as_str()), values))
}

fn paragraph(title: El, text: &str) -> Option<(El, El)> {
    (!text.is_empty()).then(|| (title, p().class("muted").child(text)))
}

fn references(finding: &FindingCard) -> Option<El> {
    let title = text::count(finding.references.len(), "reference", "references");
    let rows = |reference: &String| li().child(linked(reference));
    (!finding.references.is_empty())
        .then(|| details().class("references").child((summary().child(title), ul().each(&finding.references, rows))))
}

/// A reference with its web address, if it has one, as a link.
fn linked(reference: &str) -> Part {
    let Some(start) = reference.find("https://") else { return together(reference) };
    let (before, rest) = reference.split_at_checked(start).unwrap_or((reference, ""));
    let length = rest.find([' ', ')', ',', ';']).unwrap_or(rest.len());
    let (address, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
    let link = a()
        .attr("href", address)
        .attr("target", "_blank")
        .attr("rel", "noopener noreferrer")
        .child(address.trim_start_matches("https://"));
    together((before, link, after))
}

/// A name in the middle of a sentence: `KL blow-up` keeps its capitals, `Reward hacking` does not.
fn lower(name: &str) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_ascii_lowercase() => {
            [first.to_ascii_lowercase(), second].into_iter().chain(letters).collect()
        }
        _ => name.to_owned(),
    }
}

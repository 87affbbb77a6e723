//! A finding as a card: what happened, the evidence, why, what to try, and what would refute it.

use super::appendix::fold;
use super::timeline::{card_id, when};
use crate::app::blocks::{Tables, blocks};
use crate::app::chart::{Shading, evidence_chart};
use crate::app::dom::{El, article, details, div, h2, h3, span, summary};
use crate::app::mark;
use crate::app::store::Store;
use crate::format::counted;
use crate::protocol::{FindingCard, RunView};

/// The card of a root cause, its consequences folded in.
pub fn root(store: Store, view: &RunView, index: usize, consequences: &[usize]) -> Option<El> {
    let finding = view.findings.get(index)?;
    let card = card(store, view, index, finding, h2());
    if consequences.is_empty() {
        return Some(card);
    }
    let mut title = counted(consequences.len(), "consequence");
    let mut between = ": ";
    let mut folded = div();
    for index in consequences {
        let finding = view.findings.get(*index)?;
        title.push_str(between);
        title.push_str(&finding.phrase);
        between = ", ";
        folded.push(self::card(store, view, *index, finding, h3()));
    }
    Some(card.child(details().class("consequences").child((summary().child(title), folded))))
}

/// A card under a heading of its level.
fn card(store: Store, view: &RunView, index: usize, finding: &FindingCard, title: El) -> El {
    let id = card_id(index);
    let mut title_id = id.clone();
    title_id.push_str("-title");
    let mut beside = when(view, finding);
    beside.push_str(" · ");
    beside.push_str(&finding.standing);
    let severity = mark::severity(finding.severity);
    let head = (
        title.id(&title_id).child((severity, span().child(finding.name.as_str()))),
        span().class("muted").child(beside),
    );
    let mut class = "panel card ".to_owned();
    class.push_str(mark::severity_class(finding.severity));
    let evidence = fold(&finding.evidence, "evidence").map(|fold| fold.attr("open", ""));
    let samples = &finding.samples;
    article()
        .class(class)
        .id(id)
        .attr("tabindex", "-1")
        .attr("aria-labelledby", title_id)
        .attr("data-code", &finding.code)
        .child((
            div().class("finding-text").child((
                div().class("card-head").child(head),
                blocks(&finding.body, Tables::Still),
                fold(&finding.references, "references"),
            )),
            div().class("shown").child((chart(store, view, finding), evidence)),
            (!samples.is_empty()).then(|| div().class("samples").child(blocks(samples, Tables::Still))),
        ))
}

fn chart(store: Store, view: &RunView, finding: &FindingCard) -> Option<El> {
    if finding.chart.is_empty() {
        return None;
    }
    let shade = Shading { onset: finding.onset, end: finding.end, severity: finding.severity };
    Some(evidence_chart(store, view.run, finding.chart.clone(), shade))
}

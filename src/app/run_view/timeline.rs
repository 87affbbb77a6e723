//! The incident timeline: one lane per group over the steps, a bar from onset to end for each finding.

use web_sys::HtmlElement;

use super::lanes::{BarLabel, TimelineBar, place, share, ticks};
use crate::app::dom::{Part, by_id, command, div, h2, section, span};
use crate::app::mark;
use crate::format::number;
use crate::protocol::{FindingCard, RunView, SeverityMark};

/// The timeline of a run.
pub fn timeline(view: &RunView) -> Part {
    let lanes = view.lanes.iter().enumerate();
    let tick = |(step, at): (f64, f64)| span().class("tick").style("left", percent(at)).child(number(step));
    section()
        .class("panel timeline")
        .attr("aria-labelledby", "timeline-title")
        .child((
            div().class("card-head").child((
                h2().id("timeline-title").child("Incidents over training"),
                (!view.step_key.is_empty()).then(|| {
                    span().class("muted").attr("title", view.step_why.clone()).child(format!("by {}", view.step_key))
                }),
            )),
            div().class("lanes").child(root_rule(view)).each(lanes, |(index, name)| lane(view, index, name)),
            div().class("axis").child((
                span().class("lane-name").child("step"),
                div().class("track").attr("aria-hidden", "true").each(ticks(view.steps, 8), tick),
            )),
        ))
        .view()
}

/// Id of a finding's card.
pub fn card_id(index: usize) -> String {
    format!("finding-{index}")
}

/// Opens whatever an element is folded in, scrolls to it and focuses it.
pub fn reveal(id: &str) {
    let Some(element) = by_id::<HtmlElement>(id) else { return };
    let mut around = element.closest("details").ok().flatten();
    while let Some(details) = around {
        let _ = details.set_attribute("open", "");
        around = details.parent_element().and_then(|parent| parent.closest("details").ok().flatten());
    }
    element.scroll_into_view();
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
}

fn lane(view: &RunView, index: usize, name: &str) -> Part {
    let spans: Vec<(usize, f64, f64)> = view
        .findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| finding.lane as usize == index)
        .map(|(number, finding)| (number, finding.onset, finding.end))
        .collect();
    let bars = place(&spans, view.steps);
    let rows = bars.iter().map(|bar| bar.row + 1).max().unwrap_or(1);
    let class = if bars.is_empty() { "lane quiet" } else { "lane" };
    let drawn = |bar: &TimelineBar| view.findings.get(bar.finding).map(|finding| draw(view, bar, finding));
    div()
        .class(class)
        .style("--rows", rows.to_string())
        .child((span().class("lane-name").child(name.to_owned()), div().class("track").each(&bars, drawn)))
        .view()
}

fn draw(view: &RunView, bar: &TimelineBar, finding: &FindingCard) -> Part {
    let place = match bar.label {
        BarLabel::Inside => "inside",
        BarLabel::After => "after",
        BarLabel::Before => "before",
    };
    let id = card_id(bar.finding);
    let wording = format!("{}, {}, {}", finding.name, mark::severity_word(finding.severity), when(view, finding));
    command(span().child(finding.name.clone()), move || reveal(&id))
        .class(format!("bar {} {place}", mark::severity_class(finding.severity)))
        .attr("data-code", finding.code.clone())
        .attr("aria-label", wording)
        .attr("title", finding.title.clone())
        .style("left", percent(bar.left))
        .style("width", percent(bar.width))
        .style("--row", bar.row.to_string())
        .view()
}

/// Where the first root cause began, as a rule through all lanes.
fn root_rule(view: &RunView) -> Option<Part> {
    let root = view.findings.first().filter(|root| root.severity > SeverityMark::Note && root.onset.is_finite())?;
    let rule = div().class("rule").style("left", percent(share(root.onset, view.steps)));
    Some(div().class("lane over").attr("aria-hidden", "true").child(div().class("track").child(rule)).view())
}

/// When a finding holds, in words.
pub fn when(view: &RunView, finding: &FindingCard) -> String {
    let (onset, end) = (finding.onset, finding.end);
    if onset.is_nan() {
        return "whole run".to_owned();
    }
    if end <= onset {
        return format!("at step {}", number(onset));
    }
    // It lasts to the end of the run, or has no end.
    if end.is_nan() || end >= view.steps.1 {
        return format!("from step {}", number(onset));
    }
    format!("steps {} to {}", number(onset), number(end))
}

fn percent(share: f64) -> String {
    format!("{:.3}%", share * 100.0)
}

//! The incident timeline: one lane per group over the steps, a bar from onset to end for each finding. Dragging across
//! it zooms the charts of the view.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;

use super::brush::Brush;
use super::lanes::{BarLabel, TimelineBar, arrange, card_id, share, ticks};
use crate::app::browser::elements::reveal;
use crate::app::chart::ChartGroup;
use crate::app::content::mark::severity_class;
use rundown_format::number;
use rundown_protocol::{RunView, SeverityMark};

/// The timeline of a run, or the sentence that there is nothing on it.
#[component]
pub fn Timeline(view: Arc<RunView>, charts: ChartGroup) -> impl IntoView {
    if view.findings.is_empty() {
        return view! { <p class="panel no-incident">{nothing(&view)}</p> }.into_any();
    }
    let track = NodeRef::<Div>::new();
    let brush = Brush::new(track, view.steps, charts);
    let by = (!view.step_key.is_empty()).then(|| {
        view! { <span class="muted" title=view.step_why.clone()>{format!("by {}", view.step_key)}</span> }
    });
    let has_bars = |lane: &usize| view.findings.iter().any(|finding| finding.lane as usize == *lane);
    let lanes = (0..view.lanes.len()).filter(has_bars).map(|lane| view! { <Lane view=Arc::clone(&view) lane brush /> });
    let lanes = lanes.collect_view();
    let tick = |(step, at): (f64, f64)| view! { <span class="tick" style:left=percent(at)>{number(step)}</span> };
    let ticks = ticks(view.steps, 8).into_iter().map(tick).collect_view();
    view! {
        <section class="panel timeline" aria-labelledby="timeline-title">
            <div class="card-head">
                <h2 id="timeline-title">"Incidents over training"</h2>
                {by}
                <span class="muted hint">"Drag across to zoom the charts"</span>
                <Show when=move || charts.visible().is_some()>
                    <button class="link" on:click=move |_| charts.show(None)>"Show all steps"</button>
                </Show>
            </div>
            <div
                class="lanes"
                on:pointerdown=move |event| brush.begin(&event)
                on:pointermove=move |event| brush.drag(&event)
                on:pointerup=move |_| brush.finish()
                on:pointercancel=move |_| brush.cancel()
                on:dblclick=move |_| charts.show(None)
            >
                <div class="lane over" aria-hidden="true">
                    <div class="track">{root_rule(&view)}{move || brush.band().map(band)}</div>
                </div>
                {lanes}
            </div>
            <div class="axis">
                <span class="lane-name">"step"</span>
                <div class="track" aria-hidden="true" node_ref=track>{ticks}</div>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Lane(view: Arc<RunView>, lane: usize, brush: Brush) -> impl IntoView {
    let findings = view.findings.iter().enumerate().filter(|(_, finding)| finding.lane as usize == lane);
    let spans: Vec<_> = findings.map(|(number, finding)| (number, finding.onset, finding.end)).collect();
    let bars = arrange(&spans, view.steps);
    let rows = bars.iter().map(|bar| bar.row + 1).max().unwrap_or(1);
    let name = view.lanes.get(lane).cloned().unwrap_or_default();
    let bars = bars.iter().map(|bar| draw(&view, bar, brush)).collect_view();
    view! {
        <div class="lane" style=("--rows", rows.to_string())>
            <span class="lane-name">{name}</span>
            <div class="track">{bars}</div>
        </div>
    }
}

fn draw(view: &RunView, bar: &TimelineBar, brush: Brush) -> Option<impl IntoView + use<>> {
    let finding = view.findings.get(bar.finding)?;
    let label = match bar.label {
        BarLabel::Inside => "inside",
        BarLabel::After => "after",
        BarLabel::Before => "before",
    };
    let (name, title) = (finding.name.clone(), finding.title.clone());
    let wording = format!("{name}, {}, {}", finding.severity.word(), finding.when);
    let index = bar.finding;
    let show = move |_| {
        if !brush.was_dragged() {
            reveal(&card_id(index));
        }
    };
    Some(view! {
        <button
            class=format!("bar {} {label}", severity_class(finding.severity))
            data-code=finding.code.clone()
            aria-label=wording
            title=title
            style:left=percent(bar.left)
            style:width=percent(bar.width)
            style=("--row", bar.row.to_string())
            on:click=show
        >
            <span>{name}</span>
        </button>
    })
}

/// Where the first root cause began, as a rule through all lanes.
fn root_rule(view: &RunView) -> Option<impl IntoView + use<>> {
    let root = view.findings.first().filter(|root| root.severity > SeverityMark::Note)?;
    let left = percent(share(root.onset?, view.steps));
    Some(view! { <div class="rule" style:left=left></div> })
}

/// The steps that the charts show.
fn band((from, to): (f64, f64)) -> impl IntoView {
    view! { <div class="band" style:left=percent(from) style:width=percent(to - from)></div> }
}

fn nothing(view: &RunView) -> String {
    match view.steps {
        Some((from, to)) if to > from => format!("No incident from step {} to {}.", number(from), number(to)),
        _ => "No incident.".to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.3}%", share * 100.0)
}

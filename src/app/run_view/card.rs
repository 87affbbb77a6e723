//! A finding as a card: what happened, what to try, the evidence, why, and what would refute it.

use std::sync::Arc;

use leptos::prelude::*;

use super::appendix::FoldView;
use super::card_text::card_markdown;
use super::lanes::card_id;
use crate::app::browser::elements::reveal;
use crate::app::chart::{ChartGroup, EvidenceChart, Shading};
use crate::app::content::mark::{Severity, severity_class};
use crate::app::content::{Blocks, Inline};
use crate::app::state::AppState;
use rundown_format::counted;
use rundown_protocol::{FindingCard, RunView};

/// The card of a root cause, its consequences folded in.
#[component]
pub fn RootCard(view: Arc<RunView>, charts: ChartGroup, root: usize, consequences: Vec<usize>) -> impl IntoView {
    let phrases = consequences.iter().filter_map(|index| Some(view.findings.get(*index)?.phrase.as_str()));
    let phrases: Vec<&str> = phrases.collect();
    let title = format!("{}: {}", counted(consequences.len(), "consequence"), phrases.join(", "));
    let folded = (!consequences.is_empty()).then(|| {
        let cards = consequences.into_iter().map(|index| card(&view, charts, index, false, None)).collect_view();
        view! {
            <details class="consequences">
                <summary>{title}</summary>
                <div>{cards}</div>
            </details>
        }
        .into_any()
    });
    card(&view, charts, root, true, folded)
}

fn card(view: &RunView, charts: ChartGroup, index: usize, is_root: bool, folded: Option<AnyView>) -> Option<AnyView> {
    let finding = view.findings.get(index)?;
    let id = card_id(index);
    let title_id = format!("{id}-title");
    let class = format!("panel card {}", severity_class(finding.severity));
    let text = view! {
        <div class="card-head">
            {title(finding, title_id.clone(), is_root)}
            {standing(finding)}
            {copy(view, finding)}
        </div>
        <Blocks blocks=finding.body.clone() />
        {advice(finding, is_root)}
        <Blocks blocks=finding.reasons.clone() />
        <FoldView fold=finding.references.clone() class="references" />
    };
    let samples = (!finding.samples.is_empty())
        .then(|| view! { <div class="samples"><Blocks blocks=finding.samples.clone() /></div> });
    let shown = view! {
        <div class="shown">
            {chart(view, charts, finding)}
            <FoldView fold=finding.evidence.clone() class="evidence" />
            {samples}
        </div>
    };
    let card = view! {
        <article class=class id=id tabindex="-1" aria-labelledby=title_id data-code=finding.code.clone()>
            <div class="finding-text">{text}</div>
            {shown}
            {folded}
        </article>
    };
    Some(card.into_any())
}

/// The name of the finding; a consequence stands one level below its cause.
fn title(finding: &FindingCard, id: String, is_root: bool) -> AnyView {
    let name = finding.name.clone();
    let words = view! {
        <Severity severity=finding.severity />
        <span>{name}</span>
    };
    if is_root { view! { <h2 id=id>{words}</h2> }.into_any() } else { view! { <h3 id=id>{words}</h3> }.into_any() }
}

/// When it holds and how sure it is, or what explains it, which leads there.
fn standing(finding: &FindingCard) -> impl IntoView + use<> {
    let when = format!("{} · ", finding.when);
    let standing = finding.standing.clone();
    let standing = match finding.explained_by {
        Some(cause) => {
            let show = move |_| reveal(&card_id(cause as usize));
            view! { <button class="link" on:click=show>{standing}</button> }.into_any()
        }
        None => standing.into_any(),
    };
    view! { <span class="muted">{when}{standing}</span> }
}

fn copy(view: &RunView, finding: &FindingCard) -> impl IntoView + use<> {
    let app = AppState::of_page();
    let (run, finding) = (view.run, finding.clone());
    let label = format!("Copy the finding {} as Markdown", finding.phrase);
    let copy = move |_| app.copy(card_markdown(&untrack(|| app.runs.name(run)), &finding));
    view! { <button class="copy" aria-label=label on:click=copy>"Copy"</button> }
}

/// What to try.
fn advice(finding: &FindingCard, is_root: bool) -> Option<impl IntoView + use<>> {
    let heading = || if is_root { view! { <h3>"Try"</h3> }.into_any() } else { view! { <h4>"Try"</h4> }.into_any() };
    let item = |spans| view! { <li><Inline spans links_metrics=true /></li> };
    (!finding.actions.is_empty()).then(|| {
        let items = finding.actions.iter().cloned().map(item).collect_view();
        view! { <div class="blocks try">{heading()}<ol>{items}</ol></div> }
    })
}

fn chart(view: &RunView, charts: ChartGroup, finding: &FindingCard) -> Option<impl IntoView + use<>> {
    let (end, severity) = (finding.end, finding.severity);
    let shade = finding.onset.map(|onset| Shading { onset, end, severity });
    let (run, keys) = (view.run, finding.chart.clone());
    (!keys.is_empty()).then(|| view! { <EvidenceChart run keys shade group=charts /> })
}

//! The Run view: verdict in a sentence, what to try, incidents, then findings; text left, evidence right.

mod appendix;
mod brush;
mod candidates;
mod card;
mod card_text;
mod first_actions;
mod lanes;
mod summary;
mod timeline;
mod verdict;
mod verdict_reasons;

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::browser::timing::in_next_task;
use crate::app::chart::ChartGroup;
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_protocol::{Request, RunView, encode};

use appendix::Appendix;
use candidates::Candidates;
use card::RootCard;
use timeline::Timeline;
use verdict::VerdictHead;
use verdict_reasons::VerdictReasons;

/// What the engine says of the open run, or why it says nothing; `None` before the first answer.
type RunAnswer = Option<Result<Arc<RunView>, String>>;

/// Everything about the open run.
#[component]
pub fn OpenRunView() -> impl IntoView {
    let app = AppState::of_page();
    let last_steps = app.address.part(|state| state.last_steps);
    let question = move || {
        app.runs.revision.track();
        Request::OpenRun { run: app.runs.open_number(), last_steps: last_steps.get() }
    };
    let reply = answered::<RunView>(app.engine, question);
    // A run that is followed is asked for again and again: what says the same stays, with its folds as they are.
    let answer = Memo::new_with_compare(move |_| reply.get(), is_other);
    let notice = move || match answer.get() {
        None => Some(view! { <p class="muted" role="status">"Loading the run…"</p> }.into_any()),
        Some(Err(error)) => {
            Some(view! { <p class="banner">{format!("This run can't be shown: {error}")}</p> }.into_any())
        }
        Some(Ok(_)) => None,
    };
    let run = Memo::new(move |_| match answer.get() {
        Some(Ok(view)) => Some(view.run),
        _ => None,
    });
    view! {
        {move || notice()}
        // Another run begins anew: nothing of it is unfolded, and its charts show all steps.
        <For each=move || run.get() key=|run| *run children=move |run| view! { <OneRun run answer /> } />
    }
}

/// One run, for as long as it is open.
#[component]
fn OneRun(run: u32, answer: Memo<RunAnswer>) -> impl IntoView {
    let charts =
        ChartGroup::with_window(AppState::of_page(), |state| state.steps, |state, window| state.steps = window);
    // What is answered about another run is not for this one, which is about to go.
    let view = Memo::new_with_compare(
        move |before: Option<&Option<Arc<RunView>>>| match answer.get() {
            Some(Ok(view)) if view.run == run => Some(view),
            _ => before.cloned().flatten(),
        },
        |old, new| match (old, new) {
            (Some(Some(old)), Some(Some(new))) => !Arc::ptr_eq(old, new),
            _ => true,
        },
    );
    let (has_head, has_findings) = (in_next_task(), in_next_task());
    move || view.get().map(|view| view! { <RunPage view charts has_head has_findings /> })
}

/// The view of a made-up run, for a page that warms up.
#[component]
pub fn MadeUpRun(view: Arc<RunView>) -> impl IntoView {
    let (is_there, _) = signal(true);
    view! { <RunPage view charts=ChartGroup::new() has_head=is_there has_findings=is_there /> }
}

/// What is above the findings, then them, then what is below: of a run that is opened each comes a task after the one before.
#[component]
fn RunPage(
    view: Arc<RunView>,
    charts: ChartGroup,
    has_head: ReadSignal<bool>,
    has_findings: ReadSignal<bool>,
) -> impl IntoView {
    let (findings, folds) = (Arc::clone(&view), view.appendix.clone());
    view! {
        <div class="run-view" data-run=view.run.to_string()>
            <VerdictHead view=Arc::clone(&view) />
            <Candidates view=Arc::clone(&view) />
            <Timeline view=Arc::clone(&view) charts />
            <VerdictReasons view=Arc::clone(&view) charts />
            {move || has_head.get().then(|| view! { <Findings view=Arc::clone(&findings) charts /> })}
            {move || has_findings.get().then(|| view! { <Appendix folds=folds.clone() /> })}
        </div>
    }
}

/// The findings, each with what it explains.
#[component]
fn Findings(view: Arc<RunView>, charts: ChartGroup) -> impl IntoView {
    let explained_by: Vec<Option<u32>> = view.findings.iter().map(|finding| finding.explained_by).collect();
    let cards = lanes::by_root(&explained_by).into_iter().map(|(root, consequences)| {
        let view = Arc::clone(&view);
        view! { <RootCard view charts root consequences /> }
    });
    view! { <section class="findings" aria-label="Findings">{cards.collect_view()}</section> }
}

/// Compared as they are sent: a step that is no number equals itself there.
fn is_other(old: Option<&RunAnswer>, new: Option<&RunAnswer>) -> bool {
    match (old, new) {
        (Some(Some(Ok(old))), Some(Some(Ok(new)))) => !Arc::ptr_eq(old, new) && encode(&**old) != encode(&**new),
        (Some(Some(Err(old))), Some(Some(Err(new)))) => old != new,
        (Some(None), Some(None)) => false,
        _ => true,
    }
}

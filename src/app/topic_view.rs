//! Views over all runs: the engine says what there is to say, as blocks, and what can be chosen.

use std::sync::Arc;

use leptos::children::ViewFn;
use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_resize_observer::use_resize_observer;

use crate::app::content::{Blocks, Menu, Tables};
use crate::app::engine::question::answered;
use crate::app::state::{AppState, View};
use rundown_protocol::{Choice, ProjectRequest, ProjectView, Request, Topic};

/// Widths that drawings are made for, in CSS pixels: a drag of the window's edge asks once for each.
const WIDTHS: (u32, u32, u32) = (320, 1_600, 40);
/// What the frame around a drawing takes of the width, and a scroll bar that comes with what is drawn.
const FRAME: i32 = 38 + 17;
/// Smallest change of the width that counts: a scroll bar must not make drawings come and go.
const MIN_CHANGE: u32 = 24;

/// A view over all runs.
#[component]
pub fn TopicView(
    /// What it is about.
    topic: Topic,
) -> impl IntoView {
    view! {
        <div class="topic-view" data-topic=View::Topic(topic).slug()>
            <h1>{View::Topic(topic).label()}</h1>
            <TopicBlocks topic />
        </div>
    }
}

/// What can be chosen in a view over all runs, and what it says, as wide as there is room.
#[component]
pub fn TopicBlocks(
    /// What it is about.
    topic: Topic,
    /// What stands between the two.
    #[prop(optional)]
    children: Option<ChildrenFn>,
    /// What stands below the blocks once the engine has answered.
    #[prop(optional, into)]
    after: ViewFn,
) -> impl IntoView {
    let app = AppState::of_page();
    let container = NodeRef::<Div>::new();
    let measured = RwSignal::new(None::<i32>);
    let _ = use_resize_observer(container, move |_, _| {
        let (Some(Some(element)), Some(before)) = (container.try_get_untracked(), measured.try_get_untracked()) else {
            return;
        };
        let now = element.client_width();
        if before.is_none_or(|before| before.abs_diff(now) >= MIN_CHANGE) {
            let _ = measured.try_set(Some(now));
        }
    });
    let width = Memo::new(move |_| drawing_width(measured.get().unwrap_or_default()));
    let is_measured = Memo::new(move |_| measured.get().is_some());
    // What can be set is the same for all runs.
    let is_none_left = Memo::new(move |_| topic != Topic::Settings && app.runs.none_listed());
    let content = move || {
        is_measured.get().then(|| {
            if is_none_left.get() {
                view! { <p class="muted" role="status">"No run matches the filter."</p> }.into_any()
            } else {
                view! { <TopicContent topic width between=children.clone() after=after.clone() /> }.into_any()
            }
        })
    };
    view! { <div class="topic-blocks" node_ref=container>{move || content()}</div> }
}

#[component]
fn TopicContent(topic: Topic, width: Memo<u32>, between: Option<ChildrenFn>, after: ViewFn) -> impl IntoView {
    let app = AppState::of_page();
    let chosen = app.address.part(move |state| state.chosen(topic));
    // What the list shows is compared.
    let question = move || {
        app.runs.revision.track();
        let (runs, chosen) = (app.runs.listed(), chosen.get());
        Request::OpenProject(ProjectRequest { topic, runs, chosen, width: width.get() })
    };
    let reply = answered::<ProjectView>(app.engine, question);
    let shown = Memo::new(move |_| match reply.get() {
        Some(Ok(view)) => view,
        _ => Arc::<ProjectView>::default(),
    });
    // Without the present value, so that a menu keeps the focus while its value changes.
    let menus = Memo::new(move |_| {
        let mut menus = shown.with(|shown| shown.choices.clone());
        menus.iter_mut().for_each(|menu| menu.value.clear());
        menus
    });
    let body = move || match reply.get() {
        None => view! { <p class="muted" role="status">"Comparing…"</p> }.into_any(),
        Some(Err(what)) => view! { <p class="banner">{what}</p> }.into_any(),
        Some(Ok(_)) => {
            let blocks = shown.with(|shown| shown.blocks.clone());
            view! { <article class="document"><Blocks blocks tables=Tables::Sorted /></article> }.into_any()
        }
    };
    let is_answered = Memo::new(move |before| before == Some(&true) || reply.with(Option::is_some));
    let menu = move |choice: Choice| view! { <ChoiceMenu topic choice shown /> };
    view! {
        <div class="choices">{move || menus.get().into_iter().map(menu).collect_view()}</div>
        {between.map(|between| between())}
        {move || body()}
        {move || is_answered.get().then(|| after.run())}
    }
}

#[component]
fn ChoiceMenu(topic: Topic, choice: Choice, shown: Memo<Arc<ProjectView>>) -> impl IntoView {
    let app = AppState::of_page();
    let name = choice.name.clone();
    let choose = move |value: String| app.address.choose(|state| state.choose(topic, &choice.name, value));
    let value = Signal::derive(move || {
        shown.with(|shown| {
            let choice = shown.choices.iter().find(|choice| choice.name == name);
            choice.map(|choice| choice.value.clone()).unwrap_or_default()
        })
    });
    view! {
        <label>
            {choice.label}
            " "
            <Menu options=choice.options value choose />
        </label>
    }
}

/// The width that drawings are asked for, in a place of this width.
fn drawing_width(container_width: i32) -> u32 {
    let (least, most, pace) = WIDTHS;
    let room = container_width.saturating_sub(FRAME).max(0).unsigned_abs();
    (room / pace * pace).clamp(least, most)
}

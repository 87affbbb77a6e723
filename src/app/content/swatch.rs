//! A run wherever it is named: a link to it that lights it on all charts, with the colour that it has there.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::highlight::highlight_on_hover;
use crate::app::state::run_colors::LineStyle;
use crate::app::state::{AppState, View, ViewState};

/// The colour and dash of a run as a short line; nothing for a run that is not shown.
#[component]
pub fn Swatch(
    /// How the run's lines are drawn.
    #[prop(into)]
    style: Signal<Option<LineStyle>>,
) -> impl IntoView {
    let line = |style: LineStyle| {
        let class = format!("swatch s{} dash-{}", style.hue, style.dash);
        view! { <svg class=class viewBox="0 0 16 10" aria-hidden="true"><path d="M1 5h14" /></svg> }
    };
    move || style.get().map(line)
}

/// The name of a run as a link to it. Pointing at it lights the run on all charts.
#[component]
pub fn RunLink(
    /// The engine's number of the run.
    run: u32,
    /// Its name.
    name: String,
) -> impl IntoView {
    let app = AppState::of_page();
    let name = if name.is_empty() { "without a name".to_owned() } else { name };
    let id = app.runs.id(run);
    let change = {
        let id = id.clone();
        move |state: &mut ViewState| {
            state.view = View::Run;
            state.run = Some(id.clone());
            state.enlarge(None);
        }
    };
    let href = {
        let change = change.clone();
        move || app.address.href(|state| change(state))
    };
    let follow = move |event: MouseEvent| app.address.follow_link(&event, |state| change(state));
    let style = Signal::derive(move || app.runs.style(run));
    view! {
        <a
            {..highlight_on_hover(app, run)}
            class="run-link"
            class:lit=move || app.runs.is_highlighted(run)
            href=href
            on:click=follow
        >
            <Swatch style />
            {name}
        </a>
    }
}

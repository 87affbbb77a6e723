//! The box before a run: its colour in the charts, or empty for a run that they do not draw.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::app::state::AppState;

/// The box. With Shift it shows everything from the last one to here, with Alt this run alone.
#[component]
pub fn ShowBox(
    /// The run.
    run: u32,
    /// Its name.
    #[prop(into)]
    name: Signal<String>,
    /// Whether the Tab key stops here: `0` or `-1`.
    #[prop(into)]
    tabindex: Signal<&'static str>,
) -> impl IntoView {
    let app = AppState::of_page();
    let style = Memo::new(move |_| app.runs.style(run));
    let class = move || match style.get() {
        Some(style) => format!("eye s{} dash-{}", style.hue, style.dash),
        None => "eye".to_owned(),
    };
    let click = move |event: MouseEvent| {
        change_shown(app, run, event.shift_key(), event.alt_key());
    };
    view! {
        <button
            type="button"
            class=move || class()
            role="checkbox"
            aria-checked=move || style.with(Option::is_some).to_string()
            aria-label=move || format!("Show {} in charts", name.get())
            title="Show in charts (Space). Shift+click: the range up to here; Alt+click: only this run"
            tabindex=tabindex
            on:click=click
        ></button>
    }
}

/// Shows or hides a run; with Shift everything up to it, with Alt it alone.
pub fn change_shown(app: AppState, run: u32, shift: bool, alt: bool) {
    if alt {
        app.isolate(run);
    } else if shift {
        app.show_range_to(run);
    } else {
        app.toggle_shown(run);
    }
}

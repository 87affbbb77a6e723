//! The card around a chart: its title, and what can be done with it.

use leptos::html::Button;
use leptos::prelude::*;

use super::frame::ChartFrame;
use super::menu::ChartMenu;
use super::model::ChartModel;
use super::pins::Pins;
use crate::app::state::AppState;

/// A chart with its title, pin and menu. `children` stand below the picture.
#[component]
pub fn ChartCard(
    /// The chart.
    chart: ChartModel,
    /// Key of the metric, or another name.
    name: String,
    /// What stands beside the name.
    #[prop(optional, into)]
    unit: Signal<String>,
    /// False for a chart of several metrics, which can be neither pinned nor enlarged.
    #[prop(default = true)]
    is_metric: bool,
    /// What stands below the picture.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let app = chart.app;
    let is_enlarged = enlarged(app, &name);
    let key = StoredValue::new(name.clone());
    let choose_y = move |window| {
        if is_enlarged.get_untracked() {
            app.address.choose(|state| state.charts.y_window = window);
        } else {
            chart.own.update(|own| own.y_window = window);
        }
    };
    let tools = is_metric.then(|| view! { <PinButton key /> <EnlargeButton key is_enlarged /> });
    let (title, text, of) = (name.clone(), name.clone(), name.clone());
    view! {
        <figure class="chart panel metric" data-key=name class:is-enlarged=move || is_enlarged.get()>
            <figcaption class="chart-head">
                <code class="chart-key" title=title><bdi>{text}</bdi></code>
                <span class="chart-unit">{move || unit.get()}</span>
                {tools}
                <ChartMenu chart name=of />
            </figcaption>
            <ChartFrame chart choose_y />
            {children.map(|children| children())}
        </figure>
    }
}

/// True while the chart of this metric has the whole width.
pub fn enlarged(app: AppState, key: &str) -> Memo<bool> {
    let key = key.to_owned();
    app.address.part(move |state| state.enlarged.as_ref() == Some(&key))
}

#[component]
fn PinButton(key: StoredValue<String>) -> impl IntoView {
    let pins = use_context::<Pins>().unwrap_or_else(Pins::remembered);
    let is_pinned = move || key.with_value(|key| pins.has(key));
    let words = move || if is_pinned() { "Unpin" } else { "Pin" };
    view! {
        <button
            type="button"
            class="chart-tool chart-pin"
            aria-pressed=move || if is_pinned() { "true" } else { "false" }
            aria-label=key.with_value(|key| format!("Pin {key}"))
            title=move || words()
            on:click=move |_| key.with_value(|key| pins.toggle(key))
        >
            {move || if is_pinned() { "★" } else { "☆" }}
        </button>
    }
}

#[component]
fn EnlargeButton(key: StoredValue<String>, is_enlarged: Memo<bool>) -> impl IntoView {
    let app = AppState::of_page();
    let button = NodeRef::<Button>::new();
    // A view may show the enlarged chart in another place: the focus goes with it.
    if is_enlarged.get_untracked() {
        Effect::new(move |_| {
            if let Some(button) = button.get() {
                let _ = button.focus();
            }
        });
    }
    let toggle = move || {
        let key = key.get_value();
        app.address.choose(|state| {
            let is_open = state.enlarged.as_ref() == Some(&key);
            state.enlarge((!is_open).then_some(key));
        });
    };
    let words = move || if is_enlarged.get() { "Back to all charts" } else { "Enlarge" };
    view! {
        <button
            type="button"
            class="chart-tool chart-enlarge"
            node_ref=button
            aria-pressed=move || if is_enlarged.get() { "true" } else { "false" }
            aria-label=key.with_value(|key| format!("Enlarge {key}"))
            title=move || words()
            on:click=move |_| toggle()
        >
            "⤢"
        </button>
    }
}

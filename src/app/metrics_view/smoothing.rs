//! How lines are smoothed, and how much.

use leptos::prelude::*;

use crate::app::content::Popup;
use crate::app::state::AppState;
use rundown_protocol::{Smoothing, SmoothingKind};

const KINDS: [(SmoothingKind, &str); 5] = [
    (SmoothingKind::None, "None"),
    (SmoothingKind::TimeWeightedEma, "Time-weighted EMA"),
    (SmoothingKind::Ema, "Exponential moving average"),
    (SmoothingKind::RunningMean, "Running mean"),
    (SmoothingKind::Gaussian, "Gaussian"),
];
/// What a first choice of a kind begins with.
const USUAL_WEIGHT: f64 = 0.9;
const MAX_WEIGHT: f64 = 0.99;

/// The menu of smoothing.
#[component]
pub fn SmoothingMenu() -> impl IntoView {
    let app = AppState::of_page();
    let now = app.address.part(|state| state.charts.smoothing);
    let words = move || match now.get() {
        smoothing if is_none(smoothing) => "Smoothing: none".to_owned(),
        smoothing => format!("Smoothing {:.2}", smoothing.weight),
    };
    view! {
        <Popup class="tool-menu" title="Smoothing" face=move || view! { {move || words()} <span aria-hidden="true">" ▾"</span> }>
            <Kinds now />
            <Weight now />
        </Popup>
    }
}

#[component]
fn Kinds(now: Memo<Smoothing>) -> impl IntoView {
    let app = AppState::of_page();
    let choose = move |kind| {
        let weight = Some(now.get_untracked().weight).filter(|weight| *weight > 0.0).unwrap_or(USUAL_WEIGHT);
        app.address.choose(|state| state.charts.smoothing = Smoothing { kind, weight });
    };
    let is_now = move |kind| match now.get() {
        smoothing if is_none(smoothing) => kind == SmoothingKind::None,
        smoothing => smoothing.kind == kind,
    };
    let kinds = KINDS.map(|(kind, words)| {
        view! {
            <label>
                <input type="radio" name="smoothing" prop:checked=move || is_now(kind) on:change=move |_| choose(kind) />
                {words}
            </label>
        }
    });
    view! { <fieldset><legend class="visually-hidden">"Kind"</legend>{kinds.into_iter().collect::<Vec<_>>()}</fieldset> }
}

/// The slider. What changes while it is dragged is one choice.
#[component]
fn Weight(now: Memo<Smoothing>) -> impl IntoView {
    let app = AppState::of_page();
    let before = StoredValue::new(None::<Smoothing>);
    let with = move |weight: f64| {
        let kind = match now.get_untracked().kind {
            SmoothingKind::None => SmoothingKind::TimeWeightedEma,
            kind => kind,
        };
        Smoothing { kind, weight: weight.clamp(0.0, MAX_WEIGHT) }
    };
    let slide = move |event| {
        let Ok(weight) = event_target_value(&event).parse() else { return };
        if before.get_value().is_none() {
            before.set_value(Some(now.get_untracked()));
        }
        app.address.adjust(|state| state.charts.smoothing = with(weight));
    };
    let release = move |_| {
        let Some(first) = before.get_value() else { return };
        before.set_value(None);
        let last = now.get_untracked();
        app.address.adjust(|state| state.charts.smoothing = first);
        app.address.choose(|state| state.charts.smoothing = last);
    };
    let weight = move || if is_none(now.get()) { 0.0 } else { now.get().weight };
    view! {
        <label class="metrics-slider">
            "Weight "
            <input
                type="range"
                min="0"
                max="0.99"
                step="0.01"
                prop:value=move || format!("{:.2}", weight())
                on:input=slide
                on:change=release
            />
            <output class="metrics-weight">{move || format!("{:.2}", weight())}</output>
        </label>
    }
}

fn is_none(smoothing: Smoothing) -> bool {
    smoothing.kind == SmoothingKind::None || smoothing.weight == 0.0
}

//! Runs with the same value of a setting as one line with a band.

use leptos::prelude::*;

use crate::app::content::{Menu, Popup};
use crate::app::state::AppState;
use rundown_protocol::{Center, LineGrouping};

/// The menu of groups.
#[component]
pub fn GroupMenu() -> impl IntoView {
    let app = AppState::of_page();
    let now = app.address.part(|state| state.charts.group.clone());
    let words = move || match now.get() {
        Some(group) => format!("Group: {}", short(&group.setting)),
        None => "Group: none".to_owned(),
    };
    view! {
        <Popup class="tool-menu" title="Groups of runs" face=move || view! { {move || words()} <span aria-hidden="true">" ▾"</span> }>
            <Setting now />
            <Centers now />
        </Popup>
    }
}

#[component]
fn Setting(now: Memo<Option<LineGrouping>>) -> impl IntoView {
    let app = AppState::of_page();
    let setting = move || now.get().map(|group| group.setting).unwrap_or_default();
    let choose = move |setting: String| {
        let center = now.get_untracked().map(|group| group.center).unwrap_or_default();
        app.address
            .choose(|state| state.charts.group = (!setting.is_empty()).then_some(LineGrouping { setting, center }));
    };
    let options = move || {
        let none = (String::new(), "none".to_owned());
        app.runs.list.with(|list| {
            std::iter::once(none).chain(list.settings.iter().map(|key| (key.clone(), key.clone()))).collect()
        })
    };
    let (options, value) = (Signal::derive(options), Signal::derive(setting));
    view! { <label>"Setting " <Menu options value choose /></label> }
}

#[component]
fn Centers(now: Memo<Option<LineGrouping>>) -> impl IntoView {
    let app = AppState::of_page();
    let choose = move |center| {
        app.address.choose(|state| {
            if let Some(group) = &mut state.charts.group {
                group.center = center;
            }
        });
    };
    let is_now = move |center| now.get().is_some_and(|group| group.center == center);
    let centers = [(Center::Mean, "Mean"), (Center::Iqm, "Interquartile mean")].map(|(center, words)| {
        view! {
            <label>
                <input
                    type="radio"
                    name="center"
                    disabled=move || now.get().is_none()
                    prop:checked=move || is_now(center)
                    on:change=move |_| choose(center)
                />
                {words}
            </label>
        }
    });
    view! { <fieldset><legend class="visually-hidden">"Centre"</legend>{centers.into_iter().collect::<Vec<_>>()}</fieldset> }
}

/// A setting without the path before it.
fn short(setting: &str) -> &str {
    setting.rsplit(['.', '/']).next().unwrap_or(setting)
}

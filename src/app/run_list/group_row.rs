//! The heading of a group of runs.

use leptos::prelude::*;

use super::list_state::ListState;
use crate::app::state::AppState;
use rundown_format::{counted, short};

/// The heading: the value that the runs share, how many they are, and the mean of their measure. It folds them away.
#[component]
pub fn GroupRow(
    /// The value of the group.
    value: String,
    /// The list around it.
    list: ListState,
) -> impl IntoView {
    let app = AppState::of_page();
    let setting = app.address.part(|state| state.list_group.clone());
    let value = StoredValue::new(value);
    let found = Memo::new(move |_| value.with_value(|value| list.group(value)));
    let is_folded = move || found.with(|(_, group)| group.is_folded);
    let mean = move || {
        let measure = app.runs.list.with(|list| list.measure.clone());
        let mean = found.with(|(_, group)| group.mean)?;
        Some(view! { <span class="value" title=format!("Mean of {measure}")>{format!("mean {}", short(mean))}</span> })
    };
    let name = move || format!("{} {}", setting.get(), value.get_value());
    view! {
        <li
            class="row group"
            aria-setsize=move || list.items.with(|items| items.len())
            aria-posinset=move || found.with(|(index, _)| index + 1)
        >
            <button
                type="button"
                aria-expanded=move || (!is_folded()).to_string()
                title=move || name()
                on:click=move |_| value.with_value(|value| list.fold(value))
            >
                <span class="arrow" aria-hidden="true">
                    {move || if is_folded() { "▸" } else { "▾" }}
                </span>
                <span class="name">
                    <span class="muted">{move || setting.get()}</span>
                    " "
                    {value.get_value()}
                </span>
                <span class="muted">{move || counted(found.with(|(_, group)| group.count), "run")}</span>
                {move || mean()}
            </button>
        </li>
    }
}

//! A menu of values: what a view lets one choose.

use leptos::prelude::*;

/// A menu. It stays where it is, and keeps the focus, while its value changes.
#[component]
pub fn Menu(
    /// Values and their words.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// The present value.
    #[prop(into)]
    value: Signal<String>,
    /// What is done with another one.
    #[prop(into)]
    choose: Callback<String>,
    /// Id of the element.
    #[prop(optional)]
    id: Option<&'static str>,
    /// Name for a screen reader, where no label is around it.
    #[prop(optional, into)]
    name: Option<String>,
) -> impl IntoView {
    // An option is told whether it is the one: the menu's own value can't be set before it has options.
    let option = move |(of, words): (String, String)| {
        let this = of.clone();
        let is_chosen = move || value.with(|value| *value == this);
        view! { <option value=of prop:selected=move || is_chosen()>{words}</option> }
    };
    view! {
        <select id=id aria-label=name on:change=move |event| choose.run(event_target_value(&event))>
            {move || options.get().into_iter().map(option).collect_view()}
        </select>
    }
}

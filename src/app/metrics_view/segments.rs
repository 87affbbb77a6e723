//! A few choices side by side, of which one holds.

use leptos::prelude::*;

/// Choices side by side.
#[component]
pub fn Segments<T: Clone + PartialEq + Send + Sync + 'static>(
    /// What is chosen.
    label: &'static str,
    /// The choices and their words.
    choices: Vec<(T, &'static str)>,
    /// The one that holds.
    now: Memo<T>,
    /// Takes another one.
    #[prop(into)]
    choose: Callback<T>,
    /// A choice of another kind behind them.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let button = move |(value, words): (T, &'static str)| {
        let (of, chosen) = (value.clone(), value);
        view! {
            <button
                type="button"
                aria-pressed=move || if now.with(|now| *now == of) { "true" } else { "false" }
                on:click=move |_| choose.run(chosen.clone())
            >
                {words}
            </button>
        }
    };
    let buttons: Vec<_> = choices.into_iter().map(button).collect();
    view! {
        <div class="segments" role="group" aria-label=label>
            {buttons}
            {children.map(|children| children())}
        </div>
    }
}

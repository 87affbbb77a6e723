//! What can be done with one run of the list.

use leptos::prelude::*;

use crate::app::content::ClosePopup;
use crate::app::state::AppState;

/// The controls of a run's menu.
#[component]
pub fn RowMenu(
    /// The run.
    run: u32,
) -> impl IntoView {
    let app = AppState::of_page();
    let popup = ClosePopup::around();
    let id = StoredValue::new(app.runs.id(run));
    let is_pinned = app.address.part(move |state| state.pinned.contains(&id.get_value()));
    let is_baseline = app.address.part(move |state| state.baseline == Some(id.get_value()));
    let pin = move || {
        let id = id.get_value();
        app.address.choose(|state| {
            if is_pinned.get_untracked() {
                state.pinned.retain(|pinned| *pinned != id);
            } else {
                state.pinned.push(id);
            }
        });
    };
    let set_baseline = move || {
        let baseline = (!is_baseline.get_untracked()).then(|| id.get_value());
        app.address.choose(|state| state.baseline = baseline);
    };
    let item = move |words: Signal<&'static str>, act: Box<dyn Fn()>| {
        let click = move |_| {
            act();
            popup.close();
        };
        view! { <button type="button" on:click=click>{words}</button> }
    };
    let words = |is_on: Memo<bool>, on: &'static str, off: &'static str| {
        Signal::derive(move || if is_on.get() { on } else { off })
    };
    view! {
        {item(words(is_pinned, "Unpin", "Pin to the top"), Box::new(pin))}
        {item(words(is_baseline, "Unset as baseline", "Set as baseline"), Box::new(set_baseline))}
        {item(Signal::stored("Show only this run"), Box::new(move || app.isolate(run)))}
        {item(Signal::stored("Copy id"), Box::new(move || app.copy(id.get_value())))}
        {item(Signal::stored("Remove this run"), Box::new(move || app.remove_run(run)))}
        <TagField id />
    }
}

/// The words that the user put on the run.
#[component]
fn TagField(id: StoredValue<String>) -> impl IntoView {
    let app = AppState::of_page();
    let tags = move || app.runs.tags.with(|tags| tags.of(&id.get_value()).join(" "));
    view! {
        <label class="tags">
            "Tags"
            <input
                type="text"
                placeholder="paper, rerun"
                autocomplete="off"
                prop:value=move || tags()
                on:change:target=move |event| app.runs.set_tags(&id.get_value(), &event.target().value())
            />
        </label>
    }
}

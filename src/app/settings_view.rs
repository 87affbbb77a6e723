//! The Settings view: one text that says what metrics stand for, what the checks compare with and what a GPU costs, to be
//! applied, saved and loaded; below it what the names in it mean.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

use super::topic_view::TopicBlocks;
use crate::app::state::{AppState, View};
use rundown_protocol::Topic;

/// What stands in the empty form.
const EXAMPLE: &str = "# What is not set here keeps its default. The names are below.
price_per_gpu_hour = 2.5

[metrics]
my_score = \"evaluation\"

[rulebook]
kl_warning = 0.8";

/// What came of the last command: the class of the sentence, and the sentence.
type Outcome = RwSignal<Option<(&'static str, String)>>;

/// The form, and what can be set.
#[component]
pub fn SettingsView() -> impl IntoView {
    let topic = Topic::Settings;
    view! {
        <div class="topic-view">
            <h1>{View::Topic(topic).label()}</h1>
            <SettingsForm />
            <TopicBlocks topic />
        </div>
    }
}

#[component]
fn SettingsForm() -> impl IntoView {
    let app = AppState::of_page();
    let outcome: Outcome = RwSignal::new(None);
    let is_remembered = RwSignal::new(app.remembers_settings());
    let apply = move |text: String| {
        app.apply_settings(text, move |answer| {
            let message = match answer {
                Ok(()) => ("muted", "All runs were diagnosed again with these settings.".to_owned()),
                Err(error) => ("banner", error),
            };
            // The form may be gone by now.
            let _ = outcome.try_set(Some(message));
            let _ = is_remembered.try_set(app.remembers_settings());
        });
    };
    let save = move |_| app.save("rundown.toml", "application/toml", &app.settings.get_untracked());
    let forget = move |_| {
        app.forget_settings();
        is_remembered.set(false);
        outcome.set(Some(("muted", "Forgotten. The settings apply until this page is closed.".to_owned())));
    };
    view! {
        <p class="muted">"Metric mapping, thresholds and the price of a GPU-hour."</p>
        <textarea
            id="settings"
            rows="12"
            spellcheck="false"
            aria-label="Settings, as TOML or JSON"
            placeholder=EXAMPLE
            prop:value=move || app.settings.get()
            on:input=move |event| app.settings.set(event_target_value(&event))
        ></textarea>
        <div class="buttons">
            <button id="apply-settings" class="primary" on:click=move |_| apply(app.settings.get_untracked())>
                "Apply to all runs"
            </button>
            <button on:click=save>"Save as a file"</button>
            <FromFile load=apply outcome />
        </div>
        {move || outcome.get().map(|(class, what)| view! { <p class=class role="status">{what}</p> })}
        <Show when=move || is_remembered.get()>
            <p class="muted remembered">
                "This browser remembers the settings that were applied last, and applies them on the next visit. "
                <button class="link" on:click=forget>"Forget them"</button>
            </p>
        </Show>
    }
}

/// A button that loads settings from a file and applies them.
#[component]
fn FromFile(#[prop(into)] load: Callback<String>, outcome: Outcome) -> impl IntoView {
    let chooser = NodeRef::<Input>::new();
    let open = move |_| {
        if let Some(chooser) = chooser.get_untracked() {
            chooser.click();
        }
    };
    let read = move |_| {
        let Some(input) = chooser.get_untracked() else { return };
        let Some(file) = input.files().and_then(|files| files.item(0)) else { return };
        // The same file can be chosen again.
        input.set_value("");
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await;
            match text.ok().and_then(|text| text.as_string()) {
                Some(text) => _ = load.try_run(text),
                None => {
                    let what = "The file can't be read: it was moved or changed meanwhile. Choose it again.";
                    // The form may be gone by now.
                    let _ = outcome.try_set(Some(("banner", what.to_owned())));
                }
            }
        });
    };
    view! {
        <button on:click=open>"Load a file…"</button>
        <input
            id="load-settings"
            type="file"
            class="visually-hidden"
            tabindex="-1"
            aria-label="A file with settings"
            node_ref=chooser
            on:change=read
        />
    }
}

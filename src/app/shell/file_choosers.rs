//! The two file choosers: out of sight, opened by the buttons.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};

use crate::app::browser::folder_walk::chosen;
use crate::app::state::{AppState, CHOOSE_FILES, CHOOSE_FOLDER};

/// The choosers.
#[component]
pub fn FileChoosers() -> impl IntoView {
    let app = AppState::of_page();
    let take = move |event: Event| {
        let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else { return };
        spawn_local(async move {
            let files = chosen(input).await;
            // Closing the chooser without a choice is not a mistake.
            if !files.is_empty() {
                app.add_files(files);
            }
        });
    };
    // Leptos has no word for it.
    let folder = NodeRef::<Input>::new();
    folder.on_load(|input| {
        let _ = input.set_attribute("webkitdirectory", "");
    });
    view! {
        <input
            type="file"
            id=CHOOSE_FILES
            hidden
            aria-label="Choose files"
            multiple
            on:change=take
        />
        <input
            type="file"
            id=CHOOSE_FOLDER
            hidden
            aria-label="Choose a folder"
            multiple
            node_ref=folder
            on:change=take
        />
    }
}

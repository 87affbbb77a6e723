//! The form of the Settings view: one text that says what metrics stand for, what the checks compare with and what a GPU
//! costs, to be applied, saved and loaded.

use leptos::prelude::event_target_value;
use wasm_bindgen_futures::JsFuture;

use super::dom::{Part, command, div, live, p, textarea, together};
use super::download::save_text;
use super::files_input::chooser;
use super::keys::click;
use super::reactive::{State, spawn};
use super::store::Store;

/// Id of the file chooser.
const LOAD: &str = "load-settings";
/// What stands in the empty form.
const EXAMPLE: &str = "# What is not set here keeps its default. The names are below.
price_per_gpu_hour = 2.5

[metrics]
my_score = \"evaluation\"

[rulebook]
kl_warning = 0.8";

/// The form.
pub fn form(store: Store) -> Part {
    let outcome = State::new(None::<(&'static str, String)>);
    let text = store.settings;
    let apply = move || {
        store.engine.apply(text.get_untracked(), move |answer| match answer {
            Ok(list) => {
                outcome.set(Some(("muted", "All runs were diagnosed again with these settings.".to_owned())));
                store.settle(Ok(list));
            }
            Err(error) => outcome.set(Some(("banner", error.to_string()))),
        });
    };
    let save = move || {
        if save_text("rundown.toml", "application/toml", &text.get_untracked()).is_err() {
            outcome.set(Some(("banner", "The browser did not allow the download.".to_owned())));
        }
    };
    let what = "Metric mapping, thresholds and the price of a GPU-hour. Kept as long as this page is open.";
    let area = textarea()
        .id("settings")
        .attr("rows", "12")
        .attr("spellcheck", "false")
        .attr("aria-label", "Settings, as TOML or JSON")
        .attr("placeholder", EXAMPLE)
        .value(move || text.get())
        .on("input", move |event| text.quietly(|text| *text = event_target_value(&event)).unwrap_or_default());
    let chooser = chooser(LOAD, "A file with settings", move |input| {
        let Some(file) = input.files().and_then(|files| files.item(0)) else { return };
        input.set_value("");
        spawn(async move {
            let read = JsFuture::from(file.text()).await;
            if let Some(read) = read.ok().and_then(|read| read.as_string()) {
                text.set(read);
                apply();
            }
        });
    });
    let commands = div().class("buttons").child((
        command("Apply to all runs", apply).id("apply-settings").class("primary"),
        command("Save as a file", save),
        command("Load a file…", || click(LOAD)),
        chooser,
    ));
    let message = live(move || outcome.get().map(|(class, what)| p().class(class).attr("role", "status").child(what)));
    together((p().class("muted").child(what), area, commands, message))
}

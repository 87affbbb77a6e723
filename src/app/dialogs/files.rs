//! Every file: what it was taken for, and the user's word on it.

use leptos::prelude::*;

use crate::app::engine::question::answered;
use crate::app::state::AppState;
use crate::format::counted;
use crate::protocol::{Reply, Request};

/// What a file can be taken for instead, as the engine names it.
const FORMATS: [&str; 4] = ["table", "JSON Lines", "JSON document", "console log"];
/// What the engine calls a file in which it looked for nothing.
const IGNORED: &str = "ignored file";

/// The list of files.
#[component]
pub fn Files() -> impl IntoView {
    let app = AppState::of_page();
    let request = move || {
        app.runs.revision.track();
        Request::ListFiles
    };
    let files = answered(app.engine, request, |reply| match reply {
        Reply::Files(files) => Some(files),
        _ => None,
    });
    move || {
        let files = files.get()?;
        Some(match &files {
            Ok(files) if files.is_empty() => {
                let words = "No file was read: these runs came from a server.";
                view! { <p class="muted">{words}</p> }.into_any()
            }
            Ok(files) => list(app, files),
            Err(error) => view! { <p class="banner" role="alert">{error.clone()}</p> }.into_any(),
        })
    }
}

fn list(app: AppState, files: &[(String, String)]) -> AnyView {
    let ignored = files.iter().filter(|(_, format)| format == IGNORED).count();
    let count = if ignored == 0 {
        format!("{}.", counted(files.len(), "file"))
    } else {
        format!(
            "{}, {ignored} of them ignored: they hold nothing that a diagnosis needs.",
            counted(files.len(), "file")
        )
    };
    let rows = files.iter().map(|(path, format)| row(app, path, format)).collect_view();
    view! {
        <p class="muted">{count} " Wrong? Choose what a file is, and everything is read again."</p>
        <ul class="problems files">{rows}</ul>
    }
    .into_any()
}

fn row(app: AppState, path: &str, format: &str) -> impl IntoView + use<> {
    let own = (!FORMATS.contains(&format)).then(|| format.to_owned());
    let choices = own.into_iter().chain(FORMATS.map(str::to_owned)).map(|choice| {
        let is_chosen = choice == format;
        view! { <option value=choice.clone() selected=is_chosen>{choice.clone()}</option> }
    });
    let named = path.to_owned();
    let choose = move |event| app.engine.choose_format(named.clone(), event_target_value(&event));
    view! {
        <li class:ignored=format == IGNORED>
            <code>{path.to_owned()}</code>
            <select aria-label=format!("What {path} is") on:change=choose>{choices.collect_view()}</select>
        </li>
    }
}

//! Which hosts the page may contact, and the reload that another one takes: a content security policy can't be widened.

use leptos::prelude::*;

use crate::app::browser::named_hosts::named_hosts;
use crate::app::state::AppState;
use rundown_format::counted;

/// Which hosts the page may contact now.
#[component]
pub fn Named(
    /// The origins that were named, with blanks between them.
    hosts: String,
) -> impl IntoView {
    let words = match hosts.is_empty() {
        true => {
            "This page cannot contact any server yet. It reloads to allow the server that you enter, and can then contact only that server."
                .to_owned()
        }
        false => format!("This page can contact {} and no other host; the browser enforces this.", listed(&hosts)),
    };
    view! { <p class="muted" id="named">{words}</p> }
}

/// What a reload for other hosts closes, and the button that reloads.
#[component]
pub fn Name(
    /// The hosts that it has to contact.
    origins: Vec<String>,
) -> impl IntoView {
    let app = AppState::of_page();
    let named = named_hosts();
    let now = if named.is_empty() { "no server".to_owned() } else { format!("only {}", listed(&named)) };
    let wanted = listed(&origins.join(" "));
    let runs = app.runs.list.with_untracked(|list| list.runs.len());
    let lost = match (runs, app.projects.open.get_untracked()) {
        (0, _) => String::new(),
        (_, Some(_)) => " The loaded runs are kept on this device and open again.".to_owned(),
        (runs, None) => format!(
            " {} will be closed, unless you connect in a new tab{}.",
            counted(runs, "loaded run"),
            if app.has_files() { " or keep them on this device first" } else { "" }
        ),
    };
    let words = format!("This page can contact {now}. To contact {wanted} it has to reload.{lost}");
    view! {
        <div class="banner quiet" id="name-server" role="status">
            <span>{words}</span>
            <span class="buttons">
                <button type="button" class="primary" on:click=move |_| app.connect_to(&origins)>"Reload"</button>
                <a href="./" target="_blank" rel="noopener">"New tab"</a>
            </span>
        </div>
    }
}

fn listed(hosts: &str) -> String {
    hosts.split(' ').collect::<Vec<_>>().join(" and ")
}

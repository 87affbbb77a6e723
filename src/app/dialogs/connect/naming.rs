//! Which hosts the page may ask, and how it comes to ask another one: a content security policy can't be widened, so that
//! the page is loaded anew.

use leptos::prelude::*;

use crate::app::browser::named_hosts::named_hosts;
use crate::app::state::AppState;
use crate::format::counted;

/// What the page may ask now.
#[component]
pub fn Named(
    /// The origins that were named, with blanks between them.
    hosts: String,
) -> impl IntoView {
    let words = match hosts.is_empty() {
        true => {
            "This page can ask no server yet. It is loaded anew for the one that you name, and can then ask this one alone."
                .to_owned()
        }
        false => format!("This page can ask {} and no other host: the browser enforces it.", listed(&hosts)),
    };
    view! { <p class="muted" id="named">{words}</p> }
}

/// What is lost when the page is loaded for other hosts, and the button that does it.
#[component]
pub fn Name(
    /// What it has to ask.
    origins: Vec<String>,
) -> impl IntoView {
    let app = AppState::of_page();
    let named = named_hosts();
    let now = if named.is_empty() { "no server".to_owned() } else { format!("{} alone", listed(&named)) };
    let wanted = listed(&origins.join(" "));
    let runs = app.runs.list.with_untracked(|list| list.runs.len());
    let lost = match (runs, app.projects.open.get_untracked()) {
        (0, _) => String::new(),
        (_, Some(_)) => " The runs that are loaded are kept on this device and are read again.".to_owned(),
        (runs, None) => format!(
            " {} that {} loaded will be closed, unless you connect in a new tab{}.",
            counted(runs, "run"),
            if runs == 1 { "is" } else { "are" },
            if app.has_files() { " or keep them on this device first" } else { "" }
        ),
    };
    let words = format!("This page can ask {now}. To ask {wanted} it has to be loaded anew.{lost}");
    view! {
        <div class="banner quiet" id="name-server" role="status">
            <span>{words}</span>
            <span class="buttons">
                <button type="button" class="primary" on:click=move |_| app.connect_to(&origins)>"Load anew"</button>
                <a href="./" target="_blank" rel="noopener">"New tab"</a>
            </span>
        </div>
    }
}

fn listed(hosts: &str) -> String {
    hosts.split(' ').collect::<Vec<_>>().join(" and ")
}

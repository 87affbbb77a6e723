//! How to check the promise that nothing is uploaded.

use leptos::prelude::*;

/// Ways to check.
#[component]
pub fn Privacy() -> impl IntoView {
    view! {
        <ol class="steps">
            <li>
                "Open the browser's developer tools (F12), tab “Network”, and drop your runs. Every request is listed: only those for the page's own files and, if you connect to a server, those to that server. The page's security policy blocks all other hosts."
            </li>
            <li>
                "Disconnect from the network after the page has loaded, then drop your runs. It works the same, reports included."
            </li>
        </ol>
    }
}

//! How to check the promise that nothing is uploaded.

use leptos::prelude::*;

/// Ways to check.
#[component]
pub fn Privacy() -> impl IntoView {
    view! {
        <ol class="steps">
            <li>
                "Open the browser's developer tools (F12), tab “Network”, and drop your runs. Every request is listed: there is none but for the files of this page, and to the server that you connect to, if you do. The page's security policy lets it ask no other host."
            </li>
            <li>
                "Disconnect from the network after the page has loaded, then drop your runs. It works the same, reports included."
            </li>
        </ol>
    }
}

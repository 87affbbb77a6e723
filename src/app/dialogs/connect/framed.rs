//! A page that is embedded in another one asks for no key: the other page could cover it and read what is typed.

use leptos::prelude::*;

/// Above everything else on a framed page.
#[component]
pub fn Framed() -> impl IntoView {
    view! {
        <p class="banner framed" role="status">
            <span>"This page is embedded in another one, which could cover it and read what you type. So no key is asked for here."</span>
            <OwnTab />
        </p>
    }
}

/// In place of the form.
#[component]
pub fn Refused() -> impl IntoView {
    view! {
        <p class="banner" id="framed">
            <span>"This page is embedded in another one, so no key is asked for here. Open it in its own tab to connect to a server."</span>
            <OwnTab />
        </p>
    }
}

#[component]
fn OwnTab() -> impl IntoView {
    let address = window().location().href().unwrap_or_default();
    view! { <a href=address target="_blank" rel="noopener">"Open in its own tab"</a> }
}

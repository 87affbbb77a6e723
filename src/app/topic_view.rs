//! Views over all runs: the engine says what there is to say, as blocks, and what can be chosen.

use leptos::prelude::*;

use crate::protocol::Topic;

/// A view over all runs.
#[component]
pub fn TopicView(topic: Topic) -> impl IntoView {
    view! { <p>{format!("{topic:?}")}</p> }
}

//! Blocks of a document as elements: what every view that compares runs is made of.

use leptos::prelude::*;

use crate::content::{Block, Span};

/// What can be done with tables.
#[derive(Clone, Copy)]
pub enum Tables {
    /// Nothing.
    Still,
    /// Each column can order the rows.
    Sorted,
    /// Rows without this text, in lower case, are hidden.
    Searched(RwSignal<String>),
}

/// Blocks, in their order.
#[component]
pub fn Blocks(blocks: Vec<Block>, #[prop(default = Tables::Still)] tables: Tables) -> impl IntoView {
    let _ = tables;
    view! { <div class="blocks">{blocks.len()}</div> }
}

/// A sentence.
#[component]
pub fn Inline(spans: Vec<Span>) -> impl IntoView {
    spans.iter().map(Span::plain).collect::<String>()
}

//! Blocks of a document as elements: what every view that says something in words, tables and figures is made of.
//!
//! Tables can be ordered by each column, runs are links, figures are SVG elements. Texts become text nodes.

mod buttons;
pub mod cells;
mod figure;
mod highlight;
mod inline;
pub mod mark;
mod menu;
mod popup;
mod scroll_region;
mod swatch;
mod table;
mod tip;

use leptos::prelude::*;

use rundown_content::{Block, Span};

pub use buttons::{NotifyButton, ProblemsButton};
use figure::FigureView;
pub use highlight::highlight_on_hover;
pub use inline::Inline;
pub use menu::Menu;
pub use popup::{ClosePopup, Popup};
pub use scroll_region::ScrollRegion;
pub use swatch::{RunLink, Swatch};
use table::TableView;
pub use tip::{beside_pointer, window_size};

/// What can be done with tables.
#[derive(Clone, Copy)]
pub enum Tables {
    /// Nothing.
    Still,
    /// Each column can order the rows.
    Sorted,
    /// Rows without this text are hidden.
    Searched(RwSignal<String>),
}

/// Blocks, in their order.
#[component]
pub fn Blocks(
    /// What is shown.
    blocks: Vec<Block>,
    /// What can be done with the tables among them.
    #[prop(default = Tables::Still)]
    tables: Tables,
) -> impl IntoView {
    all(blocks, tables)
}

/// The blocks as one element. Blocks hold blocks, so that the type has to end here.
fn all(blocks: Vec<Block>, tables: Tables) -> AnyView {
    let shown = blocks.into_iter().map(|block| one(block, tables)).collect_view();
    view! { <div class="blocks">{shown}</div> }.into_any()
}

fn one(block: Block, tables: Tables) -> AnyView {
    match block {
        Block::Heading { level, text } => heading(level, text.into()),
        Block::Text(spans) => view! { <p><Inline spans links_metrics=true /></p> }.into_any(),
        Block::List(list) => view! { <ul>{items(list)}</ul> }.into_any(),
        Block::Numbered(list) => view! { <ol>{items(list)}</ol> }.into_any(),
        Block::Code(text) => {
            view! { <ScrollRegion label="Text" class="code"><pre>{text}</pre></ScrollRegion> }.into_any()
        }
        Block::Table(table) => view! { <TableView table tables /> }.into_any(),
        Block::Figure(figure) => view! { <FigureView figure /> }.into_any(),
        Block::SideBySide(left, right) => {
            view! { <div class="pair">{all(left, tables)}{all(right, tables)}</div> }.into_any()
        }
        Block::Panels(panels) => {
            let panel = |blocks| view! { <section class="panel">{all(blocks, tables)}</section> };
            view! { <div class="panels">{panels.into_iter().map(panel).collect_view()}</div> }.into_any()
        }
        Block::Fold { title, blocks } => {
            let folded = all(blocks, tables);
            view! {
                <details class="fold">
                    <summary><Inline spans=title.into() /></summary>
                    <div class="folded">{folded}</div>
                </details>
            }
            .into_any()
        }
    }
}

fn heading(level: u8, spans: Vec<Span>) -> AnyView {
    let words = view! { <Inline spans /> };
    match level {
        0..=2 => view! { <h2>{words}</h2> }.into_any(),
        3 => view! { <h3>{words}</h3> }.into_any(),
        4 => view! { <h4>{words}</h4> }.into_any(),
        _ => view! { <h5>{words}</h5> }.into_any(),
    }
}

fn items(items: Vec<Vec<Span>>) -> impl IntoView {
    items.into_iter().map(|spans| view! { <li><Inline spans links_metrics=true /></li> }).collect_view()
}

//! What stands behind the verdict, folded away: quiet and skipped checks, keys, files, settings.

use leptos::prelude::*;

use super::card_text::setting_lines;
use crate::app::content::{Blocks, Tables};
use crate::app::state::AppState;
use rundown_protocol::Fold;

/// Everything below the findings.
#[component]
pub fn Appendix(folds: Vec<Fold>) -> impl IntoView {
    let folds = folds.into_iter().map(|fold| view! { <FoldView fold class="panel" /> }).collect_view();
    view! { <section class="appendix" aria-label="Details">{folds}</section> }
}

/// A fold; nothing of one without blocks. Settings can be searched and copied.
#[component]
pub fn FoldView(fold: Fold, class: &'static str) -> impl IntoView {
    if fold.blocks.is_empty() {
        return None;
    }
    let id = (!fold.id.is_empty()).then(|| fold.id.clone());
    let folded = if fold.id == Fold::CONFIG {
        let wanted = RwSignal::new(String::new());
        let lines = setting_lines(&fold.blocks);
        view! {
            <div class="folded">
                <SettingTools wanted lines />
                <Blocks blocks=fold.blocks tables=Tables::Searched(wanted) />
            </div>
        }
        .into_any()
    } else {
        view! { <div class="folded"><Blocks blocks=fold.blocks /></div> }.into_any()
    };
    Some(view! {
        <details class=class>
            <summary id=id>{fold.title}</summary>
            {folded}
        </details>
    })
}

#[component]
fn SettingTools(wanted: RwSignal<String>, lines: String) -> impl IntoView {
    let app = AppState::of_page();
    view! {
        <div class="setting-tools">
            <input
                type="search"
                aria-label="Search settings by key or value"
                placeholder="Search keys and values"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || wanted.get()
                on:input=move |event| wanted.set(event_target_value(&event))
            />
            <button on:click=move |_| app.copy(lines.clone())>"Copy all settings"</button>
        </div>
    }
}

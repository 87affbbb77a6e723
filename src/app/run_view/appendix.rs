//! What stands behind the verdict, folded away: quiet and skipped checks, keys, files, settings.

use leptos::prelude::event_target_value;

use crate::app::blocks::{Tables, blocks};
use crate::app::dom::{El, details, div, input, section, summary};
use crate::app::reactive::State;
use crate::protocol::Fold;

/// Everything below the findings.
pub fn appendix(folds: &[Fold]) -> El {
    let mut appendix = section().class("appendix").attr("aria-label", "Behind the verdict");
    for each in folds {
        appendix.push(fold(each, "panel"));
    }
    appendix
}

/// A fold; nothing of one without blocks.
pub fn fold(fold: &Fold, class: &str) -> Option<El> {
    if fold.blocks.is_empty() {
        return None;
    }
    let mut title = summary().child(fold.title.as_str());
    if !fold.id.is_empty() {
        title = title.id(&fold.id);
    }
    let mut folded = div().class("folded");
    let mut tables = Tables::Still;
    if fold.id == Fold::CONFIG {
        let wanted = State::new(String::new());
        tables = Tables::Searched(wanted);
        folded.push(search(wanted));
    }
    folded.push(blocks(&fold.blocks, tables));
    Some(details().class(class).child((title, folded)))
}

fn search(wanted: State<String>) -> El {
    input()
        .attr("type", "search")
        .attr("aria-label", "Search settings by key or value")
        .attr("placeholder", "Search keys and values")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .on("input", move |event| wanted.set(event_target_value(&event).to_ascii_lowercase()))
}

//! What each file was taken for, and the user's word on it.

use leptos::prelude::event_target_value;

use super::answer;
use super::dom::{El, Part, code, li, live, option, p, select, together, ul};
use super::store::Store;
use crate::protocol::{Reply, Request};

/// What a file can be taken for instead, as the engine names it.
const FORMATS: [&str; 4] = ["table", "JSON Lines", "JSON document", "console log"];

/// Every file, with a choice.
pub fn list(store: Store) -> Part {
    let reply = answer::ask(store, || Request::ListFiles);
    live(move || match reply.get() {
        Some(Ok(reply)) => match &*reply {
            Reply::Files(files) => Some(together((
                p().class("muted").child("Wrong? Choose what a file is, and everything is read again."),
                ul().class("problems files").each(files.iter(), |(path, taken)| row(store, path, taken)),
            ))),
            _ => None,
        },
        _ => None,
    })
}

fn row(store: Store, path: &str, taken: &str) -> El {
    let choice = |format: &str| {
        let option = option().attr("value", format).child(format);
        if format == taken { option.attr("selected", "") } else { option }
    };
    let named = path.to_owned();
    let choose = select()
        .attr("aria-label", format!("What {path} is"))
        .on("change", move |event| store.engine.choose_format(named.clone(), event_target_value(&event)))
        .each((!FORMATS.contains(&taken)).then_some(taken).into_iter().chain(FORMATS), choice);
    li().child((code().child(path), choose))
}

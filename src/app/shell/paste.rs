//! Whatever is pasted outside of a field is added: files, the text of a file, or runs by the address of a server.

use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use web_sys::ClipboardEvent;

use super::pasted::{Pasted, recognise};
use super::typing::is_typing;
use crate::app::browser::folder_walk::{Dropped, text_file};
use crate::app::state::{AppState, Dialog};
use rundown_protocol::{QueryField, Service};

/// Listens for as long as the page lives.
pub fn take_pastes(app: AppState) {
    let count = StoredValue::new(0u32);
    let _ = use_event_listener(window(), ev::paste, move |event| {
        if !is_typing(&event) && app.dialog.get_untracked().is_none() && handle_paste(app, count, &event) {
            event.prevent_default();
        }
    });
}

fn handle_paste(app: AppState, count: StoredValue<u32>, event: &ClipboardEvent) -> bool {
    let Some(data) = event.clipboard_data() else { return false };
    if let Some(files) = Dropped::of(&data) {
        app.add_dropped(files);
        return true;
    }
    let text = data.get_data("text/plain").unwrap_or_default();
    match recognise(&text) {
        Some(Pasted::Address(address)) => {
            app.server.update(|query| {
                query.service = Service::Wandb;
                query.write(QueryField::Address, address);
            });
            app.open_dialog(Dialog::Connect);
            true
        }
        Some(Pasted::File(ending)) => {
            // Files of one name would be one file to the engine.
            count.update_value(|count| *count += 1);
            let name = match count.get_value() {
                1 => format!("pasted.{ending}"),
                number => format!("pasted-{number}.{ending}"),
            };
            app.add_files(text_file(&name, &text).into_iter().collect());
            true
        }
        None => false,
    }
}

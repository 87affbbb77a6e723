//! Dialogs: help, how to check the promise, and what could not be read. The browser's own `<dialog>` keeps the focus
//! in and closes on Escape.

use web_sys::HtmlDialogElement;

use super::dom::{Part, by_id, command, dd, dialog, div, dl, dt, h2, kbd, later, li, live, ol, p, together};
use super::keys::KEYS;
use super::store::{Dialog, Store};
use super::{connect, files_dialog, problems};

const ID: &str = "dialog";

/// The open dialog, if any.
pub fn dialogs(store: Store) -> Part {
    live(move || store.dialog.get().map(|which| frame(store, which)))
}

fn frame(store: Store, which: Dialog) -> Part {
    let (title, body) = match which {
        Dialog::Help => ("Keys", help()),
        Dialog::Privacy => ("How to check that nothing is uploaded", privacy()),
        Dialog::Problems => ("Problems with files", problems::list(store)),
        Dialog::Connect => ("Runs from a server", connect::form(store)),
        Dialog::Files => ("Files", files_dialog::list(store)),
    };
    // Once it is in the page. A dialog that can't be modal is shown all the same.
    later(0, || {
        if let Some(dialog) = by_id::<HtmlDialogElement>(ID).filter(|dialog| dialog.show_modal().is_err()) {
            dialog.set_open(true);
        }
    });
    let close = || {
        if let Some(dialog) = by_id::<HtmlDialogElement>(ID) {
            dialog.close();
        }
    };
    dialog()
        .id(ID)
        .attr("aria-labelledby", "dialog-title")
        .on("close", move |_| store.dialog.set(None))
        .child((h2().id("dialog-title").child(title), body, div().class("buttons").child(command("Close", close))))
        .view()
}

fn help() -> Part {
    let row = |(keys, what): &(&'static str, &'static str)| {
        (dt().each(keys.split(' '), |key| kbd().child(key)), dd().child(*what))
    };
    together((
        dl().class("keys").each(&KEYS, row),
        p().class("muted")
            .child("Drop files anywhere on the page to add them. They are read in this browser and sent nowhere."),
    ))
}

fn privacy() -> Part {
    ol().class("steps")
        .child((
            li().child(
                "Open the browser's developer tools (F12), tab “Network”, and drop your runs. Every request is listed: \
                 there is none but for the files of this page, and to the server that you connect to, if you do.",
            ),
            li().child(
                "Disconnect from the network after the page has loaded, then drop your runs. It works the same.",
            ),
        ))
        .view()
}

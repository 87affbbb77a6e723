//! The two file choosers, the drop anywhere on the page, and the bar that shows how far the reading is.

use wasm_bindgen::JsCast;
use web_sys::{DragEvent, HtmlInputElement};

use super::dom::{El, Part, command, div, input, live, on_window, p, progress, span, strong, together};
use super::files;
use super::reactive::{Derived, State};
use super::store::Store;
use crate::format::{bytes, counted};
use crate::protocol::Progress;

/// Id of the file chooser.
pub const CHOOSE_FILES: &str = "choose-files";
/// Id of the folder chooser.
pub const CHOOSE_FOLDER: &str = "choose-folder";

/// The choosers: out of sight, opened by the buttons.
pub fn choosers(store: Store) -> Part {
    let of_runs = |id, label| chooser(id, label, move |input| files::add_chosen(store, input)).attr("multiple", "");
    together((
        of_runs(CHOOSE_FILES, "Choose files"),
        of_runs(CHOOSE_FOLDER, "Choose a folder").attr("webkitdirectory", ""),
    ))
}

/// A file chooser out of sight. Whoever takes the files empties it, so that the same ones can be chosen again.
pub fn chooser(id: &'static str, label: &'static str, mut take: impl FnMut(&HtmlInputElement) + 'static) -> El {
    input().attr("type", "file").id(id).class("visually-hidden").attr("tabindex", "-1").attr("aria-label", label).on(
        "change",
        move |event| {
            if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
                take(&input);
            }
        },
    )
}

/// Lets files be dropped anywhere, at any time, and says so while they hover.
pub fn drop_anywhere(store: Store) -> Part {
    let hovering = State::new(false);
    on_window("dragenter", move |event: DragEvent| {
        if brings_files(&event) {
            event.prevent_default();
            hovering.set(true);
        }
    });
    on_window("dragover", |event: DragEvent| {
        if brings_files(&event) {
            event.prevent_default();
        }
    });
    on_window("dragleave", move |event: DragEvent| {
        // Without a related target the pointer has left the window, not only an element.
        if event.related_target().is_none() {
            hovering.set(false);
        }
    });
    on_window("drop", move |event: DragEvent| {
        hovering.set(false);
        let Some(transfer) = event.data_transfer().filter(|_| brings_files(&event)) else { return };
        event.prevent_default();
        files::add_dropped(store, &transfer);
    });
    live(move || hovering.get().then(|| div().class("drop-overlay").child(p().child("Drop to add"))))
}

/// How far the reading is, with a way to stop it.
pub fn progress_bar(store: Store) -> Part {
    let reading = store.engine.progress();
    let busy = Derived::new(move || reading.get().is_some() || store.walks.get().active > 0);
    let doing = move || match reading.get() {
        Some(progress) => progress.work.subject().to_owned(),
        None => "Looking through folders…".to_owned(),
    };
    let far = move || match reading.get() {
        Some(progress) => amounts(&progress),
        None => format!("{} found", counted(store.walks.get().found, "file")),
    };
    let done = move || {
        let progress = reading.get().filter(|progress| progress.bytes_total > 0)?;
        Some(progress.bytes_done.to_string())
    };
    let total = move || reading.get().map(|progress| progress.bytes_total.max(1).to_string());
    live(move || {
        busy.get().then(|| {
            div().class("progress").attr("role", "group").attr("aria-label", "Reading files").child((
                progress().follow("max", total).follow("value", done).attr("aria-label", "Bytes read"),
                p().child((strong().says(doing), span().class("muted").says(far))),
                command("Cancel", move || store.cancel()),
            ))
        })
    })
}

fn amounts(progress: &Progress) -> String {
    let mut parts = Vec::new();
    if progress.files_total > 0 {
        let total = counted(progress.files_total as usize, "file");
        parts.push(format!("{} of {total}", progress.files_done));
    }
    if progress.bytes_total > 0 {
        parts.push(format!("{} of {}", bytes(progress.bytes_done), bytes(progress.bytes_total)));
    }
    parts.join(" · ")
}

fn brings_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

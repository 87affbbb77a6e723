//! Runs the commands of the palette, the keyboard and the menus.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::app_state::{AppState, Dialog};
use super::command::Command;
use crate::app::browser::elements::{by_id, click, focus, scroll_to};
use crate::app::browser::timing::{after, on_frame};

/// Id of the file chooser.
pub const CHOOSE_FILES: &str = "choose-files";
/// Id of the folder chooser.
pub const CHOOSE_FOLDER: &str = "choose-folder";
/// Id of the filter of the run list.
pub const FILTER: &str = "filter";

/// Id of a run's row in the list.
pub fn row_id(run: u32) -> String {
    format!("run-{run}")
}

impl AppState {
    /// Does what a command stands for; false where it stands for nothing now.
    pub fn act(self, command: Command) -> bool {
        let is_loaded = self.runs.is_loaded.get_untracked();
        match command {
            Command::Palette => self.open_dialog(Dialog::Palette),
            Command::AddFiles => click(CHOOSE_FILES),
            Command::AddFolder => click(CHOOSE_FOLDER),
            Command::WatchFolder => self.watch_folder(),
            Command::Connect => self.open_dialog(Dialog::Connect),
            Command::Theme => self.color_scheme.switch(),
            Command::Help => self.open_dialog(Dialog::Help),
            Command::Privacy => self.open_dialog(Dialog::Privacy),
            Command::Undo => self.address.undo(),
            Command::Redo => self.address.redo(),
            _ if !is_loaded => return false,
            Command::NextRun => self.walk(1),
            Command::PreviousRun => self.walk(-1),
            Command::Show(view) => {
                self.address.show(view);
                focus_main();
            }
            Command::Filter => {
                self.list_is_open.set(true);
                // Once the list can be seen.
                on_frame(|| focus(FILTER));
            }
            Command::CopyLink => self.copy(self.url()),
            Command::Files => self.open_dialog(Dialog::Files),
            Command::Problems => self.open_dialog(Dialog::Problems),
            Command::News => self.open_dialog(Dialog::News),
            Command::CloseAll => self.clear(),
        }
        true
    }

    /// Opens a dialog in place of the one that is open.
    pub fn open_dialog(self, dialog: Dialog) {
        // One after the other: the next one would be made of the same element, and the closing of the first would close it.
        self.dialog.set(None);
        after(0, move || self.dialog.set(Some(dialog)));
    }

    /// Address of what is shown, for someone else.
    pub fn url(self) -> String {
        let page = window().location().href().unwrap_or_default();
        let open = self.runs.open.get_untracked().map(|run| self.runs.id(run));
        page.split('#').next().unwrap_or_default().to_owned() + &self.address.now().with_open_run(open).hash()
    }

    /// Opens the run `by` places down the list. The focus moves along only when it is in the list.
    fn walk(self, by: isize) {
        let Some(run) = self.step(by) else { return };
        let Some(row) = by_id::<HtmlElement>(&row_id(run)) else { return };
        let in_list = document().active_element().is_some_and(|active| matches!(active.closest("#runs"), Ok(Some(_))));
        if in_list {
            let _ = row.focus();
        } else {
            scroll_to(&row);
        }
    }
}

/// Moves the focus to the view, once it is there: for who does not use a mouse.
pub fn focus_main() {
    on_frame(|| focus("main"));
}

/// Moves the focus to the first element of a kind where what had it is gone, so that the keyboard goes on from there.
pub fn catch_focus(selector: &'static str) {
    on_frame(move || {
        let is_lost = document().active_element().is_none_or(|focused| focused.tag_name() == "BODY");
        let next = is_lost.then(|| document().query_selector(selector).ok().flatten()).flatten();
        if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
            let _ = next.focus();
        }
    });
}

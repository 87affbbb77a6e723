//! Downloads and copies of reports, tables and charts: without names of people and machines, unless the user wants them.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use web_sys::Blob;

use crate::app::browser::clipboard;
use crate::app::browser::download::{save_blob, save_text};
use crate::app::state::AppState;
use rundown_protocol::Request;

impl AppState {
    /// Calls `then` with the texts as they may be shared. The engine knows which names the runs hold.
    pub fn with_names_hidden(self, texts: Vec<String>, then: Box<dyn FnOnce(Vec<String>)>) {
        if !self.hides_names.get_untracked() {
            return then(texts);
        }
        self.engine.ask_for(Request::HideNames { texts }, move |texts| match texts {
            Ok(texts) => then(texts),
            Err(error) => self.fault.set(Some(format!("Names of people and machines can't be hidden: {error}"))),
        });
    }

    /// Saves a text with the names in it hidden, unless the user wants them.
    pub fn save_with_names_hidden(self, name: &str, kind: &'static str, text: String) {
        let name = name.to_owned();
        let save = move |texts: Vec<String>| texts.iter().for_each(|text| self.save(&name, kind, text));
        self.with_names_hidden(vec![text], Box::new(save));
    }

    /// Saves a text as it is.
    pub fn save(self, name: &str, kind: &str, text: &str) {
        self.say_if_refused(name, save_text(name, kind, text));
    }

    /// Saves a picture.
    pub fn save_picture(self, name: &str, picture: &Blob) {
        self.say_if_refused(name, save_blob(name, picture));
    }

    fn say_if_refused(self, name: &str, saved: Result<(), JsValue>) {
        if saved.is_err() {
            let what = format!("The browser did not save {name}. Allow downloads for this site, and save it again.");
            self.fault.set(Some(what));
        }
    }

    /// Puts a text on the clipboard and says so.
    pub fn copy(self, text: String) {
        spawn_local(async move {
            if clipboard::copy_text(&text).await {
                self.confirm("Copied.");
            } else {
                let what = "The browser did not allow copying. Select the text, or download it.";
                self.fault.set(Some(what.to_owned()));
            }
        });
    }
}

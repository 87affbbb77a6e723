//! Transferring the files of a drop to the engine, as far as it needs them.
//!
//! For each copy of a handle the browser asks the disk for the file's size, a quarter of a millisecond or more, in which
//! the page does not answer: files go in parts, and the engine reads those that are there meanwhile.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::client::Engine;
use super::link::{Answer, Then, refuse};
use crate::app::browser::timing::{now, pause};
use rundown_protocol::Request;

/// Milliseconds after which the page answers before the next part.
const PART_MS: f64 = 15.0;

impl Engine {
    /// Names files for request `id` to the engine, now or once it is up; `then` gets the answer.
    pub(super) fn offer_files(self, id: u32, files: Vec<(String, File)>, then: Then<Answer>) {
        let (paths, files): (Vec<String>, Vec<File>) = files.into_iter().unzip();
        let request = Request::AddFiles { paths, formats: self.formats() };
        let refused = self.link.try_update_value(|link| {
            link.offered.insert(id, files);
            link.send(id, request, then)
        });
        if let Some(then) = refused.flatten() {
            refuse(then);
        }
    }

    /// Posts those files that the engine needs, given by their places.
    pub(super) fn post_files(self, id: u32, wanted: Vec<u32>) {
        let offered = self.link.try_update_value(|link| link.offered.remove(&id)).flatten().unwrap_or_default();
        spawn_local(async move {
            let mut files = wanted.iter().filter_map(|place| offered.get(*place as usize)).peekable();
            // A request that is not waited for any more was stopped, or the one of an engine that has ended.
            while files.peek().is_some() && self.is_expected(id) {
                let began = now();
                let mut part: Vec<File> = Vec::new();
                while now() - began < PART_MS
                    && let Some(file) = files.next()
                {
                    // Asks the disk; the copy then has nothing to ask for.
                    let _ = file.size();
                    part.push(file.clone());
                }
                let refused = self.link.try_update_value(|link| link.post(id, Request::TakeFiles, &part)).flatten();
                if let Some(then) = refused {
                    return refuse(then);
                }
                pause(0).await;
            }
        });
    }

    fn is_expected(self, id: u32) -> bool {
        self.link.try_update_value(|link| link.is_pending(id)) == Some(true)
    }
}

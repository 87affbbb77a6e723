//! Posting the files of a drop to the engine. Each handle is copied for it, so that those of thousands of files would keep
//! the page from answering: they go in parts, with time for others between two.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::client::Engine;
use super::link::{Answer, Then, refuse};
use crate::app::browser::timing::pause;
use crate::protocol::Request;

/// Files posted at once.
const PART: usize = 250;
/// Milliseconds between two looks whether the engine is up.
const STARTING_MS: i32 = 10;

impl Engine {
    /// Posts files for request `id`, now or once the engine is up; `then` gets the answer.
    pub(super) fn post_files(self, id: u32, files: Vec<(String, File)>, then: Then<Answer>) {
        self.link.try_update_value(|link| link.expect(id, then));
        spawn_local(async move {
            let mut files = files.into_iter();
            // A request that is not waited for any more was the one of an engine that stopped.
            while self.is_expected(id) {
                if self.is_starting() {
                    pause(STARTING_MS).await;
                    continue;
                }
                let (paths, handles): (Vec<String>, Vec<File>) = files.by_ref().take(PART).unzip();
                let has_more = files.len() > 0;
                let request = Request::AddFiles { paths, formats: self.formats(), has_more };
                let refused = self.link.try_update_value(|link| link.post(id, request, &handles)).flatten();
                if let Some(then) = refused {
                    return refuse(then);
                }
                if !has_more {
                    return;
                }
                pause(0).await;
            }
        });
    }

    fn is_expected(self, id: u32) -> bool {
        self.link.try_update_value(|link| link.is_pending(id)) == Some(true)
    }

    fn is_starting(self) -> bool {
        self.link.try_update_value(|link| link.is_starting()) == Some(true)
    }
}

//! Posting the files of a drop to the engine. For each copy of a handle the browser asks the disk for the file's size, a
//! quarter of a millisecond or more: files go in parts, and between two parts the page answers.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::client::Engine;
use super::link::{Answer, Then, refuse};
use crate::app::browser::timing::{now, pause};
use rundown_protocol::Request;

/// Files of the first part. Their time gives the number of the next one.
const FIRST_PART: usize = 32;
/// Fewest and most files of a part.
const PART: (f64, f64) = (8.0, 2_000.0);
/// Milliseconds that a part should take.
const PART_MS: f64 = 20.0;
/// Milliseconds between two looks whether the engine is up.
const STARTING_MS: i32 = 10;

impl Engine {
    /// Posts files for request `id`, now or once the engine is up; `then` gets the answer.
    pub(super) fn post_files(self, id: u32, files: Vec<(String, File)>, then: Then<Answer>) {
        self.link.try_update_value(|link| link.expect(id, then));
        spawn_local(async move {
            let mut files = files.into_iter();
            let mut part = FIRST_PART;
            // A request that is not waited for any more was the one of an engine that stopped.
            while self.is_expected(id) {
                if self.is_starting() {
                    pause(STARTING_MS).await;
                    continue;
                }
                let (paths, handles): (Vec<String>, Vec<File>) = files.by_ref().take(part).unzip();
                let has_more = files.len() > 0;
                let began = now();
                let request = Request::AddFiles { paths, formats: self.formats(), has_more };
                let refused = self.link.try_update_value(|link| link.post(id, request, &handles)).flatten();
                if let Some(then) = refused {
                    return refuse(then);
                }
                if !has_more {
                    return;
                }
                part = next_part(part, now() - began);
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

/// How many files to post next, after so many took so many milliseconds.
fn next_part(files: usize, took: f64) -> usize {
    let (least, most) = PART;
    // At most doubled: some files take longer than others.
    let wanted = files as f64 * (PART_MS / took.max(1.0)).min(2.0);
    wanted.clamp(least, most) as usize
}

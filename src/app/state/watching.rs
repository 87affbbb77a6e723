//! A folder that is being written is followed as a run on a server is: what changed in it is read again.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::app_state::AppState;
use crate::app::browser::changed_files::{Stamps, changed};
use crate::app::browser::folder_walk::NamedFile;
use crate::app::browser::timing::{pause, test_override};
use crate::app::browser::watched_folder::{WatchedFolder, can_watch, choose_folder, stamp};

/// Milliseconds between two looks at the folder.
const PAUSE_MS: i32 = 5_000;

impl AppState {
    /// Lets the user choose a folder and follows it until they stop that or close the runs.
    pub fn watch_folder(self) {
        if !can_watch() {
            let what = "This browser can't watch a folder. Chrome and Edge can; here, drop the folder again to read \
                        what is new.";
            self.fault.set(Some(what.to_owned()));
            return;
        }
        spawn_local(async move {
            if let Some(folder) = choose_folder().await {
                self.follow(folder).await;
            }
        });
    }

    /// Stops following the folder. What was read of it stays.
    pub fn stop_watching(self) {
        self.watched.set(None);
    }

    async fn follow(self, folder: WatchedFolder) {
        let name = Arc::new(folder.name());
        self.watched.set(Some(Arc::clone(&name)));
        // Watching may have been stopped and begun again during a pause, even of the same folder.
        let goes_on = || self.watched.try_get_untracked().flatten().is_some_and(|now| Arc::ptr_eq(&now, &name));
        let mut seen = Stamps::new();
        let mut is_first = true;
        while goes_on() {
            let files = folder.files().await;
            if !goes_on() {
                return;
            }
            let Ok(files) = files else {
                self.watched.set(None);
                self.fault.set(Some(format!("{name} can no longer be read, so it is no longer watched.")));
                return;
            };
            let now: Stamps = files.iter().map(|(path, file)| (path.clone(), stamp(file))).collect();
            let fresh = changed(&seen, &now);
            let files = files.into_iter().filter(|(path, _)| fresh.contains(path));
            let files: Vec<NamedFile> = files.map(|(path, file)| (path, file.into())).collect();
            seen = now;
            if is_first && files.is_empty() {
                self.fault.set(Some(format!("There is no file in {name} yet. It is watched from now on.")));
            }
            if !files.is_empty() {
                self.add_watched(files, is_first).await;
            }
            is_first = false;
            pause(test_override("rundownPause").map_or(PAUSE_MS, |value| value as i32)).await;
        }
    }

    /// Reads what is new in the folder, and waits until that is done.
    async fn add_watched(self, files: Vec<NamedFile>, is_first: bool) {
        let outcome = self.engine.add_changed_files(files).await;
        if is_first {
            self.finish_loading(outcome);
        } else {
            self.finish_loading_in_background(outcome);
        }
    }
}

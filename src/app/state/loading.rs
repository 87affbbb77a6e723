//! Adding runs, and taking over the list that comes of it.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::app_state::{AppState, Walks};
use super::view_state::ViewState;
use crate::app::browser::clipboard;
use crate::app::browser::folder_walk::Dropped;
use crate::app::engine::AskError;
use crate::format::{counted, plural};
use crate::protocol::RunList;

impl AppState {
    /// Reads files and takes over the list that comes of it.
    pub fn add_files(self, files: Vec<(String, File)>) {
        if files.is_empty() {
            self.fault.set(Some("There was no file in what was dropped or chosen.".to_owned()));
            return;
        }
        self.fault.set(None);
        self.engine.add_files(files, move |outcome| self.settle(outcome));
    }

    /// Walks through what was dropped and reads it.
    pub fn add_dropped(self, dropped: Dropped) {
        spawn_local(async move {
            let began = self.walks.get_untracked().stopped;
            self.walks.update(|walks| walks.active += 1);
            let goes_on = move |found: usize| {
                self.walks.update(|walks| walks.found += found);
                self.walks.get_untracked().stopped == began
            };
            let Some(found) = dropped.walk(goes_on).await else { return };
            self.walks.update(|walks| {
                walks.active = walks.active.saturating_sub(1);
                if walks.active == 0 {
                    walks.found = 0;
                }
            });
            self.add_files(found.files);
            if found.lost > 0 {
                let lost = format!("{} {}", found.lost, plural(found.lost, "file or folder", "files or folders"));
                self.fault.set(Some(format!("{lost} could not be opened by the browser and were skipped.")));
            }
        });
    }

    /// Reads the sample project.
    pub fn add_sample(self) {
        self.fault.set(None);
        self.engine.add_sample(move |outcome| self.settle(outcome));
    }

    /// Fetches runs that a server offered.
    pub fn add_fetched(self, runs: Vec<String>) {
        self.fault.set(None);
        self.engine.add_fetched(self.server.get_untracked(), runs, move |outcome| self.settle(outcome));
    }

    /// Forgets all runs.
    pub fn clear(self) {
        self.engine.clear(move |outcome| {
            self.address.choose(|state| *state = ViewState::default());
            self.settle(outcome);
        });
    }

    /// Asks for the list again, such as after the engine was restarted.
    pub fn refresh(self) {
        self.engine.list(move |outcome| self.settle(outcome));
    }

    /// Stops the walk through folders and the reading under way.
    pub fn cancel(self) {
        self.walks.update(|walks| *walks = Walks { stopped: walks.stopped.wrapping_add(1), ..Walks::default() });
        self.engine.cancel();
    }

    /// Takes over what came of reading, or says what went wrong.
    pub fn settle(self, outcome: Result<RunList, AskError>) {
        match outcome {
            Ok(list) => self.accept(list),
            // What was read before the stop is kept.
            Err(AskError::Cancelled) => self.refresh(),
            Err(AskError::Failed(text)) => self.fault.set(Some(text)),
        }
    }

    /// Puts a text on the clipboard and says so.
    pub fn copy(self, text: String) {
        spawn_local(async move {
            if clipboard::copy_text(&text).await {
                self.announcement.set("Copied.".to_owned());
            } else {
                let what = "The browser did not allow copying. Select the text, or download it.";
                self.fault.set(Some(what.to_owned()));
            }
        });
    }

    fn accept(self, list: RunList) {
        let old = self.runs.list.get_untracked();
        // The engine numbers runs upwards.
        let newest = old.runs.iter().map(|row| row.run).max();
        let fresh =
            list.runs.iter().find(|row| newest.is_some_and(|newest| row.run > newest)).map(|row| row.id.clone());
        self.announcement.set(format!(
            "{} read from {}.",
            counted(list.runs.len(), "run"),
            counted(list.files as usize, "file")
        ));
        if let Some(text) = nothing_found(&list) {
            self.fault.set(Some(text));
        } else if !list.fault.is_empty() {
            self.fault.set(Some(list.fault.clone()));
        }
        if !list.news.is_empty() {
            self.news.set(Arc::new(list.news.clone()));
        }
        self.runs.revision.update(|revision| *revision += 1);
        self.runs.list.set(Arc::new(list));
        // Files dropped on a page that shows runs already: show what they brought.
        if let Some(id) = fresh {
            self.address.choose(|state| state.run = Some(id));
        }
    }
}

fn nothing_found(list: &RunList) -> Option<String> {
    (list.runs.is_empty() && list.files > 0).then(|| {
        format!(
            "No run was found in {}. Drop a wandb folder, a .wandb file, or a log of metrics as CSV or JSON Lines.",
            counted(list.files as usize, "file")
        )
    })
}

//! Adding runs, and taking over the list that comes of it.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::app_state::{AppState, Closed};
use super::folder_walks::Walks;
use super::run_set;
use super::runs::{FirstRuns, Growth};
use super::view_state::ViewState;
use crate::app::browser::folder_walk::{Dropped, NamedFile};
use crate::app::browser::site::embedded_sample;
use crate::app::engine::{AskError, Source};
use rundown_format::{counted, plural};
use rundown_protocol::{FormatChoice, Request, RunList};

/// News that are kept until they are looked at.
const MAX_NEWS: usize = 200;

impl AppState {
    /// Reads files and takes over the list that comes of it.
    pub fn add_files(self, files: Vec<NamedFile>) {
        if files.is_empty() {
            self.fault.set(Some("What you dropped or chose contains no files.".to_owned()));
            return;
        }
        self.read(Source::Files(files));
    }

    /// Walks through what was dropped and reads it.
    pub fn add_dropped(self, dropped: Dropped) {
        spawn_local(async move {
            let walk = self.walks.try_update(Walks::begin).unwrap_or_default();
            let goes_on = move |found| self.walks.try_update(|walks| walks.add(walk, found)) == Some(true);
            let Some(found) = dropped.walk(goes_on).await else { return };
            self.walks.update(|walks| walks.end(walk));
            self.add_files(found.files);
            if found.lost > 0 {
                let was = plural(found.lost, "was", "were");
                let lost = counted(found.lost, "folder");
                self.fault.set(Some(format!("{lost} could not be opened by the browser and {was} skipped.")));
            }
        });
    }

    /// Reads the sample project.
    pub fn add_sample(self) {
        spawn_local(async move {
            let sample = embedded_sample().await;
            self.read(sample.map_or(Source::Sample, |sample| Source::Files(vec![sample])));
        });
    }

    /// Fetches runs that a server offered.
    pub fn add_fetched(self, runs: Vec<String>) {
        self.read(Source::Server(self.server.get_untracked(), runs));
    }

    fn read(self, source: Source) {
        self.fault.set(None);
        let list = self.engine.add_runs(source);
        spawn_local(async move { self.finish_loading(list.await) });
    }

    /// Closes all runs; [`AppState::reopen`] takes that back.
    pub fn clear(self) {
        let runs = self.runs.list.with_untracked(|list| list.runs.len());
        let view = self.address.now();
        let opening = self.projects.close();
        self.engine.clear(move |outcome| {
            self.address.choose(|state| *state = ViewState::default());
            self.list_is_open.set(false);
            self.news.set(Arc::default());
            self.watched.set(None);
            self.runs.forget_shown();
            self.closed.set((runs > 0).then_some(Closed::All { runs, view: Box::new(view), opening }));
            self.finish_loading(outcome);
        });
    }

    /// Opens the runs again that were closed last, and what was looked at.
    pub fn reopen(self) {
        let Some(closed) = self.closed.get_untracked() else { return };
        self.closed.set(None);
        // The list is asked for when everything was read.
        match closed {
            Closed::All { view, opening, .. } => {
                self.projects.reopen(opening);
                self.address.choose(|state| *state = *view);
                self.engine.restore();
            }
            Closed::One { id, .. } => {
                self.keep_open_run();
                self.engine.restore_run(id);
            }
        }
    }

    /// Reads everything once more, with a file in another format; none is the engine's own choice.
    pub fn choose_format(self, path: String, format: Option<FormatChoice>) {
        self.keep_open_run();
        self.engine.choose_format(path, format);
    }

    /// Keeps open what is open while the engine reads everything once more: each run gets a new number then.
    fn keep_open_run(self) {
        self.runs.growth.set_value(Growth::default());
    }

    /// Asks for the list again, such as after the engine was restarted.
    pub fn refresh(self) {
        self.engine.ask_for(Request::ListRuns, move |outcome| self.finish_loading(outcome));
    }

    /// Stops the walk through folders and the reading under way.
    pub fn cancel(self) {
        self.walks.update(Walks::stop);
        self.projects.note_stop();
        self.engine.cancel();
    }

    /// Takes over what came of reading, or says what went wrong, and opens the first new run.
    pub fn finish_loading(self, outcome: Result<RunList, AskError>) {
        let Growth { newest, first_runs, .. } = self.runs.growth.get_value();
        let has_chosen = matches!(first_runs, FirstRuns::Came(run) if run != self.address.now().run);
        if let Some(list) = self.finish_loading_in_background(outcome)
            && newest > 0
            && !list.is_partial
            && !has_chosen
            && let Some(id) = run_set::first_new(newest, &list)
        {
            // Files dropped on a page that shows runs already: show what they brought.
            self.address.choose(|state| state.run = Some(id));
        }
    }

    /// Shows the runs that are there while others are still being read. What is open stays open.
    pub fn show_early(self, list: RunList) {
        self.note_news(&list);
        // A restarted engine begins anew with what is shown already.
        if list.runs.len() < self.runs.list.with_untracked(|known| known.runs.len()) {
            return;
        }
        self.runs.growth.update_value(|growth| {
            if growth.first_runs == FirstRuns::Awaited {
                growth.first_runs = FirstRuns::Came(self.address.now().run);
            }
        });
        self.runs.list.set(Arc::new(list));
    }

    /// Takes over what came of reading that the user did not ask for just now.
    pub fn finish_loading_in_background(self, outcome: Result<RunList, AskError>) -> Option<Arc<RunList>> {
        match outcome {
            Ok(list) => return Some(self.accept(list)),
            // What was read before the stop is kept.
            Err(AskError::Cancelled) => self.runs.growth.update_value(|growth| growth.is_list_due = true),
            Err(AskError::Failed(text)) => self.fault.set(Some(text)),
        }
        self.refresh_if_due();
        None
    }

    /// Asks for the list after a stop. A reading that goes on, such as one that reads everything again, ends with the list of
    /// all, unless it fails.
    fn refresh_if_due(self) {
        if self.engine.progress().with_untracked(Option::is_some) {
            return;
        }
        let is_due = self.runs.growth.try_update_value(|growth| std::mem::take(&mut growth.is_list_due));
        if is_due == Some(true) {
            self.refresh();
        }
    }

    fn accept(self, list: RunList) -> Arc<RunList> {
        self.announcement.set(format!("{}: {}.", counted(list.runs.len(), "run"), list.read));
        if let Some(text) = nothing_found(&list) {
            self.fault.set(Some(text));
        } else if !list.fault.is_empty() {
            self.fault.set(Some(list.fault.clone()));
        }
        self.note_news(&list);
        if !list.is_partial {
            self.runs.growth.set_value(Growth { newest: run_set::newest(&list), ..Growth::default() });
        }
        self.projects.has_unkept.set(!list.runs.is_empty() && self.has_files());
        let list = Arc::new(list);
        self.runs.revision.update(|revision| *revision += 1);
        self.runs.list.set(Arc::clone(&list));
        list
    }

    fn note_news(self, list: &RunList) {
        if list.news.is_empty() {
            return;
        }
        self.news.update(|news| {
            let mut all = list.news.clone();
            all.extend(news.iter().filter(|row| !list.news.contains(row)).cloned());
            all.truncate(MAX_NEWS);
            *news = Arc::new(all);
        });
    }
}

fn nothing_found(list: &RunList) -> Option<String> {
    const REMEDY: &str = "Drop a wandb folder, a .wandb file, or a log of metrics as CSV or JSON Lines.";
    if !list.runs.is_empty() || list.files == 0 {
        return None;
    }
    // What is wrong with the one file says more than its number.
    if let ([problem], 1) = (&list.problems[..], list.files) {
        return Some(format!("No run was found in {}: {} {REMEDY}", problem.file, problem.text));
    }
    Some(format!("No run was found in {}. {REMEDY}", counted(list.files as usize, "file")))
}

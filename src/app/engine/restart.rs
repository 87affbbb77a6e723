//! A new engine in place of one that crashed or did not stop: it reads everything again, without what the old one was
//! working on. After the first crash the file or run is seldom known: the new engine names each before it begins, so that
//! a second crash tells.

use leptos::prelude::*;

use super::client::Engine;
use super::connection::{AskError, Stopped};
use rundown_protocol::Request;

/// Engines that may crash on what the user added last before the page gives up on it.
const RESTARTS: u32 = 8;

impl Engine {
    /// Replaces a stopped engine by a new one that reads everything again, without what the old one crashed on.
    pub(super) fn restart(self, why: &str, has_crashed: bool) {
        let Some(stopped) = self.connection.try_update_value(|connection| connection.stop(has_crashed)) else { return };
        let Stopped { pending, culprit, crashes, worker_number } = stopped;
        self.progress.set(None);
        self.reset_watchdog();
        let notice = format!("{why} {}", culprit.sentence()).trim_end().to_owned();
        for then in pending {
            then(Err(AskError::Failed(notice.clone())));
        }
        if crashes > RESTARTS {
            self.notice.set(Some(format!("{notice} It stopped too often: reload the page and add fewer files.")));
            return;
        }
        self.notice.set(Some(notice));
        self.start();
        if self.connection.try_update_value(|connection| connection.names_each) == Some(true) {
            self.ask(Request::NameEach, |_| {});
        }
        let settings = self.connection.try_update_value(|connection| connection.settings.clone()).unwrap_or_default();
        if !settings.is_empty() {
            self.apply(settings, |_| {});
        }
        self.read_all_again(worker_number);
    }

    /// Reads everything that the user added once more, but for what is excluded.
    pub(super) fn read_all_again(self, worker_number: u32) {
        let excluded = self.connection.try_update_value(|connection| connection.excluded.clone()).unwrap_or_default();
        if !excluded.files.is_empty() || !excluded.runs.is_empty() {
            self.ask(Request::Exclude { files: excluded.files, runs: excluded.runs }, |_| {});
        }
        self.read_again(worker_number, 0);
    }

    /// Reads what the user added once more, batch after batch behind the one named, so that each run gets the number
    /// that it had. A batch that fails or is cancelled costs itself alone; an engine that crashes meanwhile starts over.
    fn read_again(self, worker_number: u32, after: u32) {
        if self.connection.try_update_value(|connection| connection.worker_number) != Some(worker_number) {
            return;
        }
        match self.connection.try_update_value(|connection| connection.batch_after(after)).flatten() {
            Some(batch) => {
                let id = batch.id;
                self.read_batch(batch, Box::new(move |_| self.read_again(worker_number, id)));
            }
            None => self.generation.update(|generation| *generation += 1),
        }
    }
}

//! Removing one run.

use leptos::prelude::*;

use super::app_state::AppState;

impl AppState {
    /// Forgets a run until its files are dropped again.
    pub fn remove_run(self, run: u32) {
        let runs = self.runs.list.with_untracked(|list| list.runs.len());
        if runs <= 1 {
            return self.clear();
        }
        let (id, name) = (self.runs.id(run), untrack(|| self.runs.name(run)));
        self.engine.remove(vec![id], move |outcome| {
            let is_gone = outcome.is_ok();
            self.settle(outcome);
            if is_gone {
                self.announcement.set(format!("{name} was removed. Drop its files again to have it back."));
            }
        });
    }
}

//! Removing one run.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::app_state::{AppState, Closed};
use super::listing::neighbour;
use super::run_command::row_id;
use crate::app::browser::elements::focus;
use crate::app::browser::timing::on_frame;
use crate::app::engine::Source;

impl AppState {
    /// Forgets a run until its files are dropped again; [`AppState::reopen`] takes that back. The focus goes to the row of
    /// its neighbour, which is opened where the run was open.
    pub fn remove_run(self, run: u32) {
        let runs = self.runs.list.with_untracked(|list| list.runs.len());
        if runs <= 1 {
            return self.clear();
        }
        let (id, name) = (self.runs.id(run), untrack(|| self.runs.name(run)));
        let next = self.beside(run);
        let list = self.engine.add_runs(Source::Removed(vec![id.clone()]));
        spawn_local(async move {
            let outcome = list.await;
            let is_gone = outcome.is_ok();
            if is_gone && self.runs.open.get_untracked() == Some(run) {
                let next = next.map(|next| self.runs.id(next));
                self.address.adjust(|state| state.run = next);
            }
            self.finish_loading(outcome);
            if !is_gone {
                return;
            }
            self.announcement.set(format!("{name} was removed."));
            self.closed.set(Some(Closed::One { id, name }));
            if let Some(next) = next {
                on_frame(move || focus(&row_id(next)));
            }
        });
    }

    /// The run below another one in the list, else the one above it.
    fn beside(self, run: u32) -> Option<u32> {
        let (list, rows) = (self.runs.list.get_untracked(), self.runs.rows.get_untracked());
        let beside = |by| neighbour(&list, &rows, Some(run), by).filter(|beside| *beside != run);
        beside(1).or_else(|| beside(-1))
    }
}

//! Showing and hiding runs in the charts. The first change makes a choice of the user's out of what is shown at first.

use leptos::prelude::*;

use super::app_state::AppState;
use super::run_set::{self, MAX_SHOWN};

/// Runs of "show best five".
const BEST: usize = 5;

impl AppState {
    /// Shows a run in the charts, or hides it.
    pub fn toggle_shown(self, run: u32) {
        let id = self.runs.id(run);
        let shown = self.shown_ids();
        let ids = run_set::toggled(&shown, &id);
        if ids == shown {
            self.confirm(format!("Charts draw {MAX_SHOWN} runs at most: hide one first."));
            return;
        }
        self.runs.range_anchor.set_value(Some(id));
        self.choose_shown(Some(ids));
    }

    /// Shows everything from the run that was last shown or hidden, else from the open one, to this one; this one alone where
    /// the filter leaves neither.
    pub fn show_range_to(self, run: u32) {
        let id = self.runs.id(run);
        let open = self.runs.open.get_untracked().map(|open| self.runs.id(open));
        let from: Vec<String> = self.runs.range_anchor.get_value().into_iter().chain(open).collect();
        let ids = run_set::with_range(&self.shown_ids(), &self.listed_ids(), &from, &id);
        self.runs.range_anchor.set_value(Some(id));
        self.choose_shown(Some(ids));
    }

    /// Shows a run alone; once more, what was shown before.
    pub fn isolate(self, run: u32) {
        let id = self.runs.id(run);
        let shown = self.shown_ids();
        let ids = run_set::isolated(&shown, &id, self.runs.before_isolation.get_value());
        if shown != [id.clone()] {
            self.runs.before_isolation.set_value(self.address.now().shown);
        }
        self.runs.range_anchor.set_value(Some(id));
        self.choose_shown(ids);
    }

    /// Shows the best of the runs that the filter leaves.
    pub fn show_best(self) {
        let mut rows = self.runs.rows.get_untracked().to_vec();
        // The engine lists the best first.
        rows.sort_unstable();
        rows.truncate(BEST);
        self.choose_shown(Some(self.ids(&rows)));
    }

    /// Shows all runs that the filter leaves, as many as charts draw.
    pub fn show_listed(self) {
        let mut ids = self.listed_ids();
        ids.truncate(MAX_SHOWN);
        self.choose_shown(Some(ids));
    }

    /// Shows these runs, or with `None` what is shown at first: the open run and the best four.
    pub fn choose_shown(self, ids: Option<Vec<String>>) {
        self.address.choose(|state| state.shown = ids);
    }

    /// Ids of the runs that charts draw now.
    fn shown_ids(self) -> Vec<String> {
        self.runs.shown.with_untracked(|shown| shown.iter().map(|shown| shown.id.clone()).collect())
    }

    /// Ids of the runs that the filter leaves, in the order of the list.
    fn listed_ids(self) -> Vec<String> {
        self.ids(&self.runs.rows.get_untracked())
    }

    fn ids(self, rows: &[usize]) -> Vec<String> {
        let list = self.runs.list.get_untracked();
        rows.iter().filter_map(|row| list.runs.get(*row)).map(|row| row.id.clone()).collect()
    }
}

//! Runs that are still running are looked at again, and what is new in them is notified where the user allowed that.

use leptos::prelude::*;

use crate::app::browser::notifications::notify;
use crate::app::browser::timing::{after, test_override};
use crate::app::state::AppState;
use rundown_protocol::{NewsRow, Request, RunList, SeverityMark};

/// Milliseconds between two looks. A trainer logs a row every few seconds at best, and W&B asks for patience.
const PAUSE_MS: i32 = 20_000;

/// Polls after a pause while some run is still running. Each new list starts the next pause. Call it once, at the root.
pub fn follow_runs(app: AppState) {
    let last_fault = StoredValue::new(String::new());
    Effect::new(move |_| {
        let revision = app.runs.revision.get();
        if app.runs.list.with_untracked(|list| list.running) == 0 {
            // Nothing is followed any more: the next fault is shown even if it is the same one.
            return last_fault.set_value(String::new());
        }
        poll_later(app, last_fault, revision, true);
    });
}

/// Goes on after a failure, which is shown once: the network may come back. `last_fault` is the fault of the last poll.
fn poll_later(app: AppState, last_fault: StoredValue<String>, revision: u32, is_first: bool) {
    let pause = test_override("rundownPause").map_or(PAUSE_MS, |value| value as i32);
    after(pause, move || {
        // Another list came in between and has its own timer.
        if app.runs.revision.try_get_untracked() != Some(revision) {
            return;
        }
        app.engine.ask_for(Request::Poll, move |mut outcome: Result<RunList, _>| {
            if let Ok(list) = &mut outcome {
                clear_repeated_fault(last_fault, &mut list.fault);
            }
            let has_failed = outcome.is_err();
            if is_first || !has_failed {
                app.finish_loading(outcome);
            }
            if has_failed {
                poll_later(app, last_fault, revision, false);
            }
        });
    });
}

/// Empties a fault that is the same as that of the poll before, so that it is shown once.
fn clear_repeated_fault(last_fault: StoredValue<String>, fault: &mut String) {
    last_fault.update_value(|last| {
        if last == fault {
            fault.clear();
        } else {
            last.clone_from(fault);
        }
    });
}

/// Notifies critical findings as they come. Call it once, at the root.
pub fn notify_news(app: AppState) {
    Effect::new(move |before: Option<Vec<NewsRow>>| {
        let news = app.news.get();
        let before = before.unwrap_or_default();
        let fresh = news.iter().filter(|row| row.severity == SeverityMark::Critical && !before.contains(row));
        fresh.for_each(|row| notify(&row.text));
        news.to_vec()
    });
}

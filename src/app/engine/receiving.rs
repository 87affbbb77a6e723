//! What comes from the engine: that it is up, how far it is, runs so far, and answers.

use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::MessageEvent;

use super::client::Engine;
use super::connection::{AskError, Connection, refuse};
use crate::app::browser::timing::now;
use rundown_protocol::{Event, Fault, Progress, VERSION, Work, decode};

/// Milliseconds between two drawings of the progress bar while files are read and runs are diagnosed.
const PROGRESS_MS: f64 = 60.0;

impl Engine {
    /// Takes a message of the engine.
    pub(super) fn receive(self, event: &MessageEvent) {
        self.reset_watchdog();
        let parts = Array::from(&event.data());
        let bytes = parts.get(0).unchecked_into::<Uint8Array>().to_vec();
        match decode(&bytes) {
            Ok(Event::Ready { version: VERSION }) => {
                for then in self.connection.try_update_value(Connection::ready).unwrap_or_default() {
                    refuse(then);
                }
            }
            Ok(Event::Ready { .. }) | Err(_) => self.notice.set(Some(Fault::UnreadableRequest.to_string())),
            Ok(Event::Wanted { id, files }) => self.post_files(id, files),
            Ok(Event::Progress { id, progress }) => self.note_progress(id, progress),
            Ok(Event::Runs { id, list }) => {
                let is_wanted = self.connection.try_update_value(|connection| connection.is_pending(id)) == Some(true);
                if let Some(take) = self.on_list.try_get_value().flatten().filter(|_| is_wanted) {
                    take(list);
                }
            }
            Ok(Event::Answer { id, answer }) => {
                let arrays = arrays(parts.get(1).unchecked_ref(), parts.get(2).unchecked_ref());
                if let Some(then) = self.connection.try_update_value(|connection| connection.take_pending(id)).flatten()
                {
                    then(answer.map(|reply| (reply, arrays)).map_err(AskError::from));
                }
            }
        }
    }

    fn note_progress(self, id: u32, progress: Progress) {
        let is_shown = self.connection.try_update_value(|connection| {
            connection.work.begin(id, progress.work.clone());
            connection.reads.first().is_some_and(|read| read.request == id)
        });
        // Files are read and runs are diagnosed faster than a bar can be drawn.
        let is_one_of_many = matches!(progress.work, Work::Reading { .. } | Work::Diagnosing { .. });
        let is_news = !is_one_of_many || self.is_due();
        if is_shown == Some(true) && is_news {
            self.progress.set(Some(progress));
        }
    }

    /// True now and then: when the last progress was shown long enough ago.
    fn is_due(self) -> bool {
        let now = now();
        let is_due = self.shown_at.try_update_value(|shown_at| {
            let is_due = now - *shown_at > PROGRESS_MS;
            if is_due {
                *shown_at = now;
            }
            is_due
        });
        is_due == Some(true)
    }
}

/// The arrays of an answer, which the engine sends concatenated, with the length of each.
fn arrays(numbers: &Float64Array, lengths: &Uint32Array) -> Vec<Vec<f64>> {
    let numbers = numbers.to_vec();
    let mut rest = numbers.as_slice();
    let next = |length: u32| {
        let (array, behind) = rest.split_at_checked(length as usize).unwrap_or((rest, &[]));
        rest = behind;
        array.to_vec()
    };
    lengths.to_vec().into_iter().map(next).collect()
}

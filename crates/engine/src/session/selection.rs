//! The runs that a request names: of ten thousand it may name thousands, so they are not looked for one by one.

use std::collections::BTreeMap;

use super::{Session, SessionRun};
use rundown_stats::CompactCollect as _;

impl Session {
    /// The runs of these numbers, in their order; those that are not loaded are left out.
    pub(super) fn numbered(&self, numbers: &[u32]) -> Vec<&SessionRun> {
        if let [number] = numbers {
            return self.loaded(*number).into_iter().collect();
        }
        let by_number: BTreeMap<u32, &SessionRun> =
            self.runs.iter().map(|loaded| (loaded.number, loaded)).compact_collect();
        numbers.iter().filter_map(|number| by_number.get(number).copied()).collect()
    }

    /// The runs that a request names, all of them when it names none; in the order of the session.
    pub(super) fn chosen(&self, numbers: &[u32]) -> impl Iterator<Item = &SessionRun> {
        let is_chosen = is_chosen(numbers);
        self.runs.iter().filter(move |loaded| is_chosen(loaded.number))
    }
}

/// Whether a request that names these runs, or none for all of them, means a run.
pub(super) fn is_chosen(numbers: &[u32]) -> impl Fn(u32) -> bool + use<> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    move |number| sorted.is_empty() || sorted.binary_search(&number).is_ok()
}

//! Runs that are there before all files of their drop were read.
//!
//! They are diagnosed, listed and opened as any others. Once everything was read, all files are joined as if nothing had
//! been shown before; a run that came out the same keeps its number and its diagnosis.

use std::collections::BTreeMap;

use super::loaded::{SessionRun, identity_of};
use super::{PendingRun, Reading, Session};
use rundown_ingest::{AssembledRun, Budget};
use rundown_protocol::RunIdentity;

impl Session {
    /// Begins to read a drop of files, given by their paths. `id` tells it from other drops.
    pub fn begin_reading(&self, id: u32, paths: &[&str]) -> Reading {
        let known = self.runs.iter().map(|loaded| loaded.run.run().id.clone()).collect();
        // What is there already takes its part of the memory.
        let budget = Budget::with_loaded(self.runs.iter().map(|loaded| loaded.run.run()));
        Reading::new(id, paths, known, budget)
    }

    /// Adds the runs that became whole with the last file of the drop, and gives them to be diagnosed.
    pub fn add_whole_runs(&mut self, reading: &mut Reading) -> Vec<PendingRun> {
        let runs = reading.whole_runs();
        if runs.is_empty() {
            return Vec::new();
        }
        let first = self.runs.len();
        for mut run in runs {
            self.config_keys.share(&mut run.config);
            self.last_number += 1;
            // Behind all others until its place is known.
            let mut run = SessionRun::new(self.last_number, u32::MAX, AssembledRun::Measured(run));
            run.early = Some(reading.id);
            self.runs.push(run);
        }
        self.forget_overviews();
        self.mark_excluded();
        self.runs.iter().skip(first).filter_map(SessionRun::pending).collect()
    }

    /// Joins everything that was read of a drop with the runs that are there.
    ///
    /// New runs, and those whose data changed, wait for a diagnosis afterwards.
    pub fn end_reading(&mut self, reading: Reading) {
        let id = reading.id;
        self.join(reading.into_assembler(), Some(id));
        self.removed_early.retain(|(drop, _)| *drop != id);
    }

    /// True for a run of this drop that was shown and removed before all of the drop was read.
    pub(super) fn was_removed(&self, reading: Option<u32>, run: &AssembledRun) -> bool {
        let is_it =
            |(drop, identity): &(u32, RunIdentity)| Some(*drop) == reading && *identity == identity_of(run.run());
        self.removed_early.iter().any(is_it)
    }

    /// How often [`Session::clear`] was called: a reading that one of them interrupts is dropped.
    pub fn clears(&self) -> u32 {
        self.clears
    }

    /// How many runs are diagnosed, and how many there are.
    pub fn diagnosed(&self) -> (u32, u32) {
        let done = self.runs.iter().filter(|loaded| loaded.run.diagnosis().is_some()).count();
        (done as u32, self.runs.len() as u32)
    }

    /// A run that was not there before this drop; `early` holds those of it that were shown.
    pub(super) fn new_run(&mut self, early: &mut BTreeMap<RunIdentity, SessionRun>, run: AssembledRun) -> SessionRun {
        self.last_place += 1;
        if let Some(shown) = early.remove(&identity_of(run.run())) {
            return shown.settled(self.last_place, run);
        }
        self.last_number += 1;
        SessionRun::new(self.last_number, self.last_place, run)
    }
}

#[cfg(test)]
mod tests;

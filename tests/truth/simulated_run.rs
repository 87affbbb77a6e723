//! A run as it was measured, before a framework names its metrics.

use std::collections::BTreeMap;

use rundown_run::RunState;

use super::plan::Plan;

/// How a run ended.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Finished,
    /// With an error, exit code 1.
    Crashed,
    /// Its file just stops.
    Cut,
}

impl End {
    pub fn state(self) -> RunState {
        match self {
            End::Finished => RunState::Finished,
            End::Crashed => RunState::Crashed,
            End::Cut => RunState::Unknown,
        }
    }
}

/// A setting beyond the usual ones, under a style's own key.
#[derive(Clone)]
pub enum Extra {
    Number(&'static str, &'static str, f64),
    Switch(&'static str, &'static str, bool),
    Text(&'static str, &'static str, &'static str),
    /// A final value.
    Summary(String, f64),
    /// A histogram of this key every ten steps.
    Histograms(String),
}

/// What was measured, by neutral names; steps count from 0.
pub struct SimulatedRun {
    pub plan: Plan,
    pub channels: BTreeMap<String, Vec<(usize, f64)>>,
    /// Seconds that each step took, evaluation included.
    pub seconds: Vec<f64>,
    /// First and last step (from 1) that are a right answer to "since when".
    pub onset: Option<(f64, f64)>,
    pub end: End,
    /// Last step that was logged.
    pub last: usize,
    /// Went back from the first to the second step once, and logged what lies between again.
    pub resumed: Option<(usize, usize)>,
    /// Only every so many steps came from the server.
    pub thinned: Option<usize>,
    /// Steps from one row to the next, evaluations apart.
    pub logged_every: usize,
    pub extras: Vec<Extra>,
}

impl SimulatedRun {
    /// The fault begins within these steps (from 0).
    pub fn since(mut self, from: usize, to: usize) -> Self {
        self.onset = Some((from as f64 + 1.0, to as f64 + 1.0));
        self
    }

    /// Changes the measured values of a channel, if it is there.
    pub fn edit(&mut self, channel: &str, change: impl Fn(usize, f64) -> f64) {
        for (step, value) in self.channels.get_mut(channel).into_iter().flatten() {
            *value = change(*step, *value);
        }
    }
}

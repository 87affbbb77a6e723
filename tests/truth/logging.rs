//! How often a trainer logs: each step, or the means of several.

use super::simulated_run::SimulatedRun;
use super::style::Style;

/// Steps between two rows of a log.
#[derive(Clone, Copy, PartialEq)]
pub enum Logging {
    /// A row for each step.
    EveryStep,
    /// A row for each tenth step, with the means of ten, as TRL and many loops write it: 20 to 48 rows. verl logs each step.
    EveryTenthStep,
}

impl Logging {
    /// The styles that log so.
    pub fn styles(self) -> &'static [Style] {
        match self {
            Logging::EveryStep => &Style::TRAINING,
            Logging::EveryTenthStep => &[Style::Trl, Style::Plain],
        }
    }

    fn steps(self) -> usize {
        match self {
            Logging::EveryStep => 1,
            Logging::EveryTenthStep => 10,
        }
    }

    /// The run as it is logged; evaluations stay where they were.
    pub fn apply(self, mut simulated: SimulatedRun) -> SimulatedRun {
        let every = self.steps();
        if every == 1 {
            return simulated;
        }
        let steps = simulated.plan.steps;
        for points in simulated.channels.values_mut().filter(|points| 2 * points.len() >= steps) {
            let mean = |block: &[(usize, f64)]| {
                let last = block.last().expect("a block has points").0;
                (last, block.iter().map(|(_, value)| value).sum::<f64>() / block.len() as f64)
            };
            *points = points.chunk_by(|a, b| a.0 / every == b.0 / every).map(mean).collect();
        }
        simulated.logged_every = every;
        simulated
    }
}

//! The diagnosis of a run: verdict, findings, quiet and skipped checks, costs.

use crate::samples::Samples;
use crate::{Code, Cost, Finding, Learning, Need, Quiet, Rulebook};
use rundown_format::{RichText, named_enum};
use rundown_vocabulary::{Bindings, Concept};

named_enum! {
    as_str
    /// The verdict of a run.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// No warning, and it learns as far as can be told.
        Good = "good",
        /// Too little data for a verdict.
        #[default]
        Undecided = "undecided",
        /// A warning, or no learning.
        Bad = "bad",
        /// A critical finding.
        Ugly = "ugly",
    }
}

/// Everything that Rundown says of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosis {
    /// The verdict.
    pub verdict: Verdict,
    /// The main point in plain words, such as "The policy games the reward instead of learning the task".
    pub headline: RichText,
    /// The verdict in one paragraph.
    pub summary: RichText,
    /// Which key stands for which concept, and whose names they are.
    pub bindings: Bindings,
    /// Whether the task is learned.
    pub learning: Learning,
    /// True for a policy whose actions are no tokens, as in games and control.
    pub acts_in_environment: bool,
    /// Findings: root causes first, worst first; the consequences of a finding follow it.
    pub findings: Vec<Finding>,
    /// What the policy wrote before and after the onset of two findings at most.
    pub samples: Vec<Samples>,
    /// Checks that looked and found nothing, in the order of the catalogue.
    pub quiet: Vec<Quiet>,
    /// Checks that could not look, in the order of the catalogue.
    pub skipped: Vec<Skipped>,
    /// How the metrics of each concept moved, in the order of [`Concept::ALL`]; the primary one of a concept first.
    pub movements: Vec<Movement>,
    /// What it cost, as far as steps, times and a price are known.
    pub cost: Cost,
    /// Different steps at which something was logged.
    pub points: usize,
    /// Logged values that are NaN or infinite, over all metrics.
    pub nonfinite: usize,
    /// The rulebook that it was made with.
    pub rulebook: Rulebook,
}

/// A check that could not look.
#[derive(Debug, Clone, PartialEq)]
pub struct Skipped {
    /// The check.
    pub code: Code,
    /// What would enable it.
    pub need: Need,
}

/// How a metric moved over a run. Means over 5 % of its finite points, five at least, but no more than a third of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Movement {
    /// The concept.
    pub concept: Concept,
    /// The metric that stands for it.
    pub key: String,
    /// Mean at the start.
    pub first: f64,
    /// True where the mean at the start is within its noise of 0: a change in percent of it says nothing.
    pub starts_near_zero: bool,
    /// Mean in the middle; NaN for two points.
    pub mid: f64,
    /// Mean at the end.
    pub last: f64,
    /// Best single value: the largest, or the smallest where less is better. NaN where neither is better.
    pub best: f64,
    /// Step of the best value, NaN where there is none.
    pub best_step: f64,
    /// Least-squares slope per 100 steps.
    pub slope: f64,
}

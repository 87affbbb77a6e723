//! The diagnosis of a run: verdict, findings, quiet and skipped checks, costs.

use crate::samples::Samples;
use crate::{Code, Cost, Evidence, Finding, Group, Learning, Need, Rulebook};
use rundown_format::{RichText, named_enum};
use rundown_stats::CompactSort as _;
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

/// A check that looked and found nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Quiet {
    /// The check.
    pub code: Code,
    /// The numbers that made it so.
    pub evidence: Vec<Evidence>,
}

/// Quiet checks in the order of what a person asks first: the main check of each group about the model, then the others
/// group by group: reward, responses, policy and optimiser; housekeeping last.
pub fn by_interest(quiet: &[Quiet]) -> Vec<&Quiet> {
    const LAST: [Group; 3] = [Group::Config, Group::Integrity, Group::Pipeline];
    const FIRST: [Group; 6] =
        [Group::Reward, Group::Lengths, Group::Policy, Group::Optimiser, Group::Exploration, Group::Progress];
    let mut seen: Vec<Group> = Vec::new();
    let mut ordered: Vec<((bool, usize, usize), &Quiet)> = Vec::new();
    for quiet in quiet {
        let group = quiet.code.group();
        let first = FIRST.iter().position(|known| *known == group);
        let last = LAST.iter().position(|known| *known == group).map_or(0, |place| LAST.len() - place);
        let is_main = first.is_some() && !quiet.evidence.is_empty() && !seen.contains(&group);
        if is_main {
            seen.push(group);
        }
        ordered.push(((!is_main, first.unwrap_or(FIRST.len()), last), quiet));
    }
    ordered.compact_sort_by_key(|(place, _)| *place);
    ordered.into_iter().map(|(_, quiet)| quiet).collect()
}

/// A check that could not look.
#[derive(Debug, Clone, PartialEq)]
pub struct Skipped {
    /// The check.
    pub code: Code,
    /// What would enable it.
    pub need: Need,
}

/// How a metric moved over a run. Means over 5 % of its finite points, five at least.
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
    /// Mean in the middle.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_asks_first_comes_first() {
        let measured_quiet = |code: Code| Quiet { code, evidence: vec![Evidence::new("x", 1.0, "")] };
        let quiet = [
            measured_quiet(Code::NonfiniteValues),
            measured_quiet(Code::KlBlowUp),
            Quiet { code: Code::RewardHacking, evidence: Vec::new() },
            measured_quiet(Code::RewardBreak),
            measured_quiet(Code::RewardUnstable),
            measured_quiet(Code::LengthCollapse),
            measured_quiet(Code::RolloutSlow),
            measured_quiet(Code::CacheDisabled),
        ];
        let order: Vec<Code> = by_interest(&quiet).into_iter().map(|quiet| quiet.code).collect();
        let expected = [
            Code::RewardBreak,
            Code::LengthCollapse,
            Code::KlBlowUp,
            Code::RewardHacking,
            Code::RewardUnstable,
            Code::CacheDisabled,
            Code::RolloutSlow,
            Code::NonfiniteValues,
        ];
        assert_eq!(order, expected);
    }
}

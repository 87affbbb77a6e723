//! The metric that runs share and the order of the run list, over entries.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Entry, Trace};
use crate::diagnose::{Code, Severity};
use crate::order::Arrange;
use crate::vocabulary::{Concept, Direction};

/// Most codes named of a run.
const WORST: usize = 3;

/// The metric that runs are compared by.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedMetric {
    /// Metric key, such as `eval/accuracy`.
    pub key: String,
    /// [`Concept::Evaluation`] or [`Concept::Reward`].
    pub concept: Concept,
    /// Which way is better; [`Direction::Neutral`] is ranked as [`Direction::Up`].
    pub direction: Direction,
    /// How many of the runs have it.
    pub runs: usize,
}

/// A run in the order of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryRow {
    /// Index into the entries that were given.
    pub index: usize,
    /// Last finite value of the metric; `None` when the run lacks it.
    pub value: Option<f64>,
    /// Codes of the worst root causes, worst first, at most three, none twice; notes are left out.
    pub worst: Vec<Code>,
}

/// The metric that most of the runs share.
///
/// An evaluation key that more than half of the runs have; else such a key of the reward; else whichever of them two
/// runs at least have in common (evaluation first). The key that more runs call their primary one wins a tie, then
/// the alphabet. For a single run, its own primary evaluation or reward. `None` when the runs share nothing.
pub fn shared_metric(entries: &[&Entry]) -> Option<SharedMetric> {
    let evaluation = most_shared(entries, Concept::Evaluation);
    let reward = most_shared(entries, Concept::Reward);
    let pick = |least: usize| evaluation.iter().chain(&reward).find(|metric| metric.runs >= least).cloned();
    pick(entries.len() / 2 + 1).or_else(|| pick(2))
}

/// The runs in the order in which to list them: good, undecided, bad, ugly; within a verdict the best last value of the
/// metric first, runs without it last; then by name and id.
///
/// A verdict goes before the number because a run that games its reward would otherwise lead a list by reward.
pub fn ranked(entries: &[&Entry], metric: Option<&SharedMetric>) -> Vec<EntryRow> {
    let value = |entry: &Entry| Some(entry.trace(&metric?.key)?.last);
    let row = |(index, entry): (usize, &&Entry)| EntryRow { index, value: value(entry), worst: worst(entry) };
    let mut rows: Vec<EntryRow> = entries.iter().enumerate().map(row).collect();
    let is_down = metric.is_some_and(|metric| metric.direction == Direction::Down);
    rows.arrange_by(|a, b| {
        let (Some(first), Some(second)) = (entries.get(a.index), entries.get(b.index)) else { return Ordering::Equal };
        let by_value = match (a.value, b.value) {
            (Some(a), Some(b)) if is_down => a.total_cmp(&b),
            (Some(a), Some(b)) => b.total_cmp(&a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        first
            .verdict
            .cmp(&second.verdict)
            .then(by_value)
            .then_with(|| (&first.name, &first.id, a.index).cmp(&(&second.name, &second.id, b.index)))
    });
    rows
}

fn worst(entry: &Entry) -> Vec<Code> {
    let mut worst = Vec::new();
    for found in entry.findings.iter().filter(|found| found.is_root && found.severity > Severity::Note) {
        if worst.len() < WORST && !worst.contains(&found.code) {
            worst.push(found.code);
        }
    }
    worst
}

#[derive(Default)]
struct Votes<'a> {
    runs: usize,
    primary: usize,
    example: Option<&'a Trace>,
}

fn most_shared(entries: &[&Entry], concept: Concept) -> Option<SharedMetric> {
    let mut votes: BTreeMap<&str, Votes<'_>> = BTreeMap::new();
    for entry in entries {
        for (rank, trace) in entry.traces_of(concept).enumerate() {
            let vote = votes.entry(&trace.key).or_default();
            vote.runs += 1;
            vote.primary += usize::from(rank == 0);
            vote.example.get_or_insert(trace);
        }
    }
    // The first of equal ones: `max_by_key` would take the last.
    let (key, vote) = votes.into_iter().rev().max_by_key(|(_, vote)| (vote.runs, vote.primary))?;
    let direction = vote.example.map_or(Direction::Up, |trace| trace.direction);
    Some(SharedMetric { key: key.to_owned(), concept, direction, runs: vote.runs })
}

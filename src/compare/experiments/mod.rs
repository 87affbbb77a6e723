//! What to run next: three to six experiments that each change one setting, from the evidence of these runs alone.
//!
//! Where an outcome was best between two values, look closer; where it was best at the end of what was tried, look
//! further; what many runs suffered from, treat; what nobody varied and matters, try; and what rests on one run, repeat.
//! Sizes are those of the table of remedies (grpo.md section 4).

mod gaps;
mod remedies;
mod search;

use super::sample::{RunSample, Target, is_broken};
use super::{EffectAnalysis, Parameter, RunSummary};
use crate::diagnose::{Knob, Verdict, setting};
use crate::format::short;

/// Experiments that are proposed, at most.
const MOST: usize = 6;
/// What nobody varied is only proposed up to so many experiments in all.
const FEW: usize = 4;

/// Where an experiment comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExperimentSource {
    /// The outcome is not measured on held-out tasks.
    Evaluation,
    /// Best between two values.
    Refine,
    /// Best at the end of what was tried.
    Extend,
    /// Two settings changed together.
    Separate,
    /// The best of several words, against the next best.
    Confirm,
    /// A finding of many runs.
    Remedy,
    /// The best result rests on one run.
    Repeat,
    /// Nobody varied it.
    Untested,
}

/// One experiment: the best run's config with one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Where it comes from.
    pub source: ExperimentSource,
    /// The setting to change, by its key where the config has one.
    pub change: String,
    /// The setting in words.
    pub words: String,
    /// Its present value; empty where it is not known.
    pub from: String,
    /// Values to try, one run (or one set of seeds) each.
    pub to: Vec<String>,
    /// What in these runs suggests it.
    pub evidence: String,
    /// What should happen if the idea is right.
    pub hypothesis: String,
    /// What to look at.
    pub watch: String,
    /// When to stop a run of it early.
    pub stop: String,
    /// What there is to gain.
    pub expected: String,
    /// What it may cost.
    pub risk: String,
    /// By which experiments are ranked: how much is at stake, how sure it is, and how easily it is undone; 0 to 1.
    pub score: f64,
}

/// What the sources of experiments look at.
pub(super) struct ExperimentContext<'a> {
    pub entries: &'a [&'a RunSummary],
    pub target: &'a Target<'a>,
    pub analysis: &'a EffectAnalysis,
    pub sample: &'a RunSample,
    /// Runs that count and are not ugly, best first, with their outcomes.
    pub eligible: Vec<(usize, f64)>,
}

impl<'a> ExperimentContext<'a> {
    pub fn new(
        entries: &'a [&'a RunSummary],
        target: &'a Target<'a>,
        analysis: &'a EffectAnalysis,
        sample: &'a RunSample,
    ) -> Self {
        let mut eligible = sample.ranked(target);
        // An ugly run may lead by a reward that it gamed.
        eligible.retain(|(run, _)| {
            entries.get(*run).is_some_and(|entry| entry.verdict != Verdict::Ugly && !is_broken(entry))
        });
        Self { entries, target, analysis, sample, eligible }
    }

    /// The best run that is not ugly, and its outcome.
    pub fn best(&self) -> Option<(usize, &'a RunSummary, f64)> {
        let (run, value) = *self.eligible.first()?;
        Some((run, self.entries.get(run)?, value))
    }

    /// The best quarter of the runs, three at least, none of them ugly.
    pub fn top_runs(&self) -> &[(usize, f64)] {
        let count = (self.sample.runs.len() / 4).max(3).min(self.eligible.len());
        self.eligible.get(..count).unwrap_or_default()
    }

    /// Where to change a setting: its key and value in the best run, or in any run where none is good.
    pub fn current(&self, knob: Knob) -> (String, String, f64) {
        let entry = self.best().map(|(_, entry, _)| entry).or_else(|| self.entries.first().copied());
        match entry.and_then(|entry| setting(&entry.config, knob)) {
            Some(found) => (found.key, found.text, found.value),
            None => (knob.words().to_owned(), String::new(), f64::NAN),
        }
    }

    /// The parameter of a setting, where it was varied.
    pub fn effect_of(&self, knob: Knob) -> Option<&super::Effect> {
        self.analysis.effects.iter().find(|effect| effect.parameter.knob == Some(knob))
    }

    /// When to stop early: below what the weakest of the good runs had at half of their way.
    pub fn stop_rule(&self) -> String {
        let mut weakest: Option<(f64, f64)> = None;
        for (run, _) in self.top_runs() {
            let Some(trace) = self.entries.get(*run).and_then(|entry| entry.trace(self.target.key)) else { continue };
            let middle = trace.steps.len() / 2;
            if let (Some(at), Some(value)) = (trace.steps.get(middle), trace.values.get(middle))
                && trace.steps.len() >= 4
                && weakest.is_none_or(|(_, least)| self.target.is_better(least, *value))
            {
                weakest = Some((at.round(), *value));
            }
        }
        let Some((at, value)) = weakest else {
            return "Stop on a critical finding, or when half of the planned steps brought no gain.".to_owned();
        };
        let beyond = if self.target.sign() > 0.0 { " is below " } else { " is above " };
        let limit = [beyond, &short(value), " at step ", &short(at), ", what the weakest of the best runs had there."];
        ["Stop on a critical finding, or if `", self.target.key, "`", &limit.concat()].concat()
    }
}

impl Experiment {
    /// An experiment with its texts still to be filled in.
    fn of(context: &ExperimentContext<'_>, source: ExperimentSource, parameter: &Parameter) -> Self {
        Self {
            source,
            change: parameter.key.clone(),
            words: parameter.words.clone(),
            from: String::new(),
            to: Vec::new(),
            evidence: String::new(),
            hypothesis: String::new(),
            watch: ["`", context.target.key, "`"].concat(),
            stop: context.stop_rule(),
            expected: String::new(),
            risk: String::new(),
            score: 0.0,
        }
    }
}

/// The experiments to run next, the most useful first; none without runs.
pub fn experiments(
    entries: &[&RunSummary],
    target: &Target<'_>,
    analysis: &EffectAnalysis,
    sample: &RunSample,
) -> Vec<Experiment> {
    if entries.is_empty() {
        return Vec::new();
    }
    let context = ExperimentContext::new(entries, target, analysis, sample);
    let mut found = search::experiments(&context);
    found.extend(remedies::experiments(&context));
    found.extend(gaps::evaluation(&context));
    found.extend(gaps::repetition(&context));
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut chosen: Vec<Experiment> = Vec::new();
    let untested = gaps::untested(&context);
    for experiment in found {
        if chosen.len() < MOST && chosen.iter().all(|other| other.change != experiment.change) {
            chosen.push(experiment);
        }
    }
    for experiment in untested {
        if chosen.len() < FEW && chosen.iter().all(|other| other.change != experiment.change) {
            chosen.push(experiment);
        }
    }
    chosen
}

#[cfg(test)]
mod tests;

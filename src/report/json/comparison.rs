//! What several runs say together, as programs read it: the same structs that the other reports show.

use serde::Serialize;

use super::clean::{clean, clean_name};
use super::groups::{GroupsReport, groups_report};
use super::signals::{SignalsReport, signals_report};
use crate::compare::{
    BestConfig, Difference, EffectAnalysis, Experiment, Metric, RankedRun, Recommendations, RunSummary, difference,
    outcome, pareto,
};
use crate::diagnose::Code;
use crate::format::{RichText, redact_setting};
use crate::present::compare::{
    Selection, advice, costs, experiment_words, no_config_words, origin_words, value_reason,
};

/// The comparison; of a single run the leaderboard alone.
#[derive(Serialize)]
pub(super) struct Comparison {
    leaderboard: Vec<LeaderboardReport>,
    pareto: Vec<ParetoReport>,
    /// `null` where the runs share no outcome.
    signals: Option<SignalsReport>,
    groups: Option<GroupsReport>,
    recommendations: Vec<ExperimentReport>,
    best_default_config: Option<BestConfigReport>,
}

/// A run by its id and name: neither alone need be unique.
#[derive(Serialize)]
pub(super) struct RunName {
    id: String,
    name: String,
}

pub(super) fn run_name(entry: &RunSummary) -> RunName {
    RunName { id: clean_name(&entry.id, &entry.id), name: clean_name(&entry.name, &entry.id) }
}

#[derive(Serialize)]
struct LeaderboardReport {
    rank: usize,
    #[serde(flatten)]
    run: RunName,
    verdict: &'static str,
    /// Key of the measure, the same in all rows; `null` when the runs share none.
    measure: Option<String>,
    direction: Option<&'static str>,
    /// Last value.
    value: Option<f64>,
    /// Mean of the last part, by which runs are ordered, and its 95 % interval.
    level: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    best: Option<f64>,
    best_step: Option<f64>,
    /// The best value without the luck of the best of many looks.
    best_corrected: Option<f64>,
    last_step: Option<f64>,
    /// Codes of the worst root causes.
    worst: Vec<Code>,
    /// Left out without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    against_baseline: Option<DifferenceReport>,
}

#[derive(Serialize)]
struct DifferenceReport {
    baseline: RunName,
    absolute: f64,
    /// Share of the baseline; `null` where that would mislead.
    relative: Option<f64>,
    is_beyond_noise: Option<bool>,
}

#[derive(Serialize)]
struct ParetoReport {
    #[serde(flatten)]
    run: RunName,
    quality: f64,
    low: f64,
    high: f64,
    /// What is spent: `Hours`, `Tokens`.
    cost: &'static str,
    spent: f64,
    is_on_front: bool,
    is_near_front: bool,
}

#[derive(Serialize)]
struct ExperimentReport {
    change: String,
    setting: String,
    from: String,
    to: Vec<String>,
    evidence: String,
    hypothesis: String,
    watch: String,
    stop: String,
    expected: String,
    risk: String,
    score: f64,
}

#[derive(Serialize)]
struct BestConfigReport {
    values: Vec<BestValueReport>,
    /// The run that has all of what was varied.
    run: Option<RunName>,
    /// Why there is none; empty when there is one.
    why_none: String,
    /// What to log or run first, where there is none.
    instead: Vec<String>,
    best_run: Option<RunName>,
}

#[derive(Serialize)]
struct BestValueReport {
    key: String,
    setting: String,
    value: String,
    origin: &'static str,
    is_claimed: bool,
    why: String,
}

pub(super) fn comparison(entries: &[&RunSummary], selection: &Selection, rows: &[RankedRun]) -> Comparison {
    let found: Option<Recommendations> = if entries.len() > 1 { advice(entries, selection) } else { None };
    Comparison {
        leaderboard: leaderboard(entries, selection, rows),
        pareto: front(entries, selection),
        signals: found.as_ref().map(|found| signals_report(&found.analysis)),
        groups: groups_report(entries, selection),
        recommendations: found.iter().flat_map(experiments).collect(),
        best_default_config: found
            .as_ref()
            .map(|found| best_config(entries, &found.best_config, &found.analysis.target)),
    }
}

fn leaderboard(entries: &[&RunSummary], selection: &Selection, rows: &[RankedRun]) -> Vec<LeaderboardReport> {
    let metric = selection.metric.as_ref();
    let measure = metric.map(|metric| clean(&metric.key));
    let baseline = selection.baseline.and_then(|number| entries.iter().find(|entry| entry.number == number));
    let base = baseline.zip(metric).and_then(|(entry, metric)| Some((*entry, outcome(entry, metric)?, metric)));
    let row = |(place, row): (usize, &RankedRun)| {
        let entry = *entries.get(row.index)?;
        let outcome = row.outcome.as_ref();
        let best = outcome.and_then(|outcome| outcome.best);
        let against = base.as_ref().zip(outcome).and_then(|((baseline, base, metric), outcome)| {
            difference(outcome, base, metric).map(|found| difference_report(baseline, &found))
        });
        Some(LeaderboardReport {
            rank: place + 1,
            run: run_name(entry),
            verdict: entry.verdict.as_str(),
            measure: measure.clone(),
            direction: metric.map(direction),
            value: outcome.map(|outcome| outcome.last),
            level: outcome.map(|outcome| outcome.level),
            low: outcome.and_then(|outcome| outcome.interval).map(|(low, _)| low),
            high: outcome.and_then(|outcome| outcome.interval).map(|(_, high)| high),
            best: best.map(|best| best.value),
            best_step: best.map(|best| best.step),
            best_corrected: best.map(|best| best.corrected),
            last_step: entry.steps.map(|(_, last)| last),
            worst: row.worst.clone(),
            against_baseline: against,
        })
    };
    rows.iter().enumerate().filter_map(row).collect()
}

fn direction(metric: &Metric) -> &'static str {
    if metric.sign() < 0.0 { "down" } else { "up" }
}

fn difference_report(baseline: &RunSummary, found: &Difference) -> DifferenceReport {
    DifferenceReport {
        baseline: run_name(baseline),
        absolute: found.absolute,
        relative: found.relative,
        is_beyond_noise: found.is_beyond_noise,
    }
}

fn front(entries: &[&RunSummary], selection: &Selection) -> Vec<ParetoReport> {
    let (Some(metric), Some(cost)) = (&selection.metric, &selection.cost) else { return Vec::new() };
    let known = costs(entries).into_iter().find(|(_, known)| known == cost);
    let name = known.map_or("Cost", |(name, _)| name);
    let run = |weighed: &crate::compare::ParetoPoint| {
        Some(ParetoReport {
            run: run_name(entries.get(weighed.index)?),
            quality: weighed.quality,
            low: weighed.interval.0,
            high: weighed.interval.1,
            cost: name,
            spent: weighed.cost,
            is_on_front: weighed.is_on_front(),
            is_near_front: weighed.is_near_front,
        })
    };
    pareto(entries, metric, cost).iter().filter_map(run).collect()
}

fn experiments(found: &Recommendations) -> Vec<ExperimentReport> {
    found.experiments.iter().map(|experiment| experiment_report(experiment, &found.analysis)).collect()
}

fn experiment_report(found: &Experiment, analysis: &EffectAnalysis) -> ExperimentReport {
    let value = |text: &String| redact_setting(&found.change, text);
    let words = experiment_words(found, analysis);
    let plain = |text: &RichText| text.redacted().to_string();
    ExperimentReport {
        change: clean(&found.change),
        setting: clean(&found.words),
        from: value(&found.from),
        to: found.to.iter().map(value).collect(),
        evidence: plain(&words.evidence),
        hypothesis: plain(&words.hypothesis),
        watch: plain(&words.watch),
        stop: plain(&words.stop),
        expected: plain(&words.expected),
        risk: plain(&words.risk),
        score: found.score,
    }
}

fn best_config(entries: &[&RunSummary], best: &BestConfig, target: &str) -> BestConfigReport {
    let (why_none, instead) = best.none.map(|reason| no_config_words(reason, target)).unwrap_or_default();
    let named = |place: Option<usize>| place.and_then(|place| entries.get(place)).map(|entry| run_name(entry));
    let values = best.values.iter().map(|value| BestValueReport {
        key: clean(&value.key),
        setting: clean(&value.words),
        value: redact_setting(&value.key, &value.value),
        origin: origin_words(&value.origin),
        is_claimed: value.is_claimed,
        why: value_reason(value).redacted().to_string(),
    });
    BestConfigReport {
        values: values.collect(),
        run: named(best.run),
        why_none: why_none.to_string(),
        instead: instead.iter().map(ToString::to_string).collect(),
        best_run: named(best.best_run),
    }
}

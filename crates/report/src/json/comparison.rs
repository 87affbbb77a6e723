//! What several runs say together, as programs read it: the same structs that the other reports show.

use super::compared::run_name;
use super::finding::clean;
use super::groups::groups_report;
use super::signals::signals_report;
use rundown_compare::{
    BestConfig, Difference, EffectAnalysis, Experiment, Metric, RankedRun, Recommendations, RunSummary, difference,
    outcome, pareto,
};
use rundown_format::{RichText, redact_setting};
use rundown_present::compare::{Selection, advice, experiment_words, no_config_words, origin_words, value_reason};
use rundown_schema::comparison::{
    BestConfigReport, BestValueReport, Comparison, DifferenceReport, ExperimentReport, LeaderboardReport, ParetoReport,
};

pub(super) fn comparison(summaries: &[&RunSummary], selection: &Selection, rows: &[RankedRun]) -> Comparison {
    let found: Option<Recommendations> = if summaries.len() > 1 { advice(summaries, selection) } else { None };
    Comparison {
        leaderboard: leaderboard(summaries, selection, rows),
        pareto: front(summaries, selection),
        signals: found.as_ref().map(|found| signals_report(&found.analysis, &found.failures)),
        groups: groups_report(summaries, selection),
        recommendations: found.iter().flat_map(experiments).collect(),
        best_default_config: found
            .as_ref()
            .map(|found| best_config(summaries, &found.best_config, &found.analysis.target)),
    }
}

fn leaderboard(summaries: &[&RunSummary], selection: &Selection, rows: &[RankedRun]) -> Vec<LeaderboardReport> {
    let metric = selection.metric.as_ref();
    let measure = metric.map(|metric| clean(&metric.key));
    let baseline = selection.baseline.and_then(|number| summaries.iter().find(|summary| summary.number == number));
    let base = baseline.zip(metric).and_then(|(summary, metric)| Some((*summary, outcome(summary, metric)?)));
    let row = |(place, row): (usize, &RankedRun)| {
        let summary = *summaries.get(row.index)?;
        let outcome = row.outcome.as_ref();
        let best = outcome.and_then(|outcome| outcome.best);
        let against = base.as_ref().zip(outcome).and_then(|((baseline, base), outcome)| {
            difference(outcome, base).map(|found| difference_report(baseline, &found))
        });
        Some(LeaderboardReport {
            rank: place + 1,
            run: run_name(summary),
            verdict: summary.verdict.as_str().to_owned(),
            measure: measure.clone(),
            direction: metric.map(|metric| direction(metric).to_owned()),
            value: outcome.map(|outcome| outcome.last),
            level: outcome.map(|outcome| outcome.level),
            low: outcome.and_then(|outcome| outcome.interval).map(|(low, _)| low),
            high: outcome.and_then(|outcome| outcome.interval).map(|(_, high)| high),
            best: best.map(|best| best.value),
            best_step: best.map(|best| best.step),
            best_corrected: best.map(|best| best.corrected),
            last_step: summary.steps.map(|(_, last)| last),
            worst: row.worst.iter().map(|code| code.as_str().to_owned()).collect(),
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
        absolute: found.absolute.into(),
        relative: found.relative,
        is_beyond_noise: found.is_beyond_noise,
    }
}

fn front(summaries: &[&RunSummary], selection: &Selection) -> Vec<ParetoReport> {
    let (Some(metric), Some(cost)) = (&selection.metric, &selection.cost) else { return Vec::new() };
    let run = |weighed: &rundown_compare::ParetoPoint| {
        Some(ParetoReport {
            run: run_name(summaries.get(weighed.index)?),
            quality: weighed.quality.into(),
            low: weighed.interval.0.into(),
            high: weighed.interval.1.into(),
            cost: cost.name.to_owned(),
            spent: weighed.cost.into(),
            is_on_front: weighed.is_on_front,
            is_near_front: weighed.is_near_front,
        })
    };
    pareto(summaries, metric, &cost.measure).iter().filter_map(run).collect()
}

fn experiments(found: &Recommendations) -> Vec<ExperimentReport> {
    found.experiments.iter().map(|experiment| experiment_report(experiment, &found.analysis)).collect()
}

fn experiment_report(found: &Experiment, analysis: &EffectAnalysis) -> ExperimentReport {
    let value = |text: &String| redact_setting(found.change.as_str(), text);
    let words = experiment_words(found, analysis);
    let plain = |text: &RichText| text.redacted().to_string();
    ExperimentReport {
        change: clean(found.change.as_str()),
        setting: clean(&found.words),
        from: value(&found.from),
        to: found.to.iter().map(value).collect(),
        evidence: plain(&words.evidence),
        hypothesis: plain(&words.hypothesis),
        watch: plain(&words.watch),
        stop: plain(&words.stop),
        expected: plain(&words.expected),
        risk: plain(&words.risk),
        score: found.score.into(),
    }
}

fn best_config(summaries: &[&RunSummary], best: &BestConfig, target: &str) -> BestConfigReport {
    let (why_none, instead) = best.none.map(|reason| no_config_words(reason, target)).unwrap_or_default();
    let named = |place: Option<usize>| place.and_then(|place| summaries.get(place)).map(|summary| run_name(summary));
    let values = best.values.iter().map(|value| BestValueReport {
        key: clean(&value.key),
        setting: clean(&value.words),
        value: redact_setting(&value.key, &value.value),
        origin: origin_words(&value.origin).to_owned(),
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

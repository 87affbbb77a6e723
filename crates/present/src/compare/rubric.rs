//! Rewards and rubrics side by side: the dashboards of the metrics guide.

use super::parts::{MAX_DRAWN, different_parts, key, name, push, run, run_span};
use super::rubric_tables;
use rundown_compare::facts::DistributionOverSteps;
use rundown_compare::{Metric, RunSummary, Trace, copies, differing_part, is_sure, of_both};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table, Tone};
use rundown_format::rich_text::metric;
use rundown_format::{RichText, plus_minus, rich};
use rundown_plot::figure::{AxisScale, ChartSeries, HeatMap, HeatRow, LineChart};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

/// Runs whose distributions and criteria are drawn, and metrics with histograms of each.
const MAX_LISTED: usize = 3;
const HISTOGRAMS: usize = 2;

/// The rewards of these runs: overlaid, by part, at the end, over the steps; and the rubric. Empty where no run has
/// parts of a reward, final scores, histograms or criteria.
pub fn rubric(summaries: &[&RunSummary], width: f64) -> Vec<Block> {
    let has = |summary: &RunSummary, concept| summary.traces_of(concept).next().is_some();
    let scored: Vec<&RunSummary> = summaries
        .iter()
        .copied()
        .filter(|summary| {
            summary.rubric.is_some() || has(summary, Concept::RewardComponent) || has(summary, Concept::Criterion)
        })
        .collect();
    if scored.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("Rewards")];
    rewards(&mut blocks, &scored, width);
    parts(&mut blocks, &scored, width);
    rubric_tables::finals(&mut blocks, &scored, width);
    distributions(&mut blocks, &scored, width);
    rubric_tables::summary(&mut blocks, &scored);
    criteria(&mut blocks, &scored, width);
    blocks
}

/// The primary reward of each run but duplicates, laid over each other where it is the same metric. Of rewards of different parts none
/// is the highest.
fn rewards(blocks: &mut Vec<Block>, scored: &[&RunSummary], width: f64) {
    let copies = copies(scored);
    let originals = scored.iter().zip(&copies).filter(|(_, copy)| copy.is_none()).map(|(summary, _)| *summary);
    let mut rows: Vec<(&RunSummary, &Trace)> =
        originals.filter_map(|summary| Some((summary, summary.traces_of(Concept::Reward).next()?))).collect();
    let Some(metric) = rows.first().map(|(_, trace)| trace.key.clone()) else { return };
    rows.retain(|(_, trace)| trace.key == metric);
    rows.compact_sort_by(|a, b| b.1.tail.total_cmp(&a.1.tail).then_with(|| a.0.name.cmp(&b.0.name)));
    if let Some(part) = differing_part(scored, &Metric::chosen(scored, &metric, None)) {
        blocks.push(Block::text(rich!("The {}: their levels are not comparable.", different_parts(part))));
    } else if let [(best, first), rest @ ..] = rows.as_slice() {
        let (run, level) = (run_span(best), plus_minus(first.tail, half(first)));
        blocks.push(Block::text(match rest.first() {
            None => rich!("{} ends at a reward of {}.", run, level),
            Some((other, second)) => {
                let (lead, error) = (first.tail - second.tail, of_both(half(first), half(second)));
                let verdict = match error.is_nan() {
                    true => "and its error is not known",
                    false if is_sure(lead, error) => "beyond its error",
                    false => "within its error",
                };
                rich!(
                    "{} ends highest, at a reward of {}; the lead over {} is {}, {}. That is one run each: \
                     another seed may differ by more.",
                    run,
                    level,
                    run_span(other),
                    plus_minus(lead, error),
                    verdict
                )
            }
        }));
    }
    let names: Vec<String> = rows.iter().take(MAX_DRAWN).map(|(summary, _)| name(summary)).collect();
    let series = rows.iter().zip(&names).enumerate();
    let series = series.map(|(place, ((summary, trace), name))| {
        ChartSeries::new(place, name, &trace.steps, &trace.values).of_run(summary.number)
    });
    blocks.push(Block::Figure(LineChart::over_steps("Reward", metric, series).draw(width)));
}

/// Half of the 95 % interval of a curve's level at the end.
pub(super) fn half(trace: &Trace) -> f64 {
    trace.tail_half()
}

/// Parts of the reward at the start and at the end.
fn parts(blocks: &mut Vec<Block>, scored: &[&RunSummary], width: f64) {
    let mut table = Table::new(
        "Parts of the reward, by part, best first",
        &[Words("Part"), Words("Run"), Numbers("Start"), Numbers("End"), Numbers("Change"), Numbers("Best")],
    );
    let mut rows: Vec<(&RunSummary, &Trace)> = scored
        .iter()
        .flat_map(|summary| summary.traces_of(Concept::RewardComponent).map(|trace| (*summary, trace)))
        .collect();
    rows.compact_sort_by(|a, b| a.1.part_name().cmp(b.1.part_name()).then(b.1.tail.total_cmp(&a.1.tail)));
    for (summary, trace) in rows {
        let first = trace.values.first().copied().unwrap_or(f64::NAN);
        table.rows.push(vec![
            key(&trace.key),
            run(summary),
            Cell::tabular(first),
            Cell::plus_minus(trace.tail, half(trace)),
            Cell::tabular(trace.tail - first),
            Cell::tabular(trace.best),
        ]);
    }
    push(blocks, table);
    for summary in scored.iter().take(MAX_LISTED) {
        let parts: Vec<&Trace> = summary.traces_of(Concept::RewardComponent).take(MAX_DRAWN).collect();
        if parts.len() > 1 {
            blocks.push(lines(rich!("Parts of the reward of {}", name(summary)), &parts, width));
        }
    }
}

/// Name of a part or a criterion, else its key.
fn label(trace: &Trace) -> &str {
    trace.name.as_deref().unwrap_or(&trace.key)
}

fn lines(title: RichText, traces: &[&Trace], width: f64) -> Block {
    let series = traces
        .iter()
        .enumerate()
        .map(|(place, trace)| ChartSeries::new(place, label(trace), &trace.steps, &trace.values));
    Block::Figure(LineChart::over_steps(title, "score", series).draw(width))
}

/// How the scores were spread, over the steps.
fn distributions(blocks: &mut Vec<Block>, scored: &[&RunSummary], width: f64) {
    let columns = [
        Words("Run"),
        Words("Scores"),
        Numbers("Median, first"),
        Numbers("Median, last"),
        Numbers("5 %, first"),
        Numbers("5 %, last"),
        Numbers("95 %, first"),
        Numbers("95 %, last"),
    ];
    let mut table = Table::new("Spread of the scores", &columns);
    let mut figures = Vec::new();
    for (place, summary) in scored.iter().enumerate() {
        let found = summary.rubric.iter().flat_map(|rewards| &rewards.distributions);
        for (rank, distribution) in found.enumerate() {
            let Some((first, last)) = distribution.quantiles.first().zip(distribution.quantiles.last()) else {
                continue;
            };
            let ([low, _, middle, _, high], [end_low, _, end_middle, _, end_high]) = (first, last);
            let numbers = [middle, end_middle, low, end_low, high, end_high];
            let cells = numbers.into_iter().map(|value| Cell::tabular(*value));
            table.rows.push([run(summary), key(&distribution.key)].into_iter().chain(cells).collect());
            if place < MAX_LISTED && rank < HISTOGRAMS && distribution.steps.len() > 1 {
                figures.push(spread(summary, distribution, width));
            }
        }
    }
    push(blocks, table);
    blocks.extend(figures);
}

/// Median, the middle half as a band, and the middle nine tenths between dashed lines.
fn spread(summary: &RunSummary, distribution: &DistributionOverSteps, width: f64) -> Block {
    let line = |place: usize| -> Vec<f64> {
        distribution.quantiles.iter().map(|values| values.get(place).copied().unwrap_or(f64::NAN)).collect()
    };
    let [lowest, low, middle, high, highest] = [0, 1, 2, 3, 4].map(line);
    let title = rich!("{} of {}", metric(&distribution.key), name(summary));
    let edge = |name, y| ChartSeries {
        is_dashed: true,
        tone: Tone::Muted,
        ..ChartSeries::new(0, name, &distribution.steps, y)
    };
    let median = ChartSeries {
        band: Some((&low, &high)),
        ..ChartSeries::new(0, "median, middle half", &distribution.steps, &middle)
    };
    let series = [median, edge("5 %", &lowest), edge("95 %", &highest)];
    Block::Figure(LineChart::over_steps(title, "score", series).draw(width))
}

/// Criteria over the steps: where each began and ended, as lines, and as a heat map.
fn criteria(blocks: &mut Vec<Block>, scored: &[&RunSummary], width: f64) {
    let mut table = Table::new(
        "Criteria over the run, highest at the end first",
        &[Words("Run"), Words("Criterion"), Numbers("First"), Numbers("End"), Numbers("Change")],
    );
    let mut figures = Vec::new();
    for (place, summary) in scored.iter().enumerate() {
        let mut traces: Vec<&Trace> = summary.traces_of(Concept::Criterion).collect();
        traces.compact_sort_by(|a, b| b.tail.total_cmp(&a.tail));
        for trace in &traces {
            let first = trace.values.first().copied().unwrap_or(f64::NAN);
            table.rows.push(vec![
                run(summary),
                key(label(trace)),
                Cell::tabular(first),
                Cell::tabular(trace.last),
                Cell::tabular(trace.last - first),
            ]);
        }
        let Some(longest) = traces.iter().max_by_key(|trace| trace.steps.len()) else { continue };
        if place >= MAX_LISTED || longest.steps.len() < 2 {
            continue;
        }
        let shown: Vec<&Trace> = traces.iter().copied().take(MAX_DRAWN).collect();
        figures.push(lines(rich!("Criteria of {}", name(summary)), &shown, width));
        let rows = traces.iter().map(|trace| HeatRow {
            name: label(trace),
            values: stats::forward_fill(&trace.steps, &trace.values, &longest.steps),
        });
        let title = rich!("Criteria of {} by step", name(summary));
        let map = HeatMap {
            title,
            x: &longest.steps,
            x_scale: AxisScale::linear("step"),
            value_title: "mean score",
            rows: rows.collect(),
        };
        figures.push(Block::Figure(map.draw(width)));
    }
    push(blocks, table);
    blocks.extend(figures);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::testing::TestRun;

    #[test]
    fn a_part_under_the_names_of_two_versions_is_one_group() {
        let parts_of = [("low", "a/mean", 0.1), ("other", "b", 0.9), ("high", "a", 0.5), ("top", "a/mean", 0.75)];
        let made = parts_of.map(|(name, part, level)| {
            let values = [level; 12];
            let run = TestRun::new(name).reward("reward", &values).metric(Concept::RewardComponent, part, &values);
            RunSummary::of(0, run.diagnosed())
        });
        let mut blocks = Vec::new();
        parts(&mut blocks, &made.iter().collect::<Vec<_>>(), 600.0);
        let shown = rundown_content::markdown(&blocks);
        let order = ["top", "high", "low", "other"].map(|name| shown.find(name));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{shown}");
    }

    #[test]
    fn a_run_leads_neither_its_duplicate_nor_another_reward() {
        let run = |number: u32, name: &str, part: &str| {
            let values: Vec<f64> = (0..40).map(|step| 0.01 * f64::from(step + 7 * (step % 3))).collect();
            let values: Vec<f64> = values.iter().map(|value| value * if name == "low" { 0.5 } else { 1.0 }).collect();
            let made = TestRun::new(name).reward("reward", &values).metric(Concept::RewardComponent, part, &values);
            RunSummary::of(number, made.diagnosed())
        };
        let said = |runs: &[RunSummary]| {
            let mut blocks = Vec::new();
            rewards(&mut blocks, &runs.iter().collect::<Vec<_>>(), 600.0);
            rundown_content::markdown(&blocks[..1])
        };
        let (high, copy, low) = (run(0, "high", "r/a"), run(1, "copy", "r/a"), run(2, "low", "r/a"));
        let found = said(&[high.clone(), copy, low]);
        assert!(found.contains("high ends highest") && found.contains("the lead over low"), "{found}");
        let found = said(&[high, run(2, "low", "r/b")]);
        assert!(found.contains("different parts") && !found.contains("highest"), "{found}");
    }
}

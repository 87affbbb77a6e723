//! Scores at the end of runs, and the table of a rubric.

use super::parts::{key, key_span, maybe, name, push, run, run_span};
use rundown_compare::RunSummary;
use rundown_compare::facts::{CriterionSummary, FinalScore, Z_95};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_format::rich_text::key as literal;
use rundown_format::{number, rich};
use rundown_plot::figure::{AxisScale, Bar, BarChart, BarRow, BarSeries};
use rundown_stats::CompactSort as _;

/// Runs whose bars stand side by side, and parts that are drawn.
const MAX_RUNS: usize = 4;
const MAX_PARTS: usize = 12;

fn half(error: Option<f64>) -> f64 {
    error.map_or(f64::NAN, |error| Z_95 * error)
}

/// `final/{name}_*` of all runs, by part.
pub(super) fn finals(blocks: &mut Vec<Block>, scored: &[&RunSummary], width: f64) {
    let mut rows: Vec<(&RunSummary, &FinalScore)> = scored
        .iter()
        .flat_map(|summary| summary.rubric.iter().flat_map(|rewards| &rewards.finals).map(|score| (*summary, score)))
        .collect();
    if rows.is_empty() {
        return;
    }
    rows.compact_sort_by(|a, b| a.1.name.cmp(&b.1.name).then(b.1.mean.total_cmp(&a.1.mean)));
    blocks.push(Block::part("Final scores"));
    blocks.push(Block::text(rich!(
        "{} is the mean over every score of a run, not over its end: a run that learned late scores low. ± is half of a 95 % \
         interval from the spread and number of scores.",
        literal("final/*")
    )));
    let columns = [
        Words("Part"),
        Words("Run"),
        Numbers("Mean"),
        Numbers("Spread"),
        Numbers("Lowest"),
        Numbers("Highest"),
        Numbers("Scores"),
    ];
    let mut table = Table::new("Final scores, by part, best first", &columns);
    for (summary, score) in &rows {
        table.rows.push(vec![
            key(&score.name),
            run(summary),
            Cell::plus_minus(score.mean, half(score.error())),
            maybe(score.std),
            maybe(score.min),
            maybe(score.max),
            maybe(score.samples),
        ]);
    }
    push(blocks, table);
    blocks.push(bars(scored, &rows, width));
}

/// A row for each part, a bar for each of the first runs.
fn bars(scored: &[&RunSummary], scores: &[(&RunSummary, &FinalScore)], width: f64) -> Block {
    let with_scores =
        |summary: &&&RunSummary| summary.rubric.as_ref().is_some_and(|rewards| !rewards.finals.is_empty());
    let runs: Vec<(&RunSummary, String)> =
        scored.iter().filter(with_scores).take(MAX_RUNS).map(|summary| (*summary, name(summary))).collect();
    let mut parts: Vec<&str> = scores.iter().map(|(_, score)| score.name.as_str()).collect();
    parts.dedup();
    let bar = |part: &str, summary: &RunSummary| {
        let found = summary.rubric.iter().flat_map(|rewards| &rewards.finals).find(|score| score.name == part);
        let interval = found.and_then(|score| {
            let half = half(score.error());
            half.is_finite().then_some((score.mean - half, score.mean + half))
        });
        Bar { value: found.map_or(f64::NAN, |score| score.mean), interval }
    };
    let rows = parts
        .into_iter()
        .take(MAX_PARTS)
        .map(|part| BarRow { name: part, bars: runs.iter().map(|(summary, _)| bar(part, summary)).collect() });
    let series = runs.iter().enumerate();
    let series = series.map(|(place, (summary, name))| BarSeries::of_run(summary.number, place, name));
    let chart = BarChart {
        title: "Final scores by part".into(),
        x: AxisScale::linear("mean score"),
        rows: rows.collect(),
        series: if runs.len() > 1 { series.collect() } else { Vec::new() },
    };
    Block::Figure(chart.draw(width))
}

/// The logged table of a rubric, the weakest criterion named first.
pub(super) fn summary(blocks: &mut Vec<Block>, scored: &[&RunSummary]) {
    let mut rows: Vec<(&RunSummary, &CriterionSummary)> = scored
        .iter()
        .flat_map(|summary| summary.rubric.iter().flat_map(|rewards| &rewards.criteria).map(|row| (*summary, row)))
        .collect();
    rows.compact_sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean).then_with(|| a.1.criterion.cmp(&b.1.criterion)));
    let Some((summary, weakest)) = rows.last() else { return };
    blocks.push(Block::part("Rubric"));
    blocks.push(Block::text(rich!(
        "The lowest criterion is {} in {}, at {}.",
        key_span(&weakest.criterion),
        run_span(summary),
        number(weakest.mean)
    )));
    let columns = [
        Words("Criterion"),
        Words("Run"),
        Numbers("Mean"),
        Numbers("Spread"),
        Numbers("Lowest"),
        Numbers("Highest"),
        Numbers("Scores"),
    ];
    let mut table = Table::new("Criteria of the rubric, highest first", &columns);
    for (summary, row) in &rows {
        table.rows.push(vec![
            key(&row.criterion),
            run(summary),
            Cell::plus_minus(row.mean, half(row.error())),
            maybe(row.std),
            maybe(row.min),
            maybe(row.max),
            maybe(row.samples),
        ]);
    }
    push(blocks, table);
}

//! What feeds the training: pace, overlap, slow and failed rollouts, extraction, cache.

mod events;
mod health;

use super::parts::{MAX_DRAWN, filled, key, maybe, maybe_share, name, push, run, run_span};
use rundown_compare::RunSummary;
use rundown_compare::facts::{ShareEstimate, ThinnedLine};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_format::rich_text::metric;
use rundown_format::{large_count, number, percent_to, quantity, rich};
use rundown_plot::figure::{ChartSeries, LineChart};
use rundown_stats::CompactSort as _;

pub(crate) use events::seen;
use health::PipelineRow;
pub(crate) use health::in_words as health_in_words;

/// Most metrics that are drawn.
const MAX_CHARTS: usize = 4;

/// The pipelines of these runs, against the targets of the guides. Empty where no run logs one.
pub fn pipeline(summaries: &[&RunSummary], width: f64) -> Vec<Block> {
    let mut rows: Vec<PipelineRow<'_>> =
        summaries.iter().filter_map(|summary| Some((*summary, summary.pipeline.as_ref()?))).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let pace = |row: &PipelineRow<'_>| row.1.trajectories_per_second.unwrap_or(f64::NEG_INFINITY);
    rows.compact_sort_by(|a, b| pace(b).total_cmp(&pace(a)).then_with(|| a.0.name.cmp(&b.0.name)));
    let mut blocks = vec![Block::section("Pipeline")];
    health::health(&mut blocks, &rows);
    push(&mut blocks, throughput(&rows));
    push(&mut blocks, rollouts(&rows));
    events::errors(&mut blocks, &rows);
    push(&mut blocks, extraction(&rows));
    events::extraction_by_group(&mut blocks, &rows);
    events::worst_groups(&mut blocks, &rows);
    events::engine(&mut blocks, &rows);
    caches(&mut blocks, &rows);
    blocks.extend(figures(&rows, width));
    blocks
}

fn throughput(rows: &[PipelineRow<'_>]) -> Table {
    let columns = [
        Words("Run"),
        Numbers("Trajectories/s"),
        Numbers("Trajectories per hour"),
        Numbers("Throughput"),
        Numbers("Sampling, s"),
        Numbers("Training, s"),
        Numbers("Training / sampling time"),
        Numbers("Overlap, of the shorter phase"),
        Numbers("Step, s"),
    ];
    let mut table = Table::new("Throughput of the typical step, fastest first", &columns);
    for (summary, pipeline) in rows {
        let made = pipeline.trajectories_per_second;
        let ratio = pipeline.train_s.zip(pipeline.rollout_s).map(|(train, rollout)| train / rollout);
        let pace = pipeline.pace.map(|pace| Cell::number(quantity(pace, &pipeline.pace_unit), pace));
        table.rows.push(vec![
            run(summary),
            maybe(made),
            made.map_or_else(Cell::default, |made| Cell::number(number((3600.0 * made).round()), 3600.0 * made)),
            pace.unwrap_or_default(),
            maybe(pipeline.rollout_s),
            maybe(pipeline.train_s),
            maybe_share(ratio.filter(|ratio| ratio.is_finite())),
            maybe_share(pipeline.overlap),
            maybe(pipeline.step_s),
        ]);
    }
    filled(table)
}

fn rollouts(rows: &[PipelineRow<'_>]) -> Table {
    let columns = [
        Words("Run"),
        Words("Measured per"),
        Numbers("Median, s"),
        Numbers("95 %, s"),
        Numbers("Longest, s"),
        Numbers("Count"),
        Numbers("Slowest per step, s"),
        Numbers("Longest reload, s"),
        Numbers("Failed"),
        Numbers("Error events"),
    ];
    let mut table = Table::new("Rollouts: durations, failures and errors", &columns);
    for (summary, pipeline) in rows {
        let spread = pipeline.rollouts.as_ref();
        let of = spread.map_or("", |spread| if spread.is_single { "single rollout" } else { "step" });
        let failed = match (&pipeline.failed, pipeline.failed_count) {
            (Some(rate), _) => counted_share(Some(rate)),
            (None, Some(count)) => Cell::tabular(count),
            (None, None) => Cell::default(),
        };
        table.rows.push(vec![
            run(summary),
            Cell::text(of),
            maybe(spread.map(|spread| spread.p50)),
            maybe(spread.map(|spread| spread.p95)),
            maybe(spread.map(|spread| spread.max)),
            maybe(spread.map(|spread| f64::from(spread.count))),
            maybe(pipeline.slowest.as_ref().map(|slowest| slowest.p50)),
            maybe(pipeline.reloads.as_ref().map(|reloads| reloads.max)),
            failed,
            counted_share(pipeline.error_rate.as_ref()),
        ]);
    }
    filled(table)
}

fn extraction(rows: &[PipelineRow<'_>]) -> Table {
    let columns = [
        Words("Run"),
        Numbers("Extracted"),
        Numbers("In the last fifth"),
        Numbers("Empty"),
        Numbers("Partial"),
        Words("Worst group"),
        Numbers("Its extraction rate"),
    ];
    let mut table = Table::new("Extraction, with 95 % intervals where responses were counted one by one", &columns);
    let mut shown: Vec<&PipelineRow<'_>> = rows.iter().filter(|(_, pipeline)| pipeline.extraction.is_some()).collect();
    let rate = |row: &PipelineRow<'_>| row.1.extraction.as_ref().map_or(0.0, |rate| rate.share);
    shown.compact_sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    for (summary, pipeline) in shown {
        let worst = pipeline.groups.first();
        table.rows.push(vec![
            run(summary),
            rated(pipeline.extraction.as_ref()),
            maybe_share(pipeline.extraction.as_ref().map(|rate| rate.end)),
            rated(pipeline.empty.as_ref()),
            rated(pipeline.partial.as_ref()),
            worst.map_or_else(Cell::default, |(group, _)| key(group)),
            rated(worst.map(|(_, rate)| rate)),
        ]);
    }
    filled(table)
}

/// How many of how many, sorted by the share; the share where nothing was counted one by one.
fn counted_share(rate: Option<&ShareEstimate>) -> Cell {
    let Some(rate) = rate else { return Cell::default() };
    match rate.count.filter(|_| rate.interval.is_some()) {
        Some(count) => {
            Cell::number(format!("{} of {}", number((rate.share * count).round()), number(count)), rate.share)
        }
        None => maybe_share(Some(rate.share)),
    }
}

/// A share with its interval, where it has one.
fn rated(rate: Option<&ShareEstimate>) -> Cell {
    let Some(rate) = rate else { return Cell::default() };
    let text = match rate.interval {
        Some((low, high)) => {
            format!("{} ({} to {})", percent_to(rate.share, 1), percent_to(low, 1), percent_to(high, 1))
        }
        None => percent_to(rate.share, 1),
    };
    Cell::number(text, rate.share)
}

fn caches(blocks: &mut Vec<Block>, rows: &[PipelineRow<'_>]) {
    let columns = [
        Words("Run"),
        Numbers("After warm-up"),
        Numbers("Mean"),
        Numbers("Peak"),
        Numbers("Overall hit rate"),
        Numbers("Batches"),
        Numbers("Prompt tokens"),
        Numbers("Tokens from cache"),
    ];
    let mut table = Table::new("Prefix cache, highest hit rate first", &columns);
    let mut shown: Vec<&PipelineRow<'_>> = rows.iter().filter(|(_, pipeline)| pipeline.cache.is_some()).collect();
    let warm = |row: &PipelineRow<'_>| row.1.cache.as_ref().map_or(0.0, |cache| cache.warm);
    shown.compact_sort_by(|a, b| warm(b).total_cmp(&warm(a)));
    let mut saved = None;
    for (summary, pipeline) in shown {
        let Some(cache) = &pipeline.cache else { continue };
        let tokens = cache.saved_tokens();
        saved = saved.or(tokens.map(|tokens| (summary, tokens, cache.overall.unwrap_or(cache.mean))));
        table.rows.push(vec![
            run(summary),
            maybe_share(Some(cache.warm)),
            maybe_share(Some(cache.mean)),
            maybe_share(Some(cache.peak)),
            maybe_share(cache.overall),
            counted(cache.batches),
            counted(cache.prompt_tokens),
            counted(tokens),
        ]);
    }
    if let Some((summary, tokens, rate)) = saved {
        blocks.push(Block::text(rich!(
            "Cost of the cache: in {} {} prompt tokens, {} of all, were not computed again. No price is known: what that \
             saves is this share of the prompt cost, times the discount for cached tokens. Generated tokens cost the same \
             as before.",
            run_span(summary),
            large_count(tokens),
            percent_to(rate, 1)
        )));
    }
    push(blocks, filled(table));
}

/// A large count as a cell.
fn counted(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, |value| Cell::number(large_count(value), value))
}

/// A chart for each metric that the most runs have.
fn figures(rows: &[PipelineRow<'_>], width: f64) -> Vec<Block> {
    let mut charts: Vec<(&str, Vec<(String, &ThinnedLine)>)> = Vec::new();
    for (summary, line) in
        rows.iter().flat_map(|(summary, pipeline)| pipeline.lines.iter().map(move |line| (summary, line)))
    {
        if line.values.len() < 3 {
            continue;
        }
        match charts.iter_mut().find(|(key, _)| *key == line.key) {
            Some((_, lines)) if lines.len() < MAX_DRAWN => lines.push((name(summary), line)),
            Some(_) => {}
            None => charts.push((&line.key, vec![(name(summary), line)])),
        }
    }
    charts.compact_sort_by_key(|chart| std::cmp::Reverse(chart.1.len()));
    let draw = |(key, lines): &(&str, Vec<(String, &ThinnedLine)>)| {
        let series = lines
            .iter()
            .enumerate()
            .map(|(place, (name, line))| ChartSeries::new(place, name, &line.steps, &line.values));
        Block::Figure(LineChart::over_steps(metric(key), *key, series).draw(width))
    };
    charts.iter().take(MAX_CHARTS).map(draw).collect()
}

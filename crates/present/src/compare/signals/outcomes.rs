//! The outcomes of the best runs in the Signals view: their curves and their places.

use crate::compare::parts::{name, push, run};
use rundown_compare::{Effect, Metric, RankedRun, RunSummary};
use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Span, Table, TableColumn, Tone};
use rundown_format::rich_text::{metric as metric_key, setting_key};
use rundown_format::{RichText, counted, redact, redact_setting};
use rundown_plot::figure::{ChartSeries, LineChart};

/// Settings beside the outcome in the leaderboard.
const MAX_SETTING_COLUMNS: usize = 3;
/// Runs in the leaderboard, and curves.
const MAX_LEADERS: usize = 10;
const MAX_CURVES: usize = 24;
/// Height of a row of the leaderboard, and of its heading and what stands below, in CSS pixels.
const LEADER_HEIGHT: f64 = 29.0;
const LEADERS_FRAME: f64 = 66.0;

/// The curve of each of the best runs, in the colour of its value of the setting that did most. Beside the leaderboard they
/// are as high as its rows.
pub(super) fn curves(
    summaries: &[&RunSummary],
    rows: &[RankedRun],
    (metric, effects): (&Metric, &[Effect]),
    (width, is_beside_leaders): (f64, bool),
) -> Vec<Block> {
    let deciding = effects.first().filter(|effect| effect.is_claimed && effect.bins.len() > 1);
    let bin_of = |place: usize| {
        let effect = deciding?;
        let level = effect.parameter.value_of(place)?;
        effect.bins.iter().position(|bin| bin.contains(level))
    };
    let shown: Vec<(usize, &RunSummary)> = rows
        .iter()
        .filter_map(|row| Some((row.index, *summaries.get(row.index)?)))
        .filter(|(_, summary)| metric.trace_in(summary).is_some())
        .take(MAX_CURVES)
        .collect();
    if shown.len() < 2 {
        return Vec::new();
    }
    let mut named: Vec<usize> = Vec::new();
    let labels: Vec<(String, Tone, bool)> = shown
        .iter()
        .enumerate()
        .map(|(rank, (place, summary))| match (deciding, bin_of(*place)) {
            (Some(effect), Some(bin)) => {
                // One line of each value bears its name.
                let is_first = !named.contains(&bin);
                named.push(bin);
                let value = effect.bins.get(bin).map(|bin| redact(&bin.label).into_owned()).unwrap_or_default();
                let label = if is_first { value } else { format!("{}, {value}", name(summary)) };
                (label, Tone::Series((bin % 8) as u8), is_first)
            }
            (Some(_), None) => (name(summary), Tone::Muted, false),
            (None, _) => {
                let tone = Tone::Run { run: summary.number, place: (rank % 8) as u8 };
                (name(summary), tone, rank < 8)
            }
        })
        .collect();
    let series = shown.iter().zip(&labels).filter_map(|((_, summary), (label, tone, is_labelled))| {
        let trace = metric.trace_in(summary)?;
        let line = ChartSeries::new(0, label, &trace.steps, &trace.values);
        Some(ChartSeries { tone: *tone, is_labelled: *is_labelled, ..line })
    });
    let chart = LineChart::over_steps(RichText::default(), metric.key.as_str(), series);
    let mut title = RichText::from(metric_key(&metric.key));
    if let Some(effect) = deciding {
        title.push(Span::Note(format!("by {}", redact(&effect.parameter.words))));
    }
    let figure = if is_beside_leaders {
        chart.draw_at(width, LEADERS_FRAME + LEADER_HEIGHT * rows.len().min(MAX_LEADERS) as f64)
    } else {
        chart.draw(width)
    };
    vec![Block::part(title), Block::Figure(figure)]
}

/// The best runs with the settings that did most, and their outcome.
pub(super) fn leaderboard(
    summaries: &[&RunSummary],
    rows: &[RankedRun],
    (metric, effects): (&Metric, &[Effect]),
) -> Vec<Block> {
    let settings: Vec<&Effect> = effects.iter().take(MAX_SETTING_COLUMNS).collect();
    let mut table = Table::new("", &[Words("Run")]);
    let column = |effect: &&Effect| TableColumn {
        name: setting_key(&effect.parameter.key).into(),
        is_numeric: effect.parameter.is_number(),
    };
    table.columns.extend([TableColumn::numbers(metric_key(&metric.key)), TableColumn::words("Verdict")]);
    table.columns.extend(settings.iter().map(column));
    for row in rows.iter().take(MAX_LEADERS) {
        let Some(summary) = summaries.get(row.index) else { continue };
        let value = |effect: &&Effect| {
            let level = effect.parameter.value_of(row.index);
            level.map_or_else(Cell::default, |level| {
                let text = redact_setting(&effect.parameter.key, &level.text());
                if level.value.is_finite() { Cell::number(text, level.value) } else { Cell::text(&*text) }
            })
        };
        let outcome = row.outcome.as_ref();
        let level = outcome.map_or_else(Cell::default, |outcome| Cell::plus_minus(outcome.level, outcome.half()));
        let mut cells = vec![run(summary), level, Cell::text(summary.verdict.as_str())];
        cells.extend(settings.iter().map(value));
        table.rows.push(cells);
    }
    let more = rows.len().saturating_sub(MAX_LEADERS);
    let mut blocks = vec![Block::part("Leaderboard")];
    push(&mut blocks, table);
    if more > 0 {
        blocks.push(Block::text(format!("{} in Compare.", counted(more, "more run"))));
    }
    blocks
}

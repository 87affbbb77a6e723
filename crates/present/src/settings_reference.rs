//! The reference below the form of the Settings view: concepts, thresholds, and the metrics of these runs without a mapping.

use std::collections::BTreeMap;

use rundown_compare::RunSummary;
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_diagnose::Rulebook;
use rundown_format::rich;
use rundown_format::rich_text::key;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::{Concept, Direction, is_bindable};

/// Most metrics without a meaning that are listed.
const MAX_UNKNOWN_METRICS: usize = 200;

/// The blocks.
pub(super) fn settings_reference(summaries: &[&RunSummary]) -> Vec<Block> {
    let mut blocks = unrecognised(summaries);
    blocks.extend([
        Block::section("Quantities"),
        Block::text(rich!(
            "Under {}: {}. A unit may follow the name, as in {}; {} excludes the metric.",
            key("[metrics]"),
            key("my_score = \"evaluation\""),
            key("kl_to_reference:nats_per_sequence"),
            key("\"none\"")
        )),
        concepts(),
        Block::section("Thresholds"),
        Block::text(rich!(
            "Under {}: {}. These are the built-in ones, each with its source.",
            key("[rulebook]"),
            key("kl_warning = 0.8")
        )),
        thresholds(),
    ]);
    blocks
}

/// Metrics of these runs that no check reads.
fn unrecognised(summaries: &[&RunSummary]) -> Vec<Block> {
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    // Keys with an underscore in front are the tracker's own.
    let is_unrecognised = |key: &&String| !key.starts_with('_') && !is_bindable(key);
    for key in summaries.iter().flat_map(|summary| summary.last.keys()).filter(is_unrecognised) {
        *runs.entry(key).or_default() += 1;
    }
    if runs.is_empty() {
        return Vec::new();
    }
    let mut keys: Vec<(&str, usize)> = runs.into_iter().collect();
    keys.compact_sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    let mut table = Table::new("", &[Words("Metric"), Numbers("Runs")]);
    table.left_out = u32::try_from(keys.len().saturating_sub(MAX_UNKNOWN_METRICS)).unwrap_or(u32::MAX);
    table.rows =
        keys.into_iter().take(MAX_UNKNOWN_METRICS).map(|(key, runs)| vec![Cell::key(key), count(runs)]).collect();
    vec![
        Block::section("Unrecognised metrics"),
        Block::text(
            "No check reads these metrics. Map one to a quantity below, and the checks of that quantity read it.",
        ),
        Block::Table(table),
    ]
}

fn concepts() -> Block {
    let mut table = Table::new("", &[Words("Name"), Words("Quantity"), Words("Better"), Words("Usual metric")]);
    table.rows = Concept::ALL
        .iter()
        .map(|concept| {
            let better = match concept.direction() {
                Direction::Up => "more",
                Direction::Down => "less",
                Direction::Neutral => "",
            };
            vec![
                Cell::key(concept.name()),
                Cell::text(concept.words()),
                Cell::text(better),
                Cell::key(concept.plain_key()),
            ]
        })
        .collect();
    Block::Table(table)
}

fn thresholds() -> Block {
    let mut table = Table::new("", &[Words("Name"), Numbers("Value"), Words("Unit"), Words("Source")]);
    table.rows = Rulebook::default()
        .thresholds()
        .map(|(name, threshold)| {
            let value = Cell::tabular(threshold.value);
            vec![Cell::key(name), value, Cell::text(&*threshold.unit), Cell::text(&*threshold.source)]
        })
        .collect();
    Block::Table(table)
}

fn count(runs: usize) -> Cell {
    Cell::number(runs.to_string(), runs as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_comes_first() {
        let summary = |keys: &[&str]| RunSummary {
            last: keys.iter().map(|key| ((*key).to_owned(), 1.0)).collect(),
            ..RunSummary::default()
        };
        let (one, two) = (summary(&["zebra", "train/reward", "_runtime"]), summary(&["zebra", "apple_index"]));
        let blocks = settings_reference(&[&one, &two]);
        let shown = format!("{:?}", crate::clean::clean_blocks(blocks.clone(), ""));
        assert!(!shown.contains(rundown_format::redact::REDACTED), "no name of a metric is a secret");
        let Some(Block::Table(table)) = blocks.get(2) else { panic!("{blocks:?}") };
        let rows: Vec<String> = table.rows.iter().map(|row| format!("{row:?}")).collect();
        assert!(rows.len() == 2 && rows[0].contains("zebra") && rows[1].contains("apple_index"), "{rows:?}");
        let all = format!("{blocks:?}");
        assert!(all.contains("kl_warning") && all.contains("kl_to_reference"));
        assert_eq!(settings_reference(&[]).len(), blocks.len() - 3);
    }
}

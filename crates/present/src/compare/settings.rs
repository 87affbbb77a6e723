//! The settings in which runs differ, and all of them as lines to the outcome.

use std::collections::BTreeMap;

use super::Selection;
use super::parts::{MAX_ROWS, key_span, name, named_runs, push, run};
use crate::config::{redact_config_value, shown_setting};
use rundown_compare::{ConfigDiff, ConfigDiffRow, RunSummary, SettingRole, joined_rows, outcome};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table, TableColumn};
use rundown_format::redact::cut;
use rundown_format::rich_text::setting_key;
use rundown_format::{RichText, plural, rich};
use rundown_plot::figure::{ParallelAxis, ParallelChart, ParallelValue};
use rundown_run::ConfigValue;
use rundown_vocabulary::Direction;

/// Most settings that become axes of the drawing.
const MAX_AXES: usize = 8;
/// Up to so many runs stand beside each other; of more, each has a row.
const MAX_RUN_COLUMNS: usize = 6;
/// Keys that are named of those left out, and of those that the same runs recorded.
const MAX_NAMED_KEYS: usize = 8;
/// Values that are named of one setting, and letters of one that stands among others.
const MAX_NAMED_VALUES: usize = 6;
const MAX_LETTERS: usize = 40;
/// Rows of the table that is folded away.
const MAX_FOLDED_ROWS: usize = 200;

/// The settings that differ, without a cap on the runs or keys; `diff` is of these summaries.
pub fn settings(summaries: &[&RunSummary], selection: &Selection, diff: &ConfigDiff<'_>) -> Vec<Block> {
    if diff.without_config == summaries.len() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("Configuration differences"), Block::text(summary(diff, summaries.len()))];
    if summaries.len() <= MAX_RUN_COLUMNS {
        push(&mut blocks, abreast(summaries, diff));
    } else {
        push(&mut blocks, by_run(summaries, diff, selection));
    }
    blocks.extend(lines(summaries, diff, selection));
    blocks.extend(not_in_all(summaries, diff));
    blocks
}

/// How many settings differ and what was left out: the page has a table of those that differ and the lines of its own.
pub fn settings_in_short(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Vec<Block> {
    if diff.without_config == summaries.len() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("Configuration differences"), Block::text(summary(diff, summaries.len()))];
    blocks.extend(not_in_all(summaries, diff));
    // Where all of them are named, the values are.
    if recorded_by(diff).iter().any(|set| set.rows.len() > MAX_NAMED_KEYS) {
        let table = with_values(summaries, &diff.partial);
        blocks
            .push(Block::Fold { title: "These settings with their values".into(), blocks: vec![Block::Table(table)] });
    }
    blocks
}

/// What stands behind the settings that differ: what few of many runs recorded, and what some recorded with one value.
fn not_in_all(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if summaries.len() > MAX_RUN_COLUMNS {
        push(&mut blocks, rarely_recorded(diff));
    }
    push(&mut blocks, partly_recorded(summaries, diff));
    blocks
}

/// Settings that differ among fewer than half of the runs, each with its values.
fn rarely_recorded(diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new(
        "Recorded by fewer than half of the runs",
        &[Words("Setting"), Words("Values"), Numbers("Runs with it")],
    );
    for row in diff.rows.iter().filter(|row| !row.is_common) {
        let mut values: Vec<String> = Vec::new();
        for value in row.values.iter().flatten() {
            let value = cut(&shown_setting(row.key, value), MAX_LETTERS).into_owned();
            if !values.contains(&value) {
                values.push(value);
            }
            if values.len() > MAX_NAMED_VALUES {
                break;
            }
        }
        let is_cut = values.len() > MAX_NAMED_VALUES;
        values.truncate(MAX_NAMED_VALUES);
        let more =
            if is_cut { format!(" and {} more", row.distinct.saturating_sub(MAX_NAMED_VALUES)) } else { String::new() };
        let values = format!("{}{more}", values.join(", "));
        table.rows.push(vec![Cell::key(row.key), Cell::text(values), count(row.runs)]);
    }
    table
}

/// Settings that the same runs alone recorded, with one value.
struct RecordedBySome<'d, 'e> {
    /// Places of the runs, ascending.
    runs: Vec<usize>,
    /// The settings, the most important first.
    rows: Vec<&'d ConfigDiffRow<'e>>,
}

/// Settings that some runs alone recorded, by these runs; those with the most important setting first.
fn recorded_by<'d, 'e>(diff: &'d ConfigDiff<'e>) -> Vec<RecordedBySome<'d, 'e>> {
    let mut sets: Vec<RecordedBySome<'d, 'e>> = Vec::new();
    let mut places: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for row in &diff.partial {
        let runs: Vec<usize> = row.values.iter().enumerate().filter_map(|(run, value)| value.map(|_| run)).collect();
        let place = *places.entry(runs.clone()).or_insert(sets.len());
        match sets.get_mut(place) {
            Some(set) => set.rows.push(row),
            None => sets.push(RecordedBySome { runs, rows: vec![row] }),
        }
    }
    sets
}

/// A row for each set of runs: how many settings these alone recorded, and the first of them.
fn partly_recorded(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new(
        "Recorded by some runs only, with one value",
        &[Words("Recorded by"), Numbers("Settings"), Words("Which")],
    );
    for RecordedBySome { runs, rows } in recorded_by(diff) {
        let mut which: Vec<Span> = Vec::new();
        for row in rows.iter().take(MAX_NAMED_KEYS) {
            if !which.is_empty() {
                which.push(Span::Text(", ".to_owned()));
            }
            which.extend(Cell::key(row.key).text);
            let value = first_value(row).map(|value| shown_setting(row.key, value)).unwrap_or_default();
            which.push(Span::Text(format!(" {}", cut(&value, MAX_LETTERS))));
        }
        if rows.len() > MAX_NAMED_KEYS {
            which.push(Span::Text(format!(" and {} more", rows.len() - MAX_NAMED_KEYS)));
        }
        let runs: Vec<&RunSummary> = runs.iter().filter_map(|run| summaries.get(*run).copied()).collect();
        table.rows.push(vec![Cell::text(named_runs(&runs)), count(rows.len()), Cell { text: which, value: None }]);
    }
    table
}

/// Settings that some runs recorded, with one value: a row for each.
fn with_values(summaries: &[&RunSummary], rows: &[ConfigDiffRow<'_>]) -> Table {
    let mut table = Table::new("", &[Words("Setting"), Words("Value"), Numbers("Runs with it"), Words("Which")]);
    for row in rows.iter().take(MAX_FOLDED_ROWS) {
        let runs = summaries.iter().zip(&row.values).filter_map(|(summary, value)| value.map(|_| *summary));
        let runs: Vec<&RunSummary> = runs.collect();
        table.rows.push(vec![
            Cell::key(row.key),
            cell(row.key, first_value(row)),
            count(row.runs),
            Cell::text(named_runs(&runs)),
        ]);
    }
    table.left_out = u32::try_from(rows.len().saturating_sub(MAX_FOLDED_ROWS)).unwrap_or(u32::MAX);
    table
}

fn first_value<'e>(row: &ConfigDiffRow<'e>) -> Option<&'e ConfigValue> {
    row.values.iter().find_map(|value| *value)
}

fn count(number: usize) -> Cell {
    Cell::number(number.to_string(), number as f64)
}

fn summary(diff: &ConfigDiff<'_>, runs: usize) -> RichText {
    let hyperparameters = diff.rows.iter().filter(|row| row.role == SettingRole::Hyperparameter).count();
    let differ = match hyperparameters {
        0 if !diff.rows.is_empty() && diff.constant == 0 && diff.partial.is_empty() => {
            "The runs record no setting but their seeds".to_owned()
        }
        0 if !diff.rows.is_empty() => "The runs differ only in their seeds".to_owned(),
        0 if diff.partial.is_empty() => "The runs differ in no setting".to_owned(),
        0 => "No setting was recorded with different values".to_owned(),
        1 => "The runs differ in one setting".to_owned(),
        many => format!("The runs differ in {many} settings"),
    };
    let same = match diff.constant {
        // No setting was recorded by all runs with the same value: there is nothing to count.
        0 => String::new(),
        1 => "; 1 is the same in all".to_owned(),
        many => format!("; {many} are the same in all"),
    };
    let partial = match diff.partial.len() {
        0 => String::new(),
        1 => ", and 1 was recorded by some runs only".to_owned(),
        many => format!(", and {many} were recorded by some runs only"),
    };
    let mut text = rich!("{}{}{}.", differ, same, partial);
    if !diff.aside.is_empty() {
        let keys = diff.aside.iter().take(MAX_NAMED_KEYS).map(|row| setting_key(row.key).into());
        let rest = diff.aside.len().saturating_sub(MAX_NAMED_KEYS);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let keys = RichText::joined(keys, ", ", ", ");
        text.append(rich!(
            " Names, paths, times, and switches of videos and saved models are not listed: {}{}.",
            keys,
            more
        ));
    }
    if diff.without_config > 0 {
        let have = plural(diff.without_config, "has", "have");
        text.append(format!(" {} of {runs} runs {have} no known settings.", diff.without_config));
    }
    text
}

/// The keys of settings with the same values in all runs.
fn named_keys(keys: &[&str], span: fn(&str) -> Span) -> RichText {
    RichText::joined(keys.iter().map(|key| span(key).into()), ", ", " and ")
}

/// A row for each setting, a column for each run.
fn abreast(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new("", &[Words("Setting")]);
    table.columns.extend(summaries.iter().map(|summary| TableColumn::words(name(summary))));
    for (row, keys) in joined_rows(diff.rows.iter()) {
        let mut cells = vec![Cell::text(named_keys(&keys, key_span))];
        cells.extend(row.values.iter().map(|value| cell(row.key, *value)));
        table.rows.push(cells);
    }
    table
}

/// A row for each run, a column for each setting that at least half of them recorded, in the order of the leaderboard.
fn by_run(summaries: &[&RunSummary], diff: &ConfigDiff<'_>, selection: &Selection) -> Table {
    let rows = joined_rows(diff.rows.iter().filter(|row| row.is_common));
    let mut columns = vec![TableColumn::words("Run")];
    columns.extend(rows.iter().map(|(_, keys)| TableColumn::words(named_keys(keys, setting_key))));
    let mut table = Table { columns, ..Table::default() };
    if rows.is_empty() {
        return table;
    }
    for ranked in selection.ranked(summaries) {
        let Some(summary) = summaries.get(ranked.index) else { continue };
        // What a table has no room for is not written out either.
        if table.rows.len() >= MAX_ROWS {
            table.left_out += 1;
            continue;
        }
        let mut cells = vec![run(summary)];
        cells.extend(rows.iter().map(|(row, _)| cell(row.key, row.values.get(ranked.index).copied().flatten())));
        table.rows.push(cells);
    }
    table
}

fn cell(key: &str, value: Option<&ConfigValue>) -> Cell {
    let Some(value) = value else { return Cell::default() };
    Cell { text: vec![Span::Text(shown_setting(key, value))], value: value.as_number() }
}

/// The first hyperparameters of the config diff that at least half of the runs recorded as axes, the outcome as the last one.
fn lines(summaries: &[&RunSummary], diff: &ConfigDiff<'_>, selection: &Selection) -> Vec<Block> {
    let Some(metric) = &selection.metric else { return Vec::new() };
    let is_axis = |row: &&ConfigDiffRow<'_>| row.is_common && row.role == SettingRole::Hyperparameter;
    let hyperparameters: Vec<_> = diff.rows.iter().filter(is_axis).take(MAX_AXES).collect();
    if hyperparameters.len() < 2 || summaries.len() < 4 {
        return Vec::new();
    }
    let names: Vec<String> = summaries.iter().map(|summary| name(summary)).collect();
    let words: Vec<Vec<String>> = hyperparameters
        .iter()
        .map(|row| {
            row.values.iter().map(|value| value.map(|value| redact_config_value(row.key, value)).unwrap_or_default())
        })
        .map(Iterator::collect)
        .collect();
    let mut axes: Vec<ParallelAxis<'_>> = Vec::new();
    for (row, words) in hyperparameters.iter().zip(&words) {
        let values = row.values.iter().zip(words).map(|(value, word)| match value {
            Some(ConfigValue::Number(number)) => ParallelValue::Number(*number),
            Some(_) => ParallelValue::Word(word),
            None => ParallelValue::None,
        });
        axes.push(ParallelAxis { name: row.key, values: values.collect() });
    }
    let outcomes = summaries.iter().map(|summary| outcome(summary, metric));
    let outcomes = outcomes.map(|found| found.map_or(ParallelValue::None, |found| ParallelValue::Number(found.level)));
    axes.push(ParallelAxis { name: &metric.key, values: outcomes.collect() });
    let chart = ParallelChart {
        title: "Settings and outcome, a line for each run".into(),
        runs: names.iter().map(String::as_str).collect(),
        axes,
        is_less_better: metric.direction == Direction::Down,
    };
    vec![Block::Figure(chart.draw(selection.width))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::{Metric, config_diff, setting_columns};

    /// Runs with these settings.
    fn runs(configs: &[&[(&str, f64)]]) -> Vec<RunSummary> {
        let run = |(number, config): (usize, &&[(&str, f64)])| {
            let mut summary =
                RunSummary { number: number as u32, name: format!("run-{number}"), ..RunSummary::default() };
            config.iter().for_each(|(key, value)| summary.config.insert(*key, ConfigValue::Number(*value)));
            summary
        };
        configs.iter().enumerate().map(run).collect()
    }

    fn shown(summaries: &[RunSummary], is_page: bool) -> Vec<Block> {
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let diff = config_diff(&summaries, &setting_columns(&summaries));
        if is_page {
            settings_in_short(&summaries, &diff)
        } else {
            settings(&summaries, &Selection::by(Some(Metric::chosen(&summaries, "eval/accuracy", None))), &diff)
        }
    }

    fn rows(blocks: &[Block], place: usize) -> Vec<Vec<String>> {
        let table = |block: &Block| if let Block::Table(table) = block { Some(table.clone()) } else { None };
        let table = blocks.iter().filter_map(table).nth(place).unwrap();
        table.rows.iter().map(|row| row.iter().map(Cell::plain).collect()).collect()
    }

    #[test]
    fn what_is_not_there_is_not_counted() {
        let summaries = runs(&[&[("learning_rate", 1e-6)], &[("learning_rate", 1e-5), ("epsilon", 0.2)]]);
        let said = rundown_content::markdown(&shown(&summaries, true));
        assert!(said.contains("The runs differ in one setting, and 1 was recorded by some runs only."), "{said}");
    }

    #[test]
    fn what_one_run_alone_recorded_is_counted_not_listed() {
        let own: Vec<String> = (0..30).map(|place| format!("own_{place:02}")).collect();
        let mut first: Vec<(&str, f64)> = own.iter().map(|key| (key.as_str(), 1.0)).collect();
        first.extend([("learning_rate", 1e-6), ("epsilon", 0.2), ("workers", 4.0)]);
        let summaries =
            runs(&[&first, &[("learning_rate", 1e-5), ("workers", 4.0)], &[("learning_rate", 1e-5), ("workers", 4.0)]]);
        let blocks = shown(&summaries, true);
        let Block::Text(text) = &blocks[1] else { panic!("{blocks:?}") };
        assert_eq!(
            Cell { text: text.clone(), value: None }.plain(),
            "The runs differ in one setting; 1 is the same in all, and 31 were recorded by some runs only."
        );
        let found = rows(&blocks, 0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0][..2], ["run-0", "31"]);
        assert!(found[0][2].starts_with("epsilon 0.2, own_00 1, "), "known ones first: {}", found[0][2]);
        assert!(found[0][2].ends_with(" and 23 more"), "{}", found[0][2]);
        let Some(Block::Fold { blocks: folded, .. }) = blocks.last() else { panic!("{blocks:?}") };
        assert_eq!(rows(folded, 0).len(), 31);
        assert_eq!(rows(&shown(&summaries, false), 0), [["learning_rate", "1e-6", "1e-5", "1e-5"]]);
    }

    #[test]
    fn few_settings_of_some_runs_are_named_with_their_values() {
        let blocks = shown(&runs(&[&[("beta", 0.04)], &[("beta", 0.04)], &[("lr", 1e-6)]]), true);
        assert_eq!(rows(&blocks, 0), [["run-0, run-1", "1", "beta 0.04"], ["run-2", "1", "lr 1e-6"]]);
        assert!(!blocks.iter().any(|block| matches!(block, Block::Fold { .. })));
    }

    #[test]
    fn seeds_alone_are_no_agreement_in_other_settings() {
        let said = rundown_content::markdown(&shown(&runs(&[&[("seed", 1.0)], &[("seed", 2.0)]]), true));
        assert!(said.contains("The runs record no setting but their seeds."), "{said}");
    }

    #[test]
    fn of_many_runs_columns_and_axes_are_what_half_of_them_recorded() {
        let many: Vec<Vec<(&str, f64)>> = (0..8)
            .map(|place| {
                let value = f64::from(place);
                let mut config = vec![("learning_rate", 1e-6 * (value + 1.0)), ("layers", value % 2.0)];
                config.extend((place < 3).then_some(("beta", 0.01 * value)));
                config
            })
            .collect();
        let mut summaries = runs(&many.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for (place, summary) in summaries.iter_mut().enumerate() {
            summary.last.insert("eval/accuracy".to_owned(), 0.1 * place as f64);
        }
        let blocks = shown(&summaries, false);
        let Some(Block::Table(table)) = blocks.iter().find(|block| matches!(block, Block::Table(_))) else {
            panic!("{blocks:?}")
        };
        let names: Vec<String> = table.columns.iter().map(|column| column.name.to_string()).collect();
        assert_eq!(names, ["Run", "learning_rate", "layers"]);
        assert_eq!(rows(&blocks, 1), [["beta", "0, 0.01, 0.02", "3"]]);
        let axes = blocks.iter().find_map(|block| if let Block::Figure(figure) = block { Some(figure) } else { None });
        let axes = format!("{:?}", axes.unwrap());
        assert!(axes.contains("layers") && !axes.contains("beta"), "{axes}");
    }
}

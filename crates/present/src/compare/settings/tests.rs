//! Tests of the settings in which runs differ.

use super::*;
use rundown_compare::{Metric, config_diff, setting_columns};

/// Runs with these settings.
fn runs(configs: &[&[(&str, f64)]]) -> Vec<RunSummary> {
    let run = |(number, config): (usize, &&[(&str, f64)])| {
        let mut summary = RunSummary { number: number as u32, name: format!("run-{number}"), ..RunSummary::default() };
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

#[test]
fn a_long_value_is_cut_in_the_table_of_many_runs() {
    let mut summaries = runs(&[&[("learning_rate", 1e-6)] as &[(&str, f64)]; 8]);
    for (place, summary) in summaries.iter_mut().enumerate() {
        let layers = vec!["full_attention"; 24 + 12 * (place % 2)].join(", ");
        summary.config.insert("layer_types", ConfigValue::Text(format!("[{layers}]")));
    }
    let found = rows(&shown(&summaries, false), 0);
    assert!(found[0][1].starts_with("[full_attention, ") && found[0][1].ends_with('…'), "{}", found[0][1]);
    assert_eq!(found[0][1].chars().count(), MAX_CELL_LETTERS + 1);
}

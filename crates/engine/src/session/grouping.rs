//! The settings in which runs differ: those by which they can be grouped, and those that fit as columns and axes.

use rundown_compare::{ConfigDiffRow, RunSummary, config_diff, setting_columns};
use rundown_run::ConfigValue;

/// Most settings that are offered.
const MAX_SETTINGS: usize = 60;
/// Of more runs the page draws no line for each; ten more columns of ten thousand runs take a third of a second.
const DRAWN_RUNS: usize = 500;
/// Up to so many runs a setting may have another value in each of them: it then tells the runs apart.
const EACH_ITS_OWN: usize = 12;

/// Keys of the settings in which runs differ, what matters most first (`compare::ConfigDiff` has the order).
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DifferingSettings {
    /// Those by which the runs can be grouped; what some runs alone recorded, with one value, last. Of many runs what is different
    /// in each is left out.
    pub groupable: Vec<String>,
    /// Those of which different values were recorded, and behind them known hyperparameters that some runs alone recorded.
    pub recorded: Vec<String>,
    /// Those of which at least half of the runs recorded a value, and not all the same; of many runs no words that are
    /// different in each, and of more than have lines no numbers either.
    pub common: Vec<String>,
}

/// The settings in which the runs differ.
pub(super) fn differing_settings(summaries: &[&RunSummary]) -> DifferingSettings {
    let columns = setting_columns(summaries);
    let diff = config_diff(summaries, &columns);
    let known = diff.partial.iter().filter(|row| row.hyperparameter.is_some());
    let is_common = |row: &&ConfigDiffRow<'_>| row.is_common && (is_level(row) || is_axis(row));
    DifferingSettings {
        groupable: keys(diff.rows.iter().chain(&diff.partial).filter(|row| is_level(row))),
        recorded: keys(diff.rows.iter().chain(known)),
        common: keys(diff.rows.iter().filter(is_common)),
    }
}

fn keys<'d>(rows: impl Iterator<Item = &'d ConfigDiffRow<'d>>) -> Vec<String> {
    rows.take(MAX_SETTINGS).map(|row| row.key.to_owned()).collect()
}

/// False where each of many runs has a value of its own.
fn is_level(row: &ConfigDiffRow<'_>) -> bool {
    row.runs <= EACH_ITS_OWN || row.distinct < row.runs
}

/// True for numbers of no more runs than have lines.
fn is_axis(row: &ConfigDiffRow<'_>) -> bool {
    row.runs <= DRAWN_RUNS && row.values.iter().flatten().all(|value| matches!(value, ConfigValue::Number(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Config;

    fn summary(place: usize, settings: &[(&str, ConfigValue)]) -> RunSummary {
        let mut config = Config::default();
        settings.iter().for_each(|(key, value)| config.insert(*key, value.clone()));
        RunSummary { id: format!("id-{place}"), name: format!("run-{place}"), config, ..RunSummary::default() }
    }

    fn differing(summaries: &[RunSummary]) -> DifferingSettings {
        differing_settings(&summaries.iter().collect::<Vec<_>>())
    }

    fn groupable(summaries: &[RunSummary]) -> Vec<String> {
        differing(summaries).groupable
    }

    #[test]
    fn known_settings_come_first_and_paths_not_at_all() {
        let text = |text: String| ConfigValue::Text(text);
        let number = ConfigValue::Number;
        let mut summaries: Vec<RunSummary> = (0..6)
            .map(|place| {
                let settings = [
                    ("seed", number(place as f64 % 2.0)),
                    ("lr", number([1e-4, 1e-5, 1e-6][place % 3])),
                    ("use_lora", ConfigValue::Bool(place % 2 == 0)),
                    ("model", text(format!("Qwen/Qwen-{}", place % 2))),
                    ("data.train_files", text(format!("/data/{place}.parquet"))),
                    ("beta", number(0.1)),
                ];
                summary(place, &settings)
            })
            .collect();
        summaries[0].config.insert("extra", number(1.0));
        assert_eq!(groupable(&summaries), ["lr", "model", "use_lora", "seed", "extra"]);
        assert_eq!(groupable(&summaries[..1]), [""; 0]);
    }

    #[test]
    fn of_many_runs_what_is_different_in_each_groups_nothing() {
        let of = |runs: usize| -> Vec<RunSummary> {
            (0..runs).map(|place| summary(place, &[("lr", ConfigValue::Number(place as f64))])).collect()
        };
        assert_eq!(groupable(&of(12)), ["lr"]);
        assert_eq!(groupable(&of(13)), [""; 0]);
    }

    #[test]
    fn columns_and_axes_are_what_half_of_the_runs_recorded() {
        let number = ConfigValue::Number;
        let summaries: Vec<RunSummary> = (0..5)
            .map(|place| {
                let value = number(place as f64);
                let own = match place {
                    0 => vec![("beta", number(0.04)), ("own", number(1.0))],
                    1 | 2 => vec![("epsilon", value.clone())],
                    _ => Vec::new(),
                };
                let mut settings = vec![("lr", value)];
                settings.extend(own);
                summary(place, &settings)
            })
            .collect();
        let found = differing(&summaries);
        assert_eq!(found.common, ["lr"]);
        assert_eq!(found.recorded, ["lr", "epsilon", "beta"], "known ones of one run last, others not");
        assert_eq!(found.groupable, ["lr", "epsilon", "beta", "own"]);
    }

    #[test]
    fn a_number_that_is_different_in_each_of_many_runs_is_an_axis_and_a_word_is_not() {
        let settings = |place: usize| {
            [("lr", ConfigValue::Number(place as f64)), ("word", ConfigValue::Text(format!("word-{place}")))]
        };
        let summaries: Vec<RunSummary> = (0..13).map(|place| summary(place, &settings(place))).collect();
        assert_eq!(differing(&summaries).common, ["lr"]);
        let more: Vec<RunSummary> = (0..=DRAWN_RUNS).map(|place| summary(place, &settings(place))).collect();
        assert_eq!(differing(&more).common, [""; 0], "of more runs than have lines");
    }
}

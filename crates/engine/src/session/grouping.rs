//! The settings by which runs can be grouped.

use rundown_compare::{ConfigDiffRow, RunSummary, config_diff, setting_columns};
use rundown_stats::CompactSort as _;

/// Most settings that are offered.
const MAX_SETTINGS: usize = 60;
/// Up to so many runs a setting may have another value in each of them: it then tells the runs apart.
const EACH_ITS_OWN: usize = 12;

/// Keys of the settings in which the runs differ, the most useful first: those with the fewest different values, seeds
/// later, and what is set in some runs only and alike there last. Of many runs what is different in each is left out.
pub(super) fn groupable_settings(summaries: &[&RunSummary]) -> Vec<String> {
    let diff = config_diff(summaries, &setting_columns(summaries));
    let usable = diff.rows.iter().filter_map(|row| Some((values_that_group(row)? < 2, row.key)));
    let mut keys: Vec<(bool, &str)> = usable.collect();
    keys.compact_sort_by_key(|(is_partial, _)| *is_partial);
    keys.into_iter().take(MAX_SETTINGS).map(|(_, key)| key.to_owned()).collect()
}

/// How many different values a setting has where it is set; `None` where they do not group anything.
fn values_that_group(row: &ConfigDiffRow<'_>) -> Option<usize> {
    let set = row.values.iter().flatten().count();
    let is_own = set > EACH_ITS_OWN && row.distinct_values == set;
    (!is_own).then_some(row.distinct_values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{Config, ConfigValue};

    fn summary(place: usize, settings: &[(&str, ConfigValue)]) -> RunSummary {
        let mut config = Config::default();
        settings.iter().for_each(|(key, value)| config.insert(*key, value.clone()));
        RunSummary { id: format!("id-{place}"), name: format!("run-{place}"), config, ..RunSummary::default() }
    }

    fn keys(summaries: &[RunSummary]) -> Vec<String> {
        groupable_settings(&summaries.iter().collect::<Vec<_>>())
    }

    #[test]
    fn settings_with_few_values_come_first_and_paths_not_at_all() {
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
        assert_eq!(keys(&summaries), ["model", "use_lora", "lr", "seed", "extra"]);
        assert_eq!(keys(&summaries[..1]), [""; 0]);
    }

    #[test]
    fn of_many_runs_what_is_different_in_each_groups_nothing() {
        let of = |runs: usize| -> Vec<RunSummary> {
            (0..runs).map(|place| summary(place, &[("lr", ConfigValue::Number(place as f64))])).collect()
        };
        assert_eq!(keys(&of(12)), ["lr"]);
        assert_eq!(keys(&of(13)), [""; 0]);
    }
}

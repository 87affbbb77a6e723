//! The settings in which runs differ.

mod path_like;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use path_like::is_path_like;
use rundown_stats::CompactCollect as _;

use super::settings::{SettingColumn, role_by_values};
use super::{RunSummary, SettingRole};
use rundown_diagnose::{Hyperparameter, hyperparameter_of};
use rundown_run::ConfigValue;
use rundown_stats::CompactSort as _;

/// The settings in which runs differ. Values may be secrets: redact them where they are shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConfigDiff<'e> {
    /// Hyperparameters and seeds of which the runs recorded different values. Those that at least half of the runs recorded
    /// come first; among these known hyperparameters in the order of [`Hyperparameter::ALL`], then those with fewer different
    /// values (they are what an experiment varies), then by key; seeds last.
    pub rows: Vec<ConfigDiffRow<'e>>,
    /// Hyperparameters and seeds that some runs recorded, with the same value, and others did not; in the same order. A
    /// framework records hundreds that another one does not have.
    pub partial: Vec<ConfigDiffRow<'e>>,
    /// What differs but only names the run, where something lies, its machine or its time, by key.
    pub aside: Vec<ConfigDiffRow<'e>>,
    /// How many keys are the same in all runs.
    pub constant: usize,
    /// Runs without any setting.
    pub without_config: usize,
}

/// One setting in all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigDiffRow<'e> {
    /// The key.
    pub key: &'e str,
    /// What it is.
    pub role: SettingRole,
    /// The known setting that it is.
    pub hyperparameter: Option<Hyperparameter>,
    /// Its value in each run, as long as the summaries; `None` where it is not recorded.
    pub values: Vec<Option<&'e ConfigValue>>,
    /// How many different values were recorded.
    pub distinct: usize,
    /// How many runs recorded it.
    pub runs: usize,
    /// True where at least half of the runs with settings recorded it.
    pub is_common: bool,
}

/// The settings in which the runs differ. Runs without any setting count as unknown, not as different. Values that
/// are written alike are the same, so `16` and `"16"` are. `settings` are [`setting_columns`](super::setting_columns)
/// of these runs.
///
/// O(runs * keys * log runs).
pub fn config_diff<'e>(summaries: &[&'e RunSummary], settings: &[SettingColumn<'e>]) -> ConfigDiff<'e> {
    let with_config = summaries.iter().filter(|summary| !summary.config.is_empty()).count();
    let mut diff = ConfigDiff { without_config: summaries.len() - with_config, ..ConfigDiff::default() };
    for column in settings {
        let (distinct, runs) = (count_distinct(column), column.values.len());
        if distinct < 2 && runs >= with_config {
            diff.constant += 1;
            continue;
        }
        let key = column.key;
        let mut values = vec![None; summaries.len()];
        for (index, value) in &column.values {
            if let Some(place) = values.get_mut(*index) {
                *place = Some(*value);
            }
        }
        let role = match role_by_values(key, &values, summaries) {
            SettingRole::Hyperparameter if is_path_like(key, &values, summaries) => SettingRole::Place,
            role => role,
        };
        let rows = match role {
            SettingRole::Hyperparameter | SettingRole::Seed if distinct < 2 => &mut diff.partial,
            SettingRole::Hyperparameter | SettingRole::Seed => &mut diff.rows,
            _ => &mut diff.aside,
        };
        let (hyperparameter, is_common) = (hyperparameter_of(key), 2 * runs >= with_config);
        rows.push(ConfigDiffRow { key, role, hyperparameter, values, distinct, runs, is_common });
    }
    diff.rows.compact_sort_by(|a, b| importance(a).cmp(&importance(b)));
    diff.partial.compact_sort_by(|a, b| importance(a).cmp(&importance(b)));
    diff
}

/// The rows of settings with the same values in all runs as one, with the keys of all of them: projects write a setting under two
/// names.
pub fn joined_rows<'d, 'e>(
    rows: impl Iterator<Item = &'d ConfigDiffRow<'e>>,
) -> Vec<(&'d ConfigDiffRow<'e>, Vec<&'e str>)> {
    let mut joined: Vec<(&'d ConfigDiffRow<'e>, Vec<&'e str>)> = Vec::new();
    let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for row in rows {
        let alike = places.entry(hash_of(&row.values)).or_default();
        let known =
            alike.iter().copied().find(|place| joined.get(*place).is_some_and(|(first, _)| first.values == row.values));
        match known.and_then(|place| joined.get_mut(place)) {
            Some((_, keys)) => keys.push(row.key),
            None => {
                alike.push(joined.len());
                joined.push((row, vec![row.key]));
            }
        }
    }
    joined
}

/// Equal for equal values: among thousands of settings few have to be compared.
fn hash_of(values: &[Option<&ConfigValue>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in values {
        match value {
            Some(ConfigValue::Number(number)) => number.to_bits().hash(&mut hasher),
            Some(ConfigValue::Text(text)) => text.hash(&mut hasher),
            other => other.is_some().hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// What orders settings, the most important first.
fn importance<'e>(row: &ConfigDiffRow<'e>) -> (bool, SettingRole, usize, usize, &'e str) {
    let known = row.hyperparameter.map_or(usize::MAX, |hyperparameter| hyperparameter as usize);
    (!row.is_common, row.role, known, row.distinct, row.key)
}

/// How many different values there are.
fn count_distinct(column: &SettingColumn<'_>) -> usize {
    // Most keys are constant, and comparing is cheaper than writing out.
    if !column.varies() {
        return 1;
    }
    let values = &column.values;
    let number = |(_, value): &(usize, &ConfigValue)| match value {
        ConfigValue::Number(number) => Some(number.to_bits()),
        _ => None,
    };
    if let Some(mut numbers) = values.iter().map(number).collect::<Option<Vec<u64>>>() {
        numbers.sort_unstable();
        numbers.dedup();
        return numbers.len();
    }
    values.iter().map(|(_, value)| value.to_string()).compact_collect::<BTreeSet<String>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting_columns;
    use rundown_run::Config;

    fn summary(name: &str, settings: &[(&str, ConfigValue)]) -> RunSummary {
        let mut config = Config::default();
        settings.iter().for_each(|(key, value)| config.insert(*key, value.clone()));
        RunSummary { id: format!("id-{name}"), name: name.into(), config, ..RunSummary::default() }
    }

    fn number(value: f64) -> ConfigValue {
        ConfigValue::Number(value)
    }

    #[test]
    fn only_what_differs_is_shown() {
        let list = |values: &[f64]| ConfigValue::List(values.iter().copied().map(number).collect());
        let of = |name: &str, lr: f64, seed: f64, layers: &[f64]| {
            summary(
                name,
                &[
                    ("optim.lr", number(lr)),
                    ("seed", number(seed)),
                    ("layers", list(layers)),
                    ("beta", number(0.1)),
                    ("output_dir", ConfigValue::Text(format!("out/{name}"))),
                    ("label", ConfigValue::Text(name.into())),
                ],
            )
        };
        let mut summaries = [of("a", 1e-4, 1.0, &[4.0]), of("b", 1e-5, 2.0, &[4.0, 8.0]), of("c", 1e-4, 3.0, &[4.0])];
        summaries[2].config.insert("extra", ConfigValue::Null);
        let bare = summary("d", &[]);
        let all: Vec<&RunSummary> = summaries.iter().chain([&bare]).collect();
        let diff = config_diff(&all, &setting_columns(&all));
        let rows: Vec<(&str, SettingRole, usize)> =
            diff.rows.iter().map(|row| (row.key, row.role, row.distinct)).collect();
        assert_eq!(
            rows,
            [
                ("optim.lr", SettingRole::Hyperparameter, 2),
                ("layers", SettingRole::Hyperparameter, 2),
                ("seed", SettingRole::Seed, 3)
            ]
        );
        assert_eq!(diff.partial.iter().map(|row| (row.key, row.runs)).collect::<Vec<_>>(), [("extra", 1)]);
        assert_eq!(diff.aside.iter().map(|row| row.key).collect::<Vec<_>>(), ["label", "output_dir"]);
        assert_eq!((diff.constant, diff.without_config), (1, 1));
        assert_eq!(diff.rows[0].values, [Some(&number(1e-4)), Some(&number(1e-5)), Some(&number(1e-4)), None]);
    }

    #[test]
    fn what_most_runs_recorded_comes_first_and_known_settings_before_others() {
        let of = |place: usize, own: &[&str]| {
            let mut settings =
                vec![("zeta", number(place as f64 % 2.0)), ("learning_rate", number(1e-6 * place as f64))];
            settings.extend(own.iter().map(|key| (*key, number(place as f64))));
            summary(&format!("run-{place}"), &settings)
        };
        let rare = ["beta", "seed", "rare"];
        let summaries = [of(0, &rare), of(1, &rare), of(2, &["max_steps"]), of(3, &[]), of(4, &[])];
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let diff = config_diff(&all, &setting_columns(&all));
        let rows: Vec<(&str, bool)> = diff.rows.iter().map(|row| (row.key, row.is_common)).collect();
        assert_eq!(rows, [("learning_rate", true), ("zeta", true), ("beta", false), ("rare", false), ("seed", false)]);
        assert_eq!(diff.partial.iter().map(|row| row.key).collect::<Vec<_>>(), ["max_steps"]);
    }

    #[test]
    fn values_that_are_written_alike_are_the_same() {
        let (a, b) =
            (summary("a", &[("rank", number(16.0))]), summary("b", &[("rank", ConfigValue::Text("16".into()))]));
        assert_eq!(config_diff(&[&a, &b], &setting_columns(&[&a, &b])).constant, 1);
        assert_eq!(config_diff(&[], &[]), ConfigDiff::default());
    }

    #[test]
    fn settings_that_are_equal_in_all_runs_are_one_row() {
        let of = |reward: f64, rate: f64| {
            summary("a", &[("reward_type", number(reward)), ("x_reward_type", number(reward)), ("lr", number(rate))])
        };
        let summaries = [of(1.0, 1e-5), of(2.0, 1e-5), of(2.0, 1e-6)];
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let diff = config_diff(&all, &setting_columns(&all));
        let keys: Vec<Vec<&str>> = joined_rows(diff.rows.iter()).into_iter().map(|(_, keys)| keys).collect();
        assert_eq!(keys, [vec!["lr"], vec!["reward_type", "x_reward_type"]]);
    }
}

//! What a run shares with its repeats, as a few bits.

use super::run_names::{seed_in_name, words};
use crate::settings::{SettingColumn, names_tasks, role_of_column};
use crate::trace::mixed;
use crate::{RunSummary, SettingRole};
use rundown_diagnose::{Hyperparameter, hyperparameter_of};
use rundown_run::{Config, ConfigValue};

/// 128 bits that stand for the hyperparameters of a run: configs of hundreds of keys are not kept twice.
pub(super) type Fingerprint = (u64, u64);

/// With fewer known settings the words of names tell runs apart, too.
const FEW_SETTINGS: usize = 3;

/// One for each run; `None` for a run of which no hyperparameter is known: that it was to take as many steps as another
/// does not make them repeats, nor does the task that it was trained on, where no seed shows that there may be repeats. Where its name
/// holds a seed (`ppo_seed3`), the rest of the name stands for what is not known; so do its words beside few known settings, as of a
/// table whose only one is the learning rate that it logs, unless a seed is among them.
pub(super) fn fingerprints(
    summaries: &[&RunSummary],
    columns: &[SettingColumn<'_>],
    seeds: &[Vec<&ConfigValue>],
) -> Vec<Option<Fingerprint>> {
    let mut known = vec![KnownSettings::default(); summaries.len()];
    for column in columns.iter().filter(|column| role_of_column(column, summaries) == SettingRole::Hyperparameter) {
        let key = text_hash(column.key);
        let tells = hyperparameter_of(column.key) != Some(Hyperparameter::PlannedSteps);
        let is_task = names_tasks(column.key);
        for (run, value) in &column.values {
            let (Some(summary), Some(known)) = (summaries.get(*run), known.get_mut(*run)) else { continue };
            // What names the run is no hyperparameter, under whatever key.
            if matches!(value, ConfigValue::Text(text) if *text == summary.name || *text == summary.id) {
                continue;
            }
            known.mix(key);
            known.mix(value_hash(value));
            let has_seed = || seeds.get(*run).is_some_and(|seeds| !seeds.is_empty());
            if tells && (!is_task || has_seed()) {
                let of_name = column.key.starts_with(Config::OF_NAME);
                *(if of_name { &mut known.in_name } else { &mut known.in_config }) += 1;
            }
        }
    }
    let with_seeds = seeds.iter().map(|seeds| !seeds.is_empty());
    let runs = known.into_iter().zip(with_seeds).zip(summaries);
    runs.map(|((known, has_seed), summary)| known.fingerprint(has_seed, &summary.name)).collect()
}

/// The hyperparameters of a run that are known.
#[derive(Clone)]
struct KnownSettings {
    hash: Fingerprint,
    in_config: usize,
    in_name: usize,
}

impl Default for KnownSettings {
    fn default() -> Self {
        Self { hash: (0, 0x9E37_79B9_7F4A_7C15), in_config: 0, in_name: 0 }
    }
}

impl KnownSettings {
    fn mix(&mut self, part: u64) {
        self.hash = (mixed(self.hash.0, part), mixed(self.hash.1, part));
    }

    fn fingerprint(mut self, has_seed: bool, name: &str) -> Option<Fingerprint> {
        let tell_enough = self.in_config >= FEW_SETTINGS || (self.in_config > 0 && has_seed);
        if !tell_enough {
            // Beside few settings, or those that the name states, its words may stand for others.
            let tells_any = self.in_config + self.in_name > 0;
            let of_name = if tells_any { words(name) } else { seed_in_name(name)?.1 };
            self.mix(text_hash(&of_name));
        }
        Some(self.hash)
    }
}

/// A hash of a value; that of values which are written alike, such as `16` and `"16"`, is the same.
fn value_hash(value: &ConfigValue) -> u64 {
    match value {
        ConfigValue::Number(number) if number.is_nan() => text_hash("NaN"),
        ConfigValue::Number(number) => number.to_bits(),
        ConfigValue::Text(text) => match text.parse().map(ConfigValue::Number) {
            Ok(number) if number.to_string() == *text => value_hash(&number),
            _ => text_hash(text),
        },
        value => text_hash(&value.to_string()),
    }
}

/// FNV-1a (Fowler, Noll and Vo): the same on every platform, unlike the hashes of the standard library.
fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_written_alike_are_the_same() {
        let of = |value: ConfigValue| value_hash(&value);
        let text = |text: &str| of(ConfigValue::Text(text.to_owned()));
        for (number, wording) in [(16.0, "16"), (1e-5, "1e-5"), (-0.5, "-0.5"), (f64::NAN, "NaN")] {
            assert_eq!(of(ConfigValue::Number(number)), text(wording), "{wording}");
        }
        assert_ne!(of(ConfigValue::Number(16.0)), text("16.0"));
        assert_ne!(of(ConfigValue::Null), text("none"));
    }
}

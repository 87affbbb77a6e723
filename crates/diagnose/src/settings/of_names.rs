//! Settings that only the name of a run states: `ingest` makes keys such as `run_name.group_size` of the words beside numbers.
//!
//! A word of a name is less than a key of a config: it may stand for something else, and its number may be written in another way.

use super::{Hyperparameter, hyperparameter_of, usual};
use crate::SettingName;
use rundown_run::Config;

/// The word of such a key, where it can only stand for the known setting of that key. A single word may stand for anything: `beta`,
/// `gamma` and `epsilon` are weights of rewards as well, and the top k that of retrieved texts.
pub(super) fn word_of_name(key: &str) -> Option<&str> {
    let is_clear = |word: &&str| word.contains('_') && *word != "top_k" || *word == "temperature";
    key.strip_prefix(Config::OF_NAME).filter(is_clear)
}

/// False for a number of a name that is far outside of what is usual of the setting: `lr5e6` stands for 5e-6.
pub(super) fn is_plausible(config: &Config, hyperparameter: Hyperparameter, key: &str, value: f64) -> bool {
    !key.starts_with(Config::OF_NAME)
        || usual::of(hyperparameter, config).is_none_or(|usual| (usual.far.0..=usual.far.1).contains(&value))
}

impl SettingName {
    /// The name of the setting of a key: in words where only the names of runs state it, as no config has such a key.
    pub fn of_key(key: &str) -> Self {
        match hyperparameter_of(key).filter(|_| key.starts_with(Config::OF_NAME)) {
            Some(known) => Self::Words(known.words().to_owned()),
            None => Self::Key(key.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::setting;
    use super::*;
    use rundown_run::ConfigValue;

    fn value(word: &str, value: f64, hyperparameter: Hyperparameter) -> Option<f64> {
        let mut config = Config::default();
        config.insert(format!("run_name.{word}"), ConfigValue::Number(value));
        setting(&config, hyperparameter).map(|found| found.value)
    }

    #[test]
    fn a_number_of_a_name_is_a_known_setting_where_its_word_and_its_size_fit() {
        assert_eq!(value("learning_rate", 1e-5, Hyperparameter::LearningRate), Some(1e-5));
        assert_eq!(value("learning_rate", 5e6, Hyperparameter::LearningRate), None);
        assert_eq!(value("temperature", 0.8, Hyperparameter::Temperature), Some(0.8));
        assert_eq!(value("gamma", 1.0, Hyperparameter::Discount), None);
        assert_eq!(value("beta", 0.04, Hyperparameter::KlCoefficient), None);
        assert_eq!(value("top_k", 5.0, Hyperparameter::TopK), None);
        assert_eq!(["gamma", "lam", "top_k"].map(|word| hyperparameter_of(&format!("run_name.{word}"))), [None; 3]);
    }

    #[test]
    fn a_setting_of_a_name_is_called_by_its_words() {
        assert_eq!(SettingName::of_key("run_name.learning_rate"), SettingName::Words("learning rate".to_owned()));
        assert_eq!(SettingName::of_key("run_name.mu"), SettingName::Key("run_name.mu".to_owned()));
        assert_eq!(SettingName::of_key("lr"), SettingName::Key("lr".to_owned()));
    }
}

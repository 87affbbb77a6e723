//! The settings of a run: a flat, ordered map of dotted keys.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use rundown_format::{exact, setting_number};

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConfigValue {
    /// `null` / `None`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, possibly not finite. Integers above 2^53 are kept as [`ConfigValue::Text`] to stay exact.
    Number(#[serde(with = "exact::tagged")] f64),
    /// Text.
    Text(String),
    /// A list, in order.
    List(Vec<ConfigValue>),
}

impl ConfigValue {
    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        if let ConfigValue::Number(number) = self { Some(*number) } else { None }
    }

    /// True or false, if it is a switch, whether written as such or as text.
    pub fn as_switch(&self) -> Option<bool> {
        match self {
            ConfigValue::Bool(on) => Some(*on),
            ConfigValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
            ConfigValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }

    /// False for what leaves a setting out or switches it off: null, 0, false, and the texts that stand for them.
    #[must_use]
    pub fn is_set(&self) -> bool {
        match self {
            ConfigValue::Null => false,
            ConfigValue::Number(number) => *number != 0.0,
            ConfigValue::Text(text) if text.is_empty() => false,
            ConfigValue::Text(text) if ["none", "null"].iter().any(|word| text.eq_ignore_ascii_case(word)) => false,
            other => other.as_switch() != Some(false),
        }
    }
}

impl fmt::Display for ConfigValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigValue::Null => out.write_str("null"),
            ConfigValue::Bool(value) => write!(out, "{value}"),
            ConfigValue::Number(value) => out.write_str(&setting_number(*value)),
            ConfigValue::Text(value) => out.write_str(value),
            ConfigValue::List(values) => {
                out.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.write_str(", ")?;
                    }
                    write!(out, "{value}")?;
                }
                out.write_str("]")
            }
        }
    }
}

/// Settings by dotted key (`actor_rollout_ref.actor.kl_loss_coef`), sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Config(BTreeMap<Arc<str>, ConfigValue>);

/// The keys of many configs, each of them once.
#[derive(Debug, Default)]
pub struct ConfigKeys(BTreeSet<Arc<str>>);

impl ConfigKeys {
    /// Replaces the keys of a config by equal ones of the configs before it. Equal keys are then one text in memory, which
    /// is seen by their addresses.
    pub fn share(&mut self, config: &mut Config) {
        for (key, value) in std::mem::take(&mut config.0) {
            let known = self.0.get(&key).map(Arc::clone);
            let shared = known.unwrap_or_else(|| {
                self.0.insert(Arc::clone(&key));
                key
            });
            config.0.insert(shared, value);
        }
    }
}

impl Config {
    /// Sets a key; a later value replaces an earlier one.
    pub fn insert(&mut self, key: impl Into<String>, value: ConfigValue) {
        self.0.insert(key.into().into(), value);
    }

    /// Adds the settings of `others` whose keys are not there yet.
    pub fn add_missing(&mut self, others: &Config) {
        for (key, value) in &others.0 {
            if !self.0.contains_key(key) {
                self.0.insert(Arc::clone(key), value.clone());
            }
        }
    }

    /// Adds all settings of `others`, which replace those that are there.
    pub fn replace_with(&mut self, others: Config) {
        self.0.extend(others.0);
    }

    /// Removes a key and everything nested under it.
    pub fn remove(&mut self, key: &str) {
        let prefix = format!("{key}.");
        self.0.retain(|name, _| **name != *key && !name.starts_with(&prefix));
    }

    /// Removes the second copy of each setting that chz, which tinker's scripts configure with, keeps under `X_` and the name of its
    /// field: the variables of such a config hold both.
    pub fn remove_copies(&mut self) {
        let is_copy = |(key, value): &(&Arc<str>, &ConfigValue)| {
            key.strip_prefix("X_").is_some_and(|field| self.0.get(field) == Some(*value))
        };
        let copies: Vec<Arc<str>> = self.0.iter().filter(is_copy).map(|(key, _)| Arc::clone(key)).collect();
        copies.iter().for_each(|key| _ = self.0.remove(key));
    }

    /// The value under exactly this key.
    pub fn get(&self, key: &str) -> Option<&ConfigValue> {
        self.0.get(key)
    }

    /// The first of `keys` that holds a number, with that number.
    pub fn number<'k>(&self, keys: &[&'k str]) -> Option<(&'k str, f64)> {
        keys.iter().find_map(|key| Some((*key, self.get(key)?.as_number()?)))
    }

    /// All settings in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ConfigValue)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    /// Number of settings.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without any setting.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_people_write_them() {
        assert_eq!(ConfigValue::Number(1e-5).to_string(), "1e-5");
        assert_eq!(ConfigValue::Number(0.02).to_string(), "0.02");
        assert_eq!(ConfigValue::Number(600.0).to_string(), "600");
        assert_eq!(ConfigValue::Number(20_240_101.0).to_string(), "20240101");
        assert_eq!(ConfigValue::Number(f64::NAN).to_string(), "NaN");
    }

    #[test]
    fn fields_that_a_config_holds_twice_are_kept_once() {
        let mut config = Config::default();
        for (key, value) in [("X_lr", 1.0), ("lr", 1.0), ("X_beta", 2.0), ("beta", 3.0), ("X_only", 4.0)] {
            config.insert(key, ConfigValue::Number(value));
        }
        config.remove_copies();
        assert_eq!(config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["X_beta", "X_only", "beta", "lr"]);
    }

    #[test]
    fn what_switches_a_setting_off_does_not_set_it() {
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let off = [
            ConfigValue::Null,
            ConfigValue::Bool(false),
            ConfigValue::Number(0.0),
            text(""),
            text("None"),
            text("False"),
        ];
        assert!(off.iter().all(|value| !value.is_set()));
        let on = [
            ConfigValue::Bool(true),
            ConfigValue::Number(0.5),
            text("True"),
            text("vllm"),
            ConfigValue::List(Vec::new()),
        ];
        assert!(on.iter().all(ConfigValue::is_set));
    }

    #[test]
    fn what_is_set_stays_when_others_are_added() {
        let of = |settings: &[(&str, f64)]| {
            let mut config = Config::default();
            settings.iter().for_each(|(key, value)| config.insert(*key, ConfigValue::Number(*value)));
            config
        };
        let mut config = of(&[("a", 1.0)]);
        config.add_missing(&of(&[("a", 2.0), ("b", 3.0)]));
        assert_eq!(config, of(&[("a", 1.0), ("b", 3.0)]));
    }

    #[test]
    fn equal_keys_of_several_configs_are_kept_once() {
        let mut keys = ConfigKeys::default();
        let configs = [["a", "b"], ["b", "c"]].map(|names| {
            let mut config = Config::default();
            names.iter().for_each(|name| config.insert(*name, ConfigValue::Null));
            let before = config.clone();
            keys.share(&mut config);
            assert_eq!(config, before);
            config
        });
        let key = |config: usize, place: usize| configs[config].iter().nth(place).unwrap().0;
        assert!(std::ptr::eq(key(0, 1), key(1, 0)));
        assert_eq!([key(0, 0), key(1, 1)], ["a", "c"]);
    }

    #[test]
    fn removing_a_key_removes_what_is_nested_in_it() {
        let mut config = Config::default();
        config.insert("a", ConfigValue::Null);
        config.insert("a.b", ConfigValue::Bool(true));
        config.insert("ab", ConfigValue::Bool(true));
        config.remove("a");
        assert_eq!(config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["ab"]);
    }
}

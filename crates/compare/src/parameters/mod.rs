//! What the runs of a project differ in: from configs of hundreds of keys to the few settings that somebody varied.

mod alike;
mod names;
mod parameter;

use std::collections::BTreeMap;

pub use names::ExclusionReason;
pub(crate) use parameter::written;
pub use parameter::{CorrelatedSetting, Parameter, ParameterKind, ParameterLevel};

use super::RunSummary;
use rundown_diagnose::{Hyperparameter, hyperparameter_of, setting};
use rundown_run::{Config, ConfigValue};
use rundown_stats::CompactSort as _;

/// Longer texts are cut for the list of values.
const LONGEST_TEXT: usize = 60;

/// Largest value over smallest from which on logarithms may be compared: two decades.
const LOG_SPAN: f64 = 100.0;

/// Coefficients that a switch beside them may turn off.
const SWITCHED: [Hyperparameter; 2] = [Hyperparameter::KlCoefficient, Hyperparameter::EntropyCoefficient];

/// What runs differ in, and what they do not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    /// Settings that differ: known ones first, then by key.
    pub varying: Vec<Parameter>,
    /// Settings that all runs share, known ones first.
    pub constant: Vec<ConstantSetting>,
    /// Keys that differ but are no settings of the training.
    pub dropped: Vec<ExcludedSetting>,
}

/// A setting that all runs share.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantSetting {
    /// Its key.
    pub key: String,
    /// The known setting.
    pub hyperparameter: Option<Hyperparameter>,
    /// Its value as it is written.
    pub text: String,
}

/// A key that differs but is no setting of the training.
#[derive(Debug, Clone, PartialEq)]
pub struct ExcludedSetting {
    /// The key.
    pub key: String,
    /// Why it is left out.
    pub why: ExclusionReason,
}

/// A value of one run.
struct SettingValues {
    number: f64,
    is_switch: bool,
    text: String,
}

/// A key over all runs.
struct SettingTally<'a> {
    first: &'a ConfigValue,
    runs: usize,
    varies: bool,
}

/// Sorts the keys of all configs into what varies, what is constant, and what is no setting.
pub fn parameters(summaries: &[&RunSummary]) -> Parameters {
    let mut keys: BTreeMap<&str, SettingTally<'_>> = BTreeMap::new();
    for summary in summaries {
        for (key, value) in summary.config.iter() {
            let seen = keys.entry(key).or_insert(SettingTally { first: value, runs: 0, varies: false });
            seen.runs += 1;
            seen.varies |= seen.first != value;
        }
    }
    let mut found = Parameters::default();
    let mut by_hyperparameter: BTreeMap<Hyperparameter, Vec<&str>> = BTreeMap::new();
    for (key, seen) in &keys {
        // Whether a coefficient counts may vary where the coefficient does not.
        let may_vary = |hyperparameter: &Hyperparameter| {
            seen.varies || seen.runs < summaries.len() || SWITCHED.contains(hyperparameter)
        };
        if let Some(hyperparameter) = hyperparameter_of(key).filter(may_vary) {
            by_hyperparameter.entry(hyperparameter).or_default().push(key);
        }
    }
    let mut settled: Vec<&str> = Vec::new();
    for (hyperparameter, own) in &by_hyperparameter {
        if *hyperparameter == Hyperparameter::Seed {
            continue;
        }
        if let Some((parameter, used)) = known(summaries, *hyperparameter, own) {
            if let Some(why) = no_setting(summaries, &parameter) {
                found.dropped.extend(used.iter().map(|key| ExcludedSetting { key: key.clone(), why }));
                settled.extend(own);
                continue;
            }
            settled.extend(own.iter().filter(|key| used.iter().any(|used| used == *key)));
            found.varying.push(parameter);
        }
    }
    for (key, seen) in &keys {
        let missing = seen.runs < summaries.len();
        if settled.contains(key) || !seen.varies && missing && hyperparameter_of(key).is_some() {
            continue;
        }
        if !seen.varies {
            if !missing {
                let constant = ConstantSetting {
                    key: (*key).to_owned(),
                    hyperparameter: hyperparameter_of(key),
                    text: short(seen.first),
                };
                found.constant.push(constant);
            } else if names::by_name(key, matches!(seen.first, ConfigValue::Text(_))).is_none() {
                found.dropped.push(ExcludedSetting { key: (*key).to_owned(), why: ExclusionReason::SomeRunsOnly });
            }
            continue;
        }
        match plain(summaries, key) {
            Ok(parameter) => found.varying.push(parameter),
            // Written in two ways, and the same.
            Err(ExclusionReason::SomeRunsOnly) if !missing => {
                let constant = ConstantSetting {
                    key: (*key).to_owned(),
                    hyperparameter: hyperparameter_of(key),
                    text: short(seen.first),
                };
                found.constant.push(constant);
            }
            Err(why) => found.dropped.push(ExcludedSetting { key: (*key).to_owned(), why }),
        }
    }
    found.constant.compact_sort_by_key(|constant| {
        constant.hyperparameter.map_or(usize::MAX, |hyperparameter| hyperparameter as usize)
    });
    alike::group(&mut found.varying);
    found
}

/// A known setting over all runs, whatever key each has it under, and the keys that were used; `None` where all runs
/// that have it agree.
fn known(summaries: &[&RunSummary], hyperparameter: Hyperparameter, keys: &[&str]) -> Option<(Parameter, Vec<String>)> {
    let mut used: Vec<(String, usize)> = Vec::new();
    let readings: Vec<Option<SettingValues>> = summaries
        .iter()
        .map(|summary| {
            let Some(found) = setting(&summary.config, hyperparameter) else {
                return switched_off(&summary.config, hyperparameter, keys);
            };
            match used.iter_mut().find(|(key, _)| *key == found.key) {
                Some((_, runs)) => *runs += 1,
                None => used.push((found.key.clone(), 1)),
            }
            let is_switch = matches!(summary.config.get(&found.key), Some(ConfigValue::Bool(_)));
            Some(SettingValues { number: found.value, is_switch, text: cut(found.text) })
        })
        .collect();
    used.compact_sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let used: Vec<String> = used.into_iter().map(|(key, _)| key).collect();
    let parameter = build(used.first()?, &readings)?;
    let words = hyperparameter.words().to_owned();
    Some((Parameter { words, hyperparameter: Some(hyperparameter), ..parameter }, used))
}

/// A coefficient whose key is there but does not count is 0; other settings are not there then, but for a null.
fn switched_off(config: &Config, hyperparameter: Hyperparameter, keys: &[&str]) -> Option<SettingValues> {
    let value = keys.iter().find_map(|key| config.get(key))?;
    if SWITCHED.contains(&hyperparameter) {
        return Some(SettingValues { number: 0.0, is_switch: false, text: "0".to_owned() });
    }
    reading(value).filter(|_| *value == ConfigValue::Null)
}

/// A key of no known setting.
fn plain(summaries: &[&RunSummary], key: &str) -> Result<Parameter, ExclusionReason> {
    let values: Vec<Option<&ConfigValue>> = summaries.iter().map(|summary| summary.config.get(key)).collect();
    let is_text = values.iter().flatten().any(|value| matches!(value, ConfigValue::Text(_) | ConfigValue::List(_)));
    if let Some(why) = names::by_name(key, is_text) {
        return Err(why);
    }
    let readings: Vec<Option<SettingValues>> = values.into_iter().map(|value| reading(value?)).collect();
    let parameter = build(key, &readings).ok_or(ExclusionReason::SomeRunsOnly)?;
    no_setting(summaries, &parameter).map_or(Ok(parameter), Err)
}

/// Why a key is no parameter by its values.
fn no_setting(summaries: &[&RunSummary], parameter: &Parameter) -> Option<ExclusionReason> {
    let own = |(run, summary): (usize, &&RunSummary)| {
        let text = parameter.value_of(run).map(|level| level.text.as_str());
        text.is_none_or(|text| names::holds_name(text, &summary.name, &summary.id))
    };
    if parameter.kind == ParameterKind::Category && summaries.iter().enumerate().all(own) {
        return Some(ExclusionReason::Name);
    }
    let set = parameter.of.iter().flatten().count();
    let texts: Vec<&str> = parameter.levels.iter().map(|level| level.text.as_str()).collect();
    let numbers: Vec<f64> = match parameter.kind {
        ParameterKind::Category => Vec::new(),
        _ => parameter.levels.iter().map(|level| level.value).collect(),
    };
    names::by_values(&parameter.key, &texts, &numbers, set)
}

fn reading(value: &ConfigValue) -> Option<SettingValues> {
    // Logs and Python write `True`.
    let wording = match value {
        ConfigValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(ConfigValue::Bool(true)),
        ConfigValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(ConfigValue::Bool(false)),
        _ => None,
    };
    let value = wording.as_ref().unwrap_or(value);
    let number = match value {
        ConfigValue::Number(number) => *number,
        ConfigValue::Bool(on) => f64::from(u8::from(*on)),
        ConfigValue::Text(text) => {
            text.trim().parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(f64::NAN)
        }
        ConfigValue::Null | ConfigValue::List(_) => f64::NAN,
    };
    let text = match value {
        ConfigValue::Number(number) => written(*number, false),
        ConfigValue::Null => "not set".to_owned(),
        _ => cut(value.to_string()),
    };
    Some(SettingValues { number, is_switch: matches!(value, ConfigValue::Bool(_)), text })
}

/// The levels of a parameter; `None` with fewer than two of them.
fn build(key: &str, readings: &[Option<SettingValues>]) -> Option<Parameter> {
    let numeric = |reading: &SettingValues| reading.number.is_finite();
    let unset = |reading: &SettingValues| reading.text == "not set";
    let mut numbers: Vec<f64> = readings.iter().flatten().map(|reading| reading.number + 0.0).collect();
    numbers.retain(|number| number.is_finite());
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    // A null among several numbers is a gap; against a single number it is the other choice.
    let is_ordered = numbers.len() >= 2 && readings.iter().flatten().all(|reading| numeric(reading) || unset(reading));
    let mut levels: Vec<ParameterLevel>;
    let of: Vec<Option<usize>>;
    if is_ordered {
        levels = numbers.iter().map(|value| ParameterLevel { text: String::new(), value: *value }).collect();
        let place =
            |reading: &SettingValues| numbers.binary_search_by(|number| number.total_cmp(&(reading.number + 0.0))).ok();
        of = readings.iter().map(|reading| reading.as_ref().and_then(place)).collect();
    } else {
        let mut texts: Vec<&str> = readings.iter().flatten().map(|reading| reading.text.as_str()).collect();
        texts.sort();
        texts.dedup();
        levels = texts.iter().map(|text| ParameterLevel { text: (*text).to_owned(), value: f64::NAN }).collect();
        let place = |reading: &SettingValues| texts.binary_search(&reading.text.as_str()).ok();
        of = readings.iter().map(|reading| reading.as_ref().and_then(place)).collect();
    }
    for (place, reading) in of.iter().zip(readings) {
        if let (Some(level), Some(reading)) = (place.and_then(|place| levels.get_mut(place)), reading)
            && level.text.is_empty()
        {
            level.text.clone_from(&reading.text);
        }
    }
    if levels.len() < 2 {
        return None;
    }
    let kind = if !is_ordered {
        ParameterKind::Category
    } else if readings.iter().flatten().all(|reading| reading.is_switch) {
        ParameterKind::Switch
    } else if is_logarithmic(&numbers) {
        ParameterKind::Logarithm
    } else {
        ParameterKind::Number
    };
    Some(Parameter {
        key: key.to_owned(),
        words: key.to_owned(),
        hyperparameter: None,
        kind,
        levels,
        of,
        same: Vec::new(),
        near: Vec::new(),
    })
}

/// True for numbers, ascending and none below 0, whose positive ones span two decades and lie more evenly by their
/// logarithm: a thousand numbers between 0 and 1 span three decades too.
fn is_logarithmic(numbers: &[f64]) -> bool {
    let positive = numbers.get(numbers.partition_point(|number| *number <= 0.0)..).unwrap_or_default();
    let not_negative = numbers.first().is_some_and(|least| *least >= 0.0);
    let (Some(least), Some(most), Some(middle)) = (positive.first(), positive.last(), positive.get(positive.len() / 2))
    else {
        return false;
    };
    if !not_negative || most / least < LOG_SPAN * (1.0 - 1e-9) {
        return false;
    }
    // How far from the middle of the range the middle value lies.
    let plain = ((middle - least) / (most - least) - 0.5).abs();
    let by_logarithm = (libm::log(middle / least) / libm::log(most / least) - 0.5).abs();
    by_logarithm <= plain
}

fn short(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Number(number) => written(*number, false),
        _ => cut(value.to_string()),
    }
}

/// The first letters of a long text.
fn cut(text: String) -> String {
    if text.chars().nth(LONGEST_TEXT).is_none() {
        return text;
    }
    text.chars().take(LONGEST_TEXT).chain(['…']).collect()
}

#[cfg(test)]
mod tests;

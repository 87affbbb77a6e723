//! What the runs of a project differ in: from configs of hundreds of keys to the few settings that somebody varied.

mod alike;
mod names;
mod parameter;
mod tasks;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use names::ExclusionReason;
use parameter::wording_or_number;
pub(crate) use parameter::written;
pub use parameter::{CorrelatedSetting, Parameter, ParameterKind, ParameterLevel};
pub(crate) use tasks::of_other_tasks;

use super::RunSummary;
use super::settings::{SettingColumn, compared_columns, role_of_column};
use rundown_diagnose::{Hyperparameter, hyperparameter_of, setting};
use rundown_format::redact::cut;
use rundown_run::{Config, ConfigValue};
use rundown_stats::CompactSort as _;

/// Fewest runs for a test of a setting: of five, a perfect order is one of 60, with its reverse (p 0.017); of four it is one of 12,
/// which is no evidence. With fewer only ranks are given.
pub const MIN_RUNS_FOR_EFFECTS: usize = 5;
/// What stands for a null.
const NOT_SET: &str = "not set";
/// Longer texts are cut for the list of values.
const LONGEST_TEXT: usize = 60;

/// Largest value over smallest from which on logarithms may be compared: two decades.
const LOG_SPAN: f64 = 100.0;

/// Coefficients that a switch beside them may turn off.
const SWITCHED_COEFFICIENTS: [Hyperparameter; 2] = [Hyperparameter::KlCoefficient, Hyperparameter::EntropyCoefficient];

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
struct SettingReading<'a> {
    number: f64,
    is_switch: bool,
    /// As it is written; `None` for [`written`].
    wording: Option<Cow<'a, str>>,
}

impl SettingReading<'_> {
    fn text(&self) -> Cow<'_, str> {
        wording_or_number(self.wording.as_deref(), self.number)
    }
}

/// A key over all runs.
struct SettingTally<'a> {
    column: SettingColumn<'a>,
    varies: bool,
}

impl SettingTally<'_> {
    /// How many runs have it.
    fn runs(&self) -> usize {
        self.column.values.len()
    }

    /// A setting that all runs share.
    fn constant(&self) -> ConstantSetting {
        ConstantSetting {
            key: self.column.key.to_owned(),
            hyperparameter: hyperparameter_of(self.column.key),
            text: self.column.first().map(short).unwrap_or_default(),
        }
    }
}

/// Sorts the keys of all configs into what varies, what is constant, and what is no setting.
pub fn parameters(summaries: &[&RunSummary]) -> Parameters {
    let tallies: Vec<SettingTally<'_>> = compared_columns(summaries)
        .into_iter()
        .map(|column| SettingTally { varies: column.varies(), column })
        .collect();
    let mut found = Parameters::default();
    let mut by_hyperparameter: BTreeMap<Hyperparameter, Vec<&str>> = BTreeMap::new();
    for seen in &tallies {
        let key = seen.column.key;
        // Whether a coefficient counts may vary where the coefficient does not.
        let may_vary = |hyperparameter: &Hyperparameter| {
            seen.varies || seen.runs() < summaries.len() || SWITCHED_COEFFICIENTS.contains(hyperparameter)
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
        if let Some((parameter, used)) = parameter_of(summaries, *hyperparameter, own) {
            if let Some(why) = no_setting(summaries, &parameter) {
                found.dropped.extend(used.iter().map(|key| ExcludedSetting { key: key.clone(), why }));
                settled.extend(own);
                continue;
            }
            settled.extend(own.iter().filter(|key| used.iter().any(|used| used == *key)));
            found.varying.push(parameter);
        }
    }
    for seen in &tallies {
        let key = seen.column.key;
        let missing = seen.runs() < summaries.len();
        if settled.contains(&key) || !seen.varies && missing && hyperparameter_of(key).is_some() {
            continue;
        }
        if !seen.varies {
            let is_text = matches!(seen.column.first(), Some(ConfigValue::Text(_)));
            if !missing {
                found.constant.push(seen.constant());
            } else if names::by_role(role_of_column(&seen.column, summaries), key, is_text).is_none() {
                found.dropped.push(ExcludedSetting { key: key.to_owned(), why: ExclusionReason::SomeRunsOnly });
            }
            continue;
        }
        match plain(summaries, &seen.column) {
            Ok(parameter) => found.varying.push(parameter),
            // Written in two ways, and the same.
            Err(ExclusionReason::SomeRunsOnly) if !missing => found.constant.push(seen.constant()),
            Err(why) => found.dropped.push(ExcludedSetting { key: key.to_owned(), why }),
        }
    }
    found.constant.compact_sort_by_key(|constant| {
        constant.hyperparameter.map_or(usize::MAX, |hyperparameter| hyperparameter as usize)
    });
    alike::group(&mut found.varying);
    found
}

/// A hyperparameter over all runs, whatever key each has it under, and the keys that were used; `None` where all runs
/// that have it agree.
fn parameter_of(
    summaries: &[&RunSummary],
    hyperparameter: Hyperparameter,
    keys: &[&str],
) -> Option<(Parameter, Vec<String>)> {
    let mut used: Vec<(String, usize)> = Vec::new();
    let readings: Vec<Option<SettingReading<'_>>> = summaries
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
            Some(SettingReading {
                number: found.value,
                is_switch,
                wording: Some(Cow::Owned(cut(&found.text, LONGEST_TEXT).into_owned())),
            })
        })
        .collect();
    used.compact_sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let used: Vec<String> = used.into_iter().map(|(key, _)| key).collect();
    let parameter = build(used.first()?, &readings)?;
    let words = hyperparameter.words().to_owned();
    Some((Parameter { words, hyperparameter: Some(hyperparameter), ..parameter }, used))
}

/// A coefficient that is set and switched off counts as 0; other settings that are switched off count as not set, but
/// for a null.
fn switched_off<'a>(config: &'a Config, hyperparameter: Hyperparameter, keys: &[&str]) -> Option<SettingReading<'a>> {
    let value = keys.iter().find_map(|key| config.get(key))?;
    if SWITCHED_COEFFICIENTS.contains(&hyperparameter) {
        return Some(SettingReading { number: 0.0, is_switch: false, wording: None });
    }
    (*value == ConfigValue::Null).then(|| reading(value))
}

/// A key of no known setting.
fn plain(summaries: &[&RunSummary], column: &SettingColumn<'_>) -> Result<Parameter, ExclusionReason> {
    let key = column.key;
    let is_text = column.values.iter().any(|(_, value)| matches!(value, ConfigValue::Text(_) | ConfigValue::List(_)));
    if let Some(why) = names::by_role(role_of_column(column, summaries), key, is_text) {
        return Err(why);
    }
    let mut readings: Vec<Option<SettingReading<'_>>> = summaries.iter().map(|_| None).collect();
    for (run, value) in &column.values {
        if let Some(place) = readings.get_mut(*run) {
            *place = Some(reading(value));
        }
    }
    let parameter = build(key, &readings).ok_or(ExclusionReason::SomeRunsOnly)?;
    no_setting(summaries, &parameter).map_or(Ok(parameter), Err)
}

/// Why a key is no parameter by its values.
fn no_setting(summaries: &[&RunSummary], parameter: &Parameter) -> Option<ExclusionReason> {
    let own = |(run, summary): (usize, &&RunSummary)| {
        let text = parameter.value_of(run).map(ParameterLevel::text);
        text.is_none_or(|text| names::holds_name(&text, &summary.name, &summary.id))
    };
    if parameter.kind == ParameterKind::Category && summaries.iter().enumerate().all(own) {
        return Some(ExclusionReason::Name);
    }
    let set = parameter.of.iter().flatten().count();
    let (texts, numbers): (Vec<Cow<'_, str>>, Vec<f64>) = match parameter.kind {
        ParameterKind::Category => (parameter.levels.iter().map(ParameterLevel::text).collect(), Vec::new()),
        _ => (Vec::new(), parameter.levels.iter().map(|level| level.value).collect()),
    };
    names::by_values(&parameter.key, &texts, &numbers, set)
}

fn reading(value: &ConfigValue) -> SettingReading<'_> {
    let switch = |on: bool| SettingReading {
        number: f64::from(u8::from(on)),
        is_switch: true,
        wording: Some(Cow::Borrowed(if on { "true" } else { "false" })),
    };
    let words = |number: f64, words| SettingReading { number, is_switch: false, wording: Some(words) };
    match value {
        ConfigValue::Number(number) => SettingReading { number: *number, is_switch: false, wording: None },
        ConfigValue::Bool(on) => switch(*on),
        // Logs and Python write `True`.
        ConfigValue::Text(text) if text.eq_ignore_ascii_case("true") => switch(true),
        ConfigValue::Text(text) if text.eq_ignore_ascii_case("false") => switch(false),
        ConfigValue::Text(text) => {
            let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
            words(number.unwrap_or(f64::NAN), cut(text, LONGEST_TEXT))
        }
        ConfigValue::Null => words(f64::NAN, Cow::Borrowed(NOT_SET)),
        ConfigValue::List(_) => words(f64::NAN, Cow::Owned(cut(&value.to_string(), LONGEST_TEXT).into_owned())),
    }
}

/// The levels of a parameter; `None` with fewer than two of them.
fn build(key: &str, readings: &[Option<SettingReading<'_>>]) -> Option<Parameter> {
    let numeric = |reading: &SettingReading<'_>| reading.number.is_finite();
    let unset = |reading: &SettingReading<'_>| reading.wording.as_deref() == Some(NOT_SET);
    let finite = readings.iter().flatten().map(|reading| reading.number + 0.0).filter(|number| number.is_finite());
    let mut numbers = rundown_stats::ascending(finite);
    numbers.dedup();
    // A null among several numbers is a gap; against a single number it is the other choice.
    let is_ordered = numbers.len() >= 2 && readings.iter().flatten().all(|reading| numeric(reading) || unset(reading));
    let mut levels: Vec<ParameterLevel>;
    let of: Vec<Option<usize>>;
    if is_ordered {
        levels = numbers.iter().map(|value| ParameterLevel { value: *value, wording: None }).collect();
        let place = |reading: &SettingReading<'_>| {
            numbers.binary_search_by(|number| number.total_cmp(&(reading.number + 0.0))).ok()
        };
        of = readings.iter().map(|reading| reading.as_ref().and_then(place)).collect();
        // A level is written as the first of its runs has it.
        let mut is_written = vec![false; levels.len()];
        for (place, reading) in of.iter().zip(readings) {
            let Some((place, reading)) = place.zip(reading.as_ref()) else { continue };
            let Some((level, is_written)) = levels.get_mut(place).zip(is_written.get_mut(place)) else { continue };
            if !std::mem::replace(is_written, true) {
                level.wording = reading.wording.as_deref().map(str::to_owned);
            }
        }
    } else {
        let mut texts: Vec<Cow<'_, str>> = readings.iter().flatten().map(SettingReading::text).collect();
        texts.compact_sort_by(|a, b| a.cmp(b));
        texts.dedup();
        let level = |text: &Cow<'_, str>| ParameterLevel { value: f64::NAN, wording: Some(text.clone().into_owned()) };
        levels = texts.iter().map(level).collect();
        let place = |reading: &SettingReading<'_>| texts.binary_search(&reading.text()).ok();
        of = readings.iter().map(|reading| reading.as_ref().and_then(place)).collect();
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
    let is_wide = most / least >= LOG_SPAN * (1.0 - 1e-9);
    not_negative && is_wide && rundown_stats::is_middle_by_logarithm(*least, *middle, *most)
}

fn short(value: &ConfigValue) -> String {
    match value {
        ConfigValue::Number(number) => written(*number, false),
        _ => cut(&value.to_string(), LONGEST_TEXT).into_owned(),
    }
}

#[cfg(test)]
mod tests;

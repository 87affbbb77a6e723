//! Parameters that were changed together: an effect of one cannot be told from that of another.

use std::collections::BTreeMap;

use super::{CorrelatedSetting, Parameter};
use rundown_stats as stats;

/// |rho| above which two parameters count as changed together.
const STRONG_CORRELATION: f64 = 0.8;
/// Fewest runs for that.
const MIN_RUNS: usize = 5;
/// Pairs are looked at among the first so many parameters.
const MAX_PARAMETERS: usize = 128;

/// Joins parameters that split the runs in the same way, and names those that nearly do. Of joined ones the first
/// stays.
pub(super) fn group(parameters: &mut Vec<Parameter>) {
    let mut first: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let mut kept: Vec<Parameter> = Vec::new();
    for parameter in parameters.drain(..) {
        let place = *first.entry(split(&parameter)).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(other) => other.same.push(parameter.key),
            None => kept.push(parameter),
        }
    }
    *parameters = kept;
    near(parameters);
}

/// How a parameter splits the runs, whatever its values: their numbers in the order in which they first occur.
///
/// Where nearly every run has a value of its own, as in a random search, all parameters split the runs alike: then the
/// values' order counts too, up or down.
fn split(parameter: &Parameter) -> Vec<usize> {
    if parameter.is_ordered() && parameter.levels.len() * 2 > parameter.of.len() {
        let top = parameter.levels.len();
        let first = parameter.of.iter().flatten().next().copied().unwrap_or(0);
        let turned = first * 2 >= top;
        let place = |level: &Option<usize>| {
            level.map_or(usize::MAX, |level| if turned { top - 1 - level } else { level }).wrapping_add(top)
        };
        return parameter.of.iter().map(place).collect();
    }
    let mut renamed: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let mut rename = |level: &Option<usize>| {
        let next = renamed.len();
        *renamed.entry(*level).or_insert(next)
    };
    parameter.of.iter().map(&mut rename).collect()
}

fn near(parameters: &mut [Parameter]) {
    let ordered: Vec<(usize, Vec<f64>)> = parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| parameter.is_ordered())
        .take(MAX_PARAMETERS)
        // The order of the levels is all that a rank correlation needs.
        .map(|(index, parameter)| {
            (index, parameter.of.iter().map(|level| level.map_or(f64::NAN, |level| level as f64)).collect())
        })
        .collect();
    // Without gaps the ranks are the same for every pair.
    let ranks = |parameter: &Parameter| {
        let levels: Option<Vec<usize>> = parameter.of.iter().copied().collect();
        levels.map(|levels| stats::level_ranks(&levels, parameter.levels.len()))
    };
    let ranked: Vec<Option<Vec<f64>>> =
        ordered.iter().map(|(index, _)| parameters.get(*index).and_then(ranks)).collect();
    let mut found: Vec<(usize, usize, f64)> = Vec::new();
    for (a, (index, places)) in ordered.iter().enumerate() {
        for (b, (other, other_places)) in ordered.iter().enumerate().skip(a + 1) {
            let rho = match (ranked.get(a), ranked.get(b)) {
                (Some(Some(x)), Some(Some(y))) if x.len() >= MIN_RUNS => stats::pearson(x, y),
                _ => both(places, other_places),
            };
            if let Some(rho) = rho.filter(|rho| rho.abs() > STRONG_CORRELATION) {
                found.push((*index, *other, rho));
            }
        }
    }
    for (a, b, rho) in found {
        let (Some(a_key), Some(b_key)) = (key(parameters, a), key(parameters, b)) else { continue };
        for (place, key) in [(a, b_key), (b, a_key)] {
            if let Some(parameter) = parameters.get_mut(place) {
                parameter.near.push(CorrelatedSetting { key, rho });
            }
        }
    }
}

fn key(parameters: &[Parameter], place: usize) -> Option<String> {
    parameters.get(place).map(|parameter| parameter.key.clone())
}

/// Spearman's correlation over the runs that have both.
fn both(x: &[f64], y: &[f64]) -> Option<f64> {
    let pairs = x.iter().zip(y).filter(|(x, y)| !x.is_nan() && !y.is_nan());
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    if x.len() < MIN_RUNS { None } else { stats::spearman(&x, &y) }
}

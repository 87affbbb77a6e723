//! The best default config that these runs support, and where each value of it comes from; or why there is none.

use std::collections::BTreeMap;

use super::experiments::ExperimentContext;
use super::matched_runs::fingerprint;
use super::sample::{RunSample, Target, is_broken};
use super::{Confounding, Effect, EffectAnalysis, Parameter, RunSummary};
use crate::diagnose::{Knob, setting};
use crate::format::short;
use crate::stats::{mean, median};

/// Other values that are named beside the best.
const NAMED: usize = 6;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrigin {
    /// Best of runs that differ in nothing else.
    MatchedRuns,
    /// Best bin of a setting with a claimed effect.
    Effect,
    /// The middle, or the most frequent, of the best runs.
    GoodRuns,
    /// The only value that was ever tried.
    OnlyTried,
}

impl ValueOrigin {
    /// The origin in words.
    pub fn words(self) -> &'static str {
        match self {
            ValueOrigin::MatchedRuns => "best of runs that differ in it alone",
            ValueOrigin::Effect => "best of a claimed effect",
            ValueOrigin::GoodRuns => "usual among the best runs",
            ValueOrigin::OnlyTried => "the only value tried",
        }
    }
}

/// One value of the config.
#[derive(Debug, Clone, PartialEq)]
pub struct BestValue {
    /// Key as the runs have it.
    pub key: String,
    /// The setting in words.
    pub words: String,
    /// The value to use.
    pub value: String,
    /// Where it comes from.
    pub origin: ValueOrigin,
    /// True when its effect is more than chance.
    pub is_claimed: bool,
    /// Where it comes from, with numbers.
    pub why: String,
}

/// The suggested default config.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BestConfig {
    /// Values: what varied first, then known settings that all runs share. Empty when the data support none.
    pub values: Vec<BestValue>,
    /// The run that has these values of all that varied; `None` where nobody ran them together.
    pub run: Option<usize>,
    /// Why there is none; empty when there is one.
    pub why_none: String,
    /// What to log or run first, where there is none.
    pub instead: Vec<String>,
    /// The run with the best outcome that is not ugly, whether or not a config is suggested.
    pub best_run: Option<usize>,
}

/// The config that these runs support.
pub fn best_config(
    entries: &[&RunSummary],
    target: &Target<'_>,
    analysis: &EffectAnalysis,
    sample: &RunSample,
) -> BestConfig {
    let context = ExperimentContext::new(entries, target, analysis, sample);
    let mut found = BestConfig { best_run: context.best().map(|(run, _, _)| run), ..BestConfig::default() };
    if let Some((why, instead)) = unsupported(&context) {
        found.why_none = why;
        found.instead = instead;
        return found;
    }
    // What is claimed is settled first; the rest among the runs that agree with it.
    let mut settled: Vec<(&Effect, usize)> = Vec::new();
    let by_claim = analysis.effects.iter().filter(|effect| effect.is_claimed);
    for effect in by_claim.chain(analysis.effects.iter().filter(|effect| !effect.is_claimed)) {
        if let Some((level, value)) = choose(&context, effect, &settled) {
            settled.push((effect, level));
            found.values.push(value);
        }
    }
    let has_all = |run: &&usize| settled.iter().all(|(effect, level)| effect.parameter.level_of(**run) == Some(*level));
    found.run = sample.runs.iter().find(has_all).copied();
    for constant in &analysis.constant {
        let Some(knob) = constant.knob.filter(|knob| *knob != Knob::Seed) else { continue };
        // A knob may have several keys, of which one counts, and a null sets nothing.
        let counts = context.best().and_then(|(_, entry, _)| setting(&entry.config, knob));
        if counts.is_none_or(|counts| counts.key != constant.key) {
            continue;
        }
        found.values.push(BestValue {
            key: constant.key.clone(),
            words: knob.words().to_owned(),
            value: constant.text.clone(),
            origin: ValueOrigin::OnlyTried,
            is_claimed: false,
            why: "All runs have it: nothing is known of other values.".to_owned(),
        });
    }
    found
}

/// Why the data support no default, and what to do first.
fn unsupported(context: &ExperimentContext<'_>) -> Option<(String, Vec<String>)> {
    let outcome = ["Log `", context.target.key, "` (or another outcome) in every run."].concat();
    let analysis = context.analysis;
    let say = |why: &str, instead: &[&str]| {
        Some((why.to_owned(), instead.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()))
    };
    if context.sample.runs.is_empty() {
        return say("No run has an outcome to compare by.", &[&outcome]);
    }
    if context.best().is_none() {
        return say(
            "Every run with an outcome is ugly: the least bad of them is no default.",
            &["Repair what the runs have in common first.", "Then vary one setting at a time."],
        );
    }
    let broken = |entry: &&&RunSummary| is_broken(entry);
    if context.entries.iter().filter(broken).count() * 2 > context.entries.len() {
        return say(
            "Most of the runs broke: what the few others have in common may be luck.",
            &["Find what broke them, and repair that first.", "Repeat the best run with three seeds."],
        );
    }
    if analysis.effects.is_empty() {
        return say(
            "The runs differ in no setting.",
            &["Vary one setting at a time, the learning rate first: three values, threefold apart."],
        );
    }
    if analysis.runs < super::FEWEST_RUNS {
        return say(
            "Fewer than eight runs have an outcome: any of them may lead by luck.",
            &["Repeat the best run with three seeds.", "Vary one setting at a time, three values each."],
        );
    }
    if !analysis.effects.iter().any(|effect| effect.is_claimed) {
        return say(
            "No setting had an effect beyond chance: any choice among them would be one of luck.",
            &["Repeat the best run with three seeds, to learn how much chance does.", "Vary settings further apart."],
        );
    }
    None
}

/// The value of a parameter, given those that are settled.
fn choose(
    context: &ExperimentContext<'_>,
    effect: &Effect,
    settled: &[(&Effect, usize)],
) -> Option<(usize, BestValue)> {
    let parameter = &effect.parameter;
    // What changes the outcome's meaning can't be chosen by the outcome.
    if effect.confounding == Some(Confounding::OutcomeRedefined) {
        return None;
    }
    // What only ugly runs have is no default, however well it scored.
    let is_eligible = |found: &(usize, ValueOrigin, String)| {
        context.eligible.iter().any(|(run, _)| parameter.level_of(*run) == Some(found.0))
    };
    let (level, origin, why) = in_slice(context, effect, settled)
        .filter(is_eligible)
        .or_else(|| if effect.is_claimed { in_best_bin(context, effect) } else { None })
        .or_else(|| among_good(context, parameter))?;
    let value = parameter.levels.get(level)?.text.clone();
    let (key, words) = (parameter.key.clone(), parameter.words.clone());
    Some((level, BestValue { key, words, value, origin, is_claimed: effect.is_claimed, why }))
}

/// The best of the slices: of a claimed effect over all of them, else of those that have the settled values.
fn in_slice(
    context: &ExperimentContext<'_>,
    effect: &Effect,
    settled: &[(&Effect, usize)],
) -> Option<(usize, ValueOrigin, String)> {
    let parameter = &effect.parameter;
    // Of values that hardly repeat each is a single draw: the best of many of them is the luckiest.
    if effect.is_claimed && parameter.is_number() && parameter.levels.len() > effect.bins.len() {
        return None;
    }
    let agrees = |run: &usize| settled.iter().all(|(other, level)| other.parameter.level_of(*run) == Some(*level));
    let slices = effect.matched.iter().filter(|slice| slice.runs.iter().all(&agrees));
    let mut by_level: BTreeMap<usize, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    let (mut count, mut runs) = (0, 0);
    for slice in slices {
        count += 1;
        runs += slice.runs.len();
        let values: Vec<f64> = slice.levels.iter().map(|(_, value)| *value).collect();
        let centre = mean(&values).unwrap_or(0.0);
        for (level, value) in &slice.levels {
            let (raw, centred) = by_level.entry(*level).or_default();
            raw.push(*value);
            // A level that only good slices have is not better for that.
            centred.push(*value - centre);
        }
    }
    // A pair among fifty runs says less than the fifty do.
    if effect.is_claimed && runs * 2 < effect.runs {
        return None;
    }
    let levels: Vec<(usize, f64, f64)> =
        by_level.iter().filter_map(|(level, (raw, centred))| Some((*level, median(raw)?, median(centred)?))).collect();
    let mut top = *levels.first()?;
    for level in &levels {
        if context.target.is_better(level.2, top.2) {
            top = *level;
        }
    }
    let best = (top.0, top.1);
    let text = |level: usize| parameter.levels.get(level).map_or("", |level| level.text.as_str());
    let mut others: Vec<String> = levels
        .iter()
        .filter(|(level, ..)| *level != best.0)
        .map(|(level, value, _)| [&short(*value), " with ", text(*level)].concat())
        .collect();
    let more = others.len().saturating_sub(NAMED);
    others.truncate(NAMED);
    if more > 0 {
        others.push(["and ", &more.to_string(), " more"].concat());
    }
    let sets = if count == 1 { " set".to_owned() } else { [" sets (", &runs.to_string(), " runs)"].concat() };
    let chance = if effect.is_claimed { "" } else { " The difference is within chance." };
    let mean = if count == 1 { "" } else { "median " };
    let why = [
        "Best in ",
        &count.to_string(),
        &sets,
        " of runs that differ in it alone: ",
        mean,
        &short(best.1),
        " against ",
        &others.join(", "),
        ".",
        chance,
    ];
    Some((best.0, ValueOrigin::MatchedRuns, why.concat()))
}

/// The level in the best bin of a claimed effect: that of the middle of its good runs.
fn in_best_bin(context: &ExperimentContext<'_>, effect: &Effect) -> Option<(usize, ValueOrigin, String)> {
    let parameter = &effect.parameter;
    let bin = effect.bins.get(effect.best?)?;
    let inside = |level: usize| parameter.levels.get(level).filter(|value| bin.contains(value)).map(|_| level);
    let mut levels: Vec<usize> =
        context.eligible.iter().filter_map(|(run, _)| inside(parameter.level_of(*run)?)).collect();
    levels.truncate((levels.len() / 2).max(3));
    levels.sort_unstable();
    let level = *levels.get(levels.len().checked_sub(1)? / 2)?;
    let runs = bin.runs.to_string();
    let why = ["Best ", &parameter.words, ": ", &bin.label, ", median ", &short(bin.median), " in ", &runs, " runs."];
    Some((level, ValueOrigin::Effect, why.concat()))
}

/// The middle of what the good runs have, or what most of them have.
fn among_good(context: &ExperimentContext<'_>, parameter: &Parameter) -> Option<(usize, ValueOrigin, String)> {
    let mut levels: Vec<usize> = context.top_runs().iter().filter_map(|(run, _)| parameter.level_of(*run)).collect();
    let runs = levels.len().to_string();
    let first = *levels.first()?;
    levels.sort_unstable();
    if parameter.is_number() {
        let level = *levels.get((levels.len() - 1) / 2)?;
        let why = ["Median of the ", &runs, " best runs; no effect beyond chance."];
        return Some((level, ValueOrigin::GoodRuns, why.concat()));
    }
    let count = |level: usize| levels.iter().filter(|other| **other == level).count();
    let mut best = first;
    for level in &levels {
        if count(*level) > count(best) {
            best = *level;
        }
    }
    let why = [&count(best).to_string(), " of the ", &runs, " best runs have it; no effect beyond chance."];
    Some((best, ValueOrigin::GoodRuns, why.concat()))
}

/// Runs that have the same values of all that varied, the best config's among them, as places among the entries.
pub fn same_config(analysis: &EffectAnalysis, runs: &[usize], run: usize) -> Vec<usize> {
    let varied: Vec<Parameter> = analysis.effects.iter().map(|effect| effect.parameter.clone()).collect();
    let wanted = fingerprint(&varied, run);
    runs.iter().copied().filter(|other| fingerprint(&varied, *other) == wanted).collect()
}

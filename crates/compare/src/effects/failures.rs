//! Settings under which runs fail: each finding that some runs have and others have not, tested against each setting.
//!
//! The outcome does not show it: a run that broke may have had a high reward before. Association, not proof of cause.

use super::super::copies::copies;
use super::super::{Parameter, RunSummary};
use super::SIGNIFICANCE;
use rundown_diagnose::{Code, Hyperparameter, Severity};
use rundown_run::RunState;
use rundown_stats::{CompactSort as _, benjamini_hochberg, fisher_p};

/// Fewest runs with a finding, and fewest without it: of fewer no split of eight runs is significant.
const MIN_RUNS: usize = 3;
/// Where more settings than these vary, only known ones are tested: a table may hold thousands of columns.
const MAX_SETTINGS: usize = 200;
/// Most splits of a setting's values that are tried; of a random search they are spread evenly over its runs.
const MAX_SPLITS: usize = 20;
/// Most values of a setting of words. More words than this name runs rather than settings.
const MAX_WORDS: usize = 20;

/// A finding that comes more often with some values of a setting than with its others.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureEffect {
    /// The finding.
    pub code: Code,
    /// Key of the setting.
    pub key: String,
    /// The setting in the words of the field; the key where it is no known one.
    pub words: String,
    /// The known setting.
    pub hyperparameter: Option<Hyperparameter>,
    /// The values with which the finding comes more often.
    pub values: FailingValues,
    /// Among the runs with these values.
    pub with: FailureCount,
    /// Among the runs with other values.
    pub without: FailureCount,
    /// P of Fisher's exact test, corrected for the splits of the setting that were tried (Bonferroni), and for settings and
    /// findings (Benjamini and Hochberg).
    pub q: f64,
    /// Keys of settings that split the runs in exactly the same way.
    pub same: Vec<String>,
}

/// Values of a setting, as it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum FailingValues {
    /// This number and higher ones.
    AtLeast(String),
    /// This number and lower ones.
    AtMost(String),
    /// This one.
    Only(String),
}

/// How many runs have a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FailureCount {
    /// Runs with it.
    pub failed: usize,
    /// All runs.
    pub runs: usize,
}

impl FailureCount {
    fn and(self, other: Self) -> Self {
        Self { failed: self.failed + other.failed, runs: self.runs + other.runs }
    }

    fn share(self) -> f64 {
        self.failed as f64 / self.runs.max(1) as f64
    }
}

/// The setting that goes with each finding most clearly, where one significantly does: the smallest p first. Consequences of other
/// findings, and findings on the settings themselves, are left out.
pub fn failure_effects(summaries: &[&RunSummary], parameters: &[Parameter]) -> Vec<FailureEffect> {
    let copies = copies(summaries);
    let counts = |run: &usize| {
        let is_running = summaries.get(*run).is_some_and(|summary| summary.state == RunState::Running);
        !is_running && copies.get(*run).is_some_and(Option::is_none)
    };
    let runs: Vec<usize> = (0..summaries.len()).filter(counts).collect();
    let is_tested = |parameter: &&Parameter| {
        let has_values = parameter.is_number() || parameter.levels.len() <= MAX_WORDS;
        has_values && (parameter.hyperparameter.is_some() || parameters.len() <= MAX_SETTINGS)
    };
    let parameters: Vec<&Parameter> = parameters.iter().filter(is_tested).collect();
    let mut tested: Vec<FailureEffect> = Vec::new();
    for code in Code::ALL.iter().filter(|code| !matches!(code, Code::ConfigConflict | Code::ConfigUnusual)) {
        let has = |run: &usize| summaries.get(*run).is_some_and(|summary| has_failed(summary, *code));
        let failed: Vec<bool> = runs.iter().map(has).collect();
        let count = failed.iter().filter(|failed| **failed).count();
        if count < MIN_RUNS || runs.len() - count < MIN_RUNS {
            continue;
        }
        tested.extend(parameters.iter().filter_map(|parameter| effect(*code, parameter, &runs, &failed)));
    }
    let corrected = benjamini_hochberg(&tested.iter().map(|effect| effect.q).collect::<Vec<f64>>());
    let mut claimed: Vec<FailureEffect> = tested
        .into_iter()
        .zip(corrected)
        .filter(|(_, q)| *q < SIGNIFICANCE)
        .map(|(effect, q)| FailureEffect { q, ..effect })
        .collect();
    // A known setting before another key that says as much.
    claimed
        .compact_sort_by(|a, b| a.q.total_cmp(&b.q).then(b.hyperparameter.is_some().cmp(&a.hyperparameter.is_some())));
    let mut clearest: Vec<FailureEffect> = Vec::new();
    for effect in claimed {
        if clearest.iter().all(|other| other.code != effect.code) {
            clearest.push(effect);
        }
    }
    clearest
}

fn has_failed(summary: &RunSummary, code: Code) -> bool {
    summary.findings.iter().any(|found| found.code == code && found.is_root && found.severity >= Severity::Warning)
}

/// The split of a setting's values that tells the runs that failed from the others best; `q` is not yet corrected for other tests. `None`
/// where too few of the runs with the setting failed, or did not.
fn effect(code: Code, parameter: &Parameter, runs: &[usize], failed: &[bool]) -> Option<FailureEffect> {
    let mut levels = vec![FailureCount::default(); parameter.levels.len()];
    for (run, failed) in runs.iter().zip(failed) {
        if let Some(level) = parameter.level_of(*run).and_then(|level| levels.get_mut(level)) {
            *level = level.and(FailureCount { failed: usize::from(*failed), runs: 1 });
        }
    }
    let all = levels.iter().fold(FailureCount::default(), |sum, level| sum.and(*level));
    if all.failed < MIN_RUNS || all.runs - all.failed < MIN_RUNS {
        return None;
    }
    let mut splits = if parameter.is_number() { cuts(parameter, &levels, all) } else { single(parameter, &levels) };
    // A split that cannot be significant, whichever of its runs failed, is no part of the correction (Tarone 1990).
    let least = |drawn: usize| {
        let [hits, drawn, marked, total] =
            [drawn.min(all.failed), drawn, all.failed, all.runs].map(|count| count as u64);
        2.0 * fisher_p(hits, drawn, marked, total)
    };
    splits.retain(|(_, with)| least(with.runs).min(least(all.runs - with.runs)) < SIGNIFICANCE);
    let tried = splits.len() as f64;
    let mut best: Option<(f64, FailingValues, FailureCount)> = None;
    for (values, with) in splits {
        let [hits, drawn, marked, total] = [with.failed, with.runs, all.failed, all.runs].map(|count| count as u64);
        let fails_more = with.failed * all.runs > all.failed * with.runs;
        // Either side could have failed more often.
        let p = if fails_more { (2.0 * tried * fisher_p(hits, drawn, marked, total)).min(1.0) } else { 1.0 };
        if best.as_ref().is_none_or(|(least, ..)| p < *least) {
            best = Some((p, values, with));
        }
    }
    let (q, values, with) = best?;
    Some(FailureEffect {
        code,
        key: parameter.key.clone(),
        words: parameter.words.clone(),
        hyperparameter: parameter.hyperparameter,
        values,
        with,
        without: FailureCount { failed: all.failed - with.failed, runs: all.runs - with.runs },
        q,
        same: parameter.same.clone(),
    })
}

/// Each cut between values that occur, by its side that fails more often.
fn cuts(parameter: &Parameter, levels: &[FailureCount], all: FailureCount) -> Vec<(FailingValues, FailureCount)> {
    let text = |level: usize| parameter.levels.get(level).map_or_else(String::new, |level| level.text().into_owned());
    let used: Vec<usize> =
        (0..levels.len()).filter(|level| levels.get(*level).is_some_and(|level| level.runs > 0)).collect();
    let (mut below, mut splits) = (FailureCount::default(), Vec::new());
    let step = (all.runs / MAX_SPLITS).max(1);
    let mut next = step;
    for pair in used.windows(2) {
        let [lower, higher] = pair else { continue };
        below = below.and(levels.get(*lower).copied().unwrap_or_default());
        if used.len() > MAX_SPLITS && below.runs < next {
            continue;
        }
        next = below.runs + step;
        let above = FailureCount { failed: all.failed - below.failed, runs: all.runs - below.runs };
        splits.push(match above.share() > below.share() {
            true => (FailingValues::AtLeast(text(*higher)), above),
            false => (FailingValues::AtMost(text(*lower)), below),
        });
    }
    splits
}

/// Each value against all others; of two values the one that fails more often.
fn single(parameter: &Parameter, levels: &[FailureCount]) -> Vec<(FailingValues, FailureCount)> {
    let named = parameter.levels.iter().zip(levels).filter(|(_, count)| count.runs > 0);
    let mut splits: Vec<(FailingValues, FailureCount)> =
        named.map(|(level, count)| (FailingValues::Only(level.text().into_owned()), *count)).collect();
    if splits.len() == 2 {
        splits.compact_sort_by(|a, b| b.1.share().total_cmp(&a.1.share()));
        splits.truncate(1);
    }
    splits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters;
    use crate::testing::{critical, refs, summary};
    use rundown_run::ConfigValue;

    /// Runs with a learning rate and a batch size, of which those from a rate on break.
    fn attempts(breaks: impl Fn(usize, f64) -> bool) -> Vec<RunSummary> {
        let rates = [1e-6, 1e-5, 5e-5, 5e-4, 5e-3];
        let of = |place: usize| {
            let rate = rates[place % rates.len()];
            let batch = [32.0, 64.0][place / rates.len() % 2];
            let mut made =
                summary(&[("learning_rate", ConfigValue::Number(rate)), ("batch_size", ConfigValue::Number(batch))]);
            if breaks(place, rate) {
                made.findings = vec![critical(Code::KlBlowUp)];
            }
            made
        };
        (0..20).map(of).collect()
    }

    fn found(summaries: &[RunSummary]) -> Vec<FailureEffect> {
        let summaries = refs(summaries);
        failure_effects(&summaries, &parameters(&summaries).varying)
    }

    #[test]
    fn the_setting_that_breaks_runs_is_found() {
        let effects = found(&attempts(|_, rate| rate > 1e-4));
        assert_eq!(effects.len(), 1, "{effects:?}");
        let effect = &effects[0];
        assert_eq!((effect.code, effect.key.as_str()), (Code::KlBlowUp, "learning_rate"));
        assert_eq!(effect.values, FailingValues::AtLeast("5e-4".to_owned()));
        assert_eq!(
            (effect.with, effect.without),
            (FailureCount { failed: 8, runs: 8 }, FailureCount { failed: 0, runs: 12 })
        );
        // 1 of C(20, 8) ways, four cuts, two sides, two settings.
        assert!((effect.q - 16.0 / 125_970.0).abs() < 1e-9, "{}", effect.q);
        // Of low values too.
        let effects = found(&attempts(|_, rate| rate < 2e-5));
        assert_eq!(effects[0].values, FailingValues::AtMost("1e-5".to_owned()));
    }

    #[test]
    fn failures_that_no_setting_tells_and_few_of_them_claim_nothing() {
        assert_eq!(found(&attempts(|place, _| place % 3 == 0)), []);
        assert_eq!(found(&attempts(|place, _| place == 3 || place == 4)), [], "two runs");
        assert_eq!(found(&attempts(|_, _| true)), [], "all of them");
        let mut consequences = attempts(|_, rate| rate > 1e-4);
        consequences.iter_mut().flat_map(|run| &mut run.findings).for_each(|found| found.is_root = false);
        assert_eq!(found(&consequences), []);
    }

    #[test]
    fn settings_that_one_run_changes_hide_no_other() {
        let run = |place: usize| {
            let options: Vec<String> = (0..12).map(|option| format!("option_{option}")).collect();
            let mut settings = vec![("beta", ConfigValue::Number(if place < 6 { 0.0 } else { 0.04 }))];
            let is_own = |option: usize| ConfigValue::Number(f64::from(u8::from(option == place)));
            settings.extend(options.iter().enumerate().map(|(option, key)| (key.as_str(), is_own(option))));
            let mut made = summary(&settings);
            if place < 5 {
                made.findings = vec![critical(Code::KlBlowUp)];
            }
            made
        };
        let effects = found(&(0..12).map(run).collect::<Vec<_>>());
        assert_eq!(effects.len(), 1, "5 of 6, and none of 6 others");
        assert_eq!((effects[0].key.as_str(), effects[0].with.failed), ("beta", 5));
    }

    #[test]
    fn a_random_search_is_cut_evenly() {
        let run = |place: usize| {
            let mut made = summary(&[("learning_rate", ConfigValue::Number(1e-6 * (1.0 + place as f64)))]);
            if place >= 150 {
                made.findings = vec![critical(Code::EntropyCollapse)];
            }
            made
        };
        let effects = found(&(0..200).map(run).collect::<Vec<_>>());
        assert_eq!(effects[0].with, FailureCount { failed: 50, runs: 50 });
    }
}

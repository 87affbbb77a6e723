//! Runs every case in every style and counts what was found, when, and which findings healthy runs have.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rundown_diagnose::{Diagnosis, Severity};
use rundown_report::{Secrets, run_export};
use rundown_run::Run;
use rundown_stats::wilson;

use super::case::{Case, simulate};
use super::labels::{count, diagnosis_of, line};
use super::logging::Logging;
use super::simulated_run::SimulatedRun;
use super::style::Style;
use super::write::write;

/// What came of one run.
pub struct Outcome {
    pub case: usize,
    pub style: Style,
    pub seed: u64,
    /// The code under which it was found.
    pub found: Option<&'static str>,
    /// Found, and as a warning at least.
    pub warned: bool,
    /// How far the onset lies outside the right steps, as a share of the run.
    pub onset_error: Option<f64>,
    /// Share of the run that lies behind the onset.
    pub lead: Option<f64>,
    pub criticals: usize,
    pub warnings: usize,
    /// Codes of the warnings and worse.
    pub accused: Vec<&'static str>,
    /// The run in one line, for those who ask.
    pub line: String,
}

/// Every case with every seed in every style that can show it, in order.
pub fn outcomes(
    cases: &[&Case],
    styles: &[Style],
    logging: Logging,
    seeds: &Range<u64>,
    wanted: Option<&str>,
) -> Vec<Outcome> {
    let items: Vec<(usize, u64)> = (0..cases.len())
        .filter(|case| wanted.is_none_or(|part| cases[*case].name.contains(part)))
        .flat_map(|case| seeds.clone().map(move |seed| (case, seed)))
        .collect();
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((case, seed)) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let simulated = logging.apply(simulate(cases[*case], *seed));
                    for style in styles {
                        // OpenRLHF's and own names share the third place: each has half of the seeds.
                        let is_turn = match style {
                            Style::OpenRlhf => seed % 2 == 0,
                            Style::Plain => seed % 2 == 1,
                            _ => true,
                        };
                        if is_turn && style.shows(cases[*case].needs, simulated.plan.critic) || *style == Style::Sources
                        {
                            let outcome = outcome(*case, cases[*case], &simulated, *style, *seed, wanted.is_some());
                            all.lock().expect("no thread panicked").push(outcome);
                        }
                    }
                }
            });
        }
    });
    let mut all = all.into_inner().expect("no thread panicked");
    all.sort_by_key(|outcome| (outcome.case, outcome.style, outcome.seed));
    all
}

fn outcome(index: usize, case: &Case, simulated: &SimulatedRun, style: Style, seed: u64, verbose: bool) -> Outcome {
    let run = write(simulated, style, case.needs, seed);
    let (first, last) = run.step_range().unwrap_or((0.0, 1.0));
    let span = (last - first).max(1.0);
    let diagnosis = diagnosis_of(&run);
    let hit = case.codes.iter().find_map(|code| {
        let of_it =
            |finding: &&rundown_diagnose::Finding| finding.code.as_str() == *code && finding.severity >= case.least;
        diagnosis.findings.iter().find(of_it).map(|finding| (*code, finding))
    });
    let onset = hit.and_then(|(_, finding)| finding.onset);
    let onset_error =
        onset.zip(simulated.onset).map(|(onset, (from, to))| (from - onset).max(onset - to).max(0.0) / span);
    Outcome {
        case: index,
        style,
        seed,
        found: hit.map(|(code, _)| code),
        warned: hit.is_some_and(|(_, finding)| finding.severity >= Severity::Warning),
        onset_error,
        lead: onset.map(|onset| (last - onset) / span),
        criticals: count(&diagnosis, Severity::Critical),
        warnings: count(&diagnosis, Severity::Warning),
        accused: accused(&diagnosis),
        line: if verbose { shown(case, simulated, style, seed, &run, &diagnosis) } else { String::new() },
    }
}

fn accused(diagnosis: &Diagnosis) -> Vec<&'static str> {
    let serious = diagnosis.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
    serious.map(|finding| finding.code.as_str()).collect()
}

/// The run in one line; the run itself goes to `target/tmp/truth`.
fn shown(case: &Case, simulated: &SimulatedRun, style: Style, seed: u64, run: &Run, diagnosis: &Diagnosis) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("truth");
    let text = run_export(run, &diagnosis.findings, Secrets::Keep).expect("a run has a JSON form");
    std::fs::create_dir_all(&folder).expect("target/tmp can be written to");
    let name = case.name.replace(|letter: char| !letter.is_alphanumeric(), "-");
    std::fs::write(folder.join(format!("{name}-{}-{seed}-{}.json", style.as_str(), simulated.logged_every)), text)
        .expect("so can a file in it");
    let onset = simulated.onset.map_or_else(|| "-".to_owned(), |(from, to)| format!("{from:.0}..{to:.0}"));
    let every = simulated.logged_every;
    line(&format!("{} {seed} of {}/{every} since {onset}", style.as_str(), simulated.last + 1), diagnosis)
}

/// What was counted for one case, or for all cases of a code.
#[derive(Default, Clone)]
pub struct Tally {
    pub runs: usize,
    pub found: usize,
    pub warned: usize,
    pub by_style: BTreeMap<Style, (usize, usize)>,
    pub onset_errors: Vec<f64>,
    pub leads: Vec<f64>,
    pub criticals: usize,
    pub warnings: usize,
    pub over_one: usize,
    pub accused: BTreeMap<&'static str, usize>,
    /// By case and seed: the same run under the names of several frameworks is one observation.
    pub seeds: BTreeMap<(usize, u64), Seed>,
}

/// What came of a seed in all styles together.
#[derive(Clone)]
pub struct Seed {
    /// Found in every style that can show it.
    pub is_found: bool,
    /// With a critical finding in any style.
    pub is_critical: bool,
    /// With a finding of a warning or worse in any style.
    pub is_warned: bool,
}

impl Tally {
    /// Adds one run.
    pub fn add(&mut self, outcome: &Outcome) {
        self.runs += 1;
        let style = self.by_style.entry(outcome.style).or_default();
        style.0 += 1;
        if outcome.found.is_some() {
            self.found += 1;
            style.1 += 1;
        }
        self.warned += usize::from(outcome.warned);
        self.onset_errors.extend(outcome.onset_error);
        self.leads.extend(outcome.lead);
        self.criticals += usize::from(outcome.criticals > 0);
        self.warnings += outcome.warnings;
        self.over_one += usize::from(outcome.warnings > 1);
        for code in &outcome.accused {
            *self.accused.entry(code).or_default() += 1;
        }
        let new = Seed { is_found: true, is_critical: false, is_warned: false };
        let seed = self.seeds.entry((outcome.case, outcome.seed)).or_insert(new);
        seed.is_found &= outcome.found.is_some();
        seed.is_critical |= outcome.criticals > 0;
        seed.is_warned |= outcome.criticals + outcome.warnings > 0;
    }

    /// Seeds of which something holds.
    pub fn seeds(&self, holds: impl Fn(&Seed) -> bool) -> Share {
        Share { count: self.seeds.values().filter(|seed| holds(seed)).count(), of: self.seeds.len() }
    }

    /// Share of the runs in which it was found.
    pub fn recall(&self) -> f64 {
        self.found as f64 / self.runs.max(1) as f64
    }

    /// Median onset error, where any onset was given.
    pub fn onset_error(&self) -> Option<f64> {
        median(&self.onset_errors)
    }

    /// Median lead over the end.
    pub fn lead(&self) -> Option<f64> {
        median(&self.leads)
    }
}

/// Standard deviations of a 95 % interval.
const Z: f64 = 1.96;

/// A part of independent runs.
#[derive(Clone, Copy)]
pub struct Share {
    pub count: usize,
    pub of: usize,
}

impl Share {
    /// "19 of 20".
    pub fn counted(self) -> String {
        format!("{} of {}", self.count, self.of)
    }

    /// Wilson's 95 % interval.
    pub fn interval(self) -> String {
        let interval = wilson(self.count as f64, self.of as f64, Z);
        interval.map_or_else(|| "-".to_owned(), |(low, high)| format!("{:.1}–{:.1} %", 100.0 * low, 100.0 * high))
    }
}

/// What was counted of these outcomes.
pub fn tally<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> Tally {
    let mut tally = Tally::default();
    outcomes.for_each(|outcome| tally.add(outcome));
    tally
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
